/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and sums by integer in one call. */
#include <stdlib.h>
#include <string.h>

#include <unihist/bins.h>

#include "api/histogram.h"
#include "runtime/status.h"

/* Arguments of a call: sums if it is weighted, otherwise counts. */
struct request {
    const char *call;
    const uh_array *x, *weights;
    int weighted;
    uh_sum sum;
    int grows;   /* the call finds the length; otherwise `bins` is the length */
    size_t bins; /* minlength, or the length */
    size_t *length;
    void *to; /* the result of given length; otherwise where to store a pointer to it, which the caller frees */
};

static uh_status check_request(const struct request *r, const uh_queue *queue) {
    if (r->grows && !r->length)
        return uhi_fail_null(r->call, "length", "where to store it");
    if (!r->to)
        return uhi_fail_null(r->call, r->weighted ? "sums" : "counts", "where to store them");
    uh_status status = uhi_check_call(r->call, queue, r->x);
    if (!status)
        status = uhi_bincount_check_dtype(r->call, "x->dtype", r->x->dtype);
    if (!status && r->weighted)
        status = uhi_check_weights(r->call, "weights", r->weights, r->x->count);
    if (!status)
        status = uhi_check_sum(r->call, "sum", r->sum);
    if (!status && !r->grows && r->bins == 0 && r->x->count > 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, r->call, "length", "is 0, expected at least 1 for %zu values",
                        r->x->count);
    return status ? status : uhi_bincount_check_length(r->call, r->grows ? "minlength" : "length", r->bins);
}

/* Stores the first `length` counts or sums, with zeros after the largest value. */
static void read_result(const struct request *r, const struct uhi_bincount *count, size_t length, void *to) {
    const size_t counted = count->length;
    uint64_t *const behind = (uint64_t *)to + counted;
    if (counted && r->weighted)
        uhi_store_sums(count->store, 0, counted, to, NULL);
    else if (counted)
        memcpy(to, count->counts, counted * sizeof *count->counts);
    if (length > counted)
        memset(behind, 0, (length - counted) * sizeof *behind); /* float64 zeros as well */
}

/* Counts or adds all values with an open `count`. */
static uh_status count_all(const struct request *r, struct uhi_bincount *count) {
    _Static_assert(sizeof(uint64_t) == sizeof(double), "every result has 8 bytes a bin");
    uh_status status = UH_SUCCESS;
    if (r->x->count > 0)
        status = r->weighted ? uhi_bincount_weigh(count, r->call, "x->data", r->x, r->weights)
                             : uhi_bincount_add(count, r->call, "x->data", r->x);
    if (status)
        return status;
    if (!r->grows) {
        read_result(r, count, r->bins, r->to);
        return UH_SUCCESS;
    }
    const size_t length = count->length > r->bins ? count->length : r->bins;
    void *made = malloc((length ? length : 1) * sizeof(uint64_t));
    if (!made)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, r->call, NULL, "no memory for %zu bins", length);
    read_result(r, count, length, made);
    memcpy(r->to, &made, sizeof made);
    *r->length = length;
    return UH_SUCCESS;
}

static uh_status count_once(uh_queue *queue, const struct request *r) {
    const int given = !r->grows && r->bins > 0;
    struct uhi_bincount count;
    uh_status status = check_request(r, queue);
    if (status)
        return status;
    uhi_bincount_open(&count, queue, (struct uhi_bincount_limit){given, given ? r->bins - 1 : 0}, r->sum);
    status = count_all(r, &count);
    uhi_bincount_close(&count);
    return status;
}

/* ---- length found by the call ---- */

uh_status uh_bincount(uh_queue *queue, const uh_array *x, size_t minlength, uint64_t **counts, size_t *length) {
    const struct request r = {.call = __func__, .x = x, .grows = 1, .bins = minlength, .length = length, .to = counts};
    return count_once(queue, &r);
}

uh_status uh_bincount_weighted(uh_queue *queue, const uh_array *x, const uh_array *weights, size_t minlength,
                               uh_sum sum, double **sums, size_t *length) {
    const struct request r = {.call = __func__,
                              .x = x,
                              .weights = weights,
                              .weighted = 1,
                              .sum = sum,
                              .grows = 1,
                              .bins = minlength,
                              .length = length,
                              .to = sums};
    return count_once(queue, &r);
}

void uh_bincount_free(void *result) {
    free(result);
}

/* ---- length given by the caller ---- */

uh_status uh_bincount_into(uh_queue *queue, const uh_array *x, uint64_t *counts, size_t length) {
    const struct request r = {.call = __func__, .x = x, .bins = length, .to = counts};
    return count_once(queue, &r);
}

uh_status uh_bincount_weighted_into(uh_queue *queue, const uh_array *x, const uh_array *weights, uh_sum sum,
                                    double *sums, size_t length) {
    const struct request r = {
        .call = __func__, .x = x, .weights = weights, .weighted = 1, .sum = sum, .bins = length, .to = sums};
    return count_once(queue, &r);
}
