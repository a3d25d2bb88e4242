/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/axis.h"

#include "kernels/histogram/histogram_run.h"

/* As kernels are called by where they count. */
static const char *const names[] = {[UHI_TIER_LOCAL] = "local",
                                    [UHI_TIER_TABLES] = "tables",
                                    [UHI_TIER_MIXED] = "mixed",
                                    [UHI_TIER_PRIVATE] = "private",
                                    [UHI_TIER_GLOBAL] = "global"};

static void set_groups(struct model_launch *launch, size_t group_size, size_t groups, size_t tables, size_t counts) {
    launch->group_size = group_size;
    launch->groups = groups;
    launch->local_tables = (uint32_t)tables;
    launch->local_bytes = (uint32_t)(tables + counts);
}

struct uhi_shape model_launch_one(const struct model_device *device, size_t slots, uint64_t table_bytes,
                                  struct model_launch *launch) {
    const uh_device_properties properties = model_device_properties(device);
    const struct uhi_shape shape = uhi_shape_among(UHI_TIERS_OF_VALUES, slots, table_bytes, &properties);
    launch->where = names[shape.tier];
    launch->copies = shape.local_counts ? 1U << shape.spread : 1;
    set_groups(launch, shape.group_size, shape.groups, shape.local_tables, shape.local_counts);
    return shape;
}

void model_launch_points(const struct model_device *device, const struct model_axis *axes, size_t naxes,
                         const char *task, uint64_t words, int *local_tables, int *local_counts,
                         struct model_launch *launch) {
    const uh_device_properties properties = model_device_properties(device);
    uint64_t tables = 0;
    for (size_t a = 0; a < naxes; a++)
        tables += model_axis_near(&axes[a]);
    const struct uhi_shape shape =
        uhi_shape_among(naxes == 1 ? UHI_TIERS_LOCAL : UHI_TIERS_OF_POINTS, words, tables, &properties);
    if (shape.tier == UHI_TIERS)
        perf_fail("%s: points go axis by axis, which the model does not follow", task);
    *local_tables = shape.local_tables > 0;
    *local_counts = shape.local_counts > 0;
    launch->where = names[shape.tier];
    launch->copies = *local_counts ? 1U << shape.spread : 1;
    set_groups(launch, shape.group_size, shape.groups, shape.local_tables, shape.local_counts);
    uhi_histogram_kernel_name(axes[0].plan, task, shape.tier, launch->kernel, sizeof launch->kernel);
}
