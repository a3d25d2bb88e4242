/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that tune the Parboil histogram. */
#ifndef UHI_HISTO_TUNING_H
#define UHI_HISTO_TUNING_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/runtime.h>

enum {
    UHI_HISTO_INDICES_A_THREAD = 32768 /* worth waking it: about 13 us; Sapphire Rapids, 2 virtual cores */
};

/* The eye, in standard deviations of the sample to both sides. The host's is wide, as what is outside is added with
 * atomics; of a device's each row more may be one more reading of all indices. Estimates for Parboil's picture. */
enum { UHI_HISTO_SIGMAS_HOST = 4, UHI_HISTO_SIGMAS_DEVICE = 3 };

/* How a device shares the work. All rows are the model's choice (perf/model): nothing has been measured on a GPU. */
struct uhi_histo_tuning {
    uint32_t threads;      /* of an execution unit, and */
    uint64_t local_memory; /* what a group may have at least: whom the row is for */
    uint32_t resident, of; /* so many groups are there at once, of those that the device has threads for */
    uint32_t max_tiles;    /* groups of a batch: each reads all of its indices */
    uint32_t bytes_cost;   /* counters of 8 bits are worth having where they save more tiles than this */
};

/* All batches' groups are to be there at once: more would wait for them, and each batch more is one more partial
 * histogram to join. Groups have half of the local memory that one may have. */
static inline const struct uhi_histo_tuning *uhi_histo_tuning_for(const uh_device_properties *device) {
    static const struct uhi_histo_tuning rows[] = {
        /* Iris Xe (tgllp, adl-p): a core has 128 KiB, a group 32: 4 groups; its 112 threads would hold 7 of 16 threads.
         * A reading of an index that is in another tile takes 1.0 slots (134 G/s), an exchange in global memory a cycle
         * of one of 8 lines (11 G/s), of which an index takes two: 24 readings; and batches whose groups read the same
         * indices one after the other, from the cache, a few more. */
        {7, 0, 4, 7, 32, 4},
        /* Max 1550 (pvc), B580 (bmg): a core has 128 KiB, a group 64: 2 groups; its 64 threads would hold 4 of 16. A
         * reading takes 0.36 slots, or 4 bytes of the L2 cache (3,250 G/s), two exchanges 102 G/s: 32 readings. A
         * counter of 8 bits takes one or two exchanges in local memory, 0.35 slots and two messages more, as 3 to 4
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

/* All threads' tables together; beyond it they all add to the result. */
#define UHI_HISTO_TABLES_BYTES ((size_t)64 << 20)

/* All partial histograms of a device together; also at most what kernels/common/memory_room.h says. */
#define UHI_HISTO_PARTIAL_BYTES ((uint64_t)64 << 20)

#endif
