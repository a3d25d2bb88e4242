/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf histogram: the paper's workload (section V) and what it left out, by every method; small fills; the
 * making of plans; and all that has a goal. */
#include "perf/bench.h"
#include "perf/histogram_goals.h"
#include "perf/histogram_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is measured ------------------------------------------------------------------------------------------- */

/* Puts the library's own number of threads where the user gave none. */
static int settle_threads(struct histogram_bench *bench, struct perf_error *error) {
    struct perf_numbers *threads = &bench->settings.threads;
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && i < threads->count; i++) {
        uh_queue *queue;
        status = histogram_queue(bench, (uint32_t)threads->value[i], &queue, error);
        if (status == PERF_OK)
            threads->value[i] = uh_queue_threads(queue);
    }
    return status;
}

static int list_cases(struct histogram_bench *bench, struct perf_error *error) {
    struct histogram_cases *cases = &bench->cases;
    int status = bench->settings.measure == HISTOGRAM_GOALS
                     ? histogram_goals_list(bench, error)
                     : histogram_cases_list(cases, &bench->settings, &bench->machine, error);
    for (size_t i = 0; i < cases->count; i++)
        for (size_t t = 0; t < cases->list[i].threads->count; t++) {
            uint32_t threads = (uint32_t)cases->list[i].threads->value[t];
            bench->threads_max = threads > bench->threads_max ? threads : bench->threads_max;
        }
    return status;
}

static int print_names(struct histogram_bench *bench, struct perf_error *error) {
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && i < bench->cases.count; i++) {
        const struct histogram_case *what = &bench->cases.list[i];
        struct histogram_rivals rivals = {0};
        char name[PERF_NAME_MAX];
        status = histogram_rivals_list(bench, what, &rivals, error);
        for (size_t j = 0; status == PERF_OK && j < rivals.count; j++) {
            histogram_case_name(what, rivals.list[j].method, rivals.list[j].threads, name, sizeof name);
            puts(name);
        }
        for (size_t j = 0; status == PERF_OK && what->measure == HISTOGRAM_FILL && j < bench->settings.peers.count;
             j++) {
            histogram_case_name(what, bench->settings.peers.name[j], 1, name, sizeof name);
            puts(name);
        }
        histogram_rivals_free(&rivals);
    }
    return status;
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

/* The arrays of the cases, each told once: "1000 float32, 0.0 MiB; last-level cache 105.0 MiB". */
static void write_arrays(const struct histogram_bench *bench, char *text, size_t size) {
    const struct histogram_cases *cases = &bench->cases;
    size_t length = 0;
    for (size_t i = 0; i < cases->count && length < size; i++) {
        const struct histogram_case *what = &cases->list[i];
        size_t before = 0;
        while (before < i && (cases->list[before].n != what->n || cases->list[before].dtype != what->dtype))
            before++;
        if (before == i && what->measure == HISTOGRAM_FILL)
            length +=
                (size_t)snprintf(text + length, size - length, "%zu %s, %.1f MiB; ", what->n,
                                 uh_dtype_name(what->dtype), (double)(what->n * uh_dtype_size(what->dtype)) / 0x1p20);
    }
    if (length < size)
        snprintf(text + length, size - length, "last-level cache %.1f MiB",
                 (double)bench->machine.last_level_cache / 0x1p20);
}

static int print_facts(struct histogram_bench *bench, const char *pinning, struct perf_error *error) {
    char text[1024];
    size_t searched = 0;
    int status = perf_report_machine(bench->report, &bench->machine, error);
    snprintf(text, sizeof text, "%s%" PRIu32 " thread%s, %s", bench->settings.threads.count > 1 ? "up to " : "",
             bench->threads_max, bench->threads_max > 1 ? "s" : "", pinning);
    if (status == PERF_OK)
        status = perf_report_fact(bench->report, "threads", text, error);
    write_arrays(bench, text, sizeof text);
    if (status == PERF_OK)
        status = perf_report_fact(bench->report, "array", text, error);
    for (size_t i = 0; i < bench->cases.count; i++)
        if (bench->cases.list[i].search && bench->cases.list[i].search < bench->cases.list[i].n)
            searched = bench->cases.list[i].search;
    snprintf(text, sizeof text, "timed with at most the first %zu values of the array", searched);
    if (status == PERF_OK && searched)
        status = perf_report_fact(bench->report, "binary", text, error);
    if (status == PERF_OK && bench->cases.left_out)
        status = perf_report_fact(bench->report, "left out", bench->cases.left_out, error);
    return status;
}

/* Cases of the same kind stand in one table. */
static int run_cases(struct histogram_bench *bench, struct perf_error *error) {
    const struct histogram_cases *cases = &bench->cases;
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && i < cases->count; i++) {
        const struct histogram_case *what = &cases->list[i];
        char name[PERF_NAME_MAX];
        if (i == 0 || what->measure != what[-1].measure) {
            size_t count = 1;
            while (i + count < cases->count && what[count].measure == what->measure)
                count++;
            histogram_report_head(bench, what, count);
        }
        histogram_case_name(what, "*", (uint32_t)what->threads->value[what->threads->count - 1], name, sizeof name);
        perf_report_progress("[%zu/%zu] %s", i + 1, cases->count, name);
        status = histogram_rivals_measure(bench, what, error);
    }
    perf_report_progress(NULL);
    return status;
}

static int run_all(struct histogram_bench *bench, struct perf_error *error) {
    static const struct perf_table none = {.count = 0};
    char pinning[128];
    unsigned missed = 0;
    int status = perf_report_create(bench->settings.common.json, &none, &bench->report, error);
    if (status != PERF_OK)
        return status;
    perf_pin_threads(&bench->cpus, bench->threads_max, pinning, sizeof pinning);
    status = histogram_work_create(&bench->work, &bench->cases, bench->threads_max, error);
    if (status == PERF_OK)
        status = print_facts(bench, pinning, error);
    if (status == PERF_OK)
        status = perf_peers_create(&bench->settings.peers, bench->report, &bench->peers, error);
    if (status == PERF_OK)
        status = run_cases(bench, error);
    if (status == PERF_OK && bench->settings.measure == HISTOGRAM_GOALS)
        status = histogram_goals_report(bench, &missed, error);
    if (status == PERF_OK)
        status = perf_report_write(bench->report, error);
    if (status == PERF_OK && missed)
        return perf_fail(error, "%u floor%s missed", missed, missed > 1 ? "s are" : " is");
    return status;
}

int uhi_perf_histogram(int argc, char **argv, struct perf_error *error) {
    struct histogram_bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return perf_fail(error, "out of memory");
    int status = perf_histogram_settings(&bench->settings, argc, argv, error);
    if (status == PERF_OK && bench->settings.common.help) {
        perf_histogram_help();
        goto out;
    }
    if (status == PERF_OK)
        status = perf_machine_init(&bench->machine, error);
    if (status == PERF_OK)
        status = settle_threads(bench, error);
    perf_cpus_init(&bench->cpus);
    if (status == PERF_OK)
        status = list_cases(bench, error);
    if (status != PERF_OK)
        goto out;
    status = bench->settings.common.list ? print_names(bench, error) : run_all(bench, error);
out:
    perf_peers_destroy(bench->peers);
    perf_report_destroy(bench->report);
    for (size_t i = 0; i < bench->queue_count; i++)
        uh_queue_destroy(bench->queues[i]);
    histogram_work_free(&bench->work);
    histogram_cases_free(&bench->cases);
    free(bench->outcomes);
    free(bench);
    return status;
}
