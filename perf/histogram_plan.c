/* SPDX-License-Identifier: Apache-2.0 */
/* The making of plans, beside looking at each edge once. */
#include "perf/histogram_rivals.h"

#include <stdlib.h>
#include <string.h>

/* ---- the library ------------------------------------------------------------------------------------------------ */

struct planner {
    uh_queue *queue;
    uh_axis *axis;
    uh_histogram *histogram;
};

static int planner_start(struct histogram_rival *rival, struct perf_error *error) {
    struct planner *planner = calloc(1, sizeof *planner);
    rival->state = planner;
    if (!planner)
        return perf_fail(error, "out of memory for a rival");
    int status = histogram_queue(rival->bench, rival->threads, &planner->queue, error);
    return status == PERF_OK ? histogram_axis(rival, &planner->axis, error) : status;
}

static int planner_before(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    struct planner *planner = rival->state;
    (void)error;
    uh_histogram_destroy(planner->histogram);
    planner->histogram = NULL;
    return PERF_OK;
}

static int planner_run(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    struct planner *planner = rival->state;
    uh_histogram_options options = {.struct_size = sizeof options, .method = rival->choice};
    if (uh_histogram_create(planner->queue, planner->axis, &options, &planner->histogram) ||
        uh_histogram_prepare(planner->histogram, rival->what->dtype))
        return histogram_library_failed(error);
    return PERF_OK;
}

/* Some values show that the plan is one of these bins. */
static int planner_after(void *context, struct perf_error *error) {
    struct histogram_rival *rival = context;
    const struct planner *planner = rival->state;
    struct perf_counts *found = &rival->bench->work.found;
    uh_dtype dtype = rival->what->dtype;
    uh_flow flow;
    if (!*rival->note && uh_histogram_plan_text(planner->histogram, dtype, rival->note, sizeof rival->note, NULL))
        return histogram_library_failed(error);
    if (uh_histogram_fill(planner->histogram, dtype, rival->bench->work.x, rival->n) ||
        uh_histogram_counts(planner->histogram, found->bins) || uh_histogram_flow(planner->histogram, &flow))
        return histogram_library_failed(error);
    found->below = flow.below;
    found->above = flow.above;
    found->nan = flow.nan;
    return histogram_rival_check(rival, found, error);
}

static void planner_end(struct histogram_rival *rival) {
    struct planner *planner = rival->state;
    if (planner) {
        uh_histogram_destroy(planner->histogram);
        uh_axis_destroy(planner->axis);
    }
    free(planner);
}

/* ---- the limit -------------------------------------------------------------------------------------------------- */

/* The edges go to a copy; where they did not ascend, one would have to sort. */
struct copy {
    double *edges;
    size_t ascending;
};

static int copy_start(struct histogram_rival *rival, struct perf_error *error) {
    struct copy *copy = calloc(1, sizeof *copy);
    rival->state = copy;
    if (copy)
        copy->edges = calloc(rival->what->k + 1, sizeof *copy->edges);
    return copy && copy->edges ? PERF_OK : perf_fail(error, "out of memory for %zu edges", rival->what->k + 1);
}

static int copy_run(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    struct copy *copy = rival->state;
    const double *edges = rival->bench->work.edges;
    size_t ascending = 0;
    (void)error;
    copy->edges[0] = edges[0];
    for (size_t j = 1; j <= rival->what->k; j++) {
        ascending += edges[j - 1] <= edges[j];
        copy->edges[j] = edges[j];
    }
    copy->ascending = ascending;
    return PERF_OK;
}

static int copy_after(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    const struct copy *copy = rival->state;
    const size_t k = rival->what->k;
    if (copy->ascending != k || memcmp(copy->edges, rival->bench->work.edges, (k + 1) * sizeof *copy->edges) != 0)
        return perf_fail(error, "the limit: the copied edges differ, or %zu of %zu ascend", copy->ascending, k);
    return PERF_OK;
}

static void copy_end(struct histogram_rival *rival) {
    struct copy *copy = rival->state;
    if (copy)
        free(copy->edges);
    free(copy);
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

int histogram_plan_rivals(struct histogram_bench *bench, const struct histogram_case *what,
                          struct histogram_rivals *rivals, struct perf_error *error) {
    struct histogram_rival rival = {.method = "limit",
                                    .note = "checks the edges' order and copies them",
                                    .threads = 1,
                                    .n = what->n,
                                    .role = HISTOGRAM_BASELINE,
                                    .start = copy_start,
                                    .run = copy_run,
                                    .after = copy_after,
                                    .end = copy_end};
    int status = histogram_rivals_add(rivals, &rival, error);
    for (size_t t = 0; t < what->threads->count; t++)
        for (size_t i = 0; status == PERF_OK && i < bench->settings.method_count; i++) {
            uh_method method = bench->settings.method[i];
            if (bench->settings.measure == HISTOGRAM_GOALS && method != UH_METHOD_AUTO)
                continue;
            rival = (struct histogram_rival){.method = uh_method_name(method),
                                             .choice = method,
                                             .threads = (uint32_t)what->threads->value[t],
                                             .n = what->n,
                                             .start = planner_start,
                                             .before = planner_before,
                                             .run = planner_run,
                                             .after = planner_after,
                                             .end = planner_end};
            status = histogram_rivals_add(rivals, &rival, error);
        }
    return status;
}
