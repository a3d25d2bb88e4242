/* SPDX-License-Identifier: Apache-2.0 */
/* Groups are as large as the device has them. On Intel's, two such groups that take all the local memory they may, or
 * one on Ponte Vecchio, are half of the threads that a core has room for; those that take half of it are all of them:
 *
 *                                  Xe-LP, HPG         HPC
 *     local memory of a core       128 KiB            128 KiB
 *     of a group at most           64 KiB             128 KiB
 *     work-items of a group        512, 1024          1024
 *     of a core, in lanes of 16    1792, 2048         1024, twice in lanes of 32
 *
 * So copies of the counts, which keep work-items apart that add to the same cell, are taken as far as all threads stay,
 * and a few even where half of them do: with four, 16 lanes that meet in one cell wait hardly longer than 16 lanes at
 * random do for their banks. */
#include "kernels/histogramdd/fused_shape.h"

#include <stdio.h>

#include "kernels/common/engine.h"

enum {
    MOST_GROUP = 1024, /* work-items */
    MOST_SPREAD = 4,   /* 16 copies: as many as a message serves lanes at once */
    SOME_SPREAD = 2
};

/* The kernels' products of 16 bits allow no more. */
#define MOST_COUNTS ((uint64_t)128 << 10)

/* All tables of counts in global memory together; also at most a sixteenth of the device's memory. */
#define SLAB_BYTES ((uint64_t)64 << 20)

static uint64_t min(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* The largest spread of `counts` bytes that `room` has beside the tables, at most `most`; below 0 for none. */
static int spread_in(uint64_t room, uint64_t tables, uint64_t counts, int most) {
    const uint64_t fits = tables > room ? 0 : min(room - tables, MOST_COUNTS) / counts;
    int spread = -1;
    while (spread < most && fits >> (spread + 1))
        spread++;
    return spread;
}

static int choose_spread(uint64_t local, uint64_t tables, uint64_t counts) {
    const int all = spread_in(local / 2, tables, counts, MOST_SPREAD);
    const int half = spread_in(local, tables, counts, SOME_SPREAD);
    return all > half ? all : half;
}

struct uhi_fused_shape uhi_fused_shape_of(enum uhi_fused_tier tier, uint64_t slots, uint64_t table_bytes,
                                          const uh_device_properties *device) {
    const uint64_t local = device->local_memory, counts = slots * sizeof(uint32_t);
    const uint64_t items = device->max_group_size < MOST_GROUP ? device->max_group_size : MOST_GROUP;
    struct uhi_fused_shape shape = {.private_tables = 1, .group_size = uhi_power_of_two(items)};
    shape.groups = uhi_groups_to_fill(device, shape.group_size);
    const uint64_t tables = tier == UHI_FUSED_MIXED ? 0 : table_bytes;
    if (tier == UHI_FUSED_NONE || tier >= UHI_FUSED_TIERS || slots > UINT32_MAX || tables > local)
        return shape;
    shape.local_tables = tables;
    if (tier == UHI_FUSED_GLOBAL) {
        const uint64_t fit = min(SLAB_BYTES, device->memory / 16) / counts;
        shape.private_tables = (uint32_t)uhi_power_of_two(min(fit, shape.groups));
        shape.tier = tier;
        return shape;
    }
    const int spread = choose_spread(local, tables, counts);
    shape.spread = spread > 0 ? (uint32_t)spread : 0;
    shape.local_counts = counts << shape.spread;
    shape.tier = spread < 0 ? UHI_FUSED_NONE : tier;
    return shape;
}

struct uhi_fused_shape uhi_fused_shape_choose(uint64_t slots, uint64_t table_bytes,
                                              const uh_device_properties *device) {
    static const enum uhi_fused_tier tiers[] = {UHI_FUSED_LOCAL, UHI_FUSED_GLOBAL, UHI_FUSED_MIXED};
    struct uhi_fused_shape shape = {.tier = UHI_FUSED_NONE};
    for (size_t i = 0; i < sizeof tiers / sizeof *tiers && shape.tier == UHI_FUSED_NONE; i++)
        shape = uhi_fused_shape_of(tiers[i], slots, table_bytes, device);
    return shape;
}

int uhi_fused_shape_text(const struct uhi_fused_shape *shape, char *text, size_t size) {
    switch (shape->tier) {
    case UHI_FUSED_LOCAL:
        return snprintf(text, size, "tables and counts (%u times) in local memory, %zu groups of %zu",
                        1U << shape->spread, shape->groups, shape->group_size);
    case UHI_FUSED_MIXED:
        return snprintf(text, size, "counts (%u times) in local memory, %zu groups of %zu", 1U << shape->spread,
                        shape->groups, shape->group_size);
    default:
        return snprintf(text, size, "tables in local memory, counts (%u times) in global memory, %zu groups of %zu",
                        (unsigned)shape->private_tables, shape->groups, shape->group_size);
    }
}
