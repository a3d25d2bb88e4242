/* SPDX-License-Identifier: Apache-2.0 */
/* How often each integer occurs, its length found or given, compared with numpy.bincount and reading the array. */
#include "perf/bench.h"

#include <unihist/bins.h>

enum { FOUND, GIVEN };

struct work {
    void *x;
    const void *there; /* x, where the library reads it */
    uint64_t *expected, *found;
    double *edges;       /* of the unit bins, as peers want them */
    size_t bins, length; /* of `expected`; of the last run */
};

/* The last value is the largest; of one bin all are. */
static void make(struct perf_case *what, void *shared) {
    struct work *work = shared;
    const size_t k = work->bins = what->k, n = what->n, size = uh_dtype_size(what->dtype);
    work->x = perf_array(what, n * size);
    work->expected = perf_array(what, k * sizeof *work->expected);
    work->found = perf_array(what, k * sizeof *work->found);
    work->edges = perf_array(what, (k + 1) * sizeof *work->edges);
    for (size_t i = 0; i < n; i++) {
        uint64_t value = what->shape == PERF_ONE_BIN  ? k - 1
                         : what->shape == PERF_SORTED ? (uint64_t)((double)i / (double)n * (double)k)
                                                      : (uint64_t)perf_random(1, i) * k >> 32;
        value = i + 1 == n ? k - 1 : value;
        memcpy((char *)work->x + i * size, &value, size); /* the lowest bytes come first */
        work->expected[value]++;
    }
    for (size_t j = 0; j <= k; j++)
        work->edges[j] = (double)j;
    work->there = perf_copy_there(what, work->x, n * size);
    what->x = work->x;
    what->x_bytes = n * size;
    what->shared = (struct perf_peers_case){.x = work->x, .k = k, .edges = work->edges, .max = n};
}

/* Counts by a histogram that finds the length. */
static void count_growing(uh_queue *queue, const uh_array *x, struct work *work) {
    uh_histogram_properties known = {.struct_size = sizeof known};
    uh_axis *axis = NULL;
    uh_histogram *histogram = NULL;
    perf_check(uh_axis_create_growing(&axis) || uh_histogram_create(queue, &axis, 1, NULL, &histogram) ||
               uh_histogram_fill(histogram, x, NULL) || uh_histogram_get_properties(histogram, &known));
    work->length = known.cells;
    if (known.cells == work->bins)
        perf_check(uh_histogram_counts(histogram, work->found));
    uh_histogram_destroy(histogram);
    uh_axis_destroy(axis);
}

static void count(struct perf_subject *subject) {
    struct work *work = subject->work;
    const struct perf_case *what = subject->what;
    const uh_array x = uh_array_of(what->dtype, work->there, subject->n);
    if (subject->choice == FOUND)
        count_growing(subject->queue, &x, work);
    else
        perf_check(uh_bincount(subject->queue, &x, work->found, what->k, &work->length));
}

static void check(struct perf_subject *subject) {
    const struct work *work = subject->work;
    const size_t k = subject->what->k;
    if (work->length != k)
        perf_fail("wrong: there are %zu bins, expected %zu", work->length, k);
    perf_same_counts("value", work->found, work->expected, k);
    memset(work->found, 0xff, k * sizeof *work->found);
}

static const struct perf_subject subjects[] = {
    {PERF_LIMIT_ROW, .threads = 1},
    {.name = "found", .choice = FOUND, .run = count, .check = check},
    {.name = "given", .choice = GIVEN, .threads = 1, .run = count, .check = check}};

#define ROW(dtype_, k_) .shapes = PERF_EVERY_SHAPE, .dtype = (dtype_), .n = 1 << 24, .k = (k_)

static const struct perf_row rows[] = {
    {"i32/k:1000", ROW(UH_I32, 1000), .title = "bincount i32 k=1000",
     PERF_GOALS({PERF_GOAL_SUBJECT, "x numpy", "found", "numpy", .other_threads = 1, .floor = 3, .goal = 6},
                {PERF_GOAL_USUAL, "x usual", "found", .floor = 0.5, .goal = 1})},
    {"i64/k:1000", ROW(UH_I64, 1000)},
    {"u8/k:256", ROW(UH_U8, 256)},
    {"i32/k:1000000", ROW(UH_I32, 1000000)}};

const struct perf_operation uhi_perf_bincount = {
    .name = "bincount",
    .about = "bincount: uh_bincount with the length given, and a histogram that finds it, compared with numpy.bincount "
             "(one thread).",
    .options = "rows",
    PERF_ROWS(rows),
    PERF_SUBJECTS(subjects),
    .baseline = "x numpy",
    .peers = {{"numpy_bincount", "numpy", PERF_BASELINE}},
    .on_device = {{"cub_sum", "read", PERF_LIMIT},
                  {"cub_even", "cub_even", PERF_COMPARED},
                  {"cupy_bincount", "cupy", PERF_BASELINE}},
    .work_size = sizeof(struct work),
    .make = make};
