/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf histo: an iteration of the Parboil histogram on pictures of wafers, beside a serial count in 32 bits
 * followed by a clamp. */
#include "perf/bench.h"
#include "perf/harness.h"
#include "perf/machine.h"
#include "perf/options.h"
#include "perf/plain_histo.h"
#include "perf/report.h"
#include "tests/cases_histo.h"

#include <unihist/histo.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parboil's histogram, and the samples of its picture. */
enum { WIDTH = 256, HEIGHT = 4096, SAMPLES = 996 * 1040, HEAD = 16, THREADS = 2, RIVALS = 1 + THREADS };

/* What is to be reached: as a multiple of the serial count, and, for data in one bin or sorted, of the usual figure. */
#define FLOOR      2.0
#define GOAL       5.0
#define FLOOR_SKEW 0.5

struct bench {
    struct perf_options options;
    const char *image; /* Parboil's own picture, or NULL */
    struct perf_report *report;
    struct perf_cpus cpus;
    struct perf_machine machine;
    uh_queue *queues[THREADS]; /* NULL where there are not so many CPUs */
    size_t width, height, n;
    uint32_t *indices, *table;
    uint8_t *expected, *found;
    double usual[RIVALS]; /* rates on the eye */
    unsigned floors[2], goals[2];
};

/* One that counts: the plain loop where `queue` is NULL. */
struct rival {
    struct bench *bench;
    uh_queue *queue;
    uint32_t threads;
};

static int count(void *context, struct perf_error *error) {
    const struct rival *rival = context;
    const struct bench *bench = rival->bench;
    if (!rival->queue)
        perf_plain_histo(bench->machine.isa)(bench->indices, bench->n, bench->table, bench->width * bench->height,
                                             bench->found);
    else if (uh_histo_saturating_2d(rival->queue, bench->indices, bench->n, bench->width, bench->height, bench->found,
                                    NULL))
        return perf_fail(error, "%s", uh_last_error());
    return PERF_OK;
}

static int check(void *context, struct perf_error *error) {
    const struct rival *rival = context;
    const struct bench *bench = rival->bench;
    for (size_t b = 0; b < bench->width * bench->height; b++)
        if (bench->found[b] != bench->expected[b])
            return perf_fail(error, "wrong: bin %zu counts %u, expected %u", b, bench->found[b], bench->expected[b]);
    memset(bench->found, 0xff, bench->width * bench->height);
    return PERF_OK;
}

/* ---- data ------------------------------------------------------------------------------------------------------- */

static int read_image(struct bench *bench, uint32_t *into, struct perf_error *error) {
    uint32_t head[HEAD / sizeof(uint32_t)];
    FILE *file = fopen(bench->image, "rb");
    if (!file)
        return perf_fail(error, "cannot read '%s'", bench->image);
    int read = fread(head, sizeof head, 1, file) == 1;
    if (read && !into) {
        bench->n = (size_t)head[0] * head[1];
        bench->width = head[2];
        bench->height = head[3];
    }
    if (read && into)
        read = fread(into, sizeof *into, bench->n, file) == bench->n;
    fclose(file);
    if (!read || bench->width == 0 || bench->height == 0)
        return perf_fail(error, "'%s' is no whole input of Parboil's histo", bench->image);
    return PERF_OK;
}

static int make_arrays(struct bench *bench, struct perf_error *error) {
    const size_t bins = bench->width * bench->height;
    bench->indices = perf_array_create(bench->n * sizeof *bench->indices, 1);
    bench->table = perf_array_create(bins * sizeof *bench->table, 1);
    bench->expected = malloc(bins);
    bench->found = perf_array_create(bins, 1);
    return bench->indices && bench->table && bench->expected && bench->found
               ? PERF_OK
               : perf_fail(error, "out of memory for %zu indices and %zu bins", bench->n, bins);
}

static int compare(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int make_data(struct bench *bench, enum case_wafer wafer, struct perf_error *error) {
    int status = PERF_OK;
    if (bench->image && (wafer == CASE_WAFER_EYE || wafer == CASE_WAFER_SORTED))
        status = read_image(bench, bench->indices, error);
    else
        case_wafer_make(wafer, bench->width, bench->height, bench->indices, bench->n);
    if (bench->image && wafer == CASE_WAFER_SORTED && status == PERF_OK)
        qsort(bench->indices, bench->n, sizeof *bench->indices, compare);
    if (status == PERF_OK)
        case_wafer_count(bench->indices, bench->n, bench->width * bench->height, bench->table, bench->expected);
    return status;
}

/* ---- one kind of data ------------------------------------------------------------------------------------------- */

/* The plain loop counts nothing beyond the histogram, so that kind of data is left out. */
static int is_measured(int wafer) {
    return wafer != CASE_WAFER_FAR;
}

static void write_name(int wafer, const struct rival *rival, char *name, size_t size) {
    snprintf(name, size, "histo/%s/%s/threads:%" PRIu32, case_wafer_name((enum case_wafer)wafer),
             rival->queue ? "unihist" : "serial", rival->threads);
}

static size_t list_rivals(struct bench *bench, struct rival *rivals) {
    size_t count = 0;
    rivals[count++] = (struct rival){bench, NULL, 1};
    for (uint32_t t = 0; t < THREADS; t++)
        if (bench->queues[t])
            rivals[count++] = (struct rival){bench, bench->queues[t], t + 1};
    return count;
}

/* Says what is to be reached. */
static int report_goals(struct bench *bench, const struct perf_result *result, int wafer, size_t rival,
                        struct perf_error *error) {
    const double rate = result->items / result->timing.median;
    const int skewed = wafer == CASE_WAFER_ONE || wafer == CASE_WAFER_SORTED;
    struct perf_goal goal = {.row = "an iteration",
                             .name = result->name,
                             .unit = "x serial",
                             .rate = rate,
                             .value = result->baseline,
                             .floor = FLOOR,
                             .goal = GOAL};
    if (skewed) {
        goal.unit = "x eye";
        goal.value = rate / bench->usual[rival];
        goal.floor = FLOOR_SKEW;
        goal.goal = 1;
    }
    return perf_report_goal(bench->report, &goal, bench->floors, bench->goals, error);
}

static int measure(struct bench *bench, int wafer, struct perf_result *results, size_t *made,
                   struct perf_error *error) {
    struct rival rivals[RIVALS];
    struct perf_subject subjects[RIVALS];
    struct perf_timing timings[RIVALS];
    const size_t count_of = list_rivals(bench, rivals);
    int status = make_data(bench, (enum case_wafer)wafer, error);
    for (size_t i = 0; i < count_of; i++)
        subjects[i] = (struct perf_subject){.run = count, .after = check, .context = &rivals[i]};
    perf_report_progress("histo/%s", case_wafer_name((enum case_wafer)wafer));
    if (status == PERF_OK)
        status = perf_measure(subjects, count_of, bench->options.min_time, timings, error);
    perf_report_progress(NULL);
    for (size_t i = 0; status == PERF_OK && i < count_of; i++) {
        struct perf_result *result = &results[i];
        *result = (struct perf_result){
            .labels = {case_wafer_name((enum case_wafer)wafer), rivals[i].queue ? "unihist" : "serial"},
            .threads = rivals[i].threads,
            .items = (double)bench->n,
            .bytes = (double)(bench->n * sizeof *bench->indices),
            .timing = timings[i],
            .baseline = timings[0].median / timings[i].median,
            .one_thread = i > 1 ? timings[1].median / timings[i].median : 0};
        write_name(wafer, &rivals[i], result->name, sizeof result->name);
        status = perf_report_add(bench->report, result, error);
        if (wafer == CASE_WAFER_EYE)
            bench->usual[i] = result->items / timings[i].median;
    }
    *made = count_of;
    return status;
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

static int open_queues(struct bench *bench, struct perf_error *error) {
    uh_device *host = NULL;
    uh_status status = uh_device_select("host", &host);
    for (uint32_t t = 0; t < THREADS && t < bench->cpus.count && !status; t++) {
        const uh_queue_options options = {.struct_size = sizeof options, .threads = t + 1};
        status = uh_queue_create(host, &options, &bench->queues[t]);
    }
    return status ? perf_fail(error, "%s", uh_last_error()) : PERF_OK;
}

static void print_names(struct bench *bench) {
    struct rival rivals[RIVALS];
    char name[PERF_NAME_MAX];
    const size_t count_of = list_rivals(bench, rivals);
    for (int wafer = 0; wafer < CASE_WAFER_COUNT; wafer++)
        for (size_t i = 0; is_measured(wafer) && i < count_of; i++) {
            write_name(wafer, &rivals[i], name, sizeof name);
            puts(name);
        }
}

static int print_facts(struct bench *bench, struct perf_error *error) {
    char text[256];
    perf_pin_threads(&bench->cpus, bench->queues[1] ? THREADS : 1, text, sizeof text);
    int status = perf_report_machine(bench->report, &bench->machine, error);
    if (status == PERF_OK)
        status = perf_report_fact(bench->report, "threads", text, error);
    snprintf(text, sizeof text, "%zu indices, %zu x %zu bins; the eye is %s", bench->n, bench->width, bench->height,
             bench->image ? bench->image : "made like that of Parboil's picture");
    return status == PERF_OK ? perf_report_fact(bench->report, "data", text, error) : status;
}

static int run_all(struct bench *bench, struct perf_error *error) {
    static const struct perf_table table = {
        .of_threads = 1, .count = 2, .titles = {"data", "method"}, .widths = {-10, -10}, .baseline = "serial"};
    struct perf_result results[CASE_WAFER_COUNT][RIVALS];
    size_t made[CASE_WAFER_COUNT] = {0};
    int status = perf_report_create(bench->options.json, &table, &bench->report, error);
    if (status == PERF_OK)
        status = make_arrays(bench, error);
    if (status == PERF_OK)
        status = print_facts(bench, error);
    if (status == PERF_OK)
        perf_report_head(bench->report);
    for (int wafer = 0; status == PERF_OK && wafer < CASE_WAFER_COUNT; wafer++)
        if (is_measured(wafer))
            status = measure(bench, wafer, results[wafer], &made[wafer], error);
    if (status == PERF_OK)
        perf_report_goals_head();
    for (int wafer = 0; wafer < CASE_WAFER_COUNT; wafer++)
        for (size_t i = 1; status == PERF_OK && i < made[wafer]; i++)
            status = report_goals(bench, &results[wafer][i], wafer, i, error);
    if (status == PERF_OK)
        status = perf_report_write(bench->report, error);
    if (status == PERF_OK && bench->floors[1])
        return perf_fail(error, "%u floor%s missed", bench->floors[1], bench->floors[1] > 1 ? "s are" : " is");
    return status;
}

enum { OPTION_IMAGE = PERF_OPTION_OWN };

static int take_options(struct bench *bench, int argc, char **argv, struct perf_error *error) {
    static const struct option rows[] = {{"n", required_argument, NULL, PERF_OPTION_N},
                                         {"image", required_argument, NULL, OPTION_IMAGE},
                                         PERF_OPTION_ROWS};
    int status = PERF_OK, code;
    bench->options = (struct perf_options)PERF_OPTIONS_DEFAULT;
    opterr = 0;
    while (status == PERF_OK && (code = getopt_long(argc, argv, ":h", rows, NULL)) != -1) {
        if (code == OPTION_IMAGE)
            bench->image = optarg;
        else
            status = perf_take_option(&bench->options, code, argv, error);
    }
    if (status == PERF_OK && !bench->options.help && optind < argc)
        status = perf_usage(error, "'%s' is not expected, all is told by options; see --help", argv[optind]);
    if (status == PERF_OK && bench->image && bench->options.n)
        status = perf_usage(error, "--n and --image both say how many indices there are; give one");
    return status;
}

static const char help[] =
    "Usage: unihist-perf histo [OPTION...]\n"
    "Measure an iteration of the Parboil histogram by one host thread and by two, beside a serial count in 32 bits\n"
    "followed by a clamp, on an eye like that of Parboil's picture and on other data.\n\n"
    "  --n N               indices; default: 1035840, as Parboil's picture has\n"
    "  --image FILE        Parboil's picture itself, instead of an eye that is like it\n" PERF_OPTION_HELP;

int uhi_perf_histo(int argc, char **argv, struct perf_error *error) {
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return perf_fail(error, "out of memory");
    int status = take_options(bench, argc, argv, error);
    if (status == PERF_OK && bench->options.help) {
        fputs(help, stdout);
        goto out;
    }
    bench->width = WIDTH;
    bench->height = HEIGHT;
    bench->n = bench->options.n ? bench->options.n : SAMPLES;
    if (status == PERF_OK && bench->image)
        status = read_image(bench, NULL, error);
    if (status == PERF_OK)
        status = perf_machine_init(&bench->machine, error);
    perf_cpus_init(&bench->cpus);
    if (status == PERF_OK)
        status = open_queues(bench, error);
    if (status != PERF_OK)
        goto out;
    if (bench->options.list)
        print_names(bench);
    else
        status = run_all(bench, error);
out:
    perf_report_destroy(bench->report);
    for (size_t t = 0; t < THREADS; t++)
        uh_queue_destroy(bench->queues[t]);
    free(bench->indices);
    free(bench->table);
    free(bench->expected);
    free(bench->found);
    free(bench);
    return status;
}
