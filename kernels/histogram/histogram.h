/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram over one axis: a plan as a device's kernels read it, in C and in OpenCL C, and the host's functions. */
#ifndef UHI_HISTOGRAM_H
#define UHI_HISTOGRAM_H

#include "kernels/plan/maps.h"

/* How a device's kernel finds a slot: one kernel for each. */
enum uhi_lookup {
    UHI_LOOKUP_DIRECT,
    UHI_LOOKUP_SEARCH,
    UHI_LOOKUP_LINEAR,
    UHI_LOOKUP_LINEAR_2, /* two levels */
    UHI_LOOKUP_LOGARITHM,
    UHI_LOOKUP_LOGARITHM_2,
    UHI_LOOKUP_MESH,
    UHI_LOOKUP_PACKED_LINEAR, /* struct uhi_packed: one look-up that brings rank and cut together */
    UHI_LOOKUP_PACKED_LOGARITHM
};

/* A plan on a device: one allocation that begins with this; the tables begin at `tables` bytes from its start and lie
 * at so many bytes from there, `near` bytes of those that every value is looked up in first. Numbers of the compared
 * type stand as their bits, extended to 64. With packed cells `lo` to `shift` are those of struct uhi_packed, `ranks`
 * and `thresholds` are of cuts, and `slot` is by ranks of cuts. */
struct uhi_histogram_params {
    uhi_u64 flip, first, last, lo, scale, top;
    uhi_i64 lo_key, hi_key;
    uhi_u64 bytes; /* of the whole allocation */
    uhi_u32 steps, bins, ranks, below_all, above_none, leaf, shift, limit, has_slot, fraction, rank_bits, nan;
    uhi_u32 counters; /* that a group counts in: of slots, or of ranks */
    uhi_u32 thresholds, base, slot, direct, node_lo, node_hi, node_scale, node_shift, node_first, mesh_nodes,
        mesh_cells, entry, part;
    uhi_u32 tables, near;
#ifdef __OPENCL_C_VERSION__
    __global const uchar *far; /* all tables, where a kernel finds them */
#else
    uint64_t far;
#endif
};

#ifndef __OPENCL_C_VERSION__
#include "kernels/common/values.h"
#include "kernels/plan/tables.h"

/* One axis's part in the cells of a block of points, and cells to count: of the block before, meanwhile, or those that
 * are found, afterwards. */
struct uhi_find {
    uint32_t *cell;  /* of each point: multiplied by `digits`, then the slot is added; with `first` the slot alone */
    uint32_t digits; /* slots of this axis */
    int first;       /* this axis is the first */
    const uint32_t *old; /* cells to count, each in counts[cell], which holds fewer than 65536 - old_count */
    size_t old_count;    /* a multiple of UHI_FIND_SHARES * 16, or, where `old` is `cell`, the points */
    uint16_t *counts;
};

/* Points of a block at most; counting is done in so many shares, each of a whole number of vectors. */
enum { UHI_FIND_BLOCK = 4096, UHI_FIND_SHARES = 32 };

/* The host's functions, one table for each x86-64 level. */
struct uhi_histogram_host {
    /* Stores the slots of all values. */
    void (*lookup)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint32_t *slot);
    /* Finds the slots of at most UHI_FIND_BLOCK values, as a digit more of the cells' numbers, and counts cells. */
    void (*find)(const struct uhi_histogram_tables *tables, struct uhi_values x, const struct uhi_find *find);
    /* Adds to counts[slot]. */
    void (*count)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint64_t *counts);
    /* Adds to counts[slot] with atomic additions, for several threads at once. */
    void (*count_atomic)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint64_t *counts);
    /* Counts in UHI_REPLICAS tables of the form's counters (uhi_counter_count) in turn, `pitch` apart, against the
     * latency of counting one slot again and again, or for a pitch of 0 in one; fewer than 2^32 values at a call, so
     * that no counter overflows. `memory` has room for them and UHI_PLACES_BYTES more. Returns where in it they are. */
    uint32_t *(*count_replicas)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint32_t *memory,
                                size_t pitch);
    /* Counts more in such a table, where there is one (a pitch of 0): values side by side, aligned. */
    void (*count_more)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint32_t *counts);
    /* Stores the first-level cells of n values, side by side and aligned, a multiple of 16, shifted right: of packed
     * cells, and of the linear and the logarithmic map. */
    void (*cells)(const struct uhi_histogram_tables *tables, const void *x, size_t n, uint32_t shift, uint32_t *cell);
    /* Adds up table[index[i]] for n indices, a multiple of 16, with a load for `each` or by gathers: to be timed
     * (kernels/common/loads.h). */
    uint32_t (*sum)(const uint32_t *table, const uint32_t *index, size_t n, int each);
};

/* Tables to count in, and room to place them where their low address bits differ from those of what is loaded. */
enum { UHI_REPLICAS = 4, UHI_PLACES_BYTES = 4096 };
#endif

#endif
