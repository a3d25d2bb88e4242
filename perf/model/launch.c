/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/launch.h"

#include "kernels/histogram/histogram_upload.h"
#include "kernels/histogramdd/fused_shape.h"

#include <stdio.h>

static void set_groups(struct model_launch *launch, size_t group_size, size_t groups, size_t tables, size_t counts) {
    launch->group_size = group_size;
    launch->groups = groups;
    launch->local_tables = (uint32_t)tables;
    launch->local_bytes = (uint32_t)(tables + counts);
}

struct uhi_shape model_launch_one(const struct model_device *device, size_t slots, uint64_t table_bytes,
                                  struct model_launch *launch) {
    static const char *const tiers[] = {[UHI_TIER_LOCAL] = "local",
                                        [UHI_TIER_MIXED] = "mixed",
                                        [UHI_TIER_PRIVATE] = "private",
                                        [UHI_TIER_GLOBAL] = "global"};
    const uh_device_properties properties = model_device_properties(device);
    const struct uhi_shape shape = uhi_shape_choose(slots, table_bytes, &properties);
    launch->where = tiers[shape.tier];
    launch->copies = shape.local_counts ? 1U << shape.spread : 1;
    set_groups(launch, shape.group_size, shape.groups, shape.local_tables, shape.local_counts);
    return shape;
}

int model_launch_points(const struct model_device *device, const struct model_axis *axes, size_t naxes,
                        const char *task, uint64_t words, int *local_tables, int *local_counts,
                        struct model_launch *launch, struct perf_error *error) {
    static const char *const tiers[UHI_FUSED_TIERS] = {
        [UHI_FUSED_LOCAL] = "local", [UHI_FUSED_MIXED] = "mixed", [UHI_FUSED_GLOBAL] = "global"};
    const uh_device_properties properties = model_device_properties(device);
    char prefix[32];
    uint64_t tables = 0;
    for (size_t a = 0; a < naxes; a++)
        tables += model_axis_near(&axes[a]);
    struct uhi_fused_shape shape = uhi_fused_shape_choose(words, tables, &properties);
    if (naxes == 1 && shape.tier == UHI_FUSED_GLOBAL)
        shape = uhi_fused_shape_of(UHI_FUSED_MIXED, words, tables, &properties);
    if (shape.tier == UHI_FUSED_NONE)
        return perf_fail(error, "%s: points go axis by axis, which the model does not follow", task);
    *local_tables = shape.tier != UHI_FUSED_MIXED;
    *local_counts = shape.tier != UHI_FUSED_GLOBAL;
    launch->where = tiers[shape.tier];
    launch->copies = *local_counts ? shape.copies : 1;
    set_groups(launch, shape.group_size, shape.groups, shape.local_tables, shape.local_counts);
    snprintf(prefix, sizeof prefix, "%s_%s", task, launch->where);
    uhi_histogram_kernel_name(axes[0].plan, prefix, launch->kernel, sizeof launch->kernel);
    return PERF_OK;
}
