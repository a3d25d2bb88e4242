/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that tune histograms over several axes. All measured on Sapphire Rapids, 2 virtual cores. */
#ifndef UHI_HISTOGRAMDD_TUNING_H
#define UHI_HISTOGRAMDD_TUNING_H

enum {
    UHI_DD_POINTS_A_THREAD = 16384, /* worth waking it */
    UHI_DD_DIRECT_POINTS = 4096,    /* up to so many, private tables cost more than they save */
    UHI_DD_MAX_PADDED = 1 << 17, /* slots of a histogram that each thread counts in tables of 16 and 32 bits: 768 KiB */
    UHI_DD_POINTS_A_PADDED_SLOT = 2, /* of a thread; fewer, and adding up the tables costs more than it saves */
    UHI_DD_UNIT_BLOCKS = 16          /* axes share the counting of the block before in units of so many find shares */
};

#endif
