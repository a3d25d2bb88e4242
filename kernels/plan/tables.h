/* SPDX-License-Identifier: Apache-2.0 */
/* Tables made by a plan and read by the kernels. */
#ifndef UHI_PLAN_TABLES_H
#define UHI_PLAN_TABLES_H

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

/* How a value's rank among the cuts, or its slot, is found. Devices use packed cells or the map. */
enum uhi_form {
    UHI_FORM_MAP,     /* `map` gives the slot */
    UHI_FORM_COMPARE, /* host: comparison with every cut gives the rank */
    UHI_FORM_BYTES,   /* host: 8-bit values are counted as they are, then each value's count is added to its slot */
    UHI_FORM_PACKED   /* one look-up, in cells that hold a cut and its rank, gives the rank */
};

/* Cells of 2^fraction positions each. A cell's 32-bit entry decides nearly every value in it: its upper half is
 * compared with the value's position in the cell, its lower half is the rank at the start of the cell, plus 1. A
 * cell with several cuts is crowded: its lower half is 0, its upper half a number that selects the 2^UHI_PART_BITS
 * entries of its equal parts in `part`. A part with several cuts has lower half 0 and its rank in the upper half;
 * its values are compared with the cuts, as are values with the same position as a cut. If a cut has a position of
 * its own, the upper half is odd, between two positions, and no comparison follows. */

struct uhi_packed {
    enum uhi_map map;                /* UHI_MAP_LINEAR or UHI_MAP_LOGARITHM */
    uint32_t outside;                /* not 0: first and last cut are compared separately, not in cells */
    uint32_t cells;                  /* NaN has one more entry */
    uint32_t fraction;               /* at most 31 - rank_bits */
    uint32_t rank_bits;              /* of an entry's lower part: UHI_RANK_BITS, half of it, or UHI_MANY_RANK_BITS */
    uint32_t pre;                    /* maps of keys: position = (key - lo_key) >> pre */
    uint32_t nan;                    /* linear map of floats: position of NaN */
    uint32_t steps;                  /* comparisons sufficient in any part */
    uint32_t each;                   /* not 0: the host loads entries one by one (kernels/common/loads.h) */
    int64_t limit;                   /* linear map of keys: limit of positions, see keys.h */
    union uhi_scalar lo, scale, top; /* linear map of floats: position = (x - lo) * scale, limited to [0, top] */
    int64_t lo_key, hi_key;
    const uint32_t *entry;
    const uint32_t *part;
    const uint32_t *crowded; /* host: added to the numbers of crowded cells, one per 2^UHI_CROWD_BITS cells; NULL:
                                nothing, if the numbers fit an entry's upper part */
};

struct uhi_histogram_tables {
    enum uhi_compare compare;
    enum uhi_map map;
    uint32_t levels;      /* 1, or 2: a first-level cell holds its own equal cells; mesh: levels of nodes */
    uint32_t steps;       /* comparisons sufficient in any cell */
    uint32_t bins;        /* k */
    uint32_t ranks;       /* number of distinct inner thresholds */
    uint32_t below_all;   /* not 0: every value lies below the first edge */
    uint32_t above_none;  /* not 0: no value lies above the last edge */
    uint32_t leaf;        /* mesh: cells of at most this many thresholds are searched linearly */
    uint32_t value_bytes; /* bytes of a value in memory */
    int64_t flip;         /* unsigned values: exclusive-or that makes them signed in the same order */

    union uhi_scalar first; /* below: x < first */
    union uhi_scalar last;  /* above: x >= last */

    union uhi_scalar lo;         /* smallest inner threshold */
    union uhi_scalar scale, top; /* linear map of floats: cells per unit, last cell */
    int64_t lo_key, hi_key;      /* maps by shifting: range of keys */
    int64_t limit;               /* linear map of keys: limit of positions, see keys.h */
    uint32_t shift;
    uint32_t cells; /* cells of the first level */

    const void *thresholds; /* `ranks` of them, then 2^steps - 1 that no value reaches */
    const uint32_t *base;   /* per cell: its first rank, and UHI_CROWDED */
    const uint32_t *slot;   /* per rank: its slot; NULL if it is rank + 1 */
    const uint32_t *direct; /* UHI_MAP_DIRECT: slot of a value, indexed by its bits */
    const void *node_lo;    /* two levels, per first-level cell: start and (integers) end of its equal cells */
    const void *node_hi;
    const void *node_scale;     /* floats: cells per unit */
    const uint32_t *node_shift; /* integers */
    const uint32_t *node_first; /* index of its first equal cell; one extra entry */
    const void *mesh_nodes;     /* uhi_mesh_node_f32, _f64, or _i64 for all integers and keys */
    const struct uhi_mesh_cell *mesh_cells;

    /* Forms other than the map. A cut is a distinct threshold, including the first and the last one; a rank is the
     * number of cuts that a value has reached, or one more than their number for NaN. */
    enum uhi_form form;
    uint32_t cut_count;
    const void *cuts;         /* padded, as far as kernels may read, with entries that no value reaches */
    const uint32_t *cut_slot; /* per rank: its slot; NULL if equal */
    struct uhi_packed packed;
};

/* Returns the first-level cells of a packed form or of a map. */
static inline size_t uhi_first_cells(const struct uhi_histogram_tables *t) {
    return t->form == UHI_FORM_PACKED ? (size_t)t->packed.cells + 1 : t->cells;
}

/* Returns the counters per table of count_replicas: of slots, of ranks, or of all 8-bit values. */
static inline size_t uhi_counter_count(const struct uhi_histogram_tables *t) {
    switch (t->form) {
    case UHI_FORM_MAP: return (size_t)t->bins + 3;
    case UHI_FORM_BYTES: return 256;
    default: return (size_t)t->cut_count + 2;
    }
}

/* Returns the slot of each counter, possibly shared; NULL if they are equal. */
static inline const uint32_t *uhi_counter_slots(const struct uhi_histogram_tables *t) {
    switch (t->form) {
    case UHI_FORM_MAP: return NULL;
    case UHI_FORM_BYTES: return t->direct;
    default: return t->cut_slot;
    }
}

/* Returns 1 if devices use the packed cells: if these hold all cuts. */
static inline int uhi_is_packed_on_devices(const struct uhi_histogram_tables *t) {
    return t->form == UHI_FORM_PACKED && !t->packed.outside;
}

/* Cuts compared with a value at once. */
enum { UHI_CUTS_AT_ONCE = 12 };

#endif
