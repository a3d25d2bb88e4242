/* SPDX-License-Identifier: Apache-2.0 */
/* Integers counted as they are. */
#include "perf/model/model.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 4 };

struct integers {
    size_t k;
    int32_t *values;
    int local;
    uint32_t copies;
    uint32_t *counts; /* the group's, all copies of them, as the kernel keeps them */
};

static void *open_integers(const struct model_device *device, const struct model_case *of,
                           struct model_launch *launch) {
    struct integers *b = perf_memory(1, sizeof *b);
    const struct uhi_shape shape = model_launch_axes(device, NULL, 0, UHI_TIERS_OF_VALUES, "count", of->k, launch);
    double *edges = perf_memory(of->k + 1, sizeof *edges);
    b->k = of->k;
    b->local = shape.local_counts > 0;
    b->copies = launch->copies;
    b->values = perf_memory(MODEL_POINTS, sizeof *b->values);
    b->counts = perf_memory(of->k * b->copies, sizeof *b->counts);
    for (size_t v = 0; v <= of->k; v++)
        edges[v] = (double)v;
    model_values_draw(of, edges, MODEL_SEED, b->values);
    free(edges);
    snprintf(launch->kernel, sizeof launch->kernel, "count_%s_32", b->local ? "local" : "global");
    launch->width = WIDTH;
    launch->arrays = 1;
    return b;
}

static void follow_integers(void *work, size_t i, uint32_t lane, struct model_way *way) {
    struct integers *b = work;
    const uint32_t number = (uint32_t)b->values[i] * b->copies + (lane & (b->copies - 1));
    b->counts[number]++;
    model_way_count(way, 0, 4 * number, b->local);
}

static void check_integers(const void *work) {
    const struct integers *b = work;
    int64_t *wrong = perf_memory(b->k, sizeof *wrong);
    for (size_t i = 0; i < MODEL_POINTS; i++)
        wrong[b->values[i]]--;
    for (size_t v = 0; v < b->k; v++) {
        for (uint32_t copy = 0; copy < b->copies; copy++)
            wrong[v] += b->counts[v * b->copies + copy];
        if (wrong[v])
            perf_fail("wrong: the model counts %zu too often by %lld", v, (long long)wrong[v]);
    }
    free(wrong);
}

static void close_integers(void *work) {
    struct integers *b = work;
    free(b->values);
    free(b->counts);
}

const struct model_operation model_integers = {"integers", open_integers, follow_integers, check_integers,
                                               close_integers};
