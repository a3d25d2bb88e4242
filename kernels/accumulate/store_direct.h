/* SPDX-License-Identifier: Apache-2.0 */
/* Adding points to a store's own arrays, one by one: where there are few points, or too many cells for every thread to
 * have tables. */
#ifndef UHI_ACCUMULATE_STORE_DIRECT_H
#define UHI_ACCUMULATE_STORE_DIRECT_H

#include "kernels/accumulate/store_state.h"
#include "kernels/accumulate/tables.h"

/* A weight or its square as digits: window H of the first, then every second one. */
struct uhi_digits {
    uint32_t window;
    uint32_t count;
    uint32_t flag; /* not 0: it is no number, and has no digits */
    int64_t digit[4];
};

/* Of a value of 4 or 8 bytes at `w`. */
struct uhi_digits uhi_digits_of(enum uhi_value_kind kind, int square, const void *w);

/* The exponents that n values, side by side, have: multiples of 2^*lowest, below 2^*above. Where they are 0 or no
 * numbers all, *lowest and *above are as before; else widened. */
void uhi_exponents_of(enum uhi_value_kind kind, const void *w, size_t n, int *lowest, int *above);

/* Adds n points. `w` are aligned values side by side, or NULL; `shared` says that other threads do the same. */
void uhi_direct_add(struct uhi_store *store, enum uhi_value_kind kind, const void *w, const uint32_t *cell, size_t n,
                    int shared);

/* Adds to one slot `count` points of weight 1. */
void uhi_direct_count(struct uhi_store *store, size_t slot, uint64_t count, int shared);

#endif
