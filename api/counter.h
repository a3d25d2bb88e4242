/* SPDX-License-Identifier: Apache-2.0 */
/* A counter as the calls of bincount.h share it. */
#ifndef UHI_API_COUNTER_H
#define UHI_API_COUNTER_H

#include <unihist/bincount.h>

#include "kernels/bincount/bincount_run.h"

struct uh_counter {
    struct uhi_bincount count;
    uh_storage storage; /* COUNT or SUM: what of `count` is used */
    size_t minlength;
};

/* Weights as a call is given them. */
struct uhi_weights {
    uh_dtype dtype;
    const void *data;
    size_t n;
};

/* Begins a counter in place; `call` is for messages. Ended by uhi_counter_close. */
uh_status uhi_counter_open(const char *call, uh_queue *queue, const uh_counter_options *options, uh_counter *counter);
void uhi_counter_close(uh_counter *counter);

/* Checks what uhi_counter_fill is given. */
uh_status uhi_counter_check(const char *call, const uh_counter *counter, uh_dtype dtype, const void *x, size_t n,
                            const struct uhi_weights *weights);

/* As uh_counter_fill, or with weights as uh_counter_fill_weighted. */
uh_status uhi_counter_fill(const char *call, uh_counter *counter, uh_dtype dtype, const void *x, size_t n,
                           const struct uhi_weights *weights);

/* As the public calls, but for their checks. */
void uhi_counter_counts(const uh_counter *counter, uint64_t *counts);
void uhi_counter_sums(const uh_counter *counter, double *sums);
uh_status uhi_counter_sums_i64(const char *call, const uh_counter *counter, int64_t *sums);

#endif
