/* SPDX-License-Identifier: Apache-2.0 */
/* Reading histograms over several axes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/histogramdd.h"
#include "runtime/status.h"

/* Counts are read for so many cells at a time. */
enum { BLOCK = 1024 };

uh_status uhi_histogramdd_bring(const char *call, uh_histogramdd *histogram) {
    const struct uhi_histogramdd_sums sums = {histogram->store, &histogram->counters};
    return uhi_histogramdd_settle(&histogram->run, call, sums);
}

uh_status uhi_histogramdd_check_axis(const char *call, const uh_histogramdd *histogram, size_t axis) {
    if (axis < histogram->naxes)
        return UH_SUCCESS;
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: axis is %zu, expected 0 to %zu", call, axis, histogram->naxes - 1);
}

uh_status uhi_histogramdd_check_storage(const char *call, const uh_histogramdd *histogram, unsigned mask) {
    const uh_storage storage = uhi_store_storage(histogram->store);
    char expected[64];
    size_t length = 0;
    if (mask & UHI_STORES(storage))
        return UH_SUCCESS;
    for (unsigned s = 0; uh_storage_name((uh_storage)s); s++)
        if (mask & UHI_STORES(s)) {
            const int written = snprintf(expected + length, sizeof expected - length, "%s%s", length ? ", " : "",
                                         uh_storage_name((uh_storage)s));
            length += (size_t)written;
        }
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: the histogram's storage is %s, expected one of %s", call,
                    uh_storage_name(storage), expected);
}

/* Checks what every read is given, and brings the contents to the host. */
static uh_status begin(const char *call, uh_histogramdd *histogram, const char *argument, const void *to,
                       unsigned storages) {
    if (!histogram)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: histogram is NULL", call);
    if (!to)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is NULL, expected where to store the result", call,
                        argument);
    uh_status status = uhi_histogramdd_check_storage(call, histogram, storages);
    return status ? status : uhi_histogramdd_bring(call, histogram);
}

/* ---- what it is ---- */

size_t uh_histogramdd_naxes(const uh_histogramdd *histogram) {
    return histogram ? histogram->naxes : 0;
}

size_t uh_histogramdd_cells(const uh_histogramdd *histogram) {
    return histogram ? histogram->cells : 0;
}

const uh_axis *uh_histogramdd_axis(const uh_histogramdd *histogram, size_t axis) {
    return histogram && axis < histogram->naxes ? histogram->axes[axis] : NULL;
}

uh_storage uh_histogramdd_storage(const uh_histogramdd *histogram) {
    return histogram ? uhi_store_storage(histogram->store) : UH_STORAGE_COUNT;
}

uh_sum uh_histogramdd_sum_mode(const uh_histogramdd *histogram) {
    return histogram ? uhi_store_sum(histogram->store) : UH_SUM_EXACT;
}

/* ---- cells ---- */

uh_status uh_histogramdd_counts(uh_histogramdd *histogram, uint64_t *counts) {
    uh_status status = begin(__func__, histogram, "counts", counts, UHI_STORES_COUNTS);
    if (!status)
        uhi_store_counts(histogram->store, 0, histogram->cells, counts);
    return status;
}

uh_status uh_histogramdd_saturated(uh_histogramdd *histogram, void *counts) {
    uh_status status =
        begin(__func__, histogram, "counts", counts, UHI_STORES(UH_STORAGE_U8) | UHI_STORES(UH_STORAGE_U16));
    if (!status)
        uhi_store_saturated(histogram->store, 0, histogram->cells, counts);
    return status;
}

uh_status uh_histogramdd_sums(uh_histogramdd *histogram, double *sum, double *sum_squares) {
    uh_status status =
        begin(__func__, histogram, "sum", sum, sum_squares ? UHI_STORES(UH_STORAGE_WEIGHTED) : UHI_STORES_SUMS);
    if (!status)
        uhi_store_sums(histogram->store, 0, histogram->cells, sum, sum_squares);
    return status;
}

uh_status uh_histogramdd_sums_i64(uh_histogramdd *histogram, int64_t *sum) {
    uh_status status = begin(__func__, histogram, "sum", sum, UHI_STORES_SUMS);
    if (!status && uhi_store_sum(histogram->store) == UH_SUM_FAST)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: the histogram adds with UH_SUM_FAST, expected UH_SUM_EXACT",
                        __func__);
    return status ? status : uhi_store_sums_i64(__func__, histogram->store, 0, histogram->cells, sum);
}

uh_status uh_histogramdd_means(uh_histogramdd *histogram, uint64_t *count, double *mean, double *m2) {
    uh_status status = begin(__func__, histogram, "histogram", histogram, UHI_STORES(UH_STORAGE_MEAN));
    if (!status)
        uhi_store_means(histogram->store, 0, histogram->cells, count, mean, m2);
    return status;
}

/* ---- counters ---- */

uh_status uh_histogramdd_flow(uh_histogramdd *histogram, size_t axis, uh_flow *flow) {
    if (histogram && axis >= histogram->naxes)
        return uhi_histogramdd_check_axis(__func__, histogram, axis);
    uh_status status = begin(__func__, histogram, "flow", flow, UINT32_MAX);
    if (status)
        return status;
    const uint64_t *from = histogram->counters.flow[axis];
    *flow = (uh_flow){.below = from[0], .above = from[1], .nan = from[2]};
    return UH_SUCCESS;
}

uh_status uh_histogramdd_total(uh_histogramdd *histogram, uint64_t *inside, uint64_t *outside) {
    uh_status status = begin(__func__, histogram, "histogram", histogram, UINT32_MAX);
    if (!status && inside)
        *inside = histogram->counters.points - histogram->counters.outside;
    if (!status && outside)
        *outside = histogram->counters.outside;
    return status;
}

uh_status uh_histogramdd_outside(uh_histogramdd *histogram, double *sum, double *sum_squares) {
    uh_status status =
        begin(__func__, histogram, "sum", sum, sum_squares ? UHI_STORES(UH_STORAGE_WEIGHTED) : UHI_STORES_SUMS);
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

static size_t cell_of(const uh_histogramdd *histogram, const size_t *bin) {
    size_t cell = 0;
    for (size_t a = 0; a < histogram->naxes; a++)
        cell = cell * uh_axis_bins(histogram->axes[a]) + bin[a];
    return cell;
}

/* Sums the cells of a box, which has `count` of them; what the storage does not keep is 0. */
static uh_status sum_box(const char *call, const uh_histogramdd *histogram, const size_t *from, const size_t *to,
                         size_t count, uh_bin *sum) {
    const uh_storage storage = uhi_store_storage(histogram->store);
    const int listed = storage == UH_STORAGE_SUM || storage == UH_STORAGE_WEIGHTED || storage == UH_STORAGE_MEAN;
    size_t bin[UH_MAX_AXES];
    uint32_t *cells = listed ? malloc((count + !count) * sizeof *cells) : NULL;
    if (listed && !cells)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for the numbers of %zu cells", call, count);
    uh_status status = UH_SUCCESS;
    for (size_t a = 0; a < histogram->naxes; a++)
        bin[a] = from[a];
    for (size_t i = 0; i < count && !status; i++, (void)next_cell(histogram->naxes, from, to, bin)) {
        const size_t cell = cell_of(histogram, bin);
        uint64_t points = 0;
        if (listed) {
            cells[i] = (uint32_t)cell;
            continue;
        }
        uhi_store_counts(histogram->store, cell, 1, &points);
        if (__builtin_add_overflow(sum->count, points, &sum->count))
            status = uhi_fail(UH_ERROR_OVERFLOW, "%s: the sum of the counts passes 2^64 - 1", call);
    }
    if (listed)
        status = uhi_store_total(call, histogram->store, cells, count, &sum->count, &sum->sum, &sum->sum_squares,
                                 &sum->mean, &sum->m2);
    free(cells);
    return status;
}

uh_status uh_histogramdd_box(uh_histogramdd *histogram, const size_t *from, const size_t *to, uh_bin *bin) {
    uh_status status = begin(__func__, histogram, "bin", bin, UINT32_MAX);
    if (status)
        return status;
    if (!from || !to)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is NULL, expected one bin an axis", __func__,
                        from ? "to" : "from");
    if (bin->struct_size != sizeof *bin)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: bin->struct_size is %zu, expected %zu", __func__,
                        bin->struct_size, sizeof *bin);
    const uh_storage storage = uhi_store_storage(histogram->store);
    size_t count = 1;
    for (size_t a = 0; a < histogram->naxes; a++) {
        const size_t bins = uh_axis_bins(histogram->axes[a]);
        if (to[a] > bins || from[a] > to[a])
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT,
                            "%s: on axis %zu from is %zu and to is %zu, expected from <= to <= %zu", __func__, a,
                            from[a], to[a], bins);
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
    *bin = sum;
    return UH_SUCCESS;
}

/* ---- density ---- */

/* The value of every cell as float64, and of all together. */
static uh_status values_of(const char *call, const uh_histogramdd *histogram, double *value, double *total) {
    static const size_t from[UH_MAX_AXES];
    size_t to[UH_MAX_AXES];
    uh_bin all = {.struct_size = sizeof all};
    for (size_t a = 0; a < histogram->naxes; a++)
        to[a] = uh_axis_bins(histogram->axes[a]);
    uh_status status = sum_box(call, histogram, from, to, histogram->cells, &all);
    if (status)
        return status;
    if (UHI_STORES_SUMS & UHI_STORES(uhi_store_storage(histogram->store))) {
        *total = all.sum;
        uhi_store_sums(histogram->store, 0, histogram->cells, value, NULL);
        return UH_SUCCESS;
    }
    *total = (double)all.count;
    for (size_t i = 0, n; i < histogram->cells; i += n) {
        uint64_t counts[BLOCK];
        n = histogram->cells - i < BLOCK ? histogram->cells - i : BLOCK;
        uhi_store_counts(histogram->store, i, n, counts);
        for (size_t j = 0; j < n; j++)
            value[i + j] = (double)counts[j];
    }
    return UH_SUCCESS;
}

uh_status uh_histogramdd_density(uh_histogramdd *histogram, double *density) {
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
        to[a] = uh_axis_bins(histogram->axes[a]);
        edges[a] = uh_axis_edges(histogram->axes[a]);
    }
    /* The order of NumPy's operations: by the width on one axis after the other, then by the sum. */
    for (size_t i = 0; i < histogram->cells; i++, (void)next_cell(histogram->naxes, from, to, bin)) {
        for (size_t a = 0; a < histogram->naxes; a++)
            density[i] /= edges[a][bin[a] + 1] - edges[a][bin[a]];
        density[i] /= total;
    }
    return UH_SUCCESS;
}
