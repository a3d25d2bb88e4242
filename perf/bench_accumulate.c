/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf accumulate: what bins keep of float32 weights, over one axis of 1,000 non-uniform bins, beside the
 * reading of values and weights in the same rounds; uniform data, all in one bin, and sorted. */
#include "perf/bench.h"
#include "perf/harness.h"
#include "perf/limit.h"
#include "perf/options.h"
#include "perf/report.h"
#include "tests/cases_histogram.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogram.h>
#include <unihist/histogramdd.h>

enum { BINS = 1000, SHAPES = 3, KEPT = 4, DEFAULT_N = 1 << 24 };

static const char help[] =
    "Usage: unihist-perf accumulate [OPTION...]\n"
    "Measure sums of float32 weights in 1000 random bins beside the reading of values and weights: uniform data, all\n"
    "points in one bin, and sorted values. Kept are the exact sum, float64 additions in any order, the exact sums of\n"
    "weights and their squares, and the mean.\n\n"
    "  --n N               points; default: 16777216\n"
    "  --threads T         threads; default: 1\n" PERF_OPTION_HELP;

static const struct option option_rows[] = {PERF_OPTION_ARRAY_ROWS, PERF_OPTION_ROWS};

static const enum case_data shapes[SHAPES] = {CASE_UNIFORM, CASE_ONEBIN, CASE_SORTED};

static const struct {
    const char *name;
    uh_storage storage;
    uh_sum sum;
} kept[KEPT] = {{"sum", UH_STORAGE_SUM, UH_SUM_EXACT},
                {"fast", UH_STORAGE_SUM, UH_SUM_FAST},
                {"weighted", UH_STORAGE_WEIGHTED, UH_SUM_EXACT},
                {"mean", UH_STORAGE_MEAN, UH_SUM_EXACT}};

struct bench;

struct rival {
    struct bench *bench;
    uh_histogramdd *histogram;
};

struct bench {
    struct perf_options options;
    struct perf_machine machine;
    struct perf_cpus cpus;
    struct perf_report *report;
    uh_queue *queue;
    double edges[BINS + 1];
    uh_axis *axis;
    struct rival rivals[KEPT];
    float *x, *w; /* one array, the values first */
    double expected[BINS];
};

static int fail(struct perf_error *error) {
    return perf_fail(error, "%s", uh_last_error());
}

/* ---- what is right: weights are multiples of 2^-24 below 1, so float64 additions are exact ---- */

static void add_by_hand(struct bench *bench) {
    memset(bench->expected, 0, sizeof bench->expected);
    for (size_t i = 0; i < bench->options.n; i++) {
        size_t low = 0, high = BINS;
        while (high - low > 1) {
            const size_t middle = (low + high) / 2;
            if (bench->edges[middle] <= (double)bench->x[i])
                low = middle;
            else
                high = middle;
        }
        bench->expected[low] += (double)bench->w[i];
    }
}

static int before(void *context, struct perf_error *error) {
    return uh_histogramdd_reset(((struct rival *)context)->histogram) ? fail(error) : PERF_OK;
}

static int run(void *context, struct perf_error *error) {
    struct rival *rival = context;
    const uh_array points = uh_array_dense(UH_F32, rival->bench->x), weights = uh_array_dense(UH_F32, rival->bench->w);
    return uh_histogramdd_fill(rival->histogram, &points, rival->bench->options.n, &weights) ? fail(error) : PERF_OK;
}

static int after(void *context, struct perf_error *error) {
    struct rival *rival = context;
    double got[BINS];
    uint64_t counts[BINS];
    if (uh_histogramdd_storage(rival->histogram) == UH_STORAGE_MEAN) {
        if (uh_histogramdd_means(rival->histogram, counts, got, NULL))
            return fail(error);
    } else if (uh_histogramdd_sums(rival->histogram, got, NULL)) {
        return fail(error);
    }
    for (size_t j = 0; j < BINS; j++) {
        const double expected = uh_histogramdd_storage(rival->histogram) != UH_STORAGE_MEAN ? rival->bench->expected[j]
                                : counts[j] ? rival->bench->expected[j] / (double)counts[j]
                                            : (double)NAN;
        if (!(got[j] == expected || (isnan(got[j]) && isnan(expected))))
            return perf_fail(error, "bin %zu has %.17g, expected %.17g", j, got[j], expected);
    }
    return PERF_OK;
}

/* ---- the measurement ---- */

static int make(struct bench *bench, struct perf_error *error) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = bench->options.threads};
    const uh_axis *axes[1];
    uh_device *host;
    uint64_t random = 1;
    if (uh_device_select("host", &host) || uh_queue_create(host, &options, &bench->queue))
        return fail(error);
    if (case_edges(CASE_RANDOM, BINS, 1000, 0.01, 1, bench->edges))
        return perf_fail(error, "no edges");
    if (uh_axis_create_edges(UH_F64, bench->edges, BINS + 1, UH_CLOSED_LEFT, &bench->axis))
        return fail(error);
    bench->x = perf_array_create(2 * bench->options.n * sizeof *bench->x, bench->options.threads);
    if (!bench->x)
        return perf_fail(error, "no memory for %zu points", bench->options.n);
    bench->w = bench->x + bench->options.n;
    for (size_t i = 0; i < bench->options.n; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bench->w[i] = (float)(random >> 40) * 0x1p-24f;
    }
    axes[0] = bench->axis;
    for (size_t k = 0; k < KEPT; k++) {
        const uh_histogramdd_options how = {.struct_size = sizeof how, .storage = kept[k].storage, .sum = kept[k].sum};
        bench->rivals[k].bench = bench;
        if (uh_histogramdd_create(bench->queue, axes, 1, &how, &bench->rivals[k].histogram))
            return fail(error);
    }
    return PERF_OK;
}

static void write_name(const struct bench *bench, size_t shape, const char *what, char *name, size_t size) {
    snprintf(name, size, "accumulate/%s/%s/threads:%u", case_data_name(shapes[shape]), what,
             (unsigned)bench->options.threads);
}

/* Measures one shape; *rate gets the points a second of exact sums, *part what that is of the reading. */
static int measure(struct bench *bench, size_t shape, double *rate, double *part, struct perf_error *error) {
    struct perf_subject subjects[KEPT + 1];
    struct perf_timing timings[KEPT + 1];
    struct perf_limit limit;
    const size_t n = bench->options.n;
    if (case_fill_f32(shapes[shape], BINS, bench->edges, 10, bench->x, n))
        return perf_fail(error, "no memory for the points");
    add_by_hand(bench);
    perf_limit_init(&limit, bench->x, 2 * n * sizeof *bench->x, bench->options.threads);
    subjects[0] = perf_limit_subject(&limit);
    for (size_t k = 0; k < KEPT; k++)
        subjects[k + 1] = (struct perf_subject){before, run, after, &bench->rivals[k], NULL};
    int status = perf_measure(subjects, KEPT + 1, bench->options.min_time, timings, error);
    for (size_t i = 0; i <= KEPT && status == PERF_OK; i++) {
        struct perf_result result = {.labels = {case_data_name(shapes[shape]), i ? kept[i - 1].name : "limit"},
                                     .threads = bench->options.threads,
                                     .items = (double)n,
                                     .bytes = 2 * (double)n * sizeof(float),
                                     .timing = timings[i],
                                     .limit = timings[0].median / timings[i].median};
        write_name(bench, shape, result.labels[1], result.name, sizeof result.name);
        status = perf_report_add(bench->report, &result, error);
    }
    if (status == PERF_OK) {
        *rate = (double)n / timings[1].median;
        *part = timings[0].median / timings[1].median;
    }
    return status;
}

static int report_goals(struct bench *bench, const double *rate, double part, struct perf_error *error) {
    unsigned floors[2] = {0, 0}, goals[2] = {0, 0};
    int status = PERF_OK;
    perf_report_goals_head();
    for (size_t i = 0; i < SHAPES && status == PERF_OK; i++) {
        char name[PERF_NAME_MAX], row[64];
        write_name(bench, i, kept[0].name, name, sizeof name);
        snprintf(row, sizeof row, "exact sums, %s", case_data_name(shapes[i]));
        const struct perf_goal goal = {.row = row,
                                       .name = name,
                                       .unit = i == 0 ? "x reading" : "x uniform",
                                       .rate = rate[i],
                                       .value = i == 0 ? part : rate[i] / rate[0],
                                       .floor = i == 0 ? 0.08 : 0.5,
                                       .goal = i == 0 ? 0.25 : 0.5};
        status = perf_report_goal(bench->report, &goal, floors, goals, error);
    }
    if (status == PERF_OK)
        status = perf_report_write(bench->report, error);
    if (status == PERF_OK && floors[1])
        return perf_fail(error, "%u floor%s missed", floors[1], floors[1] > 1 ? "s are" : " is");
    return status;
}

static int run_all(struct bench *bench, struct perf_error *error) {
    static const struct perf_table table = {
        .count = 2, .titles = {"data", "kept"}, .widths = {-10, -10}, .baseline = "limit"};
    char text[128];
    double rate[SHAPES], part[SHAPES];
    int status = perf_report_create(bench->options.json, &table, &bench->report, error);
    if (status == PERF_OK)
        status = perf_machine_init(&bench->machine, error);
    perf_cpus_init(&bench->cpus);
    perf_pin_threads(&bench->cpus, bench->options.threads, text, sizeof text);
    if (status == PERF_OK)
        status = make(bench, error);
    if (status == PERF_OK)
        status = perf_report_machine(bench->report, &bench->machine, error);
    if (status == PERF_OK)
        status = perf_report_fact(bench->report, "threads", text, error);
    if (status == PERF_OK)
        perf_report_head(bench->report);
    for (size_t i = 0; i < SHAPES && status == PERF_OK; i++)
        status = measure(bench, i, &rate[i], &part[i], error);
    return status == PERF_OK ? report_goals(bench, rate, part[0], error) : status;
}

static int take_options(struct bench *bench, int argc, char **argv, struct perf_error *error) {
    int code, status = PERF_OK;
    bench->options = (struct perf_options)PERF_OPTIONS_DEFAULT;
    optind = 0;
    opterr = 0;
    while (status == PERF_OK && (code = getopt_long(argc, argv, "+:h", option_rows, NULL)) != -1)
        status = perf_take_option(&bench->options, code, argv, error);
    if (status == PERF_OK && optind < argc)
        return perf_usage(error, "unexpected argument '%s'", argv[optind]);
    bench->options.n = bench->options.n ? bench->options.n : DEFAULT_N;
    bench->options.threads = bench->options.threads ? bench->options.threads : 1;
    return status;
}

static void list_names(const struct bench *bench) {
    char name[PERF_NAME_MAX];
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t k = 0; k <= KEPT; k++) {
            write_name(bench, i, k ? kept[k - 1].name : "limit", name, sizeof name);
            puts(name);
        }
}

int uhi_perf_accumulate(int argc, char **argv, struct perf_error *error) {
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return perf_fail(error, "out of memory");
    int status = take_options(bench, argc, argv, error);
    if (status == PERF_OK && bench->options.help)
        fputs(help, stdout);
    else if (status == PERF_OK && bench->options.list)
        list_names(bench);
    else if (status == PERF_OK)
        status = run_all(bench, error);
    for (size_t k = 0; k < KEPT; k++)
        uh_histogramdd_destroy(bench->rivals[k].histogram);
    uh_axis_destroy(bench->axis);
    free(bench->x);
    uh_queue_destroy(bench->queue);
    perf_report_destroy(bench->report);
    free(bench);
    return status;
}
