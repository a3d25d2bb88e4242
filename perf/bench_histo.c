/* SPDX-License-Identifier: Apache-2.0 */
/* One iteration of the Parboil histogram on as many indices as its data set has, compared with a serial count and a
 * clamp. */
#include <unihist/bins.h>

#include "perf/bench.h"
#include "perf/loops.h"

#include "tests/cases_histo.h"

/* Parboil's width and number of samples; it has 4096 rows, SPEC ACCEL's 116.histo 8192. */
enum { WIDTH = CASE_PARBOIL_WIDTH, SAMPLES = CASE_PARBOIL_N, SPEC_HEIGHT = 8192 };

struct work {
    size_t bins;
    uint32_t *indices, *table;
    const uint32_t *there; /* the indices, where the library reads them */
    uint8_t *expected, *found;
};

static void make(struct perf_case *what, void *shared) {
    struct work *work = shared;
    const enum case_wafer wafer = (enum case_wafer)what->row->kind;
    const size_t bins = what->k, height = bins / WIDTH;
    work->bins = bins;
    work->indices = perf_array(what, what->n * sizeof *work->indices);
    work->table = perf_array(what, bins * sizeof *work->table);
    work->expected = perf_array(what, bins);
    work->found = perf_array(what, bins);
    if (wafer != CASE_WAFER_EYE || height != CASE_PARBOIL_HEIGHT || what->n != SAMPLES ||
        !case_parboil_read(getenv("UNIHIST_TEST_DATA"), work->indices))
        case_wafer_make(wafer, WIDTH, height, work->indices, what->n);
    if (what->shape == PERF_SORTED)
        qsort(work->indices, what->n, sizeof *work->indices, case_wafer_compare);
    (void)case_wafer_count(work->indices, what->n, bins, work->table, work->expected);
    work->there = perf_copy_there(what, work->indices, what->n * sizeof *work->indices);
}

static void count_plainly(struct perf_subject *subject) {
    const struct work *work = subject->work;
    perf_loops(subject->what->bench->machine.isa)
        ->saturate(work->indices, subject->n, work->table, work->bins, work->found);
}

static void check(struct perf_subject *subject) {
    const struct work *work = subject->work;
    for (size_t bin = 0; bin < work->bins; bin++)
        if (work->found[bin] != work->expected[bin])
            perf_fail("wrong: bin %zu is %u, expected %u", bin, (unsigned)work->found[bin],
                      (unsigned)work->expected[bin]);
    memset(work->found, 0xff, work->bins);
}

static void count_with(struct perf_subject *subject, uh_histo_report *report) {
    const struct work *work = subject->work;
    const uh_array indices = uh_array_of(UH_U32, work->there, subject->n);
    const uh_histo_options options = {.struct_size = sizeof options, .width = WIDTH, .height = work->bins / WIDTH};
    perf_check(uh_histo(subject->queue, &indices, &options, work->found, report));
}

/* Without a report, for which the host would wait after each phase. */
static void count(struct perf_subject *subject) { count_with(subject, NULL); }

/* One more call tells its plan; the command "unihist histo" has the times of its phases, for which the host waits. */
static void check_and_note(struct perf_subject *subject) {
    uh_histo_report report = {.struct_size = sizeof report};
    check(subject);
    if (*subject->note)
        return;
    count_with(subject, &report);
    snprintf(subject->note, sizeof subject->note, "%s", report.plan);
    check(subject);
}

static const struct perf_subject subjects[] = {
    {.name = "serial", .role = PERF_BASELINE, .host = 1, .threads = 1, .run = count_plainly, .check = check},
    {.name = "eye", .run = count, .check = check_and_note}};

static const struct perf_goal goals[] = {{PERF_GOAL_SUBJECT, "x serial", "eye", "serial", 1, 1, .floor = 2, .goal = 3},
                                         {PERF_GOAL_SUBJECT, "x serial", "eye", "serial", 2, 1, .floor = 2, .goal = 5},
                                         {PERF_GOAL_USUAL, "x usual", "eye", .floor = 0.5, .goal = 1},
                                         {.unit = NULL}};

#define SIZED(wafer, height, shapes_)                                                                                  \
    .kind = (wafer), .shapes = (shapes_), .dtype = UH_U32, .n = SAMPLES, .k = (size_t)WIDTH * (height)
#define ROW(wafer, shapes_) SIZED(wafer, CASE_PARBOIL_HEIGHT, shapes_)
#define GOALS               .title = "Parboil, one iteration", .goals = goals

static const struct perf_row rows[] = {
    {"256x4096/eye", ROW(CASE_WAFER_EYE, 1 << PERF_USUAL | 1 << PERF_SORTED), GOALS},
    {"256x4096/one", ROW(CASE_WAFER_ONE, 1 << PERF_ONE_BIN), GOALS, .usual = "256x4096/eye"},
    {"256x4096/corner", ROW(CASE_WAFER_CORNER, PERF_USUAL_ONLY)},
    {"256x4096/two", ROW(CASE_WAFER_TWO, PERF_USUAL_ONLY)},
    {"256x4096/uniform", ROW(CASE_WAFER_UNIFORM, PERF_USUAL_ONLY), .title = "Parboil, evenly spread indices",
     PERF_GOALS({PERF_GOAL_SUBJECT, "x serial", "eye", "serial", 1, 1, .floor = 1, .goal = 1.3})},
    {"256x8192/eye", SIZED(CASE_WAFER_EYE, SPEC_HEIGHT, PERF_USUAL_ONLY)},
    {"256x8192/uniform", SIZED(CASE_WAFER_UNIFORM, SPEC_HEIGHT, PERF_USUAL_ONLY)}};

const struct perf_operation uhi_perf_histo = {
    .name = "histo",
    .about =
        "histo: one iteration of the Parboil histogram compared with a serial count in 32 bits followed by a clamp,\n"
        "on the picture of its data set if UNIHIST_TEST_DATA names its folder, otherwise on indices that\n"
        "lie as those do; 256 x 4096 bins, and SPEC ACCEL's 256 x 8192.",
    .options = "rows",
    PERF_ROWS(rows),
    PERF_SUBJECTS(subjects),
    .baseline = "x serial",
    .work_size = sizeof(struct work),
    .make = make};
