/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning parameters of samplers. Host values were measured on Sapphire Rapids, 2 virtual cores, 2 MiB L2; device values
 * were not measured on hardware. */
#pragma once

#include <stddef.h>

enum {
    /* Drawing and counting on the host. */
    UHI_SAMPLES_A_THREAD = 32768,     /* minimum worth waking a thread: about 20 us */
    UHI_SAMPLES_MIN_SHARE = 4096,     /* minimum worth a piece for one of several devices: not measured */
    UHI_SAMPLE_FOUR_TABLES = 4096,    /* up to this many counters a thread has four tables: equal samples do not wait */
    UHI_SAMPLE_TWO_TABLES = 1 << 17,  /* likewise two */
    UHI_SAMPLE_COUNTERS_A_SAMPLE = 4, /* counters cleared and added up in the time of a sample */
    UHI_SAMPLES_A_BATCH = 1 << 30,    /* per thread, because counters have 32 bits */

    /* Choosing: uh_choice. */
    UHI_CHOICE_PIECE = 1 << 20,  /* indices at a time: stay cached between drawing and use */
    UHI_CHOICE_A_THREAD = 16384, /* minimum worth waking a thread: about 10 us */

    /* Making tables on the host. */
    UHI_SAMPLE_WEIGHTS_A_THREAD = 1 << 16, /* minimum worth waking a thread just to scan them */
    UHI_SAMPLE_CHUNK = 1 << 16,            /* masses per piece of work */
    UHI_SAMPLE_CELLS_LOG = 12,             /* a piece of work is 2^this cells of a guide */
    UHI_SAMPLE_SMALL_GUIDE = 1 << 10,      /* up to this many items, 8 to 16 cells per item stay in the L1 cache */
    UHI_SAMPLE_MIDDLE_GUIDE = 1 << 21,     /* up to this many items, 4 to 8 cells per item do not yet wait for memory */

    /* On a device. */
    UHI_SAMPLES_A_LAUNCH = 1 << 28, /* more would not be faster */
    UHI_SAMPLES_A_WORD = 4,         /* samples per word of a front from which a group gains by loading it */
    UHI_SAMPLES_TOGETHER = 1 << 22  /* samples of several parts that are combined in memory at a time before they are
                                       counted: 16 MiB, within the caches of Max 1550 */
};

/* Maximum size of all threads' tables; beyond it all threads add to the result directly. */
#define UHI_SAMPLE_TABLES_BYTES ((size_t)256 << 20)
