/* SPDX-License-Identifier: Apache-2.0 */
/* Where a device counts points on two or three axes in one launch: a function of sizes and the device alone. */
#ifndef UHI_FUSED_SHAPE_H
#define UHI_FUSED_SHAPE_H

#include <unihist/runtime.h>

enum uhi_fused_tier {
    UHI_FUSED_NONE,   /* nothing fits: axis by axis */
    UHI_FUSED_LOCAL,  /* tables and counts in local memory */
    UHI_FUSED_MIXED,  /* counts in local memory, tables in global memory */
    UHI_FUSED_GLOBAL, /* tables in local memory, counts in global memory */
    UHI_FUSED_TIERS
};

struct uhi_fused_shape {
    enum uhi_fused_tier tier;
    uint32_t spread;         /* a counter in local memory has 2^spread copies side by side */
    uint32_t private_tables; /* of counts in global memory; a power of two */
    size_t group_size;       /* work-items of a group */
    size_t groups;           /* that fill the device */
    size_t local_tables;     /* bytes of local memory for tables, 0 for none */
    size_t local_counts;     /* bytes of local memory for counts, 0 for none */
};

/* The shape of one tier, for `slots` counters and tables of `table_bytes`, those of all axes; UHI_FUSED_NONE where they
 * do not fit so. */
struct uhi_fused_shape uhi_fused_shape_of(enum uhi_fused_tier tier, uint64_t slots, uint64_t table_bytes,
                                          const uh_device_properties *device);

/* The first that fits: local, global, mixed. */
struct uhi_fused_shape uhi_fused_shape_choose(uint64_t slots, uint64_t table_bytes, const uh_device_properties *device);

/* Says the shape in words, as snprintf does; returns the whole length. */
int uhi_fused_shape_text(const struct uhi_fused_shape *shape, char *text, size_t size);

#endif
