/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf histogramdd: a histogram over two axes beside one over one, in the same rounds, both of non-uniform bins
 * and float32 values; uniform data, all in one bin, and sorted. */
#include "perf/bench.h"
#include "perf/harness.h"
#include "perf/options.h"
#include "perf/report.h"
#include "tests/cases_histogram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogram.h>
#include <unihist/histogramdd.h>

enum { BINS = 100, AXES = 2, CELLS = BINS * BINS, SHAPES = 3, DEFAULT_N = 1 << 24 };

static const char help[] =
    "Usage: unihist-perf histogramdd [OPTION...]\n"
    "Measure a histogram of 100 x 100 random bins of float32 points beside the library's own histogram of 100 bins,\n"
    "in the same rounds: uniform data, all points in one cell, and sorted coordinates.\n\n"
    "  --n N               points; default: 16777216\n"
    "  --threads T         threads; default: 1\n" PERF_OPTION_HELP;

static const struct option option_rows[] = {PERF_OPTION_ARRAY_ROWS, PERF_OPTION_ROWS};

/* What has to be reached, as a part of the rate of one axis; the other shapes: half of uniform data's rate. */
static const struct {
    enum case_data shape;
    double floor, goal;
} shapes[SHAPES] = {{CASE_UNIFORM, 0.35, 0.6}, {CASE_ONEBIN, 0.5, 0.5}, {CASE_SORTED, 0.5, 0.5}};

struct bench {
    struct perf_options options;
    struct perf_machine machine;
    struct perf_cpus cpus;
    struct perf_report *report;
    uh_queue *queue;
    double edges[AXES][BINS + 1];
    uh_axis *axis[AXES];
    uh_histogram *one;
    uh_histogramdd *two;
    float *x[AXES];
    uint64_t expected[CELLS], counts[CELLS];
};

static int fail(struct perf_error *error) {
    return perf_fail(error, "%s", uh_last_error());
}

/* ---- what is right ---- */

static size_t bin_of(const double *edges, float x) {
    size_t low = 0, high = BINS; /* edges[low] <= x < edges[high], or x is the last edge */
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (edges[middle] <= (double)x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void count_by_hand(struct bench *bench) {
    memset(bench->expected, 0, sizeof bench->expected);
    for (size_t i = 0; i < bench->options.n; i++)
        bench->expected[bin_of(bench->edges[0], bench->x[0][i]) * BINS + bin_of(bench->edges[1], bench->x[1][i])]++;
}

/* ---- the rivals ---- */

static int before_one(void *context, struct perf_error *error) {
    return uh_histogram_reset(((struct bench *)context)->one) ? fail(error) : PERF_OK;
}

static int run_one(void *context, struct perf_error *error) {
    struct bench *bench = context;
    return uh_histogram_fill(bench->one, UH_F32, bench->x[0], bench->options.n) ? fail(error) : PERF_OK;
}

static int after_one(void *context, struct perf_error *error) {
    struct bench *bench = context;
    uint64_t counts[BINS];
    if (uh_histogram_counts(bench->one, counts))
        return fail(error);
    for (size_t j = 0; j < BINS; j++) {
        uint64_t row = 0;
        for (size_t i = 0; i < BINS; i++)
            row += bench->expected[j * BINS + i];
        if (counts[j] != row)
            return perf_fail(error, "1 axis: bin %zu has %llu values, expected %llu", j, (unsigned long long)counts[j],
                             (unsigned long long)row);
    }
    return PERF_OK;
}

static int before_two(void *context, struct perf_error *error) {
    return uh_histogramdd_reset(((struct bench *)context)->two) ? fail(error) : PERF_OK;
}

static int run_two(void *context, struct perf_error *error) {
    struct bench *bench = context;
    const uh_array points[AXES] = {uh_array_dense(UH_F32, bench->x[0]), uh_array_dense(UH_F32, bench->x[1])};
    return uh_histogramdd_fill(bench->two, points, bench->options.n, NULL) ? fail(error) : PERF_OK;
}

static int after_two(void *context, struct perf_error *error) {
    struct bench *bench = context;
    if (uh_histogramdd_counts(bench->two, bench->counts))
        return fail(error);
    for (size_t i = 0; i < CELLS; i++)
        if (bench->counts[i] != bench->expected[i])
            return perf_fail(error, "2 axes: cell %zu has %llu points, expected %llu", i,
                             (unsigned long long)bench->counts[i], (unsigned long long)bench->expected[i]);
    return PERF_OK;
}

/* ---- the measurement ---- */

static int make(struct bench *bench, struct perf_error *error) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = bench->options.threads};
    uh_device *host;
    if (uh_device_select("host", &host) || uh_queue_create(host, &options, &bench->queue))
        return fail(error);
    for (size_t a = 0; a < AXES; a++) {
        if (case_edges(CASE_RANDOM, BINS, 1000, 0.01, 1 + a, bench->edges[a]))
            return perf_fail(error, "no edges");
        if (uh_axis_create_edges(UH_F64, bench->edges[a], BINS + 1, UH_CLOSED_LEFT, &bench->axis[a]))
            return fail(error);
        bench->x[a] = perf_array_create(bench->options.n * sizeof *bench->x[a], bench->options.threads);
        if (!bench->x[a])
            return perf_fail(error, "no memory for %zu points", bench->options.n);
    }
    if (uh_histogram_create(bench->queue, bench->axis[0], NULL, &bench->one) ||
        uh_histogramdd_create(bench->queue, (const uh_axis *const *)bench->axis, AXES, NULL, &bench->two))
        return fail(error);
    return PERF_OK;
}

static void write_name(const struct bench *bench, size_t shape, int axes, char *name, size_t size) {
    snprintf(name, size, "histogramdd/%s/axes:%d/threads:%u", case_data_name(shapes[shape].shape), axes,
             (unsigned)bench->options.threads);
}

/* Measures one shape; *rate gets the points a second over two axes, *part what that is of one axis's. */
static int measure(struct bench *bench, size_t shape, double *rate, double *part, struct perf_error *error) {
    const struct perf_subject subjects[] = {
        {.before = before_one, .run = run_one, .after = after_one, .context = bench},
        {.before = before_two, .run = run_two, .after = after_two, .context = bench}};
    struct perf_timing timings[2];
    const double n = (double)bench->options.n;
    for (size_t a = 0; a < AXES; a++)
        if (case_fill_f32(shapes[shape].shape, BINS, bench->edges[a], 10 + a, bench->x[a], bench->options.n))
            return perf_fail(error, "no memory for the points");
    count_by_hand(bench);
    int status = perf_measure(subjects, 2, bench->options.min_time, timings, error);
    for (int i = 0; i < 2 && status == PERF_OK; i++) {
        struct perf_result result = {.labels = {case_data_name(shapes[shape].shape), i ? "100x100" : "100"},
                                     .threads = bench->options.threads,
                                     .items = n,
                                     .bytes = n * (double)sizeof(float) * (i + 1),
                                     .timing = timings[i],
                                     .baseline = timings[0].median / timings[i].median};
        write_name(bench, shape, i + 1, result.name, sizeof result.name);
        status = perf_report_add(bench->report, &result, error);
    }
    if (status == PERF_OK) {
        *rate = n / timings[1].median;
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
        write_name(bench, i, AXES, name, sizeof name);
        snprintf(row, sizeof row, "100x100 %s", case_data_name(shapes[i].shape));
        const struct perf_goal goal = {.row = row,
                                       .name = name,
                                       .unit = i == 0 ? "x 1 axis" : "x uniform",
                                       .rate = rate[i],
                                       .value = i == 0 ? part : rate[i] / rate[0],
                                       .floor = shapes[i].floor,
                                       .goal = shapes[i].goal};
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
        .count = 2, .titles = {"data", "bins"}, .widths = {-10, -8}, .baseline = "1 axis"};
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

int uhi_perf_histogramdd(int argc, char **argv, struct perf_error *error) {
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return perf_fail(error, "out of memory");
    int status = take_options(bench, argc, argv, error);
    if (status == PERF_OK && bench->options.help) {
        fputs(help, stdout);
    } else if (status == PERF_OK && bench->options.list) {
        for (size_t i = 0; i < SHAPES; i++)
            for (int axes = 1; axes <= AXES; axes++) {
                char name[PERF_NAME_MAX];
                write_name(bench, i, axes, name, sizeof name);
                puts(name);
            }
    } else if (status == PERF_OK) {
        status = run_all(bench, error);
    }
    uh_histogram_destroy(bench->one);
    uh_histogramdd_destroy(bench->two);
    for (size_t a = 0; a < AXES; a++) {
        uh_axis_destroy(bench->axis[a]);
        free(bench->x[a]);
    }
    uh_queue_destroy(bench->queue);
    perf_report_destroy(bench->report);
    free(bench);
    return status;
}
