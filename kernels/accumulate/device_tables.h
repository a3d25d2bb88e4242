/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a store on a device that runs modules: tables of windows (accumulate.h) for each weight type used so far,
 * counters, flags, and the cells of the current piece. Each store has at most one, made by the first add on a
 * device. */
#pragma once

#include "kernels/accumulate/store.h"
#include "kernels/accumulate/tables.h"
#include "kernels/common/engine.h"

enum {
    UHI_MORE_WINDOWS = 4, /* beyond those of the type: 2^63 weights stay below 2^64 of the largest */
    UHI_MAX_WINDOWS = UHI_SQUARE_COUNT_F64 + UHI_MORE_WINDOWS
};

/* Windows of one type, for sums or squares. */
struct uhi_device_table {
    uint32_t *words; /* on the device: 2 per window and slot, then a word `used` per window; NULL: none */
    uint32_t windows, first, digits;
    uint32_t depth;  /* windows per group in local memory; 0: none */
    uint32_t spread; /* log2 of the number of copies of these */
    uh_kernel *kernel;
    uint64_t pending; /* points since the last carry */
    int dirty;        /* must be cleared before use */
};

struct uhi_device_tables {
    struct uhi_engine *engine;
    struct uhi_store *store;
    struct uhi_device_table table[UHI_TABLES]; /* as uhi_windows */
    uint32_t *counts;                          /* on the device: 2 words per slot; saturating storages: 1 */
    uh_kernel *count;
    size_t count_in_local; /* bytes of local memory for counting; 0: none */
    uint32_t count_spread; /* log2 of the copies of counts there */
    uint32_t *flags;       /* on the device: one word per slot */
    int counts_dirty, flags_dirty;
    uint32_t *cells; /* on the device: those of the current piece */
    size_t room;     /* capacity of `cells` in points */
    int holds;       /* points were submitted since the last read or discard */
};

static inline size_t uhi_window_words(const struct uhi_device_tables *tables) { return 2 * tables->store->slots; }
static inline uint32_t *uhi_used_words(const struct uhi_device_tables *tables, const struct uhi_device_table *table) {
    return table->words ? table->words + uhi_window_words(tables) * table->windows : NULL;
}
static inline int uhi_device_saturates(const struct uhi_device_tables *tables) {
    return tables->store->saturated != NULL;
}
static inline size_t uhi_counts_words(const struct uhi_device_tables *tables) {
    return tables->store->slots * (uhi_device_saturates(tables) ? 1 : 2);
}

/* Creates the store's tables if missing. The engine must outlive the store. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_device_tables_open(const char *call, struct uhi_store *store, struct uhi_engine *engine);

/* Waits for the device and frees its memory; NULL is allowed. */
void uhi_device_tables_free(struct uhi_device_tables *tables);

/* Prepares kernels and memory for weights of this kind, or for none, in a call over n points; afterwards
 * uhi_device_tables_add fails only if the device does. Use n = 0 before uhi_device_tables_give_sums. */
uh_status uhi_device_tables_ready(struct uhi_device_tables *tables, enum uhi_value_kind kind, size_t n);

/* Returns the tables for adding up to 2^UHI_HEADROOM weights of this kind, which are counted as submitted. */
uh_status uhi_device_tables_give_sums(struct uhi_device_tables *tables, enum uhi_value_kind kind, size_t points,
                                      struct uhi_device_sums *sums);

/* Submits the addition of up to 2^UHI_HEADROOM points with the cells in tables->cells, after `dep` unless NULL. Stores
 * the last event in *done unless `done` is NULL. On failure, sets *torn if part of these points' data was already
 * submitted. */
uh_status uhi_device_tables_add(struct uhi_device_tables *tables, enum uhi_value_kind kind, const void *values,
                                size_t points, uh_event *dep, uh_event **done, int *torn);

/* Waits, and moves the tables' contents into the store. On failure nothing changes. */
uh_status uhi_device_tables_read(const char *call, struct uhi_device_tables *tables);

void uhi_device_tables_discard(struct uhi_device_tables *tables);
