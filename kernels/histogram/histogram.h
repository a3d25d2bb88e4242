/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that a plan makes and the kernels read, and the host's functions.
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
#ifndef UHI_HISTOGRAM_H
#define UHI_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/* What thresholds and values are compared as. 8- and 16-bit integers need no comparison: a table of all values. */
enum uhi_compare { UHI_COMPARE_F32, UHI_COMPARE_F64, UHI_COMPARE_I32, UHI_COMPARE_I64, UHI_COMPARE_DIRECT };

enum uhi_map {
    UHI_MAP_DIRECT,    /* 8- and 16-bit integers: the slot of every value there is */
    UHI_MAP_SEARCH,    /* no map: binary search over all thresholds */
    UHI_MAP_LINEAR,    /* equal cells: (x - lo) * scale for floats, (x - lo) >> shift for integers */
    UHI_MAP_LOGARITHM, /* cells of the float's ordered bits: (key - lo_key) >> shift */
    UHI_MAP_MESH       /* the paper's nested meshes */
};

union uhi_scalar {
    float f32;
    double f64;
    int32_t i32;
    int64_t i64;
};

/* A node of the mesh: cells first .. first + top of `mesh_cells`. Floats: cell = (x * pre - lo) * scale, with `pre` 1,
 * or 1/2 where the range would overflow; integers: cell = (x - lo) * scale, the difference exact. Both limited to
 * 0..top. */
struct uhi_mesh_node_f32 {
    float pre, lo, scale, top;
    uint32_t first;
};
struct uhi_mesh_node_f64 {
    double pre, lo, scale, top;
    uint32_t first;
};
struct uhi_mesh_node_i64 {
    int64_t lo;
    double scale, top;
    uint32_t first;
};
/* A cell's thresholds are offset .. (the next cell's offset) - 1; counts are not stored. Each node has one cell more
 * than it uses, for the last offset. `child` is the node that refines the cell, 0 for none. */
struct uhi_mesh_cell {
    uint32_t offset;
    uint32_t child;
};

struct uhi_histogram_tables {
    enum uhi_compare compare;
    enum uhi_map map;
    uint32_t levels;      /* 1, or 2: a first-level cell holds its own equal cells; mesh: levels of nodes */
    uint32_t steps;       /* comparisons that finish in any cell */
    uint32_t bins;        /* k */
    uint32_t ranks;       /* number of inner thresholds without repetition */
    uint32_t below_all;   /* not 0: every value lies below the first edge */
    uint32_t above_none;  /* not 0: no value lies above the last edge */
    uint32_t leaf;        /* mesh: a cell of at most so many thresholds is finished linearly */
    uint32_t value_bytes; /* bytes of a value as it stands in memory */
    int64_t flip;         /* unsigned values: exclusive-or that turns them into signed ones in the same order */

    union uhi_scalar first; /* below: x < first */
    union uhi_scalar last;  /* above: x >= last */

    union uhi_scalar lo;         /* smallest inner threshold */
    union uhi_scalar scale, top; /* linear map of floats: cells per unit, last cell */
    int64_t lo_key, hi_key;      /* maps by shifting: range of keys */
    uint32_t shift;
    uint32_t cells; /* cells of the first level */

    const void *thresholds; /* `ranks` of them, then 2^steps - 1 that no value reaches */
    const uint32_t *base;   /* a cell: its first rank, and UHI_CROWDED */
    const uint32_t *slot;   /* a rank: its slot, or NULL where it is rank + 1 */
    const uint32_t *direct; /* UHI_MAP_DIRECT: a value's bits: its slot */
    const void *node_lo;    /* two levels, a first-level cell: where its equal cells begin and (integers) end */
    const void *node_hi;
    const void *node_scale;     /* floats: cells per unit */
    const uint32_t *node_shift; /* integers */
    const uint32_t *node_first; /* index of its first equal cell; one entry more */
    const void *mesh_nodes;     /* uhi_mesh_node_f32, _f64, or _i64 for all integers */
    const struct uhi_mesh_cell *mesh_cells;
};

/* Values that lie `stride` bytes apart. */
struct uhi_values {
    const char *first;
    size_t n;
    ptrdiff_t stride;
};

/* The host's functions, one table for each x86-64 level. */
struct uhi_histogram_host {
    /* Stores the slots of all values. */
    void (*lookup)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint32_t *slot);
    /* Adds to counts[slot]. */
    void (*count)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint64_t *counts);
    /* Adds to counts[slot] with atomic additions, for several threads at once. */
    void (*count_atomic)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint64_t *counts);
    /* Adds to UHI_REPLICAS tables in turn, `pitch` apart, against the latency of counting one slot again and again;
     * fewer than 2^32 values at a call, so that no counter overflows. */
    void (*count_replicas)(const struct uhi_histogram_tables *tables, struct uhi_values x, uint32_t *counts,
                           size_t pitch);
};

enum { UHI_REPLICAS = 4 };

/* More than one threshold lies in the cell. Ranks are below 2^30. */
#define UHI_CROWDED ((uint32_t)1 << 31)

#endif
