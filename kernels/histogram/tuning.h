/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning parameters of histograms, in addition to those of plans. */
#pragma once

#include <stddef.h>

enum {
    UHI_VALUES_A_THREAD = 32768,  /* minimum to wake a thread: about 20 us of work; Sapphire Rapids, 2 virtual cores */
    UHI_REPLICA_COUNTERS = 32768, /* most counters for UHI_REPLICAS tables per thread: 512 KiB, a quarter of its L2 */
    UHI_DIRECT_VALUES = 1024,     /* below this plus two per slot, clearing tables costs more than it saves */
    UHI_SHARED_ADDING = 1 << 18,  /* counters from which several threads add up the tables */
    UHI_VALUES_A_PRIVATE_COUNTER = 4, /* below this, adding up large private tables costs more than atomic additions */
    UHI_HISTOGRAM_MIN_SHARE = 4096    /* minimum values of a piece for one of several devices: not measured */
};

/* Values go into buckets (histogram_buckets.c) if look-ups and counts touch more than a share of the last-level cache
 * and there are enough values to use each line of the tables several times. A bucket is for UHI_BUCKET_PART bytes of
 * the tables; if they are very large, its part grows, and the bucket with it. Measured on Zen 3, 512 KiB of
 * second-level cache. */
enum {
    UHI_BUCKETS_FROM_BYTES = 15 << 19,
    UHI_BUCKETS_BYTES_A_VALUE = 16,
    UHI_BUCKET_PART = 16 << 10,
    UHI_BUCKET_BYTES = 64 << 10,
    UHI_GROUP_BUCKET_BYTES = 256 << 10, /* of groups (kernels/plan/plan_groups.c); Zen 4, 1 MiB of second-level cache */
    UHI_MIN_BUCKET_BYTES = 16 << 10,    /* for many threads sharing UHI_PRIVATE_BYTES; smaller buckets do not pay */
    UHI_LARGE_BUCKET_BYTES = 128 << 10,
    UHI_LARGE_BUCKETS_FROM_BYTES = 64 << 20,
    UHI_MAX_BUCKETS = 1024
};

/* Limit of all threads' private tables together; above it the threads share the result and add atomically. */
#define UHI_PRIVATE_BYTES ((size_t)256 << 20)

/* Values per table of 32-bit counters before it is emptied. */
#define UHI_REPLICA_VALUES ((size_t)1 << 31)

/* ---- several axes; measured on Sapphire Rapids, 2 virtual cores, unless stated otherwise ---- */

enum {
    UHI_POINTS_A_THREAD = 16384,  /* minimum to wake a thread */
    UHI_DIRECT_POINTS = 4096,     /* up to this, private tables cost more than they save */
    UHI_MAX_PADDED = 1 << 17,     /* most slots for tables of 16 and 32 bits per thread: 768 KiB */
    UHI_POINTS_A_PADDED_SLOT = 2, /* per thread; below this, adding up the tables costs more than it saves */
    UHI_UNIT_BLOCKS = 16 /* axes share the counting of the previous block in units of UHI_FIND_SHARES times this */
};

/* Whether the previous block is counted while the next one's cells are looked up: look-ups wait for loads, counting for
 * stores. On AMD's Zen 4 stores delay the gathers of v4: 575 million points per second, 635 if counted afterwards. */
#define UHI_COUNT_DURING_LOOKUP (uhi_cpu_isa() != UHI_ISA_V4 || !__builtin_cpu_is("amd"))

/* Whether float32 coordinates on two axes of few cuts are looked up in registers, if the level can. Zen 4's gathers are
 * slow: 575 to 660 million points per second by gathers, 880 in registers. Intel's CPUs permute and compare on one
 * port, and have not been tried. */
#define UHI_PAIR_IN_REGISTERS (uhi_cpu_isa() == UHI_ISA_V4 && __builtin_cpu_is("amd"))
