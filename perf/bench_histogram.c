/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf histogram: the paper's workload (section V) and shapes of data that it left out, by every method. */
#include "perf/bench.h"
#include "perf/harness.h"
#include "perf/limit.h"
#include "perf/peers.h"
#include "perf/reference.h"
#include "perf/report.h"
#include "perf/settings_histogram.h"
#include "tests/cases_histogram.h"

#include <unihist/unihist.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EDGE_SEED UINT64_C(20230627)
#define DATA_SEED UINT64_C(1)

struct histogram_case {
    enum case_data data;
    enum case_bins bins;
    size_t k;
    double h;
};

/* Everything of one run. */
struct bench {
    struct histogram_settings settings;
    size_t case_count, k_max, n;
    struct histogram_case *cases;
    struct perf_machine machine;
    struct perf_cpus cpus;
    uh_queue *queue;
    uint32_t threads;
    void *x;
    double *edges;
    uint64_t *counts;
    struct perf_counts expected;
    struct perf_limit limit;
    struct perf_peers *peers;
    struct perf_report *report;
};

/* One method at work on the current case. */
struct contender {
    struct bench *bench;
    const struct histogram_case *what;
    uh_method method;
    uh_histogram *histogram;
    double prepare;
    char plan[512];
};

/* ---- what is measured ------------------------------------------------------------------------------------------- */

/* Lists the cases, shapes of data outermost: the array is kept as long as it can be. */
static int list_cases(struct bench *bench, struct perf_error *error) {
    const struct histogram_settings *settings = &bench->settings;
    size_t most = (size_t)CASE_DATA_COUNT * CASE_BINS_COUNT * settings->k.count * settings->h.count;
    bench->cases = calloc(most, sizeof *bench->cases);
    if (!bench->cases)
        return perf_fail(error, "out of memory for %zu cases", most);
    for (int data = 0; data < CASE_DATA_COUNT; data++)
        for (int bins = 0; bins < CASE_BINS_COUNT; bins++)
            for (size_t k = 0; k < settings->k.count; k++)
                for (size_t h = 0; h < settings->h.count; h++)
                    if (settings->data[data] && settings->bins[bins])
                        bench->cases[bench->case_count++] = (struct histogram_case){.data = (enum case_data)data,
                                                                                    .bins = (enum case_bins)bins,
                                                                                    .k = (size_t)settings->k.value[k],
                                                                                    .h = settings->h.value[h]};
    for (size_t i = 0; i < bench->case_count; i++)
        bench->k_max = bench->cases[i].k > bench->k_max ? bench->cases[i].k : bench->k_max;
    bench->edges = calloc(bench->k_max + 1, sizeof *bench->edges);
    bench->counts = calloc(bench->k_max, sizeof *bench->counts);
    bench->expected.bins = calloc(bench->k_max, sizeof *bench->expected.bins);
    if (!bench->edges || !bench->counts || !bench->expected.bins)
        return perf_fail(error, "out of memory for %zu bins", bench->k_max);
    for (size_t i = 0; i < bench->case_count; i++) {
        const struct histogram_case *what = &bench->cases[i];
        if (case_edges(what->bins, what->k, PERF_HISTOGRAM_RANGE, what->h, EDGE_SEED, bench->edges))
            return perf_usage(error, "--h %g does not fit --k %zu (%s bins), expected k * h below %g", what->h, what->k,
                              case_bins_name(what->bins), PERF_HISTOGRAM_RANGE);
    }
    return PERF_OK;
}

static void write_name(const struct bench *bench, const struct histogram_case *what, const char *method, char *name,
                       size_t size) {
    snprintf(name, size, "histogram/%s/k:%zu/h:%g/%s/%s/%s/threads:%" PRIu32, case_bins_name(what->bins), what->k,
             what->h, case_data_name(what->data), bench->settings.dtype == UH_F32 ? "f32" : "f64", method,
             bench->threads);
}

static void print_names(const struct bench *bench) {
    char name[PERF_NAME_MAX];
    for (size_t i = 0; i < bench->case_count; i++) {
        write_name(bench, &bench->cases[i], "limit", name, sizeof name);
        puts(name);
        for (size_t j = 0; j < bench->settings.method_count; j++) {
            write_name(bench, &bench->cases[i], uh_method_name(bench->settings.method[j]), name, sizeof name);
            puts(name);
        }
        for (size_t j = 0; j < bench->settings.peers.count; j++) {
            char pattern[PERF_NAME_MAX];
            write_name(bench, &bench->cases[i], "*", pattern, sizeof pattern);
            perf_peers_name(pattern, bench->settings.peers.name[j], name);
            puts(name);
        }
    }
}

/* Draws the values, unless the ones of the case before serve: those of some shapes do not depend on the bins. */
static int fill_array(struct bench *bench, const struct histogram_case *what, const struct histogram_case *before,
                      struct perf_error *error) {
    int apart = what->data == CASE_NARROW || what->data == CASE_ONEBIN;
    if (before && before->data == what->data && !apart)
        return PERF_OK;
    int failed = bench->settings.dtype == UH_F32
                     ? case_fill_f32(what->data, what->k, bench->edges, DATA_SEED, bench->x, bench->n)
                     : case_fill_f64(what->data, what->k, bench->edges, DATA_SEED, bench->x, bench->n);
    if (failed)
        return perf_fail(error, "out of memory for %zu bins", what->k);
    perf_limit_init(&bench->limit, bench->x, bench->n * uh_dtype_size(bench->settings.dtype), bench->threads);
    return PERF_OK;
}

/* ---- one method ------------------------------------------------------------------------------------------------- */

static int library_failed(struct perf_error *error) {
    return perf_fail(error, "%s", uh_last_error());
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int contender_create(struct contender *contender, const uh_axis *axis, struct perf_error *error) {
    const struct bench *bench = contender->bench;
    uh_histogram_options options = {.struct_size = sizeof options, .method = contender->method};
    double start = now();
    if (uh_histogram_create(bench->queue, axis, &options, &contender->histogram) ||
        uh_histogram_prepare(contender->histogram, bench->settings.dtype))
        return library_failed(error);
    contender->prepare = now() - start;
    if (uh_histogram_plan_text(contender->histogram, bench->settings.dtype, contender->plan, sizeof contender->plan,
                               NULL))
        return library_failed(error);
    return PERF_OK;
}

static int reset_histogram(void *context, struct perf_error *error) {
    struct contender *contender = context;
    return uh_histogram_reset(contender->histogram) ? library_failed(error) : PERF_OK;
}

static int fill_histogram(void *context, struct perf_error *error) {
    struct contender *contender = context;
    const struct bench *bench = contender->bench;
    if (uh_histogram_fill(contender->histogram, bench->settings.dtype, bench->x, bench->n) ||
        uh_queue_wait(bench->queue))
        return library_failed(error);
    return PERF_OK;
}

static int check_histogram(void *context, struct perf_error *error) {
    struct contender *contender = context;
    const struct bench *bench = contender->bench;
    const struct perf_counts *expected = &bench->expected;
    char name[PERF_NAME_MAX];
    uh_flow flow;
    if (uh_histogram_counts(contender->histogram, bench->counts) || uh_histogram_flow(contender->histogram, &flow))
        return library_failed(error);
    write_name(bench, contender->what, uh_method_name(contender->method), name, sizeof name);
    if (flow.below != expected->below || flow.above != expected->above || flow.nan != expected->nan)
        return perf_fail(error,
                         "%s: wrong: %" PRIu64 " below, %" PRIu64 " above, %" PRIu64 " NaN, expected %" PRIu64
                         ", %" PRIu64 ", %" PRIu64,
                         name, flow.below, flow.above, flow.nan, expected->below, expected->above, expected->nan);
    if (memcmp(bench->counts, expected->bins, contender->what->k * sizeof *bench->counts) == 0)
        return PERF_OK;
    size_t bin = 0;
    while (bench->counts[bin] == expected->bins[bin])
        bin++;
    return perf_fail(error, "%s: wrong: bin %zu [%.17g, %.17g) counts %" PRIu64 ", expected %" PRIu64, name, bin,
                     bench->edges[bin], bench->edges[bin + 1], bench->counts[bin], expected->bins[bin]);
}

/* ---- one case --------------------------------------------------------------------------------------------------- */

/* Timing 0 is the limit's, the others are the methods' in their order. */
static int report_case(const struct bench *bench, const struct histogram_case *what, const struct contender *contenders,
                       const struct perf_timing *timings, struct perf_error *error) {
    const size_t methods = bench->settings.method_count;
    const struct perf_timing *binary = NULL;
    char k[32], h[32];
    int status = PERF_OK;
    snprintf(k, sizeof k, "%zu", what->k);
    snprintf(h, sizeof h, "%g", what->h);
    for (size_t i = 0; i < methods; i++)
        if (contenders[i].method == UH_METHOD_BINARY)
            binary = &timings[i + 1];
    for (size_t i = 0; status == PERF_OK && i <= methods; i++) {
        const struct contender *contender = i ? &contenders[i - 1] : NULL;
        const char *method = contender ? uh_method_name(contender->method) : "limit";
        struct perf_result result = {
            .labels = {case_data_name(what->data), case_bins_name(what->bins), k, h, method},
            .note = contender ? contender->plan : "reads the array once",
            .threads = bench->threads,
            .items = (double)bench->n,
            .bytes = (double)(bench->n * uh_dtype_size(bench->settings.dtype)),
            .timing = timings[i],
            .prepare = contender ? contender->prepare : 0,
            .limit = timings[0].median / timings[i].median,
            .baseline = binary ? binary->median / timings[i].median : 0,
        };
        write_name(bench, what, method, result.name, sizeof result.name);
        status = perf_report_add(bench->report, &result, error);
        if (status == PERF_OK && i == methods) {
            struct perf_peers_rivals rivals = {&timings[0], binary, (double)bench->n, 4};
            status = perf_peers_report(bench->peers, bench->report, &result, &rivals, &timings[methods + 1], error);
        }
    }
    return status;
}

static int measure_case(struct bench *bench, const struct histogram_case *what, struct perf_error *error) {
    size_t methods = bench->settings.method_count, peers = 0;
    struct contender contenders[PERF_LIST_MAX] = {{0}};
    struct perf_subject subjects[PERF_LIST_MAX + 1 + PERF_PEERS_MAX];
    struct perf_timing timings[PERF_LIST_MAX + 1 + PERF_PEERS_MAX];
    char pinning[128], name[PERF_NAME_MAX];
    uh_axis *axis = NULL;
    int status = PERF_OK;
    if (uh_axis_create_edges(UH_F64, bench->edges, what->k + 1, UH_CLOSED_LEFT, &axis))
        return library_failed(error);
    subjects[0] = perf_limit_subject(&bench->limit);
    for (size_t i = 0; status == PERF_OK && i < methods; i++) {
        contenders[i] = (struct contender){.bench = bench, .what = what, .method = bench->settings.method[i]};
        subjects[i + 1] = (struct perf_subject){
            .before = reset_histogram, .run = fill_histogram, .after = check_histogram, .context = &contenders[i]};
        status = contender_create(&contenders[i], axis, error);
    }
    write_name(bench, what, "*", name, sizeof name);
    struct perf_peers_case shared = {name, bench->settings.dtype, bench->x, bench->n, what->k, bench->edges};
    if (status == PERF_OK)
        status = perf_peers_take_case(bench->peers, &shared, subjects + methods + 1, &peers, error);
    /* Again, for a team of another size that made the tables may have replaced the pinned threads. */
    perf_pin_threads(&bench->cpus, bench->threads, pinning, sizeof pinning);
    if (status == PERF_OK)
        status = perf_measure(subjects, methods + 1 + peers, bench->settings.common.min_time, timings, error);
    perf_report_progress(NULL);
    if (status == PERF_OK)
        status = report_case(bench, what, contenders, timings, error);
    for (size_t i = 0; i < methods; i++)
        uh_histogram_destroy(contenders[i].histogram);
    uh_axis_destroy(axis);
    return status;
}

static int run_case(struct bench *bench, size_t index, struct perf_error *error) {
    const struct histogram_case *what = &bench->cases[index];
    char name[PERF_NAME_MAX];
    write_name(bench, what, "*", name, sizeof name);
    perf_report_progress("[%zu/%zu] %s", index + 1, bench->case_count, name);
    case_edges(what->bins, what->k, PERF_HISTOGRAM_RANGE, what->h, EDGE_SEED, bench->edges);
    int status = fill_array(bench, what, index ? what - 1 : NULL, error);
    if (status == PERF_OK)
        status = perf_reference_count(bench->x, bench->settings.dtype == UH_F64, bench->n, bench->edges, what->k,
                                      bench->threads, &bench->expected, error);
    return status == PERF_OK ? measure_case(bench, what, error) : status;
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

static int create_queue(struct bench *bench, struct perf_error *error) {
    uh_queue_options options = {.struct_size = sizeof options, .threads = bench->settings.common.threads};
    uh_device *device;
    if (uh_device_select("cpu", &device) || uh_queue_create(device, &options, &bench->queue))
        return library_failed(error);
    bench->threads = uh_queue_threads(bench->queue);
    return PERF_OK;
}

/* Four times the last-level cache, so that every repetition reads from memory; a quarter of the memory at most. */
static int create_array(struct bench *bench, struct perf_error *error) {
    const uint64_t unknown_cache = (uint64_t)64 << 20;
    size_t size = uh_dtype_size(bench->settings.dtype);
    uint64_t cache = bench->machine.last_level_cache ? bench->machine.last_level_cache : unknown_cache;
    uint64_t bytes = 4 * cache, most = bench->machine.memory / 4;
    if (most && bytes > most)
        bytes = most;
    bench->n = bench->settings.common.n ? bench->settings.common.n : (size_t)(bytes / size);
    bench->x = bench->n > SIZE_MAX / size ? NULL : perf_array_create(bench->n * size, bench->threads);
    if (!bench->x)
        return perf_fail(error, "out of memory for %zu values; --n sets how many", bench->n);
    return PERF_OK;
}

static int print_facts(struct bench *bench, const char *pinning, struct perf_error *error) {
    double bytes = (double)(bench->n * uh_dtype_size(bench->settings.dtype));
    char text[256];
    int status = perf_report_machine(bench->report, &bench->machine, error);
    snprintf(text, sizeof text, "%" PRIu32 " thread%s, %s", bench->threads, bench->threads > 1 ? "s" : "", pinning);
    if (status == PERF_OK)
        status = perf_report_fact(bench->report, "threads", text, error);
    snprintf(text, sizeof text, "%zu %s, %.1f MiB; last-level cache %.1f MiB", bench->n,
             uh_dtype_name(bench->settings.dtype), bytes / 0x1p20, (double)bench->machine.last_level_cache / 0x1p20);
    return status == PERF_OK ? perf_report_fact(bench->report, "array", text, error) : status;
}

static int run_all(struct bench *bench, struct perf_error *error) {
    struct perf_table table = {
        .count = 5,
        .titles = {"data", "bins", "k", "h", "method"},
        .widths = {-8, -7, 7, 7, bench->settings.peers.count ? -22 : -9},
        .baseline = "x binary",
    };
    char pinning[128];
    int status = perf_report_create(bench->settings.common.json, &table, &bench->report, error);
    if (status == PERF_OK)
        status = perf_machine_init(&bench->machine, error);
    if (status != PERF_OK)
        return status;
    perf_cpus_init(&bench->cpus);
    perf_pin_threads(&bench->cpus, bench->threads, pinning, sizeof pinning);
    status = create_array(bench, error);
    if (status == PERF_OK)
        status = print_facts(bench, pinning, error);
    if (status == PERF_OK)
        status = perf_peers_create(&bench->settings.peers, bench->report, &bench->peers, error);
    if (status == PERF_OK)
        perf_report_head(bench->report);
    for (size_t i = 0; status == PERF_OK && i < bench->case_count; i++)
        status = run_case(bench, i, error);
    perf_report_progress(NULL);
    return status == PERF_OK ? perf_report_write(bench->report, error) : status;
}

int uhi_perf_histogram(int argc, char **argv, struct perf_error *error) {
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return perf_fail(error, "out of memory");
    int status = perf_histogram_settings(&bench->settings, argc, argv, error);
    if (status == PERF_OK && bench->settings.common.help) {
        perf_histogram_help();
        goto out;
    }
    if (status == PERF_OK)
        status = list_cases(bench, error);
    if (status == PERF_OK)
        status = create_queue(bench, error);
    if (status != PERF_OK)
        goto out;
    if (bench->settings.common.list)
        print_names(bench);
    else
        status = run_all(bench, error);
out:
    perf_peers_destroy(bench->peers);
    perf_report_destroy(bench->report);
    uh_queue_destroy(bench->queue);
    free(bench->x);
    free(bench->expected.bins);
    free(bench->counts);
    free(bench->edges);
    free(bench->cases);
    free(bench);
    return status;
}
