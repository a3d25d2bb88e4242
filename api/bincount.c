/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and sums by integer in one call. */
#include <stdlib.h>

#include "api/counter.h"
#include "api/histogram.h"
#include "runtime/status.h"

/* What a call is given, and what it asks for: one of counts, sums and sums_i64, whose length is found where `length` is
 * not NULL, and else given as `bins`. */
struct request {
    const char *call;
    uh_dtype dtype;
    const void *x;
    size_t n;
    const struct uhi_weights *weights;
    uh_sum sum;
    size_t bins; /* minlength, or the length */
    size_t *length;
    int integers; /* sums of int64 */
    void *result; /* of a given length; else NULL */
};

static uh_status check_request(const struct request *r, const void *result) {
    if (!result)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is NULL, expected where to store them", r->call,
                        r->weights ? "sums" : "counts");
    if (!r->length && r->bins == 0 && r->n > 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: length is 0, expected at least 1 for %zu values", r->call,
                        r->n);
    if (r->integers && r->weights->dtype != UH_I32 && r->weights->dtype != UH_I64)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: weight_dtype is %s, expected int32 or int64", r->call,
                        uh_dtype_size(r->weights->dtype) ? uh_dtype_name(r->weights->dtype) : "none");
    return UH_SUCCESS;
}

static uh_status read_result(const struct request *r, const uh_counter *counter, void *to) {
    if (!r->weights)
        uhi_counter_counts(counter, to);
    else if (!r->integers)
        uhi_counter_sums(counter, to);
    else
        return uhi_counter_sums_i64(r->call, counter, to);
    return UH_SUCCESS;
}

/* Counts or adds. The result is r->result, or *made of *length numbers, which the caller frees; `result` is what the
 * caller is given it by. */
static uh_status count_once(uh_queue *queue, const struct request *r, const void *result, void **made) {
    _Static_assert(sizeof(uint64_t) == sizeof(double), "every result has 8 bytes a bin");
    uh_counter_options options = {.struct_size = sizeof options,
                                  .storage = r->weights ? UH_STORAGE_SUM : UH_STORAGE_COUNT,
                                  .sum = r->sum,
                                  .minlength = r->bins};
    uh_counter counter;
    void *to = r->result;
    if (!r->length && r->bins > 0) {
        options.has_max = 1;
        options.max = r->bins - 1;
    }
    if (made && !r->length)
        return uhi_fail_null(r->call, "length", "where to store it");
    uh_status status = check_request(r, result);
    if (!status)
        status = uhi_counter_open(r->call, queue, &options, &counter);
    if (status)
        return status;
    status = uhi_counter_fill(r->call, &counter, r->dtype, r->x, r->n, r->weights);
    const size_t length = uh_counter_length(&counter);
    if (!status && !to && !(to = calloc(length ? length : 1, sizeof(uint64_t))))
        status = uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu bins", r->call, length);
    if (!status)
        status = read_result(r, &counter, to);
    uhi_counter_close(&counter);
    if (status && to != r->result)
        free(to);
    if (!status && r->length) {
        *made = to;
        *r->length = length;
    }
    return status;
}

/* ---- the length is found ---- */

uh_status uh_bincount(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, size_t minlength, uint64_t **counts,
                      size_t *length) {
    const struct request r = {.call = __func__, .dtype = dtype, .x = x, .n = n, .bins = minlength, .length = length};
    void *made = NULL;
    uh_status status = count_once(queue, &r, counts, &made);
    if (!status)
        *counts = made;
    return status;
}

uh_status uh_bincount_weighted(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uh_dtype weight_dtype,
                               const void *weights, size_t nweights, size_t minlength, uh_sum sum, double **sums,
                               size_t *length) {
    const struct uhi_weights w = {weight_dtype, weights, nweights};
    const struct request r = {.call = __func__,
                              .dtype = dtype,
                              .x = x,
                              .n = n,
                              .weights = &w,
                              .sum = sum,
                              .bins = minlength,
                              .length = length};
    void *made = NULL;
    uh_status status = count_once(queue, &r, sums, &made);
    if (!status)
        *sums = made;
    return status;
}

uh_status uh_bincount_weighted_i64(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uh_dtype weight_dtype,
                                   const void *weights, size_t nweights, size_t minlength, int64_t **sums,
                                   size_t *length) {
    const struct uhi_weights w = {weight_dtype, weights, nweights};
    const struct request r = {.call = __func__,
                              .dtype = dtype,
                              .x = x,
                              .n = n,
                              .weights = &w,
                              .bins = minlength,
                              .length = length,
                              .integers = 1};
    void *made = NULL;
    uh_status status = count_once(queue, &r, sums, &made);
    if (!status)
        *sums = made;
    return status;
}

void uh_bincount_free(void *result) {
    free(result);
}

uh_status uh_bincount_length(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, size_t minlength,
                             size_t *length) {
    const uh_counter_options options = {.struct_size = sizeof options, .minlength = minlength};
    uh_counter counter;
    uint64_t largest = 0;
    if (!length)
        return uhi_fail_null(__func__, "length", "where to store it");
    uh_status status = uhi_counter_open(__func__, queue, &options, &counter);
    if (status)
        return status;
    status = uhi_counter_check(__func__, &counter, dtype, x, n, NULL);
    if (!status && n > 0)
        status = uhi_bincount_look(&counter.count, __func__, dtype, x, n, &largest);
    uhi_counter_close(&counter);
    if (!status)
        *length = n > 0 && largest >= minlength ? (size_t)largest + 1 : minlength;
    return status;
}

/* ---- the length is given ---- */

uh_status uh_bincount_into(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uint64_t *counts, size_t length) {
    const struct request r = {.call = __func__, .dtype = dtype, .x = x, .n = n, .bins = length, .result = counts};
    return count_once(queue, &r, counts, NULL);
}

uh_status uh_bincount_weighted_into(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uh_dtype weight_dtype,
                                    const void *weights, size_t nweights, uh_sum sum, double *sums, size_t length) {
    const struct uhi_weights w = {weight_dtype, weights, nweights};
    const struct request r = {
        .call = __func__, .dtype = dtype, .x = x, .n = n, .weights = &w, .sum = sum, .bins = length, .result = sums};
    return count_once(queue, &r, sums, NULL);
}

uh_status uh_bincount_weighted_i64_into(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uh_dtype weight_dtype,
                                        const void *weights, size_t nweights, int64_t *sums, size_t length) {
    const struct uhi_weights w = {weight_dtype, weights, nweights};
    const struct request r = {
        .call = __func__, .dtype = dtype, .x = x, .n = n, .weights = &w, .bins = length, .integers = 1, .result = sums};
    return count_once(queue, &r, sums, NULL);
}
