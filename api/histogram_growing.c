/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over one growing axis, whose cells count integers. */
#include <inttypes.h>

#include "api/histogram.h"
#include "runtime/status.h"

/* ---- checks ---- */

uh_status uhi_growing_check(const char *call, const uh_histogram_options *options, const uh_axis *const *axes,
                            size_t naxes) {
    int grows = 0;
    for (size_t a = 0; a < naxes; a++)
        grows |= uhi_axis_grows(axes[a]);
    if (!grows && (options->minlength || options->maxlength))
        return uhi_fail_argument(call, "options->minlength", "is %zu and maxlength %zu, expected 0: no axis grows",
                                 options->minlength, options->maxlength);
    if (!grows)
        return UH_SUCCESS;
    if (naxes > 1)
        return uhi_fail_argument(call, "naxes", "is %zu, expected 1 where an axis grows", naxes);
    if (options->storage != UH_STORAGE_COUNT && options->storage != UH_STORAGE_SUM)
        return uhi_fail_argument(call, "options->storage", "is %s, expected count or sum where the axis grows",
                                 uh_enum_name(UH_ENUM_STORAGE, options->storage));
    uh_status status = uhi_bincount_check_length(call, "options->minlength", options->minlength);
    return status ? status : uhi_bincount_check_length(call, "options->maxlength", options->maxlength);
}

/* Whether the bins of an axis are the integers from 0. */
static int is_of_integers(const uh_axis *axis) {
    const double *edges = axis->as_f64;
    const size_t bins = uhi_axis_bins(axis);
    if (axis->edges.closed != UH_HALF_OPEN_LEFT)
        return 0;
    for (size_t j = 0; j <= bins; j++)
        if (edges[j] != (double)j)
            return 0;
    return 1;
}

uh_status uhi_growing_check_alike(const char *call, const uh_histogram *target, const uh_histogram *source) {
    if (!target->growing)
        return uhi_fail(UH_ERROR_INCOMPATIBLE, call, "target",
                        "and source differ on axis 0: fixed bins, and bins that grow");
    const struct uhi_bincount_limit limit = target->growing->count.limit;
    if (!source->growing && !is_of_integers(source->axes[0]))
        return uhi_fail(UH_ERROR_INCOMPATIBLE, call, "target",
                        "and source differ on axis 0: bins that grow, and others than the integers from 0");
    if (limit.given && source->cells > limit.max + 1)
        return uhi_fail(UH_ERROR_INCOMPATIBLE, call, "source",
                        "has %zu cells, expected at most %" PRIu64 ", as target may", source->cells, limit.max + 1);
    return UH_SUCCESS;
}

static uh_status make(const char *call, uh_histogram *made, const uh_histogram_options *options) {
    const size_t maxlength = options->maxlength;
    struct uhi_growing *growing = malloc(sizeof *growing);
    if (!growing)
        return uhi_fail_memory(call, "no memory for a histogram");
    growing->minlength = options->minlength;
    growing->axis = NULL;
    const struct uhi_bincount_limit limit = {maxlength > 0, maxlength ? maxlength - 1 : 0};
    uhi_bincount_open(&growing->count, made->queue, limit, options->storage, options->sum);
    made->growing = growing;
    made->cells = options->minlength;
    return UH_SUCCESS;
}

void uhi_growing_free(struct uhi_growing *growing) {
    uhi_bincount_close(&growing->count);
    uh_axis_destroy(growing->axis);
    free(growing);
}

/* ---- contents ---- */

static uh_status prepare(const char *call, __attribute__((unused)) uh_histogram *histogram, const uh_dtype *dtypes) {
    return uhi_bincount_check_dtype(call, "dtypes[0]", dtypes[0]);
}

/* Sets the number of cells to cover all counted values and the minimum length. */
static void lengthen(uh_histogram *histogram) {
    const struct uhi_growing *growing = histogram->growing;
    histogram->cells = growing->count.length > growing->minlength ? growing->count.length : growing->minlength;
}

static uh_status fill(const char *call, uh_histogram *histogram, const struct uhi_filled *filled) {
    const uh_array *arrays = filled->arrays;
    UHI_TRY(uhi_bincount_check_dtype(call, "arrays[0].dtype", arrays->dtype));
    UHI_TRY(uhi_bincount_add(&histogram->growing->count, call, filled->names[0], arrays, filled->weights));
    histogram->numbers.points += arrays->count;
    lengthen(histogram);
    return UH_SUCCESS;
}

static void clear(uh_histogram *histogram) {
    uhi_bincount_clear(&histogram->growing->count);
    lengthen(histogram);
}

uh_status uhi_growing_reserve(const char *call, uh_histogram *histogram, size_t cells) {
    struct uhi_bincount *count = &histogram->growing->count;
    const uh_status status = uhi_bincount_reserve(count, call, cells ? cells : 1);
    histogram->store = count->store;
    return status;
}

/* Only makes room for the minimum length. */
static uh_status fetch(const char *call, uh_histogram *histogram) {
    return uhi_growing_reserve(call, histogram, histogram->cells);
}

static uh_status merge(const char *call, uh_histogram *target, const uh_histogram *source,
                       const struct uhi_histogram_numbers *numbers) {
    const size_t cells = source->cells;
    if (numbers->outside > 0)
        return uhi_fail(UH_ERROR_INCOMPATIBLE, call, "source",
                        "has %" PRIu64 " points in no cell, expected none: target has no place for them",
                        numbers->outside);
    UHI_TRY(uhi_growing_reserve(call, target, cells));
    if (target->storage == UH_STORAGE_SUM)
        UHI_TRY(uhi_store_reserve(call, target->store, source->store));
    uhi_bincount_join(&target->growing->count, uhi_histogram_get_counts(source), source->store, cells);
    target->numbers.points += numbers->points;
    lengthen(target);
    return UH_SUCCESS;
}

const struct uhi_contents uhi_growing_contents = {make, prepare, fill, clear, fetch, merge};
