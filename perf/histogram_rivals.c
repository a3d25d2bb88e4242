/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/histogram_rivals.h"

#include "perf/histogram_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int histogram_library_failed(struct perf_error *error) {
    return perf_fail(error, "%s", uh_last_error());
}

int histogram_queue(struct histogram_bench *bench, uint32_t threads, uh_queue **queue, struct perf_error *error) {
    uh_queue_options options = {.struct_size = sizeof options, .threads = threads};
    uh_device *device;
    for (size_t i = 0; i < bench->queue_count; i++)
        if (uh_queue_threads(bench->queues[i]) == threads) {
            *queue = bench->queues[i];
            return PERF_OK;
        }
    if (bench->queue_count == PERF_LIST_MAX)
        return perf_fail(error, "more than %d numbers of threads", PERF_LIST_MAX);
    if (uh_device_select("cpu", &device) || uh_queue_create(device, &options, &bench->queues[bench->queue_count]))
        return histogram_library_failed(error);
    *queue = bench->queues[bench->queue_count++];
    return PERF_OK;
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

int histogram_rivals_add(struct histogram_rivals *rivals, const struct histogram_rival *rival,
                         struct perf_error *error) {
    if (rivals->count == rivals->room) {
        size_t room = rivals->room ? 2 * rivals->room : 16;
        struct histogram_rival *grown = realloc(rivals->list, room * sizeof *grown);
        if (!grown)
            return perf_fail(error, "out of memory for %zu rivals", room);
        rivals->list = grown;
        rivals->room = room;
    }
    rivals->list[rivals->count++] = *rival;
    return PERF_OK;
}

int histogram_rivals_list(struct histogram_bench *bench, const struct histogram_case *what,
                          struct histogram_rivals *rivals, struct perf_error *error) {
    int status = PERF_OK;
    switch (what->measure) {
    case HISTOGRAM_CALLS: status = histogram_calls_rivals(bench, what, rivals, error); break;
    case HISTOGRAM_PLAN: status = histogram_plan_rivals(bench, what, rivals, error); break;
    default: status = histogram_fill_rivals(bench, what, rivals, error); break;
    }
    for (size_t i = 0; i < rivals->count; i++) {
        rivals->list[i].bench = bench;
        rivals->list[i].what = what;
    }
    return status;
}

void histogram_rivals_free(struct histogram_rivals *rivals) {
    for (size_t i = 0; i < rivals->count; i++)
        if (rivals->list[i].end)
            rivals->list[i].end(&rivals->list[i]);
    free(rivals->list);
    *rivals = (struct histogram_rivals){0};
}

/* ---- checks ----------------------------------------------------------------------------------------------------- */

const struct perf_counts *histogram_rival_expected(const struct histogram_rival *rival) {
    const struct histogram_work *work = &rival->bench->work;
    return rival->n < rival->what->n ? &work->part : &work->expected;
}

int histogram_rival_check(const struct histogram_rival *rival, const struct perf_counts *found,
                          struct perf_error *error) {
    const struct perf_counts *expected = histogram_rival_expected(rival);
    const double *edges = rival->bench->work.edges;
    char name[PERF_NAME_MAX];
    histogram_case_name(rival->what, rival->method, rival->threads, name, sizeof name);
    if (found->below != expected->below || found->above != expected->above || found->nan != expected->nan)
        return perf_fail(error,
                         "%s: wrong: %" PRIu64 " below, %" PRIu64 " above, %" PRIu64 " NaN, expected %" PRIu64
                         ", %" PRIu64 ", %" PRIu64,
                         name, found->below, found->above, found->nan, expected->below, expected->above, expected->nan);
    if (memcmp(found->bins, expected->bins, rival->what->k * sizeof *found->bins) == 0)
        return PERF_OK;
    size_t bin = 0;
    while (found->bins[bin] == expected->bins[bin])
        bin++;
    return perf_fail(error, "%s: wrong: bin %zu [%.17g, %.17g) counts %" PRIu64 ", expected %" PRIu64, name, bin,
                     edges[bin], edges[bin + 1], found->bins[bin], expected->bins[bin]);
}

/* ---- a measurement ---------------------------------------------------------------------------------------------- */

/* A team of another size, for tables or of another rival, may have replaced the threads that were pinned. */
static int turn_before(void *context, struct perf_error *error) {
    struct histogram_rival *rival = context;
    char pinning[128];
    if (rival->what->threads->count > 1)
        perf_pin_threads(&rival->bench->cpus, rival->threads, pinning, sizeof pinning);
    return rival->before ? rival->before(rival, error) : PERF_OK;
}

static int measure(struct histogram_bench *bench, const struct histogram_rivals *rivals, struct perf_error *error) {
    struct perf_subject *subjects = calloc(rivals->count, sizeof *subjects);
    struct perf_timing *timings = calloc(rivals->count, sizeof *timings);
    uint32_t threads = 1;
    char pinning[128];
    int status = PERF_OK;
    if (!subjects || !timings) {
        status = perf_fail(error, "out of memory for %zu rivals", rivals->count);
        goto out;
    }
    for (size_t i = 0; status == PERF_OK && i < rivals->count; i++) {
        struct histogram_rival *rival = &rivals->list[i];
        subjects[i] = (struct perf_subject){
            .before = turn_before, .run = rival->run, .after = rival->after, .context = rival, .times = rival->times};
        threads = rival->threads > threads ? rival->threads : threads;
        if (rival->start)
            status = rival->start(rival, error);
    }
    if (status == PERF_OK) {
        perf_pin_threads(&bench->cpus, threads, pinning, sizeof pinning);
        status = perf_measure(subjects, rivals->count, bench->settings.common.min_time, timings, error);
    }
    perf_report_progress(NULL);
    if (status == PERF_OK)
        status = histogram_report_case(bench, rivals, timings, error);
out:
    free(timings);
    free(subjects);
    return status;
}

int histogram_rivals_measure(struct histogram_bench *bench, const struct histogram_case *what,
                             struct perf_error *error) {
    struct histogram_rivals rivals = {0};
    int status = histogram_work_prepare(&bench->work, what, bench->threads_max, error);
    if (status == PERF_OK)
        status = histogram_rivals_list(bench, what, &rivals, error);
    if (status == PERF_OK && what->measure == HISTOGRAM_FILL)
        status = histogram_peers_rivals(bench, what, &rivals, error);
    if (status == PERF_OK)
        status = measure(bench, &rivals, error);
    histogram_rivals_free(&rivals);
    return status;
}
