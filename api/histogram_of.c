/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of arrays and statistics per bin in one call, and indices. */
#include <unihist/bins.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/histogram.h"
#include "runtime/status.h"

/* ---- parts of a call ---- */

/* Fills a histogram with checked points, unless `status` is already a failure, and releases the axes. The caller reads
 * and destroys the histogram. */
static uh_status fill_once(const char *call, uh_status status, uh_queue *queue, uh_axis *const *axes, size_t naxes,
                           uh_storage storage, const struct uhi_filled *filled, uh_histogram **histogram) {
    const uh_histogram_options options = {.struct_size = sizeof options, .storage = storage};
    if (!status)
        status = uhi_histogram_make(call, queue, (const uh_axis *const *)axes, naxes, &options, histogram);
    if (!status)
        status = uhi_histogram_fill(call, *histogram, filled);
    if (!status)
        status = (*histogram)->contents->bring(call, *histogram);
    for (size_t a = 0; a < naxes; a++)
        uhi_axis_release(axes[a]);
    return status;
}

/* Names of an array in messages: element `index` of `name` (UH_NO_INDEX: itself), its data and its range. */
struct named {
    const char *name;
    size_t index;
    const char *data, *range;
};

static const struct named named_x = {"x", UH_NO_INDEX, "x->data", "range"};

/* Range of the data as in numpy.histogram. UH_ERROR_INVALID_ARGUMENT if it is not finite. */
static uh_status own_range(const char *call, const struct named *named, uh_queue *queue, const uh_array *x, double *lo,
                           double *hi) {
    uint64_t nan;
    if (x->count == 0) {
        *lo = 0;
        *hi = 1;
        return UH_SUCCESS;
    }
    uh_status status = uhi_min_max(call, named->data, queue, x, lo, hi, &nan);
    if (status)
        return status;
    if (nan > 0)
        return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, named->name, named->index,
                           "has %llu NaN, expected none where no range is given", (unsigned long long)nan);
    if (!isfinite(*lo) || !isfinite(*hi))
        return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, named->name, named->index,
                           "reaches from %g to %g, expected finite where no range is given", *lo, *hi);
    return UH_SUCCESS;
}

/* Makes an axis of equal bins over `range`, or over the data's range if NULL. A range of width 0 is extended by
 * `beside` on both sides. */
static uh_status make_axis(const char *call, const struct named *named, uh_queue *queue, const uh_array *x, size_t bins,
                           const double *range, double beside, uh_axis **axis) {
    double lo = range ? range[0] : 0, hi = range ? range[1] : 0;
    uh_status status = uhi_check_between(call, "bins", named->index, bins, 1, UH_MAX_BINS);
    if (!status && !range)
        status = own_range(call, named, queue, x, &lo, &hi);
    if (lo == hi) {
        lo -= beside;
        hi += beside;
    }
    if (!status && !(lo < hi && isfinite(hi - lo)))
        status = range ? uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, named->range, named->index,
                                     "is %.17g to %.17g, expected lo < hi, both and their difference finite", lo, hi)
                       : uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, named->name, named->index,
                                     "reaches from %.17g to %.17g, %s: give a range", lo, hi,
                                     lo < hi ? "whose difference overflows" : "too large for bins around one value");
    return status ? status : uhi_axis_make_range(call, 0, bins, lo, hi, UH_CLOSED_LEFT, axis);
}

static void copy_edges(const uh_histogram *histogram, size_t axis, double *edges) {
    if (edges)
        memcpy(edges, histogram->axes[axis]->as_f64, (uhi_histogram_bins(histogram, axis) + 1) * sizeof *edges);
}

/* ---- one axis ---- */

/* Checks the arguments of calls that count over one axis. */
static uh_status check_count(const char *call, const uh_queue *queue, const uh_array *x, const uint64_t *counts) {
    uh_status status = uhi_check_call(call, queue, x);
    return status || counts ? status : uhi_fail_null(call, "counts", "where to store them");
}

/* Counts over an axis and releases it. `axis` is NULL if `status` is a failure. */
static uh_status count_once(const char *call, uh_status status, uh_queue *queue, uh_axis *axis, const uh_array *x,
                            uint64_t *counts, double *edges, uh_flow *flow) {
    uh_histogram *histogram = NULL;
    status = fill_once(call, status, queue, &axis, 1, UH_STORAGE_COUNT, &(struct uhi_filled){x, NULL, uhi_names_of_x},
                       &histogram);
    if (!status && flow)
        status = uh_histogram_flow(histogram, 0, flow);
    if (!status) {
        uhi_histogram_read_counts(histogram, 0, histogram->cells, counts);
        copy_edges(histogram, 0, edges);
    }
    uh_histogram_destroy(histogram);
    return status;
}

uh_status uh_histogram_of(uh_queue *queue, const uh_array *x, size_t bins, const double *range, uint64_t *counts,
                          double *edges, uh_flow *flow) {
    uh_axis *axis = NULL;
    uh_status status = check_count(__func__, queue, x, counts);
    if (!status)
        status = make_axis(__func__, &named_x, queue, x, bins, range, 0.5, &axis);
    return count_once(__func__, status, queue, axis, x, counts, edges, flow);
}

uh_status uh_histogram_of_edges(uh_queue *queue, const uh_array *x, uh_dtype edge_dtype, const void *edges,
                                size_t nedges, uint64_t *counts, uh_flow *flow) {
    uh_axis *axis = NULL;
    uh_status status = check_count(__func__, queue, x, counts);
    if (!status)
        status = uhi_axis_make(__func__, "edges", edge_dtype, edges, nedges, 2, UH_CLOSED_LEFT, &axis);
    return count_once(__func__, status, queue, axis, x, counts, NULL, flow);
}

/* If min == max, uses the data's range, extended by one unit on both sides if that is a single value. */
uh_status uh_histc(uh_queue *queue, const uh_array *x, size_t bins, double min, double max, uint64_t *counts) {
    const double range[] = {min, max};
    uh_axis *axis = NULL;
    uh_status status = check_count(__func__, queue, x, counts);
    if (!status && !(isfinite(max - min) && min <= max))
        status = uhi_fail(UH_ERROR_INVALID_ARGUMENT, __func__, "max",
                          "is %g and min is %g, expected min <= max, both and their difference finite", max, min);
    if (!status)
        status = make_axis(__func__, &named_x, queue, x, bins, min == max ? NULL : range, 1, &axis);
    return count_once(__func__, status, queue, axis, x, counts, NULL, NULL);
}

/* ---- several axes ---- */

static uh_status check_points(const char *call, const uh_queue *queue, const uh_array *arrays, size_t naxes,
                              const uh_array *weights, const size_t *bins, const uint64_t *counts, const double *sums) {
    if (!queue)
        return uhi_fail_null(call, "queue", "a queue");
    if (!arrays || !bins)
        return uhi_fail_null(call, arrays ? "bins" : "arrays", "one an axis");
    uh_status status = uhi_check_between(call, "naxes", UH_NO_INDEX, naxes, 1, UH_MAX_AXES);
    for (size_t a = 0; a < naxes && !status; a++)
        status = uhi_check_coordinates(call, arrays, a);
    if (status)
        return status;
    if (!counts == !sums)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "counts", "and sums are %s NULL, expected one of them",
                        counts ? "not" : "both");
    if (counts && weights)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "weights", "are given, expected NULL for counts");
    return sums ? uhi_check_weights(call, "weights", weights, arrays->count) : UH_SUCCESS;
}

/* Makes the axis of one array; messages name the array by its number. */
static uh_status make_numbered(const char *call, size_t number, uh_queue *queue, const uh_array *x, size_t bins,
                               const double *range, uh_axis **axis) {
    char data[32];
    const struct named named = {"arrays", number, data, "ranges"};
    snprintf(data, sizeof data, "arrays[%zu].data", number);
    return make_axis(call, &named, queue, x, bins, range, 0.5, axis);
}

uh_status uh_histogramdd_of(uh_queue *queue, const uh_array *arrays, size_t naxes, const uh_array *weights,
                            const size_t *bins, const double *const *ranges, uint64_t *counts, double *sums,
                            double *const *edges) {
    uh_axis *axes[UH_MAX_AXES] = {NULL};
    uh_histogram *histogram = NULL;
    size_t cells = 0;
    uh_status status = check_points(__func__, queue, arrays, naxes, weights, bins, counts, sums);
    if (!status) /* before allocating the axes */
        status = uhi_count_cells(__func__, bins, naxes, &cells);
    if (status)
        return status;
    for (size_t a = 0; a < naxes && !status; a++)
        status = make_numbered(__func__, a, queue, &arrays[a], bins[a], ranges ? ranges[a] : NULL, &axes[a]);
    status = fill_once(__func__, status, queue, axes, naxes, sums ? UH_STORAGE_SUM : UH_STORAGE_COUNT,
                       &(struct uhi_filled){arrays, weights, uhi_names_of_arrays}, &histogram);
    if (!status && counts)
        uhi_histogram_read_counts(histogram, 0, histogram->cells, counts);
    if (!status && sums)
        uhi_store_sums(histogram->store, 0, histogram->cells, sums, NULL);
    for (size_t a = 0; a < naxes && edges && !status; a++)
        copy_edges(histogram, a, edges[a]);
    uh_histogram_destroy(histogram);
    return status;
}

/* ---- statistics of values per bin ---- */

static void read_statistic(const uh_histogram *histogram, uh_statistic which, double *statistic) {
    const size_t cells = histogram->cells;
    if (which == UH_STATISTIC_COUNT || which == UH_STATISTIC_SUM)
        uhi_histogram_read_values(histogram, 0, cells, statistic);
    if (which == UH_STATISTIC_MEAN)
        uhi_store_means(histogram->store, 0, cells, NULL, statistic, NULL);
    for (size_t i = 0; i < cells && which == UH_STATISTIC_STD; i++) {
        uint64_t count;
        uhi_store_means(histogram->store, i, 1, &count, NULL, statistic + i);
        statistic[i] = sqrt(statistic[i] / (double)count); /* 0 / 0 is NaN */
    }
}

uh_status uh_binned_statistic(uh_queue *queue, const uh_array *x, const uh_array *values, uh_statistic which,
                              size_t bins, const double *range, double *statistic, double *edges) {
    static const uh_storage storages[] = {[UH_STATISTIC_COUNT] = UH_STORAGE_COUNT,
                                          [UH_STATISTIC_SUM] = UH_STORAGE_SUM,
                                          [UH_STATISTIC_MEAN] = UH_STORAGE_MEAN,
                                          [UH_STATISTIC_STD] = UH_STORAGE_MEAN};
    uh_axis *axis = NULL;
    uh_histogram *histogram = NULL;
    uh_status status = uhi_check_call(__func__, queue, x);
    if (status)
        return status;
    if ((unsigned)which > UH_STATISTIC_STD)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, __func__, "which", "is %d, expected a uh_statistic, 0 to %d",
                        (int)which, UH_STATISTIC_STD);
    if (!statistic)
        return uhi_fail_null(__func__, "statistic", "where to store it");
    if (which != UH_STATISTIC_COUNT)
        status = uhi_check_weights(__func__, "values", values, x->count);
    if (!status)
        status = make_axis(__func__, &named_x, queue, x, bins, range, 0.5, &axis);
    status =
        fill_once(__func__, status, queue, &axis, 1, storages[which],
                  &(struct uhi_filled){x, which == UH_STATISTIC_COUNT ? NULL : values, uhi_names_of_x}, &histogram);
    if (!status) {
        read_statistic(histogram, which, statistic);
        copy_edges(histogram, 0, edges);
    }
    uh_histogram_destroy(histogram);
    return status;
}

/* ---- indices ---- */

static uh_status check_index(const char *call, const uh_array *x, const int64_t *index) {
    if (index || x->count == 0)
        return uhi_check_apart(call, "index", index, x->count, sizeof *index, "x->data", x);
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "index", "is NULL, expected where to store %zu", x->count);
}

uh_status uh_histogram_digitize(uh_histogram *histogram, const uh_array *x, int64_t *index) {
    const struct uhi_histogram_plan *plan = NULL;
    if (!histogram)
        return uhi_fail_null(__func__, "histogram", "a histogram");
    uh_status status = uhi_check_array(__func__, "x", UH_NO_INDEX, x);
    if (!status)
        status = check_index(__func__, x, index);
    if (!status)
        status = uhi_histogram_check_one_axis(__func__, histogram);
    if (status || x->count == 0)
        return status;
    if (histogram->shares)
        return uhi_histogram_index_shared(__func__, histogram, x, index);
    status = uhi_histogram_get_plan(__func__, histogram, 0, x->dtype, &plan);
    return status ? status : uhi_histogram_index(&histogram->run, __func__, plan, uhi_array_values(x), index);
}

uh_status uh_digitize(uh_queue *queue, const uh_array *x, const uh_array *edges, int right, int64_t *index) {
    uh_axis *axis = NULL;
    struct uhi_histogram_plan *plan = NULL;
    struct uhi_histogram_run run;
    uh_status status = uhi_check_call(__func__, queue, x);
    if (!status)
        status = check_index(__func__, x, index);
    if (status)
        return status;
    if (!edges)
        return uhi_fail_null(__func__, "edges", "an array of edges");
    if (edges->count > 0 && edges->stride != (ptrdiff_t)uh_dtype_size(edges->dtype))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, __func__, "edges->stride", "is %td, expected contiguous edges",
                        edges->stride);
    const size_t nedges = edges->count;
    status = uhi_axis_make(__func__, "edges", edges->dtype, edges->data, nedges, 1,
                           right ? UH_HALF_OPEN_RIGHT : UH_HALF_OPEN_LEFT, &axis);
    if (status)
        return status;
    /* Tables pay off only if there are more values than edges. */
    struct uhi_plan_options options = {.lookup = x->count > nedges ? UHI_LOOKUP_AUTO : UHI_LOOKUP_SEARCH,
                                       .leaf_bins = 1,
                                       .table_bytes = uhi_default_table_bytes(nedges)};
    uhi_plan_aim(&options, queue, uhi_edges_bins(&axis->edges) + 3, 1, uhi_is_shared(queue));
    status = uhi_plan_create(__func__, &axis->edges, x->dtype, &options, &plan);
    if (!status && x->count > 0 && uhi_is_shared(queue)) {
        status = uhi_index_shared(__func__, queue, plan, x, index);
    } else if (!status && x->count > 0) {
        uhi_histogram_open(&run, queue);
        status = uhi_histogram_index(&run, __func__, plan, uhi_array_values(x), index);
        uhi_histogram_close(&run);
    }
    uhi_plan_destroy(plan);
    uhi_axis_release(axis);
    return status;
}
