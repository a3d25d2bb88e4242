/* SPDX-License-Identifier: Apache-2.0 */
/* Argument checks shared by several calls. */
#include "api/histogram.h"
#include "runtime/status.h"

uh_status uhi_check_between(const char *call, const char *argument, size_t index, size_t value, size_t min,
                            size_t max) {
    if (value >= min && value <= max)
        return UH_SUCCESS;
    return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, argument, index, "is %zu, expected %zu to %zu", value, min,
                       max);
}

uh_status uhi_check_number(const char *call, const char *argument, double value, double min, double max,
                           const char *expected) {
    if (value >= min && value <= max)
        return UH_SUCCESS;
    return uhi_fail_argument(call, argument, "is %.17g, expected %s", value, expected);
}

uh_status uhi_check_array(const char *call, const char *argument, size_t index, const uh_array *array) {
    const char *first;
    size_t bytes = 0;
    if (!array)
        return uhi_fail_null(call, argument, "an array");
    if (!uh_dtype_size(array->dtype))
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, index, "dtype",
                               "is %d, expected a uh_dtype, 0 to %d", (int)array->dtype, UH_DTYPE_COUNT - 1);
    if (!array->data && array->count > 0)
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, index, "data", "is NULL, expected %zu values",
                               array->count);
    if (array->count > 0)
        uhi_values_extent(uhi_array_values(array), uh_dtype_size(array->dtype), &first, &bytes);
    if (bytes == SIZE_MAX)
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, index, "count",
                               "is %zu and stride %td, more than memory holds", array->count, array->stride);
    return UH_SUCCESS;
}

uh_status uhi_check_contiguous(const char *call, const char *argument, const uh_array *array) {
    UHI_TRY(uhi_check_array(call, argument, UH_NO_INDEX, array));
    if (array->count > 0 && array->stride != (ptrdiff_t)uh_dtype_size(array->dtype))
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, UH_NO_INDEX, "stride",
                               "is %td, expected %zu: contiguous elements", array->stride, uh_dtype_size(array->dtype));
    return UH_SUCCESS;
}

uh_status uhi_check_disjoint(const char *call, const char *output, const void *to, size_t n, size_t size,
                             const char *input, const uh_array *x) {
    const char *first;
    size_t bytes;
    if (n == 0 || x->count == 0)
        return UH_SUCCESS;
    uhi_values_extent(uhi_array_values(x), uh_dtype_size(x->dtype), &first, &bytes);
    const uintptr_t a = (uintptr_t)to, b = (uintptr_t)first;
    if (a < b ? (b - a) / size >= n : a - b >= bytes)
        return UH_SUCCESS;
    return uhi_fail_argument(call, output, "overlaps %s, expected memory of its own", input);
}

uh_status uhi_check_call(const char *call, const uh_queue *queue, const uh_array *x) {
    UHI_NEED(call, queue, "a queue");
    return uhi_check_array(call, "x", UH_NO_INDEX, x);
}

uh_status uhi_check_weights(const char *call, const char *argument, const uh_array *weights, size_t n) {
    UHI_TRY(uhi_check_array(call, argument, UH_NO_INDEX, weights));
    if (weights->dtype != UH_F32 && weights->dtype != UH_F64 && weights->dtype != UH_I32 && weights->dtype != UH_I64 &&
        weights->dtype != UH_U64)
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, UH_NO_INDEX, "dtype",
                               "is %s, expected float32, float64, int32, int64 or uint64",
                               uh_enum_name(UH_ENUM_DTYPE, weights->dtype));
    if (weights->count != n)
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, UH_NO_INDEX, "count",
                               "is %zu, expected %zu, one per point", weights->count, n);
    return UH_SUCCESS;
}

uh_status uhi_histogram_check_axis(const char *call, const uh_histogram *histogram, size_t axis) {
    return uhi_check_between(call, "axis", UH_NO_INDEX, axis, 0, histogram->naxes - 1);
}

uh_status uhi_histogram_check_edges(const char *call, const uh_histogram *histogram, size_t axis) {
    UHI_TRY(uhi_histogram_check_axis(call, histogram, axis));
    if (histogram->axes[axis]->edges.order)
        return uhi_fail_argument(call, "axis", "%zu has categories, expected bins between edges", axis);
    return UH_SUCCESS;
}

uh_status uhi_histogram_check_one_axis(const char *call, const uh_histogram *histogram) {
    if (histogram->naxes == 1)
        return UH_SUCCESS;
    return uhi_fail_argument(call, NULL, "the histogram has %zu axes, expected 1", histogram->naxes);
}
