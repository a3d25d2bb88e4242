/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of an array in one call, and indices. */
#include <math.h>
#include <string.h>

#include "api/histogram.h"
#include "runtime/status.h"

/* ---- histograms ---- */

/* Fills a histogram over one axis, which the caller reads and destroys, with checked values. */
static uh_status fill_once(const char *call, uh_queue *queue, const uh_axis *axis, uh_storage storage,
                           const uh_array *x, const uh_array *weights, uh_histogram **histogram) {
    const uh_histogram_options options = {.struct_size = sizeof options, .storage = storage};
    uh_status status = uhi_histogram_make(call, queue, &axis, 1, &options, histogram);
    if (!status)
        status = uhi_histogram_fill(call, "x->data", *histogram, x, weights);
    return status ? status : uhi_histogram_bring(call, *histogram);
}

uh_status uhi_histogram_once(const char *call, uh_queue *queue, const uh_axis *axis, const uh_array *x,
                             uint64_t *counts, uh_flow *flow) {
    uh_histogram *histogram = NULL;
    uh_status status = fill_once(call, queue, axis, UH_STORAGE_COUNT, x, NULL, &histogram);
    if (!status)
        uhi_histogram_read_counts(histogram, 0, histogram->cells, counts);
    if (!status && flow)
        status = uh_histogram_flow(histogram, 0, flow);
    (void)uh_histogram_destroy(histogram);
    return status;
}

/* numpy.histogram's range of the data. UH_ERROR_INVALID_ARGUMENT where it is not finite. */
static uh_status own_range(const char *call, uh_queue *queue, const uh_array *x, double *lo, double *hi) {
    uint64_t nan;
    if (x->count == 0) {
        *lo = 0;
        *hi = 1;
        return UH_SUCCESS;
    }
    uh_status status = uhi_min_max(call, queue, x, lo, hi, &nan);
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

/* Makes the axis of equal bins over a range, or the data's own. */
static uh_status make_axis(const char *call, uh_queue *queue, const uh_array *x, size_t bins, const double *range,
                           uh_axis **axis) {
    double lo = range ? range[0] : 0, hi = range ? range[1] : 0;
    uh_status status = range ? UH_SUCCESS : own_range(call, queue, x, &lo, &hi);
    return status ? status : uhi_axis_make_equal(call, bins, lo, hi, UH_CLOSED_LEFT, axis);
}

static void copy_edges(const uh_axis *axis, double *edges) {
    if (edges)
        memcpy(edges, uh_axis_edges(axis), (uh_axis_bins(axis) + 1) * sizeof *edges);
}

uh_status uh_histogram_of(uh_queue *queue, const uh_array *x, size_t bins, const double *range, uint64_t *counts,
                          double *edges, uh_flow *flow) {
    uh_axis *axis = NULL;
    uh_status status = uhi_check_call(__func__, queue, x);
    if (status)
        return status;
    if (!counts)
        return uhi_fail_null(__func__, "counts", "where to store them");
    status = make_axis(__func__, queue, x, bins, range, &axis);
    if (!status)
        status = uhi_histogram_once(__func__, queue, axis, x, counts, flow);
    if (!status)
        copy_edges(axis, edges);
    uhi_axis_release(axis);
    return status;
}

uh_status uh_histogram_of_edges(uh_queue *queue, const uh_array *x, uh_dtype edge_dtype, const void *edges,
                                size_t nedges, uint64_t *counts, uh_flow *flow) {
    uh_axis *axis = NULL;
    uh_status status = uhi_check_call(__func__, queue, x);
    if (status)
        return status;
    if (!counts)
        return uhi_fail_null(__func__, "counts", "where to store them");
    status = uhi_axis_make(__func__, "edges", edge_dtype, edges, nedges, 2, UH_CLOSED_LEFT, &axis);
    if (!status)
        status = uhi_histogram_once(__func__, queue, axis, x, counts, flow);
    uhi_axis_release(axis);
    return status;
}

uh_status uh_histogram_weighted(uh_queue *queue, const uh_array *x, const uh_array *weights, size_t bins,
                                const double *range, double *sums, double *edges) {
    uh_axis *axis = NULL;
    uh_histogram *histogram = NULL;
    uh_status status = uhi_check_call(__func__, queue, x);
    if (!status)
        status = uhi_check_weights(__func__, weights, x->count);
    if (status)
        return status;
    if (!sums)
        return uhi_fail_null(__func__, "sums", "where to store them");
    status = make_axis(__func__, queue, x, bins, range, &axis);
    if (!status)
        status = fill_once(__func__, queue, axis, UH_STORAGE_SUM, x, weights, &histogram);
    if (!status) {
        uhi_store_sums(histogram->store, 0, histogram->cells, sums, NULL);
        copy_edges(axis, edges);
    }
    (void)uh_histogram_destroy(histogram);
    uhi_axis_release(axis);
    return status;
}

/* ---- indices ---- */

static uh_status check_index(const char *call, const uh_array *x, const int64_t *index) {
    if (index || x->count == 0)
        return UH_SUCCESS;
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: index is NULL, expected where to store %zu", call, x->count);
}

uh_status uh_histogram_digitize(uh_histogram *histogram, const uh_array *x, int64_t *index) {
    const struct uhi_histogram_plan *plan = NULL;
    if (!histogram)
        return uhi_fail_null(__func__, "histogram", "a histogram");
    uh_status status = uhi_check_array(__func__, "x", x);
    if (!status)
        status = check_index(__func__, x, index);
    if (!status && histogram->naxes > 1)
        status = uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: the histogram has %zu axes, expected 1", __func__,
                          histogram->naxes);
    if (status || x->count == 0)
        return status;
    status = uhi_histogram_get_plan(__func__, histogram, 0, x->dtype, &plan);
    return status ? status : uhi_histogram_index(&histogram->line, __func__, plan, uhi_array_values(x), index);
}

uh_status uh_digitize(uh_queue *queue, const uh_array *x, uh_dtype edge_dtype, const void *edges, size_t nedges,
                      int right, int64_t *index) {
    uh_axis *axis = NULL;
    struct uhi_histogram_plan *plan = NULL;
    struct uhi_histogram_run run;
    uh_status status = uhi_check_call(__func__, queue, x);
    if (!status)
        status = check_index(__func__, x, index);
    if (status)
        return status;
    status = uhi_axis_make(__func__, "edges", edge_dtype, edges, nedges, 1,
                           right ? UH_HALF_OPEN_RIGHT : UH_HALF_OPEN_LEFT, &axis);
    if (status)
        return status;
    /* Tables pay only for more values than edges. */
    const struct uhi_plan_options options = {.method = x->count > nedges ? UH_METHOD_AUTO : UH_METHOD_BINARY,
                                             .body = uhi_body_of(queue),
                                             .leaf_bins = 1,
                                             .table_bytes = uhi_default_table_bytes(nedges)};
    status = uhi_plan_create(__func__, &axis->edges, x->dtype, &options, &plan);
    if (!status && x->count > 0) {
        uhi_histogram_open(&run, queue);
        status = uhi_histogram_index(&run, __func__, plan, uhi_array_values(x), index);
        uhi_histogram_close(&run);
    }
    uhi_plan_destroy(plan);
    uhi_axis_release(axis);
    return status;
}
