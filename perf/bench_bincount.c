/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf bincount: how often each integer occurs, beside numpy.bincount and reading the array. */
#include "perf/bench.h"
#include "perf/limit.h"
#include "perf/numpy.h"
#include "perf/options.h"
#include "perf/report.h"

#include <unihist/bincount.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum data { UNIFORM, ONE_BIN, SORTED, DATA_COUNT };
static const char *const data_names[] = {"uniform", "onebin", "sorted"};

/* What is timed of each case. */
enum rival { LIMIT, NUMPY, FOUND, GIVEN, FOUND_TWO, RIVAL_COUNT };
static const char *const rival_names[] = {"limit", "numpy", "found", "given", "found"};

static const struct {
    uh_dtype dtype;
    const char *name;
    size_t k;
} types[] = {{UH_I32, "i32", 1000}, {UH_I64, "i64", 1000}, {UH_U8, "u8", 256}, {UH_I32, "i32", 1000000}};
enum { TYPE_COUNT = sizeof types / sizeof *types, DEFAULT_N = 1 << 24 };

struct bench {
    struct perf_options options;
    struct perf_report *report;
    struct perf_cpus cpus;
    struct perf_machine machine;
    uh_queue *queues[2]; /* of one thread, and of two where there are so many CPUs */
    char no_numpy[256];
    double uniform[RIVAL_COUNT]; /* rates of the case with uniform data */
    unsigned floors[2], goals[2];
};

/* One case: values, and the right counts. */
struct work {
    uh_dtype dtype;
    void *x;
    size_t n, k;
    uint64_t *expected, *counts;
    struct perf_numpy *numpy;
    double numpy_seconds, numpy_cpu;
};

struct subject {
    struct work *work;
    uh_queue *queue;
    size_t length;
};

/* ---- subjects --------------------------------------------------------------------------------------------------- */

static int check(const struct work *work, const char *what, size_t length, struct perf_error *error) {
    if (length != work->k)
        return perf_fail(error, "%s gave %zu bins instead of %zu", what, length, work->k);
    for (size_t v = 0; v < work->k; v++)
        if (work->counts[v] != work->expected[v])
            return perf_fail(error, "%s counted %llu of the value %zu instead of %llu", what,
                             (unsigned long long)work->counts[v], v, (unsigned long long)work->expected[v]);
    memset(work->counts, 0xff, work->k * sizeof *work->counts);
    return PERF_OK;
}

static int run_found(void *context, struct perf_error *error) {
    struct subject *subject = context;
    struct work *work = subject->work;
    uint64_t *counts = NULL;
    if (uh_bincount(subject->queue, work->dtype, work->x, work->n, 0, &counts, &subject->length))
        return perf_fail(error, "%s", uh_last_error());
    memcpy(work->counts, counts, (subject->length < work->k ? subject->length : work->k) * sizeof *counts);
    uh_bincount_free(counts);
    return PERF_OK;
}

static int run_given(void *context, struct perf_error *error) {
    struct subject *subject = context;
    struct work *work = subject->work;
    subject->length = work->k;
    if (uh_bincount_into(subject->queue, work->dtype, work->x, work->n, work->counts, work->k))
        return perf_fail(error, "%s", uh_last_error());
    return PERF_OK;
}

static int check_library(void *context, struct perf_error *error) {
    const struct subject *subject = context;
    return check(subject->work, "the library", subject->length, error);
}

static int run_numpy(void *context, struct perf_error *error) {
    struct work *work = ((struct subject *)context)->work;
    return perf_numpy_bincount(work->numpy, &work->numpy_seconds, &work->numpy_cpu, error);
}

static int check_numpy(void *context, struct perf_error *error) {
    struct work *work = ((struct subject *)context)->work;
    int status = perf_numpy_counts(work->numpy, work->counts, work->k, error);
    return status == PERF_OK ? check(work, "numpy.bincount", work->k, error) : status;
}

static void numpy_times(void *context, double *seconds, double *cpu) {
    const struct work *work = ((struct subject *)context)->work;
    *seconds = work->numpy_seconds;
    *cpu = work->numpy_cpu;
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

static void put(uh_dtype dtype, void *x, size_t i, uint64_t value) {
    const size_t size = uh_dtype_size(dtype);
    memcpy((char *)x + i * size, &value, size);
}

/* Every value below k occurs where the data are uniform or sorted; of one bin it is the last. */
static void fill_values(struct work *work, enum data data) {
    uint64_t state = 1;
    for (size_t i = 0; i < work->n; i++) {
        state = state * UINT64_C(6364136223846793005) + 1;
        uint64_t value = data == ONE_BIN  ? work->k - 1
                         : data == SORTED ? (uint64_t)((double)i / (double)work->n * (double)work->k)
                                          : (state >> 33) * work->k >> 31;
        value = i + 1 == work->n ? work->k - 1 : value;
        put(work->dtype, work->x, i, value);
        work->expected[value]++;
    }
}

static int make_work(struct bench *bench, size_t type, enum data data, struct work *work, struct perf_error *error) {
    work->dtype = types[type].dtype;
    work->k = types[type].k;
    work->n = bench->options.n ? bench->options.n : DEFAULT_N;
    work->x = perf_array_create(work->n * uh_dtype_size(work->dtype), 1);
    work->expected = calloc(work->k, sizeof *work->expected);
    work->counts = malloc(work->k * sizeof *work->counts);
    if (!work->x || !work->expected || !work->counts)
        return perf_fail(error, "out of memory for %zu values", work->n);
    fill_values(work, data);
    return perf_numpy_create(work->dtype, work->x, work->n, &work->numpy, bench->no_numpy, sizeof bench->no_numpy,
                             error);
}

static void free_work(struct work *work) {
    perf_numpy_destroy(work->numpy);
    free(work->x);
    free(work->expected);
    free(work->counts);
}

static void name_of(size_t type, enum data data, enum rival rival, char *name, size_t size) {
    snprintf(name, size, "bincount/k:%zu/%s/%s/%s/threads:%d", types[type].k, data_names[data], types[type].name,
             rival_names[rival], rival == FOUND_TWO ? 2 : 1);
}

/* What is to be reached by one thread: 6 times numpy.bincount with i32 and k = 1000, and half the rate of uniform data
 * with others. */
static int report_goals(struct bench *bench, size_t type, enum data data, const double *rate,
                        struct perf_error *error) {
    char name[PERF_NAME_MAX];
    struct perf_goal goal = {.row = "bincount i32 k=1000", .name = name, .unit = "x numpy", .rate = rate[FOUND]};
    int status = PERF_OK;
    if (type != 0)
        return PERF_OK;
    name_of(type, data, FOUND, name, sizeof name);
    if (rate[NUMPY] > 0 && data == UNIFORM) {
        goal.value = rate[FOUND] / rate[NUMPY];
        goal.floor = 3;
        goal.goal = 6;
        status = perf_report_goal(bench->report, &goal, bench->floors, bench->goals, error);
    } else if (data != UNIFORM) {
        goal.unit = "x uniform";
        goal.value = rate[FOUND] / bench->uniform[FOUND];
        goal.floor = 0.5;
        goal.goal = 1;
        status = perf_report_goal(bench->report, &goal, bench->floors, bench->goals, error);
    }
    return status;
}

static int report_results(struct bench *bench, size_t type, enum data data, const struct work *work,
                          const enum rival *rivals, size_t count, const struct perf_timing *timings, double *rate,
                          struct perf_error *error) {
    int status = PERF_OK;
    for (size_t i = 0; i < count; i++)
        rate[rivals[i]] = (double)work->n / timings[i].median;
    for (size_t i = 0; status == PERF_OK && i < count; i++) {
        const enum rival rival = rivals[i];
        char k[32];
        struct perf_result result = {.threads = rival == FOUND_TWO ? 2 : 1,
                                     .items = (double)work->n,
                                     .bytes = (double)(work->n * uh_dtype_size(work->dtype)),
                                     .timing = timings[i]};
        snprintf(k, sizeof k, "%zu", work->k);
        result.labels[0] = data_names[data];
        result.labels[1] = types[type].name;
        result.labels[2] = k;
        result.labels[3] = rival_names[rival];
        result.limit = rate[rival] / rate[LIMIT];
        result.baseline = rate[NUMPY] > 0 ? rate[rival] / rate[NUMPY] : 0;
        result.one_thread = rival == FOUND_TWO ? rate[FOUND_TWO] / rate[FOUND] : 0;
        name_of(type, data, rival, result.name, sizeof result.name);
        status = perf_report_add(bench->report, &result, error);
    }
    return status;
}

static int run_case(struct bench *bench, size_t type, enum data data, double *rate, struct perf_error *error) {
    struct work work = {.n = 0};
    struct perf_limit limit;
    struct subject one = {.work = &work, .queue = bench->queues[0]}, two = {.work = &work, .queue = bench->queues[1]};
    struct perf_subject subjects[RIVAL_COUNT];
    struct perf_timing timings[RIVAL_COUNT];
    enum rival rivals[RIVAL_COUNT];
    size_t count = 0;
    int status = make_work(bench, type, data, &work, error);
    if (status == PERF_OK) {
        perf_limit_init(&limit, work.x, work.n * uh_dtype_size(work.dtype), 1);
        rivals[count] = LIMIT;
        subjects[count++] = perf_limit_subject(&limit);
        if (work.numpy) {
            rivals[count] = NUMPY;
            subjects[count++] = (struct perf_subject){NULL, run_numpy, check_numpy, &one, numpy_times};
        }
        rivals[count] = FOUND;
        subjects[count++] = (struct perf_subject){NULL, run_found, check_library, &one, NULL};
        rivals[count] = GIVEN;
        subjects[count++] = (struct perf_subject){NULL, run_given, check_library, &one, NULL};
        if (two.queue) {
            rivals[count] = FOUND_TWO;
            subjects[count++] = (struct perf_subject){NULL, run_found, check_library, &two, NULL};
        }
        status = perf_measure(subjects, count, bench->options.min_time, timings, error);
    }
    if (status == PERF_OK)
        status = report_results(bench, type, data, &work, rivals, count, timings, rate, error);
    free_work(&work);
    return status;
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

static const struct perf_table table = {.of_threads = 1,
                                        .count = 4,
                                        .titles = {"data", "type", "k", "length"},
                                        .widths = {-8, -4, 8, -8},
                                        .baseline = "numpy"};

static int open_queues(struct bench *bench, struct perf_error *error) {
    uh_device *host;
    if (uh_device_select("host", &host))
        return perf_fail(error, "%s", uh_last_error());
    for (uint32_t i = 0; i < 2 && i < bench->cpus.count; i++) {
        const uh_queue_options options = {.struct_size = sizeof options, .threads = i + 1};
        if (uh_queue_create(host, &options, &bench->queues[i]))
            return perf_fail(error, "%s", uh_last_error());
    }
    return PERF_OK;
}

static int run_all(struct bench *bench, struct perf_error *error) {
    double rate[TYPE_COUNT][DATA_COUNT][RIVAL_COUNT] = {{{0}}};
    char pinning[128];
    int status = perf_report_create(bench->options.json, &table, &bench->report, error);
    if (status == PERF_OK)
        status = open_queues(bench, error);
    if (status != PERF_OK)
        return status;
    perf_pin_threads(&bench->cpus, bench->queues[1] ? 2 : 1, pinning, sizeof pinning);
    status = perf_report_machine(bench->report, &bench->machine, error);
    if (status == PERF_OK)
        status = perf_report_fact(bench->report, "threads", pinning, error);
    if (status == PERF_OK)
        perf_report_head(bench->report);
    for (size_t type = 0; type < TYPE_COUNT; type++)
        for (int data = 0; status == PERF_OK && data < DATA_COUNT; data++)
            status = run_case(bench, type, (enum data)data, rate[type][data], error);
    if (status == PERF_OK && bench->no_numpy[0])
        status = perf_report_fact(bench->report, "no numpy", bench->no_numpy, error);
    if (status == PERF_OK)
        perf_report_goals_head();
    memcpy(bench->uniform, rate[0][UNIFORM], sizeof bench->uniform);
    for (int data = 0; status == PERF_OK && data < DATA_COUNT; data++)
        status = report_goals(bench, 0, (enum data)data, rate[0][data], error);
    if (status == PERF_OK)
        status = perf_report_write(bench->report, error);
    if (status == PERF_OK && bench->floors[1])
        return perf_fail(error, "%u floor%s missed", bench->floors[1], bench->floors[1] > 1 ? "s are" : " is");
    return status;
}

static void print_help(void) {
    printf("Usage: unihist-perf bincount [OPTION...]\n"
           "Measure uh_bincount, with the length found and given, beside numpy.bincount (one thread).\n\nOptions:\n"
           "  --n N               elements of the array; default: 16777216\n" PERF_OPTION_HELP);
}

static void print_names(void) {
    char name[PERF_NAME_MAX];
    for (size_t type = 0; type < TYPE_COUNT; type++)
        for (int data = 0; data < DATA_COUNT; data++)
            for (int rival = 0; rival < RIVAL_COUNT; rival++) {
                name_of(type, (enum data)data, (enum rival)rival, name, sizeof name);
                puts(name);
            }
}

int uhi_perf_bincount(int argc, char **argv, struct perf_error *error) {
    static const struct option rows[] = {{"n", required_argument, NULL, PERF_OPTION_N}, PERF_OPTION_ROWS};
    struct bench *bench = calloc(1, sizeof *bench);
    int code, status = PERF_OK;
    if (!bench)
        return perf_fail(error, "out of memory");
    bench->options = (struct perf_options)PERF_OPTIONS_DEFAULT;
    opterr = 0;
    while (status == PERF_OK && (code = getopt_long(argc, argv, ":h", rows, NULL)) != -1)
        status = perf_take_option(&bench->options, code, argv, error);
    if (status == PERF_OK && optind < argc)
        status = perf_usage(error, "unexpected argument '%.200s'; see --help", argv[optind]);
    if (status == PERF_OK && bench->options.help) {
        print_help();
    } else if (status == PERF_OK && bench->options.list) {
        print_names();
    } else if (status == PERF_OK) {
        perf_cpus_init(&bench->cpus);
        status = perf_machine_init(&bench->machine, error);
        if (status == PERF_OK)
            status = run_all(bench, error);
    }
    perf_report_destroy(bench->report);
    for (size_t i = 0; i < 2; i++)
        uh_queue_destroy(bench->queues[i]);
    free(bench);
    return status;
}
