/* SPDX-License-Identifier: Apache-2.0 */
/* Cubature: shared by host and device code. A rule evaluates a region at nodes: the centre plus, on each axis, an
 * offset times half the width. Nodes form orbits, with the same weights. Besides the rule itself there are null rules,
 * which are 0 for polynomials up to some degree: their values are the error's measure. */
#pragma once

#include "kernels/integrate/integrate.h"

#define UHI_CUBATURE_DIMS  8   /* at most */
#define UHI_CUBATURE_RULES 7   /* the rule, then three pairs of null rules of falling degrees */
#define UHI_CUBATURE_NODES 418 /* and room to try one more */
#define UHI_ORBITS         9
#define UHI_PLACES         17

/* The row of a region in 64-bit words: the number of non-finite values, which count as 0; the first node that has one
 * (UINT64_MAX: none), and that value; the fourth difference of the first value on each axis; then for each value what
 * the rules give, multiplied by the volume, and the sum of magnitudes over nodes. */
#define UHI_REGION_NOT_FINITE          0
#define UHI_REGION_NODE                1
#define UHI_REGION_VALUE               2
#define UHI_REGION_DIFFERENCES         3
#define UHI_REGION_RULES(dims, value)  (UHI_REGION_DIFFERENCES + (dims) + (UHI_CUBATURE_RULES + 1) * (value))
#define UHI_REGION_WORDS(dims, values) UHI_REGION_RULES(dims, values)

/* In the form that devices read. The first orbit is the centre; the next two lie on axes and make fourth differences.
 */
struct uhi_rule {
    double weight[UHI_ORBITS][UHI_CUBATURE_RULES]; /* of each of an orbit's nodes; the first sum up to 1 */
    double place[UHI_PLACES];                      /* offsets: 0, then both signs of each distance */
    double ratio;                                  /* of the squares of orbit 1's and 2's distances */
    double sides[UHI_CUBATURE_DIMS][2];            /* the axes' kinds (UHI_SIDES_), and finite sides; for devices */
    unsigned int first[UHI_ORBITS + 1];            /* node of each orbit, then the number of nodes */
    unsigned int orbits, places;
    unsigned char at[UHI_CUBATURE_NODES][UHI_CUBATURE_DIMS]; /* which place a node has on each axis */
};

#ifndef __OPENCL_C_VERSION__
/* Units of samples that are regions instead. */
struct uhi_cubing {
    struct uhi_rule rule;
    const double *region; /* of each: the centre, then halves of widths */
};

/* Makes the rule of `dims` dimensions: of degree 22 in one (Kronrod, 15 nodes), 9 in two to four, 7 in more. */
void uhi_rule_make(size_t dims, struct uhi_rule *rule);

static inline size_t uhi_row_words(const struct uhi_sampling *s) {
    return s->cubing ? UHI_REGION_WORDS(s->field.dims, s->integrand->values) : UHI_ROW_WORDS(s->integrand->values);
}

/* Bytes of a thread's memory. */
static inline size_t uhi_part_memory(const struct uhi_sampling *s) {
    const size_t dims = s->field.dims, values = s->integrand->values,
                 arrays = (2 * UHI_PLACES + 1) * dims + (UHI_CUBATURE_RULES + 3) * values + 4;
    return s->cubing ? UH_INTEGRATE_BATCH * sizeof(double) * arrays : UHI_INTEGRATE_MEMORY(dims, values);
}
#endif
