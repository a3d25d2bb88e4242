/* SPDX-License-Identifier: Apache-2.0 */
/* What of a store lies on a device that runs modules: tables of windows (accumulate.h) for each type of weights that
 * has come, counters, flags, and the cells of the piece at work. A store has one, made by the first add on a device. */
#ifndef UHI_ACCUMULATE_DEVICE_TABLES_H
#define UHI_ACCUMULATE_DEVICE_TABLES_H

#include "kernels/accumulate/store.h"
#include "kernels/accumulate/store_state.h"
#include "kernels/accumulate/tables.h"
#include "kernels/common/engine.h"

enum {
    UHI_MORE_WINDOWS = 4, /* above a type's own: 2^63 weights stay below 2^64 of the largest */
    UHI_MAX_WINDOWS = UHI_SQUARE_COUNT_F64 + UHI_MORE_WINDOWS
};

/* The windows of one type, for sums or squares. */
struct uhi_device_table {
    uint32_t *words; /* on the device: 2 for each window and slot, then a word `used` for each window; NULL: none */
    uint32_t windows, first, digits;
    uint32_t depth;  /* windows that a group has in local memory; 0: none */
    uint32_t spread; /* of these, 2^spread copies */
    uh_kernel *kernel;
    uint64_t pending; /* points since the last carry */
    int dirty;        /* to be cleared before it is used */
};

struct uhi_device_tables {
    struct uhi_engine *engine;
    struct uhi_store *store;
    struct uhi_device_table sums[UHI_VALUE_KINDS], squares[UHI_VALUE_KINDS];
    uint32_t *counts; /* on the device: 2 words for each slot; saturating storages: 1 */
    uh_kernel *count;
    size_t count_local;    /* bytes of local memory that it counts in; 0: none */
    uint32_t count_spread; /* of the counts there */
    uint32_t *flags;       /* on the device: a word for each slot */
    int counts_dirty, flags_dirty;
    uint32_t *cells; /* on the device: of the piece at work */
    size_t room;     /* points that there are cells for */
    int holds;       /* points have been submitted since the last settling or forgetting */
};

static inline size_t uhi_window_words(const struct uhi_device_tables *tables) {
    return 2 * tables->store->slots;
}
static inline uint32_t *uhi_used_words(const struct uhi_device_tables *tables, const struct uhi_device_table *table) {
    return table->words ? table->words + uhi_window_words(tables) * table->windows : NULL;
}
static inline int uhi_device_saturates(const struct uhi_device_tables *tables) {
    return tables->store->saturated != NULL;
}
static inline size_t uhi_counts_words(const struct uhi_device_tables *tables) {
    return tables->store->slots * (uhi_device_saturates(tables) ? 1 : 2);
}

/* Makes the store's tables if it has none, for an engine that outlives the store. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_device_tables_open(const char *call, struct uhi_store *store, struct uhi_engine *engine);

/* Waits for the device and frees what lies there; NULL is allowed. */
void uhi_device_tables_free(struct uhi_device_tables *tables);

/* Makes kernels and memory ready for weights of this kind, or for none, in a call over n points: after it
 * uhi_device_tables_add can fail only where the device does. With n = 0 for uhi_device_tables_lend_sums. */
uh_status uhi_device_tables_ready(struct uhi_device_tables *tables, enum uhi_value_kind kind, size_t n);

/* Lends what up to 2^UHI_HEADROOM weights of this kind are added to, which are taken as submitted. */
uh_status uhi_device_tables_lend_sums(struct uhi_device_tables *tables, enum uhi_value_kind kind, size_t points,
                                      struct uhi_device_sums *sums);

/* Submits the adding of up to 2^UHI_HEADROOM points, whose cells are in tables->cells. It comes after `dep`, where that
 * is not NULL, and *done, where `done` is not NULL, is its end. On failure *torn is set where some of what is kept of
 * these points is on its way. */
uh_status uhi_device_tables_add(struct uhi_device_tables *tables, enum uhi_value_kind kind, const void *values,
                                size_t points, uh_event *dep, uh_event **done, int *torn);

/* Waits, and moves what they hold into the store. On failure all is as it was. */
uh_status uhi_device_tables_settle(const char *call, struct uhi_device_tables *tables);

/* Forgets what they hold. */
void uhi_device_tables_forget(struct uhi_device_tables *tables);

#endif
