/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil / SPEC ACCEL 116 histogram: how often each index occurs, at most 255, in a table of height rows of width
 * bins. Most indices fall into the "eye", a few rows that a prescan finds from a sample, which is counted in fast
 * private tables; all others are counted where the result lies. A count never passes 255, and min(a + b, 255) of counts
 * that are limited already is the limited sum: tables may be joined in any order.
 *
 * What C and OpenCL C share. */
#ifndef UHI_HISTO_H
#define UHI_HISTO_H

/* The largest count. */
#define UHI_HISTO_FULL 255u

/* What the prescan sums up: 64-bit words, of sampled indices that lie within the histogram, each shifted right first.
 */
#define UHI_HISTO_COUNT   0
#define UHI_HISTO_SUM     1
#define UHI_HISTO_SQUARES 2
#define UHI_HISTO_SUMS    3

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>
#include <stdint.h>

/* Indices to count and where. */
struct uhi_histo_part {
    const char *x; /* n indices of 32 bits, of any alignment */
    size_t n;
    uint32_t first, last; /* the eye: these two bins and those between them; where `table` is NULL there is none */
    uint8_t *table;       /* the eye's counts, this thread's own */
    uint64_t bins;        /* of the histogram */
    uint8_t *out;         /* its counts: those outside the eye are added to with atomics; may be `table` */
};

/* The host's functions, one table for each x86-64 level. */
struct uhi_histo_host {
    /* Counts all; returns how many indices lie beyond the histogram. */
    uint64_t (*count)(const struct uhi_histo_part *part);
    /* Stores the limited sums of `tables` tables of n counts, each `pitch` behind the one before. */
    void (*join)(const uint8_t *table, size_t pitch, size_t tables, size_t n, uint8_t *to);
};
#endif

#endif
