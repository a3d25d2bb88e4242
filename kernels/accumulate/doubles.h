/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums of float32 weights by float64 additions, as far as none can round: where all that was added is a multiple
 * of one power of two and no sum can reach 2^53 of it. A chunk of points that fits so costs a thread a plain addition a
 * point; the others' weights are shifted into windows (accumulate.h). Which way a point took cannot be seen in a sum.
 */
#ifndef UHI_ACCUMULATE_DOUBLES_H
#define UHI_ACCUMULATE_DOUBLES_H

#include "kernels/accumulate/store_state.h"
#include "kernels/accumulate/tables.h"

/* What is known of a thread's table; all zero where it is empty. */
struct uhi_double_bounds {
    double unit;     /* a power of two, of which all that was added is a multiple; 0: nothing was */
    double most;     /* no sum is larger in magnitude */
    size_t seen;     /* points since the table was emptied, whichever way they took */
    size_t measured; /* `seen` when `most` was last read from the sums themselves */
    size_t pause;    /* chunks that go to windows without a look, after `misfits` in a row */
    size_t misfits;
};

/* The table is emptied for a chunk that does not fit beside what it holds, but not before so many points and 16 a slot:
 * what is added to the store then is little beside them. */
enum { UHI_DOUBLES_MIN_POINTS = 1 << 12 };

/* Adds n float32 weights to a thread's tables: doubles or windows. `shared` as of uhi_thread_tables_empty. */
void uhi_doubles_add(const struct uhi_store *store, const struct uhi_store_tables *t,
                     const struct uhi_accumulate_host *host, const uint32_t *w, const uint32_t *cell, size_t n,
                     int shared);

/* Moves the sums of slots [from, to) into the store. The bounds are the caller's to clear once all have moved. */
void uhi_doubles_empty(const struct uhi_store *store, const struct uhi_store_tables *t, size_t from, size_t to,
                       int shared);

#endif
