/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of integers in one call. */

#include "api/histogram.h"
#include "runtime/status.h"

/* Checks the arguments of a call that stores `bins` results, `name` in messages. */
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
static void open_count(struct uhi_bincount *count, uh_queue *queue, size_t bins) {
    uhi_bincount_open(count, queue, (struct uhi_bincount_limit){bins > 0, bins > 0 ? bins - 1 : 0}, UH_SUM_EXACT);
}

static uh_status find_length(const char *call, uh_queue *queue, const uh_array *x, size_t *length) {
    struct uhi_bincount count;
    size_t found = 0;
    UHI_TRY(check(call, queue, x, "length", length, 1));
    open_count(&count, queue, 0);
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
    open_count(&count, queue, bins);
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
