/* SPDX-License-Identifier: Apache-2.0 */
/* Reading histograms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/histogram.h"
#include "runtime/sized.h"
#include "runtime/status.h"

/* Counts are read for so many cells at a time. */
enum { BLOCK = 1024 };

/* Storages that keep numbers of points, and sums of weights. */
#define STORES(storage) (1u << (storage))
#define STORES_COUNTS                                                                                                  \
    (STORES(UH_STORAGE_COUNT) | STORES(UH_STORAGE_MEAN) | STORES(UH_STORAGE_U8) | STORES(UH_STORAGE_U16))
#define STORES_SUMS (STORES(UH_STORAGE_SUM) | STORES(UH_STORAGE_WEIGHTED))

/* UH_ERROR_INVALID_ARGUMENT unless the histogram's storage is one of those in `mask`. */
static uh_status check_storage(const char *call, const uh_histogram *histogram, unsigned mask) {
    char expected[64];
    size_t length = 0;
    if (mask & STORES(histogram->storage))
        return UH_SUCCESS;
    for (unsigned s = 0; uh_storage_name((uh_storage)s); s++)
        if (mask & STORES(s)) {
            const int written = snprintf(expected + length, sizeof expected - length, "%s%s", length ? ", " : "",
                                         uh_storage_name((uh_storage)s));
            length += (size_t)written;
        }
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, NULL, "the histogram's storage is %s, expected one of %s",
                    uh_storage_name(histogram->storage), expected);
}

/* Checks what every read is given, and brings the contents to the host. */
static uh_status begin(const char *call, uh_histogram *histogram, const char *argument, const void *to,
                       unsigned storages) {
    if (!histogram)
        return uhi_fail_null(call, "histogram", "a histogram");
    if (!to)
        return uhi_fail_null(call, argument, "where to store the result");
    uh_status status = check_storage(call, histogram, storages);
    return status ? status : histogram->contents->bring(call, histogram);
}

/* ---- what it is ---- */

size_t uh_histogram_naxes(const uh_histogram *histogram) {
    return histogram ? histogram->naxes : 0;
}

size_t uh_histogram_cells(const uh_histogram *histogram) {
    return histogram ? histogram->cells : 0;
}

const uh_axis *uh_histogram_axis(const uh_histogram *histogram, size_t axis) {
    return histogram && axis < histogram->naxes ? uhi_histogram_lend_axis(__func__, histogram, axis) : NULL;
}

uh_storage uh_histogram_storage(const uh_histogram *histogram) {
    return histogram ? histogram->storage : UH_STORAGE_COUNT;
}

uh_sum uh_histogram_sum_mode(const uh_histogram *histogram) {
    return histogram ? histogram->sum : UH_SUM_EXACT;
}

/* ---- cells ---- */

uh_status uh_histogram_counts(uh_histogram *histogram, uint64_t *counts) {
    uh_status status = begin(__func__, histogram, "counts", counts, STORES_COUNTS);
    if (!status)
        uhi_histogram_read_counts(histogram, 0, histogram->cells, counts);
    return status;
}

uh_status uh_histogram_cumulative(uh_histogram *histogram, uint64_t *cumulative) {
    uh_status status = begin(__func__, histogram, "cumulative", cumulative, STORES_COUNTS);
    if (!status && histogram->naxes > 1)
        status = uhi_fail(UH_ERROR_INVALID_ARGUMENT, __func__, NULL, "the histogram has %zu axes, expected 1",
                          histogram->naxes);
    if (status)
        return status;
    uhi_histogram_read_counts(histogram, 0, histogram->cells, cumulative);
    for (size_t j = 1; j < histogram->cells; j++)
        cumulative[j] += cumulative[j - 1];
    return UH_SUCCESS;
}

uh_status uh_histogram_saturated(uh_histogram *histogram, void *counts) {
    uh_status status = begin(__func__, histogram, "counts", counts, STORES(UH_STORAGE_U8) | STORES(UH_STORAGE_U16));
    if (!status)
        uhi_store_saturated(histogram->store, 0, histogram->cells, counts);
    return status;
}

static uh_status read_i64(const char *call, const uh_histogram *histogram, int64_t *sum, const void *sum_squares) {
    if (sum_squares)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "sum_squares", "is given, expected NULL for int64");
    if (histogram->sum == UH_SUM_FAST)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, NULL,
                        "the histogram adds with UH_SUM_FAST, expected UH_SUM_EXACT");
    return uhi_store_sums_i64(call, histogram->store, 0, histogram->cells, sum);
}

uh_status uh_histogram_sums(uh_histogram *histogram, uh_dtype dtype, void *sum, void *sum_squares) {
    uh_status status = begin(__func__, histogram, "sum", sum, sum_squares ? STORES(UH_STORAGE_WEIGHTED) : STORES_SUMS);
    if (!status)
        status = uhi_check_dtype(__func__, "dtype", dtype);
    if (status)
        return status;
    switch (dtype) {
    case UH_F64: uhi_store_sums(histogram->store, 0, histogram->cells, sum, sum_squares); return UH_SUCCESS;
    case UH_F32: uhi_store_sums_f32(histogram->store, 0, histogram->cells, sum, sum_squares); return UH_SUCCESS;
    case UH_I64: return read_i64(__func__, histogram, sum, sum_squares);
    default:
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, __func__, "dtype", "is %s, expected float64, float32 or int64",
                        uh_dtype_name(dtype));
    }
}

uh_status uh_histogram_means(uh_histogram *histogram, uint64_t *count, double *mean, double *m2) {
    uh_status status = begin(__func__, histogram, "histogram", histogram, STORES(UH_STORAGE_MEAN));
    if (!status)
        uhi_store_means(histogram->store, 0, histogram->cells, count, mean, m2);
    return status;
}

/* ---- counters ---- */

uh_status uh_histogram_flow(uh_histogram *histogram, size_t axis, uh_flow *flow) {
    uh_status status = begin(__func__, histogram, "flow", flow, UINT32_MAX);
    if (!status)
        status = uhi_histogram_check_axis(__func__, histogram, axis);
    if (status)
        return status;
    const struct uhi_histogramdd_counters numbers = uhi_histogram_numbers(histogram);
    const uint64_t *from = numbers.flow[axis];
    *flow = (uh_flow){.below = from[UHI_FLOW_BELOW], .above = from[UHI_FLOW_ABOVE], .nan = from[UHI_FLOW_NAN]};
    return UH_SUCCESS;
}

uh_status uh_histogram_total(uh_histogram *histogram, uint64_t *inside, uint64_t *outside) {
    uh_status status = begin(__func__, histogram, "histogram", histogram, UINT32_MAX);
    if (status)
        return status;
    const struct uhi_histogramdd_counters numbers = uhi_histogram_numbers(histogram);
    if (inside)
        *inside = numbers.points - numbers.outside;
    if (outside)
        *outside = numbers.outside;
    return UH_SUCCESS;
}

uh_status uh_histogram_outside(uh_histogram *histogram, double *sum, double *sum_squares) {
    uh_status status = begin(__func__, histogram, "sum", sum, sum_squares ? STORES(UH_STORAGE_WEIGHTED) : STORES_SUMS);
    if (!status)
        uhi_store_sums(histogram->store, histogram->cells, 1, sum, sum_squares);
    return status;
}

/* ---- sums over cells ---- */

/* Moves to the next cell of a box, row-major; 0 when there is none. */
static int next_cell(size_t naxes, const size_t *from, const size_t *to, size_t *bin) {
    for (size_t a = naxes; a-- > 0;) {
        if (++bin[a] < to[a])
            return 1;
        bin[a] = from[a];
    }
    return 0;
}

static size_t cell_of(const uh_histogram *histogram, const size_t *bin) {
    size_t cell = 0;
    for (size_t a = 0; a < histogram->naxes; a++)
        cell = cell * uhi_histogram_bins(histogram, a) + bin[a];
    return cell;
}

/* Sums the cells of a box, which has `count` of them; what the storage does not keep is 0. No sum of counts overflows:
 * merging and loading keep the number of all points within 64 bits. */
static uh_status sum_box(const char *call, const uh_histogram *histogram, const size_t *from, const size_t *to,
                         size_t count, uh_bin *sum) {
    const int listed = (STORES(histogram->storage) & (STORES_SUMS | STORES(UH_STORAGE_MEAN)));
    size_t bin[UH_MAX_AXES];
    uint32_t *cells = listed ? malloc((count + !count) * sizeof *cells) : NULL;
    if (listed && !cells)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory for the numbers of %zu cells", count);
    uh_status status = UH_SUCCESS;
    for (size_t a = 0; a < histogram->naxes; a++)
        bin[a] = from[a];
    for (size_t i = 0; i < count; i++, (void)next_cell(histogram->naxes, from, to, bin)) {
        const size_t cell = cell_of(histogram, bin);
        uint64_t points = 0;
        if (listed)
            cells[i] = (uint32_t)cell;
        else
            uhi_histogram_read_counts(histogram, cell, 1, &points);
        sum->count += points;
    }
    if (listed)
        status = uhi_store_total(call, histogram->store, cells, count, &sum->count, &sum->sum, &sum->sum_squares,
                                 &sum->mean, &sum->m2);
    free(cells);
    return status;
}

uh_status uh_histogram_box(uh_histogram *histogram, const size_t *from, const size_t *to, uh_bin *bin) {
    uh_status status = begin(__func__, histogram, "bin", bin, UINT32_MAX);
    if (status)
        return status;
    if (!from || !to)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, __func__, from ? "to" : "from", "is NULL, expected one bin an axis");
    status = uhi_sized_check(__func__, "bin", bin, sizeof *bin, NULL);
    if (status)
        return status;
    const uh_storage storage = histogram->storage;
    size_t count = 1;
    for (size_t a = 0; a < histogram->naxes; a++) {
        const size_t bins = uhi_histogram_bins(histogram, a);
        if (to[a] > bins || from[a] > to[a])
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT, __func__, NULL,
                            "on axis %zu from is %zu and to is %zu, expected from <= to <= %zu", a, from[a], to[a],
                            bins);
        count *= to[a] - from[a];
    }
    uh_bin sum = {.struct_size = sizeof sum};
    status = sum_box(__func__, histogram, from, to, count, &sum);
    if (status)
        return status;
    if (storage == UH_STORAGE_U8 || storage == UH_STORAGE_U16) {
        const uint64_t max = storage == UH_STORAGE_U8 ? UINT8_MAX : UINT16_MAX;
        sum.count = sum.count < max ? sum.count : max;
    }
    if (storage != UH_STORAGE_MEAN)
        sum.mean = sum.m2 = 0;
    else
        sum.sum = sum.sum_squares = 0;
    uhi_sized_write(bin, &sum);
    return UH_SUCCESS;
}

/* ---- density ---- */

/* The value of every cell as float64, and of all together. */
static uh_status values_of(const char *call, const uh_histogram *histogram, double *value, double *total) {
    static const size_t from[UH_MAX_AXES];
    size_t to[UH_MAX_AXES];
    uint64_t sum = 0;
    if (STORES_SUMS & STORES(histogram->storage)) {
        uh_bin all = {.struct_size = sizeof all};
        for (size_t a = 0; a < histogram->naxes; a++)
            to[a] = uhi_histogram_bins(histogram, a);
        uh_status status = sum_box(call, histogram, from, to, histogram->cells, &all);
        if (status)
            return status;
        *total = all.sum;
        uhi_store_sums(histogram->store, 0, histogram->cells, value, NULL);
        return UH_SUCCESS;
    }
    for (size_t i = 0, n; i < histogram->cells; i += n) {
        uint64_t counts[BLOCK];
        n = histogram->cells - i < BLOCK ? histogram->cells - i : BLOCK;
        uhi_histogram_read_counts(histogram, i, n, counts);
        for (size_t j = 0; j < n; j++) {
            value[i + j] = (double)counts[j];
            sum += counts[j];
        }
    }
    *total = (double)sum;
    return UH_SUCCESS;
}

uh_status uh_histogram_density(uh_histogram *histogram, double *density) {
    size_t bin[UH_MAX_AXES] = {0}, to[UH_MAX_AXES];
    static const size_t from[UH_MAX_AXES];
    const double *edges[UH_MAX_AXES];
    double total;
    uh_status status = begin(__func__, histogram, "density", density, UINT32_MAX);
    if (!status)
        status = values_of(__func__, histogram, density, &total);
    if (status)
        return status;
    for (size_t a = 0; a < histogram->naxes; a++) {
        const uh_axis *axis = uhi_histogram_lend_axis(__func__, histogram, a);
        if (!axis)
            return UH_ERROR_OUT_OF_MEMORY;
        to[a] = uh_axis_bins(axis);
        edges[a] = uh_axis_edges(axis);
    }
    /* The order of NumPy's operations: by the width on one axis after the other, then by the sum. */
    for (size_t i = 0; i < histogram->cells; i++, (void)next_cell(histogram->naxes, from, to, bin)) {
        for (size_t a = 0; a < histogram->naxes; a++)
            density[i] /= edges[a][bin[a] + 1] - edges[a][bin[a]];
        density[i] /= total;
    }
    return UH_SUCCESS;
}

/* ---- in words ---- */

uh_status uh_histogram_plan_text(uh_histogram *histogram, size_t axis, uh_dtype dtype, char *text, size_t size,
                                 size_t *length) {
    const struct uhi_histogram_plan *plan = NULL;
    int where = 0;
    if (!histogram)
        return uhi_fail_null(__func__, "histogram", "a histogram");
    if (!text && size > 0)
        return uhi_fail_null(__func__, "text", "where to store it");
    uh_status status = uhi_histogram_check_axis(__func__, histogram, axis);
    if (!status)
        status = uhi_check_dtype(__func__, "dtype", dtype);
    if (!status)
        status = uhi_histogram_get_plan(__func__, histogram, axis, dtype, &plan);
    if (status)
        return status;
    const int written = uhi_plan_text(plan, uhi_method_name(plan->method), uhi_body_of(histogram->queue), text, size);
    if (written < 0)
        return uhi_fail(UH_ERROR_INTERNAL, __func__, NULL, "the text could not be formatted");
    const size_t used = (size_t)written < size ? (size_t)written : size;
    if (histogram->counts)
        status = uhi_histogram_where(&histogram->line, __func__, plan, text ? text + used : NULL, size - used, &where);
    if (!status && length)
        *length = (size_t)written + (size_t)where;
    return status;
}
