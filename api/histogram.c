/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms: lifetime and filling. Reading is in histogram_read.c, deriving new histograms in histogram_parts.c. */
#include "api/histogram.h"

#include <inttypes.h>

#include "runtime/queue.h"
#include "runtime/status.h"

enum { DEFAULT_LEAF = 4, MAX_LEAF = 64 };

size_t uhi_default_table_bytes(size_t bins) {
    const size_t min = (size_t)64 << 20;
    return bins * 24 > min ? bins * 24 : min;
}

/* ---- creation ---- */

static uh_status check_options(const char *call, const uh_histogram_options *options, const uh_axis *const *axes,
                               size_t naxes) {
    const uh_storage storage = options->storage;
    UHI_TRY(uhi_check_enum(call, "options->storage", UH_NO_INDEX, UH_ENUM_STORAGE, storage));
    UHI_TRY(uhi_check_enum(call, "options->sum", UH_NO_INDEX, UH_ENUM_SUM, options->sum));
    if (options->sum == UH_SUM_FAST && (storage == UH_STORAGE_COUNT || storage >= UH_STORAGE_U8))
        return uhi_fail_argument(call, "options->sum",
                                 "is UH_SUM_FAST and storage is %s, expected sum, weighted or mean",
                                 uh_enum_name(UH_ENUM_STORAGE, storage));
    if (options->leaf_bins > MAX_LEAF)
        return uhi_fail_argument(call, "options->leaf_bins", "is %" PRIu32 ", expected at most %d", options->leaf_bins,
                                 MAX_LEAF);
    for (size_t a = 0; a < naxes && options->methods; a++) {
        UHI_TRY(uhi_check_enum(call, "options->methods", a, UH_ENUM_METHOD, options->methods[a]));
        if (options->methods[a] == UH_METHOD_CDF && !axes[a]->edges.distribution)
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "axes", a,
                               ": method cdf goes by the distribution that the axis carries, and this axis carries "
                               "none; see uh_axis_create_distribution and uh_axis_create_with_distribution");
    }
    return uhi_growing_check(call, options, axes, naxes);
}

uh_status uhi_count_cells(const char *call, const size_t *bins, size_t naxes, size_t *cells) {
    size_t product = 1;
    for (size_t a = 0; a < naxes; a++)
        if (__builtin_mul_overflow(product, bins[a], &product))
            product = SIZE_MAX;
    if (product > UH_MAX_CELLS)
        return uhi_fail_argument(call, NULL, "the axes have %s%zu cells together, expected at most %zu (UH_MAX_CELLS)",
                                 product == SIZE_MAX ? "more than " : "", product, UH_MAX_CELLS);
    *cells = product;
    return UH_SUCCESS;
}

static uh_status count_cells(const char *call, const uh_axis *const *axes, size_t naxes, size_t *cells) {
    size_t bins[UH_MAX_AXES];
    uh_status status = uhi_check_between(call, "naxes", UH_NO_INDEX, naxes, 1, UH_MAX_AXES);
    for (size_t a = 0; a < naxes && !status; a++) {
        if (!axes[a])
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "axes", a, "is NULL, expected an axis");
        bins[a] = uhi_axis_bins(axes[a]);
    }
    return status ? status : uhi_count_cells(call, bins, naxes, cells);
}

/* For a queue of a combined device: makes an empty histogram per part, to share the work. Sums that are not exact are
 * added by the lead alone, because their order must not depend on the speed of the parts. */
static uh_status make_shares(const char *call, uh_histogram *made, const uh_histogram_options *options) {
    const uh_queue *queue = made->queue;
    if (!uhi_is_shared(queue) || made->sum != UH_SUM_EXACT || made->growing) /* a growing one has its own shares */
        return UH_SUCCESS;
    struct uhi_histogram_shares *shares = calloc(1, sizeof *shares + queue->nparts * sizeof(void *));
    if (!shares)
        return uhi_fail_memory(call, "no memory for a histogram");
    made->shares = shares;
    for (; shares->count < queue->nparts; shares->count++)
        UHI_TRY(uhi_histogram_make(call, queue->parts[shares->count], (const uh_axis *const *)made->axes, made->naxes,
                                   options, &shares->part[shares->count]));
    return UH_SUCCESS;
}

/* Returns the counters that a work-group on a device would need for all slots; sums need words for some windows per
 * slot. */
static size_t counters_of(const uh_axis *const *axes, size_t naxes, uh_storage storage) {
    enum { WORDS_OF_SUMS = 8 };
    size_t counters = storage == UH_STORAGE_COUNT ? 1 : WORDS_OF_SUMS;
    for (size_t a = 0; a < naxes; a++) {
        const size_t slots = uhi_axis_bins(axes[a]) + 3;
        counters = counters > SIZE_MAX / slots ? SIZE_MAX : counters * slots;
    }
    return counters;
}

uh_status uhi_histogram_make(const char *call, uh_queue *queue, const uh_axis *const *axes, size_t naxes,
                             const uh_histogram_options *options, uh_histogram **histogram) {
    uh_histogram_options taken;
    size_t cells = 0;
    UHI_NEED(call, queue, "a queue");
    UHI_NEED(call, axes, "an array of axes");
    UHI_TRY(count_cells(call, axes, naxes, &cells));
    UHI_TRY(uhi_sized_read(call, "options", options, &taken, sizeof taken));
    UHI_TRY(check_options(call, &taken, axes, naxes));
    uh_histogram *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail_memory(call, "no memory for a histogram");
    made->queue = queue;
    made->naxes = naxes;
    made->cells = cells;
    made->storage = taken.storage;
    made->sum = taken.sum;
    uhi_queue_retain(queue);
    uhi_histogram_open(&made->run, queue);
    for (size_t a = 0; a < naxes; a++) {
        made->axes[a] = uhi_axis_retain((uh_axis *)(uintptr_t)axes[a]);
        made->options[a] = (struct uhi_plan_options){
            .lookup = uhi_lookup_of_method(taken.methods ? taken.methods[a] : UH_METHOD_AUTO),
            .leaf_bins = taken.leaf_bins ? taken.leaf_bins : DEFAULT_LEAF,
            .table_bytes = taken.table_bytes ? taken.table_bytes : uhi_default_table_bytes(uhi_axis_bins(axes[a]))};
        uhi_plan_aim(&made->options[a], queue, counters_of(axes, naxes, taken.storage), naxes, 0);
    }
    made->contents = uhi_axis_grows(axes[0]) ? &uhi_growing_contents : &uhi_fixed_contents;
    uh_status status = made->contents->make(call, made, &taken);
    if (!status)
        status = make_shares(call, made, &taken);
    if (status)
        uh_histogram_destroy(made);
    else
        *histogram = made;
    return status;
}

uh_status uh_histogram_create(uh_queue *queue, uh_axis *const *axes, size_t naxes, const uh_histogram_options *options,
                              uh_histogram **histogram) {
    UHI_NEED(__func__, histogram, "where to store the histogram");
    return uhi_histogram_make(__func__, queue, (const uh_axis *const *)axes, naxes, options, histogram);
}

void uhi_histogram_want(uh_histogram *histogram, size_t axis, enum uhi_lookup lookup) {
    histogram->options[axis].lookup = lookup;
    for (size_t i = 0; histogram->shares && i < histogram->shares->count; i++)
        uhi_histogram_want(histogram->shares->part[i], axis, lookup);
}

void uh_histogram_destroy(uh_histogram *histogram) {
    if (!histogram)
        return;
    for (size_t a = 0; a < histogram->naxes; a++) {
        for (size_t i = 0; i < UH_DTYPE_COUNT; i++)
            uhi_plan_destroy(histogram->plans[a][i]);
        uh_axis_destroy(histogram->axes[a]);
    }
    for (size_t i = 0; histogram->shares && i < histogram->shares->count; i++)
        uh_histogram_destroy(histogram->shares->part[i]);
    free(histogram->shares);
    if (histogram->growing)
        uhi_growing_free(histogram->growing); /* frees the store, too */
    else
        uhi_store_destroy(histogram->store);
    uhi_histogram_close(&histogram->run);
    free(histogram->counts);
    uhi_queue_release(histogram->queue);
    free(histogram);
}

uh_status uh_histogram_prepare(uh_histogram *histogram, const uh_dtype *dtypes) {
    UHI_NEED(__func__, histogram, "a histogram");
    UHI_NEED(__func__, dtypes, "one per axis");
    for (size_t a = 0; a < histogram->naxes; a++)
        UHI_TRY(uhi_check_enum(__func__, "dtypes", a, UH_ENUM_DTYPE, dtypes[a]));
    return histogram->shares ? uhi_histogram_prepare_shared(__func__, histogram, dtypes)
                             : histogram->contents->prepare(__func__, histogram, dtypes);
}

/* ---- filling ---- */

uh_status uhi_histogram_check_weights(const char *call, const uh_histogram *histogram, const uh_array *weights,
                                      size_t n) {
    const uh_storage storage = histogram->storage;
    if (!weights && storage == UH_STORAGE_MEAN)
        return uhi_fail_null(call, "weights", "the sampled values: storage is mean");
    if (weights && !uhi_store_has_sums(storage))
        return uhi_fail_argument(call, "weights", "are given, expected NULL: storage is %s",
                                 uh_enum_name(UH_ENUM_STORAGE, storage));
    return weights ? uhi_check_weights(call, "weights", weights, n) : UH_SUCCESS;
}

uh_status uhi_check_coordinates(const char *call, const uh_array *arrays, size_t axis) {
    uh_status status = uhi_check_array(call, "arrays", axis, &arrays[axis]);
    if (status || arrays[axis].count == arrays->count)
        return status;
    return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "arrays", axis, "count",
                           "is %zu, expected %zu, as of arrays[0]", arrays[axis].count, arrays->count);
}

uh_status uhi_histogram_expect(const char *call, uh_histogram *histogram, size_t n) {
    uh_status status = UH_SUCCESS;
    if (n > UINT64_MAX - histogram->most) {
        status = histogram->contents->fetch(call, histogram);
        histogram->most = status ? histogram->most : uhi_histogram_numbers(histogram).points;
    }
    if (!status && n > UINT64_MAX - histogram->most)
        status = uhi_fail(UH_ERROR_OVERFLOW, call, NULL, "%" PRIu64 " points and %zu more pass 2^64 - 1",
                          histogram->most, n);
    histogram->most += status ? 0 : n;
    return status;
}

const char *const uhi_names_of_arrays[UH_MAX_AXES + 1] = {"arrays[0].data", "arrays[1].data", "arrays[2].data",
                                                          "arrays[3].data", "arrays[4].data", "arrays[5].data",
                                                          "arrays[6].data", "arrays[7].data", "weights->data"};

uh_status uhi_histogram_fill(const char *call, uh_histogram *histogram, const struct uhi_filled *filled) {
    const uh_array *arrays = filled->arrays;
    for (size_t a = 0; a < histogram->naxes; a++)
        UHI_TRY(uhi_check_coordinates(call, arrays, a));
    UHI_TRY(uhi_histogram_check_weights(call, histogram, filled->weights, arrays->count));
    if (arrays->count == 0)
        return UH_SUCCESS;
    UHI_TRY(uhi_histogram_expect(call, histogram, arrays->count));
    return histogram->shares ? uhi_histogram_fill_shared(call, histogram, filled)
                             : histogram->contents->fill(call, histogram, filled);
}

uh_status uh_histogram_fill(uh_histogram *histogram, const uh_array *arrays, const uh_array *weights) {
    UHI_NEED(__func__, histogram, "a histogram");
    UHI_NEED(__func__, arrays, "one per axis");
    return uhi_histogram_fill(__func__, histogram, &(struct uhi_filled){arrays, weights, uhi_names_of_arrays});
}

uh_status uh_histogram_reset(uh_histogram *histogram) {
    UHI_NEED(__func__, histogram, "a histogram");
    histogram->contents->clear(histogram);
    histogram->numbers = (struct uhi_histogram_numbers){0};
    histogram->most = 0;
    return UH_SUCCESS;
}

uh_status uhi_histogram_check_alike(const char *call, const uh_histogram *target, const uh_histogram *source) {
    if (target->naxes != source->naxes)
        return uhi_fail(UH_ERROR_INCOMPATIBLE, call, "target", "and source differ: %zu axes and %zu", target->naxes,
                        source->naxes);
    if (target->storage != source->storage)
        return uhi_fail(UH_ERROR_INCOMPATIBLE, call, "target", "and source differ: cells of storage %s and %s",
                        uh_enum_name(UH_ENUM_STORAGE, target->storage), uh_enum_name(UH_ENUM_STORAGE, source->storage));
    if (target->sum != source->sum)
        return uhi_fail(UH_ERROR_INCOMPATIBLE, call, "target", "and source differ: %s and %s sums",
                        uh_enum_name(UH_ENUM_SUM, target->sum), uh_enum_name(UH_ENUM_SUM, source->sum));
    if (target->growing || source->growing)
        return uhi_growing_check_alike(call, target, source);
    for (size_t a = 0; a < target->naxes; a++)
        UHI_TRY(uhi_axis_check_alike(call, a, target->axes[a], source->axes[a]));
    return UH_SUCCESS;
}

uh_status uh_histogram_merge(uh_histogram *target, uh_histogram *source) {
    UHI_NEED(__func__, target, "a histogram");
    UHI_NEED(__func__, source, "a histogram");
    UHI_TRY(uhi_histogram_check_alike(__func__, target, source));
    UHI_TRY(target->contents->fetch(__func__, target));
    UHI_TRY(source->contents->fetch(__func__, source));
    const struct uhi_histogram_numbers to = uhi_histogram_numbers(target), from = uhi_histogram_numbers(source);
    if (from.points > UINT64_MAX - to.points) /* no counter exceeds the number of points */
        return uhi_fail(UH_ERROR_OVERFLOW, __func__, NULL, "%" PRIu64 " + %" PRIu64 " points pass 2^64 - 1", to.points,
                        from.points);
    UHI_TRY(target->contents->merge(__func__, target, source, &from));
    target->most = to.points + from.points;
    return UH_SUCCESS;
}
