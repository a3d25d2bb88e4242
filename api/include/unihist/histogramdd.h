/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file histogramdd.h
 * Exact histograms over 1 to 8 axes, which may be of any kind and mixed, and of what a bin keeps: counts, sums of
 * weights, means of a sampled value, counts that saturate.
 *
 * A point with one coordinate an axis belongs to the cell whose bins its coordinates belong to, by each axis's own
 * rule; coordinates may have different types and are compared with the edges as real numbers. A point that lies in no
 * bin of one axis or more lies in no cell: it is counted as outside, and in the flow counters of every axis that it
 * misses. Cells are numbered row-major, the last axis fastest, as in numpy.histogramdd: with b[a] bins on axis a and
 * bin j[a], cell = (...(j[0] * b[1] + j[1]) * b[2] + ...) + j[last].
 *
 * All devices, methods, numbers of threads and ways to cut points into fills give the same integers, and the same bits
 * of sums (see UH_SUM_EXACT).
 *
 * Threads, NULL, memory of inputs and outputs, and failure are as in histogram.h: a histogram belongs to the thread
 * that owns its queue; arrays of points may be plain host memory or USM; results are stored where the host can write,
 * and are there when the call returns; a call that fails leaves its outputs untouched.
 *
 * Source of axis-by-axis look-up: "UNIHIST: Fast histogram and weighted random sampling with replacement for
 * data-parallel devices", section VI.C, eq. (8).
 */
#ifndef UNIHIST_HISTOGRAMDD_H
#define UNIHIST_HISTOGRAMDD_H

#include <unihist/base.h>
#include <unihist/histogram.h>
#include <unihist/runtime.h>
#include <unihist/storage.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of axes of a histogram. */
#define UH_MAX_AXES 8

/** Maximum number of cells of a histogram: the product of its axes' bins. More are UH_ERROR_INVALID_ARGUMENT. */
#define UH_MAX_CELLS ((size_t)1 << 31)

/** A histogram over several axes. Owned by one thread at a time, the one that owns its queue. */
typedef struct uh_histogramdd uh_histogramdd;

/** How a histogram is made. Zero everything but struct_size for the defaults. */
typedef struct uh_histogramdd_options {
    size_t struct_size;       /**< sizeof(uh_histogramdd_options) */
    uh_storage storage;       /**< UH_STORAGE_COUNT by default */
    uh_sum sum;               /**< UH_SUM_EXACT by default; UH_SUM_FAST for SUM, WEIGHTED and MEAN (exact anyway) */
    const uh_method *methods; /**< one an axis, read before the return; NULL is UH_METHOD_AUTO for all */
    size_t table_bytes;       /**< maximum bytes of one axis's tables, as in uh_histogram_options; 0 is its default */
} uh_histogramdd_options;

/* ---- making and filling ------------------------------------------------------------------------------------------ */

/**
 * Makes an empty histogram over `naxes` axes, which counts with `queue`; `options` may be NULL for the defaults. One
 * axis may stand several times in `axes`. The caller destroys it; the queue must live longer (else uh_queue_destroy
 * says UH_ERROR_IN_USE), the axes need not. Memory for all cells is taken now: 8 bytes a cell for COUNT, 1 for U8, 2
 * for U16; for the others it grows with the range of the weights' exponents. Nothing is done on a device yet: what it
 * cannot do is told by uh_histogramdd_prepare or the first fill.
 * UH_ERROR_INVALID_ARGUMENT (NULL; naxes 0 or above UH_MAX_AXES; more than UH_MAX_CELLS cells: the message names both
 * numbers; unknown struct_size, storage, sum or method; UH_METHOD_CDF for an axis that carries no distribution;
 * UH_SUM_FAST where nothing is summed), UH_ERROR_OUT_OF_MEMORY.
 */
UH_API uh_status uh_histogramdd_create(uh_queue *queue, const uh_axis *const *axes, size_t naxes,
                                       const uh_histogramdd_options *options, uh_histogramdd **histogram);

/** Destroys a histogram, waiting for what its device still counts; NULL is allowed. Always UH_SUCCESS. */
UH_API uh_status uh_histogramdd_destroy(uh_histogramdd *histogram);

/**
 * Makes the plans for coordinates of these types now, one type an axis, builds the kernels and brings the plans to the
 * queue's device, rather than at the first fill with those types. Errors as uh_histogramdd_fill.
 */
UH_API uh_status uh_histogramdd_prepare(uh_histogramdd *histogram, const uh_dtype *dtypes);

/**
 * Adds `n` points. Coordinate a of point i is element i of coordinates[a], so separate arrays, columns of a table and
 * rows of points are all the same to it; there are as many arrays as axes, each of its own type and stride, and they
 * may overlap. The arrays' `data` may be NULL for n = 0.
 *
 * `values`, element i for point i, are float32, float64, int32 or int64:
 * - the weights for SUM and WEIGHTED (NULL: every weight is 1),
 * - the sampled value for MEAN,
 * - NULL for COUNT, U8 and U16.
 * Weights of several types may be mixed from fill to fill. With UH_SUM_EXACT no weight, count of points or order makes
 * a sum inexact or overflow before it is read. The sums of points outside are kept as well.
 *
 * Each array may lie in plain host memory or in USM, as `x` in uh_histogram_fill, and may be written again on return
 * under the same conditions. Coordinates of float64 need a device with double, as there; values of float64 do not.
 *
 * Errors as uh_histogram_fill, and UH_ERROR_INVALID_ARGUMENT for values that the storage does not take, that it needs
 * and are NULL, or of another type: nothing is added then. Where the device fails after the return, the next fill or
 * read fails, and so does every one until uh_histogramdd_reset: what was filled since the last read is lost.
 */
UH_API uh_status uh_histogramdd_fill(uh_histogramdd *histogram, const uh_array *coordinates, size_t n,
                                     const uh_array *values);

/**
 * As uh_histogramdd_fill, for points whose coordinates lie next to each other, all of one type: point i begins at
 * (const char *)rows + i * row_stride (in bytes; naxes * size of the type for a dense array).
 */
UH_API uh_status uh_histogramdd_fill_rows(uh_histogramdd *histogram, uh_dtype dtype, const void *rows, size_t n,
                                          ptrdiff_t row_stride, const uh_array *values);

/** Empties all cells and counters, and forgets a failure of the device. UH_ERROR_INVALID_ARGUMENT for NULL. */
UH_API uh_status uh_histogramdd_reset(uh_histogramdd *histogram);

/**
 * Adds what `source` holds to `target`: cells, flows and numbers of points; saturating counts saturate. They may be on
 * different devices, and `source` may be `target`. The calling thread owns both. UH_ERROR_INCOMPATIBLE when the number
 * of axes, an axis, the storage or the way of adding differs (the message says which), UH_ERROR_OVERFLOW where a count
 * would pass 2^64 - 1, and as the reads; `target` is as before then.
 */
UH_API uh_status uh_histogramdd_merge(uh_histogramdd *target, uh_histogramdd *source);

/* ---- what it is ------------------------------------------------------------------------------------------------- */

/** Returns the number of axes; 0 for NULL. */
UH_API size_t uh_histogramdd_naxes(const uh_histogramdd *histogram);

/** Returns the number of cells, the product of all axes' bins; 0 for NULL. */
UH_API size_t uh_histogramdd_cells(const uh_histogramdd *histogram);

/** Lends an axis, which lives as long as the histogram; NULL for NULL and for a number that is none. */
UH_API const uh_axis *uh_histogramdd_axis(const uh_histogramdd *histogram, size_t axis);

/** Returns what a cell keeps; UH_STORAGE_COUNT for NULL. */
UH_API uh_storage uh_histogramdd_storage(const uh_histogramdd *histogram);

/** Returns how weights are added; UH_SUM_EXACT for NULL. */
UH_API uh_sum uh_histogramdd_sum_mode(const uh_histogramdd *histogram);

/* ---- reading ----------------------------------------------------------------------------------------------------
 * Arrays have room for uh_histogramdd_cells() numbers, row-major. Reads wait until the device has counted what was
 * filled. UH_ERROR_INVALID_ARGUMENT for NULL where the text does not allow it, and for a storage that does not keep
 * what is asked for; UH_ERROR_OUT_OF_MEMORY; UH_ERROR_DEVICE_LOST, UH_ERROR_DRIVER and others of uh_histogramdd_fill
 * where the device fails or has failed. */

/** Copies the number of points of each cell: of COUNT and MEAN exactly, of U8 and U16 as far as they count. */
UH_API uh_status uh_histogramdd_counts(uh_histogramdd *histogram, uint64_t *counts);

/** Copies the saturating counts as they are kept: uint8_t for U8, uint16_t for U16. */
UH_API uh_status uh_histogramdd_saturated(uh_histogramdd *histogram, void *counts);

/**
 * Stores the sum of the weights of each cell, and the sum of their squares, which only WEIGHTED keeps, unless
 * `sum_squares` is NULL. Of SUM and WEIGHTED. See UH_SUM_EXACT for what is rounded, and for NaN and infinities.
 */
UH_API uh_status uh_histogramdd_sums(uh_histogramdd *histogram, double *sum, double *sum_squares);

/**
 * Stores the sums of the weights as exact integers. Of SUM and WEIGHTED, with UH_SUM_EXACT (else
 * UH_ERROR_INVALID_ARGUMENT). UH_ERROR_OVERFLOW where one is no int64: out of range, not whole, infinite or NaN; the
 * message names the first such cell.
 */
UH_API uh_status uh_histogramdd_sums_i64(uh_histogramdd *histogram, int64_t *sum);

/**
 * Stores, of MEAN, the number of points, the mean of the sampled value and the sum of its squared deviations from the
 * mean, m2; each may be NULL. Both are those of the real numbers, rounded once. A cell without points has mean NaN and
 * m2 0; one with a sample that is NaN or infinite has the mean that the sum gives, infinite or NaN, and m2 NaN. The
 * variance of a sample is m2 / (count - 1).
 */
UH_API uh_status uh_histogramdd_means(uh_histogramdd *histogram, uint64_t *count, double *mean, double *m2);

/**
 * Stores densities: value / width of the bin on each axis in turn / sum of all cells' values, as
 * numpy.histogramdd(density=True). The value is the count, of every storage that has one, or the sum of weights of SUM
 * and WEIGHTED; the sum over all cells is of the real numbers, rounded once. 0/0 is NaN, as in NumPy.
 * UH_ERROR_OVERFLOW where the sum of counts passes 2^64 - 1.
 */
UH_API uh_status uh_histogramdd_density(uh_histogramdd *histogram, double *density);

/**
 * Copies the flow counters of one axis: how many points lie below it, above it, or are NaN on it, whatever their other
 * coordinates. UH_ERROR_INVALID_ARGUMENT for a number that is no axis.
 */
UH_API uh_status uh_histogramdd_flow(uh_histogramdd *histogram, size_t axis, uh_flow *flow);

/** Stores how many points lie in a cell, and how many in none, of any storage; each may be NULL. */
UH_API uh_status uh_histogramdd_total(uh_histogramdd *histogram, uint64_t *inside, uint64_t *outside);

/**
 * Stores what the weights of the points in no cell add up to, and their squares (WEIGHTED) unless `sum_squares` is
 * NULL. Of SUM and WEIGHTED.
 */
UH_API uh_status uh_histogramdd_outside(uh_histogramdd *histogram, double *sum, double *sum_squares);

/* ---- parts and sums ----------------------------------------------------------------------------------------------
 * These make a new histogram of the same storage on the same queue, which the caller destroys; it can be filled and
 * merged. Sums over cells are exact (saturating counts: saturate), so what is made of a histogram has the bits that
 * filling it would have given, as far as the cells tell: points outside the old histogram stay outside. All points stay
 * counted: inside + outside remains, and so do the flows of the axes that are kept. Errors as the reads, and
 * UH_ERROR_INVALID_ARGUMENT for an axis or bin that is none. */

/**
 * Sums over all axes that are not named. The new histogram has the `naxes` named ones, each once, in the order named:
 * naming all of them transposes.
 */
UH_API uh_status uh_histogramdd_project(uh_histogramdd *histogram, const size_t *axes, size_t naxes,
                                        uh_histogramdd **projected);

/**
 * Takes the cells of one bin of an axis; the new histogram has one axis fewer, so there must be two. Other bins' points
 * become outside; only COUNT and MEAN know how many those are, with the others uh_histogramdd_total keeps what was
 * inside before.
 */
UH_API uh_status uh_histogramdd_slice(uh_histogramdd *histogram, size_t axis, size_t bin, uh_histogramdd **slice);

/**
 * Keeps bins `from` to `to` - 1 of an axis, at least one. Points of the others become outside, with their weights, and
 * below or above on that axis; only COUNT and MEAN know how many those are, with the others the numbers of points
 * remain what they were. An end of the range that was not an end of the axis is half-open, as the bin was. A
 * distribution that the axis carries stays with it.
 */
UH_API uh_status uh_histogramdd_crop(uh_histogramdd *histogram, size_t axis, size_t from, size_t to,
                                     uh_histogramdd **cropped);

/**
 * Joins each `factor` neighbouring bins of an axis into one; a `factor` that does not divide the number of bins is
 * UH_ERROR_INVALID_ARGUMENT. A distribution that the axis carries stays with it.
 */
UH_API uh_status uh_histogramdd_rebin(uh_histogramdd *histogram, size_t axis, size_t factor, uh_histogramdd **rebinned);

/** What the cells of a box add up to. What the storage does not keep is 0. */
typedef struct uh_bin {
    size_t struct_size; /**< in: sizeof(uh_bin) */
    uint64_t count;     /**< COUNT and MEAN: points; U8 and U16: the sum of the counts, limited to 255 or 65535 */
    double sum;         /**< SUM and WEIGHTED */
    double sum_squares; /**< WEIGHTED */
    double mean;        /**< MEAN; NaN without points */
    double m2;          /**< MEAN */
} uh_bin;

/**
 * Sums the cells of bins from[a] to to[a] - 1 of every axis a; there is one `from` and one `to` an axis, and from[a] =
 * to[a] sums nothing. `bin->struct_size` must be set by the caller. Errors as the reads, UH_ERROR_INVALID_ARGUMENT for
 * from[a] > to[a] and bins that are none, UH_ERROR_OVERFLOW for counts beyond 2^64 - 1.
 */
UH_API uh_status uh_histogramdd_box(uh_histogramdd *histogram, const size_t *from, const size_t *to, uh_bin *bin);

/**
 * Writes one line that says how coordinates of `dtype` find their bin on an axis and why; `text`, `size` and `length`
 * are as in uh_histogram_plan_text. Makes that plan if need be; UH_ERROR_INVALID_ARGUMENT, UH_ERROR_OUT_OF_MEMORY.
 */
UH_API uh_status uh_histogramdd_plan_text(uh_histogramdd *histogram, size_t axis, uh_dtype dtype, char *text,
                                          size_t size, size_t *length);

/* ---- one call --------------------------------------------------------------------------------------------------- */

/**
 * numpy.histogram(x, bins, range, weights): `bins` equal bins over range[0] to range[1], or over the data's own range
 * as in uh_histogram_of where `range` is NULL. Stores the exact sum of the weights of each bin, rounded once, and
 * bins + 1 edges unless `edges` is NULL. There are `n` weights of type `wdtype` (float32, float64, int32 or int64),
 * next to each other as the values are. Values in no bin do not count. `x` and `weights` may lie where coordinates of
 * uh_histogramdd_fill may; errors as uh_histogram_of and uh_histogramdd_fill.
 */
UH_API uh_status uh_histogram_weighted(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, size_t bins,
                                       const double *range, uh_dtype wdtype, const void *weights, double *sums,
                                       double *edges);

#ifdef __cplusplus
}
#endif

#endif
