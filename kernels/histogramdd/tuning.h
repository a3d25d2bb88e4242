/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that tune histograms over several axes. Measured on Sapphire Rapids, 2 virtual cores, where nothing
 * else is said. */
#ifndef UHI_HISTOGRAMDD_TUNING_H
#define UHI_HISTOGRAMDD_TUNING_H

enum {
    UHI_DD_POINTS_A_THREAD = 16384, /* worth waking it */
    UHI_DD_DIRECT_POINTS = 4096,    /* up to so many, private tables cost more than they save */
    UHI_DD_MAX_PADDED = 1 << 17, /* slots of a histogram that each thread counts in tables of 16 and 32 bits: 768 KiB */
    UHI_DD_POINTS_A_PADDED_SLOT = 2, /* of a thread; fewer, and adding up the tables costs more than it saves */
    UHI_DD_UNIT_BLOCKS = 16          /* axes share the counting of the block before in units of so many find shares */
};

/* Whether the block before is counted while the next one's cells are looked up: the look-ups wait for loads, the
 * counting for stores. On AMD's Zen 4 stores hold up the gathers of v4: 575 million points a second, 635 if counted
 * afterwards. */
#define UHI_DD_COUNT_MEANWHILE (uhi_cpu_isa() != UHI_ISA_V4 || !__builtin_cpu_is("amd"))

/* Whether float32 coordinates on two axes of few cuts are looked up in registers, where the level can. Zen 4's gathers
 * are slow: 575 to 660 million points a second by gathers, 880 so. Intel's CPUs permute and compare on one port, and
 * have not been tried. */
#define UHI_DD_PAIR (uhi_cpu_isa() == UHI_ISA_V4 && __builtin_cpu_is("amd"))

#endif
