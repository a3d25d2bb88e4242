/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's private tables: their layout in its memory, and how they are emptied into the store. */
#ifndef UHI_ACCUMULATE_THREAD_TABLES_H
#define UHI_ACCUMULATE_THREAD_TABLES_H

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

#endif
