/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and sums by integer in one call. */
#include <string.h>

#include <unihist/bins.h>

#include "api/histogram.h"
#include "runtime/status.h"

/* Checks the arguments of a call that stores `bins` results, which it names `name`. */
static uh_status check(const char *call, const uh_queue *queue, const uh_array *x, const char *name, const void *to,
                       size_t bins) {
    UHI_TRY(uhi_check_call(call, queue, x));
    UHI_TRY(uhi_bincount_check_dtype(call, "x->dtype", x->dtype));
    if (!to)
        return uhi_fail_argument(call, name, "is NULL, expected where to store %zu", bins);
    if (bins == 0 && x->count > 0)
        return uhi_fail_argument(call, "bins", "is 0, expected at least 1 for %zu values", x->count);
    return uhi_bincount_check_length(call, "bins", bins);
}

/* Begins to count values below `bins`, or any if that is 0. */
static void open_count(struct uhi_bincount *count, uh_queue *queue, size_t bins, uh_sum sum) {
    uhi_bincount_open(count, queue, (struct uhi_bincount_limit){bins > 0, bins > 0 ? bins - 1 : 0}, sum);
}

static uh_status find_length(const char *call, uh_queue *queue, const uh_array *x, size_t *length) {
    struct uhi_bincount count;
    size_t found = 0;
    UHI_TRY(check(call, queue, x, "length", length, 1));
    open_count(&count, queue, 0, UH_SUM_EXACT);
    uh_status status = x->count > 0 ? uhi_bincount_find_length(&count, call, "x->data", x, &found) : UH_SUCCESS;
    uhi_bincount_close(&count);
    if (!status)
        *length = found;
    return status;
}

uh_status uh_bincount(uh_queue *queue, const uh_array *x, uint64_t *counts, size_t bins, size_t *length) {
    struct uhi_bincount count;
    if (!counts && bins == 0)
        return find_length(__func__, queue, x, length);
    UHI_TRY(check(__func__, queue, x, "counts", counts, bins));
    open_count(&count, queue, bins, UH_SUM_EXACT);
    uh_status status = x->count > 0 ? uhi_bincount_add(&count, __func__, "x->data", x) : UH_SUCCESS;
    if (!status) {
        const size_t counted = count.length;
        if (counted > 0)
            memcpy(counts, count.counts, counted * sizeof *counts);
        memset(counts + counted, 0, (bins - counted) * sizeof *counts);
        if (length)
            *length = counted;
    }
    uhi_bincount_close(&count);
    return status;
}

uh_status uh_bincount_weighted(uh_queue *queue, const uh_array *x, const uh_array *weights, uh_sum sum, double *sums,
                               size_t bins) {
    struct uhi_bincount count;
    UHI_TRY(check(__func__, queue, x, "sums", sums, bins));
    UHI_TRY(uhi_check_weights(__func__, "weights", weights, x->count));
    UHI_TRY(uhi_check_enum(__func__, "sum", UH_NO_INDEX, UH_ENUM_SUM, sum));
    open_count(&count, queue, bins, sum);
    uh_status status = x->count > 0 ? uhi_bincount_weigh(&count, __func__, "x->data", x, weights) : UH_SUCCESS;
    if (!status) {
        const size_t counted = count.length;
        if (counted > 0)
            uhi_store_sums(count.store, 0, counted, sums, NULL);
        for (size_t v = counted; v < bins; v++)
            sums[v] = 0;
    }
    uhi_bincount_close(&count);
    return status;
}
