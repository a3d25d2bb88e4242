/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's private tables: where they lie in its memory, and how they are emptied into the store. */
#ifndef UHI_ACCUMULATE_THREAD_TABLES_H
#define UHI_ACCUMULATE_THREAD_TABLES_H

#include "kernels/accumulate/store_state.h"
#include "kernels/accumulate/tables.h"

/* Finds the tables for weights of this kind, or for none, in a thread's memory that begins at `base`, on a cache line;
 * NULL: only their sizes. Returns the bytes that a thread needs. */
size_t uhi_thread_tables(const struct uhi_store *store, enum uhi_value_kind kind, char *base,
                         struct uhi_store_tables *t);

/* Moves what is in slots [from, to) into the store, `shared` with other threads or not. FAST tables stay where they are
 * while others are at work: they cannot overflow. */
void uhi_thread_tables_empty(struct uhi_store *store, const struct uhi_store_tables *t, size_t from, size_t to,
                             int shared);

/* Makes tables that are empty as they were before they were used. */
void uhi_thread_tables_forget(const struct uhi_store_tables *t);

#endif
