/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning parameters of the Parboil histogram. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <unihist/device.h>

enum {
    UHI_HISTO_INDICES_A_THREAD = 32768 /* minimum to wake a thread: about 13 us; Sapphire Rapids, 2 virtual cores */
};

/* Half-width of the eye in standard deviations of the sample. The host's is wide, because indices outside are added
 * atomically; on a device each further row may be one more reading of all indices. Estimates for Parboil's picture. */
enum { UHI_HISTO_SIGMAS_HOST = 4, UHI_HISTO_SIGMAS_DEVICE = 3 };

/* How a device shares the work. All rows are the model's choice (perf/model); nothing has been measured on a GPU. */
struct uhi_histo_tuning {
    uint32_t threads;      /* the row is for this many per execution unit, and */
    uint64_t local_memory; /* at least this much available to a group */
    uint32_t resident, of; /* groups at once: this fraction of those that the device has threads for */
    uint32_t max_tiles;    /* groups per batch; each reads all of its indices */
    uint32_t bytes_cost;   /* 8-bit counters pay if they save more tiles than this */
};

/* All batches' groups should run at once: more would wait for them, and each further batch is one more partial
 * histogram to join. Groups get half of the local memory that one may have. */
static inline const struct uhi_histo_tuning *uhi_histo_tuning_for(const uh_device_properties *device) {
    static const struct uhi_histo_tuning rows[] = {
        /* Iris Xe (tgllp, adl-p): a core has 128 KiB, a group 32: 4 groups; its 112 threads would hold 7 of 16 threads.
         * Reading an index of another tile takes 1.0 slots (134 G/s), an exchange in global memory a cycle of one of 8
         * lines (11 G/s), two per index: 24 readings; a few more for batches whose groups read the same indices in
         * turn, from the cache. */
        {7, 0, 4, 7, 32, 4},
        /* Max 1550 (pvc), B580 (bmg): a core has 128 KiB, a group 64: 2 groups; its 64 threads would hold 4 of 16. A
         * reading takes 0.36 slots, or 4 bytes of the L2 cache (3,250 G/s), two exchanges 102 G/s: 32 readings. An
         * 8-bit counter takes one or two exchanges in local memory, 0.35 slots and two more messages, equal to 3 to 4
         * readings. */
        {8, 131072, 1, 2, 32, 4},
        /* Others, such as Arc A770 (dg2): a core has 128 KiB, a group 32; its 128 threads would hold 8 groups. */
        {0, 0, 1, 2, 32, 4},
    };
    const uint32_t threads = device->cores ? device->threads / device->cores : 0;
    const struct uhi_histo_tuning *row = rows;
    while (row->threads && (row->threads != threads || device->local_memory < row->local_memory))
        row++;
    return row;
}

/* Limit of all threads' tables together; above it all threads add to the result. */
#define UHI_HISTO_TABLES_BYTES ((size_t)64 << 20)

/* Limit of all partial histograms of a device together; the limit of kernels/common/shape.h applies too. */
#define UHI_HISTO_PARTIAL_BYTES ((uint64_t)64 << 20)
