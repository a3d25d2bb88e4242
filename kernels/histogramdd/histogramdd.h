/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over several axes: how the slots of a point's coordinates form its cell, in C and in OpenCL C.
 *
 * A cell is a number in mixed radix with one digit per axis: the bin, row-major. A point that misses an axis is in cell
 * UHI_NO_CELL. On the host, small histograms are counted with the slots themselves as digits (struct uhi_find): below,
 * above and NaN are digits too, and their counters are added to the flows at the end. */
#ifndef UHI_HISTOGRAMDD_H
#define UHI_HISTOGRAMDD_H

#define UHI_NO_CELL 0xffffffffu

/* Counters per axis on a device: below, above, NaN, and for the last axis points in no cell. */
enum { UHI_FLOW_BELOW, UHI_FLOW_ABOVE, UHI_FLOW_NAN, UHI_FLOW_OUTSIDE, UHI_FLOW_COUNT };

/* Windows (accumulate.h) per group in local memory, of sums and of sums of squares; a window of a slot has two words.
 * Local memory also has the flow counters and UHI_SUM_WORDS shared words. */
enum { UHI_SUM_DEPTH = 2, UHI_SQUARE_DEPTH = 4, UHI_SUM_WORDS = 4 };

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>
#include <stdint.h>

/* An axis of few cuts, for a binary search with one permutation per step. A value's path has one bit per step, the
 * first step's lowest: whether the value has reached the step's cut. */
enum { UHI_PAIR_STEPS = 7, UHI_PAIR_CUTS = 126, UHI_PAIR_NAN = 127 /* path of NaN only */ };
struct uhi_pair_axis {
    _Alignas(64) float cut[11][16];   /* by the path so far: a row each for steps 0 to 4, two for 5, four for 6 */
    _Alignas(64) uint16_t digit[128]; /* by the whole path: the slot's contribution to the cell */
};

/* Host functions; one table per x86-64 level. */
struct uhi_histogramdd_host {
    /* Appends the slots of n points on an axis of `bins` bins to their cells, which `first` begins. Points that miss an
     * axis get `none`: the largest cell, or UHI_NO_CELL before the last axis. Returns the number that miss this
     * axis. */
    size_t (*combine)(const uint32_t *slot, size_t n, uint32_t bins, int first, uint32_t none, uint32_t *cell);
    /* Adds the number of slots that are below, above and NaN to flow[0], [1] and [2]. */
    void (*flow)(const uint32_t *slot, size_t n, uint32_t bins, uint64_t *flow);
    /* Returns the number of cells equal to `none`. */
    size_t (*outside)(const uint32_t *cell, size_t n, uint32_t none);
    /* Adds n narrow counters to the wide ones and zeroes them. */
    void (*widen)(uint16_t *narrow, size_t n, uint32_t *wide);
    /* Counts n points in counts[cell]; the cell is the sum of both axes' digits. NULL if the level lacks such
     * permutations. */
    void (*count_pair)(const struct uhi_pair_axis axes[2], const float *x, const float *y, size_t n, uint16_t *counts);
};
#endif

#endif
