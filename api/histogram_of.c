/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms, indices and ranges of an array in one call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/kernel.h>

#include "api/histogram.h"
#include "runtime/status.h"

static uh_status check_call(const char *call, const uh_queue *queue, uh_dtype dtype, const void *x, size_t n) {
    if (!queue)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: queue is NULL", call);
    return uhi_check_values(call, dtype, x, n);
}

/* ---- smallest and largest ---- */

/* A thread's part of the answer. */
struct range_part {
    double min, max;
    uint64_t nan;
};

/* Holds every int64_t and uint64_t. */
__extension__ typedef __int128 wide;

/* The float64 nearest to a 64-bit integer that is not above it, or not below it. */
static double rounded_down(wide value) {
    double d = (double)value;
    return (wide)d > value ? nextafter(d, -INFINITY) : d;
}
static double rounded_up(wide value) {
    double d = (double)value;
    return (wide)d < value ? nextafter(d, INFINITY) : d;
}

#define RANGE_OF(type, down, up)                                                                                       \
    do {                                                                                                               \
        type low = 0, high = 0;                                                                                        \
        uint64_t seen = 0;                                                                                             \
        for (size_t i = 0; i < n; i++) {                                                                               \
            type value;                                                                                                \
            memcpy(&value, x + i * sizeof value, sizeof value);                                                        \
            if (value != value)                                                                                        \
                continue;                                                                                              \
            low = !seen || value < low ? value : low;                                                                  \
            high = !seen || value > high ? value : high;                                                               \
            seen++;                                                                                                    \
        }                                                                                                              \
        part.nan = n - seen;                                                                                           \
        part.min = seen ? down(low) : INFINITY;                                                                        \
        part.max = seen ? up(high) : -INFINITY;                                                                        \
    } while (0);                                                                                                       \
    break

static struct range_part range_of(uh_dtype dtype, const char *x, size_t n) {
    struct range_part part = {INFINITY, -INFINITY, 0};
    switch (dtype) {
    case UH_F32: RANGE_OF(float, (double), (double));
    case UH_F64: RANGE_OF(double, (double), (double));
    case UH_I8: RANGE_OF(int8_t, (double), (double));
    case UH_I16: RANGE_OF(int16_t, (double), (double));
    case UH_I32: RANGE_OF(int32_t, (double), (double));
    case UH_I64: RANGE_OF(int64_t, rounded_down, rounded_up);
    case UH_U8: RANGE_OF(uint8_t, (double), (double));
    case UH_U16: RANGE_OF(uint16_t, (double), (double));
    case UH_U32: RANGE_OF(uint32_t, (double), (double));
    case UH_U64: RANGE_OF(uint64_t, rounded_down, rounded_up);
    }
    return part;
}

/* What every group of the search for the range reads. */
struct range_work {
    uh_dtype dtype;
    const char *x;
    size_t n, each;
    struct range_part *parts;
};

static void range_group(const uh_work_group *group, void *const *args) {
    const struct range_work *work = args[0];
    size_t from = group->group_id[0] * work->each;
    size_t n = work->n - from < work->each ? work->n - from : work->each;
    work->parts[group->group_id[0]] = range_of(work->dtype, work->x + from * uh_dtype_size(work->dtype), n);
}

/* The parts of `groups` slabs, by the queue's threads. */
static uh_status range_parts(uh_queue *queue, const struct range_work *work, size_t groups) {
    uh_kernel *kernel = NULL;
    uh_status status = uh_kernel_create_host("min_max", range_group, &kernel);
    if (status)
        return status;
    const uh_nd_range range = {.dims = 1, .global = {groups}, .local = {1}};
    const uh_arg arg = uh_arg_pointer(work);
    status = uh_parallel_for(queue, kernel, &range, &arg, 1, NULL, 0, NULL);
    uh_kernel_destroy(kernel);
    return status;
}

uh_status uh_min_max(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, double *min, double *max,
                     uint64_t *nan) {
    enum { A_GROUP = 1 << 16 };
    uh_status status = check_call(__func__, queue, dtype, x, n);
    if (status)
        return status;
    if (!min || !max || !nan)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is NULL, expected where to store it", __func__,
                        !min   ? "min"
                        : !max ? "max"
                               : "nan");
    size_t groups = n / A_GROUP < uh_queue_threads(queue) ? n / A_GROUP : uh_queue_threads(queue);
    struct range_part whole = {INFINITY, -INFINITY, 0};
    if (groups < 2) {
        whole = range_of(dtype, x, n);
    } else {
        struct range_part *parts = malloc(groups * sizeof *parts);
        if (!parts)
            return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu threads", __func__, groups);
        size_t each = n / groups + (n % groups != 0);
        groups = n / each + (n % each != 0);
        const struct range_work work = {dtype, x, n, each, parts};
        status = range_parts(queue, &work, groups);
        for (size_t g = 0; g < groups && !status; g++) {
            whole.min = parts[g].min < whole.min ? parts[g].min : whole.min;
            whole.max = parts[g].max > whole.max ? parts[g].max : whole.max;
            whole.nan += parts[g].nan;
        }
        free(parts);
        if (status)
            return status;
    }
    *min = whole.min;
    *max = whole.max;
    *nan = whole.nan;
    return UH_SUCCESS;
}

/* ---- histograms ---- */

/* Counts with the histogram's axis and stores what is asked for; nothing is stored on failure. */
static uh_status count_once(uh_queue *queue, const uh_axis *axis, uh_dtype dtype, const void *x, size_t n,
                            uint64_t *counts, uh_flow *flow) {
    uh_histogram *histogram = NULL;
    uh_status status = uh_histogram_create(queue, axis, NULL, &histogram);
    if (!status)
        status = uh_histogram_fill(histogram, dtype, x, n);
    if (!status)
        status = uh_histogram_counts(histogram, counts);
    if (!status && flow)
        status = uh_histogram_flow(histogram, flow);
    uh_histogram_destroy(histogram);
    return status;
}

/* numpy.histogram's range of the data. */
static uh_status own_range(const char *call, uh_queue *queue, uh_dtype dtype, const void *x, size_t n, double *lo,
                           double *hi) {
    uint64_t nan;
    if (n == 0) {
        *lo = 0;
        *hi = 1;
        return UH_SUCCESS;
    }
    uh_status status = uh_min_max(queue, dtype, x, n, lo, hi, &nan);
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
    uh_status status = check_call(__func__, queue, dtype, x, n);
    if (status)
        return status;
    if (!counts)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: counts is NULL, expected where to store them", __func__);
    if (range) {
        lo = range[0];
        hi = range[1];
    } else {
        status = own_range(__func__, queue, dtype, x, n, &lo, &hi);
        if (status)
            return status;
    }
    status = uhi_axis_make_equal(__func__, bins, lo, hi, UH_CLOSED_LEFT, &axis);
    if (!status)
        status = count_once(queue, axis, dtype, x, n, counts, flow);
    if (!status && edges)
        memcpy(edges, uh_axis_edges(axis), (bins + 1) * sizeof *edges);
    uh_axis_destroy(axis);
    return status;
}

uh_status uh_histogram_of_edges(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uh_dtype edge_dtype,
                                const void *edges, size_t nedges, uint64_t *counts, uh_flow *flow) {
    uh_axis *axis = NULL;
    uh_status status = check_call(__func__, queue, dtype, x, n);
    if (status)
        return status;
    if (!counts)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: counts is NULL, expected where to store them", __func__);
    status = uhi_axis_make(__func__, "edges", edge_dtype, edges, nedges, 2, UH_CLOSED_LEFT, &axis);
    if (!status)
        status = count_once(queue, axis, dtype, x, n, counts, flow);
    uhi_axis_release(axis);
    return status;
}

uh_status uh_digitize(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, uh_dtype edge_dtype, const void *edges,
                      size_t nedges, int right, int64_t *index) {
    uh_axis *axis = NULL;
    struct uhi_histogram_plan *plan = NULL;
    uh_status status = check_call(__func__, queue, dtype, x, n);
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
                                             .leaf_bins = 1,
                                             .table_bytes = uhi_default_table_bytes(nedges)};
    status = uhi_plan_create(&axis->edges, dtype, &options, &plan);
    if (!status && n > 0) {
        const struct uhi_values values = {.first = x, .n = n, .stride = (ptrdiff_t)uh_dtype_size(dtype)};
        status = uhi_histogram_index(queue, &plan->tables, values, index);
    }
    uhi_plan_destroy(plan);
    uhi_axis_release(axis);
    return status;
}
