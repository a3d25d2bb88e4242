/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/shape.h"

#include <stdio.h>

#include "kernels/common/engine.h"

enum {
    MAX_REPLICAS = 16 /* as many as a sub-group's lanes: beyond it they no longer meet */
};

/* All tables of counts in global memory together; also at most a sixteenth of the device's memory. */
#define SLAB_BYTES ((uint64_t)64 << 20)

static uint64_t min(uint64_t a, uint64_t b) { return a < b ? a : b; }

struct uhi_shape uhi_shape_choose(size_t slots, uint64_t table_bytes, const uh_device_properties *device) {
    const uint64_t pitch = (uint64_t)slots | 1, counts = pitch * sizeof(uint32_t);
    const uint64_t local = device->local_memory, half = local / 2;
    struct uhi_shape shape = {.pitch = (uint32_t)pitch, .replicas = 1, .private_tables = 1};
    shape.group_size = uhi_group_size(device);
    shape.groups = uhi_groups_to_fill(device, shape.group_size);
    if (table_bytes <= half && counts <= half - table_bytes) {
        shape.tier = UHI_TIER_LOCAL;
        shape.replicas = (uint32_t)uhi_power_of_two(min(MAX_REPLICAS, (half - table_bytes) / counts));
        shape.local_tables = table_bytes;
    } else if (counts <= local) {
        shape.tier = UHI_TIER_MIXED;
        shape.replicas = (uint32_t)uhi_power_of_two(min(MAX_REPLICAS, half / counts));
    } else {
        uint64_t room = min(SLAB_BYTES, device->memory / 16) / ((uint64_t)slots * sizeof(uint32_t));
        shape.private_tables = (uint32_t)uhi_power_of_two(min(room, shape.groups));
        shape.tier = shape.private_tables > 1 ? UHI_TIER_PRIVATE : UHI_TIER_GLOBAL;
    }
    if (shape.tier == UHI_TIER_LOCAL || shape.tier == UHI_TIER_MIXED)
        shape.local_counts = shape.replicas * counts;
    return shape;
}

size_t uhi_shape_groups(const struct uhi_shape *shape, size_t n) {
    return uhi_groups_for(shape->groups, shape->group_size, n);
}

int uhi_shape_text(const struct uhi_shape *shape, char *text, size_t size) {
    switch (shape->tier) {
    case UHI_TIER_LOCAL:
        return snprintf(text, size, "; tables and counts (%u times) in local memory, %zu groups of %zu",
                        (unsigned)shape->replicas, shape->groups, shape->group_size);
    case UHI_TIER_MIXED:
        return snprintf(text, size, "; counts (%u times) in local memory, %zu groups of %zu", (unsigned)shape->replicas,
                        shape->groups, shape->group_size);
    case UHI_TIER_PRIVATE:
        return snprintf(text, size, "; %u tables of counts in global memory, %zu groups of %zu",
                        (unsigned)shape->private_tables, shape->groups, shape->group_size);
    default:
        return snprintf(text, size, "; one table of counts in global memory, %zu groups of %zu", shape->groups,
                        shape->group_size);
    }
}
