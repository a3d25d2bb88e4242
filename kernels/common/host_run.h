/* SPDX-License-Identifier: Apache-2.0 */
/* C functions on a host queue's threads. */
#ifndef UHI_HOST_RUN_H
#define UHI_HOST_RUN_H

#include <unihist/kernel.h>

/* Runs a function once for each of `groups` groups, with `context` as its one argument. Allocates nothing: such a
 * launch does not fail between two batches of one call. `name` is for the log. */
uh_status uhi_host_run(uh_queue *queue, uh_host_function function, const char *name, const void *context,
                       size_t groups);

/* How many threads are worth waking for n values of which one is worth waking for `each`. At least 1. */
size_t uhi_host_slabs(const uh_queue *queue, size_t n, size_t each);

/* Where slab number `slab` of n values begins; slab number `slabs` begins at n. */
static inline size_t uhi_slab_start(size_t n, size_t slabs, size_t slab) {
    const size_t each = n / slabs, rest = n % slabs;
    return slab * each + (slab < rest ? slab : rest);
}

#endif
