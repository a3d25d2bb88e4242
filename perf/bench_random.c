/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf random: random numbers in bulk, to a buffer that the second-level cache holds and to memory, beside a
 * plain loop of Philox4x32-10 and filling the buffer with a byte. */
#include "perf/bench.h"
#include "perf/family.h"
#include "perf/plain_philox.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED   UINT64_C(0x0123456789abcdef)
#define STREAM UINT64_C(7)

enum { CACHE_BYTES = 1 << 19, MEMORY_BYTES = 1 << 28, CHECKED = 1000 };

enum kind { U32, U64, F32, F64 };

struct work {
    enum kind kind;
    size_t n, size;
    void *out;
};

struct maker {
    struct work *work;
    uh_queue *queue; /* NULL: the plain loop, or the byte */
    int threads;
};

/* ---- rivals ----------------------------------------------------------------------------------------------------- */

static int run_library(void *context, struct perf_error *error) {
    const struct maker *maker = context;
    const struct work *work = maker->work;
    uh_status status = UH_SUCCESS;
    switch (work->kind) {
    case U32: status = uh_random_u32(maker->queue, UH_PHILOX4X32_10, SEED, STREAM, 0, work->out, work->n); break;
    case U64: status = uh_random_u64(maker->queue, UH_PHILOX4X32_10, SEED, STREAM, 0, work->out, work->n); break;
    case F32:
        status = uh_random_uniform_f32(maker->queue, UH_PHILOX4X32_10, SEED, STREAM, 0, work->out, work->n);
        break;
    default: status = uh_random_uniform_f64(maker->queue, UH_PHILOX4X32_10, SEED, STREAM, 0, work->out, work->n); break;
    }
    return status ? family_library_failed(error) : PERF_OK;
}

static int run_plain(void *context, struct perf_error *error) {
    const struct maker *maker = context;
    (void)error;
    perf_plain_philox(SEED, STREAM, 0, maker->work->out, maker->work->n);
    return PERF_OK;
}

static int run_write(void *context, struct perf_error *error) {
    const struct maker *maker = context;
    const size_t bytes = maker->work->n * maker->work->size, each = bytes / (size_t)maker->threads;
    char *out = maker->work->out;
    (void)error;
#pragma omp parallel for num_threads(maker->threads) schedule(static)
    for (int t = 0; t < maker->threads; t++) {
        const size_t from = (size_t)t * each;
        memset(out + from, 0x5a, t + 1 == maker->threads ? bytes - from : each);
    }
    return PERF_OK;
}

/* Element i by the plain loop. */
static void expect(const struct work *work, size_t i, void *to) {
    const size_t words = work->size / sizeof(uint32_t), word = i * words;
    uint32_t four[4];
    perf_plain_philox(SEED, STREAM, word / 4, four, 4);
    const uint32_t *at = four + word % 4;
    const uint64_t both = words == 2 ? (uint64_t)at[1] << 32 | at[0] : 0;
    const float f = ldexpf((float)(at[0] >> 8), -24);
    const double d = ldexp((double)(both >> 11), -53);
    memcpy(to,
           work->kind == F32   ? (const void *)&f
           : work->kind == F64 ? (const void *)&d
                               : (const void *)at,
           work->size);
}

static int check_numbers(void *context, struct perf_error *error) {
    const struct work *work = ((const struct maker *)context)->work;
    const size_t step = work->n / CHECKED + 1;
    for (size_t i = 0; i < work->n; i += step) {
        char expected[8];
        expect(work, i, expected);
        if (memcmp(expected, (const char *)work->out + i * work->size, work->size) != 0)
            return perf_fail(error, "number %zu is not that of Random123", i);
    }
    memset(work->out, 0xff, work->n < 64 ? work->n : 64);
    return PERF_OK;
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

static int run_case(struct family *family, enum kind kind, int memory, struct perf_error *error) {
    static const char *const names[][2] = {
        {"u32/L2", "u32/memory"}, {"u64/L2", "u64/memory"}, {"f32/L2", "f32/memory"}, {"f64/L2", "f64/memory"}};
    const size_t size = kind == U32 || kind == F32 ? 4 : 8;
    const int lists = family_lists(family);
    struct family_case what = {
        .operation = "random", .what = names[kind][memory], .data = FAMILY_USUAL, .bytes = (double)size};
    struct work work = {.kind = kind, .size = size};
    struct maker makers[2] = {{&work, family->queues[0], 1}, {&work, family->queues[1], 2}};
    int status = PERF_OK;
    work.n = family_length(family, (memory ? MEMORY_BYTES : CACHE_BYTES) / size) / 4 * 4;
    work.out = lists ? NULL : perf_array_create(work.n * size, 2);
    if (!lists && !work.out)
        return perf_fail(error, "out of memory for %zu numbers", work.n);
    if (!lists)
        memset(work.out, 0, work.n * size);
    const double n = (double)work.n;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct maker *maker = &makers[threads - 1];
        if (!lists && !maker->queue)
            continue;
        family_add(&what, "write", threads, n, (struct perf_subject){NULL, run_write, NULL, maker, NULL})->limit = 1;
        if (kind == U32 && threads == 1)
            family_add(&what, "plain", 1, n, (struct perf_subject){NULL, run_plain, check_numbers, maker, NULL})
                ->baseline = 1;
        family_add(&what, "library", threads, n, (struct perf_subject){NULL, run_library, check_numbers, maker, NULL});
    }
    status = family_measure(family, &what, error);
    if (status == PERF_OK && kind == U32 && !memory) {
        const double plain = family_rate(&what, "plain", 1),
                     rate = plain > 0 ? family_rate(&what, "library", 1) / plain : 0;
        family_goal(family, &what, "u32 in bulk", "library", 1, "x plain", rate, 4, 8);
    }
    free(work.out);
    return status;
}

int family_random_numbers(struct family *family, struct perf_error *error) {
    int status = PERF_OK;
    for (int kind = U32; status == PERF_OK && kind <= F64; kind++)
        for (int memory = 0; status == PERF_OK && memory < 2; memory++)
            status = run_case(family, (enum kind)kind, memory, error);
    return status;
}

int uhi_perf_random(int argc, char **argv, struct perf_error *error) {
    static const family_cases cases[] = {family_random_numbers};
    return family_main(
        argc, argv,
        "Measure uh_random_u32, _u64, _uniform_f32 and _uniform_f64 (Philox4x32-10), to a buffer of 512 KiB\n"
        "and to one of 256 MiB, beside a plain loop and filling the buffer with a byte.",
        cases, 1, error);
}
