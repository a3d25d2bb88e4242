/* SPDX-License-Identifier: Apache-2.0 */
/* Small fills with a ready plan, beside the loop that one would write instead. */
#include "perf/histogram_rivals.h"
#include "perf/plain_count.h"

#include <stdlib.h>
#include <string.h>

/* What the user's own program would hold: float32 edges, and counts with one more at each end. */
struct plain {
    float *edges;
    uint64_t *slots;
    plain_count count;
};

static int plain_start(struct histogram_rival *rival, struct perf_error *error) {
    const struct histogram_work *work = &rival->bench->work;
    size_t k = rival->what->k;
    struct plain *plain = calloc(1, sizeof *plain);
    rival->state = plain;
    if (plain) {
        plain->count = perf_plain_count(rival->bench->machine.isa);
        plain->edges = calloc(k + 1, sizeof *plain->edges);
        plain->slots = calloc(k + 2, sizeof *plain->slots);
    }
    if (!plain || !plain->edges || !plain->slots)
        return perf_fail(error, "out of memory for %zu bins", k);
    for (size_t j = 0; j <= k; j++)
        plain->edges[j] = (float)work->edges[j];
    return PERF_OK;
}

static int plain_before(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    const struct plain *plain = rival->state;
    (void)error;
    memset(plain->slots, 0, (rival->what->k + 2) * sizeof *plain->slots);
    return PERF_OK;
}

static int plain_run(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    const struct plain *plain = rival->state;
    const float *x = rival->bench->work.x;
    (void)error;
    for (size_t call = 0; call < rival->what->calls; call++)
        plain->count(x + call * rival->n, rival->n, plain->edges, rival->what->k, plain->slots);
    return PERF_OK;
}

static int plain_after(void *context, struct perf_error *error) {
    const struct histogram_rival *rival = context;
    const struct plain *plain = rival->state;
    const size_t k = rival->what->k;
    struct perf_counts found = {.bins = plain->slots + 1, .below = plain->slots[0], .above = plain->slots[k + 1]};
    return histogram_rival_check(rival, &found, error);
}

static void plain_end(struct histogram_rival *rival) {
    struct plain *plain = rival->state;
    if (plain) {
        free(plain->slots);
        free(plain->edges);
    }
    free(plain);
}

int histogram_calls_rivals(struct histogram_bench *bench, const struct histogram_case *what,
                           struct histogram_rivals *rivals, struct perf_error *error) {
    const struct histogram_rival plain = {.method = "plain",
                                          .note = "a loop in C: branch-free binary search in float32 edges",
                                          .threads = 1,
                                          .n = what->n,
                                          .role = HISTOGRAM_BASELINE,
                                          .start = plain_start,
                                          .before = plain_before,
                                          .run = plain_run,
                                          .after = plain_after,
                                          .end = plain_end};
    int status = histogram_rivals_add(rivals, &plain, error);
    for (size_t i = 0; status == PERF_OK && i < bench->settings.method_count; i++) {
        if (bench->settings.measure == HISTOGRAM_GOALS && bench->settings.method[i] != UH_METHOD_AUTO)
            continue;
        struct histogram_rival rival = histogram_library_rival(bench->settings.method[i], 1, what->n);
        status = histogram_rivals_add(rivals, &rival, error);
    }
    return status;
}
