/* SPDX-License-Identifier: Apache-2.0 */
/* Adding points one by one to a store's own arrays: for few points, or too many cells for a table per thread. */
#ifndef UHI_ACCUMULATE_STORE_DIRECT_H
#define UHI_ACCUMULATE_STORE_DIRECT_H

#include "kernels/accumulate/store_state.h"
#include "kernels/accumulate/tables.h"

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

#endif
