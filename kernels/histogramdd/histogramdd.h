/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over several axes: how the slots of a point's coordinates become its cell, in C and in OpenCL C.
 *
 * A cell is a number in mixed radix, a digit an axis: the bin, row-major. A point that misses an axis is in cell
 * UHI_NO_CELL. On the host, small histograms are counted with the slots themselves as digits (struct uhi_find): below,
 * above and NaN are digits too, and the counters of such slots add up to the flows when all is counted. */
#ifndef UHI_HISTOGRAMDD_H
#define UHI_HISTOGRAMDD_H

#define UHI_NO_CELL 0xffffffffu

/* Counters of one axis on a device: below, above, NaN, and of the last axis points in no cell. */
enum { UHI_FLOW_BELOW, UHI_FLOW_ABOVE, UHI_FLOW_NAN, UHI_FLOW_OUTSIDE, UHI_FLOW_COUNT };

/* Windows (accumulate.h) that a group has in local memory, of sums and of sums of squares; a window of a slot is two
 * words. Beside all these it has the counters of flows, and some words for all. */
enum { UHI_SUM_DEPTH = 2, UHI_SQUARE_DEPTH = 4, UHI_SUM_WORDS = 4 };

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>
#include <stdint.h>

/* An axis of few cuts, for a binary search whose steps are a permutation each. A value's path has a bit for each step,
 * the first one lowest: whether it has reached the step's cut. */
enum { UHI_PAIR_STEPS = 7, UHI_PAIR_CUTS = 126, UHI_PAIR_NAN = 127 /* NaN's path, no value's */ };
struct uhi_pair_axis {
    _Alignas(64) float cut[11][16]; /* by the path so far: of steps 0 to 4 a row each, of step 5 two, of step 6 four */
    _Alignas(64) uint16_t digit[128]; /* by the whole path: what the slot adds to the cell */
};

/* The host's functions, one table for each x86-64 level. */
struct uhi_histogramdd_host {
    /* Brings the slots of n points on an axis of `bins` bins into their cells, which `first` begins: `none`, the largest
     * of them, for points that miss an axis, and before the last axis UHI_NO_CELL. Returns how many miss this one. */
    size_t (*combine)(const uint32_t *slot, size_t n, uint32_t bins, int first, uint32_t none, uint32_t *cell);
    /* Adds to flow[0], [1] and [2] how many slots are below, above and NaN. */
    void (*flow)(const uint32_t *slot, size_t n, uint32_t bins, uint64_t *flow);
    /* How many cells are `none`. */
    size_t (*outside)(const uint32_t *cell, size_t n, uint32_t none);
    /* Adds n narrow counters to the wide ones and sets them to zero. */
    void (*widen)(uint16_t *narrow, size_t n, uint32_t *wide);
    /* Counts n points in counts[cell], the sum of either axis's digit; NULL where the level has no such permutations.
     */
    void (*count_pair)(const struct uhi_pair_axis axes[2], const float *x, const float *y, size_t n, uint16_t *counts);
};
#endif

#endif
