/* SPDX-License-Identifier: Apache-2.0 */
/* Axes that lead a device to each of its look-ups, and on devices with much local memory to each place in which it
 * counts, for the descriptions of histograms; and values and distributions that are tried on any axis. */
#pragma once

#include <stddef.h>

#include <unihist/histogram.h>

#include "kernels/plan/plan.h"
#include "tests/cases_histogram.h"
#include "tests/description.h"

/* The first few have some hundred bins at most; of the others Intel's devices are given the launches. */
enum { TRIED_AXES_FEW = 5, TRIED_AXES_FAMILIES = 4, TRIED_AXES_SIZES = 5 };
enum { TRIED_AXES = TRIED_AXES_FEW + TRIED_AXES_FAMILIES * TRIED_AXES_SIZES };

/* The axis, type of values and wanted look-up of a case. */
struct tried_lookup {
    size_t axis;
    uh_dtype dtype;
    int keys; /* float64 goes by its keys on every device, not only on those without double */
    enum uhi_lookup by;
};
struct tried_lookup tried_lookup_of(size_t number);
enum { TRIED_LOOKUPS = UHI_LOOKUP_DIRECT, TRIED_TYPES = UH_DTYPE_COUNT + 1 };

/* Describes it: the name with an axis's; axes of the few are for results, the others for Intel's devices. */
void tried_lookup_describe(struct tried_lookup lookup, size_t axis, int is_of_few, struct tried *tried);

/* Lets an axis of a histogram that has no plan yet go by the look-up and, if that is tried, by keys; the host compares
 * floats. */
void tried_lookup_force(struct tried_lookup lookup, uh_histogram *histogram, size_t axis);

/* An axis, as case_axis has it. */
const struct case_axis *tried_axis(size_t number);

/* The library's axis, which carries a distribution; NULL where it could not be made, which has been noted. */
uh_axis *tried_axis_create(struct use *use, const struct case_axis *axis);

/* ---- values ---- */

/* How many values case_values_fill writes at least, so that all edges (of an axis of many bins, some) and their
 * neighbours and the type's special values are among them. */
size_t case_values_least(const struct oracle_axis *axis);

/* Writes `n` values of `dtype`: the edges and the values next to them; zeros, infinities, NaN of both signs and with
 * payloads, denormals, the type's ends; then random ones: in the bins, in and around the range, near the edges, and
 * random bits. */
void case_values_fill(const struct oracle_axis *axis, uh_dtype dtype, uint64_t seed, char *to, size_t n);

/* ---- distributions, from the axis's own to ones that have nothing to do with it ---- */

enum case_distribution {
    CASE_CDF_OF_THE_EDGES, /* a table: each bin as much as any other */
    CASE_CDF_NORMAL,       /* over the finite edges, its mean in the middle */
    CASE_CDF_EXPONENTIAL,  /* from the first finite edge on */
    CASE_CDF_LOGNORMAL,    /* over the positive edges */
    CASE_CDF_ELSEWHERE,    /* normal, far beyond what any type holds */
    CASE_CDF_NEEDLE,       /* normal, all within some of the numbers next to the middle edge */
    CASE_CDF_JUMP,         /* a table: nothing, then everything at the middle edge */
    CASE_DISTRIBUTIONS
};

struct case_distribution_made {
    uh_distribution distribution;
    double *numbers; /* owned, freed by case_distribution_free */
};

/* Makes one for edges in order; returns its name. */
const char *case_distribution_make(enum case_distribution number, const double *edges, size_t nedges,
                                   struct case_distribution_made *made);

void case_distribution_free(struct case_distribution_made *made);
