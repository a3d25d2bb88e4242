/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil / SPEC ACCEL 116 histogram: how often each index occurs, at most 255, in a table of `height` rows of
 * `width` bins. Most indices fall into the "eye", a few rows that a prescan finds from a sample and that are counted in
 * fast private tables; all others are counted in the result. A count never exceeds 255, and min(a + b, 255) of
 * saturated counts is the saturated sum, so tables may be joined in any order.
 *
 * Shared by C and OpenCL C. */
#pragma once

#include "kernels/common/integers.h"

/* The largest count. */
#define UHI_HISTO_FULL 255u

/* Sums of the prescan: 64-bit words, over the sampled indices within the histogram, each first shifted right. */
#define UHI_HISTO_COUNT   0
#define UHI_HISTO_SUM     1
#define UHI_HISTO_SQUARES 2
#define UHI_HISTO_SUMS    3

/* Known before the eye is; on a device the prescan reads it. */
struct uhi_histo_limits {
    uhi_u32 last;          /* the last bin that an index can address */
    uhi_u32 width;         /* bins per row */
    uhi_u32 shift;         /* of the samples, to 20 bits */
    uhi_u32 sigmas;        /* half-width of the eye in standard deviations, at most 255 */
    uhi_u32 room_16;       /* 16-bit bins that a group's local memory holds, a multiple of 4; 0: none */
    uhi_u32 room_8;        /* the same for 8-bit bins */
    uhi_u32 max_size;      /* of an eye, in bins; 0: no eye */
    uhi_u32 max_tiles;     /* groups per batch: tuning.h, at most 32 */
    uhi_u32 bytes_cost;    /* of 8-bit counters: tuning.h */
    uhi_u32 groups;        /* worth launching for this number of indices, 1 to 4096 */
    uhi_u32 partial_bytes; /* available for all partial histograms together */
    uhi_u32 index_bytes;   /* of all indices, or the most that 32 bits hold */
};

/* How a device counts: the batches of the indices, and how a batch's groups share the eye. On a device the prescan
 * writes it and the later kernels read it. */
struct uhi_histo_geometry {
    uhi_u32 eye;      /* its first row */
    uhi_u32 eye_rows; /* may be 0: no eye */
    uhi_u32 bits;     /* per counter in local memory: 16, 8, or 0 without an eye */
    uhi_u32 first;    /* the eye's first bin, a multiple of 4 */
    uhi_u32 size;     /* of the eye in bins: a multiple of 4, or up to the histogram's end */
    uhi_u32 tile;     /* bins of the eye per group, a multiple of 4; the last group may have fewer */
    uhi_u32 tiles;    /* groups per batch, at least 1 */
    uhi_u32 batches;  /* at least 1; batches * tiles * tiles is below 2^20 */
    uhi_u32 inverse;  /* 2^20 / tiles, rounded up, to divide numbers below 2^20 / tiles by tiles */
    uhi_u32 pitch;    /* pitch of the batches' partial histograms, in words */
};

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>

/* Indices to count, and the destination. */
struct uhi_histo_part {
    const char *x; /* n indices of 32 bits, at any alignment */
    size_t n;
    uint32_t first, last; /* first and last bin of the eye; no eye if `table` is NULL */
    uint8_t *table;       /* the eye's counts, private to the thread */
    uint64_t bins;        /* of the histogram */
    uint8_t *out;         /* its counts; those outside the eye are added atomically; may be `table` */
};

/* Host functions; one table per x86-64 level. */
struct uhi_histo_host {
    /* Counts all; returns the number of indices beyond the histogram. */
    uint64_t (*count)(const struct uhi_histo_part *part);
    /* Stores the saturated sums of `tables` tables of n counts at this pitch. */
    void (*join)(const uint8_t *table, size_t pitch, size_t tables, size_t n, uint8_t *to);
};
#endif
