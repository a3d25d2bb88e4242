/* SPDX-License-Identifier: Apache-2.0 */
/* Filling from an array: the limit and the library's methods, by each number of threads. */
#include "perf/histogram_rivals.h"

#include <stdlib.h>
#include <time.h>

/* ---- a histogram of the library --------------------------------------------------------------------------------- */

struct library {
    uh_queue *queue;
    uh_histogram *histogram;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int library_start(struct histogram_rival *rival, struct perf_error *error) {
    const struct histogram_case *what = rival->what;
    uh_histogram_options options = {.struct_size = sizeof options, .method = rival->choice};
    struct library *library = calloc(1, sizeof *library);
    uh_axis *axis = NULL;
    if (!library)
        return perf_fail(error, "out of memory for a rival");
    rival->state = library;
    int status = histogram_queue(rival->bench, rival->threads, &library->queue, error);
    if (status != PERF_OK)
        return status;
    status = histogram_axis(rival, &axis, error);
    if (status != PERF_OK)
        return status;
    double start = now();
    if (uh_histogram_create(library->queue, axis, &options, &library->histogram) ||
        uh_histogram_prepare(library->histogram, what->dtype))
        status = histogram_library_failed(error);
    rival->prepare = now() - start;
    if (status == PERF_OK &&
        uh_histogram_plan_text(library->histogram, what->dtype, rival->note, sizeof rival->note, NULL))
        status = histogram_library_failed(error);
    uh_axis_destroy(axis);
    return status;
}

static int library_before(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    const struct library *library = rival->state;
    return uh_histogram_reset(library->histogram) ? histogram_library_failed(error) : PERF_OK;
}

static int library_run(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    const struct library *library = rival->state;
    const size_t bytes = rival->n * uh_dtype_size(rival->what->dtype);
    const unsigned char *x = rival->bench->work.x;
    for (size_t call = 0; call < rival->what->calls; call++)
        if (uh_histogram_fill(library->histogram, rival->what->dtype, x + call * bytes, rival->n))
            return histogram_library_failed(error);
    return uh_queue_wait(library->queue) ? histogram_library_failed(error) : PERF_OK;
}

static int library_after(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    const struct library *library = rival->state;
    struct perf_counts *found = &rival->bench->work.found;
    uh_flow flow;
    if (uh_histogram_counts(library->histogram, found->bins) || uh_histogram_flow(library->histogram, &flow))
        return histogram_library_failed(error);
    found->below = flow.below;
    found->above = flow.above;
    found->nan = flow.nan;
    return histogram_rival_check(rival, found, error);
}

static void library_end(struct histogram_rival *rival) {
    struct library *library = rival->state;
    if (library)
        uh_histogram_destroy(library->histogram);
    free(library);
}

struct histogram_rival histogram_library_rival(uh_method method, uint32_t threads, size_t n) {
    return (struct histogram_rival){.method = uh_method_name(method),
                                    .choice = method,
                                    .threads = threads,
                                    .n = n,
                                    .start = library_start,
                                    .before = library_before,
                                    .run = library_run,
                                    .after = library_after,
                                    .end = library_end};
}

/* ---- the limit -------------------------------------------------------------------------------------------------- */

static int limit_start(struct histogram_rival *rival, struct perf_error *error) {
    const struct histogram_work *work = &rival->bench->work;
    struct perf_limit *limit = malloc(sizeof *limit);
    if (!limit)
        return perf_fail(error, "out of memory for the limit");
    *limit = (struct perf_limit){.data = work->x,
                                 .bytes = rival->n * uh_dtype_size(rival->what->dtype) / 8 * 8,
                                 .threads = rival->threads,
                                 .expected = work->sum};
    rival->state = limit;
    return PERF_OK;
}

static int limit_run(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    struct perf_subject subject = perf_limit_subject(rival->state);
    return subject.run(subject.context, error);
}

static int limit_after(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    struct perf_subject subject = perf_limit_subject(rival->state);
    return subject.after(subject.context, error);
}

static void limit_end(struct histogram_rival *rival) {
    free(rival->state);
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

int histogram_fill_rivals(struct histogram_bench *bench, const struct histogram_case *what,
                          struct histogram_rivals *rivals, struct perf_error *error) {
    const struct histogram_rival limit = {.method = "limit",
                                          .note = "reads the array once",
                                          .n = what->n,
                                          .role = HISTOGRAM_LIMIT,
                                          .start = limit_start,
                                          .run = limit_run,
                                          .after = limit_after,
                                          .end = limit_end};
    int status = PERF_OK;
    for (size_t t = 0; status == PERF_OK && t < what->threads->count; t++) {
        uint32_t threads = (uint32_t)what->threads->value[t];
        struct histogram_rival rival = limit;
        rival.threads = threads;
        status = histogram_rivals_add(rivals, &rival, error);
        for (size_t i = 0; status == PERF_OK && i < bench->settings.method_count; i++) {
            uh_method method = bench->settings.method[i];
            int baseline = method == UH_METHOD_BINARY;
            rival = histogram_library_rival(
                method, threads, baseline && what->search && what->search < what->n ? what->search : what->n);
            rival.role = baseline ? HISTOGRAM_BASELINE : HISTOGRAM_RIVAL;
            status = histogram_rivals_add(rivals, &rival, error);
        }
    }
    return status;
}
