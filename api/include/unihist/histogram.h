/* SPDX-License-Identifier: Apache-2.0 */
/** @file histogram.h
 * Exact histograms over 1 to 8 axes, of any kinds and mixed. A cell stores a count, sums of weights, the mean of a
 * sampled value, or a saturating count.
 *
 * A point has one coordinate per axis; over one axis it is a value. It belongs to the cell of the bins that its
 * coordinates belong to, by each axis's own rule (axis.h); coordinates may have different types and are compared with
 * the edges as real numbers. A point that lies in no bin of at least one axis lies in no cell: it is counted as
 * outside, and in the flow counters of every axis that it misses. Cells are numbered row-major, the last axis fastest,
 * as in numpy.histogramdd: with b[a] bins on axis a and bin j[a], cell = (...(j[0] * b[1] + j[1]) * b[2] + ...) +
 * j[last]. Over one axis a cell is a bin.
 *
 * Over an axis that grows (uh_axis_create_growing) values are integers, and value v is counted in cell v: there are as
 * many cells as the largest value needs, or `minlength` if that is more. Values have any integer type; float32 and
 * float64 are UH_ERROR_INVALID_ARGUMENT, and so is a negative value: the message names the index and value of the
 * first. A value that would make the histogram larger than this machine's memory is UH_ERROR_OUT_OF_MEMORY, detected
 * before anything of that size is allocated; one of 2^31 or more is UH_ERROR_UNSUPPORTED on devices other than the
 * host, and so is one of 2^32 - 2 or more with weights. All points lie in a cell. Methods have no effect.
 *
 * All devices, methods, numbers of threads and divisions of the points into fills give the same integers, and the same
 * bits of sums (see UH_SUM_EXACT).
 *
 * A queue selects where to count: on the host or on a Level Zero device. Results (counts, sums, edges, flows, texts,
 * and indices unless stated otherwise) are stored in memory that the host can write, and are complete when the call
 * returns.
 *
 * An invalid dtype, method, storage or axis index is UH_ERROR_INVALID_ARGUMENT.
 *
 * Source of the method `mesh`: "UNIHIST: Fast histogram and weighted random sampling with replacement for data-parallel
 * devices", sections II to IV; of `cdf` and of axis-by-axis look-up, section VI.C. */
#ifndef UNIHIST_HISTOGRAM_H
#define UNIHIST_HISTOGRAM_H

#include <unihist/axis.h>
#include <unihist/base.h>
#include <unihist/device.h>
#include <unihist/exchange.h>

UH_BEGIN_C

/** Maximum number of axes of a histogram. */
#define UH_MAX_AXES 8

/** Maximum number of cells of a histogram, the product of its axes' bins; there may be more over an axis that grows. */
#define UH_MAX_CELLS ((size_t)1 << 31)

/* ---- methods ---------------------------------------------------------------------------------------------------- */

/** How a value's bin is found. All methods give the same integers; they differ in speed. */
typedef enum uh_method {
    UH_METHOD_AUTO = 0,   /**< the planner chooses map, cells and levels by the edges and,
                               for many bins on the host, by the distribution that the axis carries */
    UH_METHOD_MESH = 1,   /**< the paper's UNIHIST: nested uniform meshes to the depth of eq. (5), linear finish */
    UH_METHOD_BINARY = 2, /**< branch-free binary search over all edges: the paper's BINARY */
    UH_METHOD_CDF = 3     /**< the paper's eq. (7): cells in proportion to the distribution that the axis carries, in
                               two levels; exact however rough the distribution is */
} uh_method;

/* ---- creating and filling ---------------------------------------------------------------------------------------- */

/** A histogram. */
typedef struct uh_histogram uh_histogram;

/** Options of a histogram. Zero everything but struct_size for the defaults. */
typedef struct uh_histogram_options {
    size_t struct_size;       /**< sizeof(uh_histogram_options) */
    uh_storage storage;       /**< UH_STORAGE_COUNT by default */
    uh_sum sum;               /**< UH_SUM_EXACT by default; UH_SUM_FAST for SUM, WEIGHTED and MEAN (exact anyway) */
    const uh_method *methods; /**< one per axis, read before the return; NULL is UH_METHOD_AUTO for all */
    uint32_t leaf_bins;       /**< mesh only: the paper's l, bins left to the linear finish; 0 is 4; at most 64 */
    size_t table_bytes;       /**< maximum bytes of one axis's tables; 0 is 64 MiB, or 24 bytes per bin if more */
    size_t minlength;         /**< axis that grows only: the minimum number of cells */
    size_t maxlength;         /**< axis that grows only: the maximum, 0 for no limit. A value of at least this is
                                   UH_ERROR_INVALID_ARGUMENT. If it is set, a device reads values once */
} uh_histogram_options;

/** Makes an empty histogram over `naxes` axes, which counts with `queue`; `options` may be NULL for the defaults. An
 * axis may occur several times in `axes`. Queue and axes may be destroyed before it. Memory for all cells is allocated
 * now: 8 bytes per cell for COUNT, 1 for U8, 2 for U16; for the others it grows with the range of the weights'
 * exponents. Nothing is done on a device yet: its limits are reported by uh_histogram_prepare or the first fill. Over
 * an axis that grows memory is allocated as cells are added; there is no other axis, and the storage is COUNT or SUM.
 * UH_ERROR_INVALID_ARGUMENT (naxes 0 or above UH_MAX_AXES; more than UH_MAX_CELLS cells: the message names both
 * numbers; invalid storage, sum or method; leaf_bins above 64; UH_METHOD_CDF for an axis without a distribution;
 * UH_SUM_FAST if nothing is summed; an axis that grows together with another axis or another storage; minlength or
 * maxlength without an axis that grows), UH_ERROR_OUT_OF_MEMORY (also for a minlength or maxlength beyond memory). */
UH_API uh_status uh_histogram_create(uh_queue *queue, uh_axis *const *axes, size_t naxes,
                                     const uh_histogram_options *options, uh_histogram **histogram);

/** Destroys a histogram after waiting for pending counts on its device. */
UH_API void uh_histogram_destroy(uh_histogram *histogram);

/** Makes the plans for coordinates of these types, one type per axis, now instead of at the first fill with them: makes
 * the tables by which bins are found, builds the kernels, and copies the plans to the queue's device. An axis that
 * grows has no plan: only its type is checked. Errors as uh_histogram_fill. */
UH_API uh_status uh_histogram_prepare(uh_histogram *histogram, const uh_dtype *dtypes);

/** Adds points. Coordinate a of point i is element i of arrays[a]: there is one array per axis, each of its own type
 * and stride, all of the same count; they may overlap.
 *
 * `weights`, one per point, are float32, float64, int32, int64 or, on the host alone, uint64:
 * - the weights for SUM and WEIGHTED (NULL: every weight is 1),
 * - the sampled value for MEAN,
 * - NULL for COUNT, U8 and U16.
 *
 * Fills may have weights of different types. With UH_SUM_EXACT no weight, number of points or order makes a sum inexact
 * or makes it overflow before it is read. The sums of points outside are kept as well.
 *
 * Memory of an array:
 * - Plain host memory (and USM that the queue's device cannot use) is read during the call, on a GPU in pieces that are
 *   copied while earlier ones are counted. Work that writes it, in this queue too, must have ended before.
 * - USM of the queue's device is read in place, after the earlier work of the queue.
 *
 * After the return the array may be written or freed, but device memory only after the next read of the histogram or
 * uh_queue_wait.
 *
 * UH_ERROR_INVALID_ARGUMENT (an array of another count: the message names it, its count and the expected one; weights
 * that the storage does not take, or NULL if it needs them, or of another type; memory of a device that the queue's
 * cannot access; values that cross the bounds of an allocation), UH_ERROR_OUT_OF_DEVICE_MEMORY, UH_ERROR_UNSUPPORTED
 * (the device cannot count these coordinates exactly: float32 if it has no denormals; tables of 4 GiB or more; a queue
 * for copies; a library built without kernels for devices), UH_ERROR_BUILD, UH_ERROR_OVERFLOW (more than 2^64 - 1
 * points in all): nothing is added after any failure. If the device fails after the return, every fill and read fails
 * until uh_histogram_reset: points filled since the last read are lost. Coordinates of float64 need no double: on a
 * device without it their bits are compared as integers, with the same counts. */
UH_API uh_status uh_histogram_fill(uh_histogram *histogram, const uh_array *arrays, const uh_array *weights);

/** Rows of points for many histograms at once, each in a bin of the first axis. */
typedef struct uh_rows {
    size_t struct_size;       /**< sizeof(uh_rows) */
    size_t first, count;      /**< bin of the first row, and number of rows; each has the bin after that before */
    const uh_array *arrays;   /**< the first row's coordinates on the other axes, as in uh_histogram_fill */
    const ptrdiff_t *pitches; /**< bytes from a row to the next, one per array */
    const uh_array *weights;  /**< the first row's, or NULL */
    ptrdiff_t weights_pitch;
} uh_rows;

/** Adds rows of points, all of the same number, as uh_histogram_fill would with the row as their coordinate on the
 * first axis, which is one of integers (uh_axis_create_integer). So a histogram over it and an axis of the values is
 * one histogram per row, its cells are (rows, bins), and flow bins of the second axis (uh_axis_create_with_flow_bins)
 * have the flows of each row. Counts on one further axis are made row by row on the host's threads, without an array of
 * row numbers. Errors as uh_histogram_fill, and UH_ERROR_INVALID_ARGUMENT for another first axis and for rows beyond
 * it; after a failure of a device, or if the queue is cancelled, some of the rows may have been added. */
UH_API uh_status uh_histogram_fill_rows(uh_histogram *histogram, const uh_rows *rows);

/** Empties all cells and counters, and clears a failure of the device. */
UH_API uh_status uh_histogram_reset(uh_histogram *histogram);

/** Adds the contents of `source` to `target`: cells, flows and numbers of points; saturating counts saturate. They may
 * be on different devices, and `source` may be `target`. The calling thread owns both: pending counts of their devices
 * are fetched. A target over an axis that grows accepts a source over one, and a source over the integers from 0 that
 * has no points outside; it then has the larger number of cells of the two. UH_ERROR_INCOMPATIBLE if the number of
 * axes, an axis, the storage or the way of adding differs (the message says which), UH_ERROR_OVERFLOW if the number of
 * points would exceed 2^64 - 1, and errors as the reads; `target` is unchanged then. */
UH_API uh_status uh_histogram_merge(uh_histogram *target, uh_histogram *source);

/** Adds the histograms of several processes (exchange.h): replaces the histogram of each process that receives by the
 * sum of all, of cells, flows and numbers of points, as uh_histogram_merge adds them; those of other processes do not
 * change. Axes, storage, way of adding, and library version must be the same on all, which is checked before anything
 * is summed: UH_ERROR_INCOMPATIBLE, with a message that names a rank and how it differs from rank 0. Over an axis that
 * grows the result has the largest number of cells of any process. Sends eight numbers by `maximum`, one word per flow
 * counter and three more, one number by `maximum`, and then the words of all cells. Takes memory for a second histogram
 * temporarily. UH_ERROR_OVERFLOW if the number of points would exceed 2^64 - 1, and errors as uh_histogram_merge. On
 * failure histograms are unchanged. */
UH_API uh_status uh_histogram_exchange(uh_histogram *histogram, const uh_exchange *exchange);

/* ---- properties ------------------------------------------------------------------------------------------------- */

/** Properties of a histogram. */
typedef struct uh_histogram_properties {
    size_t struct_size; /**< in: sizeof(uh_histogram_properties) */
    size_t naxes;
    uh_storage storage; /**< content of a cell */
    uh_sum sum;         /**< how weights are added */
    size_t cells; /**< number of cells, the product of all axes' bins. Over an axis that grows the largest value so
                       far + 1, or minlength if that is more: 0 before the first value, minlength after a reset */
} uh_histogram_properties;

UH_API uh_status uh_histogram_get_properties(const uh_histogram *histogram, uh_histogram_properties *properties);

/** Returns an axis, owned by the histogram and valid as long as it; NULL for NULL and for an invalid axis index. For
 * one that grows, returns the axis of the integers 0 to cells - 1, valid until the number of cells changes (NULL if
 * there is no memory for its edges, or there are more than UH_MAX_BINS cells); without cells, the axis that grows. */
UH_API const uh_axis *uh_histogram_axis(const uh_histogram *histogram, size_t axis);

/** Writes one line that says how coordinates of `dtype` find their bin on an axis and why: whether float64 is compared
 * by keys (its bits as integers), map, cells, levels, table bytes, look-ups and expected comparisons per point. For
 * counts on a GPU it adds their memory and number of work-groups (over several axes: if one launch counts coordinates
 * that are all of `dtype`); likewise for float32 weights or samples on one axis. For several devices it describes the
 * lead, then lists the devices that share the work. At most `size` bytes are written, including the terminating 0 (as
 * snprintf); `text` may be NULL for size 0. `*length`, unless NULL, is the length of the whole line without the 0.
 * Makes the plan if necessary. Errors as uh_histogram_prepare, and UH_ERROR_INVALID_ARGUMENT for an axis that grows,
 * which has no plan. */
UH_API uh_status uh_histogram_plan_text(uh_histogram *histogram, size_t axis, uh_dtype dtype, char *text, size_t size,
                                        size_t *length);

/* ---- reading ----------------------------------------------------------------------------------------------------
 * Arrays have room for uh_histogram_properties.cells numbers, row-major. Reads wait until the device has counted all
 * fills. UH_ERROR_INVALID_ARGUMENT if the storage does not keep the requested values; UH_ERROR_OUT_OF_MEMORY;
 * UH_ERROR_DEVICE_LOST, UH_ERROR_DRIVER and others of uh_histogram_fill if the device fails or has failed. */

/** Points in no bin of an axis. */
typedef struct uh_flow {
    uint64_t below; /**< smaller than the first edge */
    uint64_t above; /**< larger than the last edge; of categories, equal to none */
    uint64_t nan;   /**< not a number */
} uh_flow;

/** Copies the number of points of each cell: for COUNT and MEAN exactly, for U8 and U16 up to their maximum. */
UH_API uh_status uh_histogram_counts(uh_histogram *histogram, uint64_t *counts);

/** Stores the sum of the weights of each cell, and the sum of their squares, which only WEIGHTED keeps, unless
 * `sum_squares` is NULL. For SUM and WEIGHTED. `dtype` is the type of both arrays:
 * - UH_F64: the sum of the real numbers rounded once (see UH_SUM_EXACT, also for NaN and infinities).
 * - UH_F32: the same rounded once to float32, not via float64. Sums of UH_SUM_FAST are rounded a second time.
 * - UH_I64, UH_U64: the exact integer, only with UH_SUM_EXACT and `sum_squares` NULL. UH_ERROR_OVERFLOW if one is not
 *   of the type: out of range, not an integer, infinite or NaN; the message names the first such cell. */
UH_API uh_status uh_histogram_sums(uh_histogram *histogram, uh_dtype dtype, void *sum, void *sum_squares);

/** Stores, for MEAN, the number of points, the mean of the sampled value and the sum of its squared deviations from the
 * mean, m2; each may be NULL. Both are those of the real numbers, rounded once. A cell without points has mean NaN and
 * m2 0; one with a NaN or infinite sample has the infinite or NaN mean that the sum gives, and m2 NaN. The variance of
 * a sample is m2 / (count - 1). */
UH_API uh_status uh_histogram_means(uh_histogram *histogram, uint64_t *count, double *mean, double *m2);

/** Stores densities: value / width of the bin on each axis in turn (1 for a category) / sum of all cells' values, as
 * numpy.histogram and numpy.histogramdd with density=True. The value is the count, for every storage that has one, or
 * the sum of weights for SUM and WEIGHTED; the sum over all cells is of the real numbers, rounded once. 0/0, for an
 * empty histogram or an empty bin of no width, is NaN as in NumPy. */
UH_API uh_status uh_histogram_density(uh_histogram *histogram, double *density);

/** Estimates quantiles of the values from the bins of one axis: stores for each of n probabilities p the smallest x
 * with F(x) >= p, where F is the distribution that spreads the content of a bin, its count or its sum of weights,
 * evenly between its edges. So F is linear from edge to edge, p 0 gives the lower edge of the first non-empty bin, p 1
 * the upper edge of the last one, and across empty bins the lower end of the gap is taken. The content of a bin with
 * one infinite edge lies at the other edge; in a bin from -infinity to infinity a quantile is NaN, as in an empty
 * histogram. Bins of integers (uh_axis_create_integer, or half-open left between edges of integer types) end at their
 * last integer, so that the content of a bin of one integer lies at it, as over an axis that grows. Points in no bin
 * are ignored. UH_ERROR_INVALID_ARGUMENT for several axes, an axis of categories, a probability outside 0 to 1, and a
 * sum of weights that is negative, infinite or NaN. */
UH_API uh_status uh_histogram_quantiles(uh_histogram *histogram, const double *probabilities, size_t n, double *values);

/** Moments of the values on an axis, estimated from the bins. */
typedef struct uh_moments {
    size_t struct_size; /**< in: sizeof(uh_moments) */
    double total;       /**< total content of all cells: points, or the sum of their weights */
    double mean;        /**< sum of v x / total */
    double variance;    /**< sum of v (x - mean)^2 / total: of the population, not an estimate from a sample */
    double deviation;   /**< square root of the variance, also of one that is too large or small for a double */
    double skewness;    /**< sum of v (x - mean)^3 / total / variance^(3/2) */
    double kurtosis;    /**< sum of v (x - mean)^4 / total / variance^2 - 3: 0 for a normal distribution */
} uh_moments;

/** Estimates moments of the coordinates on an axis, as if the content of a cell, its count v or its sum of weights v,
 * lay at the middle x of its bin on this axis; of a bin with one infinite edge, at the other edge; of a bin of
 * integers, at their middle; on an axis that grows, at its integer, so that these are the moments of the integers
 * themselves. The other axes are summed over; points in no cell are ignored. Undefined moments are NaN: all but `total`
 * if that is 0, skewness and kurtosis if all points lie in one bin, and all if a bin from -infinity to infinity is not
 * empty. UH_ERROR_INVALID_ARGUMENT for an axis of categories. */
UH_API uh_status uh_histogram_moments(uh_histogram *histogram, size_t axis, uh_moments *moments);

/** Copies the flow counters of one axis: numbers of points below it, above it, or NaN on it, regardless of their
 * other coordinates. */
UH_API uh_status uh_histogram_flow(uh_histogram *histogram, size_t axis, uh_flow *flow);

/** Stores the numbers of points in a cell and in none, for any storage; each may be NULL. */
UH_API uh_status uh_histogram_total(uh_histogram *histogram, uint64_t *inside, uint64_t *outside);

/** Stores the sum of the weights of the points in no cell, and of their squares (WEIGHTED) unless `sum_squares` is
 * NULL. For SUM and WEIGHTED. */
UH_API uh_status uh_histogram_outside(uh_histogram *histogram, double *sum, double *sum_squares);

/* ---- parts -------------------------------------------------------------------------------------------------------
 * These make a new histogram of the same storage on the same queue, which the caller destroys; it can be filled and
 * merged. Sums over cells are exact (saturating counts: saturate), so the new histogram has the bits that filling it
 * would give, as far as cells determine them: points outside the old histogram stay outside. All points stay counted:
 * inside + outside is unchanged, and so are the flows of the axes that are kept. Errors as the reads, and
 * UH_ERROR_INVALID_ARGUMENT for an invalid axis or bin. */

/** Sums over all axes that are not named. The new histogram has the `naxes` named ones, each once, in the given order:
 * naming all of them transposes. An axis that grows stays one. */
UH_API uh_status uh_histogram_project(uh_histogram *histogram, const size_t *axes, size_t naxes,
                                      uh_histogram **projected);

/** Maps the bins of an axis to those of another one: bin j is added to bin to[j] of `bins`, or, where that is
 * UH_NO_INDEX, becomes outside, with its weights, and below or above on that axis: below if it is before all bins that
 * stay, and the axis has no categories. Only COUNT and MEAN know the number of such points; with other storages the
 * numbers of points do not change. `to` has a number for each bin, flow bins included. So ranges and slices are taken,
 * and neighbours or categories joined; what lies in the new bins is for the caller to know. The new axis's method is
 * automatic; it may not grow, the old one may. */
UH_API uh_status uh_histogram_rebin(uh_histogram *histogram, size_t axis, const uh_axis *bins, const size_t *to,
                                    uh_histogram **rebinned);

/* ---- indices ---------------------------------------------------------------------------------------------------- */

/** Stores the index of each value of an array as numpy.digitize numbers them: 0 below the first bin, j + 1 in bin j, k
 * + 1 above the last bin and for NaN. For a histogram over one axis, of any storage; uses its tables and does not
 * change its cells. The axis's own rule holds at the ends; a half-open axis gives the results of numpy.digitize. `x` as
 * an array of uh_histogram_fill. `index` has room for x->count numbers of type `dtype`: UH_U8, UH_U16, UH_I32 or
 * UH_I64, one that holds k + 1; in plain host memory or USM of the queue's device. On return it is written, and `x` may
 * be written again. Errors as uh_histogram_fill, and UH_ERROR_INVALID_ARGUMENT for several axes, one that grows,
 * another type, or an `index` that overlaps `x`; if a device fails during a call for more than 2^16 values, the first
 * of `index` may have been written. */
UH_API uh_status uh_histogram_digitize(uh_histogram *histogram, const uh_array *x, uh_dtype dtype, void *index);

UH_END_C

#endif
