/* SPDX-License-Identifier: Apache-2.0 */
/* Edges in the type of the values, so that comparisons need no other type and are exact. */
#pragma once

#include <math.h>

#include <unihist/axis.h>
#include <unihist/base.h>

#include "kernels/plan/tables.h"

/* An axis's exact edges: `values` are double, int64_t or uint64_t by `dtype` (UH_F64, UH_I64, UH_U64).
 *
 * For categories, there is one of `values` per bin, and `order` lists them in ascending order. The edges are then
 * -inf, a closed and an open one at each value in this order, +inf. Between two edges is a category or a gap; all
 * gaps together are the range above, or the bin for it. */
struct uhi_edges {
    uh_dtype dtype;
    const void *values;
    size_t count;
    uh_closed closed;      /* of the edges between `below` and `above` */
    int below, above;      /* 1: there is a bin for all values beyond; the first edge is then -inf or the last +inf.
                              Categories: `above` only, for all other values */
    const uint32_t *order; /* NULL: bins between edges */
    const uh_distribution *distribution; /* expected distribution of the values, or NULL; for the planner only */
};

static inline size_t uhi_edges_bins(const struct uhi_edges *edges) {
    return edges->order ? edges->count / 2 - 1 + (size_t)edges->above : edges->count - 1;
}

static inline size_t uhi_edges_values(const struct uhi_edges *edges) {
    return edges->order ? edges->count / 2 - 1 : edges->count;
}

/* Returns the slot of values that have passed exactly `passed` edges: 0 below, a bin plus 1, above. */
static inline uint32_t uhi_edges_slot(const struct uhi_edges *edges, size_t passed) {
    if (!edges->order)
        return (uint32_t)passed;
    return passed > 0 && passed % 2 == 0 ? edges->order[passed / 2 - 1] + 1 : (uint32_t)(edges->count / 2);
}

/* Returns -1 if edge j is -inf, below all others, which is in the bin above it; 1 if it is +inf, which is in the bin
 * below it; otherwise 0. */
static inline int uhi_edge_beyond(const struct uhi_edges *edges, size_t j) {
    if (j == 0)
        return -(edges->below || edges->order);
    return j == edges->count - 1 && (edges->above || edges->order);
}

/* Returns the index in `values` of edge j, which is not beyond. */
static inline size_t uhi_edge_index(const struct uhi_edges *edges, size_t j) {
    return edges->order ? edges->order[(j - 1) / 2] : j;
}

/* Returns edge j as the nearest float64. */
static inline double uhi_edge_f64(const struct uhi_edges *edges, size_t j) {
    const int beyond = uhi_edge_beyond(edges, j);
    if (beyond)
        return beyond * (double)INFINITY;
    j = uhi_edge_index(edges, j);
    switch (edges->dtype) {
    case UH_F64: return ((const double *)edges->values)[j];
    case UH_I64: return (double)((const int64_t *)edges->values)[j];
    default: return (double)((const uint64_t *)edges->values)[j];
    }
}

/* For each edge the smallest value of the type at or past it: x >= b[j], or x > b[j] if the edge belongs to the bin
 * on its left. Edges that no value reaches are the last ones and are not stored. */
struct uhi_thresholds {
    enum uhi_compare compare; /* UHI_COMPARE_I32 also for 8- and 16-bit values */
    void *values;             /* float, double, int32_t or int64_t (also keys); owned, see uhi_thresholds_free */
    size_t count;             /* edges that some value reaches */
    int64_t flip;             /* applied to values and thresholds of 32- and 64-bit unsigned types */
};

/* Makes the thresholds of `edges` for values of `dtype`. UH_ERROR_OUT_OF_MEMORY, naming `call`. */
uh_status uhi_thresholds_make(const char *call, const struct uhi_edges *edges, uh_dtype dtype,
                              struct uhi_thresholds *thresholds);

/* Converts float64 thresholds to keys; leaves others unchanged. */
void uhi_thresholds_to_keys(struct uhi_thresholds *thresholds);

void uhi_thresholds_free(struct uhi_thresholds *thresholds);
