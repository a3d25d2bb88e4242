/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over several axes that are tried, made from a number alone, and what they must hold: every point is looked
 * up bin by bin (oracle.h), and everything is added in `long double`, which holds the sums of these weights exactly. */
#pragma once

#include <unihist/histogram.h>

#include "kernels/plan/tables.h"
#include "tests/cells.h"
#include "tests/oracle.h"

struct dd_case {
    size_t naxes, n, cells;
    uh_axis *axes[UH_MAX_AXES];
    enum uhi_lookup lookups[UH_MAX_AXES];
    struct oracle_axis oracle[UH_MAX_AXES];
    uh_array coordinates[UH_MAX_AXES];
    uh_storage storage;
    uh_array values; /* weights or samples */
    int has_values;
};

/* Makes case `number` of at most `most` points. This and all that follows ends with the unit test. */
struct dd_case *dd_case(uint64_t number, size_t most);

/* Makes a histogram of the case on a queue, of all its points or none, and fills points [from, to). */
uh_histogram *dd_case_create(uh_queue *queue, const struct dd_case *tried);
uh_histogram *dd_case_filled(uh_queue *queue, const struct dd_case *tried);
void dd_case_fill(uh_histogram *histogram, const struct dd_case *tried, size_t from, size_t to);

/* What a histogram of the case's points must hold, and one of other points (`values` NULL: none) over axes whose edges
 * the library makes. */
const struct cells *dd_expect(const struct dd_case *made);
const struct cells *dd_expect_of(uh_axis *const *axes, size_t naxes, const uh_array *coordinates,
                                 const uh_array *values);

/* Asserts that a histogram holds this, through every read that its storage has; or the sum of this so often and of the
 * other. */
void dd_assert_holds(uh_histogram *histogram, const struct cells *expected);
void dd_assert_sum(uh_histogram *histogram, const struct cells *a, uint64_t times_a, const struct cells *b,
                   uint64_t times_b);
