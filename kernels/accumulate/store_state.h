/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of a store: one array per quantity, with the points outside all cells at the end. */
#pragma once

#include <unihist/base.h>

#include "kernels/accumulate/planes.h"
#include "kernels/accumulate/tables.h"

struct uhi_device_tables;

struct uhi_store {
    size_t cells, slots; /* slots = cells + 1 */
    uh_storage storage;
    uh_sum sum;
    uint64_t *counts;                /* COUNT, MEAN */
    void *saturated;                 /* U8, U16 */
    double *fast, *fast_squares;     /* FAST */
    struct uhi_planes sums, squares; /* unused with FAST, except for sums from a device */
    uint8_t *flags;                  /* SUM, WEIGHTED, MEAN: UHI_FLAG_* */
    void *scratch;                   /* the threads' tables, all zero between adds */
    size_t scratch_bytes;
    struct uhi_device_tables *device; /* data still on a device; NULL before the first add on one */
};

static inline int uhi_store_has_sums(uh_storage storage) {
    return storage == UH_STORAGE_SUM || storage == UH_STORAGE_WEIGHTED || storage == UH_STORAGE_MEAN;
}
static inline int uhi_store_has_squares(uh_storage storage) {
    return storage == UH_STORAGE_WEIGHTED || storage == UH_STORAGE_MEAN;
}
static inline int uhi_store_has_counts(uh_storage storage) {
    return storage == UH_STORAGE_COUNT || storage == UH_STORAGE_MEAN;
}
static inline size_t uhi_store_saturated_size(uh_storage storage) { /* bytes per saturating counter; 0 otherwise */
    return storage == UH_STORAGE_U8 ? sizeof(uint8_t) : storage == UH_STORAGE_U16 ? sizeof(uint16_t) : 0;
}
static inline uint32_t uhi_store_saturated_max(uh_storage storage) {
    return storage == UH_STORAGE_U8 ? UINT8_MAX : UINT16_MAX;
}
static inline uint16_t uhi_saturated_cell(const struct uhi_store *store, size_t slot) {
    return store->storage == UH_STORAGE_U8 ? ((const uint8_t *)store->saturated)[slot]
                                           : ((const uint16_t *)store->saturated)[slot];
}

/* ---- adding points one by one to a store's own arrays: few points, or too many cells for a table per thread ---- */

/* A weight or its square as digits: the first in window `window`, each further one two windows above. */
struct uhi_digits {
    uint32_t window;
    uint32_t count;
    uint32_t flag; /* nonzero: the weight is not finite and has no digits */
    int64_t digit[4];
};

/* Digits of the value of 4 or 8 bytes at `w`. */
struct uhi_digits uhi_digits_of(enum uhi_value_kind kind, int square, const void *w);

/* Widens *lowest and *above to the exponents of n contiguous values: multiples of 2^*lowest, below 2^*above. Leaves
 * them unchanged if all values are 0 or not finite. */
void uhi_exponents_of(enum uhi_value_kind kind, const void *w, size_t n, int *lowest, int *above);

/* Adds n points. `w`: contiguous aligned values, or NULL; `shared`: other threads do the same. */
void uhi_direct_add(struct uhi_store *store, enum uhi_value_kind kind, const void *w, const uint32_t *cell, size_t n,
                    int shared);

/* Adds `count` points of weight 1 to one slot. */
void uhi_direct_count(struct uhi_store *store, size_t slot, uint64_t count, int shared);
