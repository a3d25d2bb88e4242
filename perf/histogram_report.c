/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/histogram_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* The columns that say what was measured. Those of one value only are left out. */
enum column { COLUMN_DATA, COLUMN_BINS, COLUMN_K, COLUMN_H, COLUMN_TYPE, COLUMN_N, COLUMN_METHOD, COLUMN_THREADS };

static const struct {
    const char *title;
    int width;
} columns[] = {[COLUMN_DATA] = {"data", -9},
               [COLUMN_BINS] = {"bins", -11},
               [COLUMN_K] = {"k", 7},
               [COLUMN_H] = {"h", 7},
               [COLUMN_TYPE] = {"type", -4},
               [COLUMN_N] = {"n", 9},
               [COLUMN_METHOD] = {"method", -9},
               [COLUMN_THREADS] = {"thr", 3}};

#define COLUMN_COUNT (sizeof columns / sizeof *columns)

/* 1 where the table of these cases needs the column. */
static int column_shown(enum column column, const struct histogram_case *cases, size_t count) {
    int shown = column != COLUMN_TYPE && column != COLUMN_N && column != COLUMN_THREADS;
    if (column == COLUMN_DATA)
        return cases->measure != HISTOGRAM_PLAN;
    for (size_t i = 0; i < count; i++)
        shown |= (column == COLUMN_TYPE && cases[i].dtype != cases->dtype) || (column == COLUMN_N && cases[i].name_n) ||
                 (column == COLUMN_THREADS && cases[i].threads->count > 1);
    return shown;
}

void histogram_report_head(struct histogram_bench *bench, const struct histogram_case *cases, size_t count) {
    static const char *const baselines[] = {[HISTOGRAM_FILL] = "x binary",
                                            [HISTOGRAM_CALLS] = "x plain",
                                            [HISTOGRAM_PLAN] = "beside looking at each edge and copying it"};
    struct perf_table table = {.baseline = baselines[cases->measure],
                               .of_times = cases->measure == HISTOGRAM_PLAN,
                               .of_calls = cases->measure == HISTOGRAM_CALLS};
    bench->column_count = 0;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (column_shown((enum column)i, cases, count)) {
            table.titles[table.count] = columns[i].title;
            table.widths[table.count++] = i == COLUMN_METHOD && bench->peers ? -PERF_PEER_WIDTH : columns[i].width;
            bench->columns[bench->column_count++] = (int)i;
            table.of_threads |= i == COLUMN_THREADS && cases->measure == HISTOGRAM_FILL;
        }
    perf_report_table(bench->report, &table);
    perf_report_head(bench->report);
}

/* ---- the outcomes ----------------------------------------------------------------------------------------------- */

static int same_case(const struct histogram_case *a, const struct histogram_case *b) {
    return a->measure == b->measure && a->dtype == b->dtype && a->n == b->n && a->data == b->data &&
           a->bins == b->bins && a->k == b->k && !(a->h < b->h || a->h > b->h);
}

const struct histogram_outcome *histogram_outcome_find(const struct histogram_bench *bench,
                                                       const struct histogram_case *what, const char *method,
                                                       uint32_t threads) {
    for (size_t i = bench->outcome_count; i-- > 0;) {
        const struct histogram_outcome *outcome = &bench->outcomes[i];
        if (outcome->threads == threads && strcmp(outcome->method, method) == 0 && same_case(&outcome->what, what))
            return outcome;
    }
    return NULL;
}

static int keep_outcome(struct histogram_bench *bench, const struct histogram_outcome *outcome,
                        struct perf_error *error) {
    if (bench->outcome_count == bench->outcome_room) {
        size_t room = bench->outcome_room ? 2 * bench->outcome_room : 64;
        struct histogram_outcome *grown = realloc(bench->outcomes, room * sizeof *grown);
        if (!grown)
            return perf_fail(error, "out of memory for %zu results", room);
        bench->outcomes = grown;
        bench->outcome_room = room;
    }
    bench->outcomes[bench->outcome_count++] = *outcome;
    return PERF_OK;
}

/* ---- one case --------------------------------------------------------------------------------------------------- */

/* The rate of the rival of a role with as many threads (any number where none has as many); 0: there is none. */
static double rate_of(const struct histogram_rivals *rivals, const struct perf_timing *timings,
                      enum histogram_role role, uint32_t threads) {
    double rate = 0, other = 0;
    for (size_t i = 0; i < rivals->count; i++) {
        const struct histogram_rival *rival = &rivals->list[i];
        if (rival->role == role && rival->threads == threads)
            rate = (double)rival->n / timings[i].median;
        else if (rival->role == role)
            other = (double)rival->n / timings[i].median;
    }
    return rate > 0 ? rate : other;
}

/* The same method's rate with one thread, where several numbers of threads were measured. */
static double rate_of_one(const struct histogram_rivals *rivals, const struct perf_timing *timings,
                          const struct histogram_rival *rival) {
    if (rival->what->threads->count > 1)
        for (size_t i = 0; i < rivals->count; i++)
            if (rivals->list[i].threads == 1 && strcmp(rivals->list[i].method, rival->method) == 0)
                return (double)rivals->list[i].n / timings[i].median;
    return 0;
}

static int report_rival(struct histogram_bench *bench, const struct histogram_rivals *rivals, size_t index,
                        const struct perf_timing *timings, struct perf_error *error) {
    const struct histogram_rival *rival = &rivals->list[index];
    const struct histogram_case *what = rival->what;
    const struct perf_timing *timing = &timings[index];
    const double calls = (double)what->calls, rate = (double)rival->n / timing->median;
    const double limit = rate_of(rivals, timings, HISTOGRAM_LIMIT, rival->threads);
    const double baseline = rate_of(rivals, timings, HISTOGRAM_BASELINE, rival->threads);
    const int plan = what->measure == HISTOGRAM_PLAN;
    struct histogram_outcome outcome = {.what = *what,
                                        .threads = rival->threads,
                                        .seconds = timing->median / calls,
                                        .rate = rate * calls,
                                        .limit = limit > 0 ? rate / limit : 0,
                                        .baseline = baseline > 0 ? rate / baseline : 0};
    const double one = rate_of_one(rivals, timings, rival);
    char k[32], h[32] = "-", n[32], threads[32];
    snprintf(k, sizeof k, "%zu", what->k);
    if (case_bins_have_h(what->bins))
        snprintf(h, sizeof h, "%g", what->h);
    snprintf(n, sizeof n, "%zu", what->n);
    snprintf(threads, sizeof threads, "%" PRIu32, rival->threads);
    snprintf(outcome.method, sizeof outcome.method, "%s", rival->method);
    outcome.one_thread = one > 0 ? rate / one : 0;
    const char *labels[COLUMN_COUNT] = {case_data_name(what->data),
                                        case_bins_name(what->bins),
                                        k,
                                        h,
                                        perf_histogram_dtype_name(what->dtype),
                                        n,
                                        rival->title ? rival->title : rival->method,
                                        threads};
    struct perf_result result = {.note = *rival->note ? rival->note : NULL,
                                 .threads = rival->threads,
                                 .items = plan ? 1 : (double)rival->n,
                                 .bytes = plan ? (double)((what->k + 1) * sizeof(double))
                                               : (double)(rival->n * uh_dtype_size(what->dtype)),
                                 .timing = *timing,
                                 .prepare = rival->prepare,
                                 .limit = outcome.limit,
                                 .baseline = plan ? 0 : outcome.baseline,
                                 .one_thread = outcome.one_thread};
    result.timing.best /= calls;
    result.timing.median /= calls;
    result.timing.cpu /= calls;
    if (plan && rival->role != HISTOGRAM_BASELINE) {
        result.times = 1 / outcome.baseline;
        result.more = timing->median * (1 - outcome.baseline);
    }
    for (size_t i = 0; i < bench->column_count; i++)
        result.labels[i] = labels[bench->columns[i]];
    histogram_case_name(what, rival->method, rival->threads, result.name, sizeof result.name);
    int status = perf_report_add(bench->report, &result, error);
    return status == PERF_OK ? keep_outcome(bench, &outcome, error) : status;
}

int histogram_report_case(struct histogram_bench *bench, const struct histogram_rivals *rivals,
                          const struct perf_timing *timings, struct perf_error *error) {
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && i < rivals->count; i++)
        status = report_rival(bench, rivals, i, timings, error);
    return status;
}
