/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bincount.h
 * How often each integer occurs (numpy.bincount, torch.bincount), sums of weights by integer, and torch.histc.
 *
 * Value v is counted in bin v. The result has max(x) + 1 bins, or `minlength` where that is more; of no values it is
 * `minlength` zeros. Values are of any integer type; float32 and float64 are UH_ERROR_INVALID_ARGUMENT, and so is a
 * negative value: the message names the first one's index and value. A value that would make the result larger than
 * the memory of this machine is UH_ERROR_OUT_OF_MEMORY, found before anything of that size is allocated; one of 2^31
 * and more is UH_ERROR_UNSUPPORTED where another device than the host counts, and so is one of 2^32 - 2 and more with
 * weights. Bytes fill exactly 256 bins with minlength 256, or in uh_bincount_into with length 256.
 *
 * Who does not know the largest value has the length found in the same pass over memory on the host (and by a pass
 * before the counting on a device, for weights, and where the result is too large for tables of a thread's own), and
 * gets a result that the library has allocated. Who knows it gives it, as `length` or `max`: the values are read once,
 * and a larger one is UH_ERROR_INVALID_ARGUMENT that names the first.
 *
 * Weights are float32, float64, int32 or int64, as many as values: another type or number is
 * UH_ERROR_INVALID_ARGUMENT. Sums are exact unless UH_SUM_FAST is asked for: see uh_sum (storage.h).
 *
 * A queue says where to count. `x` and `weights` may be plain host memory, which may be written again on return, or USM
 * of the queue's device, which is read after the earlier work of the queue; they need not be aligned, and may be NULL
 * for no values. Results are stored where the host can write and are there on return. A counter, and every call that is
 * given a queue, belongs to the thread that owns the queue. NULL where the text does not allow it is
 * UH_ERROR_INVALID_ARGUMENT. Every call may also return UH_ERROR_OUT_OF_MEMORY and what uh_histogram_fill returns for a
 * queue's device. Functions of type uh_status leave their outputs untouched on failure.
 *
 * Source: NumPy's and PyTorch's documentation of the functions that are named.
 */
#ifndef UNIHIST_BINCOUNT_H
#define UNIHIST_BINCOUNT_H

#include <unihist/base.h>
#include <unihist/runtime.h>
#include <unihist/storage.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- one call: the length is found ------------------------------------------------------------------------------ */

/**
 * numpy.bincount(x, minlength=minlength): stores an array of *length counts in *counts, which the caller frees with
 * uh_bincount_free (also where the length is 0).
 */
UH_API uh_status uh_bincount(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, size_t minlength,
                             uint64_t **counts, size_t *length);

/**
 * numpy.bincount(x, weights, minlength): as uh_bincount, with the sum of the weights of each bin's values, *length of
 * them in *sums. UH_ERROR_INVALID_ARGUMENT where `nweights` is not n.
 */
UH_API uh_status uh_bincount_weighted(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uh_dtype weight_dtype,
                                      const void *weights, size_t nweights, size_t minlength, uh_sum sum, double **sums,
                                      size_t *length);

/**
 * As uh_bincount_weighted, for weights of type int32 or int64, with exact sums of type int64. UH_ERROR_OVERFLOW where a
 * sum is no int64; UH_ERROR_INVALID_ARGUMENT for weights of another type.
 */
UH_API uh_status uh_bincount_weighted_i64(uh_queue *queue, uh_dtype dtype, const void *x, size_t n,
                                          uh_dtype weight_dtype, const void *weights, size_t nweights, size_t minlength,
                                          int64_t **sums, size_t *length);

/** Frees what the calls above have stored; NULL is allowed. Any thread may call it. */
UH_API void uh_bincount_free(void *result);

/** Stores the length that the result of uh_bincount would have, and counts nothing. Errors as uh_bincount. */
UH_API uh_status uh_bincount_length(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, size_t minlength,
                                    size_t *length);

/* ---- one call: the length is given ------------------------------------------------------------------------------ */

/**
 * Stores `length` counts, of the values 0 to length - 1. Any other value is UH_ERROR_INVALID_ARGUMENT; the message
 * names the first one's index and value. The values are read once.
 */
UH_API uh_status uh_bincount_into(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uint64_t *counts,
                                  size_t length);

/** The same with sums of weights. */
UH_API uh_status uh_bincount_weighted_into(uh_queue *queue, uh_dtype dtype, const void *x, size_t n,
                                           uh_dtype weight_dtype, const void *weights, size_t nweights, uh_sum sum,
                                           double *sums, size_t length);

/** The same with exact sums of integers, as uh_bincount_weighted_i64. */
UH_API uh_status uh_bincount_weighted_i64_into(uh_queue *queue, uh_dtype dtype, const void *x, size_t n,
                                               uh_dtype weight_dtype, const void *weights, size_t nweights,
                                               int64_t *sums, size_t length);

/* ---- in pieces -------------------------------------------------------------------------------------------------- */

/**
 * Counts of integers, or sums of weights by integer, that grow as values come. Owned by one thread at a time, the one
 * that owns its queue.
 */
typedef struct uh_counter uh_counter;

/** What a counter keeps. Zero everything but struct_size for the defaults. */
typedef struct uh_counter_options {
    size_t struct_size; /**< sizeof(uh_counter_options) */
    uh_storage storage; /**< UH_STORAGE_COUNT, the default, or UH_STORAGE_SUM */
    uh_sum sum;         /**< how weights are added; UH_SUM_EXACT by default */
    size_t minlength;   /**< minimum length of the result */
    int has_max;        /**< not 0: `max` is given */
    uint64_t max;       /**< the largest value that may come; a larger one is UH_ERROR_INVALID_ARGUMENT */
} uh_counter_options;

/**
 * Makes an empty counter; `options` may be NULL for the defaults. The caller destroys it; the queue must live longer
 * (else uh_queue_destroy says UH_ERROR_IN_USE).
 * UH_ERROR_INVALID_ARGUMENT (struct_size, another storage, an unknown sum), UH_ERROR_OUT_OF_MEMORY (also for a
 * minlength or max whose result this machine's memory cannot hold).
 */
UH_API uh_status uh_counter_create(uh_queue *queue, const uh_counter_options *options, uh_counter **counter);

/** Destroys a counter; NULL is allowed. Always UH_SUCCESS. */
UH_API uh_status uh_counter_destroy(uh_counter *counter);

/** Counts n values, on top of what is counted; with UH_STORAGE_SUM each with the weight 1. On failure none is. */
UH_API uh_status uh_counter_fill(uh_counter *counter, uh_dtype dtype, const void *x, size_t n);

/** Adds the weights of n values. For UH_STORAGE_SUM; `nweights` must be n. On failure none is added. */
UH_API uh_status uh_counter_fill_weighted(uh_counter *counter, uh_dtype dtype, const void *x, size_t n,
                                          uh_dtype weight_dtype, const void *weights, size_t nweights);

/** Forgets all values; the minimum length stays. UH_ERROR_INVALID_ARGUMENT for NULL. */
UH_API uh_status uh_counter_reset(uh_counter *counter);

/**
 * Returns how many bins the result has by now: the largest value + 1, or minlength where that is more; 0 for NULL.
 */
UH_API size_t uh_counter_length(const uh_counter *counter);

/** Copies the counts, uh_counter_length() of them. For UH_STORAGE_COUNT (else UH_ERROR_INVALID_ARGUMENT). */
UH_API uh_status uh_counter_counts(uh_counter *counter, uint64_t *counts);

/** Copies the sums, uh_counter_length() of them. For UH_STORAGE_SUM (else UH_ERROR_INVALID_ARGUMENT). */
UH_API uh_status uh_counter_sums(uh_counter *counter, double *sums);

/**
 * Copies the sums as exact integers. For UH_STORAGE_SUM. UH_ERROR_OVERFLOW where one is no int64 (a fraction, infinite
 * and NaN too), UH_ERROR_UNSUPPORTED with UH_SUM_FAST.
 */
UH_API uh_status uh_counter_sums_i64(uh_counter *counter, int64_t *sums);

/* ---- torch.histc ------------------------------------------------------------------------------------------------ */

/**
 * torch.histc(x, bins, min, max): stores `bins` counts of values of any type in equal bins over [min, max], `max`
 * included; values outside and NaN are not counted. Where min is max, 0 or any other, the range is the data's own
 * smallest to largest value, and where these are equal (or there are no values) one unit to both sides of it, as in
 * PyTorch. The edges are the float64 numbers of numpy.linspace(min, max, bins + 1), and bin j is edge[j] <= x <
 * edge[j+1] exactly, x compared as a real number: PyTorch computes (x - min) * bins / (max - min) in the data's type
 * instead, and may put values within rounding of an edge in the bin beside. UH_ERROR_INVALID_ARGUMENT: bins is 0 or
 * above UH_MAX_BINS, a range that is not finite (that of data with NaN or infinities too), max < min.
 */
UH_API uh_status uh_histc(uh_queue *queue, const uh_array *x, size_t bins, double min, double max, uint64_t *counts);

#ifdef __cplusplus
}
#endif

#endif
