/* SPDX-License-Identifier: Apache-2.0 */
/* Counting in tables larger than the caches: values go into buckets first, by the part of the tables that they are
 * looked up in, and are counted a full bucket at a time, which finds its part in the second-level cache. Any bucket
 * would do: it decides the speed alone. Values that come in order are counted where they are. */
#ifndef UHI_HISTOGRAM_BUCKETS_H
#define UHI_HISTOGRAM_BUCKETS_H

#include "kernels/histogram/histogram.h"

struct uhi_buckets {
    uint32_t count; /* 0: they do not pay */
    uint32_t shift; /* of a first-level cell's number to the bucket's */
    size_t bytes;   /* of a bucket's values */
};

/* How values go, n of each of so many threads. */
struct uhi_buckets uhi_buckets_for(const struct uhi_histogram_tables *tables, size_t n, size_t threads);

/* Memory for a thread's buckets, aligned to whole cache lines. */
size_t uhi_buckets_room(const struct uhi_buckets *buckets);

/* Calls count(context, values) for all values, some at a time, which lie side by side and aligned. */
void uhi_buckets_each(const struct uhi_buckets *buckets, const struct uhi_histogram_host *host,
                      const struct uhi_histogram_tables *tables, struct uhi_values x, void *room,
                      void (*count)(const void *context, struct uhi_values values), const void *context);

#endif
