/* SPDX-License-Identifier: Apache-2.0 */
#include "api/histogram.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/queue.h"
#include "runtime/status.h"

enum { DEFAULT_LEAF = 4, MAX_LEAF = 64 };

size_t uhi_default_table_bytes(size_t bins) {
    size_t min = (size_t)64 << 20;
    return bins * 24 > min ? bins * 24 : min;
}

static size_t slots_of(const uh_histogram *h) {
    return uh_axis_bins(h->axis) + 3;
}

/* Brings to the host what a device still counts. What is read does not change, so `const` holds for the caller. */
static uh_status settle(const char *call, const uh_histogram *histogram) {
    uh_histogram *h = (uh_histogram *)(uintptr_t)histogram;
    return uhi_histogram_settle(&h->run, call, h->counts);
}

static uh_status null_argument(const char *call, const char *argument) {
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", call, argument);
}

uh_status uhi_check_values(const char *call, uh_dtype dtype, const void *x, size_t n) {
    if (!uh_dtype_size(dtype))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: dtype is %d, expected a uh_dtype, 0 to %d", call, (int)dtype,
                        UH_DTYPE_COUNT - 1);
    if (!x && n > 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: x is NULL, expected %zu values", call, n);
    return UH_SUCCESS;
}

uh_status uhi_check_call(const char *call, const uh_queue *queue, uh_dtype dtype, const void *x, size_t n) {
    if (!queue)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: queue is NULL", call);
    return uhi_check_values(call, dtype, x, n);
}

/* ---- creation ---- */

static uh_status check_options(const uh_histogram_options *options) {
    const char *call = "uh_histogram_create";
    if (options->struct_size != sizeof *options)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: options->struct_size is %zu, expected %zu", call,
                        options->struct_size, sizeof *options);
    if (!uh_method_name(options->method))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: options->method is %d, expected a uh_method, 0 to %d", call,
                        (int)options->method, UH_METHOD_CDF);
    if (options->leaf_bins > MAX_LEAF)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: options->leaf_bins is %" PRIu32 ", expected at most %d", call,
                        options->leaf_bins, MAX_LEAF);
    return UH_SUCCESS;
}

/* `options` may be NULL. */
static uh_status make(const char *call, uh_queue *queue, const uh_axis *axis, const uh_histogram_options *options,
                      uh_histogram **histogram) {
    size_t bins = uh_axis_bins(axis);
    uh_histogram *made = calloc(1, sizeof *made);
    uint64_t *counts = calloc(bins + 3, sizeof *counts);
    if (!made || !counts) {
        free(made);
        free(counts);
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for the counts of %zu bins", call, bins);
    }
    made->queue = queue;
    uhi_queue_retain(queue);
    made->axis = uhi_axis_retain((uh_axis *)(uintptr_t)axis);
    made->counts = counts;
    made->options.method = options ? options->method : UH_METHOD_AUTO;
    made->options.body = uhi_body_of(queue);
    uhi_histogram_open(&made->run, queue);
    made->options.leaf_bins = options && options->leaf_bins ? options->leaf_bins : DEFAULT_LEAF;
    made->options.table_bytes = options && options->table_bytes ? options->table_bytes : uhi_default_table_bytes(bins);
    *histogram = made;
    return UH_SUCCESS;
}

uh_status uh_histogram_create(uh_queue *queue, const uh_axis *axis, const uh_histogram_options *options,
                              uh_histogram **histogram) {
    if (!queue)
        return null_argument(__func__, "queue");
    if (!axis)
        return null_argument(__func__, "axis");
    if (!histogram)
        return null_argument(__func__, "histogram");
    uh_status status = options ? check_options(options) : UH_SUCCESS;
    if (!status && options)
        status = uhi_axis_takes(__func__, axis, options->method);
    return status ? status : make(__func__, queue, axis, options, histogram);
}

uh_status uh_histogram_destroy(uh_histogram *histogram) {
    if (!histogram)
        return UH_SUCCESS;
    for (size_t i = 0; i < UH_DTYPE_COUNT; i++)
        uhi_plan_destroy(histogram->plans[i]);
    uhi_histogram_close(&histogram->run);
    uhi_axis_release(histogram->axis);
    uhi_queue_release(histogram->queue);
    free(histogram->counts);
    free(histogram);
    return UH_SUCCESS;
}

/* Makes the plan for a dtype unless there is one, and lends it. */
static uh_status get_plan(const char *call, uh_histogram *histogram, uh_dtype dtype,
                          const struct uhi_histogram_plan **plan) {
    struct uhi_histogram_plan **kept = &histogram->plans[dtype];
    if (!*kept) {
        uh_status status = uhi_plan_create(call, &histogram->axis->edges, dtype, &histogram->options, kept);
        if (status)
            return status;
    }
    *plan = *kept;
    return UH_SUCCESS;
}

uh_status uh_histogram_prepare(uh_histogram *histogram, uh_dtype dtype) {
    const struct uhi_histogram_plan *plan;
    if (!histogram)
        return null_argument(__func__, "histogram");
    uh_status status = uhi_check_values(__func__, dtype, NULL, 0);
    if (!status)
        status = get_plan(__func__, histogram, dtype, &plan);
    return status ? status : uhi_histogram_ready(&histogram->run, __func__, plan);
}

/* ---- counting ---- */

/* Checks a call's histogram and values, and lends the plan where there is a value at all. */
static uh_status plan_for_values(const char *call, uh_histogram *histogram, uh_dtype dtype, const void *x, size_t n,
                                 const struct uhi_histogram_plan **plan) {
    if (!histogram)
        return null_argument(call, "histogram");
    uh_status status = uhi_check_values(call, dtype, x, n);
    return status || n == 0 ? status : get_plan(call, histogram, dtype, plan);
}

static uh_status fill(const char *call, uh_histogram *histogram, uh_dtype dtype, const void *x, size_t n,
                      ptrdiff_t stride) {
    const struct uhi_histogram_plan *plan = NULL;
    uh_status status = plan_for_values(call, histogram, dtype, x, n, &plan);
    if (status || n == 0)
        return status;
    const struct uhi_values values = {.first = x, .n = n, .stride = stride};
    return uhi_histogram_count(&histogram->run, call, plan, values, histogram->counts);
}

uh_status uh_histogram_fill(uh_histogram *histogram, uh_dtype dtype, const void *x, size_t n) {
    return fill(__func__, histogram, dtype, x, n, (ptrdiff_t)uh_dtype_size(dtype));
}

uh_status uh_histogram_fill_strided(uh_histogram *histogram, uh_dtype dtype, const void *x, size_t n,
                                    ptrdiff_t stride) {
    return fill(__func__, histogram, dtype, x, n, stride);
}

uh_status uh_histogram_digitize(uh_histogram *histogram, uh_dtype dtype, const void *x, size_t n, ptrdiff_t stride,
                                int64_t *index) {
    const struct uhi_histogram_plan *plan = NULL;
    if (histogram && !index && n > 0)
        return null_argument(__func__, "index");
    uh_status status = plan_for_values(__func__, histogram, dtype, x, n, &plan);
    if (status || n == 0)
        return status;
    const struct uhi_values values = {.first = x, .n = n, .stride = stride};
    return uhi_histogram_index(&histogram->run, __func__, plan, values, index);
}

uh_status uh_histogram_reset(uh_histogram *histogram) {
    if (!histogram)
        return null_argument(__func__, "histogram");
    uhi_histogram_forget(&histogram->run);
    memset(histogram->counts, 0, slots_of(histogram) * sizeof *histogram->counts);
    return UH_SUCCESS;
}

uh_status uh_histogram_merge(uh_histogram *target, const uh_histogram *source) {
    if (!target)
        return null_argument(__func__, "target");
    if (!source)
        return null_argument(__func__, "source");
    if (!uh_axis_equal(target->axis, source->axis))
        return uhi_fail(UH_ERROR_INCOMPATIBLE, "%s: the axes differ: target has %zu bins, source %zu%s", __func__,
                        uh_axis_bins(target->axis), uh_axis_bins(source->axis),
                        uh_axis_bins(target->axis) == uh_axis_bins(source->axis) ? ", other edges or closed ends" : "");
    uh_status status = settle(__func__, target);
    if (!status)
        status = settle(__func__, source);
    if (status)
        return status;
    size_t slots = slots_of(target);
    for (size_t s = 0; s < slots; s++)
        if (source->counts[s] > UINT64_MAX - target->counts[s])
            return uhi_fail(UH_ERROR_OVERFLOW, "%s: %" PRIu64 " + %" PRIu64 " passes 2^64 - 1 in slot %zu", __func__,
                            target->counts[s], source->counts[s], s);
    for (size_t s = 0; s < slots; s++)
        target->counts[s] += source->counts[s];
    return UH_SUCCESS;
}

/* ---- reading ---- */

uh_status uh_histogram_counts(uh_histogram *histogram, uint64_t *counts) {
    if (!histogram)
        return null_argument(__func__, "histogram");
    if (!counts)
        return null_argument(__func__, "counts");
    uh_status status = settle(__func__, histogram);
    if (!status)
        memcpy(counts, histogram->counts + 1, uh_axis_bins(histogram->axis) * sizeof *counts);
    return status;
}

static void read_flow(const uh_histogram *histogram, uh_flow *flow) {
    const size_t bins = uh_axis_bins(histogram->axis);
    flow->below = histogram->counts[0];
    flow->above = histogram->counts[bins + 1];
    flow->nan = histogram->counts[bins + 2];
}

uh_status uh_histogram_flow(uh_histogram *histogram, uh_flow *flow) {
    if (!histogram)
        return null_argument(__func__, "histogram");
    if (!flow)
        return null_argument(__func__, "flow");
    uh_status status = settle(__func__, histogram);
    if (!status)
        read_flow(histogram, flow);
    return status;
}

uh_status uhi_histogram_once(const char *call, uh_queue *queue, const uh_axis *axis, uh_dtype dtype, const void *x,
                             size_t n, uint64_t *counts, uh_flow *flow) {
    uh_histogram *histogram = NULL;
    uh_status status = make(call, queue, axis, NULL, &histogram);
    if (!status)
        status = fill(call, histogram, dtype, x, n, (ptrdiff_t)uh_dtype_size(dtype));
    if (!status)
        status = settle(call, histogram);
    if (!status)
        memcpy(counts, histogram->counts + 1, uh_axis_bins(axis) * sizeof *counts);
    if (!status && flow)
        read_flow(histogram, flow);
    uh_histogram_destroy(histogram);
    return status;
}

/* Adds n counts. */
static uh_status sum_counts(const char *call, const uint64_t *counts, size_t n, uint64_t *sum) {
    *sum = 0;
    for (size_t j = 0; j < n; j++)
        if (__builtin_add_overflow(*sum, counts[j], sum))
            return uhi_fail(UH_ERROR_OVERFLOW, "%s: the sum of the counts passes 2^64 - 1", call);
    return UH_SUCCESS;
}

uh_status uh_histogram_total(uh_histogram *histogram, uint64_t *total) {
    if (!histogram)
        return null_argument(__func__, "histogram");
    if (!total)
        return null_argument(__func__, "total");
    uint64_t sum;
    uh_status status = settle(__func__, histogram);
    if (!status)
        status = sum_counts(__func__, histogram->counts, slots_of(histogram), &sum);
    if (!status)
        *total = sum;
    return status;
}

uh_status uh_histogram_density(uh_histogram *histogram, double *density) {
    if (!histogram)
        return null_argument(__func__, "histogram");
    if (!density)
        return null_argument(__func__, "density");
    const double *edges = uh_axis_edges(histogram->axis);
    size_t bins = uh_axis_bins(histogram->axis);
    uint64_t sum;
    uh_status status = settle(__func__, histogram);
    if (!status)
        status = sum_counts(__func__, histogram->counts + 1, bins, &sum);
    if (status)
        return status;
    /* The order of NumPy's operations: count / width / sum. */
    for (size_t j = 0; j < bins; j++)
        density[j] = (double)histogram->counts[j + 1] / (edges[j + 1] - edges[j]) / (double)sum;
    return UH_SUCCESS;
}

uh_status uh_histogram_cumulative(uh_histogram *histogram, uint64_t *cumulative) {
    if (!histogram)
        return null_argument(__func__, "histogram");
    if (!cumulative)
        return null_argument(__func__, "cumulative");
    uint64_t sum;
    size_t bins = uh_axis_bins(histogram->axis);
    uh_status status = settle(__func__, histogram);
    if (!status)
        status = sum_counts(__func__, histogram->counts + 1, bins, &sum);
    if (status)
        return status;
    sum = 0;
    for (size_t j = 0; j < bins; j++)
        cumulative[j] = sum += histogram->counts[j + 1];
    return UH_SUCCESS;
}

const uh_axis *uh_histogram_axis(const uh_histogram *histogram) {
    return histogram ? histogram->axis : NULL;
}

uh_status uh_histogram_plan_text(uh_histogram *histogram, uh_dtype dtype, char *text, size_t size, size_t *length) {
    const struct uhi_histogram_plan *plan;
    if (!histogram)
        return null_argument(__func__, "histogram");
    if (!text && size > 0)
        return null_argument(__func__, "text");
    uh_status status = uhi_check_values(__func__, dtype, NULL, 0);
    if (!status)
        status = get_plan(__func__, histogram, dtype, &plan);
    if (status)
        return status;
    int where = 0,
        written = uhi_plan_text(plan, uh_method_name(plan->method), uhi_body_of(histogram->queue), text, size);
    if (written < 0)
        return uhi_fail(UH_ERROR_INTERNAL, "%s: the text could not be formatted", __func__);
    size_t used = (size_t)written < size ? (size_t)written : size;
    status = uhi_histogram_where(&histogram->run, __func__, plan, text ? text + used : NULL, size - used, &where);
    if (status)
        return status;
    if (length)
        *length = (size_t)written + (size_t)where;
    return UH_SUCCESS;
}
