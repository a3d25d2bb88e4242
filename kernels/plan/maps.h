/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of the tables shared by the planner, the host's kernels and the device's kernels, in C and in OpenCL C.
 *
 * A slot is the counter of a value: 0 below the first bin, 1 to k the bins, k + 1 above the last, k + 2 NaN.
 *
 * Edges are converted to thresholds of the values' own type: t[j] is the smallest value at or past edge j, so that
 * every comparison is exact. The array `thresholds` holds the distinct inner thresholds (without the first and the
 * last edge's); a value's rank is the number of them it has reached. To find it, a map assigns a cell to the value;
 * `base` is the rank at the start of the cell. Most cells hold at most one threshold: one comparison suffices.
 * Crowded cells are marked by the top bit of `base`; none holds more than 2^steps - 1, so `steps` comparisons always
 * suffice. The map is monotone, and `base` is made by evaluating the same expression at the thresholds: the rank is
 * exact however rough the map. */
#ifndef UHI_PLAN_MAPS_H
#define UHI_PLAN_MAPS_H

#ifdef __OPENCL_C_VERSION__
typedef int uhi_i32;
typedef uint uhi_u32;
typedef long uhi_i64;
typedef ulong uhi_u64;
#ifndef cl_khr_fp64
#define UHI_NO_DOUBLE
#endif
#else
#include <stdint.h>
typedef int32_t uhi_i32;
typedef uint32_t uhi_u32;
typedef int64_t uhi_i64;
typedef uint64_t uhi_u64;
#endif

enum uhi_map {
    UHI_MAP_DIRECT,    /* 8- and 16-bit integers: the slot of every possible value */
    UHI_MAP_SEARCH,    /* no map: binary search over all thresholds */
    UHI_MAP_LINEAR,    /* equal cells: (x - lo) * scale for floats, (x - lo) >> shift for integers and positions */
    UHI_MAP_LOGARITHM, /* cells of the float's ordered bits: (key - lo_key) >> shift */
    UHI_MAP_MESH       /* the paper's nested meshes */
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

/* The cell holds more than one threshold. Ranks are below 2^30. */
#define UHI_CROWDED ((uhi_u32)1 << 31)

/* Packed cells (tables.h): a crowded one has 2^UHI_PART_BITS parts; the lower bits of an entry hold a rank. */
enum { UHI_PART_BITS = 4, UHI_RANK_BITS = 16, UHI_MANY_RANK_BITS = 20, UHI_CROWD_BITS = 32 - UHI_MANY_RANK_BITS };

#endif
