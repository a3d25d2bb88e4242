/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file storage.h
 * Contents of bins, ways of adding weights, and arrays as arguments: shared by histogram.h, bincount.h, histo.h and
 * sample.h.
 */
#ifndef UNIHIST_STORAGE_H
#define UNIHIST_STORAGE_H

#include <unihist/base.h>

UH_BEGIN_C

/** Content of each bin, or cell. */
typedef enum uh_storage {
    UH_STORAGE_COUNT = 0,    /**< number of points, as uint64 */
    UH_STORAGE_SUM = 1,      /**< the sum of their weights w */
    UH_STORAGE_WEIGHTED = 2, /**< the sum of w and the sum of w^2 */
    UH_STORAGE_MEAN = 3,     /**< of a sampled value: number, mean, sum of squared deviations from the mean */
    UH_STORAGE_U8 = 4,       /**< min(number of points, 255) in one byte */
    UH_STORAGE_U16 = 5       /**< min(number of points, 65535) in two bytes */
} uh_storage;

/** Names are count, sum, weighted, mean, u8 and u16. */
UH_API const char *uh_storage_name(uh_storage storage);
UH_API uh_status uh_storage_from_name(const char *name, uh_storage *storage);

/** How weights are added. */
typedef enum uh_sum {
    /**
     * The sum of the real numbers, in a superaccumulator (U. Kulisch, Computer Arithmetic and Validity, 2008), rounded
     * once to the nearest float64 (ties to even) when it is read: the same bits on every device, for every number of
     * threads, division into fills, and order. Infinite weights and NaN give the mathematical result: +inf and -inf in
     * one bin, or NaN in it, make it NaN. A sum beyond the largest float64 reads as infinity; a sum of nothing, or of
     * zeros of any sign, as +0, and a negative one that rounds to zero, which only float32 has, as -0.
     */
    UH_SUM_EXACT = 0,
    /**
     * float64 additions in any order, mostly faster: bits may differ from run to run, and sums cancel or overflow as
     * those of float64 do. For sums of weights and of their squares on the host; sums on a GPU, and means, are always
     * exact.
     */
    UH_SUM_FAST = 1
} uh_sum;

/**
 * An array of `count` elements of one type: element i is at (const char *)data + i * stride. `stride` is in bytes, may
 * be negative (backwards from `data`) or 0 (the same element again and again), and need not be a multiple of the
 * element's size; elements need not be aligned. So a column of a table is an array too. `data` may be NULL if `count`
 * is 0. Elements may be in plain host memory, which may be written again when a call returns, or in USM of its queue's
 * device, which is read after the earlier work of the queue; the library detects which. The caller owns them.
 */
typedef struct uh_array {
    uh_dtype dtype;
    const void *data;
    ptrdiff_t stride;
    size_t count;
} uh_array;

/** Returns an array of contiguous elements. Any thread may call it. */
UH_API uh_array uh_array_of(uh_dtype dtype, const void *data, size_t count);

/** Stores the `columns` arrays of a table of `count` contiguous rows. Any thread may call it. */
UH_API void uh_arrays_of_rows(uh_dtype dtype, const void *rows, size_t count, size_t columns, uh_array *arrays);

UH_END_C

#endif
