/* SPDX-License-Identifier: Apache-2.0 */
/* Integers counted as they are. */
#include "perf/model/model.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 4 };

struct integers {
    int32_t *values;
    int local;
    uint32_t copies;
    uint32_t counters[MODEL_POINTS]; /* each one's number */
};

static void *open_integers(const struct model_device *device, const struct model_case *of,
                           struct model_launch *launch) {
    struct integers *b = perf_memory(1, sizeof *b);
    const struct uhi_shape shape = model_launch_axes(device, NULL, 0, UHI_TIERS_OF_VALUES, "count", of->k, launch);
    double *edges = perf_memory(of->k + 1, sizeof *edges);
    b->local = shape.local_counts > 0;
    b->copies = launch->copies;
    b->values = perf_memory(MODEL_POINTS, sizeof *b->values);
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
    b->counters[i] = (uint32_t)b->values[i] * b->copies + (lane & (b->copies - 1));
    model_way_count(way, 0, 4 * b->counters[i], b->local);
}

static void check_integers(const void *work) {
    const struct integers *b = work;
    for (size_t i = 0; i < MODEL_POINTS; i++)
        if (b->counters[i] / b->copies != (uint32_t)b->values[i])
            perf_fail("wrong: the model counts %d as %u", b->values[i], b->counters[i] / b->copies);
}

static void close_integers(void *work) { free(((struct integers *)work)->values); }

const struct model_operation model_integers = {"integers", open_integers, follow_integers, check_integers,
                                               close_integers};
