/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: each kind by each generator, from elements on at which counters carry, up to a stream's last. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernels/common/sequence.h"
#include "tests/description.h"
#include "tests/random_oracle.h"

enum { GENERATORS = 2, DIMS = 7 };

/* Products of some bounds are often refused: of 2^31 + 1, nearly half. */
#define BOUNDS(kind)                                                                                                   \
    {kind, (UINT64_C(1) << 31) + 1}, {kind, 10}, {kind, 1}, {kind, 2}, {kind, 3}, {kind, 1000}, {kind, 65536},         \
        {kind, 0}, {kind, UINT64_C(3) << 30}, {kind, UINT32_MAX}, {                                                    \
        kind, 1000000039                                                                                               \
    }

static const struct row {
    enum uhi_random_kind kind;
    uint64_t bound;
} rows[] = {{UHI_RANDOM_U32, 0},
            {UHI_RANDOM_U64, 0},
            {UHI_RANDOM_F32, 0},
            {UHI_RANDOM_F64, 0},
            BOUNDS(UHI_RANDOM_BOUNDED_32),
            BOUNDS(UHI_RANDOM_BOUNDED_32_WIDE),
            BOUNDS(UHI_RANDOM_BOUNDED_64),
            {UHI_RANDOM_BOUNDED_64, UINT64_C(1) << 32},
            {UHI_RANDOM_BOUNDED_64, UINT64_C(1000000000039)},
            {UHI_RANDOM_BOUNDED_64, UINT64_C(3) << 62},
            {UHI_RANDOM_BOUNDED_64, (UINT64_C(1) << 63) + 1},
            {UHI_RANDOM_BOUNDED_64, UINT64_MAX}};
enum { ROWS = sizeof rows / sizeof *rows };

static const uh_dtype sobol_types[] = {UH_U32, UH_F32, UH_F64};
enum { SOBOL = sizeof sobol_types / sizeof *sobol_types };

struct numbers {
    struct uhi_random_job job;
    uh_sobol from;  /* if it has dims, */
    uh_dtype dtype; /* and the type */
    size_t n, size;
    char *expected;
};

static int describe(size_t number, struct tried *tried) {
    static const char *const names[] = {[UHI_RANDOM_U32] = "uint32",
                                        [UHI_RANDOM_U64] = "uint64",
                                        [UHI_RANDOM_F32] = "float32",
                                        [UHI_RANDOM_F64] = "float64",
                                        [UHI_RANDOM_BOUNDED_32] = "uint32 below",
                                        [UHI_RANDOM_BOUNDED_32_WIDE] = "32 bits in 64 below",
                                        [UHI_RANDOM_BOUNDED_64] = "uint64 below"};
    const uh_generator generator = (uh_generator)(number % GENERATORS);
    if (number >= ROWS * GENERATORS) {
        snprintf(tried->name, sizeof tried->name, "%s by sobol",
                 uh_enum_name(UH_ENUM_DTYPE, sobol_types[number % SOBOL]));
        tried->exact = 5003;
        tried->few = 61;
        tried->in_faults = number == ROWS * GENERATORS ? 501 : 0;
        tried->in_null = 500;
        return number < ROWS * GENERATORS + SOBOL ? 0 : -1;
    }
    const struct row row = rows[number / GENERATORS];
    const int first = row.kind < UHI_RANDOM_BOUNDED_32 || row.bound == rows[UHI_RANDOM_BOUNDED_32].bound;
    snprintf(tried->name, sizeof tried->name, "%s %" PRIu64 " by %s", names[row.kind], row.bound,
             uh_enum_name(UH_ENUM_GENERATOR, generator));
    tried->exact = first ? 300007 : 12011;
    if (!first)
        return 0;
    tried->few = 61;
    if (generator == UH_PHILOX4X32_10) /* several groups share the work; several pieces if memory is small */
        tried->few = row.kind == UHI_RANDOM_U32 ? 3 * 16 * 64 * 4 + 7 : row.kind == UHI_RANDOM_F64 ? 61 * 8 : 61;
    tried->in_faults = number == 0 ? 300007 : row.kind == UHI_RANDOM_BOUNDED_64 ? 5003 : 0;
    tried->in_null = 5000;
    tried->pieces = number == 0 ? ((size_t)17 << 20) + 5 : 0;
    return 0;
}

/* Where counters carry, half of the numbers come before; none comes after the last. */
static uint64_t choose_offset(const struct uhi_random_job *job, size_t n, uint64_t seed) {
    static const uint64_t offsets[] = {0,
                                       1,
                                       2,
                                       3,
                                       5,
                                       8,
                                       UINT64_C(1) << 31,
                                       UINT64_C(1) << 32,
                                       UINT64_C(1) << 33,
                                       UINT64_C(1) << 34,
                                       UINT64_C(1) << 35,
                                       UINT64_C(1) << 62,
                                       UINT64_C(1) << 63,
                                       UINT64_MAX};
    const int half = job->generator == UH_PHILOX4X32_10 && uhi_random_from_64(job->kind);
    const uint64_t offset = offsets[seed % (sizeof offsets / sizeof *offsets)], middle = offset > n ? n / 2 : 0;
    const uint64_t last = (half ? INT64_MAX : UINT64_MAX) - (n ? n - 1 : 0);
    return offset - middle < last ? offset - middle : last;
}

/* Points up to the sequence's last, element by element. */
static void *make_sobol(size_t number, size_t n, uint64_t seed) {
    struct numbers *numbers = case_new(sizeof *numbers);
    uint32_t table[DIMS * (UHI_SEQUENCE_AXIS + UHI_SEQUENCE_KEYS)] = {0};
    const uint64_t offset = seed % 4 == 3 ? (UINT64_C(1) << 32) - n : 123 * (seed % 4);
    const int kind = seed % 3 == UH_SCRAMBLE_OWEN ? UHI_SEQUENCE_OWEN : UHI_SEQUENCE_SHIFT;
    numbers->from = (uh_sobol){DIMS, (uh_scramble)(seed % 3), seed, 5, offset};
    numbers->dtype = sobol_types[number % SOBOL];
    numbers->n = n;
    numbers->size = DIMS * uh_dtype_size(numbers->dtype);
    numbers->expected = case_array(numbers, n, numbers->size);
    uhi_sequence_table(kind, 1, DIMS, numbers->from.scramble != UH_SCRAMBLE_NONE, seed, 5, table);
    for (size_t i = 0, a = 0; i < n * DIMS; i++, a = i % DIMS) {
        const uint32_t word = uhi_sequence_word(kind, (uint32_t)(offset + i / DIMS), table + a * UHI_SEQUENCE_AXIS,
                                                table + DIMS * UHI_SEQUENCE_AXIS + a * UHI_SEQUENCE_KEYS);
        const float single = (float)(word >> 8) * 0x1p-24F;
        const double exact = word * 0x1p-32;
        const void *const of[] = {&word, &single, &exact};
        memcpy(numbers->expected + i * (numbers->size / DIMS), of[number % SOBOL], numbers->size / DIMS);
    }
    return numbers;
}

static void *make(size_t number, size_t n, uint64_t seed) {
    if (number >= ROWS * GENERATORS)
        return make_sobol(number, n, seed);
    const struct row row = rows[number / GENERATORS];
    struct numbers *numbers = case_new(sizeof *numbers);
    struct uhi_random_job *job = &numbers->job;
    *job = (struct uhi_random_job){.kind = row.kind,
                                   .generator = (uh_generator)(number % GENERATORS),
                                   .seed = seed * UINT64_C(0x9e3779b97f4a7c15),
                                   .stream = seed % 2 ? UINT64_C(0xfedcba9876543210) : seed,
                                   .bound = row.bound,
                                   .add = row.kind >= UHI_RANDOM_BOUNDED_32 && seed % 3 == 0 ? (uint64_t)-1000 : 0};
    job->offset = choose_offset(job, n, seed / 6);
    numbers->n = n;
    numbers->size = uhi_random_size(row.kind);
    numbers->expected = case_array(numbers, n, numbers->size);
    for (size_t i = 0; i < n; i++)
        random_oracle_store(job, i, numbers->expected + i * numbers->size);
    return numbers;
}

static int is_internal(const struct uhi_random_job *job) { return job->add || job->kind == UHI_RANDOM_BOUNDED_32_WIDE; }

const char *random_call(const struct uhi_random_job *job) { return is_internal(job) ? "uhi_random_fill" : "uh_random"; }

uh_status random_make(uh_queue *queue, const struct uhi_random_job *job, void *out, size_t n) {
    static const uh_dtype dtypes[] = {
        [UHI_RANDOM_U32] = UH_U32, [UHI_RANDOM_U64] = UH_U64,        [UHI_RANDOM_F32] = UH_F32,
        [UHI_RANDOM_F64] = UH_F64, [UHI_RANDOM_BOUNDED_32] = UH_U32, [UHI_RANDOM_BOUNDED_64] = UH_U64};
    const uh_random_stream from = {job->generator, job->seed, job->stream, job->offset};
    const int bounded = job->kind == UHI_RANDOM_BOUNDED_32 || job->kind == UHI_RANDOM_BOUNDED_64;
    if (is_internal(job))
        return uhi_random_fill(queue, random_call(job), job, out, n);
    return uh_random(queue, &from, bounded ? job->bound : 0, dtypes[job->kind], out, n);
}

static void run(struct use *use, const void *made) {
    const struct numbers *numbers = made;
    void *out = use_output(use, numbers->n, numbers->size);
    if (out && numbers->from.dims)
        (void)use_written(use, "uh_random_sobol",
                          uh_random_sobol(use->queue, &numbers->from, numbers->dtype, out, numbers->n), out,
                          numbers->expected, USE_TORN);
    else if (out)
        (void)use_written(use, random_call(&numbers->job), random_make(use->queue, &numbers->job, out, numbers->n), out,
                          numbers->expected, USE_TORN);
}

const struct description describe_random = {"random", describe, make, run, case_free};
