/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of a histogram: counters of one axis, or a store; and the plans used to fill both. */
#include <stdlib.h>
#include <string.h>

#include "api/histogram.h"
#include "runtime/status.h"

/* ---- plans ---- */

uh_status uhi_histogram_get_plan(const char *call, uh_histogram *histogram, size_t axis, uh_dtype dtype,
                                 const struct uhi_histogram_plan **plan) {
    struct uhi_histogram_plan **kept = &histogram->plans[axis][dtype];
    uh_status status = UH_SUCCESS;
    if (histogram->growing)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, NULL, "the histogram's axis grows, expected one with edges");
    if (!*kept)
        status = uhi_plan_create(call, &histogram->axes[axis]->edges, dtype, &histogram->options[axis], kept);
    *plan = *kept;
    return status;
}

/* ---- counters of one axis ---- */

/* Returns the length of `counts`. */
static size_t slots_of(const uh_histogram *histogram) {
    return histogram->cells + 4;
}

static uh_status make_line(const char *call, uh_histogram *made, const uh_histogram_options *options) {
    (void)options;
    made->counts = calloc(slots_of(made), sizeof *made->counts);
    if (!made->counts)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory for the counts of %zu bins", made->cells);
    return UH_SUCCESS;
}

static uh_status prepare_line(const char *call, uh_histogram *histogram, const uh_dtype *dtypes) {
    const struct uhi_histogram_plan *plan = NULL;
    uh_status status = uhi_histogram_get_plan(call, histogram, 0, dtypes[0], &plan);
    return status ? status : uhi_histogram_ready(&histogram->line, call, plan);
}

static uh_status fill_line(const char *call, uh_histogram *histogram, const uh_array *arrays, const uh_array *weights) {
    const struct uhi_histogram_plan *plan = NULL;
    (void)weights;
    uh_status status = uhi_histogram_get_plan(call, histogram, 0, arrays->dtype, &plan);
    if (status)
        return status;
    return uhi_histogram_count(&histogram->line, call, histogram->data ? histogram->data : "arrays[0].data", plan,
                               uhi_array_values(arrays), histogram->counts);
}

static void forget_line(uh_histogram *histogram) {
    uhi_histogram_forget(&histogram->line);
}

static void clear_line(uh_histogram *histogram) {
    forget_line(histogram);
    memset(histogram->counts, 0, slots_of(histogram) * sizeof *histogram->counts);
}

static uh_status bring_line(const char *call, uh_histogram *histogram) {
    return uhi_histogram_settle(&histogram->line, call, histogram->counts);
}

static uh_status merge_line(const char *call, uh_histogram *target, const uh_histogram *source,
                            const struct uhi_histogramdd_counters *numbers) {
    (void)call;
    (void)numbers; /* included in the counts */
    for (size_t s = 0; s < slots_of(target); s++)
        target->counts[s] += source->counts[s];
    return UH_SUCCESS;
}

const struct uhi_contents uhi_line_contents = {make_line,   prepare_line, fill_line, clear_line,
                                               forget_line, bring_line,   merge_line};

/* ---- a store ---- */

static struct uhi_histogramdd_sums sums_of(uh_histogram *histogram) {
    return (struct uhi_histogramdd_sums){histogram->store, &histogram->counters};
}

static uh_status make_store(const char *call, uh_histogram *made, const uh_histogram_options *options) {
    (void)options;
    return uhi_store_create(call, made->cells, made->storage, made->sum, &made->store);
}

static uh_status prepare_store(const char *call, uh_histogram *histogram, const uh_dtype *dtypes) {
    struct uhi_histogramdd_points points = {.naxes = histogram->naxes};
    uh_status status = UH_SUCCESS;
    for (size_t a = 0; a < histogram->naxes && !status; a++)
        status = uhi_histogram_get_plan(call, histogram, a, dtypes[a], &points.plan[a]);
    return status ? status : uhi_histogramdd_ready(&histogram->run, call, &points, sums_of(histogram));
}

uh_status uhi_histogram_where_all(const char *call, uh_histogram *histogram, uh_dtype dtype, char *text, size_t size,
                                  int *length) {
    const uh_array weights = {.dtype = UH_F32};
    const int has_sums = histogram->storage == UH_STORAGE_SUM || histogram->storage == UH_STORAGE_WEIGHTED ||
                         histogram->storage == UH_STORAGE_MEAN;
    struct uhi_histogramdd_points points = {.naxes = histogram->naxes, .values = has_sums ? &weights : NULL};
    uh_status status = UH_SUCCESS;
    *length = 0;
    for (size_t a = 0; a < histogram->naxes && !status; a++)
        status = uhi_histogram_get_plan(call, histogram, a, dtype, &points.plan[a]);
    return status ? status
                  : uhi_histogramdd_where(&histogram->run, call, &points, sums_of(histogram), text, size, length);
}

static uh_status fill_store(const char *call, uh_histogram *histogram, const uh_array *arrays,
                            const uh_array *weights) {
    struct uhi_histogramdd_points points = {.naxes = histogram->naxes, .n = arrays->count, .values = weights};
    for (size_t a = 0; a < histogram->naxes; a++) {
        points.x[a] = uhi_array_values(&arrays[a]);
        uh_status status = uhi_histogram_get_plan(call, histogram, a, arrays[a].dtype, &points.plan[a]);
        if (status)
            return status;
    }
    return uhi_histogramdd_add(&histogram->run, call, &points, sums_of(histogram));
}

static void forget_store(uh_histogram *histogram) {
    uhi_histogramdd_forget(&histogram->run, histogram->store);
}

static void clear_store(uh_histogram *histogram) {
    forget_store(histogram);
    uhi_store_clear(histogram->store);
}

static uh_status bring_store(const char *call, uh_histogram *histogram) {
    return uhi_histogramdd_settle(&histogram->run, call, sums_of(histogram));
}

static uh_status merge_store(const char *call, uh_histogram *target, const uh_histogram *source,
                             const struct uhi_histogramdd_counters *numbers) {
    uh_status status = uhi_store_merge(call, target->store, source->store);
    if (!status)
        uhi_histogramdd_add_counters(&target->counters, numbers);
    return status;
}

const struct uhi_contents uhi_store_contents = {make_store,   prepare_store, fill_store, clear_store,
                                                forget_store, bring_store,   merge_store};

/* ---- all kinds ---- */

uint64_t *uhi_histogram_lend_counts(const uh_histogram *histogram) {
    if (histogram->growing)
        return histogram->growing->count.counts;
    return histogram->counts ? histogram->counts + 1 : uhi_store_get_counts(histogram->store);
}

void uhi_histogram_read_counts(const uh_histogram *histogram, size_t from, size_t n, uint64_t *counts) {
    if (histogram->storage == UH_STORAGE_COUNT)
        memcpy(counts, uhi_histogram_lend_counts(histogram) + from, n * sizeof *counts);
    else
        uhi_store_counts(histogram->store, from, n, counts);
}

const uh_axis *uhi_histogram_lend_axis(const char *call, const uh_histogram *histogram, size_t axis) {
    struct uhi_growing *growing = histogram->growing;
    uh_axis *now = NULL;
    if (!growing || histogram->cells == 0)
        return histogram->axes[axis];
    if (!growing->axis || uhi_axis_bins(growing->axis) != histogram->cells) {
        if (uhi_axis_make_integers(call, 0, histogram->cells, &now))
            return NULL;
        uhi_axis_release(growing->axis);
        growing->axis = now;
    }
    return growing->axis;
}

struct uhi_histogramdd_counters uhi_histogram_numbers(const uh_histogram *histogram) {
    struct uhi_histogramdd_counters numbers = histogram->counters;
    const uint64_t *counts = histogram->counts;
    const size_t bins = histogram->cells;
    if (!counts)
        return numbers;
    numbers.flow[0][UHI_FLOW_BELOW] = counts[0];
    numbers.flow[0][UHI_FLOW_ABOVE] = counts[bins + 1];
    numbers.flow[0][UHI_FLOW_NAN] = counts[bins + 2];
    numbers.outside = counts[0] + counts[bins + 1] + counts[bins + 2] + counts[bins + 3];
    numbers.points = numbers.outside;
    for (size_t j = 0; j < bins; j++)
        numbers.points += counts[j + 1];
    return numbers;
}

void uhi_histogram_set_numbers(uh_histogram *histogram, const struct uhi_histogramdd_counters *numbers) {
    const uint64_t *flow = numbers->flow[0];
    uint64_t *counts = histogram->counts;
    const size_t bins = histogram->cells;
    histogram->most = numbers->points;
    if (counts) {
        counts[0] = flow[UHI_FLOW_BELOW];
        counts[bins + 1] = flow[UHI_FLOW_ABOVE];
        counts[bins + 2] = flow[UHI_FLOW_NAN];
        counts[bins + 3] = numbers->outside - counts[0] - counts[bins + 1] - counts[bins + 2];
        return;
    }
    histogram->counters = *numbers;
    if (histogram->storage == UH_STORAGE_COUNT) /* stored after the cells, too */
        uhi_histogram_lend_counts(histogram)[bins] = numbers->outside;
}
