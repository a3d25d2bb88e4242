/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/predict.h"

#include "perf/model/simulate.h"

#include "kernels/histogram/histogram_upload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values that are simulated: whole shares of every sub-group, enough for the third digit. */
enum { VALUES = 1 << 17, SEED = 20260101, LEVELS = 32 };

const char *const model_bound_names[MODEL_BOUNDS] = {"issue", "local", "cache", "atomics", "memory", "latency"};

/* What a prediction is made of. */
struct work {
    double *edges;
    float *values;
    uint32_t *slots;
    void *image;
    struct uhi_histogram_plan *plan;
};

static void free_work(struct work *work) {
    uhi_plan_destroy(work->plan);
    free(work->image);
    free(work->slots);
    free(work->values);
    free(work->edges);
}

static int make_work(struct work *work, const uh_device_properties *properties, const struct model_case *of,
                     struct perf_error *error) {
    const size_t k = of->k;
    work->edges = calloc(k + 1, sizeof *work->edges);
    work->values = calloc(VALUES, sizeof *work->values);
    work->slots = calloc(VALUES, sizeof *work->slots);
    if (!work->edges || !work->values || !work->slots)
        return perf_fail(error, "out of memory");
    if (case_edges(of->bins, k, PAPER_RANGE, of->h, SEED, work->edges))
        return perf_fail(error, "%s: h is %g, which does not fit %zu bins on (0, %g)", case_bins_name(of->bins), of->h,
                         k, PAPER_RANGE);
    if (case_fill_f32(of->data, k, work->edges, SEED, work->values, VALUES))
        return perf_fail(error, "%s values cannot be drawn for these bins", case_data_name(of->data));
    const struct uhi_edges edges = {.dtype = UH_F64, .values = work->edges, .count = k + 1, .closed = UH_CLOSED_LEFT};
    const struct uhi_plan_options options = {.method = of->method,
                                             .body = UHI_BODY_DEVICE,
                                             .leaf_bins = 4,
                                             .table_bytes = (size_t)64 << 20,
                                             .costs = uhi_costs_of(properties),
                                             .room = uhi_shape_room(k + 3, properties)};
    if (uhi_plan_create("unihist-model", &edges, UH_F32, &options, &work->plan))
        return perf_library_failed(error);
    work->image = malloc(uhi_histogram_image_bytes(work->plan));
    if (!work->image)
        return perf_fail(error, "out of memory");
    if (work->plan->tables.map == UHI_MAP_MESH && work->plan->tables.levels > LEVELS)
        return perf_fail(error, "the mesh has %u levels, expected at most %d", work->plan->tables.levels, LEVELS);
    uhi_histogram_image_write(work->plan, work->image);
    return PERF_OK;
}

/* The model goes the kernels' ways; so it must arrive where they do: between the edges. */
static int check_slots(const struct work *work, size_t k, struct perf_error *error) {
    for (size_t i = 0; i < VALUES; i++) {
        const double x = (double)work->values[i];
        size_t low = 0, high = k + 1; /* edges up to low are at or below x, those from high on above it */
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if (work->edges[middle] <= x)
                low = middle + 1;
            else
                high = middle;
        }
        const size_t slot = low == k + 1 && x <= work->edges[k] ? k : low;
        if (work->slots[i] != slot)
            return perf_fail(error, "wrong: the model finds %.9g in slot %u, it is in %zu", x, work->slots[i], slot);
    }
    return PERF_OK;
}

/* Values that a work-item takes at once: histogram_slot.inc. */
static uint32_t width_of(const struct uhi_histogram_tables *tables) {
    return uhi_is_packed_on_devices(tables) ? MODEL_WIDTH : 4;
}

/* How many groups of a core there are room and threads for. */
static void fill_core(const struct model_device *device, const struct model_kernel *kernel,
                      struct model_prediction *prediction) {
    const struct uhi_shape *shape = &prediction->shape;
    const uint32_t all = device->engines * device->threads / (kernel->registers > 128 ? 2 : 1);
    const uint32_t group = (uint32_t)((shape->group_size + kernel->lanes - 1) / kernel->lanes);
    const uint32_t launched = (uint32_t)((shape->groups + device->cores - 1) / device->cores);
    prediction->local_bytes = model_local_size(device, (uint32_t)(shape->local_tables + shape->local_counts));
    uint32_t groups = all / group;
    if (prediction->local_bytes && groups > device->local_bytes / prediction->local_bytes)
        groups = device->local_bytes / prediction->local_bytes;
    prediction->groups = groups < launched ? groups : launched;
    prediction->threads = prediction->groups * group;
}

/* Bounds, in points a second. */
static void bound(const struct model_device *device, const struct model_kernel *kernel, const struct model_sums *sums,
                  uint32_t width, struct model_prediction *p) {
    const double n = (double)sums->values, lanes = kernel->lanes, cores = device->cores, clock = device->clock;
    const double reads = kernel->messages[MODEL_GLOBAL_BLOCK] + 1. / width; /* of a point's share of a vector */
    const double blocks = kernel->messages[MODEL_LOCAL_BLOCK];
    p->lookups = (double)sums->messages * lanes / n;
    p->local_messages = (double)sums->local_messages * lanes / n + blocks;
    p->local_cycles = ((double)sums->local_cycles * lanes / n + blocks) / lanes;
    p->lines = (double)sums->lines / n + (double)sizeof(float) / device->line_bytes;
    p->atomic_cycles = (double)sums->atomic_cycles / n;
    p->slots = model_kernel_slots(kernel, p->lookups + 1. / width);
    const double global = p->lookups + blocks - p->local_messages + reads;
    const double wait = p->local_messages * device->local_latency + global * device->global_latency +
                        p->slots * lanes; /* a thread, for a point of each of its lanes */
    p->rate[MODEL_ISSUE] = cores * device->engines * clock / p->slots;
    p->rate[MODEL_LOCAL] = p->local_cycles > 0 ? cores * clock / p->local_cycles : HUGE_VAL;
    p->rate[MODEL_CACHE] = cores * clock * device->lines / p->lines;
    p->rate[MODEL_ATOMICS] = p->atomic_cycles > 0 ? device->atomic_lines * clock / p->atomic_cycles : HUGE_VAL;
    p->rate[MODEL_MEMORY] = device->memory_rate / sizeof(float);
    p->rate[MODEL_LATENCY] = cores * p->threads * lanes * clock / wait;
    p->binds = MODEL_ISSUE;
    for (int i = 0; i < MODEL_BOUNDS; i++)
        if (p->rate[i] < p->rate[p->binds])
            p->binds = (enum model_bound)i;
}

int model_predict(const struct model_device *device, const struct model_figures *figures, const struct model_case *of,
                  struct model_prediction *prediction, struct perf_error *error) {
    const uh_device_properties properties = model_device_properties(device);
    const struct model_kernel *kernel;
    struct work work = {.plan = NULL};
    struct model_sums sums = {.values = 0};
    int status = make_work(&work, &properties, of, error);
    if (status != PERF_OK)
        goto out;
    *prediction =
        (struct model_prediction){.shape = uhi_shape_choose(uhi_histogram_counters(&work.plan->tables),
                                                            uhi_histogram_near_bytes(work.plan), &properties)};
    uhi_plan_text(work.plan, uh_method_name(of->method), UHI_BODY_DEVICE, prediction->plan, sizeof prediction->plan);
    uhi_histogram_kernel_name(work.plan, uhi_histogram_count_prefix(prediction->shape.tier), prediction->kernel,
                              sizeof prediction->kernel);
    kernel = model_kernel_find(figures, prediction->kernel);
    if (!kernel) {
        status = perf_fail(error, "there are no figures of %s", prediction->kernel);
        goto out;
    }
    fill_core(device, kernel, prediction);
    const struct model_counting counting = {device,
                                            &prediction->shape,
                                            {uhi_histogram_lookup(&work.plan->tables), work.image},
                                            kernel->lanes,
                                            width_of(&work.plan->tables)};
    model_simulate(&counting, work.values, VALUES, work.slots, &sums);
    status = check_slots(&work, of->k, error);
    if (status == PERF_OK)
        bound(device, kernel, &sums, counting.width, prediction);
out:
    free_work(&work);
    return status;
}
