/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over several axes: lifecycle and filling. Reading is in histogramdd_read.c, what is made of one in
 * histogramdd_parts.c. */
#include "api/histogramdd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/histogram.h"
#include "kernels/common/engine.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum { LEAF_BINS = 4 };

static uh_status null_argument(const char *call, const char *argument) {
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", call, argument);
}

static struct uhi_histogramdd_sums sums_of(uh_histogramdd *histogram) {
    return (struct uhi_histogramdd_sums){histogram->store, &histogram->counters};
}

/* ---- creation ---- */

static uh_status check_options(const char *call, const uh_histogramdd_options *options, size_t naxes) {
    const uh_storage storage = options->storage;
    if (options->struct_size != sizeof *options)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: options->struct_size is %zu, expected %zu", call,
                        options->struct_size, sizeof *options);
    if (!uh_storage_name(storage))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: options->storage is %d, expected a uh_storage, 0 to %d", call,
                        (int)storage, UH_STORAGE_U16);
    if ((unsigned)options->sum > UH_SUM_FAST)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: options->sum is %d, expected a uh_sum, 0 or 1", call,
                        (int)options->sum);
    if (options->sum == UH_SUM_FAST && (storage == UH_STORAGE_COUNT || storage >= UH_STORAGE_U8))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT,
                        "%s: options->sum is UH_SUM_FAST and storage is %s, expected sum, weighted or mean", call,
                        uh_storage_name(storage));
    for (size_t a = 0; options->methods && a < naxes; a++)
        if (!uh_method_name(options->methods[a]))
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: options->methods[%zu] is %d, expected a uh_method", call, a,
                            (int)options->methods[a]);
    return UH_SUCCESS;
}

/* The product of the axes' bins. */
static uh_status count_cells(const char *call, const uh_axis *const *axes, size_t naxes, size_t *cells) {
    size_t product = 1;
    if (naxes < 1 || naxes > UH_MAX_AXES)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: naxes is %zu, expected 1 to %d", call, naxes, UH_MAX_AXES);
    for (size_t a = 0; a < naxes; a++) {
        if (!axes[a])
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: axes[%zu] is NULL, expected an axis", call, a);
        if (__builtin_mul_overflow(product, uh_axis_bins(axes[a]), &product))
            product = SIZE_MAX;
    }
    if (product > UH_MAX_CELLS)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT,
                        "%s: the axes have %s%zu cells together, expected at most %zu (UH_MAX_CELLS)", call,
                        product == SIZE_MAX ? "more than " : "", product, UH_MAX_CELLS);
    *cells = product;
    return UH_SUCCESS;
}

/* Whether each axis has what its method goes by; the methods are known to be some. */
static uh_status check_methods(const char *call, const uh_axis *const *axes, size_t naxes, const uh_method *methods) {
    uh_status status = UH_SUCCESS;
    char named[128];
    for (size_t a = 0; a < naxes && !status; a++) {
        snprintf(named, sizeof named, "%s: axes[%zu]", call, a);
        status = uhi_axis_takes(named, axes[a], methods[a]);
    }
    return status;
}

static void set_options(uh_histogramdd *made, size_t axis, const uh_histogramdd_options *options) {
    struct uhi_plan_options *to = &made->options[axis];
    to->method = options && options->methods ? options->methods[axis] : UH_METHOD_AUTO;
    to->body = uhi_body_of(made->queue);
    to->leaf_bins = LEAF_BINS;
    to->table_bytes = options && options->table_bytes ? options->table_bytes
                                                      : uhi_default_table_bytes(uh_axis_bins(made->axes[axis]));
}

uh_status uhi_histogramdd_make(const char *call, uh_queue *queue, const uh_axis *const *axes, size_t naxes,
                               const uh_histogramdd_options *options, uh_histogramdd **histogram) {
    size_t cells = 0;
    if (!queue)
        return null_argument(call, "queue");
    if (!axes)
        return null_argument(call, "axes");
    if (!histogram)
        return null_argument(call, "histogram");
    uh_status status = count_cells(call, axes, naxes, &cells);
    if (!status && options)
        status = check_options(call, options, naxes);
    if (!status && options && options->methods)
        status = check_methods(call, axes, naxes, options->methods);
    if (status)
        return status;
    uh_histogramdd *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for a histogram", call);
    status = uhi_store_create(call, cells, options ? options->storage : UH_STORAGE_COUNT,
                              options ? options->sum : UH_SUM_EXACT, &made->store);
    if (status) {
        free(made);
        return status;
    }
    made->queue = queue;
    uhi_queue_retain(queue);
    uhi_histogramdd_open(&made->run, queue);
    made->naxes = naxes;
    made->cells = cells;
    for (size_t a = 0; a < naxes; a++) {
        made->axes[a] = uhi_axis_retain((uh_axis *)(uintptr_t)axes[a]);
        set_options(made, a, options);
    }
    *histogram = made;
    return UH_SUCCESS;
}

uh_status uh_histogramdd_create(uh_queue *queue, const uh_axis *const *axes, size_t naxes,
                                const uh_histogramdd_options *options, uh_histogramdd **histogram) {
    return uhi_histogramdd_make(__func__, queue, axes, naxes, options, histogram);
}

uh_status uh_histogramdd_destroy(uh_histogramdd *histogram) {
    if (!histogram)
        return UH_SUCCESS;
    for (size_t a = 0; a < histogram->naxes; a++) {
        for (size_t i = 0; i < UH_DTYPE_COUNT; i++)
            uhi_plan_destroy(histogram->plans[a][i]);
        uhi_axis_release(histogram->axes[a]);
    }
    uhi_store_destroy(histogram->store);
    uhi_histogramdd_close(&histogram->run);
    uhi_queue_release(histogram->queue);
    free(histogram);
    return UH_SUCCESS;
}

/* ---- plans ---- */

static uh_status plan_for(const char *call, uh_histogramdd *histogram, size_t axis, uh_dtype dtype,
                          const struct uhi_histogram_plan **plan) {
    if (!uh_dtype_size(dtype))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: the dtype of axis %zu is %d, expected a uh_dtype, 0 to %d",
                        call, axis, (int)dtype, UH_DTYPE_COUNT - 1);
    struct uhi_histogram_plan **kept = &histogram->plans[axis][dtype];
    uh_status status = UH_SUCCESS;
    if (!*kept)
        status = uhi_plan_create(call, &histogram->axes[axis]->edges, dtype, &histogram->options[axis], kept);
    *plan = *kept;
    return status;
}

uh_status uh_histogramdd_prepare(uh_histogramdd *histogram, const uh_dtype *dtypes) {
    if (!histogram)
        return null_argument(__func__, "histogram");
    if (!dtypes)
        return null_argument(__func__, "dtypes");
    struct uhi_histogramdd_points points = {.naxes = histogram->naxes};
    uh_status status = UH_SUCCESS;
    for (size_t a = 0; a < histogram->naxes && !status; a++)
        status = plan_for(__func__, histogram, a, dtypes[a], &points.plan[a]);
    return status ? status : uhi_histogramdd_ready(&histogram->run, __func__, &points);
}

uh_status uh_histogramdd_plan_text(uh_histogramdd *histogram, size_t axis, uh_dtype dtype, char *text, size_t size,
                                   size_t *length) {
    const struct uhi_histogram_plan *plan = NULL;
    if (!histogram)
        return null_argument(__func__, "histogram");
    if (!text && size > 0)
        return null_argument(__func__, "text");
    uh_status status = uhi_histogramdd_check_axis(__func__, histogram, axis);
    if (!status)
        status = plan_for(__func__, histogram, axis, dtype, &plan);
    if (status)
        return status;
    int written = uhi_plan_text(plan, uh_method_name(plan->method), uhi_body_of(histogram->queue), text, size);
    if (written < 0)
        return uhi_fail(UH_ERROR_INTERNAL, "%s: the text could not be formatted", __func__);
    if (length)
        *length = (size_t)written;
    return UH_SUCCESS;
}

/* ---- filling ---- */

static int is_weight(uh_dtype dtype) {
    return dtype == UH_F32 || dtype == UH_F64 || dtype == UH_I32 || dtype == UH_I64;
}

static uh_status check_values(const char *call, const uh_histogramdd *histogram, size_t n, const uh_array *values) {
    const uh_storage storage = uhi_store_storage(histogram->store);
    const int sums = storage == UH_STORAGE_SUM || storage == UH_STORAGE_WEIGHTED || storage == UH_STORAGE_MEAN;
    if (!values)
        return storage == UH_STORAGE_MEAN ? uhi_fail(UH_ERROR_INVALID_ARGUMENT,
                                                     "%s: values is NULL, expected the sampled values: storage is %s",
                                                     call, uh_storage_name(storage))
                                          : UH_SUCCESS;
    if (!sums)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: values are given, expected NULL: storage is %s", call,
                        uh_storage_name(storage));
    if (!is_weight(values->dtype))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT,
                        "%s: values->dtype is %d%s%s, expected float32, float64, int32 or int64", call,
                        (int)values->dtype, uh_dtype_name(values->dtype) ? ", " : "",
                        uh_dtype_name(values->dtype) ? uh_dtype_name(values->dtype) : "");
    if (!values->data && n > 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: values->data is NULL, expected %zu values", call, n);
    return UH_SUCCESS;
}

uh_status uhi_histogramdd_fill(const char *call, uh_histogramdd *histogram, const uh_array *coordinates, size_t n,
                               const uh_array *values) {
    struct uhi_histogramdd_points points = {.naxes = histogram->naxes, .n = n, .values = values};
    uh_status status = check_values(call, histogram, n, values);
    for (size_t a = 0; a < histogram->naxes && !status; a++) {
        const uh_array *from = &coordinates[a];
        if (!uh_dtype_size(from->dtype))
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT,
                            "%s: the dtype of coordinates[%zu] is %d, expected a uh_dtype, 0 to %d", call, a,
                            (int)from->dtype, UH_DTYPE_COUNT - 1);
        if (!from->data && n > 0)
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: coordinates[%zu].data is NULL, expected %zu values", call,
                            a, n);
        points.x[a] = (struct uhi_values){from->data, n, from->stride};
    }
    for (size_t a = 0; a < histogram->naxes && !status && n > 0; a++)
        status = plan_for(call, histogram, a, coordinates[a].dtype, &points.plan[a]);
    if (status || n == 0)
        return status;
    return uhi_histogramdd_add(&histogram->run, call, &points, sums_of(histogram));
}

uh_status uh_histogramdd_fill(uh_histogramdd *histogram, const uh_array *coordinates, size_t n,
                              const uh_array *values) {
    if (!histogram)
        return null_argument(__func__, "histogram");
    if (!coordinates)
        return null_argument(__func__, "coordinates");
    return uhi_histogramdd_fill(__func__, histogram, coordinates, n, values);
}

uh_status uh_histogramdd_fill_rows(uh_histogramdd *histogram, uh_dtype dtype, const void *rows, size_t n,
                                   ptrdiff_t row_stride, const uh_array *values) {
    uh_array coordinates[UH_MAX_AXES];
    if (!histogram)
        return null_argument(__func__, "histogram");
    uh_status status = uhi_check_values(__func__, dtype, histogram, 0);
    if (status)
        return status;
    if (!rows && n > 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: rows is NULL, expected %zu points", __func__, n);
    for (size_t a = 0; a < histogram->naxes; a++)
        coordinates[a] = (uh_array){rows ? (const char *)rows + a * uh_dtype_size(dtype) : NULL, row_stride, dtype};
    return uhi_histogramdd_fill(__func__, histogram, coordinates, n, values);
}

uh_status uh_histogramdd_reset(uh_histogramdd *histogram) {
    if (!histogram)
        return null_argument(__func__, "histogram");
    uhi_histogramdd_forget(&histogram->run, histogram->store);
    uhi_store_clear(histogram->store);
    histogram->counters = (struct uhi_histogramdd_counters){0};
    return UH_SUCCESS;
}

/* ---- merging ---- */

static uh_status check_alike(const char *call, const uh_histogramdd *target, const uh_histogramdd *source) {
    if (target->naxes != source->naxes)
        return uhi_fail(UH_ERROR_INCOMPATIBLE, "%s: target has %zu axes, source %zu", call, target->naxes,
                        source->naxes);
    for (size_t a = 0; a < target->naxes; a++)
        if (!uh_axis_equal(target->axes[a], source->axes[a]))
            return uhi_fail(
                UH_ERROR_INCOMPATIBLE, "%s: axis %zu differs: target has %zu bins, source %zu%s", call, a,
                uh_axis_bins(target->axes[a]), uh_axis_bins(source->axes[a]),
                uh_axis_bins(target->axes[a]) == uh_axis_bins(source->axes[a]) ? ", other edges or closed ends" : "");
    if (uhi_store_storage(target->store) != uhi_store_storage(source->store))
        return uhi_fail(UH_ERROR_INCOMPATIBLE, "%s: target's storage is %s, source's %s", call,
                        uh_storage_name(uhi_store_storage(target->store)),
                        uh_storage_name(uhi_store_storage(source->store)));
    if (uhi_store_sum(target->store) != uhi_store_sum(source->store))
        return uhi_fail(UH_ERROR_INCOMPATIBLE, "%s: one of target and source adds with UH_SUM_FAST, the other exactly",
                        call);
    return UH_SUCCESS;
}

uh_status uh_histogramdd_merge(uh_histogramdd *target, uh_histogramdd *source) {
    if (!target)
        return null_argument(__func__, "target");
    if (!source)
        return null_argument(__func__, "source");
    uh_status status = check_alike(__func__, target, source);
    if (!status)
        status = uhi_histogramdd_bring(__func__, target);
    if (!status)
        status = uhi_histogramdd_bring(__func__, source);
    if (status)
        return status;
    struct uhi_histogramdd_counters *to = &target->counters;
    const struct uhi_histogramdd_counters from = source->counters;
    if (from.points > UINT64_MAX - to->points) /* no other counter is larger than the number of points */
        return uhi_fail(UH_ERROR_OVERFLOW, "%s: %" PRIu64 " + %" PRIu64 " points pass 2^64 - 1", __func__, to->points,
                        from.points);
    status = uhi_store_merge(__func__, target->store, source->store);
    if (status)
        return status;
    for (size_t a = 0; a < target->naxes; a++)
        for (size_t i = 0; i < 3; i++)
            to->flow[a][i] += from.flow[a][i];
    to->points += from.points;
    to->outside += from.outside;
    return UH_SUCCESS;
}
