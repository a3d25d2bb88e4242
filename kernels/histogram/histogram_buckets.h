/* SPDX-License-Identifier: Apache-2.0 */
/* Counting in tables larger than the caches. Values first go into buckets, by the part of the tables that their
 * look-ups touch. A full bucket is counted at once, with its part in the second-level cache. The choice of bucket
 * affects only speed. Values that come in order are counted in place. */
#ifndef UHI_HISTOGRAM_BUCKETS_H
#define UHI_HISTOGRAM_BUCKETS_H

#include "kernels/histogram/histogram.h"

struct uhi_buckets {
    uint32_t count; /* 0: buckets do not pay */
    uint32_t shift; /* bucket number = first-level cell >> shift */
    size_t bytes;   /* of values per bucket */
};

/* Returns the first-level cells of packed cells or of cdf. */
size_t uhi_first_cells(const struct uhi_histogram_tables *tables);

/* Chooses the buckets for `threads` threads with n values each. */
struct uhi_buckets uhi_buckets_for(const struct uhi_histogram_tables *tables, size_t n, size_t threads);

/* Bytes of memory for one thread's buckets, in whole cache lines. */
size_t uhi_buckets_room(const struct uhi_buckets *buckets);

/* Calls count(context, values) for all values, in contiguous, aligned portions. */
void uhi_buckets_each(const struct uhi_buckets *buckets, const struct uhi_histogram_host *host,
                      const struct uhi_histogram_tables *tables, struct uhi_values x, void *room,
                      void (*count)(const void *context, struct uhi_values values), const void *context);

#endif
