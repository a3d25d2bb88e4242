/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of weights by integer, on whatever device a queue has. */
#ifndef UHI_BINCOUNT_SUMS_H
#define UHI_BINCOUNT_SUMS_H

#include "kernels/accumulate/store.h"
#include "kernels/bincount/bincount_run.h"

/* Sums that grow. Zero it at first and set count.queue, count.limit and sum; freed by uhi_bincount_sums_free. */
struct uhi_bincount_sums {
    struct uhi_bincount count; /* whose counts are not used */
    uh_sum sum;
    size_t length;           /* the largest value + 1 */
    struct uhi_store *store; /* NULL before the first value */
    struct uhi_store_device *device;
};

void uhi_bincount_sums_free(struct uhi_bincount_sums *sums);

/* Forgets all values. */
void uhi_bincount_sums_clear(struct uhi_bincount_sums *sums);

/* Adds the weights of n > 0 values of an integer type; NULL: 1 each. On failure nothing is added. */
uh_status uhi_bincount_sums_add(const char *call, struct uhi_bincount_sums *sums, uh_dtype dtype, const void *x,
                                size_t n, const uh_array *weights);

#endif
