/* SPDX-License-Identifier: Apache-2.0 */
/* Edges brought to the type of the values, so that comparing needs no other type and is exact. */
#ifndef UHI_THRESHOLDS_H
#define UHI_THRESHOLDS_H

#include <unihist/axis.h>
#include <unihist/base.h>

#include "kernels/plan/tables.h"

/* An axis's edges, exactly: `values` are double, int64_t or uint64_t as `dtype` says (UH_F64, UH_I64, UH_U64). */
struct uhi_edges {
    uh_dtype dtype;
    const void *values;
    size_t count;
    uh_closed closed; /* of the edges between `below` and `above` */
    int below, above; /* 1: the first edge is -inf, or the last one +inf, for a bin of all that is beyond the others */
    const uh_distribution *distribution; /* that values are said to follow, or NULL; for the planner alone */
};

/* Edge j as the nearest float64. */
static inline double uhi_edge_f64(const struct uhi_edges *edges, size_t j) {
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
    void *values;             /* float, double, int32_t or int64_t; owned, freed by uhi_thresholds_free */
    size_t count;             /* how many edges some value reaches */
    int64_t flip;             /* applied to values and thresholds of 32- and 64-bit unsigned types */
};

/* Makes the thresholds of `edges` for values of `dtype`. UH_ERROR_OUT_OF_MEMORY, naming `call`. */
uh_status uhi_thresholds_make(const char *call, const struct uhi_edges *edges, uh_dtype dtype,
                              struct uhi_thresholds *thresholds);

void uhi_thresholds_free(struct uhi_thresholds *thresholds);

#endif
