/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that a host thread adds to, and the functions that add, compiled for each x86-64 level. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <unihist/base.h>

#include "kernels/accumulate/accumulate.h"

/* Types of weights. Weights of uint64 have no tables: they are added directly to the store, on the host. */
enum uhi_value_kind { UHI_VALUE_F32, UHI_VALUE_F64, UHI_VALUE_I32, UHI_VALUE_I64, UHI_VALUE_NONE, UHI_VALUE_U64 };
enum { UHI_VALUE_KINDS = UHI_VALUE_NONE };

/* Integers in windows (accumulate.h). A slot of window w is at w * pitch + slot, with a copy `copy_offset` elements
 * later: neighbouring points use different copies, so that no addition waits for the preceding store. */
struct uhi_window_table {
    int64_t *value;
    size_t copy_offset; /* 0: a single table */
    uint8_t *used;      /* one byte per window: nonzero if the lowest digit of a number was added there */
    uint32_t first;     /* window number H for w = 0 */
    uint32_t windows;
    uint32_t digits; /* per number, each two windows above the last */
};

/* Sums of float32 weights as float64, as long as these are exact (thread_tables.c). */
struct uhi_double_table {
    double *value;      /* NULL: none */
    size_t copy_offset; /* as in uhi_window_table */
    struct uhi_double_bounds *bounds;
};

/* The tables of one thread. */
struct uhi_store_tables {
    uint32_t pitch;  /* of all tables; at least the store's cells + 1 */
    uint32_t *count; /* `replicas` tables */
    size_t replicas; /* 1, 2 or 4 */
    struct uhi_window_table sum, squares;
    struct uhi_double_table doubles;
    double *fast, *fast_squares;
    uint8_t *flags; /* the store's, shared by all threads */
};

/* Functions that add one block of points: `w` has n aligned contiguous values of the function's type; cell[i] is at
 * most the number of cells. */
struct uhi_accumulate_host {
    void (*count)(const struct uhi_store_tables *t, const uint32_t *cell, size_t n);
    /* Indexed by uhi_value_kind. */
    void (*sum[4])(const struct uhi_store_tables *t, const void *w, const uint32_t *cell, size_t n);
    void (*squares[4])(const struct uhi_store_tables *t, const void *w, const uint32_t *cell, size_t n);
    void (*fast[4])(const struct uhi_store_tables *t, const void *w, const uint32_t *cell, size_t n);
    /* Bits of float32 magnitudes: the smallest nonzero one, 0 if none exists, and the largest. */
    void (*span)(const uint32_t *w, size_t n, uint32_t *minimum, uint32_t *maximum);
    /* Float32 weights; the caller guarantees that no addition rounds. */
    void (*add_doubles)(const struct uhi_double_table *t, const void *w, const uint32_t *cell, size_t n);
    /* Returns an upper bound of the magnitudes of sums in the first slots. */
    double (*largest)(const struct uhi_double_table *t, size_t slots);
};

/* Flags a cell that has a non-finite weight. */
static inline void uhi_flag_cell(uint8_t *flags, uint32_t cell, uint32_t flag) {
    if (!(__atomic_load_n(flags + cell, __ATOMIC_RELAXED) & flag))
        __atomic_fetch_or(flags + cell, (uint8_t)flag, __ATOMIC_RELAXED);
}

/* ---- windows of each weight type, on the host and on devices ---- */

struct uhi_window_range {
    uint32_t first, windows, digits;
};

/* Of sums, indexed by uhi_value_kind, then of squares. */
enum { UHI_SQUARES = UHI_VALUE_KINDS, UHI_TABLES = 2 * UHI_VALUE_KINDS };
extern const struct uhi_window_range uhi_windows[UHI_TABLES];

/* Returns whether window w may be nonzero: used[] tells per window whether the lowest digit of a number, which has
 * `digits` of them, was added to it. */
static inline int uhi_window_holds(const uint8_t *used, uint32_t digits, uint32_t w) {
    for (uint32_t d = 0; d < digits && 2 * d <= w; d++)
        if (used[w - 2 * d])
            return 1;
    return 0;
}

/* ---- a thread's private tables: their layout in its memory, and how they are emptied into the store (thread_tables.c)
 * ---- */

struct uhi_store;

/* Lays out the tables for weights of this kind, or for none, in a thread's memory at `base`, aligned to a cache line;
 * NULL: only their sizes. Returns the bytes per thread. */
size_t uhi_thread_tables(const struct uhi_store *store, enum uhi_value_kind kind, char *base,
                         struct uhi_store_tables *t);

/* Moves slots [from, to) into the store; `shared`: other threads do the same. FAST tables then stay as they are,
 * because they cannot overflow. */
void uhi_thread_tables_empty(struct uhi_store *store, const struct uhi_store_tables *t, size_t from, size_t to,
                             int shared);

/* Resets the bookkeeping of emptied tables to its initial state. */
void uhi_thread_tables_discard(const struct uhi_store_tables *t);

/* Exact sums of float32 weights by float64 additions, as long as none can round: all addends are multiples of one power
 * of two and no sum can reach 2^53 times it. A chunk of points that qualifies costs a thread one plain addition per
 * point; weights of other chunks are shifted into windows (accumulate.h). Sums are the same either way. */

/* State of a thread's table; all zero if it is empty. */
struct uhi_double_bounds {
    double unit;     /* power of two that divides every addend; 0: none yet */
    double maximum;  /* upper bound of the sums' magnitudes */
    size_t seen;     /* points since the table was emptied, added either way */
    size_t measured; /* `seen` when `maximum` was last measured from the sums */
    size_t pause;    /* chunks that go to windows unchecked, after `misfits` in a row */
    size_t misfits;
};

/* The table is emptied for a chunk that does not fit only after this many points and 16 per slot, so that the cost of
 * emptying is small in comparison. */
enum { UHI_DOUBLES_MIN_POINTS = 1 << 12 };

/* Adds n float32 weights to a thread's tables: doubles or windows. `shared` as in uhi_thread_tables_empty. */
void uhi_doubles_add(const struct uhi_store *store, const struct uhi_store_tables *t,
                     const struct uhi_accumulate_host *host, const uint32_t *w, const uint32_t *cell, size_t n,
                     int shared);
