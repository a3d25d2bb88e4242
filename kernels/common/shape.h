/* SPDX-License-Identifier: Apache-2.0 */
/* Where a device counts, and with how many work-items: a function of the histogram's size and the device alone. */
#ifndef UHI_SHAPE_H
#define UHI_SHAPE_H

#include <unihist/runtime.h>

/* The best first. */
enum uhi_tier {
    UHI_TIER_LOCAL,   /* tables and replicated counts in the group's local memory */
    UHI_TIER_TABLES,  /* tables in local memory, counts in global memory, a table of them for each group or for a few */
    UHI_TIER_MIXED,   /* replicated counts in local memory, tables in global memory */
    UHI_TIER_PRIVATE, /* counts in global memory, a table of them for each group or for a few */
    UHI_TIER_GLOBAL,  /* one table of counts in global memory */
    UHI_TIERS         /* none */
};

/* Sets of tiers: those that an operation has kernels for. With UHI_TIER_PRIVATE goes UHI_TIER_GLOBAL. */
#define UHI_TIER_SET(tier) (1U << (tier))
enum {
    UHI_TIERS_LOCAL = UHI_TIER_SET(UHI_TIER_LOCAL) | UHI_TIER_SET(UHI_TIER_MIXED), /* counts in local memory */
    UHI_TIERS_OF_VALUES = UHI_TIERS_LOCAL | UHI_TIER_SET(UHI_TIER_PRIVATE),        /* one axis: any number of counts */
    UHI_TIERS_OF_POINTS = UHI_TIERS_LOCAL | UHI_TIER_SET(UHI_TIER_TABLES)          /* several axes */
};

struct uhi_shape {
    enum uhi_tier tier;
    uint32_t spread;         /* a counter in local memory has 2^spread copies side by side, a lane each: neighbouring
                                lanes are at different words, in different banks */
    uint32_t private_tables; /* tables of counts in global memory; a power of two */
    size_t group_size;       /* work-items of a group */
    size_t groups;           /* that fill the device */
    size_t local_tables;     /* bytes of local memory for tables, 0 for none */
    size_t local_counts;     /* bytes of local memory for counts, 0 for none */
};

/* Chooses the first of the tiers that has room for `slots` counters and tables of `table_bytes`, so that at least half
 * of the device's threads are resident where tables or counters are in local memory; where none has, the first that has
 * it with fewer threads; else UHI_TIERS. */
struct uhi_shape uhi_shape_among(unsigned tiers, size_t slots, uint64_t table_bytes,
                                 const uh_device_properties *device);

/* The same among UHI_TIERS_OF_VALUES, of which every device can do the last. */
struct uhi_shape uhi_shape_choose(size_t slots, uint64_t table_bytes, const uh_device_properties *device);

/* Bytes of tables that have room in local memory beside so many counters, these with as many copies as are worth it. 0
 * where the counters are elsewhere. */
uint64_t uhi_shape_room(size_t slots, const uh_device_properties *device);

/* The largest spread of counters, or of other words that are added to, `bytes` without copies, for which there is
 * `room` in local memory; 0 where there is for none. */
uint32_t uhi_shape_spread(uint64_t bytes, uint64_t room);

/* How many groups are worth launching for n values. At least 1. */
size_t uhi_shape_groups(const struct uhi_shape *shape, size_t n);

/* Says the shape in words, as snprintf does; returns the whole length. */
int uhi_shape_text(const struct uhi_shape *shape, char *text, size_t size);

#endif
