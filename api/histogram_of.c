/* SPDX-License-Identifier: Apache-2.0 */
/* Extremes and histograms of arrays in one call, and indices. */

#include <stdio.h>

#include "api/histogram.h"
#include "runtime/status.h"

/* ---- smallest and largest value ---- */

/* Converts the keys of an extent to values. */
static void read_extent(uh_dtype dtype, struct uhi_extent extent, double *min, double *max) {
    if (extent.low > extent.high) {
        *min = INFINITY;
        *max = -INFINITY;
        return;
    }
    const uhi_int_128 origin = uhi_value_is_signed(dtype) ? UHI_TOP_64 : 0;
    if (dtype == UH_F32 || dtype == UH_F64) {
        *min = dtype == UH_F32 ? (double)uhi_f32_of_key(extent.low) : uhi_f64_of_key(extent.low);
        *max = dtype == UH_F32 ? (double)uhi_f32_of_key(extent.high) : uhi_f64_of_key(extent.high);
    } else {
        *min = uhi_round_outwards(extent.low - origin, -INFINITY);
        *max = uhi_round_outwards(extent.high - origin, INFINITY);
    }
}

/* As uh_min_max for checked values; `argument` names the data in messages. */
static uh_status find_min_max(const char *call, const char *argument, uh_queue *queue, const uh_array *x, double *min,
                              double *max, uint64_t *nan) {
    struct uhi_extent extent = {UINT64_MAX, 0, 0};
    uh_status status = UH_SUCCESS;
    if (x->count > 0)
        status = uhi_extent_find(call, argument, queue, x->dtype, uhi_array_values(x), &extent);
    if (status)
        return status;
    read_extent(x->dtype, extent, min, max);
    *nan = extent.nan;
    return UH_SUCCESS;
}

uh_status uh_min_max(uh_queue *queue, const uh_array *x, double *min, double *max, uint64_t *nan) {
    UHI_TRY(uhi_check_call(__func__, queue, x));
    if (!min || !max || !nan)
        return uhi_fail_null(__func__, !min ? "min" : !max ? "max" : "nan", "where to store it");
    return find_min_max(__func__, "x->data", queue, x, min, max, nan);
}

/* ---- axes ---- */

/* Arguments of one uh_histogram_of. */
struct request {
    const char *call;
    uh_queue *queue;
    const uh_array *arrays;
    const uh_axis_bins *bins;
    size_t naxes;
    const uh_array *weights;
    uh_cells cells;
};

/* Room for the name of an array or of edges, such as "arrays[7].data". */
enum { NAME_SIZE = 40 };

/* Fails because of an axis's data. */
#define FAIL_DATA(r, a, ...) uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, (r)->call, "arrays", a, __VA_ARGS__)

/* Stores the range of an axis's data as numpy.histogram. UH_ERROR_INVALID_ARGUMENT if it is not finite. */
static uh_status own_range(const struct request *r, size_t a, double *lo, double *hi) {
    char data[NAME_SIZE];
    uint64_t nan = 0;
    if (r->arrays[a].count == 0) {
        *lo = 0;
        *hi = 1;
        return UH_SUCCESS;
    }
    snprintf(data, sizeof data, "arrays[%zu].data", a);
    uh_status status = find_min_max(r->call, data, r->queue, &r->arrays[a], lo, hi, &nan);
    if (!status && nan > 0)
        status = FAIL_DATA(r, a, "has %llu NaN, expected none where no range is given", (unsigned long long)nan);
    else if (!status && (!isfinite(*lo) || !isfinite(*hi)))
        status = FAIL_DATA(r, a, "reaches from %g to %g, expected finite where no range is given", *lo, *hi);
    return status;
}

static uh_status make_equal(const struct request *r, size_t a, uh_axis **axis) {
    const uh_axis_bins *bins = &r->bins[a];
    double lo = bins->range ? bins->range[0] : 0, hi = bins->range ? bins->range[1] : 0;
    UHI_TRY(bins->range ? UH_SUCCESS : own_range(r, a, &lo, &hi));
    if (lo == hi) {
        lo -= 0.5;
        hi += 0.5;
    }
    if (lo < hi && isfinite(hi - lo))
        return uhi_axis_make_range(r->call, 0, bins->count, lo, hi, UH_CLOSED_LEFT, axis);
    if (bins->range)
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, r->call, "bins", a, "range",
                               "is %.17g to %.17g, expected lo <= hi, both and their difference finite", lo, hi);
    return FAIL_DATA(r, a, "reaches from %.17g to %.17g, %s: give a range", lo, hi,
                     lo < hi ? "whose difference overflows" : "too large for bins around one value");
}

static uh_status make_axis(const struct request *r, size_t a, uh_axis **axis) {
    const uh_array *edges = r->bins[a].edges;
    char name[NAME_SIZE];
    if (!edges)
        return make_equal(r, a, axis);
    snprintf(name, sizeof name, "bins[%zu].edges", a);
    return uhi_axis_make(r->call, name, edges->dtype, edges->data, edges->count, 2, UH_CLOSED_LEFT, axis);
}

/* ---- checks ---- */

/* Checks an axis's bins and stores their number. */
static uh_status check_bins(const char *call, const uh_axis_bins *bins, size_t a, size_t *count) {
    const uh_array *edges = bins[a].edges;
    char name[NAME_SIZE];
    if (!edges && (bins[a].count < 1 || bins[a].count > UH_MAX_BINS))
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "bins", a, "count", "is %zu, expected 1 to %zu",
                               bins[a].count, UH_MAX_BINS);
    *count = bins[a].count;
    if (!edges)
        return UH_SUCCESS;
    if (bins[a].count > 0 || bins[a].range)
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "bins", a, bins[a].range ? "range" : "count",
                               "is given, and so are edges, expected one of them");
    snprintf(name, sizeof name, "bins[%zu].edges", a);
    uh_status status = uhi_check_contiguous(call, name, edges);
    *count = edges->count > 0 ? edges->count - 1 : 0;
    return status;
}

/* Weights are for sums, means and deviations. */
static uh_status check_weights(const struct request *r) {
    const uh_cells *to = &r->cells;
    if (!to->counts && !to->sums && !to->means && !to->deviations)
        return uhi_fail_null(r->call, "cells->counts", "where to store counts, or sums, means or deviations");
    if (to->sums || to->means || to->deviations)
        return uhi_check_weights(r->call, "weights", r->weights, r->arrays->count);
    return r->weights ? uhi_fail_argument(r->call, "weights", "are given, expected NULL for counts") : UH_SUCCESS;
}

static uh_status check_request(const struct request *r) {
    size_t count[UH_MAX_AXES], cells;
    if (!r->queue)
        return uhi_fail_null(r->call, "queue", "a queue");
    if (!r->arrays || !r->bins)
        return uhi_fail_null(r->call, r->arrays ? "bins" : "arrays", "one per axis");
    UHI_TRY(uhi_check_between(r->call, "naxes", UH_NO_INDEX, r->naxes, 1, UH_MAX_AXES));
    for (size_t a = 0; a < r->naxes; a++) {
        UHI_TRY(uhi_check_coordinates(r->call, r->arrays, a));
        UHI_TRY(check_bins(r->call, r->bins, a, &count[a]));
    }
    UHI_TRY(check_weights(r));
    return uhi_count_cells(r->call, count, r->naxes, &cells); /* before allocating the axes */
}

/* ---- the call ---- */

static uh_storage storage_for(const uh_cells *to) {
    if (to->means || to->deviations || (to->counts && to->sums))
        return UH_STORAGE_MEAN;
    return to->sums ? UH_STORAGE_SUM : UH_STORAGE_COUNT;
}

static void read_deviations(const uh_histogram *histogram, double *deviations) {
    for (size_t i = 0; i < histogram->cells; i++) {
        uint64_t count;
        uhi_store_means(histogram->store, i, 1, &count, NULL, deviations + i);
        deviations[i] = sqrt(deviations[i] / (double)count); /* 0 / 0 is NaN */
    }
}

/* Stores all results. `to` may lie where the arguments were. */
static uh_status read_cells(uh_histogram *histogram, const uh_cells *to) {
    for (size_t a = 0; a < histogram->naxes && to->flows; a++)
        UHI_TRY(uh_histogram_flow(histogram, a, &to->flows[a]));
    if (to->counts)
        uhi_histogram_read_counts(histogram, 0, histogram->cells, to->counts);
    if (to->sums)
        uhi_store_sums(histogram->store, 0, histogram->cells, to->sums, NULL);
    if (to->means)
        uhi_store_means(histogram->store, 0, histogram->cells, NULL, to->means, NULL);
    if (to->deviations)
        read_deviations(histogram, to->deviations);
    for (size_t a = 0; a < histogram->naxes; a++)
        if (to->edges[a])
            memcpy(to->edges[a], histogram->axes[a]->as_f64,
                   (uhi_histogram_bins(histogram, a) + 1) * sizeof *to->edges[a]);
    return UH_SUCCESS;
}

uh_status uh_histogram_of(uh_queue *queue, const uh_array *arrays, const uh_axis_bins *bins, size_t naxes,
                          const uh_array *weights, const uh_cells *cells) {
    struct request r = {
        .call = __func__, .queue = queue, .arrays = arrays, .bins = bins, .naxes = naxes, .weights = weights};
    uh_histogram_options options = {.struct_size = sizeof options};
    uh_axis *axes[UH_MAX_AXES] = {NULL};
    uh_histogram *histogram = NULL;
    UHI_NEED(__func__, cells, "where to store the results");
    UHI_TRY(uhi_sized_read(__func__, "cells", cells, &r.cells, sizeof r.cells));
    UHI_TRY(check_request(&r));
    options.storage = storage_for(&r.cells);
    uh_status status = UH_SUCCESS;
    for (size_t a = 0; a < naxes && !status; a++)
        status = make_axis(&r, a, &axes[a]);
    if (!status)
        status = uhi_histogram_make(__func__, queue, (const uh_axis *const *)axes, naxes, &options, &histogram);
    if (!status)
        status = uhi_histogram_fill(__func__, histogram, &(struct uhi_filled){arrays, weights, uhi_names_of_arrays});
    if (!status)
        status = histogram->contents->fetch(__func__, histogram);
    if (!status)
        status = read_cells(histogram, &r.cells);
    for (size_t a = 0; a < UH_MAX_AXES; a++)
        uh_axis_destroy(axes[a]);
    uh_histogram_destroy(histogram);
    return status;
}
