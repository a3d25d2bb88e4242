/* SPDX-License-Identifier: Apache-2.0 */
/* Tables made by a plan and read by the kernels. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/plan/maps.h"

/* Type in which thresholds and values are compared; K64: float64 as keys (keys.h), on devices without double. 8- and
 * 16-bit integers need no comparison: a table of all values. */
enum uhi_compare {
    UHI_COMPARE_F32,
    UHI_COMPARE_F64,
    UHI_COMPARE_I32,
    UHI_COMPARE_I64,
    UHI_COMPARE_K64,
    UHI_COMPARE_DIRECT
};

union uhi_scalar {
    float f32;
    double f64;
    int32_t i32;
    int64_t i64, k64;
};

/* How a value's bin is found; UHI_LOOKUP_AUTO leaves the choice to the planner. */
enum uhi_lookup {
    UHI_LOOKUP_AUTO,
    UHI_LOOKUP_SEARCH,  /* binary search: the paper's BINARY */
    UHI_LOOKUP_MESH,    /* nested meshes: the paper's UNIHIST */
    UHI_LOOKUP_CDF,     /* cells within cells, in proportion to a distribution: the paper's eq. (7) */
    UHI_LOOKUP_PACKED,  /* cells whose entry holds a rank and a threshold: struct uhi_packed */
    UHI_LOOKUP_COMPARE, /* comparison with every threshold; on devices as AUTO */
    UHI_LOOKUP_DIRECT,  /* a table of all values of 8 or 16 bits */
    UHI_LOOKUPS
};

/* Cells of 2^fraction positions each. A cell's entry of 32 bits decides nearly every value in it: its upper part is
 * compared with the value's position in the cell, its lower part of `rank_bits` bits is the rank at the start of the
 * cell, plus 1. If a cut has a position of its own, the upper part is odd, between two positions; otherwise values with
 * the same position are compared with the cut. A cell with several cuts is crowded: its values are compared with the
 * cuts from the cell's first rank on. With UHI_RANK_BITS the lower part of a crowded cell is 0 and the upper part the
 * rank; with more, the highest bit of the lower part is 0 for crowded cells alone.
 *
 * On the host with UHI_RANK_BITS a crowded cell consists of 2^UHI_PART_BITS parts, cells in turn, of which only the
 * crowded ones need comparisons: data in the narrowest of 1,000 bins are counted 1.3 times as fast. The upper part of
 * the cell's entry is its number among the crowded ones. */
enum { UHI_PART_BITS = 4 };

struct uhi_packed {
    enum uhi_map map;                /* UHI_MAP_LINEAR or UHI_MAP_LOGARITHM */
    uint32_t outside;                /* not 0: cells are over the other cuts; the host compares with the first and the
                                        last one, a device sends values beyond `end` or `end_key` to the cell of NaN */
    uint32_t cells;                  /* NaN has one more entry */
    uint32_t fraction;               /* at most 31 - rank_bits */
    uint32_t rank_bits;              /* of an entry's lower part: UHI_RANK_BITS, half of it, or more */
    uint32_t pre;                    /* maps of keys: position = (key - lo_key) >> pre */
    uint32_t nan;                    /* position of NaN, with the linear map of floats */
    uint32_t steps;                  /* comparisons sufficient in any cell, or in any part */
    uint32_t scalar_loads;           /* not 0: the host loads entries one by one (kernels/common/loads.h) */
    int64_t limit;                   /* linear map of keys: limit of positions, see keys.h */
    union uhi_scalar lo, scale, top; /* linear map of floats: position = (x - lo) * scale, limited to [0, top] */
    union uhi_scalar end;            /* the same before the limit, for values below the last cut */
    int64_t lo_key, hi_key, end_key;
    const uint32_t *entry;
    uint32_t *part; /* entries of the crowded cells' parts; NULL: none */
};

struct uhi_histogram_plan;

struct uhi_histogram_tables {
    enum uhi_compare compare;
    enum uhi_lookup lookup;  /* on a device */
    enum uhi_lookup on_host; /* the same, but for axes of few edges COMPARE */
    uint32_t levels;         /* mesh: levels of nodes */
    uint32_t steps;          /* search and cdf: comparisons sufficient in any cell */
    uint32_t bins;           /* k */
    uint32_t ranks;          /* number of distinct inner thresholds */
    uint32_t all_below;      /* not 0: every value lies below the first edge */
    uint32_t none_above;     /* not 0: no value lies above the last edge */
    uint32_t leaf;           /* mesh: cells of at most this many thresholds are searched linearly */
    uint32_t value_bytes;    /* bytes of a value in memory */
    int64_t flip;            /* unsigned values: exclusive-or that makes them signed in the same order */

    union uhi_scalar first; /* below: x < first, the first threshold */
    union uhi_scalar last;  /* above: x >= last, the last threshold, unless none is above */

    /* Search, mesh and cdf: a rank counts the distinct inner thresholds, without those of the first and last edge. */
    const void *thresholds; /* `ranks` of them, then 2^steps - 1 that no value reaches */
    const uint32_t *slot;   /* per rank: its slot; NULL if it is rank + 1 */
    const uint32_t *direct; /* slot of a value, indexed by its bits */
    const void *mesh_nodes; /* uhi_mesh_node_f32, _f64, or _i64 for all integers and keys */
    const struct uhi_mesh_cell *mesh_cells;

    /* Cdf, and on the host crowded packed cells unless `base` is NULL: a first-level cell holds its own equal cells. */
    enum uhi_map map;            /* of the first level */
    uint32_t cells;              /* of the first level */
    uint32_t shift;              /* maps by shifting */
    union uhi_scalar lo;         /* smallest inner threshold */
    union uhi_scalar scale, top; /* linear map of floats: cells per unit, last cell */
    int64_t lo_key, hi_key;      /* maps by shifting: range of keys */
    int64_t limit;               /* linear map of keys: limit of positions, see keys.h */
    const void *node_lo;         /* per first-level cell: start and (integers) end of its equal cells */
    const void *node_hi;
    const void *node_scale;     /* floats: cells per unit */
    const uint32_t *node_shift; /* integers */
    const uint32_t *node_first; /* index of its first equal cell; one extra entry */
    const uint32_t *base;       /* per second-level cell: its first rank, and UHI_CROWDED */

    /* Packed and compare. A cut is a distinct threshold, including the first and the last one; a rank is the number of
     * cuts that a value has reached, or one more than their number for NaN. */
    uint32_t cut_count;
    const void *cuts;         /* padded, as far as kernels may read, with entries that no value reaches */
    const uint32_t *cut_slot; /* per rank: its slot; NULL if equal */
    struct uhi_packed packed;

    /* On the host, if the axis carries a distribution. Groups are neighbouring packed cells with about the same share
     * of values and cuts; each has packed cells of its own for its cuts, `cuts` from `first_rank` on, unless these do
     * not fit. A value's group is group_of[its cell >> group_shift]. */
    uint64_t hot_bytes; /* of entries, counts and, where cells are crowded, thresholds where values are; 0: not known */
    const struct uhi_histogram_plan *groups; /* NULL: none */
    const uint16_t *group_of;
    uint32_t group_count, group_shift;
    uint32_t first_rank; /* of a group */
};

/* Returns 1 if the host counts 8-bit values as they are, then adds each value's count to its slot. */
static inline int uhi_counts_bytes(const struct uhi_histogram_tables *t) {
    return t->on_host == UHI_LOOKUP_DIRECT && t->value_bytes == 1;
}

/* Returns 1 if the look-up finds ranks among the cuts, 0 if slots. */
static inline int uhi_finds_ranks(enum uhi_lookup lookup) {
    return lookup == UHI_LOOKUP_PACKED || lookup == UHI_LOOKUP_COMPARE;
}

/* Returns the counters per table of the host's count_replicas: of slots, of ranks, or of all 8-bit values. */
static inline size_t uhi_counter_count(const struct uhi_histogram_tables *t) {
    if (uhi_counts_bytes(t))
        return 256;
    return uhi_finds_ranks(t->on_host) ? (size_t)t->cut_count + 2 : (size_t)t->bins + 3;
}

/* Returns the slot of each counter, possibly shared; NULL if they are equal. */
static inline const uint32_t *uhi_counter_slots(const struct uhi_histogram_tables *t) {
    if (uhi_counts_bytes(t))
        return t->direct;
    return uhi_finds_ranks(t->on_host) ? t->cut_slot : NULL;
}

/* Cuts compared with a value at once. */
enum { UHI_CUTS_AT_ONCE = 12 };
