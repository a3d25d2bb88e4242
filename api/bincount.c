/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and sums by integer in one call. */
#include <stdlib.h>
#include <string.h>

#include "api/counter.h"
#include "api/histogram.h"
#include "runtime/status.h"

/* What a call is given, and what it asks for: counts, sums or sums_i64. */
struct request {
    const char *call;
    uh_dtype dtype;
    const void *x;
    size_t n;
    const struct uhi_weights *weights;
    uh_sum sum;
    int integers; /* sums of int64 */
    int grows;    /* the length is found; else it is given as `bins` */
    size_t bins;  /* minlength, or the length */
    size_t *length;
    void *to; /* the result, of a given length; else where to store a pointer to it, which the caller frees */
};

static uh_status check_request(const struct request *r) {
    if (r->grows && !r->length)
        return uhi_fail_null(r->call, "length", "where to store it");
    if (!r->to)
        return uhi_fail_null(r->call, r->weights ? "sums" : "counts", "where to store them");
    if (!r->grows && r->bins == 0 && r->n > 0)
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

/* Counts or adds. */
static uh_status count_once(uh_queue *queue, const struct request *r) {
    _Static_assert(sizeof(uint64_t) == sizeof(double), "every result has 8 bytes a bin");
    uh_counter_options options = {.struct_size = sizeof options,
                                  .storage = r->weights ? UH_STORAGE_SUM : UH_STORAGE_COUNT,
                                  .sum = r->sum,
                                  .minlength = r->bins};
    uh_counter counter;
    void *made = NULL; /* the result, where its length is found */
    if (!r->grows && r->bins > 0) {
        options.has_max = 1;
        options.max = r->bins - 1;
    }
    uh_status status = check_request(r);
    if (!status)
        status = uhi_counter_open(r->call, queue, &options, &counter);
    if (status)
        return status;
    status = uhi_counter_fill(r->call, &counter, r->dtype, r->x, r->n, r->weights);
    const size_t length = uh_counter_length(&counter);
    if (!status && r->grows) {
        made = calloc(length ? length : 1, sizeof(uint64_t));
        if (!made)
            status = uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu bins", r->call, length);
    }
    if (!status)
        status = read_result(r, &counter, r->grows ? made : r->to);
    uhi_counter_close(&counter);
    if (status) {
        free(made);
    } else if (r->grows) {
        memcpy(r->to, &made, sizeof made);
        *r->length = length;
    }
    return status;
}

/* ---- the length is found ---- */

uh_status uh_bincount(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, size_t minlength, uint64_t **counts,
                      size_t *length) {
    const struct request r = {.call = __func__,
                              .dtype = dtype,
                              .x = x,
                              .n = n,
                              .grows = 1,
                              .bins = minlength,
                              .length = length,
                              .to = counts};
    return count_once(queue, &r);
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
                              .grows = 1,
                              .bins = minlength,
                              .length = length,
                              .to = sums};
    return count_once(queue, &r);
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
                              .integers = 1,
                              .grows = 1,
                              .bins = minlength,
                              .length = length,
                              .to = sums};
    return count_once(queue, &r);
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
    const struct request r = {.call = __func__, .dtype = dtype, .x = x, .n = n, .bins = length, .to = counts};
    return count_once(queue, &r);
}

uh_status uh_bincount_weighted_into(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uh_dtype weight_dtype,
                                    const void *weights, size_t nweights, uh_sum sum, double *sums, size_t length) {
    const struct uhi_weights w = {weight_dtype, weights, nweights};
    const struct request r = {
        .call = __func__, .dtype = dtype, .x = x, .n = n, .weights = &w, .sum = sum, .bins = length, .to = sums};
    return count_once(queue, &r);
}

uh_status uh_bincount_weighted_i64_into(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uh_dtype weight_dtype,
                                        const void *weights, size_t nweights, int64_t *sums, size_t length) {
    const struct uhi_weights w = {weight_dtype, weights, nweights};
    const struct request r = {
        .call = __func__, .dtype = dtype, .x = x, .n = n, .weights = &w, .bins = length, .integers = 1, .to = sums};
    return count_once(queue, &r);
}
