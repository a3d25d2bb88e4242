/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram over one axis: the plan as device kernels read it, in C and in OpenCL C, and the host's functions. */
#ifndef UHI_HISTOGRAM_H
#define UHI_HISTOGRAM_H

#include "kernels/plan/maps.h"

/* Header of a plan on a device, which is one allocation. The tables begin `tables` bytes from its start, and offsets of
 * tables count from there; the first `near` bytes are the tables that every look-up reads first. Numbers of the
 * compared type are stored as their bits, extended to 64. With packed cells `lo` to `shift` are those of struct
 * uhi_packed, `ranks` and `thresholds` refer to cuts, and `slot` is indexed by rank among the cuts. Of the map
 * `logarithm` is 1 or 0. The list declares the structure, and kernels load it member by member. */
#define UHI_HISTOGRAM_PARAMS(FIELD)                                                                                    \
    FIELD(uhi_u64, flip)                                                                                               \
    FIELD(uhi_u64, first)                                                                                              \
    FIELD(uhi_u64, last)                                                                                               \
    FIELD(uhi_u64, lo)                                                                                                 \
    FIELD(uhi_u64, scale)                                                                                              \
    FIELD(uhi_u64, top)                                                                                                \
    FIELD(uhi_u64, end)                                                                                                \
    FIELD(uhi_i64, lo_key)                                                                                             \
    FIELD(uhi_i64, hi_key)                                                                                             \
    FIELD(uhi_i64, end_key)                                                                                            \
    FIELD(uhi_u64, bytes) /* of the whole allocation */                                                                \
    FIELD(uhi_u32, steps)                                                                                              \
    FIELD(uhi_u32, bins)                                                                                               \
    FIELD(uhi_u32, ranks)                                                                                              \
    FIELD(uhi_u32, below_all)                                                                                          \
    FIELD(uhi_u32, above_none)                                                                                         \
    FIELD(uhi_u32, leaf)                                                                                               \
    FIELD(uhi_u32, shift)                                                                                              \
    FIELD(uhi_u32, limit)                                                                                              \
    FIELD(uhi_u32, logarithm)                                                                                          \
    FIELD(uhi_u32, has_slot)                                                                                           \
    FIELD(uhi_u32, fraction)                                                                                           \
    FIELD(uhi_u32, rank_bits)                                                                                          \
    FIELD(uhi_u32, rank_mask)                                                                                          \
    FIELD(uhi_u32, single_mask)                                                                                        \
    FIELD(uhi_u32, nan)                                                                                                \
    FIELD(uhi_u32, counters) /* of a group: one per slot or per rank */                                                \
    FIELD(uhi_u32, thresholds)                                                                                         \
    FIELD(uhi_u32, base)                                                                                               \
    FIELD(uhi_u32, slot)                                                                                               \
    FIELD(uhi_u32, direct)                                                                                             \
    FIELD(uhi_u32, node_lo)                                                                                            \
    FIELD(uhi_u32, node_hi)                                                                                            \
    FIELD(uhi_u32, node_scale)                                                                                         \
    FIELD(uhi_u32, node_shift)                                                                                         \
    FIELD(uhi_u32, node_first)                                                                                         \
    FIELD(uhi_u32, mesh_nodes)                                                                                         \
    FIELD(uhi_u32, mesh_cells)                                                                                         \
    FIELD(uhi_u32, entry)                                                                                              \
    FIELD(uhi_u32, tables)                                                                                             \
    FIELD(uhi_u32, near)

struct uhi_histogram_params {
#define UHI_DECLARE(type, name) type name;
    UHI_HISTOGRAM_PARAMS(UHI_DECLARE)
#ifdef __OPENCL_C_VERSION__
    __global const uchar *far; /* all tables; set by load_params */
#else
    uint64_t far;
#endif
};

#ifndef __OPENCL_C_VERSION__
#include "kernels/common/values.h"
#include "kernels/plan/tables.h"

/* One axis's contribution to the cells of a block of points, and cells to count: those of the previous block while
 * searching, or those just found, afterwards. */
struct uhi_find {
    uint32_t *cell;      /* per point: multiplied by `digits`, then the slot is added; with `first` the slot alone */
    uint32_t digits;     /* slots of this axis */
    int first;           /* this axis is the first */
    const uint32_t *old; /* cells to count in counts[cell], each count below 65536 - old_count */
    size_t old_count;    /* a multiple of UHI_FIND_SHARES * 16; if `old` is `cell`, the number of points */
    uint16_t *counts;
};

/* Most points per block; number of shares in which they are counted, each a whole number of vectors. */
enum { UHI_FIND_BLOCK = 4096, UHI_FIND_SHARES = 32 };

/* Host functions; one table per x86-64 level. */
struct uhi_histogram_host {
    /* Stores the slots of all values. */
    void (*lookup)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint32_t *slot);
    /* Finds the slots of at most UHI_FIND_BLOCK values, appends them to the cells as one more digit, and counts
     * cells. */
    void (*find)(const struct uhi_histogram_tables *tables, struct uhi_values x, const struct uhi_find *find);
    /* Adds to counts[slot]. */
    void (*count)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint64_t *counts);
    /* The same with atomic additions, for concurrent threads. */
    void (*count_atomic)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint64_t *counts);
    /* Counts in UHI_REPLICAS tables of the look-up's counters (uhi_counter_count) in turn, `pitch` counters apart, to
     * hide the latency of counting one slot repeatedly; in one table if `pitch` is 0. Fewer than 2^32 values per call,
     * so that no counter overflows. `memory` has room for the tables and UHI_PLACES_BYTES more. Returns their place in
     * it. */
    uint32_t *(*count_replicas)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint32_t *memory,
                                size_t pitch);
    /* Counts further contiguous, aligned values in a table of count_replicas, if there is only one (pitch 0). */
    void (*count_more)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint32_t *counts);
    /* Stores the first-level cells, shifted right, of n contiguous, aligned values, n a multiple of 16; for packed
     * cells and cdf. */
    void (*cells)(const struct uhi_histogram_tables *tables, const void *x, size_t n, uint32_t shift, uint32_t *cell);
    /* Sums table[index[i]] over n indices, a multiple of 16, by single loads (`each`) or by gathers; for timing
     * (kernels/common/loads.h). */
    uint32_t (*sum)(const uint32_t *table, const uint32_t *index, size_t n, int each);
};

/* Tables per thread, and spare bytes to place them where their low address bits differ from those of the loaded
 * data. */
enum { UHI_REPLICAS = 4, UHI_PLACES_BYTES = 4096 };
#endif

#endif
