/* SPDX-License-Identifier: Apache-2.0 */
/* Placement of counters on a device and number of work-items, by the histogram's size and the device alone. */
#pragma once

#include "kernels/common/engine.h"

/* Best first. */
enum uhi_tier {
    UHI_TIER_LOCAL,   /* tables and replicated counts in the group's local memory */
    UHI_TIER_TABLES,  /* tables in local memory, counts in global memory, one table per group or per few groups */
    UHI_TIER_MIXED,   /* replicated counts in local memory, tables in global memory */
    UHI_TIER_PRIVATE, /* counts in global memory, one table per group or per few groups */
    UHI_TIER_GLOBAL,  /* one table of counts in global memory */
    UHI_TIERS         /* none */
};

/* Sets of tiers that an operation has kernels for. UHI_TIER_PRIVATE implies UHI_TIER_GLOBAL. */
#define UHI_TIER_SET(tier) (1U << (tier))
enum {
    UHI_TIERS_LOCAL = UHI_TIER_SET(UHI_TIER_LOCAL) | UHI_TIER_SET(UHI_TIER_MIXED), /* counts in local memory */
    UHI_TIERS_OF_VALUES = UHI_TIERS_LOCAL | UHI_TIER_SET(UHI_TIER_PRIVATE),        /* one axis: any number of counts */
    UHI_TIERS_OF_POINTS = UHI_TIERS_LOCAL | UHI_TIER_SET(UHI_TIER_TABLES),         /* several axes */
    UHI_TIERS_ALL = UHI_TIERS_OF_VALUES | UHI_TIERS_OF_POINTS
};

struct uhi_shape {
    enum uhi_tier tier;
    uint32_t spread; /* local memory has 2^spread adjacent copies of a counter, one per lane: neighbouring lanes use
                        different words in different banks */
    uint32_t private_tables; /* tables of counts in global memory; a power of two */
    size_t group_size;       /* work-items per group */
    size_t groups;           /* groups that fill the device */
    size_t local_tables;     /* bytes of local memory for tables, 0 for none */
    size_t local_counts;     /* bytes of local memory for counts, 0 for none */
};

/* Returns the first of the tiers with room for `slots` counters and tables of `table_bytes`, so that at least half
 * of the device's threads are resident if tables or counters are in local memory; otherwise the first with room but
 * fewer threads; otherwise UHI_TIERS, but not with UHI_TIERS_OF_VALUES, whose last one every device has. */
struct uhi_shape uhi_shape_among(unsigned tiers, size_t slots, uint64_t table_bytes,
                                 const uh_device_properties *device);

/* Returns the bytes left for tables in local memory next to `slots` counters with a useful number of copies; 0 if
 * the counters are elsewhere. */
uint64_t uhi_shape_room(size_t slots, const uh_device_properties *device);

/* Returns the largest spread of counters (or other sums) of `bytes` without copies that fits `room` bytes of local
 * memory; 0 if none fits. */
uint32_t uhi_shape_spread(uint64_t bytes, uint64_t room);

/* Returns the bytes of local memory for the tables or, without these, for the counts; at least one vector. */
static inline size_t uhi_shape_local_bytes(const struct uhi_shape *shape) {
    const size_t bytes = shape->tier == UHI_TIER_MIXED ? shape->local_counts : shape->local_tables;
    return bytes ? bytes : 16;
}

/* Returns the number of groups worth launching for n values. At least 1. */
size_t uhi_shape_groups(const struct uhi_shape *shape, size_t n);

/* Returns the tier in the names of kernels: local, tables, mixed, or global for both that have the counts there. */
const char *uhi_shape_tier_name(enum uhi_tier tier);

/* Writes the shape in words, as snprintf; returns the full length. */
int uhi_shape_text(const struct uhi_shape *shape, char *text, size_t size);

/* As uhi_shape_among, for the engine's device and geometry. Local memory is per group, so any group size and number of
 * groups may use it. */
struct uhi_shape uhi_engine_shape(const struct uhi_engine *engine, unsigned tiers, size_t slots, uint64_t table_bytes);

/* ---- device memory for private tables: half of the free memory, because programs share a device ---- */

/* Stores how many of `wanted` bytes are allowed. If the driver does not report free memory, all memory counts as
 * free. `mine`, memory that the caller has and would use or replace, also counts as free. Small requests need no
 * query. Fails as uh_device_free_memory. */
uh_status uhi_memory_room(const struct uhi_engine *engine, uint64_t wanted, uint64_t mine, uint64_t *room);

/* Reduces the private tables of `slots` counters of a shape to those that fit; `mine` as above. */
uh_status uhi_memory_room_shape(const struct uhi_engine *engine, size_t slots, uint64_t mine, struct uhi_shape *shape);
