/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bincount.h
 * Counts of integers, and sums of weights by integer, in one call (numpy.bincount, torch.bincount). For data in pieces,
 * or sums of another type: a histogram over an axis that grows (uh_axis_create_growing).
 *
 * Value v is counted in bin v. The result has max(x) + 1 bins, or `minlength` if that is more; without values it is
 * `minlength` zeros. Valid types and values, and the limit on large values, are those of such an axis (histogram.h).
 * Bytes fill exactly 256 bins with minlength 256, or in uh_bincount_into with length 256.
 *
 * If the length is not given, the library finds it and allocates the result. On the host this takes no further pass
 * over memory; a pass before counting is needed on a device, for weights, and if the result is too large for per-thread
 * tables. If `length` is given, values are read once, and a larger value is UH_ERROR_INVALID_ARGUMENT; the message
 * names the first.
 *
 * Weights are float32, float64, int32 or int64, one per value: another type or number is UH_ERROR_INVALID_ARGUMENT.
 * Sums are exact unless UH_SUM_FAST is requested: see uh_sum (storage.h).
 *
 * A queue selects the device. Results are stored in memory that the host can write, and are complete on return. Every
 * call may also return the errors of uh_histogram_fill for the queue's device.
 *
 * Source: NumPy's and PyTorch's documentation of these functions.
 */
#ifndef UNIHIST_BINCOUNT_H
#define UNIHIST_BINCOUNT_H

#include <unihist/base.h>
#include <unihist/runtime.h>
#include <unihist/storage.h>

UH_BEGIN_C

/* ---- length found by the library -------------------------------------------------------------------------------- */

/**
 * numpy.bincount(x, minlength=minlength): stores an array of *length counts in *counts. The caller frees it with
 * uh_bincount_free (even if the length is 0).
 */
UH_API uh_status uh_bincount(uh_queue *queue, const uh_array *x, size_t minlength, uint64_t **counts, size_t *length);

/**
 * numpy.bincount(x, weights, minlength): as uh_bincount, with the *length sums of the weights of each bin's values in
 * *sums.
 */
UH_API uh_status uh_bincount_weighted(uh_queue *queue, const uh_array *x, const uh_array *weights, size_t minlength,
                                      uh_sum sum, double **sums, size_t *length);

/** Frees a result of the calls above; NULL is allowed. Any thread may call it. */
UH_API void uh_bincount_free(void *result);

/* ---- length given by the caller --------------------------------------------------------------------------------- */

/**
 * Stores `length` counts, of the values 0 to length - 1. Any other value is UH_ERROR_INVALID_ARGUMENT; the message
 * names the index and value of the first. Values are read once.
 */
UH_API uh_status uh_bincount_into(uh_queue *queue, const uh_array *x, uint64_t *counts, size_t length);

/** The same with sums of weights. */
UH_API uh_status uh_bincount_weighted_into(uh_queue *queue, const uh_array *x, const uh_array *weights, uh_sum sum,
                                           double *sums, size_t length);

UH_END_C

#endif
