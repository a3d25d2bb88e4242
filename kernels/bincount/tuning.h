/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning parameters of integer counts and of the search for the smallest and largest value. Measured on 2 virtual CPUs
 * of Sapphire Rapids, L2 of 2 MiB, unless stated otherwise. */
#pragma once

#include <stddef.h>

enum {
    UHI_BINCOUNT_VALUES_A_THREAD = 32768, /* minimum to wake a thread: about 15 us of work */
    UHI_EXTENT_VALUES_A_THREAD = 1 << 16,
    UHI_BINCOUNT_DIRECT_VALUES = 4096,    /* below this, clearing and adding up tables costs more than it saves */
    UHI_BINCOUNT_REPLICA_BINS = 32768,    /* most bins for UHI_BINCOUNT_REPLICAS tables per thread: 512 KiB */
    UHI_BINCOUNT_FIRST_BINS = 1024,       /* of a table that grows for larger values */
    UHI_BINCOUNT_SHARED_ADDING = 1 << 18, /* counters from which several threads add up the tables */
    UHI_BINCOUNT_MIN_SHARE = 4096         /* minimum values of a piece for one of several devices: not measured */
};

/* Limit of all threads' tables together. */
#define UHI_BINCOUNT_PRIVATE_BYTES ((size_t)256 << 20)

/* Values per thread's tables of 32 bits before they are emptied. */
#define UHI_BINCOUNT_BATCH ((size_t)1 << 31)
