/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that tune the histogram over one axis, beside those of its plans. */
#ifndef UHI_HISTOGRAM_TUNING_H
#define UHI_HISTOGRAM_TUNING_H

#include <stddef.h>

enum {
    UHI_VALUES_A_THREAD = 32768,  /* worth waking it: about 20 us of work; Sapphire Rapids, 2 virtual cores */
    UHI_REPLICA_COUNTERS = 32768, /* a thread has UHI_REPLICAS tables up to so many: 512 KiB, a quarter of its L2 */
    UHI_DIRECT_VALUES = 1024,     /* up to so many, and two for each slot, clearing tables costs more than it saves */
    UHI_SHARED_ADDING = 1 << 18,  /* counters from which several threads add up the tables */
    UHI_VALUES_A_PRIVATE_COUNTER = 4, /* fewer, and adding up large private tables costs more than atomic additions */
    UHI_HISTOGRAM_LEAST_SHARE = 4096  /* values that are worth a piece for one of several devices: not measured */
};

/* Values go into buckets (histogram_buckets.h) where look-ups and counts touch more than a share of the last-level
 * cache, and there are values enough that a line of the tables is used several times. A bucket is for so much of the
 * tables; of very large ones it is larger, as then its part is, too. Measured on Zen 3, 512 KiB of second-level cache.
 */
enum {
    UHI_BUCKETS_FROM_BYTES = 15 << 19,
    UHI_BUCKETS_BYTES_A_VALUE = 16,
    UHI_BUCKET_PART = 16 << 10,
    UHI_BUCKET_BYTES = 64 << 10,
    UHI_LEAST_BUCKET_BYTES = 16 << 10, /* where many threads share UHI_PRIVATE_BYTES; with less they do not pay */
    UHI_LARGE_BUCKET_BYTES = 128 << 10,
    UHI_LARGE_BUCKETS_FROM_BYTES = 64 << 20,
    UHI_MAX_BUCKETS = 1024
};

/* All threads' tables together, where each has one; beyond it they share the result and add atomically. */
#define UHI_PRIVATE_BYTES ((size_t)256 << 20)

/* So many values go into a table of 32-bit counters before it is emptied. */
#define UHI_REPLICA_VALUES ((size_t)1 << 31)

#endif
