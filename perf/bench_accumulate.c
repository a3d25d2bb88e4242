/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of float32 weights in bins of random widths, compared with reading values and weights. */
#include "perf/bench.h"
#include "tests/cases_histogram.h"
#include "tests/oracle.h"

/* Weights are 24 random bits times 2^-24, or times 2^-24 to 2^-84. */
enum { ONE_SCALE, MANY_SCALES, EXPONENTS = 61, LOWEST = -84 };

struct work {
    size_t k;
    float *x, *w;       /* w after x in one array */
    const float *there; /* where the library reads that */
    double *edges, *expected, *found;
};

/* Sums as integers of 128 bits, rounded once. All values lie in bins. */
static void sum_up(const struct work *work, size_t n) {
    __extension__ typedef unsigned __int128 wide;
    wide *sums = perf_memory(work->k, sizeof *sums);
    for (size_t i = 0; i < n; i++)
        sums[oracle_slot_f64(work->edges, work->k, (double)work->x[i]) - 1] += (wide)ldexp((double)work->w[i], -LOWEST);
    for (size_t j = 0; j < work->k; j++)
        work->expected[j] = ldexp((double)sums[j], LOWEST);
    free(sums);
}

static void make(struct perf_case *what, void *shared) {
    static const enum case_data shapes[PERF_SHAPES] = {CASE_UNIFORM, CASE_ONEBIN, CASE_SORTED};
    struct work *work = shared;
    const size_t n = what->n, k = what->k;
    work->k = k;
    what->bytes = 2 * sizeof(float);
    work->x = perf_array(what, 2 * n * sizeof *work->x);
    work->edges = perf_array(what, 3 * (k + 1) * sizeof *work->edges);
    work->w = work->x + n;
    work->expected = work->edges + k + 1;
    work->found = work->expected + k;
    what->x = work->x;
    what->x_bytes = 2 * n * sizeof *work->x;
    if (case_edges(CASE_RANDOM, k, 1000, 0.01, 1, work->edges) ||
        case_fill(UH_F32, shapes[what->shape], k, work->edges, 1, work->x, n))
        perf_fail("out of memory for %zu bins", k);
    for (size_t i = 0; i < n; i++) {
        const uint32_t random = perf_random(2, i), exponent = perf_random(3, i) % EXPONENTS;
        work->w[i] = ldexpf((float)((random >> 8) + 1), -24 - (what->row->kind == MANY_SCALES ? (int)exponent : 0));
    }
    work->there = perf_copy_there(what, work->x, 2 * n * sizeof *work->x);
    sum_up(work, n);
    what->shared = (struct perf_peers_case){.x = work->x, .k = k, .edges = work->edges}; /* weights of their own */
}

static void start(struct perf_subject *subject) {
    const struct work *work = subject->work;
    const uh_histogram_options options = {
        .struct_size = sizeof options, .storage = UH_STORAGE_SUM, .sum = (uh_sum)subject->choice};
    perf_histogram_start(subject, (const double *const[]){work->edges}, work->k, 1, &options);
}

static void fill(struct perf_subject *subject) {
    const struct work *work = subject->work;
    const uh_array x = uh_array_of(UH_F32, work->there, subject->n),
                   w = uh_array_of(UH_F32, work->there + subject->what->n, subject->n);
    perf_check(uh_histogram_fill(subject->state, &x, &w) || uh_queue_wait(subject->queue));
}

static void check(struct perf_subject *subject) {
    const struct work *work = subject->work;
    const double tolerance = subject->choice == UH_SUM_FAST ? 1e-6 : 0;
    perf_check(uh_histogram_sums(subject->state, UH_F64, work->found, NULL));
    for (size_t j = 0; j < work->k; j++)
        if (fabs(work->found[j] - work->expected[j]) > tolerance * work->expected[j])
            perf_fail("wrong: the sum of bin %zu is %.17g, expected %.17g", j, work->found[j], work->expected[j]);
}

#define SUM_ROW(sum)                                                                                                   \
    .choice = (sum), .start = start, .before = perf_histogram_reset, .run = fill, .check = check,                      \
    .end = perf_histogram_end

static const struct perf_subject subjects[] = {
    {PERF_LIMIT_ROW}, {SUM_ROW(UH_SUM_EXACT), .name = "exact"}, {SUM_ROW(UH_SUM_FAST), .name = "fast", .threads = 1}};

static const struct perf_goal goals[] = {
    {PERF_GOAL_SUBJECT, "x limit", "exact", "limit", .floor = 0.3, .goal = 0.45},
    {PERF_GOAL_SUBJECT, "x 1 thr", "exact", "exact", 2, 1, .floor = 1.8, .goal = 1.95},
    {PERF_GOAL_USUAL, "x usual", "exact", .floor = 0.5, .goal = 1},
    {.unit = NULL}};

#define USUAL_ROW                                                                                                      \
    .shapes = PERF_EVERY_SHAPE, .dtype = UH_F32, .n = 1 << 24, .k = 1000, .title = "weighted k=1000 f32", .goals = goals

static const struct perf_row rows[] = {{"k:1000/f32", .kind = ONE_SCALE, USUAL_ROW},
                                       {"k:1000/f32/wide", .kind = MANY_SCALES, USUAL_ROW}};

const struct perf_operation uhi_perf_accumulate = {
    .name = "accumulate",
    .about =
        "accumulate: sums of float32 weights in 1000 bins of random widths, exact and fast, compared with reading\n"
        "values and weights: weights of one scale, and of 60 powers of two.",
    .options = "rows",
    PERF_ROWS(rows),
    PERF_SUBJECTS(subjects),
    .on_device = {{"cupy_weights", "cupy", PERF_BASELINE}},
    .work_size = sizeof(struct work),
    .make = make};
