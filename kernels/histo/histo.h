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

#ifdef __OPENCL_C_VERSION__
typedef uint uhi_histo_32;
typedef ulong uhi_histo_64;
#else
#include <stdint.h>
typedef uint32_t uhi_histo_32;
typedef uint64_t uhi_histo_64;
#endif

/* What is known before the eye is: on a device the prescan reads it. */
struct uhi_histo_limits {
    uhi_histo_32 last;          /* the last bin that an index can mean */
    uhi_histo_32 width;         /* of a row */
    uhi_histo_32 shift;         /* of the samples, which leaves them 20 bits */
    uhi_histo_32 sigmas;        /* the eye, in standard deviations to both sides: at most 255 */
    uhi_histo_32 room_16;       /* bins of 16 bits that a group's local memory holds, 0: none; a multiple of 4 */
    uhi_histo_32 room_8;        /* the same of 8 bits */
    uhi_histo_32 max_size;      /* of an eye, in bins; 0: there is none */
    uhi_histo_32 max_tiles;     /* groups of a batch: tuning.h, at most 32 */
    uhi_histo_32 bytes_cost;    /* counters of 8 bits: tuning.h */
    uhi_histo_32 groups;        /* that are worth having for so many indices, at least 1, at most 4096 */
    uhi_histo_32 partial_bytes; /* there is room for, of all partial histograms together */
    uhi_histo_32 index_bytes;   /* of all indices, or the most that 32 bits tell */
};

/* How a device counts: into how many batches the indices are cut, and how the eye is shared among a batch's groups. On
 * a device the prescan writes it, the kernels after it read it. */
struct uhi_histo_geometry {
    uhi_histo_32 eye;      /* its first row */
    uhi_histo_32 eye_rows; /* may be 0: then there is none */
    uhi_histo_32 bits;     /* of a counter in local memory: 16, 8, or 0 where there is no eye */
    uhi_histo_32 first;    /* the eye's first bin, a multiple of 4 */
    uhi_histo_32 size;     /* of the eye, in bins: a multiple of 4, or up to the histogram's end */
    uhi_histo_32 tile;     /* bins of the eye that a group counts, a multiple of 4; its last one may count fewer */
    uhi_histo_32 tiles;    /* groups of a batch, at least 1 */
    uhi_histo_32 batches;  /* at least 1; batches * tiles * tiles is below 2^20 */
    uhi_histo_32 inverse;  /* 2^20 / tiles, rounded up, which divides what is below 2^20 / tiles */
    uhi_histo_32 pitch;    /* words from one batch's partial histogram to the next */
};

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>

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
