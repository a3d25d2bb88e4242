/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that tune the Parboil histogram. */
#ifndef UHI_HISTO_TUNING_H
#define UHI_HISTO_TUNING_H

#include <stddef.h>
#include <stdint.h>

enum {
    UHI_HISTO_INDICES_A_THREAD = 32768, /* worth waking it: about 13 us; Sapphire Rapids, 2 virtual cores */

    /* On a device: estimates, measured on no GPU. */
    UHI_HISTO_MAX_TILES = 32, /* groups of a batch: each reads all of its indices, and so many reads cost what one
                                 addition in global memory does */
    UHI_HISTO_BYTES_COST = 4  /* counters of 8 bits are added to by compare and exchange, which costs so many readings
                                 of an index more */
};

/* The eye, in standard deviations of the sample to both sides. The host's is wide, as what is outside is added with
 * atomics; of a device's each row more may be one more reading of all indices. Estimates for Parboil's picture. */
#define UHI_HISTO_SIGMAS_HOST   4.0
#define UHI_HISTO_SIGMAS_DEVICE 3.0

/* All threads' tables together; beyond it they all add to the result. */
#define UHI_HISTO_TABLES_BYTES ((size_t)64 << 20)

/* All partial histograms of a device together; also at most a sixteenth of its memory. */
#define UHI_HISTO_PARTIAL_BYTES ((uint64_t)64 << 20)

#endif
