/* SPDX-License-Identifier: Apache-2.0 */
/* What a histogram holds, whether one axis counts or a store does; and checks that several calls share. */
#include <string.h>

#include "api/histogram.h"
#include "runtime/status.h"

uh_status uhi_histogram_bring(const char *call, uh_histogram *histogram) {
    const struct uhi_histogramdd_sums sums = {histogram->store, &histogram->counters};
    return histogram->counts ? uhi_histogram_settle(&histogram->line, call, histogram->counts)
                             : uhi_histogramdd_settle(&histogram->run, call, sums);
}

uint64_t *uhi_histogram_lend_counts(uh_histogram *histogram) {
    return histogram->counts ? histogram->counts + 1 : uhi_store_lend_counts(histogram->store);
}

void uhi_histogram_read_counts(const uh_histogram *histogram, size_t from, size_t n, uint64_t *counts) {
    if (histogram->counts)
        memcpy(counts, histogram->counts + 1 + from, n * sizeof *counts);
    else
        uhi_store_counts(histogram->store, from, n, counts);
}

struct uhi_histogramdd_counters uhi_histogram_numbers(const uh_histogram *histogram) {
    struct uhi_histogramdd_counters numbers = histogram->counters;
    const uint64_t *counts = histogram->counts;
    const size_t bins = histogram->cells;
    if (!counts)
        return numbers;
    numbers.flow[0][UHI_FLOW_BELOW] = counts[0];
    numbers.flow[0][UHI_FLOW_ABOVE] = counts[bins + 1];
    numbers.flow[0][UHI_FLOW_NAN] = counts[bins + 2];
    numbers.outside = counts[0] + counts[bins + 1] + counts[bins + 2] + counts[bins + 3];
    numbers.points = numbers.outside;
    for (size_t j = 0; j < bins; j++)
        numbers.points += counts[j + 1];
    return numbers;
}

void uhi_histogram_set_numbers(uh_histogram *histogram, const struct uhi_histogramdd_counters *numbers) {
    const uint64_t *flow = numbers->flow[0];
    uint64_t *counts = histogram->counts;
    const size_t bins = histogram->cells;
    if (counts) {
        counts[0] = flow[UHI_FLOW_BELOW];
        counts[bins + 1] = flow[UHI_FLOW_ABOVE];
        counts[bins + 2] = flow[UHI_FLOW_NAN];
        counts[bins + 3] = numbers->outside - counts[0] - counts[bins + 1] - counts[bins + 2];
        return;
    }
    histogram->counters = *numbers;
    if (histogram->storage == UH_STORAGE_COUNT) /* which keeps them behind the cells too */
        uhi_store_lend_counts(histogram->store)[bins] = numbers->outside;
}

/* ---- checks ---- */

uh_status uhi_check_dtype(const char *call, const char *argument, uh_dtype dtype) {
    if (uh_dtype_size(dtype))
        return UH_SUCCESS;
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is %d, expected a uh_dtype, 0 to %d", call, argument, (int)dtype,
                    UH_DTYPE_COUNT - 1);
}

uh_status uhi_check_array(const char *call, const char *argument, const uh_array *array) {
    if (!array)
        return uhi_fail_null(call, argument, "an array");
    if (!uh_dtype_size(array->dtype))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s->dtype is %d, expected a uh_dtype, 0 to %d", call, argument,
                        (int)array->dtype, UH_DTYPE_COUNT - 1);
    if (!array->data && array->count > 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s->data is NULL, expected %zu values", call, argument,
                        array->count);
    return UH_SUCCESS;
}

uh_status uhi_check_call(const char *call, const uh_queue *queue, const uh_array *x) {
    if (!queue)
        return uhi_fail_null(call, "queue", "a queue");
    return uhi_check_array(call, "x", x);
}

uh_status uhi_check_weights(const char *call, const char *argument, const uh_array *weights, size_t n) {
    uh_status status = uhi_check_array(call, argument, weights);
    if (status)
        return status;
    if (weights->dtype != UH_F32 && weights->dtype != UH_F64 && weights->dtype != UH_I32 && weights->dtype != UH_I64)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s->dtype is %s, expected float32, float64, int32 or int64",
                        call, argument, uh_dtype_name(weights->dtype));
    if (weights->count != n)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s->count is %zu, expected %zu, one a point", call, argument,
                        weights->count, n);
    return UH_SUCCESS;
}

uh_status uhi_histogram_check_axis(const char *call, const uh_histogram *histogram, size_t axis) {
    if (axis < histogram->naxes)
        return UH_SUCCESS;
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: axis is %zu, expected 0 to %zu", call, axis, histogram->naxes - 1);
}
