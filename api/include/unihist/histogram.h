/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file histogram.h
 * Exact one-dimensional histograms with equal or non-uniform bins.
 *
 * A value x belongs to bin j when b[j] <= x < b[j+1]; the last bin also takes x = b[k] (numpy.histogram). With
 * UH_CLOSED_RIGHT the rule is mirrored: b[j] < x <= b[j+1], the first bin also takes x = b[0]. Edges and values are
 * compared as real numbers whatever their types. Every method on every device gives the same integers. Values below
 * b[0], above b[k] and NaN are counted in three flow counters. The two half-open rules leave the outermost end open.
 *
 * A queue says where to count: on the host or on a device of Level Zero. Values may be plain host memory or USM;
 * results (counts, edges, flows, texts, and indices where nothing else is said) are stored where the host can write,
 * and are there when the call returns.
 *
 * Threads: axes are immutable and for any thread. A histogram, and every call that is given a queue, belongs to the
 * thread that owns the queue, one at a time. Names and creation of axes: any thread.
 *
 * NULL where the text does not allow it is UH_ERROR_INVALID_ARGUMENT, and so is a dtype, closed end or method that is
 * none. Functions of type uh_status leave their outputs untouched on failure, unless their text says otherwise.
 *
 * Source of the method `mesh`: "UNIHIST: Fast histogram and weighted random sampling with replacement for
 * data-parallel devices", sections II to IV; of `cdf`, section VI.C.
 */
#ifndef UNIHIST_HISTOGRAM_H
#define UNIHIST_HISTOGRAM_H

#include <unihist/base.h>
#include <unihist/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The largest number of bins of one axis. */
#define UH_MAX_BINS ((size_t)1 << 30)

/* ---- axes ------------------------------------------------------------------------------------------------------- */

/** k bins between k+1 edges. Immutable: share it freely between threads, and destroy it when none uses it any more. */
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
 * bin; infinities are edges like others. `edges` is host memory and need not be aligned; the edges are copied, and kept
 * exactly (64-bit integers too). The caller destroys the axis.
 * UH_ERROR_INVALID_ARGUMENT: fewer than two edges, more than UH_MAX_BINS + 1, an edge that is NaN or smaller than the
 * one before (the message names the first); UH_ERROR_OUT_OF_MEMORY. Any thread may call it.
 */
UH_API uh_status uh_axis_create_edges(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed,
                                      uh_axis **axis);

/**
 * Makes an axis of `bins` equal bins over [lo, hi]. The edges are the float64 numbers of numpy.linspace(lo, hi,
 * bins+1). The caller destroys the axis. UH_ERROR_INVALID_ARGUMENT: bins = 0 or above UH_MAX_BINS, lo or hi not finite,
 * lo >= hi, or hi - lo overflows; UH_ERROR_OUT_OF_MEMORY. Any thread may call it.
 */
UH_API uh_status uh_axis_create_equal(size_t bins, double lo, double hi, uh_closed closed, uh_axis **axis);

/**
 * Makes an axis of `bins` bins over [lo, hi], each edge a constant factor above the one before (numpy.geomspace).
 * Errors as for equal bins, and UH_ERROR_INVALID_ARGUMENT for lo <= 0. Any thread may call it.
 */
UH_API uh_status uh_axis_create_log(size_t bins, double lo, double hi, uh_closed closed, uh_axis **axis);

/**
 * Makes an axis with one bin for each of the integers first to last: bin j holds first + j <= x < first + j + 1, and
 * last + 1 lies above (UH_HALF_OPEN_LEFT). Other numbers fall into the bin of the integer at or below them. The edges
 * are kept as 64-bit integers, exactly. The caller destroys the axis. UH_ERROR_INVALID_ARGUMENT: first > last, or more
 * than UH_MAX_BINS integers; UH_ERROR_OUT_OF_MEMORY. Any thread may call it.
 */
UH_API uh_status uh_axis_create_integer(int64_t first, int64_t last, uh_axis **axis);

/** Destroys an axis; NULL is allowed. Histograms made of it keep what they need. Always UH_SUCCESS. */
UH_API uh_status uh_axis_destroy(uh_axis *axis);

/** Returns the number of bins, k; 0 for NULL. */
UH_API size_t uh_axis_bins(const uh_axis *axis);

/** Returns which end of a bin belongs to it, UH_CLOSED_LEFT for NULL. */
UH_API uh_closed uh_axis_closed(const uh_axis *axis);

/**
 * Lends the k+1 edges as float64, NULL for NULL. (64-bit integer edges beyond 2^53 are rounded here, and only here.)
 * Valid as long as the axis, or for uh_histogram_axis the histogram.
 */
UH_API const double *uh_axis_edges(const uh_axis *axis);

/**
 * Returns 1 when both have the same edges, as real numbers, and the same closed ends, or both are NULL; else 0.
 * Distributions do not count: they change no result.
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

/** Stores F(x). UH_ERROR_INVALID_ARGUMENT: a distribution that is none, x is NaN. Any thread may call it. */
UH_API uh_status uh_distribution_cdf(const uh_distribution *distribution, double x, double *v);

/**
 * Stores F^-1(v), the smallest x with F(x) >= v; infinite where no number is that. Of a table, its first or last x
 * where v lies beyond its f. UH_ERROR_INVALID_ARGUMENT: a distribution that is none, v outside 0 to 1. Any thread may
 * call it.
 */
UH_API uh_status uh_distribution_quantile(const uh_distribution *distribution, double v, double *x);

/**
 * Makes an axis of `bins` bins that hold equal parts of the distribution: edge i is F^-1(v_first + i * (v_last -
 * v_first) / bins), eq. (6) of the paper. v_first = 0 and v_last = 1 give infinite edges where F has no end: edges like
 * others. The axis carries the distribution, a copy, for UH_METHOD_CDF. The caller destroys the axis.
 * UH_ERROR_INVALID_ARGUMENT: a distribution that is none, bins = 0 or above UH_MAX_BINS, not 0 <= v_first < v_last <=
 * 1; UH_ERROR_OUT_OF_MEMORY. Any thread may call it.
 */
UH_API uh_status uh_axis_create_distribution(const uh_distribution *distribution, size_t bins, double v_first,
                                             double v_last, uh_closed closed, uh_axis **axis);

/**
 * Makes an axis with the edges of `axis`, however they were made, that carries the distribution, a copy, for
 * UH_METHOD_CDF. The caller destroys both, in any order. UH_ERROR_INVALID_ARGUMENT, UH_ERROR_OUT_OF_MEMORY. Any thread
 * may call it.
 */
UH_API uh_status uh_axis_create_with_distribution(const uh_axis *axis, const uh_distribution *distribution,
                                                  uh_axis **made);

/** Lends the distribution that the axis carries, as long as the axis lives; NULL where it carries none, and for NULL.
 */
UH_API const uh_distribution *uh_axis_distribution(const uh_axis *axis);

/* ---- methods ---------------------------------------------------------------------------------------------------- */

/** How a value finds its bin. All give the same integers; they differ in speed. */
typedef enum uh_method {
    UH_METHOD_AUTO = 0,      /**< the planner looks at the edges and chooses map, cells and levels */
    UH_METHOD_MESH = 1,      /**< the paper's UNIHIST: nested uniform meshes to the depth of eq. (5), linear finish */
    UH_METHOD_BINARY = 2,    /**< branch-free binary search over all edges: the paper's BINARY */
    UH_METHOD_UNIFORM = 3,   /**< one uniform mesh over the range, whatever the edges: a planner's map, forced */
    UH_METHOD_LOGARITHM = 4, /**< one mesh over the value's own bits (logarithmic for floats), forced */
    UH_METHOD_PIECEWISE = 5, /**< two levels, the piecewise-linear distribution of the edges, forced */
    UH_METHOD_COMPARE = 6,   /**< every value compared with every edge, forced; on a device as AUTO */
    UH_METHOD_PACKED = 7, /**< one look-up that brings bin and edge, where they fit (up to 65,532 edges), forced; else
                               and on a device one mesh, uniform or logarithmic */
    UH_METHOD_CDF = 8     /**< the paper's eq. (7): cells in proportion to the distribution that the axis carries,
                               in two levels; as rough as it may be, the result is exact */
} uh_method;

/** Returns the method's name, such as "auto" or "mesh", a static text; NULL for a value that is none. */
UH_API const char *uh_method_name(uh_method method);

/**
 * Finds a method by its name. UH_ERROR_NOT_FOUND for any other text; the message lists the names.
 * UH_ERROR_INVALID_ARGUMENT for NULL.
 */
UH_API uh_status uh_method_from_name(const char *name, uh_method *method);

/** How a histogram looks up its bins. Zero everything but struct_size for the defaults. */
typedef struct uh_histogram_options {
    size_t struct_size; /**< sizeof(uh_histogram_options) */
    uh_method method;   /**< UH_METHOD_AUTO by default */
    uint32_t leaf_bins; /**< mesh only: the paper's l, bins left to the linear finish; 0 is 4; at most 64 */
    size_t table_bytes; /**< maximum bytes of a plan's tables; 0 is 64 MiB, or 24 bytes a bin where that is more */
} uh_histogram_options;

/* ---- histograms ------------------------------------------------------------------------------------------------- */

/** Counts over an axis. Owned by one thread at a time, the one that owns its queue. */
typedef struct uh_histogram uh_histogram;

/** Values that fell in no bin. */
typedef struct uh_flow {
    uint64_t below; /**< smaller than the first edge */
    uint64_t above; /**< larger than the last edge */
    uint64_t nan;   /**< not a number */
} uh_flow;

/**
 * Makes an empty histogram that counts with `queue`; `options` may be NULL for the defaults. The caller destroys it;
 * the queue must live longer (else uh_queue_destroy says UH_ERROR_IN_USE), the axis need not. Nothing is done on a
 * device yet: what it cannot do is told by uh_histogram_prepare or the first fill. UH_ERROR_INVALID_ARGUMENT (NULL,
 * unknown method or struct_size, leaf_bins above 64, UH_METHOD_CDF on an axis that carries no distribution),
 * UH_ERROR_OUT_OF_MEMORY.
 */
UH_API uh_status uh_histogram_create(uh_queue *queue, const uh_axis *axis, const uh_histogram_options *options,
                                     uh_histogram **histogram);

/** Destroys a histogram, waiting for what its device still counts; NULL is allowed. Always UH_SUCCESS. */
UH_API uh_status uh_histogram_destroy(uh_histogram *histogram);

/**
 * Makes the plan for values of one type now, which is the tables by which they find their bins, builds the kernels and
 * brings the plan to the queue's device, rather than at the first fill with that type. Errors as uh_histogram_fill.
 */
UH_API uh_status uh_histogram_prepare(uh_histogram *histogram, uh_dtype dtype);

/**
 * Counts `n` values, added to what is counted already. `x` may be NULL for n = 0 and need not be aligned. Where it
 * lies:
 * - Plain host memory (and USM that the queue's device cannot use) is read during the call, on a GPU in pieces that are
 *   copied while earlier ones are counted. Work that writes it, in this queue too, must have ended before.
 * - USM of the queue's device is read in place, after the earlier work of the queue.
 * On return `x` may be written or freed, but device memory only after the next read of the histogram or uh_queue_wait.
 *
 * UH_ERROR_INVALID_ARGUMENT (also for the memory of a device that the queue's cannot reach, and for values that cross
 * the bounds of an allocation), UH_ERROR_OUT_OF_MEMORY, UH_ERROR_OUT_OF_DEVICE_MEMORY, UH_ERROR_UNSUPPORTED (the device
 * cannot count these values exactly: float64, or method mesh over integers of 32 or 64 bits, where it has no double;
 * floats where it has no denormals; tables of 4 GiB or more; a queue for copies; a library built without kernels for
 * devices), UH_ERROR_BUILD, UH_ERROR_DEVICE_LOST, UH_ERROR_DRIVER: nothing of `x` is counted then. Where the device
 * fails after the return, the next fill or read fails, and so does every one until uh_histogram_reset: what was counted
 * since the last read is lost.
 */
UH_API uh_status uh_histogram_fill(uh_histogram *histogram, uh_dtype dtype, const void *x, size_t n);

/**
 * As uh_histogram_fill, for values `stride` bytes apart (negative: backwards from x; 0: the same value n times).
 */
UH_API uh_status uh_histogram_fill_strided(uh_histogram *histogram, uh_dtype dtype, const void *x, size_t n,
                                           ptrdiff_t stride);

/** Sets all counts to zero, and forgets a failure of the device. UH_ERROR_INVALID_ARGUMENT for NULL. */
UH_API uh_status uh_histogram_reset(uh_histogram *histogram);

/**
 * Adds the counts of `source` to `target`; they may count on different devices, and `source` may be `target`. The
 * calling thread owns both: what their devices still count is fetched. UH_ERROR_INCOMPATIBLE when the axes are not
 * equal, UH_ERROR_OVERFLOW when a count would pass 2^64 - 1, and as uh_histogram_counts; `target` is as before then.
 */
UH_API uh_status uh_histogram_merge(uh_histogram *target, const uh_histogram *source);

/**
 * Copies the k counts. `counts` has room for uh_axis_bins() numbers. This and the reads below wait until the device has
 * counted what was filled. UH_ERROR_INVALID_ARGUMENT for NULL; UH_ERROR_DEVICE_LOST, UH_ERROR_DRIVER and others of
 * uh_histogram_fill where the device fails or has failed.
 */
UH_API uh_status uh_histogram_counts(uh_histogram *histogram, uint64_t *counts);

/** Copies the flow counters. Errors as uh_histogram_counts. */
UH_API uh_status uh_histogram_flow(uh_histogram *histogram, uh_flow *flow);

/**
 * Stores the sum of all counts, flow counters included: the number of values filled.
 * UH_ERROR_OVERFLOW where it passes 2^64 - 1 (after merges; no single counter does), and as uh_histogram_counts.
 */
UH_API uh_status uh_histogram_total(uh_histogram *histogram, uint64_t *total);

/**
 * Stores k densities: count / width of the bin / (sum of the k counts), as numpy.histogram(density=True). 0/0, for an
 * empty histogram or an empty bin of no width, is NaN as in NumPy. `density` has room for k numbers.
 * UH_ERROR_OVERFLOW as uh_histogram_total.
 */
UH_API uh_status uh_histogram_density(uh_histogram *histogram, double *density);

/**
 * Stores the k running sums of the counts; flow counters are not part of them. UH_ERROR_OVERFLOW as uh_histogram_total.
 */
UH_API uh_status uh_histogram_cumulative(uh_histogram *histogram, uint64_t *cumulative);

/** Lends the histogram's axis, which lives as long as the histogram; NULL for NULL. */
UH_API const uh_axis *uh_histogram_axis(const uh_histogram *histogram);

/**
 * Writes one line that says how values of `dtype` find their bin and why: map, cells, levels, table bytes, look-ups and
 * expected comparisons a point; for a GPU also where it counts and by how many work-groups. At most `size` bytes are
 * written, the terminating 0 included (as snprintf); `text` may be NULL for size 0. `*length`, unless NULL, is the
 * length of the whole line without the 0. Does what uh_histogram_prepare does if need be, and fails as it does.
 */
UH_API uh_status uh_histogram_plan_text(uh_histogram *histogram, uh_dtype dtype, char *text, size_t size,
                                        size_t *length);

/**
 * Stores the index of each of `n` values the way numpy.digitize numbers them: 0 below the first bin, j + 1 in bin j,
 * k + 1 above the last bin and for NaN. The axis's own rule holds at the ends; a half-open axis gives what
 * numpy.digitize gives. `x` and `stride` (in bytes) as uh_histogram_fill_strided. `index` has room for n numbers, in
 * plain host memory or USM of the queue's device, and must not overlap `x`; it is written when the call returns, and
 * `x` may be written again. Uses the histogram's tables; its counts do not change. Errors as uh_histogram_fill; a
 * device that fails in the middle of more than 2^16 values may leave the first of `index` written.
 */
UH_API uh_status uh_histogram_digitize(uh_histogram *histogram, uh_dtype dtype, const void *x, size_t n,
                                       ptrdiff_t stride, int64_t *index);

/* ---- one call --------------------------------------------------------------------------------------------------- */

/**
 * numpy.digitize(x, edges, right): stores for each value the number of edges at or below it (`right` 0), or below it
 * (`right` not 0); `nedges` for NaN. Edges do not decrease, and one edge alone is allowed. `x` and `index` as in
 * uh_histogram_digitize, `edges` in uh_axis_create_edges; errors as of both.
 */
UH_API uh_status uh_digitize(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uh_dtype edge_dtype,
                             const void *edges, size_t nedges, int right, int64_t *index);

/**
 * numpy.histogram(x, bins, range): `bins` equal bins over range[0] to range[1], or over the data's own smallest and
 * largest value where `range` is NULL (0 to 1 for n = 0; half a unit to both sides where all values are equal).
 * Stores `bins` counts, and bins + 1 edges unless `edges` is NULL, and the flow unless `flow` is NULL. `x` as in
 * uh_histogram_fill. Errors as uh_axis_create_equal and uh_histogram_fill, and UH_ERROR_INVALID_ARGUMENT for a NaN or
 * infinite value where `range` is NULL.
 */
UH_API uh_status uh_histogram_of(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, size_t bins,
                                 const double *range, uint64_t *counts, double *edges, uh_flow *flow);

/**
 * numpy.histogram(x, edges): k = nedges - 1 bins. Stores k counts, and the flow unless `flow` is NULL.
 * `x` as in uh_histogram_fill. Errors as uh_axis_create_edges and uh_histogram_fill.
 */
UH_API uh_status uh_histogram_of_edges(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uh_dtype edge_dtype,
                                       const void *edges, size_t nedges, uint64_t *counts, uh_flow *flow);

/**
 * Stores the smallest and largest of `n` values and how many are NaN (skipped). Where all are NaN, or n = 0, min is
 * infinity and max minus infinity. 64-bit integers that float64 does not hold are rounded outwards: all values lie in
 * min to max. A zero of either sign is +0. Values that the queue's device can reach are looked at there, after the
 * queue's earlier work (float64 also where it has no double); others by the host. `x` may be NULL for n = 0 and may be
 * reused on return. UH_ERROR_INVALID_ARGUMENT (also for memory that the queue's device cannot reach),
 * UH_ERROR_OUT_OF_MEMORY, and what uh_histogram_fill returns for a device.
 */
UH_API uh_status uh_min_max(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, double *min, double *max,
                            uint64_t *nan);

#ifdef __cplusplus
}
#endif

#endif
