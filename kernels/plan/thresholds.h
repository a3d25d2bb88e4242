/* SPDX-License-Identifier: Apache-2.0 */
/* Edges brought to the type of the values, so that comparing needs no other type and is exact. */
#ifndef UHI_THRESHOLDS_H
#define UHI_THRESHOLDS_H

#include <math.h>

#include <unihist/axis.h>
#include <unihist/base.h>

#include "kernels/plan/tables.h"

/* An axis's edges, exactly: `values` are double, int64_t or uint64_t as `dtype` says (UH_F64, UH_I64, UH_U64).
 *
 * Of categories, `values` are one a bin, and `order` says which is the smallest, the next, and so on. The edges are
 * made of them then: -inf, a closed and an open one at each value in this order, +inf. What lies between two edges is a
 * category or a gap; all gaps together are what is above, or the bin for that. */
struct uhi_edges {
    uh_dtype dtype;
    const void *values;
    size_t count;
    uh_closed closed; /* of the edges between `below` and `above` */
    int below, above; /* 1: there is a bin for all that is beyond the others; of edges, the first is -inf or the last
                         +inf then. Of categories, `above` alone: all that is none of them */
    const uint32_t *order;               /* NULL: bins between edges */
    const uh_distribution *distribution; /* that values are said to follow, or NULL; for the planner alone */
};

static inline size_t uhi_edges_bins(const struct uhi_edges *edges) {
    return edges->order ? edges->count / 2 - 1 + (size_t)edges->above : edges->count - 1;
}

/* How many `values` there are. */
static inline size_t uhi_edges_values(const struct uhi_edges *edges) {
    return edges->order ? edges->count / 2 - 1 : edges->count;
}

/* The slot of values that have passed so many edges, and no other: 0 below, a bin and 1, above. */
static inline uint32_t uhi_edges_slot(const struct uhi_edges *edges, size_t passed) {
    if (!edges->order)
        return (uint32_t)passed;
    return passed > 0 && passed % 2 == 0 ? edges->order[passed / 2 - 1] + 1 : (uint32_t)(edges->count / 2);
}

/* -1 where edge j is -inf, below all others, and lies in what is above it; 1 where it is +inf, which lies below it. */
static inline int uhi_edge_beyond(const struct uhi_edges *edges, size_t j) {
    if (j == 0)
        return -(edges->below || edges->order);
    return j == edges->count - 1 && (edges->above || edges->order);
}

/* Where the number of edge j, which is not beyond, stands among the values. */
static inline size_t uhi_edge_index(const struct uhi_edges *edges, size_t j) {
    return edges->order ? edges->order[(j - 1) / 2] : j;
}

/* Edge j as the nearest float64. */
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

/* For each edge the smallest value of the type at or past it: at or past edge j means x >= b[j], or x > b[j] where the
 * edge belongs to the bin on its left. Edges that no value reaches are counted, not stored: they are the last ones. */
struct uhi_thresholds {
    enum uhi_compare compare; /* UHI_COMPARE_I32 also for 8- and 16-bit values */
    void *values;             /* float, double, int32_t or int64_t (also keys); owned, see uhi_thresholds_free */
    size_t count;             /* how many edges some value reaches */
    int64_t flip;             /* applied to values and thresholds of 32- and 64-bit unsigned types */
};

/* Makes the thresholds of `edges` for values of `dtype`. UH_ERROR_OUT_OF_MEMORY, naming `call`. */
uh_status uhi_thresholds_make(const char *call, const struct uhi_edges *edges, uh_dtype dtype,
                              struct uhi_thresholds *thresholds);

/* Makes keys of thresholds that are float64; leaves others. */
void uhi_thresholds_to_keys(struct uhi_thresholds *thresholds);

void uhi_thresholds_free(struct uhi_thresholds *thresholds);

#endif
