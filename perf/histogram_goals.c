/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/histogram_goals.h"

#include "perf/histogram_report.h"

#include <stdio.h>
#include <string.h>

/* The binary search is so slow that a part of the array does. */
#define SEARCH_MAX ((size_t)4 << 20)

#define H 0.01

enum {
    WORST = 1 << CASE_WORST,
    RANDOM = 1 << CASE_RANDOM,
    ALMOST = 1 << CASE_ALMOST,
    DECADES = 1 << CASE_DECADES,
    EQUAL = 1 << CASE_EQUAL,
    PAPER = WORST | RANDOM | ALMOST
};

/* What the numbers of a row are multiples of. */
enum beside {
    SEARCH,     /* binary search; and `fraction` of the limit */
    UNIFORM,    /* the same case with uniform data */
    ONE_THREAD, /* the case is one of another row */
    AVX512,     /* this process's level of x86-64, by another process at v3; the cases are those of other rows */
    PLAIN,      /* the plain loop */
    MICROSECONDS
};

struct row {
    const char *name;
    enum beside beside;
    unsigned bins;
    size_t k[3];
    double h, floor, goal;
    double fraction; /* goal: of the limit, 0: none */
    enum case_data data;
    uh_dtype dtype;
    int cache;   /* not 0: an array that the last-level cache holds */
    int threads; /* not 0: random bins by two threads too */
};

/* In an order that keeps the array as long as it can be. */
static const struct row rows[] = {
    {"k=100", SEARCH, PAPER, {100}, H, .floor = 6, .goal = 11, .fraction = 0.5, .threads = 1},
    {"k=1000", SEARCH, PAPER, {1000}, H, .floor = 9, .goal = 16, .fraction = 0.5, .threads = 1},
    {"k=10, 64, 255", SEARCH, PAPER, {10, 64, 255}, H, .floor = 5, .goal = 10, .fraction = 0.6},
    {"k=65,536", SEARCH, RANDOM, {65536}, 0.001, .floor = 5, .goal = 9},
    {"k=1,000,000", SEARCH, RANDOM, {1000000}, 0.0001, .floor = 3, .goal = 6},
    {"data sorted", UNIFORM, RANDOM, {100, 1000}, H, .floor = 0.5, .goal = 1, .data = CASE_SORTED},
    {"all data in one bin", UNIFORM, RANDOM, {100, 1000}, H, .floor = 0.5, .goal = 1, .data = CASE_ONEBIN},
    {"data in the narrowest bins", SEARCH, WORST | RANDOM, {1000}, H, .floor = 5, .goal = 10, .data = CASE_NARROW},
    {"60 decades, log-normal data", SEARCH, DECADES, {1000}, 0, .floor = 5, .goal = 10, .data = CASE_LOGNORMAL},
    {"k=100, in cache", SEARCH, PAPER, {100}, H, .floor = 6, .goal = 11, .fraction = 0.5, .cache = 1},
    {"k=1000, in cache", SEARCH, PAPER, {1000}, H, .floor = 9, .goal = 16, .fraction = 0.5, .cache = 1},
    {"f64, k=1000", SEARCH, PAPER, {1000}, H, .floor = 7, .goal = 12, .fraction = 0.5, .dtype = UH_F64},
    {"i32, k=1000 equal", SEARCH, EQUAL, {1000}, 0, .fraction = 0.5, .dtype = UH_I32},
    {"u8, 256 integer bins", SEARCH, EQUAL, {256}, 0, .fraction = 0.5, .dtype = UH_U8},
    {"small calls", PLAIN, RANDOM, {100, 1000}, H, .floor = 1, .goal = 2},
    {"making the plan, k=1000", MICROSECONDS, PAPER | DECADES, {1000}, 0.0001, .goal = 20},
    {"making the plan, k=1,000,000", MICROSECONDS, PAPER | DECADES, {1000000}, 0.0001, .goal = 40000},
    {"2 threads against 1", ONE_THREAD, RANDOM, {100, 1000}, H, .floor = 1.7, .goal = 1.95},
    {"AVX2 against AVX-512", AVX512, PAPER, {100, 1000}, H, .floor = 0.4, .goal = 0.6},
};

#define ROW_COUNT (sizeof rows / sizeof *rows)

static const struct perf_numbers one_thread = {1, {1}}, two_threads = {2, {1, 2}};
static const size_t call_lengths[] = {100, 1000, 10000};

/* ---- the cases -------------------------------------------------------------------------------------------------- */

static int has_two_cpus(const struct histogram_bench *bench) {
    return bench->cpus.count >= 2;
}

/* Elements of the large array, or of the one in the cache: no more than a sixteenth of the large one. */
static size_t array_length(const struct histogram_bench *bench, uh_dtype dtype, int cache) {
    size_t large = histogram_case_length(bench->settings.n.value[0], dtype, &bench->machine);
    size_t small = histogram_case_length(HISTOGRAM_N_CACHE, dtype, &bench->machine);
    if (!cache)
        return large;
    small = small < large / 16 ? small : large / 16;
    return small ? small : 1;
}

/* Makes case number `index` of a row. Returns 0 where the row has no more. */
static int row_case(const struct histogram_bench *bench, const struct row *row, size_t index,
                    struct histogram_case *what) {
    const size_t lengths = row->beside == PLAIN ? sizeof call_lengths / sizeof *call_lengths : 1;
    size_t number = 0;
    for (size_t k = 0; k < sizeof row->k / sizeof *row->k && row->k[k]; k++)
        for (int bins = 0; bins < CASE_BINS_COUNT; bins++)
            for (size_t length = 0; row->bins >> bins & 1 && length < lengths; length++) {
                if (number++ != index)
                    continue;
                *what = (struct histogram_case){.dtype = row->dtype,
                                                .n = array_length(bench, row->dtype, row->cache),
                                                .data = row->data,
                                                .bins = (enum case_bins)bins,
                                                .k = row->k[k],
                                                .calls = 1,
                                                .search = SEARCH_MAX,
                                                .name_n = 1,
                                                .threads = &one_thread};
                what->h = case_bins_have_h(what->bins) ? row->h : 0;
                if (row->threads && bins == CASE_RANDOM && has_two_cpus(bench))
                    what->threads = &two_threads;
                if (row->beside == PLAIN) {
                    what->measure = HISTOGRAM_CALLS;
                    what->n = call_lengths[length];
                    what->calls = histogram_case_calls(what->n);
                    what->search = 0;
                } else if (row->beside == MICROSECONDS) {
                    what->measure = HISTOGRAM_PLAN;
                    what->n = 10000;
                    what->search = 0;
                    what->name_n = 0;
                }
                return 1;
            }
    return 0;
}

int histogram_goals_list(struct histogram_bench *bench, struct perf_error *error) {
    struct histogram_case what;
    int status = PERF_OK;
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].beside != ONE_THREAD && rows[i].beside != AVX512)
            for (size_t j = 0; status == PERF_OK && row_case(bench, &rows[i], j, &what); j++)
                status = histogram_cases_add(&bench->cases, &what, error);
    return status;
}

/* ---- the goals -------------------------------------------------------------------------------------------------- */

/* Counts of floors and of goals: met, missed. */
struct verdicts {
    unsigned floors[2], goals[2];
};

static int report_goal(struct histogram_bench *bench, const struct row *row, const struct histogram_outcome *outcome,
                       const char *unit, double value, double floor, double goal, struct verdicts *verdicts,
                       struct perf_error *error) {
    char name[PERF_NAME_MAX];
    struct perf_goal result = {.row = row->name,
                               .name = name,
                               .unit = unit,
                               .rate = outcome->what.measure == HISTOGRAM_PLAN ? 0 : outcome->rate,
                               .value = value,
                               .floor = floor,
                               .goal = goal,
                               .at_most = outcome->what.measure == HISTOGRAM_PLAN};
    histogram_case_name(&outcome->what, outcome->method, outcome->threads, name, sizeof name);
    return perf_report_goal(bench->report, &result, verdicts->floors, verdicts->goals, error);
}

static int skip(struct histogram_bench *bench, const struct row *row, const char *why, struct perf_error *error) {
    char key[64];
    snprintf(key, sizeof key, "skipped: %s", row->name);
    return perf_report_fact(bench->report, key, why, error);
}

/* The rate of the other process as a part of this one's. */
static int report_other(struct histogram_bench *bench, const struct row *row, struct histogram_case what,
                        const struct histogram_outcome *outcome, const struct histogram_other *other,
                        struct verdicts *verdicts, struct perf_error *error) {
    struct histogram_outcome theirs = *outcome;
    char name[PERF_NAME_MAX];
    what.name_n = 0;
    histogram_case_name(&what, "auto", 1, name, sizeof name);
    for (size_t i = 0; i < other->count; i++)
        if (strcmp(other->result[i].name, name) == 0) {
            theirs.rate = other->result[i].rate;
            return report_goal(bench, row, &theirs, "x v4", theirs.rate / outcome->rate, row->floor, row->goal,
                               verdicts, error);
        }
    return perf_fail(error, "the process with UNIHIST_ISA=v3 did not measure %s", name);
}

/* One case of a row. */
static int report_case(struct histogram_bench *bench, const struct row *row, const struct histogram_case *what,
                       const struct histogram_other *other, struct verdicts *verdicts, struct perf_error *error) {
    const struct histogram_outcome *outcome = histogram_outcome_find(bench, what, "auto", 1), *beside;
    struct histogram_case uniform = *what;
    int status = PERF_OK;
    if (!outcome)
        return perf_fail(error, "%s: not measured", row->name);
    switch (row->beside) {
    case SEARCH:
        status =
            report_goal(bench, row, outcome, "x search", outcome->baseline, row->floor, row->goal, verdicts, error);
        if (status == PERF_OK)
            status = report_goal(bench, row, outcome, "of limit", outcome->limit, 0, row->fraction, verdicts, error);
        return status;
    case UNIFORM:
        uniform.data = CASE_UNIFORM;
        beside = histogram_outcome_find(bench, &uniform, "auto", 1);
        if (!beside)
            return perf_fail(error, "%s: the same case with uniform data was not measured", row->name);
        return report_goal(bench, row, outcome, "x uniform", outcome->rate / beside->rate, row->floor, row->goal,
                           verdicts, error);
    case ONE_THREAD:
        outcome = histogram_outcome_find(bench, what, "auto", 2);
        if (!outcome)
            return perf_fail(error, "%s: not measured", row->name);
        return report_goal(bench, row, outcome, "x 1 thr", outcome->one_thread, row->floor, row->goal, verdicts, error);
    case AVX512: return report_other(bench, row, *what, outcome, other, verdicts, error);
    case PLAIN:
        return report_goal(bench, row, outcome, "x plain", outcome->baseline, row->floor, row->goal, verdicts, error);
    case MICROSECONDS:
        return report_goal(bench, row, outcome, "us", 1e6 * outcome->seconds, 0, row->goal, verdicts, error);
    }
    return status;
}

static int report_row(struct histogram_bench *bench, const struct row *row, const struct histogram_other *other,
                      struct verdicts *verdicts, struct perf_error *error) {
    struct histogram_case what;
    int status = PERF_OK;
    if (row->beside == ONE_THREAD && !has_two_cpus(bench))
        return skip(bench, row, "this process may use one CPU only", error);
    if (row->beside == AVX512 && other->count == 0)
        return skip(bench, row, "the library does not use AVX-512 here", error);
    for (size_t j = 0; status == PERF_OK && row_case(bench, row, j, &what); j++)
        status = report_case(bench, row, &what, other, verdicts, error);
    return status;
}

int histogram_goals_report(struct histogram_bench *bench, unsigned *missed, struct perf_error *error) {
    struct histogram_other other = {.count = 0};
    struct verdicts verdicts = {{0}, {0}};
    char text[128];
    int status = PERF_OK;
    if (strcmp(bench->machine.isa, "v4") == 0) {
        perf_report_progress("the same with UNIHIST_ISA=v3, in another process");
        status = histogram_other_run(bench, "v3", array_length(bench, UH_F32, 0), H, &other, error);
        perf_report_progress(NULL);
    }
    if (status == PERF_OK)
        perf_report_goals_head();
    for (size_t i = 0; status == PERF_OK && i < ROW_COUNT; i++)
        status = report_row(bench, &rows[i], &other, &verdicts, error);
    *missed = verdicts.floors[1];
    snprintf(text, sizeof text, "%u met, %u missed", verdicts.floors[0], verdicts.floors[1]);
    if (status == PERF_OK)
        status = perf_report_fact(bench->report, "floors", text, error);
    snprintf(text, sizeof text, "%u met, %u missed", verdicts.goals[0], verdicts.goals[1]);
    return status == PERF_OK ? perf_report_fact(bench->report, "goals", text, error) : status;
}
