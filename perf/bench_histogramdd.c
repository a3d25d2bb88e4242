/* SPDX-License-Identifier: Apache-2.0 */
/* 100 by 100 bins of random widths, compared with the library's own histogram of 100 bins. */
#include "perf/bench.h"
#include "tests/cases_histogram.h"
#include "tests/oracle.h"

enum { BINS = 100, CELLS = BINS * BINS };
enum { LINE, PLANE };

struct work {
    double edges[2][BINS + 1];
    float *x[2];        /* one after the other in one array */
    const float *there; /* where the library reads that */
    uint64_t expected[CELLS], expected_1d[BINS], found[CELLS];
};

/* All points lie in cells. */
static void make(struct perf_case *what, void *shared) {
    static const enum case_data shapes[PERF_SHAPES] = {CASE_UNIFORM, CASE_ONEBIN, CASE_SORTED};
    struct work *work = shared;
    *work = (struct work){.x = {perf_array(what, 2 * what->n * sizeof(float))}};
    what->bytes = 2 * sizeof(float);
    work->x[1] = work->x[0] + what->n;
    for (uint64_t axis = 0; axis < 2; axis++)
        if (case_edges(CASE_RANDOM, BINS, 1000, 0.01, axis + 1, work->edges[axis]) ||
            case_fill(UH_F32, shapes[what->shape], BINS, work->edges[axis], axis + 1, work->x[axis], what->n))
            perf_fail("out of memory for %d bins", BINS);
    for (size_t i = 0; i < what->n; i++) {
        const size_t first = oracle_slot_f64(work->edges[0], BINS, (double)work->x[0][i]) - 1;
        work->expected[first * BINS + oracle_slot_f64(work->edges[1], BINS, (double)work->x[1][i]) - 1]++;
        work->expected_1d[first]++;
    }
    work->there = perf_copy_there(what, work->x[0], 2 * what->n * sizeof(float));
}

static void start(struct perf_subject *subject) {
    const struct work *work = subject->work;
    const double *const edges[] = {work->edges[0], work->edges[1]};
    perf_histogram_start(subject, edges, BINS, subject->choice == PLANE ? 2 : 1, NULL);
}

static void fill(struct perf_subject *subject) {
    const struct work *work = subject->work;
    const uh_array x[] = {uh_array_of(UH_F32, work->there, subject->n),
                          uh_array_of(UH_F32, work->there + subject->what->n, subject->n)};
    perf_check(uh_histogram_fill(subject->state, x, NULL) || uh_queue_wait(subject->queue));
}

static void check(struct perf_subject *subject) {
    struct work *work = subject->work;
    const int plane = subject->choice == PLANE;
    perf_check(uh_histogram_counts(subject->state, work->found));
    perf_same_counts("cell", work->found, plane ? work->expected : work->expected_1d, plane ? CELLS : BINS);
}

#define ROW(choice_)                                                                                                   \
    .choice = (choice_), .start = start, .before = perf_histogram_reset, .run = fill, .check = check,                  \
    .end = perf_histogram_end

static const struct perf_subject subjects[] = {{ROW(LINE), .name = "1-D", .role = PERF_BASELINE},
                                               {ROW(PLANE), .name = "2-D"}};

static const struct perf_row rows[] = {
    {"100x100/f32", .shapes = PERF_EVERY_SHAPE, .dtype = UH_F32, .n = 1 << 24, .k = CELLS, .title = "2-D 100x100 f32",
     PERF_GOALS({PERF_GOAL_SUBJECT, "x 1-D", "2-D", "1-D", .floor = 0.35, .goal = 0.6},
                {PERF_GOAL_USUAL, "x usual", "2-D", .floor = 0.5, .goal = 1})}};

const struct perf_operation uhi_perf_histogramdd = {
    .name = "histogramdd",
    .about =
        "histogramdd: histograms of two float32 coordinates in 100 by 100 bins of random widths, compared with the\n"
        "library's own histogram of one of them.",
    .options = "rows",
    PERF_ROWS(rows),
    PERF_SUBJECTS(subjects),
    .baseline = "x 1-D",
    .work_size = sizeof(struct work),
    .make = make};
