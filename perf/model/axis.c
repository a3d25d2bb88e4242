/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/axis.h"

#include "kernels/common/shape.h"
#include "kernels/histogram/histogram_run.h"

#include <stdlib.h>

enum { LEVELS = 32 /* of a mesh: a way has room for their look-ups */ };

void model_values_draw(const struct model_case *of, const double *edges, uint64_t seed, void *values) {
    int failed = -1;
    if (of->type == UH_F32)
        failed = case_fill_f32(of->data, of->k, edges, seed, values, MODEL_POINTS);
    else if (of->type == UH_F64)
        failed = case_fill_f64(of->data, of->k, edges, seed, values, MODEL_POINTS);
    else if (of->type == UH_I32)
        failed = case_fill_i32(of->data, of->k, edges, seed, values, MODEL_POINTS);
    if (failed)
        perf_fail("%s values of type %s cannot be drawn for these bins", case_data_name(of->data),
                  uh_enum_name(UH_ENUM_DTYPE, of->type));
}

static void plan_axis(struct model_axis *axis, const struct model_device *device, const struct model_case *of,
                      size_t axes, size_t counters) {
    const uh_device_properties properties = model_device_properties(device);
    const struct uhi_edges edges = {
        .dtype = UH_F64, .values = axis->edges, .count = axis->k + 1, .closed = UH_CLOSED_LEFT};
    struct uhi_plan_options options = {.lookup = uhi_lookup_of_method(of->method),
                                       .body = UHI_BODY_DEVICE,
                                       .leaf_bins = 4,
                                       .table_bytes = (size_t)64 << 20,
                                       .keys = !device->fp64,
                                       .costs = uhi_costs_of(&properties),
                                       .room = uhi_shape_room(counters, &properties) / axes};
    if (options.room == 0 && axes > 1) /* as uhi_plan_aim */
        options.room = uhi_shape_room(1, &properties) / axes;
    perf_check(uhi_plan_create("unihist-model", &edges, of->type, &options, &axis->plan));
    if (axis->plan->tables.lookup == UHI_LOOKUP_MESH && axis->plan->tables.levels > LEVELS)
        perf_fail("the mesh has %u levels, expected at most %d", axis->plan->tables.levels, LEVELS);
    axis->image = perf_memory(1, uhi_histogram_image_bytes(axis->plan));
    uhi_histogram_image_write(axis->plan, axis->image);
    const struct model_tables tables = model_axis_tables(axis, 0, 0, 0);
    if (!model_is_followed(&tables))
        perf_fail("the model goes no way like that of %s values by method %s", uh_enum_name(UH_ENUM_DTYPE, of->type),
                  uh_enum_name(UH_ENUM_METHOD, of->method));
}

void model_axis_open(struct model_axis *axis, const struct model_device *device, const struct model_case *of,
                     size_t number, size_t axes, size_t counters) {
    const uint64_t seed = MODEL_SEED + number;
    *axis = (struct model_axis){.k = of->k,
                                .type = of->type,
                                .edges = perf_memory(of->k + 1, sizeof *axis->edges),
                                .values = perf_memory(MODEL_POINTS, uh_dtype_size(of->type))};
    if (case_edges(of->bins, of->k, MODEL_RANGE, of->h, seed, axis->edges))
        perf_fail("%s: h is %g, which does not fit %zu bins on (0, %g)", case_bins_name(of->bins), of->h, of->k,
                  MODEL_RANGE);
    model_values_draw(of, axis->edges, seed, axis->values);
    plan_axis(axis, device, of, axes, counters);
}

void model_axis_close(struct model_axis *axis) {
    uhi_plan_destroy(axis->plan);
    free(axis->image);
    free(axis->values);
    free(axis->edges);
}

struct model_tables model_axis_tables(const struct model_axis *axis, size_t number, int local, uint32_t address) {
    return (struct model_tables){.compare = axis->plan->tables.compare,
                                 .lookup = axis->plan->tables.lookup,
                                 .params = axis->image,
                                 .local = local,
                                 .address = address,
                                 .site = (uint32_t)number * MODEL_SITES};
}

uint32_t model_axis_near(const struct model_axis *axis) {
    return (uint32_t)uhi_histogram_near_bytes(axis->plan);
}

static double value_of(const struct model_axis *axis, size_t i) {
    if (axis->type == UH_I32)
        return ((const int32_t *)axis->values)[i];
    return axis->type == UH_F32 ? (double)((const float *)axis->values)[i] : ((const double *)axis->values)[i];
}

size_t model_axis_slot(const struct model_axis *axis, size_t i) {
    const double x = value_of(axis, i);
    size_t low = 0, high = axis->k + 1; /* edges up to low are at or below x, those from high on above it */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (axis->edges[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low == axis->k + 1 && x <= axis->edges[axis->k] ? axis->k : low;
}

void model_axis_check(const struct model_axis *axis, size_t i, size_t slot) {
    const size_t right = model_axis_slot(axis, i);
    if (slot != right)
        perf_fail("wrong: the model finds %.17g in slot %zu, it is in %zu", value_of(axis, i), slot, right);
}
