/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/meanshift_tables.h"

#include "perf/bench.h"
#include "perf/tables.h"

#include <stdlib.h>
#include <string.h>

/* 1, 2, 4, ... and the most. */
static void list_threads(struct meanshift_results *results, uint32_t most) {
    for (uint32_t t = 1; t < most && results->thread_count + 1 < MEANSHIFT_THREADS_MAX; t *= 2)
        results->threads[results->thread_count++] = t;
    results->threads[results->thread_count++] = most;
}

/* The host, and then the device that is named, or the first GPU. */
static int find_devices(struct perf_bench *bench, struct perf_error *error) {
    const char *named = bench->options.device;
    if (named && strcmp(named, "all") == 0)
        return perf_usage(error, "--device is 'all', expected one device");
    bench->options.device = NULL;
    int status = perf_find_devices(bench, "cpu", error);
    bench->options.device = named;
    if (status != PERF_OK)
        return status;
    struct perf_device host = bench->devices[0], *both = NULL;
    free(bench->devices);
    bench->devices = NULL;
    bench->device_count = 0;
    status = perf_find_devices(bench, "gpu", error);
    if (status != PERF_OK)
        return status;
    both = calloc(2, sizeof *both);
    if (!both)
        return perf_fail(error, "out of memory for the devices");
    both[0] = host;
    both[1] = bench->devices[0];
    free(bench->devices);
    bench->devices = both;
    bench->device_count = both[1].host ? 1 : 2;
    return PERF_OK;
}

static int begin(struct meanshift_results *results, struct perf_error *error) {
    struct perf_bench *bench = results->bench;
    const struct perf_options *options = &bench->options;
    const uint32_t most =
        options->given & PERF_GIVEN_THREADS ? (uint32_t)options->threads.value[0] : (uint32_t)bench->cpus.count;
    char text[160], pinning[128];
    int status = find_devices(bench, error);
    if (status != PERF_OK)
        return status;
    results->device = bench->device_count > 1 ? &bench->devices[1] : NULL;
    list_threads(results, most ? most : 1);
    meanshift_list(results);
    if (options->list)
        return PERF_OK;
    if (!bench->told)
        status = perf_report_machine(bench->report, &bench->machine, error);
    perf_pin_threads(&bench->cpus, most, pinning, sizeof pinning);
    snprintf(text, sizeof text, "%u thread%s at most, %s", (unsigned)most, most > 1 ? "s" : "", pinning);
    return status == PERF_OK ? perf_report_fact(bench->report, "threads", text, error) : status;
}

static int write_all(const struct meanshift_results *results, struct perf_error *error) {
    const struct perf_bench *bench = results->bench;
    char *text = NULL, *json = meanshift_json(results);
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file)
        meanshift_text(results, file);
    int status = PERF_OK;
    if (!file || fclose(file) || !json)
        status = perf_fail(error, "out of memory for the figures");
    if (status == PERF_OK && perf_interrupted)
        status = perf_fail(error, "interrupted");
    if (status == PERF_OK)
        status = perf_tables_publish(bench, json, text, NULL, error);
    free(text);
    free(json);
    return status;
}

static void print_names(const struct meanshift_results *results) {
    for (size_t i = 0; i < results->count; i++) {
        const struct meanshift_times *times = &results->times[i];
        printf("meanshift/figures/d:%zu/n:%zu/%s/threads:%u\n", times->set->dims, times->n,
               meanshift_by_name(times->by), (unsigned)times->threads);
    }
}

int perf_meanshift(struct perf_bench *bench, struct perf_error *error) {
    struct meanshift_results *results = calloc(1, sizeof *results);
    if (!results)
        return perf_fail(error, "out of memory for the results");
    results->bench = bench;
    results->runs = (size_t)bench->options.runs;
    results->iterations = (size_t)bench->options.iterations;
    int status = begin(results, error);
    if (status == PERF_OK && bench->options.list) {
        print_names(results);
    } else {
        if (status == PERF_OK)
            status = meanshift_measure(results, error);
        if (status == PERF_OK)
            status = write_all(results, error);
    }
    perf_forget_cases(bench);
    free(results);
    return status;
}
