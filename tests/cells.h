/* SPDX-License-Identifier: Apache-2.0 */
/* What a histogram must hold after fills, and every read that its storage has. */
#pragma once

#include <unihist/histogram.h>

#include "tests/description.h"
#include "tests/oracle.h"

/* Of the points of a fill. */
struct cells {
    size_t cells, naxes, n;
    uint64_t *counts;            /* of each cell, and at last outside */
    long double *sums, *squares; /* the same of weights, which must be exact in that type */
    uint64_t (*flow)[3];         /* of each axis: below, above, NaN */
    int whole;                   /* weights are integers, whose sums int64 holds */
};

/* Makes those of no points, in a case's memory; adds a point to a cell, or to that in which its slots on the axes are.
 */
struct cells case_cells(void *made, size_t cells, size_t naxes);
void cells_add(struct cells *cells, size_t cell, long double weight);
void cells_add_point(struct cells *cells, const struct oracle_axis *const *axes, const long double *point,
                     long double weight);

/* Reads a histogram after `times_a` fills with these points and `times_b` with others, and compares. */
void use_cells(struct use *use, uh_histogram *histogram, const struct cells *a, uint64_t times_a, const struct cells *b,
               uint64_t times_b);
