/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/model.h"

#include "kernels/histogram/histogram_run.h"
#include "tests/oracle.h"

#include <stdlib.h>

enum { LEVELS = 32 /* of a mesh: a way has room for their look-ups */ };

/* Bins reach from 0 to this, as the paper's. */
#define RANGE 1000.0

uh_device_properties model_device_properties(const struct model_device *device) {
    return (uh_device_properties){.struct_size = sizeof(uh_device_properties),
                                  .kind = UH_DEVICE_GPU,
                                  .vendor_id = 0x8086,
                                  .cores = device->cores * device->engines,
                                  .threads = device->cores * device->engines * device->threads,
                                  .memory = device->memory,
                                  .local_memory = device->group_local_bytes,
                                  .max_group_size = device->max_group_size,
                                  .fp64 = device->fp64 ? 1 : 0,
                                  .fp_exact = 1,
                                  .sub_group_sizes = {device->lanes, 2 * device->lanes}};
}

/* ---- bins, values, tables --------------------------------------------------------------------------------------- */

void model_values_draw(const struct model_case *of, const double *edges, uint64_t seed, void *values) {
    if (of->type == UH_U8 || case_fill(of->type, of->data, of->k, edges, seed, values, MODEL_POINTS))
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
    axis->params = perf_memory(1, uhi_histogram_image_bytes(axis->plan));
    uhi_histogram_image_write(axis->plan, axis->params);
    if (!model_is_followed(axis))
        perf_fail("the model goes no way like that of %s values by method %s", uh_enum_name(UH_ENUM_DTYPE, of->type),
                  uh_enum_name(UH_ENUM_METHOD, of->method));
}

void model_axis_open(struct model_axis *axis, const struct model_device *device, const struct model_case *of,
                     size_t number, size_t axes, size_t counters) {
    const uint64_t seed = MODEL_SEED + number;
    *axis = (struct model_axis){.k = of->k,
                                .type = of->type,
                                .site = (uint32_t)number * MODEL_SITES,
                                .edges = perf_memory(of->k + 1, sizeof *axis->edges),
                                .values = perf_memory(MODEL_POINTS, uh_dtype_size(of->type))};
    if (case_edges(of->bins, of->k, RANGE, of->h, seed, axis->edges))
        perf_fail("%s: h is %g, which does not fit %zu bins on (0, %g)", case_bins_name(of->bins), of->h, of->k, RANGE);
    model_values_draw(of, axis->edges, seed, axis->values);
    plan_axis(axis, device, of, axes, counters);
}

void model_axis_close(struct model_axis *axis) {
    uhi_plan_destroy(axis->plan);
    free(axis->params);
    free(axis->values);
    free(axis->edges);
}

static double value_of(const struct model_axis *axis, size_t i) {
    return axis->type == UH_F32 ? (double)((const float *)axis->values)[i] : ((const double *)axis->values)[i];
}

size_t model_axis_slot(const struct model_axis *axis, size_t i) {
    return oracle_slot_f64(axis->edges, axis->k, value_of(axis, i));
}

void model_axis_check(const struct model_axis *axis, size_t i, size_t slot) {
    const size_t right = model_axis_slot(axis, i);
    if (slot != right)
        perf_fail("wrong: the model finds %.17g in slot %zu, it is in %zu", value_of(axis, i), slot, right);
}

/* ---- launches --------------------------------------------------------------------------------------------------- */

/* Where kernels count; uhi_shape_tier_name does not distinguish private counts. */
static const char *const names[] = {[UHI_TIER_LOCAL] = "local",
                                    [UHI_TIER_TABLES] = "tables",
                                    [UHI_TIER_MIXED] = "mixed",
                                    [UHI_TIER_PRIVATE] = "private",
                                    [UHI_TIER_GLOBAL] = "global"};

struct uhi_shape model_launch_axes(const struct model_device *device, struct model_axis *axes, size_t naxes,
                                   unsigned tiers, const char *task, uint64_t words, struct model_launch *launch) {
    const uh_device_properties properties = model_device_properties(device);
    uint32_t tables = 0;
    for (size_t a = 0; a < naxes; a++) {
        axes[a].address = tables;
        tables += (uint32_t)uhi_histogram_near_bytes(axes[a].plan);
    }
    const struct uhi_shape shape = uhi_shape_among(tiers, words, tables, &properties);
    if (shape.tier == UHI_TIERS)
        perf_fail("%s: points go axis by axis, which the model does not follow", task);
    for (size_t a = 0; a < naxes; a++)
        axes[a].local = shape.local_tables > 0;
    launch->where = names[shape.tier];
    launch->copies = shape.local_counts ? 1U << shape.spread : 1;
    launch->group_size = shape.group_size;
    launch->groups = shape.groups;
    launch->local_tables = (uint32_t)shape.local_tables;
    launch->local_bytes = (uint32_t)(shape.local_tables + shape.local_counts);
    if (naxes)
        uhi_histogram_kernel_name(axes[0].plan, task, shape.tier, launch->kernel, sizeof launch->kernel);
    return shape;
}
