/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's private tables: their layout in its memory, and how they are emptied into the store. */
#pragma once

#include "kernels/accumulate/store_state.h"
#include "kernels/accumulate/tables.h"

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

/* ---- doubles.c ---- */

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

/* Moves the sums of slots [from, to) into the store. The caller clears the bounds after all slots have been moved. */
void uhi_doubles_empty(const struct uhi_store *store, const struct uhi_store_tables *t, size_t from, size_t to,
                       int shared);
