/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file histogram.h
 * Exact histograms over 1 to 8 axes, which may be of any kind and mixed, and of what a cell keeps: counts, sums of
 * weights, means of a sampled value, counts that saturate.
 *
 * A point has one coordinate an axis; over one axis it is a value. It belongs to the cell whose bins its coordinates
 * belong to, by each axis's own rule (axis.h); coordinates may have different types and are compared with the edges as
 * real numbers. A point that lies in no bin of one axis or more lies in no cell: it is counted as outside, and in the
 * flow counters of every axis that it misses. Cells are numbered row-major, the last axis fastest, as in
 * numpy.histogramdd: with b[a] bins on axis a and bin j[a], cell = (...(j[0] * b[1] + j[1]) * b[2] + ...) + j[last].
 * Over one axis a cell is a bin.
 *
 * Over an axis that grows (uh_axis_create_growing) values are integers, and value v is counted in cell v: there are as
 * many cells as the largest value asks for, or `minlength` where that is more. Values are of any integer type; float32
 * and float64 are UH_ERROR_INVALID_ARGUMENT, and so is a negative value: the message names the first one's index and
 * value. A value that would make the histogram larger than the memory of this machine is UH_ERROR_OUT_OF_MEMORY, found
 * before anything of that size is allocated; one of 2^31 and more is UH_ERROR_UNSUPPORTED where another device than the
 * host counts, and so is one of 2^32 - 2 and more with weights. All points lie in a cell. Methods mean nothing there.
 *
 * All devices, methods, numbers of threads and ways to cut points into fills give the same integers, and the same bits
 * of sums (see UH_SUM_EXACT).
 *
 * A queue says where to count: on the host or on a device of Level Zero. Results (counts, sums, edges, flows, texts,
 * and indices where nothing else is said) are stored where the host can write, and are there when the call returns.
 *
 * A dtype, method, storage or number of an axis that is none is UH_ERROR_INVALID_ARGUMENT.
 *
 * Source of the method `mesh`: "UNIHIST: Fast histogram and weighted random sampling with replacement for
 * data-parallel devices", sections II to IV; of `cdf` and of axis-by-axis look-up, section VI.C.
 */
#ifndef UNIHIST_HISTOGRAM_H
#define UNIHIST_HISTOGRAM_H

#include <unihist/axis.h>
#include <unihist/base.h>
#include <unihist/runtime.h>
#include <unihist/storage.h>

UH_BEGIN_C

/** The largest number of axes of a histogram. */
#define UH_MAX_AXES 8

/** The largest number of cells of a histogram, the product of its axes' bins; one over an axis that grows may have
 * more. */
#define UH_MAX_CELLS ((size_t)1 << 31)

/* ---- methods ---------------------------------------------------------------------------------------------------- */

/** How a value finds its bin. All give the same integers; they differ in speed. */
typedef enum uh_method {
    UH_METHOD_AUTO = 0,   /**< the planner looks at the edges and chooses map, cells and levels */
    UH_METHOD_MESH = 1,   /**< the paper's UNIHIST: nested uniform meshes to the depth of eq. (5), linear finish */
    UH_METHOD_BINARY = 2, /**< branch-free binary search over all edges: the paper's BINARY */
    UH_METHOD_CDF = 3     /**< the paper's eq. (7): cells in proportion to the distribution that the axis carries,
                               in two levels; as rough as it may be, the result is exact */
} uh_method;

/** Names are auto, mesh, binary and cdf. */
UH_API const char *uh_method_name(uh_method method);
UH_API uh_status uh_method_from_name(const char *name, uh_method *method);

/* ---- making and filling ------------------------------------------------------------------------------------------ */

/** A histogram. */
typedef struct uh_histogram uh_histogram;

/** How a histogram is made. Zero everything but struct_size for the defaults. */
typedef struct uh_histogram_options {
    size_t struct_size;       /**< sizeof(uh_histogram_options) */
    uh_storage storage;       /**< UH_STORAGE_COUNT by default */
    uh_sum sum;               /**< UH_SUM_EXACT by default; UH_SUM_FAST for SUM, WEIGHTED and MEAN (exact anyway) */
    const uh_method *methods; /**< one an axis, read before the return; NULL is UH_METHOD_AUTO for all */
    uint32_t leaf_bins;       /**< mesh only: the paper's l, bins left to the linear finish; 0 is 4; at most 64 */
    size_t table_bytes;       /**< maximum bytes of one axis's tables; 0 is 64 MiB, or 24 bytes a bin where more */
    size_t minlength;         /**< an axis that grows only: the minimum number of cells */
    size_t maxlength;         /**< an axis that grows only: the maximum, 0 for any. A value of as much and more is
                                   UH_ERROR_INVALID_ARGUMENT. With it a device reads values once */
} uh_histogram_options;

/**
 * Makes an empty histogram over `naxes` axes, which counts with `queue`; `options` may be NULL for the defaults. One
 * axis may stand several times in `axes`. The queue must live longer (else uh_queue_destroy says UH_ERROR_IN_USE), the
 * axes need not. Memory for all cells is taken now: 8 bytes a cell for COUNT, 1 for U8, 2 for U16; for the others it
 * grows with the range of the weights' exponents. Nothing is done on a device yet: what it cannot do is told by
 * uh_histogram_prepare or the first fill. Over an axis that grows memory is taken as cells come; there is no other
 * axis, and the storage is COUNT or SUM. UH_ERROR_INVALID_ARGUMENT (naxes 0 or above UH_MAX_AXES; more than
 * UH_MAX_CELLS cells: the message names both numbers; unknown storage, sum or method; leaf_bins above 64; UH_METHOD_CDF
 * for an axis that carries no distribution; UH_SUM_FAST where nothing is summed; an axis that grows beside another or
 * with another storage; minlength or maxlength where none grows), UH_ERROR_OUT_OF_MEMORY (also for a minlength or
 * maxlength that memory does not hold).
 */
UH_API uh_status uh_histogram_create(uh_queue *queue, uh_axis *const *axes, size_t naxes,
                                     const uh_histogram_options *options, uh_histogram **histogram);

/** Destroys a histogram, waiting for what its device still counts. */
UH_API uh_status uh_histogram_destroy(uh_histogram *histogram);

/**
 * Makes the plans for coordinates of these types now, one type an axis, which are the tables by which they find their
 * bins, builds the kernels and brings the plans to the queue's device, rather than at the first fill with those types.
 * An axis that grows has no plan: types alone are checked. Errors as uh_histogram_fill.
 */
UH_API uh_status uh_histogram_prepare(uh_histogram *histogram, const uh_dtype *dtypes);

/**
 * Adds points to what is there already. Coordinate a of point i is element i of arrays[a]: there is one array an axis,
 * each of its own type and stride, all of the same count; they may overlap.
 *
 * `weights`, one a point, are float32, float64, int32 or int64:
 * - the weights for SUM and WEIGHTED (NULL: every weight is 1),
 * - the sampled value for MEAN,
 * - NULL for COUNT, U8 and U16.
 * Weights of several types may be mixed from fill to fill. With UH_SUM_EXACT no weight, number of points or order makes
 * a sum inexact or overflow before it is read. The sums of points outside are kept as well.
 *
 * Where an array lies:
 * - Plain host memory (and USM that the queue's device cannot use) is read during the call, on a GPU in pieces that are
 *   copied while earlier ones are counted. Work that writes it, in this queue too, must have ended before.
 * - USM of the queue's device is read in place, after the earlier work of the queue.
 * On return it may be written or freed, but device memory only after the next read of the histogram or uh_queue_wait.
 *
 * UH_ERROR_INVALID_ARGUMENT (an array of another count: the message names it, its count and the one expected; weights
 * that the storage does not take, that it needs and are NULL, or of another type; the memory of a device that the
 * queue's cannot reach; values that cross the bounds of an allocation), UH_ERROR_OUT_OF_DEVICE_MEMORY,
 * UH_ERROR_UNSUPPORTED (the device cannot count these coordinates exactly: float32 where it has no denormals; tables of
 * 4 GiB or more; a queue for copies; a library built without kernels for devices), UH_ERROR_BUILD, UH_ERROR_OVERFLOW
 * (all points would be more than 2^64 - 1): nothing is added after any failure. Where the device fails after the
 * return, the next fill or read fails, and so does every one until uh_histogram_reset: what was filled since the last
 * read is lost. Coordinates of float64 need no double: a device that has none compares their bits as integers, with the
 * same counts.
 */
UH_API uh_status uh_histogram_fill(uh_histogram *histogram, const uh_array *arrays, const uh_array *weights);

/** Empties all cells and counters, and forgets a failure of the device. */
UH_API uh_status uh_histogram_reset(uh_histogram *histogram);

/**
 * Adds what `source` holds to `target`: cells, flows and numbers of points; saturating counts saturate. They may be on
 * different devices, and `source` may be `target`. The calling thread owns both: what their devices still count is
 * fetched. A target over an axis that grows takes a source over one, and one over the integers from 0 that has no
 * points outside; it has as many cells as the source then, or as it had where that is more. UH_ERROR_INCOMPATIBLE when
 * the number of axes, an axis, the storage or the way of adding differs (the message says which), UH_ERROR_OVERFLOW
 * where the number of points would pass 2^64 - 1, and as the reads; `target` is as before then.
 */
UH_API uh_status uh_histogram_merge(uh_histogram *target, uh_histogram *source);

/* ---- what it is ------------------------------------------------------------------------------------------------- */

/** What a histogram is. */
typedef struct uh_histogram_properties {
    size_t struct_size; /**< in: sizeof(uh_histogram_properties) */
    size_t naxes;
    uh_storage storage; /**< what a cell keeps */
    uh_sum sum;         /**< how weights are added */
} uh_histogram_properties;

UH_API uh_status uh_histogram_get_properties(const uh_histogram *histogram, uh_histogram_properties *properties);

/**
 * Returns the number of cells, the product of all axes' bins; 0 for NULL. Over an axis that grows it is the largest
 * value so far + 1, or minlength where that is more: 0 before the first value, and a reset brings it back to minlength.
 */
UH_API size_t uh_histogram_cells(const uh_histogram *histogram);

/**
 * Lends an axis, which lives as long as the histogram; NULL for NULL and for a number that is none. Of one that grows,
 * the axis of the integers 0 to cells - 1, which lives until the number of cells changes (NULL where there is no memory
 * for its edges, or there are more than UH_MAX_BINS cells); where there are no cells, the one that grows.
 */
UH_API const uh_axis *uh_histogram_axis(const uh_histogram *histogram, size_t axis);

/**
 * Writes one line that says how coordinates of `dtype` find their bin on an axis and why: whether float64 goes by keys
 * (its bits as integers), map, cells, levels, table bytes, look-ups and expected comparisons a point; for counts on a
 * GPU also where it counts and by how many work-groups, of several axes where it does so in one launch if coordinates
 * on all axes are of `dtype`; the same of float32 weights or samples on one axis. Of several devices this is said of
 * the lead, and then among which the work is divided. At most `size` bytes are written, the terminating 0 included (as
 * snprintf); `text` may be NULL for size 0. `*length`, unless NULL, is the length of the whole line
 * without the 0. Makes that plan if need be, and fails as uh_histogram_prepare does, and with UH_ERROR_INVALID_ARGUMENT
 * for an axis that grows, which has none.
 */
UH_API uh_status uh_histogram_plan_text(uh_histogram *histogram, size_t axis, uh_dtype dtype, char *text, size_t size,
                                        size_t *length);

/* ---- reading ----------------------------------------------------------------------------------------------------
 * Arrays have room for uh_histogram_cells() numbers, row-major. Reads wait until the device has counted what was
 * filled. UH_ERROR_INVALID_ARGUMENT for a storage that does not keep what is asked for; UH_ERROR_OUT_OF_MEMORY;
 * UH_ERROR_DEVICE_LOST, UH_ERROR_DRIVER and others of uh_histogram_fill where the device fails or has failed. */

/** Points that an axis has no bin for. */
typedef struct uh_flow {
    uint64_t below; /**< smaller than the first edge */
    uint64_t above; /**< larger than the last edge; of categories, equal to none */
    uint64_t nan;   /**< not a number */
} uh_flow;

/** Copies the number of points of each cell: of COUNT and MEAN exactly, of U8 and U16 as far as they count. */
UH_API uh_status uh_histogram_counts(uh_histogram *histogram, uint64_t *counts);

/**
 * Stores the running sums of the counts of a histogram over one axis, of every storage that has counts; the flow is not
 * part of them. UH_ERROR_INVALID_ARGUMENT for several axes.
 */
UH_API uh_status uh_histogram_cumulative(uh_histogram *histogram, uint64_t *cumulative);

/**
 * Stores the sum of the weights of each cell, and the sum of their squares, which only WEIGHTED keeps, unless
 * `sum_squares` is NULL. Of SUM and WEIGHTED. `dtype` is the type of both arrays:
 * - UH_F64: the sum of the real numbers rounded once (see UH_SUM_EXACT, also for NaN and infinities).
 * - UH_F32: the same rounded once to float32, not by way of float64. What UH_SUM_FAST added is rounded a second time.
 * - UH_I64: the exact integer, with UH_SUM_EXACT alone and `sum_squares` NULL. UH_ERROR_OVERFLOW where one is no int64:
 *   out of range, not whole, infinite or NaN; the message names the first such cell.
 */
UH_API uh_status uh_histogram_sums(uh_histogram *histogram, uh_dtype dtype, void *sum, void *sum_squares);

/**
 * Stores, of MEAN, the number of points, the mean of the sampled value and the sum of its squared deviations from the
 * mean, m2; each may be NULL. Both are those of the real numbers, rounded once. A cell without points has mean NaN and
 * m2 0; one with a sample that is NaN or infinite has the mean that the sum gives, infinite or NaN, and m2 NaN. The
 * variance of a sample is m2 / (count - 1).
 */
UH_API uh_status uh_histogram_means(uh_histogram *histogram, uint64_t *count, double *mean, double *m2);

/**
 * Stores densities: value / width of the bin on each axis in turn (1 of a category) / sum of all cells' values, as
 * numpy.histogram and numpy.histogramdd with density=True. The value is the count, of every storage that has one, or
 * the sum of weights of SUM and WEIGHTED; the sum over all cells is of the real numbers, rounded once. 0/0, for an
 * empty histogram or an empty bin of no width, is NaN as in NumPy.
 */
UH_API uh_status uh_histogram_density(uh_histogram *histogram, double *density);

/**
 * Estimates quantiles of the values from the bins of one axis: stores for each of n probabilities p the smallest x with
 * F(x) >= p, where F is the distribution that spreads what a bin holds, its count or its sum of weights, evenly between
 * its edges. So F goes by straight lines from edge to edge, p 0 gives the lower edge of the first bin that is not
 * empty, p 1 the upper edge of the last one, and where bins are empty the lower end of the gap is taken. Of a bin with
 * one infinite edge all lies at the other; within one from -infinity to infinity a quantile is NaN, as are those of an
 * empty histogram. Bins of integers (uh_axis_create_integer, or half-open left between edges of integer types) end at
 * their last integer, so that all of a bin of one lies at it, as over an axis that grows. What lies in no bin is not
 * part of it. UH_ERROR_INVALID_ARGUMENT for several axes, one of categories, a probability that is not in 0 to 1, and a
 * sum of weights that is negative, infinite or NaN.
 */
UH_API uh_status uh_histogram_quantiles(uh_histogram *histogram, const double *probabilities, size_t n, double *values);

/** Moments of the values on an axis, as far as the bins tell. */
typedef struct uh_moments {
    size_t struct_size; /**< in: sizeof(uh_moments) */
    double total;       /**< what all cells hold together: points, or the sum of their weights */
    double mean;        /**< sum of v x / total */
    double variance;    /**< sum of v (x - mean)^2 / total: of what is there, not of what it may be a sample of */
    double skewness;    /**< sum of v (x - mean)^3 / total / variance^(3/2) */
    double kurtosis;    /**< sum of v (x - mean)^4 / total / variance^2 - 3: 0 for a normal distribution */
} uh_moments;

/**
 * Estimates moments of the coordinates on an axis, as if what a cell holds, its count v or its sum of weights v, lay in
 * the middle x of its bin on this axis; of a bin with one infinite edge, at the other one; of a bin of integers, in the
 * middle of them, and of one that grows, at its integer, so that these are the moments of integers that have bins of
 * their own. The other axes are summed over; what lies in no cell is not part of it. What cannot be told is NaN: all
 * but `total` where that is 0, skewness and kurtosis where all lies in one bin, and all where a bin from -infinity to
 * infinity is not empty. UH_ERROR_INVALID_ARGUMENT for an axis of categories.
 */
UH_API uh_status uh_histogram_moments(uh_histogram *histogram, size_t axis, uh_moments *moments);

/**
 * Copies the flow counters of one axis: how many points lie below it, above it, or are NaN on it, whatever their other
 * coordinates.
 */
UH_API uh_status uh_histogram_flow(uh_histogram *histogram, size_t axis, uh_flow *flow);

/** Stores how many points lie in a cell, and how many in none, of any storage; each may be NULL. */
UH_API uh_status uh_histogram_total(uh_histogram *histogram, uint64_t *inside, uint64_t *outside);

/**
 * Stores what the weights of the points in no cell add up to, and their squares (WEIGHTED) unless `sum_squares` is
 * NULL. Of SUM and WEIGHTED.
 */
UH_API uh_status uh_histogram_outside(uh_histogram *histogram, double *sum, double *sum_squares);

/* ---- parts -------------------------------------------------------------------------------------------------------
 * These make a new histogram of the same storage on the same queue, which the caller destroys; it can be filled and
 * merged. Sums over cells are exact (saturating counts: saturate), so what is made of a histogram has the bits that
 * filling it would have given, as far as the cells tell: points outside the old histogram stay outside. All points stay
 * counted: inside + outside remains, and so do the flows of the axes that are kept. Errors as the reads, and
 * UH_ERROR_INVALID_ARGUMENT for an axis or bin that is none. */

/**
 * Sums over all axes that are not named. The new histogram has the `naxes` named ones, each once, in the order named:
 * naming all of them transposes. An axis that grows stays one.
 */
UH_API uh_status uh_histogram_project(uh_histogram *histogram, const size_t *axes, size_t naxes,
                                      uh_histogram **projected);

/**
 * Takes the cells of one bin of an axis; the new histogram has one axis fewer, so there must be two. Other bins' points
 * become outside; only COUNT and MEAN know how many those are, with the others uh_histogram_total keeps what was
 * inside before.
 */
UH_API uh_status uh_histogram_slice(uh_histogram *histogram, size_t axis, size_t bin, uh_histogram **slice);

/**
 * Keeps bins `from` to `to` - 1 of an axis, at least one. Points of the others become outside, with their weights, and
 * below or above on that axis; only COUNT and MEAN know how many those are, with the others the numbers of points
 * remain what they were. An end of the range that was not an end of the axis is half-open, as the bin was; a flow bin
 * that is kept stays one; of categories, it can be kept with all of them only. A distribution that the axis carries
 * stays with it. Cropped or rebinned, an axis that grows becomes one of fixed bins.
 */
UH_API uh_status uh_histogram_crop(uh_histogram *histogram, size_t axis, size_t from, size_t to,
                                   uh_histogram **cropped);

/**
 * Joins each `factor` neighbouring bins of an axis into one, but flow bins (uh_axis_create_with_flow_bins) with none;
 * categories, and a `factor` that does not divide the number of bins between these, are UH_ERROR_INVALID_ARGUMENT. A
 * distribution that the axis carries stays with it.
 */
UH_API uh_status uh_histogram_rebin(uh_histogram *histogram, size_t axis, size_t factor, uh_histogram **rebinned);

/* ---- indices ---------------------------------------------------------------------------------------------------- */

/**
 * Stores the index of each value of an array the way numpy.digitize numbers them: 0 below the first bin, j + 1 in bin
 * j, k + 1 above the last bin and for NaN. Of a histogram over one axis, whatever it keeps; its tables are used, and
 * its cells do not change. The axis's own rule holds at the ends; a half-open axis gives what numpy.digitize gives. `x`
 * as an array of uh_histogram_fill. `index` has room for x->count numbers, in plain host memory or USM of the queue's
 * device; it is written when the call returns, and `x` may be written again. Errors as uh_histogram_fill, and
 * UH_ERROR_INVALID_ARGUMENT for several axes, one that grows, or an `index` that overlaps `x`; a device that fails in
 * the middle of more than 2^16 values may leave the first of `index` written.
 */
UH_API uh_status uh_histogram_digitize(uh_histogram *histogram, const uh_array *x, int64_t *index);

/**
 * numpy.digitize(x, edges, right): stores for each value the number of edges at or below it (`right` 0), or below it
 * (`right` not 0); `nedges` for NaN. Edges do not decrease, and one edge alone is allowed. `x` and `index` as in
 * uh_histogram_digitize, `edges` in uh_axis_create_edges; errors as of both.
 */
UH_API uh_status uh_digitize(uh_queue *queue, const uh_array *x, uh_dtype edge_dtype, const void *edges, size_t nedges,
                             int right, int64_t *index);

/* ---- one call ---------------------------------------------------------------------------------------------------
 * `x` and the like are arrays as uh_histogram_fill takes them. Errors as that call and as the making of the axis. */

/**
 * numpy.histogram(x, bins, range): `bins` equal bins over range[0] to range[1], or over the data's own smallest and
 * largest value where `range` is NULL (0 to 1 for no values); half a unit to both sides where the two are equal.
 * Stores `bins` counts, and bins + 1 edges unless `edges` is NULL, and the flow unless `flow` is NULL.
 * UH_ERROR_INVALID_ARGUMENT also for a range that falls or is not finite, or whose difference is not, and where `range`
 * is NULL for a NaN or infinite value and for values that are all one so large that half a unit makes no difference.
 */
UH_API uh_status uh_histogram_of(uh_queue *queue, const uh_array *x, size_t bins, const double *range, uint64_t *counts,
                                 double *edges, uh_flow *flow);

/** numpy.histogram(x, edges): k = nedges - 1 bins. Stores k counts, and the flow unless `flow` is NULL. */
UH_API uh_status uh_histogram_of_edges(uh_queue *queue, const uh_array *x, uh_dtype edge_dtype, const void *edges,
                                       size_t nedges, uint64_t *counts, uh_flow *flow);

/**
 * numpy.histogramdd(points, bins, range, weights=weights), with one array an axis as uh_histogram_fill takes them; over
 * one axis numpy.histogram, over two numpy.histogram2d. Stores the counts of all cells, row-major, or with `weights`
 * the exact sums of their weights, rounded once: one of `counts` and `sums` is NULL, and `weights` are for sums. Axis a
 * has bins[a] equal bins over ranges[a][0] to ranges[a][1]; where ranges[a] or `ranges` is NULL, over its data's own
 * range, as in uh_histogram_of. Stores bins[a] + 1 edges in edges[a], unless that or `edges` is NULL. Points in no cell
 * do not count. UH_ERROR_INVALID_ARGUMENT also for more than UH_MAX_CELLS cells, found before anything is allocated.
 */
UH_API uh_status uh_histogramdd_of(uh_queue *queue, const uh_array *arrays, size_t naxes, const uh_array *weights,
                                   const size_t *bins, const double *const *ranges, uint64_t *counts, double *sums,
                                   double *const *edges);

/** What is told of the numbers that belong to the values in a bin. */
typedef enum uh_statistic {
    UH_STATISTIC_COUNT = 0, /**< how many */
    UH_STATISTIC_SUM = 1,   /**< their exact sum, rounded once; 0 for none */
    UH_STATISTIC_MEAN = 2,  /**< the sum divided by how many, rounded once; NaN for none */
    UH_STATISTIC_STD = 3    /**< the root of their mean squared deviation from the mean; NaN for none */
} uh_statistic;

/**
 * scipy.stats.binned_statistic(x, values, statistic, bins, range): stores for each of `bins` equal bins a statistic of
 * those of `values` whose x lies in it, and bins + 1 edges unless `edges` is NULL; `bins` and `range` as in
 * uh_histogram_of. `values` are float32, float64, int32 or int64, as many as x; COUNT does not look at them, they may
 * be NULL. Unlike there, where they are refused, values that are NaN or infinite make their bin's statistic what they
 * give, and of x, where a range is given, lie in no bin.
 */
UH_API uh_status uh_binned_statistic(uh_queue *queue, const uh_array *x, const uh_array *values, uh_statistic which,
                                     size_t bins, const double *range, double *statistic, double *edges);

/**
 * torch.histc(x, bins, min, max): stores `bins` counts of values of any type in equal bins over [min, max], `max`
 * included; values outside and NaN are not counted. Where min is max, 0 or any other, the range is the data's own
 * smallest to largest value, and where these are equal (or there are no values) one unit to both sides of it, as in
 * PyTorch. The edges are the float64 numbers of numpy.linspace(min, max, bins + 1), and bin j is edge[j] <= x <
 * edge[j+1] exactly, x compared as a real number: PyTorch computes (x - min) * bins / (max - min) in the data's type
 * instead, and may put values within rounding of an edge in the bin beside. UH_ERROR_INVALID_ARGUMENT: bins is 0 or
 * above UH_MAX_BINS, a range that is not finite, or whose difference is not (that of the data too, as with NaN,
 * infinities, or one value that is so large that a unit makes no difference), max < min.
 */
UH_API uh_status uh_histc(uh_queue *queue, const uh_array *x, size_t bins, double min, double max, uint64_t *counts);

/**
 * Stores the smallest and largest value of an array and how many are NaN (skipped). Where all are NaN, or there are no
 * values, min is infinity and max minus infinity. 64-bit integers that float64 does not hold are rounded outwards: all
 * values lie in min to max. A zero of either sign is +0. Values that the queue's device can reach are looked at there,
 * after the queue's earlier work (float64 also where it has no double); others by the host. `x` may be reused on
 * return. UH_ERROR_INVALID_ARGUMENT also for memory that the queue's device cannot reach, and what uh_histogram_fill
 * returns for a device.
 */
UH_API uh_status uh_min_max(uh_queue *queue, const uh_array *x, double *min, double *max, uint64_t *nan);

UH_END_C

#endif
