/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms: the plan of an axis as device kernels read it, and how the slots of a point's coordinates form its cell,
 * in C and in OpenCL C; and the host's functions.
 *
 * A cell is a number in mixed radix with one digit per axis: the bin, row-major. A point that misses an axis is in cell
 * UHI_NO_CELL. Where that is faster, points are counted with the slots themselves as digits: below, above and NaN are
 * digits too, and their counters are added to the flows at the end. */
#pragma once

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
    FIELD(uhi_u32, all_below)                                                                                          \
    FIELD(uhi_u32, none_above)                                                                                         \
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

#define UHI_NO_CELL 0xffffffffu

/* Counters per axis on a device: below, above, NaN, and for the last axis points in no cell. */
enum { UHI_FLOW_BELOW, UHI_FLOW_ABOVE, UHI_FLOW_NAN, UHI_FLOW_OUTSIDE, UHI_FLOW_COUNT };

/* Windows of exact sums per group in local memory, of sums and of sums of squares; a window of a slot has two words.
 * Local memory also has the flow counters and UHI_SUM_WORDS shared words. */
enum { UHI_SUM_DEPTH = 2, UHI_SQUARE_DEPTH = 4, UHI_SUM_WORDS = 4 };

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

/* An axis of few cuts, for a binary search with one permutation per step. A value's path has one bit per step, the
 * first step's lowest: whether the value has reached the step's cut. */
enum { UHI_PAIR_STEPS = 7, UHI_PAIR_CUTS = 126, UHI_PAIR_NAN = 127 /* path of NaN only */ };
struct uhi_pair_axis {
    _Alignas(64) float cut[11][16];   /* by the path so far: a row each for steps 0 to 4, two for 5, four for 6 */
    _Alignas(64) uint16_t digit[128]; /* by the whole path: the slot's contribution to the cell */
};

/* Host functions for points on several axes. */
struct uhi_points_host {
    /* Appends the slots of n points on an axis of `bins` bins to their cells, which `first` begins. Points that miss an
     * axis get `none`: the largest cell, or UHI_NO_CELL before the last axis. Returns the number that miss this
     * axis. */
    size_t (*combine)(const uint32_t *slot, size_t n, uint32_t bins, int first, uint32_t none, uint32_t *cell);
    /* Adds the number of slots that are below, above and NaN to flow[0], [1] and [2]. */
    void (*flow)(const uint32_t *slot, size_t n, uint32_t bins, uint64_t *flow);
    /* Returns the number of cells equal to `none`. */
    size_t (*outside)(const uint32_t *cell, size_t n, uint32_t none);
    /* Adds n narrow counters to the wide ones and zeroes them. */
    void (*widen)(uint16_t *narrow, size_t n, uint32_t *wide);
    /* Counts n points in counts[cell]; the cell is the sum of both axes' digits. NULL if the level lacks such
     * permutations. */
    void (*count_pair)(const struct uhi_pair_axis axes[2], const float *x, const float *y, size_t n, uint16_t *counts);
};

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
    /* Counts in UHI_REPLICAS tables of the look-up's counters (uhi_counter_count) in turn, at a pitch of `pitch`
     * counters, to hide the latency of counting one slot repeatedly; in one table if `pitch` is 0. Fewer than 2^32
     * values per call, so that no counter overflows. `memory` has room for the tables and UHI_PLACES_BYTES more.
     * Returns their place in it. */
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
    const struct uhi_points_host *points;
};

/* Tables per thread, and spare bytes to place them where their low address bits differ from those of the loaded
 * data. */
enum { UHI_REPLICAS = 4, UHI_PLACES_BYTES = 4096 };
#endif
