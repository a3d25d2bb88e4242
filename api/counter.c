/* SPDX-License-Identifier: Apache-2.0 */
#include "api/counter.h"

#include <stdlib.h>
#include <string.h>

#include "api/histogram.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* ---- creation ---- */

static uh_status check_options(const char *call, const uh_counter_options *options) {
    const uint64_t room = uhi_bincount_room();
    if (options->struct_size != sizeof *options)
        return uhi_fail_size(call, "options", options->struct_size, sizeof *options);
    if (options->storage != UH_STORAGE_COUNT && options->storage != UH_STORAGE_SUM)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT,
                        "%s: options->storage is %d, expected UH_STORAGE_COUNT or UH_STORAGE_SUM", call,
                        (int)options->storage);
    if (options->sum != UH_SUM_EXACT && options->sum != UH_SUM_FAST)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: sum is %d, expected UH_SUM_EXACT or UH_SUM_FAST", call,
                        (int)options->sum);
    if (options->minlength > room)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: minlength is %zu, expected at most %llu, which memory holds", call,
                        options->minlength, (unsigned long long)room);
    if (options->has_max && options->max >= room)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: max is %llu, expected at most %llu, which memory holds", call,
                        (unsigned long long)options->max, (unsigned long long)room - 1);
    return UH_SUCCESS;
}

uh_status uhi_counter_open(const char *call, uh_queue *queue, const uh_counter_options *options, uh_counter *counter) {
    const uh_counter_options defaults = {.struct_size = sizeof defaults};
    options = options ? options : &defaults;
    if (!queue)
        return uhi_fail_null(call, "queue", "a queue");
    uh_status status = check_options(call, options);
    if (status)
        return status;
    *counter = (uh_counter){.storage = options->storage, .minlength = options->minlength};
    uhi_bincount_open(&counter->count, queue, (struct uhi_bincount_limit){options->has_max != 0, options->max},
                      options->sum);
    uhi_queue_retain(queue);
    return UH_SUCCESS;
}

void uhi_counter_close(uh_counter *counter) {
    uh_queue *queue = counter->count.frame.queue;
    uhi_bincount_close(&counter->count);
    uhi_queue_release(queue);
}

uh_status uh_counter_create(uh_queue *queue, const uh_counter_options *options, uh_counter **counter) {
    if (!counter)
        return uhi_fail_null(__func__, "counter", "where to store it");
    uh_counter *made = malloc(sizeof *made);
    if (!made)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for a counter", __func__);
    uh_status status = uhi_counter_open(__func__, queue, options, made);
    if (status)
        free(made);
    else
        *counter = made;
    return status;
}

uh_status uh_counter_destroy(uh_counter *counter) {
    if (counter)
        uhi_counter_close(counter);
    free(counter);
    return UH_SUCCESS;
}

uh_status uh_counter_reset(uh_counter *counter) {
    if (!counter)
        return uhi_fail_null(__func__, "counter", "a counter");
    uhi_bincount_clear(&counter->count);
    return UH_SUCCESS;
}

/* ---- counting ---- */

static uh_status check_weights(const char *call, const uh_counter *counter, size_t n,
                               const struct uhi_weights *weights) {
    if (counter->storage != UH_STORAGE_SUM)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: the counter's storage is count, expected sum", call);
    if (weights->n != n)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: nweights is %zu, expected %zu, one for each value", call,
                        weights->n, n);
    if (weights->dtype != UH_F32 && weights->dtype != UH_F64 && weights->dtype != UH_I32 && weights->dtype != UH_I64)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: weight_dtype is %s, expected float32, float64, int32 or int64",
                        call, uh_dtype_size(weights->dtype) ? uh_dtype_name(weights->dtype) : "none");
    if (!weights->data && n > 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: weights is NULL, expected %zu weights", call, n);
    return UH_SUCCESS;
}

uh_status uhi_counter_check(const char *call, const uh_counter *counter, uh_dtype dtype, const void *x, size_t n,
                            const struct uhi_weights *weights) {
    uh_status status = uhi_check_dtype(call, "dtype", dtype);
    if (!x && n > 0 && !status)
        status = uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: x is NULL, expected %zu values", call, n);
    if (!status)
        status = uhi_bincount_check_dtype(call, dtype);
    if (!status && weights)
        status = check_weights(call, counter, n, weights);
    if (!status && n > SIZE_MAX / sizeof(uint64_t))
        status = uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: n is %zu, expected at most %zu", call, n,
                          SIZE_MAX / sizeof(uint64_t));
    return status;
}

uh_status uhi_counter_fill(const char *call, uh_counter *counter, uh_dtype dtype, const void *x, size_t n,
                           const struct uhi_weights *weights) {
    uh_array array;
    uh_status status = uhi_counter_check(call, counter, dtype, x, n, weights);
    if (status || n == 0)
        return status;
    if (counter->storage == UH_STORAGE_COUNT)
        return uhi_bincount_add(&counter->count, call, dtype, x, n);
    if (weights)
        array = uh_array_of(weights->dtype, weights->data, n);
    return uhi_bincount_weigh(&counter->count, call, dtype, x, n, weights ? &array : NULL);
}

uh_status uh_counter_fill(uh_counter *counter, uh_dtype dtype, const void *x, size_t n) {
    if (!counter)
        return uhi_fail_null(__func__, "counter", "a counter");
    return uhi_counter_fill(__func__, counter, dtype, x, n, NULL);
}

uh_status uh_counter_fill_weighted(uh_counter *counter, uh_dtype dtype, const void *x, size_t n, uh_dtype weight_dtype,
                                   const void *weights, size_t nweights) {
    const struct uhi_weights all = {weight_dtype, weights, nweights};
    if (!counter)
        return uhi_fail_null(__func__, "counter", "a counter");
    return uhi_counter_fill(__func__, counter, dtype, x, n, &all);
}

/* ---- reading ---- */

size_t uh_counter_length(const uh_counter *counter) {
    if (!counter)
        return 0;
    return counter->count.length > counter->minlength ? counter->count.length : counter->minlength;
}

void uhi_counter_counts(const uh_counter *counter, uint64_t *counts) {
    const struct uhi_bincount *count = &counter->count;
    const size_t length = uh_counter_length(counter);
    if (count->length)
        memcpy(counts, count->counts, count->length * sizeof *counts);
    if (length > count->length)
        memset(counts + count->length, 0, (length - count->length) * sizeof *counts);
}

void uhi_counter_sums(const uh_counter *counter, double *sums) {
    const size_t length = uh_counter_length(counter);
    if (counter->count.length)
        uhi_store_sums(counter->count.store, 0, counter->count.length, sums, NULL);
    for (size_t v = counter->count.length; v < length; v++)
        sums[v] = 0;
}

uh_status uhi_counter_sums_i64(const char *call, const uh_counter *counter, int64_t *sums) {
    const size_t length = uh_counter_length(counter);
    uh_status status = UH_SUCCESS;
    if (counter->count.length)
        status = uhi_store_sums_i64(call, counter->count.store, 0, counter->count.length, sums);
    for (size_t v = counter->count.length; v < length && !status; v++)
        sums[v] = 0;
    return status;
}

static uh_status check_read(const char *call, const uh_counter *counter, uh_storage storage, const char *name,
                            const void *to) {
    if (!counter)
        return uhi_fail_null(call, "counter", "a counter");
    if (!to)
        return uhi_fail_null(call, name, "where to store them");
    if (counter->storage != storage)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: the counter's storage is %s, expected %s", call,
                        counter->storage == UH_STORAGE_SUM ? "sum" : "count",
                        storage == UH_STORAGE_SUM ? "sum" : "count");
    return UH_SUCCESS;
}

uh_status uh_counter_counts(uh_counter *counter, uint64_t *counts) {
    uh_status status = check_read(__func__, counter, UH_STORAGE_COUNT, "counts", counts);
    if (!status)
        uhi_counter_counts(counter, counts);
    return status;
}

uh_status uh_counter_sums(uh_counter *counter, double *sums) {
    uh_status status = check_read(__func__, counter, UH_STORAGE_SUM, "sums", sums);
    if (!status)
        uhi_counter_sums(counter, sums);
    return status;
}

uh_status uh_counter_sums_i64(uh_counter *counter, int64_t *sums) {
    uh_status status = check_read(__func__, counter, UH_STORAGE_SUM, "sums", sums);
    if (!status && counter->count.sum == UH_SUM_FAST)
        status =
            uhi_fail(UH_ERROR_UNSUPPORTED, "%s: the counter's sum is UH_SUM_FAST, expected UH_SUM_EXACT", __func__);
    return status ? status : uhi_counter_sums_i64(__func__, counter, sums);
}
