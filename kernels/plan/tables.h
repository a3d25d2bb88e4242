/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that a plan makes and the kernels read. */
#ifndef UHI_PLAN_TABLES_H
#define UHI_PLAN_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/plan/maps.h"

/* What thresholds and values are compared as; K64: float64 by its keys (keys.h), on devices that lack double. 8- and
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

/* How a value's rank among the cuts is found, or its slot. Devices go by packed cells, or by the map. */
enum uhi_form {
    UHI_FORM_MAP,     /* by `map`: the slot */
    UHI_FORM_COMPARE, /* the host: the value is compared with every cut: the rank */
    UHI_FORM_BYTES,   /* the host: values of 8 bits: counted as they are, then each value's count goes to its slot */
    UHI_FORM_PACKED   /* one look-up in cells that hold a cut and its rank side by side: the rank */
};

/* Cells of 2^fraction positions each. A cell's entry of 32 bits decides nearly every value in it: its upper half is
 * compared with where in the cell the value lies, its lower half is the rank of the cell's beginning, plus 1. A cell of
 * several cuts is crowded: its lower half is 0, its upper half a number, and the 2^UHI_PART_BITS entries of that number
 * in `part` are those of the cell's equal parts. A part of several cuts has lower half 0 and its rank above; values in
 * it compare themselves with the cuts, as do values that lie just where a cut is, to the bits of a position. Where a
 * cut falls on a position of its own, the upper half is odd, between two positions, and no comparison follows. */

struct uhi_packed {
    enum uhi_map map;                /* UHI_MAP_LINEAR or UHI_MAP_LOGARITHM */
    uint32_t outside;                /* not 0: first and last cut are not in cells but compared with */
    uint32_t cells;                  /* one more entry is NaN's */
    uint32_t fraction;               /* at most 31 - rank_bits */
    uint32_t rank_bits;              /* of an entry's lower part: UHI_RANK_BITS, half of it, or UHI_MANY_RANK_BITS */
    uint32_t pre;                    /* maps of keys: position = (key - lo_key) >> pre */
    uint32_t nan;                    /* linear map of floats: the position of NaN */
    uint32_t steps;                  /* comparisons that finish in any part */
    uint32_t each;                   /* not 0: the host loads entries one by one (kernels/common/loads.h) */
    int64_t limit;                   /* linear map of keys: of positions, see keys.h */
    union uhi_scalar lo, scale, top; /* linear map of floats: position = (x - lo) * scale, limited to [0, top] */
    int64_t lo_key, hi_key;
    const uint32_t *entry;
    const uint32_t *part;
    const uint32_t *crowded; /* the host: what is to be added to numbers of crowded cells, for 2^UHI_CROWD_BITS cells
                                each; NULL: nothing, as where they are few enough for an entry's upper part */
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
    int64_t limit;               /* linear map of keys: of positions, see keys.h */
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
    const void *mesh_nodes;     /* uhi_mesh_node_f32, _f64, or _i64 for all integers and keys */
    const struct uhi_mesh_cell *mesh_cells;

    /* Other forms than the map. A cut is a threshold, the first and the last one included, without repetition; a rank
     * is how many cuts a value has reached, and one more than their number for NaN. */
    enum uhi_form form;
    uint32_t cut_count;
    const void *cuts;         /* behind them as many that no value reaches as the kernels may read */
    const uint32_t *cut_slot; /* a rank: its slot; NULL where they are the same */
    struct uhi_packed packed;
};

/* Cells of the first level, of a packed form or of a map. */
static inline size_t uhi_first_cells(const struct uhi_histogram_tables *t) {
    return t->form == UHI_FORM_PACKED ? (size_t)t->packed.cells + 1 : t->cells;
}

/* Counters of one table of count_replicas: of slots, of ranks, or of all values of 8 bits. */
static inline size_t uhi_counter_count(const struct uhi_histogram_tables *t) {
    switch (t->form) {
    case UHI_FORM_MAP: return (size_t)t->bins + 3;
    case UHI_FORM_BYTES: return 256;
    default: return (size_t)t->cut_count + 2;
    }
}

/* Each counter's slot, several may have one; NULL where they are the same. */
static inline const uint32_t *uhi_counter_slots(const struct uhi_histogram_tables *t) {
    switch (t->form) {
    case UHI_FORM_MAP: return NULL;
    case UHI_FORM_BYTES: return t->direct;
    default: return t->cut_slot;
    }
}

/* Whether devices go by the packed cells: by those of all cuts. */
static inline int uhi_is_packed_on_devices(const struct uhi_histogram_tables *t) {
    return t->form == UHI_FORM_PACKED && !t->packed.outside;
}

/* Cuts that a value is compared with at once. */
enum { UHI_CUTS_AT_ONCE = 12 };

#endif
