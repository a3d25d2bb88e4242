/* SPDX-License-Identifier: Apache-2.0 */
/** @file axis.h
 * Axes (the edges of bins, and which end of a bin belongs to it) and distributions of values that an axis may carry.
 *
 * A value x belongs to bin j if b[j] <= x < b[j+1]; the last bin also takes x = b[k] (numpy.histogram). UH_CLOSED_RIGHT
 * mirrors the rule: b[j] < x <= b[j+1], and the first bin also takes x = b[0]. The two half-open rules leave the
 * outermost end open. Edges and values are compared as real numbers, regardless of their types.
 *
 * Threads: axes are immutable. Any thread may use an axis and call any function of this header.
 *
 * Creation: edges and values are host memory of any alignment; they are copied and stored exactly (64-bit integers
 * too). The caller destroys the new axis and the axis it was made of, in any order. An invalid dtype, closed end or
 * distribution, or `bins` of 0 or above UH_MAX_BINS, gives UH_ERROR_INVALID_ARGUMENT.
 *
 * Source of axes that follow a distribution: "UNIHIST: Fast histogram and weighted random sampling with replacement for
 * data-parallel devices", section VI.C. */
#ifndef UNIHIST_AXIS_H
#define UNIHIST_AXIS_H

#include <unihist/base.h>

UH_BEGIN_C

/** Maximum number of bins of one axis. */
#define UH_MAX_BINS ((size_t)1 << 30)

/* ---- axes ------------------------------------------------------------------------------------------------------- */

/** k bins between k+1 edges; k is 0 for an axis that grows. Destroy it when no thread uses it any more. */
typedef struct uh_axis uh_axis;

/** Which end of a bin belongs to it. */
typedef enum uh_closed {
    UH_CLOSED_LEFT = 0,    /**< [b[j], b[j+1]), the last bin also takes b[k]: numpy.histogram */
    UH_CLOSED_RIGHT = 1,   /**< (b[j], b[j+1]], the first bin also takes b[0] */
    UH_HALF_OPEN_LEFT = 2, /**< [b[j], b[j+1]) for all bins: numpy.digitize(right=False) */
    UH_HALF_OPEN_RIGHT = 3 /**< (b[j], b[j+1]] for all bins: numpy.digitize(right=True) */
} uh_closed;

/** Makes an axis from `nedges` = k+1 non-decreasing edges of any element type. Two equal edges enclose an empty bin;
 * infinities are allowed. UH_ERROR_INVALID_ARGUMENT: fewer than 2 or more than UH_MAX_BINS + 1 edges, an edge that is
 * NaN or smaller than the previous one (the message names the first). */
UH_API uh_status uh_axis_create_edges(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed,
                                      uh_axis **axis);

/** Spacing of edges between two numbers. */
typedef enum uh_spacing {
    UH_SPACING_EQUAL = 0, /**< equal widths: the float64 numbers of numpy.linspace(lo, hi, bins + 1) */
    UH_SPACING_LOG = 1    /**< a constant ratio of successive edges: numpy.geomspace; lo > 0 */
} uh_spacing;

/** Makes an axis of `bins` bins over [lo, hi]. UH_ERROR_INVALID_ARGUMENT: an invalid spacing, lo or hi not finite, lo
 * >= hi, hi - lo overflows, or lo <= 0 for UH_SPACING_LOG. */
UH_API uh_status uh_axis_create_regular(uh_spacing spacing, size_t bins, double lo, double hi, uh_closed closed,
                                        uh_axis **axis);

/** Makes an axis with one bin per integer from first to last: bin j holds first + j <= x < first + j + 1, and last + 1
 * lies above (UH_HALF_OPEN_LEFT). Non-integers fall into the bin of the next lower integer. Edges are stored as 64-bit
 * integers. UH_ERROR_INVALID_ARGUMENT: first > last, or more than UH_MAX_BINS integers. */
UH_API uh_status uh_axis_create_integer(int64_t first, int64_t last, uh_axis **axis);

/** Makes an axis of the integers 0, 1, 2, ... that grows: a histogram over it has as many bins as its largest value
 * needs. The axis itself has no bins, and one edge, 0. It must be the only axis of a histogram; see
 * uh_histogram_create. */
UH_API uh_status uh_axis_create_growing(uh_axis **axis);

/** Makes an axis of categories: bin j holds the points equal to values[j], compared as real numbers regardless of types
 * (so +0 and -0 are one value, and 0.1 as float32 is not 0.1 as float64). `values` have any element type and any order,
 * which is the order of the bins; infinities are allowed. A point equal to no value lies in no bin and is counted in
 * the flow counter `above`, or in an additional last bin with UH_FLOW_BINS_ABOVE; NaN is counted as NaN. Nothing is
 * below. These bins have width 1 in densities. UH_ERROR_INVALID_ARGUMENT: no values, more than UH_MAX_BINS / 2, NaN, or
 * a duplicate value (the message names index and value). */
UH_API uh_status uh_axis_create_categories(uh_dtype dtype, const void *values, size_t nvalues, uh_axis **axis);

/** Bins for values beyond the others. */
typedef enum uh_flow_bins {
    UH_FLOW_BINS_NONE = 0,
    UH_FLOW_BINS_BELOW = 1, /**< a bin below the first edge */
    UH_FLOW_BINS_ABOVE = 2, /**< a bin above the last edge */
    UH_FLOW_BINS_BOTH = 3
} uh_flow_bins;

/** Makes an axis with the bins of `axis`, preceded by a bin for smaller values, followed by a bin for larger values, or
 * both, as `which` says. These values then lie in cells, not in flow counters: they are read, projected, merged and
 * saved with the cells, and included in the sum of densities. The first edge is then -infinity, the last one infinity,
 * or both; infinite values lie in these bins too. Closed ends stay those of the bins between. NaN has no bin. A
 * distribution stays with the axis. For categories, `which` is UH_FLOW_BINS_ABOVE: a bin for all other values.
 * UH_ERROR_INVALID_ARGUMENT: an axis that grows or has flow bins, more than UH_MAX_BINS bins, an invalid `which`;
 * UH_ERROR_UNSUPPORTED: integer edges of magnitude 2^53 or more. */
UH_API uh_status uh_axis_create_with_flow_bins(const uh_axis *axis, uh_flow_bins which, uh_axis **made);

/** Destroys an axis. Histograms made of it stay valid. */
UH_API void uh_axis_destroy(uh_axis *axis);

/** Returns 1 if both axes have the same edges (as real numbers), closed ends and flow bins, or both are NULL; otherwise
 * 0. Distributions are ignored, because they change no result. */
UH_API int uh_axis_equal(const uh_axis *a, const uh_axis *b);

/* ---- distributions ---------------------------------------------------------------------------------------------- */

/** Meaning of a distribution's two numbers or table. */
typedef enum uh_distribution_kind {
    UH_DISTRIBUTION_EXPONENTIAL = 0, /**< F(x) = 1 - exp(-(x - location) / scale), 0 below location */
    UH_DISTRIBUTION_NORMAL = 1,      /**< location is the mean, scale the standard deviation */
    UH_DISTRIBUTION_LOGNORMAL = 2,   /**< location and scale are the mean and standard deviation of log(x) */
    UH_DISTRIBUTION_TABLE = 3,       /**< linear between the points (x[i], f[i]), constant beyond them */
    UH_DISTRIBUTION_UNIFORM = 4,     /**< from location to location + scale */
    UH_DISTRIBUTION_WEIBULL = 5      /**< F(x) = 1 - exp(-(x / lambda)^k); location is log(lambda), scale 1 / k */
} uh_distribution_kind;

/** A cumulative distribution function F that the values follow, closely or roughly. */
typedef struct uh_distribution {
    size_t struct_size; /**< sizeof(uh_distribution) */
    uh_distribution_kind kind;
    double location; /**< finite; 0 for a table */
    double scale;    /**< finite and above 0; 0 for a table */
    const double *x; /**< table: finite, non-decreasing; NULL for the other kinds */
    const double *f; /**< table: F at x, non-decreasing, within 0 to 1, the last above the first; else NULL */
    size_t points;   /**< table: number of points, 2 or more; 0 for the other kinds */
} uh_distribution;

/** Stores F(x). UH_ERROR_INVALID_ARGUMENT: x is NaN. */
UH_API uh_status uh_distribution_cdf(const uh_distribution *distribution, double x, double *v);

/** Makes an axis of `bins` bins that hold equal parts of the distribution: edge i is F^-1(v_first + i *
 * (v_last - v_first) / bins), eq. (6) of the paper. F^-1(v) is the smallest x with F(x) >= v, infinite if no x has; for
 * a table, its first or last x if v lies beyond its f. v_first = 0 and v_last = 1 give infinite edges, which are
 * allowed, if F is unbounded. The axis carries a copy of the distribution for UH_METHOD_CDF. UH_ERROR_INVALID_ARGUMENT:
 * not 0 <= v_first < v_last <= 1. */
UH_API uh_status uh_axis_create_distribution(const uh_distribution *distribution, size_t bins, double v_first,
                                             double v_last, uh_closed closed, uh_axis **axis);

/** Makes an axis with the bins of `axis` and a copy of the distribution for UH_METHOD_CDF and UH_METHOD_AUTO; NULL for
 * an axis without one. UH_ERROR_INVALID_ARGUMENT: a distribution for an axis of categories. */
UH_API uh_status uh_axis_create_with_distribution(const uh_axis *axis, const uh_distribution *distribution,
                                                  uh_axis **made);

/* ---- properties ------------------------------------------------------------------------------------------------- */

/** Properties of an axis. Pointers are valid as long as the axis; for an axis from uh_histogram_axis, as long as that
 * pointer is. */
typedef struct uh_axis_properties {
    size_t struct_size;       /**< in: sizeof(uh_axis_properties) */
    size_t bins;              /**< k, flow bins included; 0 for an axis that grows */
    const double *edges;      /**< k+1 edges as float64, NULL for categories; integers beyond 2^53 are rounded here, and
                                   only here */
    const double *categories; /**< the value of each bin except a flow bin, as float64; NULL for other axes */
    uh_closed closed;         /**< which end of a bin belongs to it */
    uh_flow_bins flow_bins;   /**< which bins there are for values beyond the others */
    const uh_distribution *distribution; /**< the carried distribution, or NULL */
    const int64_t *integers;             /**< k+1 edges of an axis made of signed integers, exact; NULL for others */
} uh_axis_properties;

UH_API uh_status uh_axis_get_properties(const uh_axis *axis, uh_axis_properties *properties);

UH_END_C

#endif
