/* SPDX-License-Identifier: Apache-2.0 */
/* Counting integers on whatever device a queue has. On the host: how values are cut into slabs, where each thread
 * counts, and how the counts are brought together. On others: see bincount_device.h. */
#ifndef UHI_BINCOUNT_RUN_H
#define UHI_BINCOUNT_RUN_H

#include <unihist/kernel.h>

#include "kernels/bincount/bincount_limit.h"

struct uhi_bincount_device;

/* Counts that grow. Zero it at first and set queue and limit; freed by uhi_bincount_free. */
struct uhi_bincount {
    uh_queue *queue;
    struct uhi_bincount_limit limit;
    uint64_t *counts; /* of the values 0 to length - 1 */
    size_t length;    /* the largest value + 1 */
    size_t room;
    size_t batch; /* values that a thread's tables may hold; 0: 2^31, fewer to test what happens then */
    struct uhi_bincount_device *device;
};

void uhi_bincount_free(struct uhi_bincount *count);

/* Adds n > 0 values of an integer type. On failure nothing is added. */
uh_status uhi_bincount_add(const char *call, struct uhi_bincount *count, uh_dtype dtype, const void *x, size_t n);

/* Looks at n > 0 values of an integer type and stores the largest. Fails as uhi_bincount_add where one may not be
 * counted. */
uh_status uhi_bincount_look(const char *call, struct uhi_bincount *count, uh_dtype dtype, const void *x, size_t n,
                            uint64_t *largest);

/* The same of values that the host can read, by a queue of the host. */
uh_status uhi_bincount_look_on_host(const char *call, uh_queue *queue, struct uhi_bincount_limit limit, uh_dtype dtype,
                                    const void *x, size_t n, uint64_t *largest);

/* Makes room for counts of the values 0 to length - 1. */
uh_status uhi_bincount_reserve(const char *call, struct uhi_bincount *count, size_t length);

/* Says what is wrong with the first of values that the host can read that may not be counted; UH_SUCCESS for none. */
uh_status uhi_bincount_find_refused(const char *call, struct uhi_bincount_limit limit, uh_dtype dtype, const void *x,
                                    size_t n);

#endif
