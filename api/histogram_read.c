/* SPDX-License-Identifier: Apache-2.0 */
/* Reading histograms. */
#include <stdio.h>

#include "api/histogram.h"
#include "runtime/status.h"

/* Cells per block when reading counts. */
enum { BLOCK = 1024 };

/* Storages that keep numbers of points, and storages that keep sums of weights. */
#define STORES(storage) (1u << (storage))
#define STORES_COUNTS                                                                                                  \
    (STORES(UH_STORAGE_COUNT) | STORES(UH_STORAGE_MEAN) | STORES(UH_STORAGE_U8) | STORES(UH_STORAGE_U16))
#define STORES_SUMS (STORES(UH_STORAGE_SUM) | STORES(UH_STORAGE_WEIGHTED))

/* Returns UH_ERROR_INVALID_ARGUMENT unless the histogram's storage is in `mask`. */
static uh_status check_storage(const char *call, const uh_histogram *histogram, unsigned mask) {
    char expected[64];
    size_t length = 0;
    if (mask & STORES(histogram->storage))
        return UH_SUCCESS;
    for (unsigned s = 0; uh_enum_name(UH_ENUM_STORAGE, (unsigned)s); s++)
        if (mask & STORES(s)) {
            const int written = snprintf(expected + length, sizeof expected - length, "%s%s", length ? ", " : "",
                                         uh_enum_name(UH_ENUM_STORAGE, (unsigned)s));
            length += (size_t)written;
        }
    return uhi_fail_argument(call, NULL, "the histogram's storage is %s, expected one of %s",
                             uh_enum_name(UH_ENUM_STORAGE, histogram->storage), expected);
}

/* Checks the arguments common to all reads and fetches the contents. */
static uh_status begin(const char *call, uh_histogram *histogram, const char *argument, const void *to,
                       unsigned storages) {
    UHI_NEED(call, histogram, "a histogram");
    if (!to)
        return uhi_fail_null(call, argument, "where to store the result");
    uh_status status = check_storage(call, histogram, storages);
    return status ? status : histogram->contents->fetch(call, histogram);
}

uh_status uh_histogram_get_properties(const uh_histogram *histogram, uh_histogram_properties *properties) {
    UHI_NEED(__func__, histogram, "a histogram");
    const uh_histogram_properties known = {.struct_size = sizeof known,
                                           .naxes = histogram->naxes,
                                           .storage = histogram->storage,
                                           .sum = histogram->sum,
                                           .cells = histogram->cells};
    return uhi_sized_fill(__func__, properties, &known, sizeof known);
}

const uh_axis *uh_histogram_axis(const uh_histogram *histogram, size_t axis) {
    return histogram && axis < histogram->naxes ? uhi_histogram_get_axis(__func__, histogram, axis) : NULL;
}

/* ---- cells ---- */

uh_status uh_histogram_counts(uh_histogram *histogram, uint64_t *counts) {
    UHI_TRY(begin(__func__, histogram, "counts", counts, STORES_COUNTS));
    uhi_histogram_read_counts(histogram, 0, histogram->cells, counts);
    return UH_SUCCESS;
}

static uh_status read_integers(const char *call, const uh_histogram *histogram, uh_dtype dtype, void *sum,
                               const void *sum_squares) {
    if (sum_squares)
        return uhi_fail_argument(call, "sum_squares", "is given, expected NULL for %s",
                                 uh_enum_name(UH_ENUM_DTYPE, dtype));
    if (histogram->sum == UH_SUM_FAST)
        return uhi_fail_argument(call, NULL, "the histogram adds with UH_SUM_FAST, expected UH_SUM_EXACT");
    return uhi_store_sums_integer(call, histogram->store, histogram->cells, dtype, sum);
}

uh_status uh_histogram_sums(uh_histogram *histogram, uh_dtype dtype, void *sum, void *sum_squares) {
    UHI_TRY(begin(__func__, histogram, "sum", sum, sum_squares ? STORES(UH_STORAGE_WEIGHTED) : STORES_SUMS));
    UHI_TRY(uhi_check_enum(__func__, "dtype", UH_NO_INDEX, UH_ENUM_DTYPE, dtype));
    switch (dtype) {
    case UH_F64: uhi_store_sums(histogram->store, 0, histogram->cells, sum, sum_squares); return UH_SUCCESS;
    case UH_F32: uhi_store_sums_f32(histogram->store, 0, histogram->cells, sum, sum_squares); return UH_SUCCESS;
    case UH_I64:
    case UH_U64: return read_integers(__func__, histogram, dtype, sum, sum_squares);
    default:
        return uhi_fail_argument(__func__, "dtype", "is %s, expected float64, float32, int64 or uint64",
                                 uh_enum_name(UH_ENUM_DTYPE, dtype));
    }
}

uh_status uh_histogram_means(uh_histogram *histogram, uint64_t *count, double *mean, double *m2) {
    UHI_TRY(begin(__func__, histogram, "histogram", histogram, STORES(UH_STORAGE_MEAN)));
    uhi_store_means(histogram->store, 0, histogram->cells, count, mean, m2);
    return UH_SUCCESS;
}

/* ---- counters ---- */

uh_status uh_histogram_flow(uh_histogram *histogram, size_t axis, uh_flow *flow) {
    UHI_TRY(begin(__func__, histogram, "flow", flow, UINT32_MAX));
    UHI_TRY(uhi_histogram_check_axis(__func__, histogram, axis));
    const struct uhi_histogram_numbers numbers = uhi_histogram_numbers(histogram);
    const uint64_t *from = numbers.flow[axis];
    *flow = (uh_flow){.below = from[UHI_FLOW_BELOW], .above = from[UHI_FLOW_ABOVE], .nan = from[UHI_FLOW_NAN]};
    return UH_SUCCESS;
}

uh_status uh_histogram_total(uh_histogram *histogram, uint64_t *inside, uint64_t *outside) {
    UHI_TRY(begin(__func__, histogram, "histogram", histogram, UINT32_MAX));
    const struct uhi_histogram_numbers numbers = uhi_histogram_numbers(histogram);
    if (inside)
        *inside = numbers.points - numbers.outside;
    if (outside)
        *outside = numbers.outside;
    return UH_SUCCESS;
}

uh_status uh_histogram_outside(uh_histogram *histogram, double *sum, double *sum_squares) {
    UHI_TRY(begin(__func__, histogram, "sum", sum, sum_squares ? STORES(UH_STORAGE_WEIGHTED) : STORES_SUMS));
    uhi_store_sums(histogram->store, histogram->cells, 1, sum, sum_squares);
    return UH_SUCCESS;
}

/* ---- density ---- */

void uhi_histogram_read_values(const uh_histogram *histogram, size_t from, size_t n, double *value) {
    uint64_t counts[BLOCK];
    if (STORES_SUMS & STORES(histogram->storage)) {
        uhi_store_sums(histogram->store, from, n, value, NULL);
        return;
    }
    for (size_t i = 0, part; i < n; i += part) {
        part = n - i < BLOCK ? n - i : BLOCK;
        uhi_histogram_read_counts(histogram, from + i, part, counts);
        for (size_t j = 0; j < part; j++)
            value[i + j] = (double)counts[j];
    }
}

/* Computes the total of all cells, whose values are `value`. */
static uh_status total_of(const char *call, const uh_histogram *histogram, const double *value, double *total) {
    const struct uhi_histogram_numbers numbers = uhi_histogram_numbers(histogram);
    if (STORES_SUMS & STORES(histogram->storage))
        return uhi_store_total(call, histogram->store, histogram->cells, total);
    *total = (double)(numbers.points - numbers.outside);
    if (histogram->storage != UH_STORAGE_COUNT &&
        histogram->storage != UH_STORAGE_MEAN) { /* their counts may lack points */
        *total = 0;
        for (size_t i = 0; i < histogram->cells; i++)
            *total += value[i];
    }
    return UH_SUCCESS;
}

static void divide_by_widths(const uh_histogram *histogram, size_t axis, const double *edges, double *value) {
    const size_t bins = uhi_histogram_bins(histogram, axis), stride = uhi_histogram_stride(histogram, axis);
    for (size_t i = 0, j = 0; i < histogram->cells; i += stride, j = j + 1 < bins ? j + 1 : 0)
        for (size_t cell = i; cell < i + stride; cell++)
            value[cell] /= edges[j + 1] - edges[j];
}

uh_status uh_histogram_density(uh_histogram *histogram, double *density) {
    double total = 0;
    uh_status status = begin(__func__, histogram, "density", density, UINT32_MAX);
    if (!status) {
        uhi_histogram_read_values(histogram, 0, histogram->cells, density);
        status = total_of(__func__, histogram, density, &total);
    }
    /* NumPy's order of operations: divide by the widths axis by axis, then by the total. */
    for (size_t a = 0; !status && a < histogram->naxes; a++) {
        const uh_axis *axis = uhi_histogram_get_axis(__func__, histogram, a);
        if (!axis)
            status = UH_ERROR_OUT_OF_MEMORY;
        else if (!axis->edges.order)
            divide_by_widths(histogram, a, axis->as_f64, density);
    }
    for (size_t i = 0; !status && i < histogram->cells; i++)
        density[i] /= total;
    return status;
}

uh_status uh_histogram_plan_text(uh_histogram *histogram, size_t axis, uh_dtype dtype, char *text, size_t size,
                                 size_t *length) {
    const struct uhi_histogram_plan *plan = NULL;
    int where = 0;
    UHI_NEED(__func__, histogram, "a histogram");
    if (!text && size > 0)
        return uhi_fail_null(__func__, "text", "where to store it");
    UHI_TRY(uhi_histogram_check_axis(__func__, histogram, axis));
    UHI_TRY(uhi_check_enum(__func__, "dtype", UH_NO_INDEX, UH_ENUM_DTYPE, dtype));
    const uh_queue *queue = histogram->shares ? histogram->queue : NULL;
    histogram = uhi_histogram_lead(histogram);
    UHI_TRY(uhi_histogram_get_plan(__func__, histogram, axis, dtype, &plan));
    const int written = uhi_plan_text(plan, uhi_body_of(histogram->queue), text, size);
    if (written < 0)
        return uhi_fail(UH_ERROR_INTERNAL, __func__, NULL, "the text could not be formatted");
    size_t all = (size_t)written, used = all < size ? all : size;
    if (!histogram->growing && uhi_body_of(histogram->queue) == UHI_BODY_DEVICE)
        UHI_TRY(uhi_histogram_where_filled(__func__, histogram, dtype, text ? text + used : NULL, size - used, &where));
    all += (size_t)where;
    used = all < size ? all : size;
    if (queue)
        all += uhi_share_text(queue, text ? text + used : NULL, size - used);
    if (length)
        *length = all;
    return UH_SUCCESS;
}
