/* SPDX-License-Identifier: Apache-2.0 */
/* What the planner, the host's kernels and the device's kernels share: the layout of the tables, in C and in OpenCL C.
 *
 * A slot is where a value is counted: 0 below the first bin, 1 to k the bins, k + 1 above the last, k + 2 NaN.
 *
 * The axis is brought to thresholds of the values' own type: t[j] is the smallest value that lies at or past edge j, so
 * that every comparison is exact. Inner thresholds (all but the first and the last edge's) without repetition are the
 * array `thresholds`; a value's rank is how many of them it has reached. To find it, a map sends the value to a cell;
 * `base` is the rank at which the cell begins. Most cells hold at most one threshold: one comparison finishes. Crowded
 * ones are marked by the top bit of `base`; no cell holds more than 2^steps - 1, so `steps` comparisons always finish.
 * The map is monotone, and `base` is made by evaluating the same expression at the thresholds: however rough the map,
 * the rank is exact. */
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
    UHI_MAP_DIRECT,    /* 8- and 16-bit integers: the slot of every value there is */
    UHI_MAP_SEARCH,    /* no map: binary search over all thresholds */
    UHI_MAP_LINEAR,    /* equal cells: (x - lo) * scale for floats, (x - lo) >> shift for integers and positions */
    UHI_MAP_LOGARITHM, /* cells of the float's ordered bits: (key - lo_key) >> shift */
    UHI_MAP_MESH       /* the paper's nested meshes */
};

/* A node of the mesh: cells first .. first + top of `mesh_cells`. Floats: cell = (x * pre - lo) * scale, with `pre` 1,
 * or 1/2 where the range would overflow; integers, and float64 by its keys: uhi_integer_cell of keys.h, of x itself or,
 * where `limit` is not 0, of the position of x. Both limited to 0..top. */
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
/* A cell's thresholds are offset .. (the next cell's offset) - 1; counts are not stored. Each node has one cell more
 * than it uses, for the last offset. `child` is the node that refines the cell, 0 for none. */
struct uhi_mesh_cell {
    uhi_u32 offset;
    uhi_u32 child;
};

/* More than one threshold lies in the cell. Ranks are below 2^30. */
#define UHI_CROWDED ((uhi_u32)1 << 31)

/* Packed cells (tables.h): a crowded one has 2^UHI_PART_BITS parts; the lower bits of an entry are a rank's. */
enum { UHI_PART_BITS = 4, UHI_RANK_BITS = 16, UHI_MANY_RANK_BITS = 20, UHI_CROWD_BITS = 32 - UHI_MANY_RANK_BITS };

#endif
