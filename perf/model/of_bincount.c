/* SPDX-License-Identifier: Apache-2.0 */
/* Integers counted as they are: bincount.cl. */
#include "perf/model/launch.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 4 };

struct bincount {
    struct model_axis axis; /* of unit bins, without a plan: for the values, and for what is right */
    int local;
    uint32_t copies;
    uint32_t *counts; /* the group's, all copies of them */
};

/* The counts are kept as the kernel keeps them, and those in the unit bins are what is right. */
static int open_bincount(const struct model_device *device, const struct model_case *of, void **work,
                         struct model_launch *launch, struct perf_error *error) {
    struct bincount *b = *work = calloc(1, sizeof *b);
    if (!b)
        return perf_fail(error, "out of memory");
    const struct uhi_shape shape = model_launch_one(device, of->k, 0, launch);
    b->local = shape.local_counts > 0;
    b->copies = launch->copies;
    b->axis = (struct model_axis){.k = of->k,
                                  .type = UH_I32,
                                  .edges = calloc(of->k + 1, sizeof *b->axis.edges),
                                  .values = calloc(MODEL_POINTS, sizeof(int32_t))};
    b->counts = calloc(of->k * b->copies, sizeof *b->counts);
    if (!b->axis.edges || !b->axis.values || !b->counts ||
        case_edges(CASE_EQUAL, of->k, (double)of->k, 0, MODEL_SEED, b->axis.edges))
        return perf_fail(error, "out of memory");
    snprintf(launch->kernel, sizeof launch->kernel, "count_%s_32", b->local ? "local" : "global");
    launch->width = WIDTH;
    launch->arrays = 1;
    return model_values_draw(of, b->axis.edges, MODEL_SEED, b->axis.values, error);
}

static void follow_bincount(void *work, size_t i, uint32_t lane, struct model_way *way) {
    struct bincount *b = work;
    const uint32_t value = (uint32_t)((const int32_t *)b->axis.values)[i];
    const uint32_t number = value * b->copies + (lane & (b->copies - 1));
    b->counts[number]++;
    model_way_count(way, 0, 4 * number, b->local);
}

static int check_bincount(const void *work, struct perf_error *error) {
    const struct bincount *b = work;
    int64_t *wrong = calloc(b->axis.k + 2, sizeof *wrong); /* by slots */
    int status = wrong ? PERF_OK : perf_fail(error, "out of memory");
    for (size_t i = 0; wrong && i < MODEL_POINTS; i++)
        wrong[model_axis_slot(&b->axis, i)]--;
    for (size_t v = 0; status == PERF_OK && v < b->axis.k; v++) {
        for (uint32_t copy = 0; copy < b->copies; copy++)
            wrong[v + 1] += b->counts[v * b->copies + copy];
        if (wrong[v + 1])
            status = perf_fail(error, "wrong: the model counts %zu too often by %lld", v, (long long)wrong[v + 1]);
    }
    free(wrong);
    return status;
}

static void close_bincount(void *work) {
    struct bincount *b = work;
    if (b) {
        model_axis_close(&b->axis);
        free(b->counts);
    }
    free(b);
}

const struct model_operation model_bincount = {"bincount", open_bincount, follow_bincount, check_bincount,
                                               close_bincount};
