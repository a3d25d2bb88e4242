/* SPDX-License-Identifier: Apache-2.0 */
/** @file base2.h
 * Exponential histograms of OpenTelemetry and Prometheus: buckets of a constant ratio, which need no range in advance,
 * and halve their resolution when the values outgrow a maximum of buckets.
 *
 * At scale s a bucket's ends have the ratio base = 2^(2^-s). A positive value x lies in bucket i if base^i < x <=
 * base^(i+1); a negative one in the bucket of its magnitude, which is counted separately; and one of magnitude up to a
 * threshold, by default 0, in the bucket of zeros. Infinite values and NaN are counted too, in no bucket.
 *
 * The scale is the largest one, up to the maximum, at which neither the buckets from the smallest to the largest
 * positive value, nor those of negative ones, are more than max_bins. So scale and counts are exact, and depend on the
 * values alone: not on their order, division into fills and merges, device, threads or processes. A 64-bit integer that
 * float64 cannot represent counts as the next larger number that it can.
 *
 * One thread at a time uses an object.
 *
 * Sources: OpenTelemetry's metrics data model, "ExponentialHistogram"; Prometheus' native histograms. */
#ifndef UNIHIST_BASE2_H
#define UNIHIST_BASE2_H

#include <unihist/histogram.h>

UH_BEGIN_C

/** Limits of scales. */
#define UH_BASE2_MIN_SCALE (-10)
#define UH_BASE2_MAX_SCALE 20

/** An exponential histogram. */
typedef struct uh_base2 uh_base2;

/** A zeroed member means its default, and so do NULL options. */
typedef struct uh_base2_options {
    size_t struct_size;
    size_t max_bins;          /**< maximum number of buckets per sign, 4 to 2^20; 160 by default */
    const int32_t *max_scale; /**< NULL: UH_BASE2_MAX_SCALE */
    double zero_threshold;    /**< largest magnitude that counts as zero, finite and not negative */
} uh_base2_options;

/** Makes an empty object that counts with `queue`, which may be destroyed before it; the caller destroys the object.
 * UH_ERROR_INVALID_ARGUMENT for options out of their limits. */
UH_API uh_status uh_base2_create(uh_queue *queue, const uh_base2_options *options, uh_base2 **base2);

/** Destroys an object; NULL is allowed. */
UH_API void uh_base2_destroy(uh_base2 *base2);

/** Adds the values of an array as of uh_histogram_fill, with its errors; it is read once, except parts in which the
 * range of values grows, and may be reused on return. On failure nothing is added. */
UH_API uh_status uh_base2_fill(uh_base2 *base2, const uh_array *x);

/** Counts of successive buckets. */
typedef struct uh_base2_buckets {
    int32_t offset;         /**< index of the first bucket */
    size_t n;               /**< number of buckets, 0 for none */
    const uint64_t *counts; /**< their counts, n of them */
} uh_base2_buckets;

/** What an object contains. */
typedef struct uh_base2_contents {
    size_t struct_size; /**< sizeof(uh_base2_contents) */
    int32_t scale;
    double zero_threshold;
    uint64_t zero;               /**< count of zeros */
    uh_flow flow;                /**< numbers of -infinity, infinity and NaN, in no bucket */
    uh_base2_buckets buckets[2]; /**< of negative and of positive values; first and last counts are not 0 */
} uh_base2_contents;

/** Stores the contents; arrays are valid until the object is changed or destroyed. */
UH_API uh_status uh_base2_get_contents(const uh_base2 *base2, uh_base2_contents *contents);

/** Adds contents, of any scale; the scale becomes theirs if that is lower, even if they are empty. Counts may be 0
 * anywhere. UH_ERROR_INVALID_ARGUMENT: a scale or bucket that float64 has no values in; UH_ERROR_INCOMPATIBLE: another
 * zero_threshold; UH_ERROR_OVERFLOW: more than 2^64 - 1 values in all. On failure the object is unchanged. */
UH_API uh_status uh_base2_add(uh_base2 *base2, const uh_base2_contents *contents);

/** Adds the contents of another object, or of the object itself, as uh_base2_add. Its other options may differ; those
 * of `base2` hold. */
UH_API uh_status uh_base2_merge(uh_base2 *base2, const uh_base2 *from);

/** Replaces the contents by the sum of those of all processes (exchange.h), which call it together with objects of the
 * same options, otherwise UH_ERROR_INCOMPATIBLE. All receive. On failure objects are unchanged. */
UH_API uh_status uh_base2_exchange(uh_base2 *base2, const uh_exchange *exchange);

/** Stores estimates of numpy.quantile(x, q, method="lower") of all values but NaN, for nq numbers q from 0 to 1: 0 for
 * the zeros, infinite ones exactly, and otherwise within the relative error (base - 1) / (base + 1), about 2^-(s + 1.5)
 * at a scale s of more than 2. It is the best bound that buckets allow: 2 a b / (a + b), between a bucket's least value
 * a and greatest b. UH_ERROR_INVALID_ARGUMENT: no values, invalid q. */
UH_API uh_status uh_base2_quantiles(const uh_base2 *base2, const double *q, size_t nq, double *values);

/** Makes a histogram of the buckets and counts, to be saved, drawn or examined; the caller destroys it. Its one axis is
 * of float64 edges and UH_HALF_OPEN_RIGHT: the largest float64 at or below each end of a positive bucket, and for
 * negative ones the next number below that end. Zeros have a bin if there are some, or values of both signs; empty bins
 * are then between it and the buckets. Infinite values are below and above. */
UH_API uh_status uh_base2_histogram(const uh_base2 *base2, uh_histogram **histogram);

UH_END_C

#endif
