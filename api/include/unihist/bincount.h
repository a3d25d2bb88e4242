/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bincount.h
 * How often each integer occurs, and sums of weights by integer, in one call (numpy.bincount, torch.bincount). In
 * pieces, or with sums of another type: a histogram over an axis that grows (uh_axis_create_growing).
 *
 * Value v is counted in bin v. The result has max(x) + 1 bins, or `minlength` where that is more; of no values it is
 * `minlength` zeros. Which values are taken, and which are too large, is as over such an axis (histogram.h). Bytes fill
 * exactly 256 bins with minlength 256, or in uh_bincount_into with length 256.
 *
 * Who does not know the largest value has the length found in the same pass over memory on the host (and by a pass
 * before the counting on a device, for weights, and where the result is too large for tables of a thread's own), and
 * gets a result that the library has allocated. Who knows it gives it, as `length`: the values are read once, and a
 * larger one is UH_ERROR_INVALID_ARGUMENT that names the first.
 *
 * Weights are float32, float64, int32 or int64, as many as values: another type or number is
 * UH_ERROR_INVALID_ARGUMENT. Sums are exact unless UH_SUM_FAST is asked for: see uh_sum (storage.h).
 *
 * A queue says where to count. Results are stored where the host can write and are there on return. Every call may also
 * return what uh_histogram_fill returns for a queue's device.
 *
 * Source: NumPy's and PyTorch's documentation of the functions that are named.
 */
#ifndef UNIHIST_BINCOUNT_H
#define UNIHIST_BINCOUNT_H

#include <unihist/base.h>
#include <unihist/runtime.h>
#include <unihist/storage.h>

UH_BEGIN_C

/* ---- the length is found ---------------------------------------------------------------------------------------- */

/**
 * numpy.bincount(x, minlength=minlength): stores an array of *length counts in *counts, which the caller frees with
 * uh_bincount_free (also where the length is 0).
 */
UH_API uh_status uh_bincount(uh_queue *queue, const uh_array *x, size_t minlength, uint64_t **counts, size_t *length);

/**
 * numpy.bincount(x, weights, minlength): as uh_bincount, with the sum of the weights of each bin's values, *length of
 * them in *sums.
 */
UH_API uh_status uh_bincount_weighted(uh_queue *queue, const uh_array *x, const uh_array *weights, size_t minlength,
                                      uh_sum sum, double **sums, size_t *length);

/** Frees what the calls above have stored; NULL is allowed. Any thread may call it. */
UH_API void uh_bincount_free(void *result);

/* ---- the length is given ---------------------------------------------------------------------------------------- */

/**
 * Stores `length` counts, of the values 0 to length - 1. Any other value is UH_ERROR_INVALID_ARGUMENT; the message
 * names the first one's index and value. The values are read once.
 */
UH_API uh_status uh_bincount_into(uh_queue *queue, const uh_array *x, uint64_t *counts, size_t length);

/** The same with sums of weights. */
UH_API uh_status uh_bincount_weighted_into(uh_queue *queue, const uh_array *x, const uh_array *weights, uh_sum sum,
                                           double *sums, size_t length);

UH_END_C

#endif
