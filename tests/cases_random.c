/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: each kind by each generator, from elements on at which counters carry. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/descriptions.h"
#include "tests/random_oracle.h"

enum { KINDS = UHI_RANDOM_BOUNDED_64 + 1, GENERATORS = 2 };

struct numbers {
    enum uhi_random_kind kind;
    uh_generator generator;
    uint64_t seed, stream, offset, bound;
    size_t n, size;
    char *expected;
};

static int describe(size_t number, struct tried *tried) {
    static const char *const names[] = {[UHI_RANDOM_U32] = "uint32",
                                        [UHI_RANDOM_U64] = "uint64",
                                        [UHI_RANDOM_F32] = "float32",
                                        [UHI_RANDOM_F64] = "float64",
                                        [UHI_RANDOM_BOUNDED_32] = "bounded, uint32",
                                        [UHI_RANDOM_BOUNDED_32_WIDE] = "bounded, 32 bits in 64",
                                        [UHI_RANDOM_BOUNDED_64] = "bounded, uint64"};
    const enum uhi_random_kind kind = (enum uhi_random_kind)(number / GENERATORS);
    const uh_generator generator = (uh_generator)(number % GENERATORS);
    if (number >= KINDS * GENERATORS)
        return -1;
    snprintf(tried->name, sizeof tried->name, "%s by %s", names[kind], uh_generator_name(generator));
    tried->exact = 300007;
    tried->few = 61;
    if (generator == UH_PHILOX4X32_10) /* several groups share the work; several pieces where there is little memory */
        tried->few = kind == UHI_RANDOM_U32 ? 3 * 16 * 64 * 4 + 7 : kind == UHI_RANDOM_F64 ? 61 * 8 : 61;
    tried->in_faults = number == 0 ? 300007 : kind == UHI_RANDOM_BOUNDED_64 ? 5003 : 0;
    tried->in_null = 50000;
    return 0;
}

/* Products of some bounds are often refused: of 2^31 + 1, nearly half. */
static uint64_t choose_bound(enum uhi_random_kind kind, uint64_t seed) {
    static const uint64_t bounds[] = {(UINT64_C(1) << 31) + 1,
                                      10,
                                      1,
                                      2,
                                      1000,
                                      65536,
                                      0,
                                      UINT64_C(3) << 30,
                                      UINT32_MAX,
                                      1000000039,
                                      UINT64_C(3) << 62,
                                      (UINT64_C(1) << 63) + 1,
                                      UINT64_MAX};
    return bounds[seed % (kind == UHI_RANDOM_BOUNDED_64 ? 13 : 10)];
}

static void free_numbers(void *made) {
    struct numbers *numbers = made;
    if (numbers)
        free(numbers->expected);
    free(numbers);
}

static void *make(size_t number, size_t n, uint64_t seed) {
    static const uint64_t offsets[] = {0, 1, 5, UINT64_C(1) << 33, UINT64_C(1) << 34, UINT64_C(1) << 35};
    struct numbers *numbers = malloc(sizeof *numbers);
    if (!numbers)
        return NULL;
    *numbers = (struct numbers){.kind = (enum uhi_random_kind)(number / GENERATORS),
                                .generator = (uh_generator)(number % GENERATORS),
                                .seed = seed * UINT64_C(0x9e3779b97f4a7c15),
                                .stream = seed % 2 ? UINT64_C(0xfedcba9876543210) : seed,
                                .offset = offsets[seed / 13 % 6],
                                .n = n};
    numbers->offset -= numbers->offset > n ? n / 2 : 0; /* a counter carries half-way */
    numbers->bound = choose_bound(numbers->kind, seed);
    numbers->size = uhi_random_size(numbers->kind);
    numbers->expected = malloc(n * numbers->size + 1);
    for (size_t i = 0; numbers->expected && i < n; i++)
        random_oracle_store(numbers->kind, numbers->generator, numbers->seed, numbers->stream, numbers->offset + i,
                            numbers->bound, numbers->expected + i * numbers->size);
    if (numbers->expected)
        return numbers;
    free_numbers(numbers);
    return NULL;
}

static void run(struct use *use, const void *made) {
    const struct numbers *numbers = made;
    void *out = use_output(use, numbers->n, numbers->size);
    if (!out)
        return;
    (void)use_written(use, random_call(numbers->kind),
                      random_make(use->queue, numbers->kind, numbers->generator, numbers->seed, numbers->stream,
                                  numbers->offset, numbers->bound, out, numbers->n),
                      out, numbers->expected, USE_TORN);
}

static void traffic(size_t number, size_t n, size_t *read, size_t *written) {
    *read = 0;
    *written = n * uhi_random_size((enum uhi_random_kind)(number / GENERATORS));
}

const struct description describe_random = {"random", describe, make, run, free_numbers, traffic};
