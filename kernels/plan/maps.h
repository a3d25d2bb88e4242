/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of the tables shared by the planner, the host's kernels and the device's kernels, in C and in OpenCL C.
 *
 * A slot is the counter of a value: 0 below the first bin, 1 to k the bins, k + 1 above the last, k + 2 NaN.
 *
 * Edges are converted to thresholds of the values' own type: t[j] is the smallest value at or past edge j, so that
 * every comparison is exact. A value's rank is the number of distinct thresholds it has reached. To find it, cells are
 * assigned to values; a table has the rank at the start of each cell, and most cells hold at most one threshold. The
 * cells are monotone in the value, and the table is made by evaluating the same expression at the thresholds: the rank
 * is exact however rough the cells. */
#pragma once

#include "kernels/common/integers.h"

#if defined(__OPENCL_C_VERSION__) && !defined(cl_khr_fp64)
#define UHI_NO_DOUBLE
#endif

/* How the cells of packed cells and of cdf divide the range. */
enum uhi_map {
    UHI_MAP_LINEAR,   /* equal cells: (x - lo) * scale for floats, (x - lo) >> shift for integers and positions */
    UHI_MAP_LOGARITHM /* cells of the float's ordered bits: (key - lo_key) >> shift */
};

/* A node of the mesh: cells first .. first + top of `mesh_cells`. Floats: cell = (x * pre - lo) * scale, with `pre`
 * 1, or 1/2 if the range would overflow; integers, and float64 as keys: uhi_integer_cell of keys.h, of x or, if
 * `limit` is not 0, of its position. Both limited to 0..top. */
struct uhi_mesh_node_f32 {
    float pre, lo, scale, top;
    uhi_u32 first;
};
#ifndef UHI_NO_DOUBLE
struct uhi_mesh_node_f64 {
    double pre, lo, scale, top;
    uhi_u32 first;
};
#endif
struct uhi_mesh_node_i64 {
    uhi_i64 lo;
    uhi_u32 limit, shift, scale, top;
    uhi_u32 first;
};
/* A cell's thresholds are offset .. (the next cell's offset) - 1; counts are not stored. Each node has one extra
 * cell for the last offset. `child` is the node that refines the cell, 0 for none. */
struct uhi_mesh_cell {
    uhi_u32 offset;
    uhi_u32 child;
};

/* cdf: marks the first rank of a cell that holds more than one threshold. Ranks are below 2^30. */
#define UHI_CROWDED ((uhi_u32)1 << 31)

/* Bits of the lower part of an entry of packed cells (tables.h), if the ranks fit. */
enum { UHI_RANK_BITS = 16 };

/* Masks of an entry's lower part of `bits` bits: of 1 + rank, and of the bits that are 0 only in crowded cells. */
static inline uhi_u32 uhi_rank_mask(uhi_u32 bits) {
    return bits == UHI_RANK_BITS ? ((uhi_u32)1 << UHI_RANK_BITS) - 1 : ((uhi_u32)1 << (bits - 1)) - 1;
}
static inline uhi_u32 uhi_single_mask(uhi_u32 bits) {
    return bits == UHI_RANK_BITS ? ((uhi_u32)1 << UHI_RANK_BITS) - 1 : (uhi_u32)1 << (bits - 1);
}
/* Mark of an entry that is not of a crowded cell, in addition to its rank. */
static inline uhi_u32 uhi_single_mark(uhi_u32 bits) { return bits == UHI_RANK_BITS ? 0 : (uhi_u32)1 << (bits - 1); }
