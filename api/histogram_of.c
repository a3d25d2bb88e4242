/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms and indices of an array in one call. */
#include <math.h>
#include <string.h>

#include "api/histogram.h"
#include "runtime/status.h"

/* ---- histograms ---- */

uh_status uhi_own_range(const char *call, uh_queue *queue, uh_dtype dtype, const void *x, size_t n, double *lo,
                        double *hi) {
    uint64_t nan;
    if (n == 0) {
        *lo = 0;
        *hi = 1;
        return UH_SUCCESS;
    }
    uh_status status = uhi_min_max(call, queue, dtype, x, n, lo, hi, &nan);
    if (status)
        return status;
    if (nan > 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: x has %llu NaN, expected none where range is NULL", call,
                        (unsigned long long)nan);
    if (!isfinite(*lo) || !isfinite(*hi))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: x reaches from %g to %g, expected finite where range is NULL",
                        call, *lo, *hi);
    if (*lo == *hi) {
        *lo -= 0.5;
        *hi += 0.5;
    }
    return UH_SUCCESS;
}

uh_status uh_histogram_of(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, size_t bins, const double *range,
                          uint64_t *counts, double *edges, uh_flow *flow) {
    double lo, hi;
    uh_axis *axis = NULL;
    uh_status status = uhi_check_call(__func__, queue, dtype, x, n);
    if (status)
        return status;
    if (!counts)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: counts is NULL, expected where to store them", __func__);
    if (range) {
        lo = range[0];
        hi = range[1];
    } else {
        status = uhi_own_range(__func__, queue, dtype, x, n, &lo, &hi);
        if (status)
            return status;
    }
    status = uhi_axis_make_equal(__func__, bins, lo, hi, UH_CLOSED_LEFT, &axis);
    if (!status)
        status = uhi_histogram_once(__func__, queue, axis, dtype, x, n, counts, flow);
    if (!status && edges)
        memcpy(edges, uh_axis_edges(axis), (bins + 1) * sizeof *edges);
    uh_axis_destroy(axis);
    return status;
}

uh_status uh_histogram_of_edges(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uh_dtype edge_dtype,
                                const void *edges, size_t nedges, uint64_t *counts, uh_flow *flow) {
    uh_axis *axis = NULL;
    uh_status status = uhi_check_call(__func__, queue, dtype, x, n);
    if (status)
        return status;
    if (!counts)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: counts is NULL, expected where to store them", __func__);
    status = uhi_axis_make(__func__, "edges", edge_dtype, edges, nedges, 2, UH_CLOSED_LEFT, &axis);
    if (!status)
        status = uhi_histogram_once(__func__, queue, axis, dtype, x, n, counts, flow);
    uhi_axis_release(axis);
    return status;
}

uh_status uh_digitize(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uh_dtype edge_dtype, const void *edges,
                      size_t nedges, int right, int64_t *index) {
    uh_axis *axis = NULL;
    struct uhi_histogram_plan *plan = NULL;
    struct uhi_histogram_run run;
    uh_status status = uhi_check_call(__func__, queue, dtype, x, n);
    if (status)
        return status;
    if (!index && n > 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: index is NULL, expected where to store %zu", __func__, n);
    status = uhi_axis_make(__func__, "edges", edge_dtype, edges, nedges, 1,
                           right ? UH_HALF_OPEN_RIGHT : UH_HALF_OPEN_LEFT, &axis);
    if (status)
        return status;
    /* Tables pay only for more values than edges. */
    const struct uhi_plan_options options = {.method = n > nedges ? UH_METHOD_AUTO : UH_METHOD_BINARY,
                                             .body = uhi_body_of(queue),
                                             .leaf_bins = 1,
                                             .table_bytes = uhi_default_table_bytes(nedges)};
    status = uhi_plan_create(__func__, &axis->edges, dtype, &options, &plan);
    if (!status && n > 0) {
        const struct uhi_values values = {.first = x, .n = n, .stride = (ptrdiff_t)uh_dtype_size(dtype)};
        uhi_histogram_open(&run, queue);
        status = uhi_histogram_index(&run, __func__, plan, values, index);
        uhi_histogram_close(&run);
    }
    uhi_plan_destroy(plan);
    uhi_axis_release(axis);
    return status;
}
