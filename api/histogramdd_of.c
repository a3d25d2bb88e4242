/* SPDX-License-Identifier: Apache-2.0 */
/* A weighted histogram of an array in one call. */
#include <string.h>

#include "api/histogram.h"
#include "api/histogramdd.h"
#include "runtime/status.h"

/* Sums with the axis and stores what is asked for; nothing is stored on failure. */
static uh_status sum_once(const char *call, uh_queue *queue, const uh_axis *axis, const uh_array *x, size_t n,
                          const uh_array *weights, double *sums) {
    const uh_histogramdd_options options = {.struct_size = sizeof options, .storage = UH_STORAGE_SUM};
    uh_histogramdd *histogram = NULL;
    uh_status status = uhi_histogramdd_make(call, queue, &axis, 1, &options, &histogram);
    if (!status)
        status = uhi_histogramdd_fill(call, histogram, x, n, weights);
    if (!status)
        status = uhi_histogramdd_bring(call, histogram);
    if (!status)
        uhi_store_sums(histogram->store, 0, histogram->cells, sums, NULL);
    (void)uh_histogramdd_destroy(histogram);
    return status;
}

uh_status uh_histogram_weighted(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, size_t bins,
                                const double *range, uh_dtype wdtype, const void *weights, double *sums,
                                double *edges) {
    double lo, hi;
    uh_axis *axis = NULL;
    uh_status status = uhi_check_call(__func__, queue, dtype, x, n);
    if (status)
        return status;
    if (!weights && n > 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: weights is NULL, expected %zu weights", __func__, n);
    if (wdtype != UH_F32 && wdtype != UH_F64 && wdtype != UH_I32 && wdtype != UH_I64)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: wdtype is %d, expected float32, float64, int32 or int64",
                        __func__, (int)wdtype);
    if (!sums)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: sums is NULL, expected where to store them", __func__);
    if (range) {
        lo = range[0];
        hi = range[1];
    } else {
        status = uhi_own_range(__func__, queue, dtype, x, n, &lo, &hi);
        if (status)
            return status;
    }
    const uh_array values = uh_array_dense(dtype, x), added = uh_array_dense(wdtype, weights);
    status = uhi_axis_make_equal(__func__, bins, lo, hi, UH_CLOSED_LEFT, &axis);
    if (!status)
        status = sum_once(__func__, queue, axis, &values, n, &added, sums);
    if (!status && edges)
        memcpy(edges, uh_axis_edges(axis), (bins + 1) * sizeof *edges);
    (void)uh_axis_destroy(axis);
    return status;
}
