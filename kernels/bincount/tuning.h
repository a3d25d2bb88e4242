/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that tune the counting of integers and the search for the smallest and largest value. Measured on 2 virtual
 * CPUs of Sapphire Rapids, L2 of 2 MiB, unless it says otherwise. */
#ifndef UHI_BINCOUNT_TUNING_H
#define UHI_BINCOUNT_TUNING_H

#include <stddef.h>

enum {
    UHI_BINCOUNT_VALUES_A_THREAD = 32768, /* worth waking it: about 15 us of work */
    UHI_EXTENT_VALUES_A_THREAD = 1 << 16,
    UHI_BINCOUNT_DIRECT_VALUES = 4096,    /* below it clearing and adding up tables costs more than it saves */
    UHI_BINCOUNT_REPLICA_BINS = 32768,    /* a thread has UHI_BINCOUNT_REPLICAS tables up to so many: 512 KiB */
    UHI_BINCOUNT_FIRST_BINS = 1024,       /* of a table that grows when a larger value comes */
    UHI_BINCOUNT_SHARED_ADDING = 1 << 18, /* counters from which several threads add up the tables */
    UHI_BINCOUNT_LEAST_SHARE = 4096       /* values that are worth a piece for one of several devices: not measured */
};

/* All threads' tables together. */
#define UHI_BINCOUNT_PRIVATE_BYTES ((size_t)256 << 20)

/* So many values go into a thread's tables of 32 bits before they are emptied. */
#define UHI_BINCOUNT_BATCH ((size_t)1 << 31)

#endif
