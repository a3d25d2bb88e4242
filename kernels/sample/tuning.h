/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that tune samplers. On the host measured on Sapphire Rapids, 2 virtual cores of 2 MiB L2; of devices no
 * hardware has been measured. */
#ifndef UHI_SAMPLE_TUNING_H
#define UHI_SAMPLE_TUNING_H

#include <stddef.h>

enum {
    /* Drawing and counting on the host. */
    UHI_SAMPLES_A_THREAD = 32768,     /* worth waking it: about 20 us */
    UHI_SAMPLES_LEAST_SHARE = 4096,   /* that are worth a piece for one of several devices: not measured */
    UHI_SAMPLE_FOUR_TABLES = 4096,    /* counters up to which a thread has four tables: equal samples do not wait */
    UHI_SAMPLE_TWO_TABLES = 1 << 17,  /* and two */
    UHI_SAMPLE_COUNTERS_A_SAMPLE = 4, /* are cleared and added up in the time of a sample */
    UHI_SAMPLES_A_BATCH = 1 << 30,    /* of a thread, whose counters are of 32 bits */

    /* Choosing: uh_choice. */
    UHI_CHOICE_PIECE = 1 << 20,  /* indices at a time: in the cache between being drawn and being used */
    UHI_CHOICE_A_THREAD = 16384, /* items, worth waking it: about 10 us */

    /* Making tables on the host. */
    UHI_SAMPLE_WEIGHTS_A_THREAD = 1 << 16, /* worth waking it, only to look at them */
    UHI_SAMPLE_CHUNK = 1 << 16,            /* masses of a piece of work */
    UHI_SAMPLE_CELLS_LOG = 12,             /* cells of a guide that are a piece of work: 2^this */
    UHI_SAMPLE_SMALL_GUIDE = 1 << 10,      /* items of which 8 to 16 cells each stay in the first-level cache */
    UHI_SAMPLE_MIDDLE_GUIDE = 1 << 21,     /* items of which 4 to 8 cells each do not yet wait for memory */

    /* On a device. */
    UHI_SAMPLES_A_LAUNCH = 1 << 28, /* more would not make it faster */
    UHI_SAMPLES_A_WORD = 4,         /* a group that draws so many for each word of a front has not loaded it in vain */
    UHI_SAMPLES_TOGETHER = 1 << 22  /* samples of several parts are put together in memory, so many at a time, before
                                       they are counted: 16 MiB, within the caches of Max 1550 */
};

/* All threads' tables together; beyond it they all add to the result. */
#define UHI_SAMPLE_TABLES_BYTES ((size_t)256 << 20)

#endif
