/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning parameters of histograms over several axes. Measured on Sapphire Rapids, 2 virtual cores, unless stated
 * otherwise. */
#ifndef UHI_HISTOGRAMDD_TUNING_H
#define UHI_HISTOGRAMDD_TUNING_H

enum {
    UHI_DD_POINTS_A_THREAD = 16384,  /* minimum to wake a thread */
    UHI_DD_DIRECT_POINTS = 4096,     /* up to this, private tables cost more than they save */
    UHI_DD_MAX_PADDED = 1 << 17,     /* most slots for tables of 16 and 32 bits per thread: 768 KiB */
    UHI_DD_POINTS_A_PADDED_SLOT = 2, /* per thread; below this, adding up the tables costs more than it saves */
    UHI_DD_UNIT_BLOCKS = 16 /* axes share the counting of the previous block in units of UHI_FIND_SHARES times this */
};

/* Whether the previous block is counted while the next one's cells are looked up: look-ups wait for loads, counting for
 * stores. On AMD's Zen 4 stores delay the gathers of v4: 575 million points per second, 635 if counted afterwards. */
#define UHI_DD_COUNT_MEANWHILE (uhi_cpu_isa() != UHI_ISA_V4 || !__builtin_cpu_is("amd"))

/* Whether float32 coordinates on two axes of few cuts are looked up in registers, if the level can. Zen 4's gathers are
 * slow: 575 to 660 million points per second by gathers, 880 in registers. Intel's CPUs permute and compare on one
 * port, and have not been tried. */
#define UHI_DD_PAIR (uhi_cpu_isa() == UHI_ISA_V4 && __builtin_cpu_is("amd"))

#endif
