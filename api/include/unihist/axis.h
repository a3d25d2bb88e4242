/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file axis.h
 * Axes, which are the edges of bins and say which end of a bin belongs to it, and the distributions of values that an
 * axis may carry.
 *
 * A value x belongs to bin j when b[j] <= x < b[j+1]; the last bin also takes x = b[k] (numpy.histogram). With
 * UH_CLOSED_RIGHT the rule is mirrored: b[j] < x <= b[j+1], the first bin also takes x = b[0]. The two half-open rules
 * leave the outermost end open. Edges and values are compared as real numbers whatever their types.
 *
 * Threads: axes are immutable and for any thread, and so is every call of this header.
 *
 * Making an axis: edges and values are host memory and need not be aligned; they are copied, and kept exactly (64-bit
 * integers too). The caller destroys the axis, and one that it was made of, in any order. A dtype, closed end or
 * distribution that is none, and `bins` of 0 or above UH_MAX_BINS are UH_ERROR_INVALID_ARGUMENT.
 *
 * Source of axes that follow a distribution: "UNIHIST: Fast histogram and weighted random sampling with replacement for
 * data-parallel devices", section VI.C.
 */
#ifndef UNIHIST_AXIS_H
#define UNIHIST_AXIS_H

#include <unihist/base.h>

UH_BEGIN_C

/** The largest number of bins of one axis. */
#define UH_MAX_BINS ((size_t)1 << 30)

/* ---- axes ------------------------------------------------------------------------------------------------------- */

/** k bins between k+1 edges; k is 0 where it grows. Destroy it when no thread uses it any more. */
typedef struct uh_axis uh_axis;

/** Which end of a bin belongs to it. */
typedef enum uh_closed {
    UH_CLOSED_LEFT = 0,    /**< [b[j], b[j+1]), the last bin also takes b[k]: numpy.histogram */
    UH_CLOSED_RIGHT = 1,   /**< (b[j], b[j+1]], the first bin also takes b[0] */
    UH_HALF_OPEN_LEFT = 2, /**< [b[j], b[j+1]), without exception: numpy.digitize(right=False) */
    UH_HALF_OPEN_RIGHT = 3 /**< (b[j], b[j+1]], without exception: numpy.digitize(right=True) */
} uh_closed;

/**
 * Makes an axis from `nedges` = k+1 edges of any element type, in non-decreasing order. Equal neighbours make an empty
 * bin; infinities are edges like others. UH_ERROR_INVALID_ARGUMENT: fewer than two edges, more than UH_MAX_BINS + 1, an
 * edge that is NaN or smaller than the one before (the message names the first).
 */
UH_API uh_status uh_axis_create_edges(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed,
                                      uh_axis **axis);

/**
 * Makes an axis of `bins` equal bins over [lo, hi]. The edges are the float64 numbers of numpy.linspace(lo, hi,
 * bins+1). UH_ERROR_INVALID_ARGUMENT: lo or hi not finite, lo >= hi, or hi - lo overflows.
 */
UH_API uh_status uh_axis_create_equal(size_t bins, double lo, double hi, uh_closed closed, uh_axis **axis);

/**
 * Makes an axis of `bins` bins over [lo, hi], each edge a constant factor above the one before (numpy.geomspace).
 * Errors as for equal bins, and UH_ERROR_INVALID_ARGUMENT for lo <= 0.
 */
UH_API uh_status uh_axis_create_log(size_t bins, double lo, double hi, uh_closed closed, uh_axis **axis);

/**
 * Makes an axis with one bin for each of the integers first to last: bin j holds first + j <= x < first + j + 1, and
 * last + 1 lies above (UH_HALF_OPEN_LEFT). Other numbers fall into the bin of the integer at or below them. The edges
 * are kept as 64-bit integers. UH_ERROR_INVALID_ARGUMENT: first > last, or more than UH_MAX_BINS integers.
 */
UH_API uh_status uh_axis_create_integer(int64_t first, int64_t last, uh_axis **axis);

/**
 * Makes an axis of the integers 0, 1, 2, ... that grows: a histogram over it has as many bins as its largest value asks
 * for (numpy.bincount). The axis itself has no bins, and one edge, 0. A histogram over it has this axis alone; see
 * uh_histogram_create.
 */
UH_API uh_status uh_axis_create_growing(uh_axis **axis);

/**
 * Makes an axis of categories: bin j holds the points that are equal to values[j], as real numbers whatever the types
 * (so +0 and -0 are one value, and 0.1 as float32 is not 0.1 as float64). `values` are of any element type and in any
 * order, which is that of the bins; infinities are values like others. What is equal to none of them lies in no bin and
 * is counted in the flow counter `above`, or in a bin behind the others with UH_FLOW_BINS_ABOVE; NaN is counted as NaN.
 * Nothing is below. The widths of such bins are 1, for densities. UH_ERROR_INVALID_ARGUMENT: no values, more than
 * UH_MAX_BINS / 2, NaN, or a value that stands twice (the message names index and value).
 */
UH_API uh_status uh_axis_create_categories(uh_dtype dtype, const void *values, size_t nvalues, uh_axis **axis);

/** Bins for all that lies beyond the others. */
typedef enum uh_flow_bins {
    UH_FLOW_BINS_NONE = 0,
    UH_FLOW_BINS_BELOW = 1, /**< a bin below the first edge */
    UH_FLOW_BINS_ABOVE = 2, /**< a bin above the last edge */
    UH_FLOW_BINS_BOTH = 3
} uh_flow_bins;

/**
 * Makes an axis with the bins of `axis`, and before them one for the values below, and behind them one for those above,
 * as `which` says: what histograms count in flow counters otherwise lies in cells then, is read, projected, merged and
 * saved with them, and is part of densities' sum. The first edge is -infinity then, or the last one infinity, which lie
 * in these bins too; closed ends stay those of the bins between. NaN has no bin. A distribution stays with the axis.
 * Of categories, `which` is UH_FLOW_BINS_ABOVE: a bin for all that is none of them.
 * UH_ERROR_INVALID_ARGUMENT: an axis that grows or has such bins, more than UH_MAX_BINS bins, a `which` that is none;
 * UH_ERROR_UNSUPPORTED: edges that are integers of 2^53 and more.
 */
UH_API uh_status uh_axis_create_with_flow_bins(const uh_axis *axis, uh_flow_bins which, uh_axis **made);

/** Destroys an axis. Histograms made of it keep what they need. */
UH_API uh_status uh_axis_destroy(uh_axis *axis);

/**
 * Returns 1 when both have the same edges, as real numbers, the same closed ends and flow bins, or both are NULL; else
 * 0. Distributions do not count: they change no result.
 */
UH_API int uh_axis_equal(const uh_axis *a, const uh_axis *b);

/* ---- distributions ---------------------------------------------------------------------------------------------- */

/** What a distribution's two numbers, or its table, mean. */
typedef enum uh_distribution_kind {
    UH_DISTRIBUTION_EXPONENTIAL = 0, /**< F(x) = 1 - exp(-(x - location) / scale), 0 below location */
    UH_DISTRIBUTION_NORMAL = 1,      /**< location is the mean, scale the standard deviation */
    UH_DISTRIBUTION_LOGNORMAL = 2,   /**< location and scale are the mean and standard deviation of log(x) */
    UH_DISTRIBUTION_TABLE = 3        /**< straight lines between the points (x[i], f[i]), constant beyond them */
} uh_distribution_kind;

/** A cumulative distribution function F that values follow, closely or to some degree. */
typedef struct uh_distribution {
    size_t struct_size; /**< sizeof(uh_distribution) */
    uh_distribution_kind kind;
    double location; /**< finite; 0 for a table */
    double scale;    /**< finite and above 0; 0 for a table */
    const double *x; /**< table: finite, non-decreasing; NULL for the other kinds */
    const double *f; /**< table: F at x, non-decreasing, within 0 to 1, the last above the first; else NULL */
    size_t points;   /**< table: how many, 2 or more; 0 for the other kinds */
} uh_distribution;

/** Stores F(x). UH_ERROR_INVALID_ARGUMENT: x is NaN. */
UH_API uh_status uh_distribution_cdf(const uh_distribution *distribution, double x, double *v);

/**
 * Stores F^-1(v), the smallest x with F(x) >= v; infinite where no number is that. Of a table, its first or last x
 * where v lies beyond its f. UH_ERROR_INVALID_ARGUMENT: v outside 0 to 1.
 */
UH_API uh_status uh_distribution_quantile(const uh_distribution *distribution, double v, double *x);

/**
 * Makes an axis of `bins` bins that hold equal parts of the distribution: edge i is F^-1(v_first + i * (v_last -
 * v_first) / bins), eq. (6) of the paper. v_first = 0 and v_last = 1 give infinite edges where F has no end: edges like
 * others. The axis carries the distribution, a copy, for UH_METHOD_CDF. UH_ERROR_INVALID_ARGUMENT: not 0 <= v_first <
 * v_last <= 1.
 */
UH_API uh_status uh_axis_create_distribution(const uh_distribution *distribution, size_t bins, double v_first,
                                             double v_last, uh_closed closed, uh_axis **axis);

/**
 * Makes an axis with the edges of `axis`, however they were made, that carries the distribution, a copy, for
 * UH_METHOD_CDF. UH_ERROR_INVALID_ARGUMENT: an axis of categories.
 */
UH_API uh_status uh_axis_create_with_distribution(const uh_axis *axis, const uh_distribution *distribution,
                                                  uh_axis **made);

/* ---- what an axis is -------------------------------------------------------------------------------------------- */

/** What an axis is. Its pointers are lent as long as the axis lives, of one that uh_histogram_axis lends as long as it
 * is lent. */
typedef struct uh_axis_properties {
    size_t struct_size;       /**< in: sizeof(uh_axis_properties) */
    size_t bins;              /**< k, flow bins included; 0 where it grows */
    const double *edges;      /**< k+1 as float64, NULL of categories; integers beyond 2^53 are rounded here, and only
                                   here */
    const double *categories; /**< the value of each bin, but a flow bin, as float64; NULL of other axes */
    uh_closed closed;         /**< which end of a bin belongs to it */
    uh_flow_bins flow_bins;   /**< which bins there are for what lies beyond the others */
    const uh_distribution *distribution; /**< that it carries, or NULL */
} uh_axis_properties;

UH_API uh_status uh_axis_get_properties(const uh_axis *axis, uh_axis_properties *properties);

UH_END_C

#endif
