/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers in bulk, to a buffer that the second-level cache holds and to memory, compared with a plain loop of
 * Philox4x32-10 and filling the buffer with a byte. */
#include "perf/bench.h"
#include "perf/sample_reference.h"
#include "tests/random_oracle.h"

#define SEED   UINT64_C(0x0123456789abcdef)
#define STREAM UINT64_C(7)

enum { CACHE_BYTES = 1 << 19, MEMORY_BYTES = 1 << 28, CHECKED = 1000, BYTE_VALUES = 256 };

struct work {
    void *out; /* where the library writes: memory of the device */
};

static void make(struct perf_case *what, void *shared) {
    struct work *work = shared;
    what->n = what->n < 4 ? 4 : what->n / 4 * 4;
    work->out = perf_array_there(what, what->n * uh_dtype_size(what->dtype));
    if (what->dtype != UH_U32)
        return;
    float *weights = perf_array(what, BYTE_VALUES * sizeof *weights); /* of the words' highest bytes */
    for (size_t i = 0; i < BYTE_VALUES; i++)
        weights[i] = 1;
    what->shared = (struct perf_peers_case){.k = BYTE_VALUES, .weights = weights};
}

static void run(struct perf_subject *subject) {
    void *out = ((struct work *)subject->work)->out;
    const uh_random_stream from = {UH_PHILOX4X32_10, SEED, STREAM, 0};
    const uh_status status = uh_random(subject->queue, &from, 0, subject->what->dtype, out, subject->n);
    perf_check(status || uh_queue_wait(subject->queue));
}

static void run_plain(struct perf_subject *subject) {
    perf_plain_philox(SEED, STREAM, 0, ((struct work *)subject->work)->out, subject->n);
}

static void write_byte(struct perf_subject *subject) {
    const size_t bytes = subject->n * uh_dtype_size(subject->what->dtype), each = bytes / subject->threads;
    const int threads = (int)subject->threads;
    char *out = ((struct work *)subject->work)->out;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) {
        const size_t from = (size_t)t * each;
        memset(out + from, 0x5a, t + 1 == threads ? bytes - from : each);
    }
}

static void check(struct perf_subject *subject) {
    static const enum uhi_random_kind kinds[] = {
        [UH_U32] = UHI_RANDOM_U32, [UH_U64] = UHI_RANDOM_U64, [UH_F32] = UHI_RANDOM_F32, [UH_F64] = UHI_RANDOM_F64};
    const struct uhi_random_job job = {
        .generator = UH_PHILOX4X32_10, .kind = kinds[subject->what->dtype], .seed = SEED, .stream = STREAM};
    const size_t step = subject->n / CHECKED + 1, size = uh_dtype_size(subject->what->dtype);
    const uint8_t wrong = 0xff;
    char *out = ((struct work *)subject->work)->out, expected[8], found[8];
    for (size_t i = 0; i < subject->n; i += step) {
        random_oracle_store(&job, i, expected);
        perf_check(uh_memcpy(subject->queue, found, out + i * size, size, NULL) || uh_queue_wait(subject->queue));
        if (memcmp(expected, found, size) != 0)
            perf_fail("wrong: number %zu is not that of Random123", i);
    }
    perf_check(uh_fill(subject->queue, out, &wrong, sizeof wrong, subject->n < 64 ? subject->n : 64, NULL) ||
               uh_queue_wait(subject->queue));
}

enum kind { OTHERS, WORDS }; /* of 32 bits, which alone the plain loop makes */

#define PLAIN_ROW .name = "plain", .role = PERF_BASELINE, .host = 1, .threads = 1, .run = run_plain, .check = check

static const struct perf_subject subjects[] = {{.name = "write", .role = PERF_LIMIT, .host = 1, .run = write_byte},
                                               {.name = "library", .run = run, .check = check},
                                               {PLAIN_ROW, .kinds = 1 << WORDS}};

#define CACHE(size)  .shapes = PERF_USUAL_ONLY, .n = CACHE_BYTES / (size)
#define MEMORY(size) .shapes = PERF_USUAL_ONLY, .n = MEMORY_BYTES / (size)

static const struct perf_row rows[] = {
    {"u32/L2", .dtype = UH_U32, .kind = WORDS, CACHE(4), .title = "u32 in bulk",
     PERF_GOALS({PERF_GOAL_SUBJECT, "x plain", "library", "plain", 1, 1, .floor = 4, .goal = 8})},
    {"u32/memory", .dtype = UH_U32, .kind = WORDS, MEMORY(4)},
    {"u64/L2", .dtype = UH_U64, CACHE(8)},
    {"u64/memory", .dtype = UH_U64, MEMORY(8)},
    {"f32/L2", .dtype = UH_F32, CACHE(4)},
    {"f32/memory", .dtype = UH_F32, MEMORY(4)},
    {"f64/L2", .dtype = UH_F64, CACHE(8)},
    {"f64/memory", .dtype = UH_F64, MEMORY(8)}};

const struct perf_operation uhi_perf_random = {
    .name = "random",
    .about =
        "random: uh_random (Philox4x32-10), to a buffer of 512 KiB and to one of 256 MiB, compared with a plain loop\n"
        "and filling the buffer with a byte.",
    .options = "rows",
    PERF_ROWS(rows),
    PERF_SUBJECTS(subjects),
    .baseline = "x plain",
    .on_device = {{"curand", "curand", PERF_BASELINE}},
    .work_size = sizeof(struct work),
    .make = make};
