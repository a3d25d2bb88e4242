/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of a histogram: counters of one axis, or a store; and the plans used to fill both. */

#include "api/histogram.h"
#include "runtime/status.h"

uh_status uhi_histogram_get_plan(const char *call, uh_histogram *histogram, size_t axis, uh_dtype dtype,
                                 const struct uhi_histogram_plan **plan) {
    struct uhi_histogram_plan **kept = &histogram->plans[axis][dtype];
    uh_status status = UH_SUCCESS;
    if (histogram->growing)
        return uhi_fail_argument(call, NULL, "the histogram's axis grows, expected one with edges");
    if (!*kept)
        status = uhi_plan_create(call, &histogram->axes[axis]->edges, dtype, &histogram->options[axis], kept);
    *plan = *kept;
    return status;
}

/* ---- fixed axes: counters of one axis, or a store ---- */

/* Returns the length of `counts`. */
static size_t slots_of(const uh_histogram *histogram) { return histogram->cells + 4; }

static struct uhi_histogram_target target_of(uh_histogram *histogram) {
    return (struct uhi_histogram_target){histogram->counts, histogram->store, &histogram->numbers};
}

static uh_status make(const char *call, uh_histogram *made, const uh_histogram_options *options) {
    if (made->naxes > 1 || options->storage != UH_STORAGE_COUNT)
        return uhi_store_create(call, made->cells, made->storage, made->sum, &made->store);
    made->counts = calloc(slots_of(made), sizeof *made->counts);
    if (!made->counts)
        return uhi_fail_memory(call, "no memory for the counts of %zu bins", made->cells);
    return UH_SUCCESS;
}

static uh_status prepare(const char *call, uh_histogram *histogram, const uh_dtype *dtypes) {
    struct uhi_histogram_points points = {.naxes = histogram->naxes};
    for (size_t a = 0; a < histogram->naxes; a++)
        UHI_TRY(uhi_histogram_get_plan(call, histogram, a, dtypes[a], &points.plan[a]));
    return uhi_histogram_ready(&histogram->run, call, &points, target_of(histogram));
}

uh_status uhi_histogram_where_filled(const char *call, uh_histogram *histogram, uh_dtype dtype, char *text, size_t size,
                                     int *length) {
    const uh_array weights = {.dtype = UH_F32};
    struct uhi_histogram_points points = {.naxes = histogram->naxes,
                                          .values = uhi_store_has_sums(histogram->storage) ? &weights : NULL};
    *length = 0;
    for (size_t a = 0; a < histogram->naxes; a++)
        UHI_TRY(uhi_histogram_get_plan(call, histogram, a, dtype, &points.plan[a]));
    return uhi_histogram_where(&histogram->run, call, &points, target_of(histogram), text, size, length);
}

static uh_status fill(const char *call, uh_histogram *histogram, const struct uhi_filled *filled) {
    struct uhi_histogram_points points; /* only the axes that exist are set: small calls notice the rest */
    points.naxes = histogram->naxes;
    points.n = filled->arrays->count;
    points.values = filled->weights;
    points.names = filled->names;
    for (size_t a = 0; a < histogram->naxes; a++) {
        points.x[a] = uhi_array_values(&filled->arrays[a]);
        UHI_TRY(uhi_histogram_get_plan(call, histogram, a, filled->arrays[a].dtype, &points.plan[a]));
    }
    return uhi_histogram_add(&histogram->run, call, &points, target_of(histogram));
}

static void clear(uh_histogram *histogram) {
    uhi_histogram_discard(&histogram->run, histogram->store);
    if (histogram->counts)
        memset(histogram->counts, 0, slots_of(histogram) * sizeof *histogram->counts);
    else
        uhi_store_clear(histogram->store);
}

static uh_status fetch(const char *call, uh_histogram *histogram) {
    return uhi_histogram_settle(&histogram->run, call, target_of(histogram));
}

/* The counters of slots include the numbers. */
static uh_status merge(const char *call, uh_histogram *target, const uh_histogram *source,
                       const struct uhi_histogram_numbers *numbers) {
    for (size_t s = 0; target->counts && s < slots_of(target); s++)
        target->counts[s] += source->counts[s];
    if (target->counts)
        return UH_SUCCESS;
    UHI_TRY(uhi_store_reserve(call, target->store, source->store));
    for (size_t cell = 0; cell <= source->cells; cell++) /* the last one is outside */
        uhi_store_fold(target->store, cell, source->store, cell);
    uhi_histogram_add_numbers(&target->numbers, numbers);
    return UH_SUCCESS;
}

const struct uhi_contents uhi_fixed_contents = {make, prepare, fill, clear, fetch, merge};

/* ---- all kinds ---- */

uint64_t *uhi_histogram_get_counts(const uh_histogram *histogram) {
    if (histogram->growing)
        return histogram->growing->count.counts;
    return histogram->counts ? histogram->counts + 1 : histogram->store->counts;
}

void uhi_histogram_read_counts(const uh_histogram *histogram, size_t from, size_t n, uint64_t *counts) {
    if (histogram->storage == UH_STORAGE_COUNT)
        memcpy(counts, uhi_histogram_get_counts(histogram) + from, n * sizeof *counts);
    else
        uhi_store_counts(histogram->store, from, n, counts);
}

const uh_axis *uhi_histogram_get_axis(const char *call, const uh_histogram *histogram, size_t axis) {
    struct uhi_growing *growing = histogram->growing;
    uh_axis *now = NULL;
    if (!growing || histogram->cells == 0)
        return histogram->axes[axis];
    if (!growing->axis || uhi_axis_bins(growing->axis) != histogram->cells) {
        if (uhi_axis_make_integers(call, 0, histogram->cells, &now))
            return NULL;
        uh_axis_destroy(growing->axis);
        growing->axis = now;
    }
    return growing->axis;
}

struct uhi_histogram_numbers uhi_histogram_numbers(const uh_histogram *histogram) {
    struct uhi_histogram_numbers numbers = histogram->numbers;
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

void uhi_histogram_set_numbers(uh_histogram *histogram, const struct uhi_histogram_numbers *numbers) {
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
    histogram->numbers = *numbers;
    if (histogram->storage == UH_STORAGE_COUNT) /* stored after the cells, too */
        uhi_histogram_get_counts(histogram)[bins] = numbers->outside;
}
