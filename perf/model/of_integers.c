/* SPDX-License-Identifier: Apache-2.0 */
/* Integers counted as they are. */
#include "perf/model/axis.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 4 };

struct integers {
    struct model_axis axis; /* of unit bins, without a plan: for the values, and for what is right */
    int local;
    uint32_t copies;
    uint32_t *counts; /* the group's, all copies of them */
};

/* The counts are kept as the kernel keeps them, and those in the unit bins are what is right. */
static void *open_integers(const struct model_device *device, const struct model_case *of,
                           struct model_launch *launch) {
    struct integers *b = perf_memory(1, sizeof *b);
    const struct uhi_shape shape = model_launch_one(device, of->k, 0, launch);
    b->local = shape.local_counts > 0;
    b->copies = launch->copies;
    b->axis = (struct model_axis){.k = of->k,
                                  .type = UH_I32,
                                  .edges = perf_memory(of->k + 1, sizeof *b->axis.edges),
                                  .values = perf_memory(MODEL_POINTS, sizeof(int32_t))};
    b->counts = perf_memory(of->k * b->copies, sizeof *b->counts);
    if (case_edges(CASE_EQUAL, of->k, (double)of->k, 0, MODEL_SEED, b->axis.edges))
        perf_fail("out of memory");
    snprintf(launch->kernel, sizeof launch->kernel, "count_%s_32", b->local ? "local" : "global");
    launch->width = WIDTH;
    launch->arrays = 1;
    model_values_draw(of, b->axis.edges, MODEL_SEED, b->axis.values);
    return b;
}

static void follow_integers(void *work, size_t i, uint32_t lane, struct model_way *way) {
    struct integers *b = work;
    const uint32_t value = (uint32_t)((const int32_t *)b->axis.values)[i];
    const uint32_t number = value * b->copies + (lane & (b->copies - 1));
    b->counts[number]++;
    model_way_count(way, 0, 4 * number, b->local);
}

static void check_integers(const void *work) {
    const struct integers *b = work;
    int64_t *wrong = perf_memory(b->axis.k + 2, sizeof *wrong); /* by slots */
    for (size_t i = 0; i < MODEL_POINTS; i++)
        wrong[model_axis_slot(&b->axis, i)]--;
    for (size_t v = 0; v < b->axis.k; v++) {
        for (uint32_t copy = 0; copy < b->copies; copy++)
            wrong[v + 1] += b->counts[v * b->copies + copy];
        if (wrong[v + 1])
            perf_fail("wrong: the model counts %zu too often by %lld", v, (long long)wrong[v + 1]);
    }
    free(wrong);
}

static void close_integers(void *work) {
    struct integers *b = work;
    model_axis_close(&b->axis);
    free(b->counts);
    free(b);
}

const struct model_operation model_integers = {"integers", open_integers, follow_integers, check_integers,
                                               close_integers};
