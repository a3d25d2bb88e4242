/* SPDX-License-Identifier: Apache-2.0 */
/* One iteration of the Parboil histogram on as many indices as its data set has, beside a serial count and a clamp. */
#include "perf/bench.h"
#include "perf/loops.h"

#include "tests/cases_histo.h"

#include <stdlib.h>
#include <string.h>

/* Parboil's table and number of samples. */
enum { WIDTH = CASE_PARBOIL_WIDTH, HEIGHT = CASE_PARBOIL_HEIGHT, SAMPLES = CASE_PARBOIL_N };
#define BINS ((size_t)WIDTH * HEIGHT)

struct work {
    uint32_t *indices, *table;
    uint8_t *expected, *found;
};

static int compare(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int make(struct perf_case *what, void *shared, struct perf_error *error) {
    struct work *work = shared;
    const enum case_wafer wafer = (enum case_wafer)what->row->kind;
    if (!(work->indices = perf_array(what, what->n * sizeof *work->indices, error)) ||
        !(work->table = perf_array(what, BINS * sizeof *work->table, error)) ||
        !(work->expected = perf_array(what, BINS, error)) || !(work->found = perf_array(what, BINS, error)))
        return PERF_FAILURE;
    if (wafer != CASE_WAFER_EYE || what->n != SAMPLES || !case_parboil_read(getenv("UNIHIST_TEST_DATA"), work->indices))
        case_wafer_make(wafer, WIDTH, HEIGHT, work->indices, what->n);
    if (what->shape == PERF_SORTED)
        qsort(work->indices, what->n, sizeof *work->indices, compare);
    (void)case_wafer_count(work->indices, what->n, BINS, work->table, work->expected);
    return PERF_OK;
}

static int count(struct perf_subject *subject, struct perf_error *error) {
    const struct work *work = subject->work;
    const uh_array indices = uh_array_of(UH_U32, work->indices, subject->n);
    return uh_histo(subject->queue, &indices, WIDTH, HEIGHT, NULL, work->found, NULL) ? perf_library_failed(error)
                                                                                      : PERF_OK;
}

static int count_plainly(struct perf_subject *subject, struct perf_error *error) {
    const struct work *work = subject->work;
    (void)error;
    perf_loops(subject->what->bench->machine.isa)->saturate(work->indices, subject->n, work->table, BINS, work->found);
    return PERF_OK;
}

static int check(struct perf_subject *subject, struct perf_error *error) {
    const struct work *work = subject->work;
    for (size_t bin = 0; bin < BINS; bin++)
        if (work->found[bin] != work->expected[bin])
            return perf_fail(error, "wrong: bin %zu is %u, expected %u", bin, (unsigned)work->found[bin],
                             (unsigned)work->expected[bin]);
    memset(work->found, 0xff, BINS);
    return PERF_OK;
}

static const struct perf_subject subjects[] = {
    {.name = "serial", .role = PERF_BASELINE, .threads = 1, .run = count_plainly, .check = check},
    {.name = "eye", .threads = 1, .run = count, .check = check},
    {.name = "eye", .threads = 2, .run = count, .check = check}};

static const struct perf_goal goals[] = {
    {PERF_BESIDE, "x serial", "eye", "serial", .beside_threads = 1, .floor = 2, .goal = 5},
    {PERF_BESIDE_USUAL, "x usual", "eye", .floor = 0.5, .goal = 1},
    {.unit = NULL}};

#define ROW(wafer, shapes_) .kind = (wafer), .shapes = (shapes_), .dtype = UH_U32, .n = SAMPLES, .k = BINS
#define GOALS               .title = "Parboil, one iteration", .goals = goals

static const struct perf_row rows[] = {
    {"256x4096/eye", ROW(CASE_WAFER_EYE, 1 << PERF_USUAL | 1 << PERF_SORTED), GOALS},
    {"256x4096/one", ROW(CASE_WAFER_ONE, 1 << PERF_ONE_BIN), GOALS, .usual = "256x4096/eye"},
    {"256x4096/corner", ROW(CASE_WAFER_CORNER, PERF_USUAL_ONLY)},
    {"256x4096/two", ROW(CASE_WAFER_TWO, PERF_USUAL_ONLY)},
    {"256x4096/uniform", ROW(CASE_WAFER_UNIFORM, PERF_USUAL_ONLY)}};

const struct perf_operation uhi_perf_histo = {
    .name = "histo",
    .about = "histo: one iteration of the Parboil histogram beside a serial count in 32 bits followed by a clamp, on\n"
             "the picture of its data set where UNIHIST_TEST_DATA tells the folder that has it, else on indices that\n"
             "lie as those do.",
    .of = PERF_OF_ROWS,
    PERF_ROWS(rows),
    PERF_SUBJECTS(subjects),
    .baseline = "x serial",
    .work_size = sizeof(struct work),
    .make = make};
