/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms on a combined device's queue. Each part fills a histogram of its own over the same axes; at the end of a
 * call these are added to the whole. Adding is exact and independent of order, so that the bits equal those of one
 * device. Between calls the parts' histograms are empty and nothing is left on a device. */

#include "api/histogram.h"
#include "kernels/histogram/tuning.h"
#include "runtime/status.h"

/* ---- filling ---- */

struct filling {
    const char *call;
    const uh_histogram *histogram;
    const struct uhi_filled *filled;
};

static uh_status fill_piece(void *context, size_t part, size_t from, size_t n) {
    const struct filling *filling = context;
    uh_histogram *histogram = filling->histogram->shares->part[part];
    const struct uhi_filled *all = filling->filled;
    uh_array arrays[UH_MAX_AXES], weights = {0};
    const struct uhi_filled filled = {arrays, all->weights ? &weights : NULL, all->names};
    for (size_t a = 0; a < histogram->naxes; a++)
        arrays[a] = uhi_array_part(&all->arrays[a], from, n);
    if (all->weights)
        weights = uhi_array_part(all->weights, from, n);
    uh_status status = uhi_fixed_contents.fill(filling->call, histogram, &filled);
    if (!status)
        status = uhi_fixed_contents.fetch(filling->call, histogram);
    if (status) /* earlier pieces are on the host and stay */
        uhi_histogram_discard(&histogram->run, histogram->store);
    return status;
}

/* Adds the contents of all parts, or nothing on failure. */
static uh_status join(const char *call, uh_histogram *histogram) {
    const struct uhi_histogram_shares *shares = histogram->shares;
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < shares->count && histogram->store && !status; i++)
        status = uhi_store_reserve(call, histogram->store, shares->part[i]->store);
    for (size_t i = 0; i < shares->count && !status; i++) { /* room is reserved */
        const struct uhi_histogram_numbers numbers = uhi_histogram_numbers(shares->part[i]);
        if (numbers.points > 0)
            status = uhi_fixed_contents.merge(call, histogram, shares->part[i], &numbers);
    }
    return status;
}

static void clear_parts(const struct uhi_histogram_shares *shares) {
    for (size_t i = 0; i < shares->count; i++)
        if (uhi_histogram_numbers(shares->part[i]).points > 0) {
            uhi_fixed_contents.clear(shares->part[i]);
            shares->part[i]->numbers = (struct uhi_histogram_numbers){0};
        }
}

uh_status uhi_histogram_fill_shared(const char *call, uh_histogram *histogram, const struct uhi_filled *filled) {
    const uh_array *arrays = filled->arrays;
    struct filling filling = {call, histogram, filled};
    struct uhi_share share = {.call = call,
                              .queue = histogram->queue,
                              .n = arrays->count,
                              .min_piece = UHI_HISTOGRAM_MIN_SHARE,
                              .piece = fill_piece,
                              .context = &filling};
    for (size_t a = 0; a < histogram->naxes; a++)
        share.array[share.narrays++] = arrays[a].data;
    if (filled->weights)
        share.array[share.narrays++] = filled->weights->data;
    uh_status status = uhi_share_out(&share, &histogram->shares->speeds);
    if (!status)
        status = join(call, histogram);
    clear_parts(histogram->shares);
    return status;
}

/* Succeeds if at least one part is prepared; failures of the others are reported when they are filled. */
uh_status uhi_histogram_prepare_shared(const char *call, uh_histogram *histogram, const uh_dtype *dtypes) {
    const struct uhi_histogram_shares *shares = histogram->shares;
    size_t prepared = 0;
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < shares->count; i++) {
        const uh_status of_part = uhi_fixed_contents.prepare(call, shares->part[i], dtypes);
        prepared += of_part ? 0 : 1;
        status = of_part ? of_part : status;
    }
    return prepared ? UH_SUCCESS : status;
}

/* ---- indices ---- */

/* Index lookup by parts: with one plan for all, or with the parts' own. */
struct indexing {
    const char *call;
    const uh_array *x;
    struct uhi_index index;
    struct uhi_histogram_run *run[UHI_MAX_SHARES];
    const struct uhi_histogram_plan *plan[UHI_MAX_SHARES];
};

static uh_status index_piece(void *context, size_t part, size_t from, size_t n) {
    const struct indexing *indexing = context;
    const uh_array x = uhi_array_part(indexing->x, from, n);
    struct uhi_index index = indexing->index;
    index.to = (char *)index.to + from * uh_dtype_size(index.dtype);
    return uhi_histogram_index(indexing->run[part], indexing->call, indexing->plan[part], uhi_array_values(&x), index);
}

static uh_status index_all(uh_queue *queue, struct indexing *indexing) {
    struct uhi_speeds speeds = {{0}};
    const struct uhi_share share = {.call = indexing->call,
                                    .queue = queue,
                                    .n = indexing->x->count,
                                    .min_piece = UHI_HISTOGRAM_MIN_SHARE,
                                    .array = {indexing->x->data, indexing->index.to},
                                    .narrays = 2,
                                    .piece = index_piece,
                                    .context = indexing};
    return uhi_share_out(&share, &speeds);
}

uh_status uhi_histogram_index_shared(const char *call, uh_histogram *histogram, const uh_array *x,
                                     struct uhi_index index) {
    const struct uhi_histogram_shares *shares = histogram->shares;
    struct indexing indexing = {.call = call, .x = x, .index = index};
    for (size_t i = 0; i < shares->count; i++) {
        indexing.run[i] = &shares->part[i]->run;
        UHI_TRY(uhi_histogram_get_plan(call, shares->part[i], 0, x->dtype, &indexing.plan[i]));
    }
    return index_all(histogram->queue, &indexing);
}

uh_status uhi_index_shared(const char *call, uh_queue *queue, const struct uhi_histogram_plan *plan, const uh_array *x,
                           struct uhi_index index) {
    struct indexing indexing = {.call = call, .x = x, .index = index};
    struct uhi_histogram_run *runs = calloc(queue->nparts, sizeof *runs);
    if (!runs)
        return uhi_fail_memory(call, "no memory for the state of %zu devices", queue->nparts);
    for (size_t i = 0; i < queue->nparts; i++) {
        uhi_histogram_open(&runs[i], queue->parts[i]);
        indexing.run[i] = &runs[i];
        indexing.plan[i] = plan;
    }
    const uh_status status = index_all(queue, &indexing);
    for (size_t i = 0; i < queue->nparts; i++)
        uhi_histogram_close(&runs[i]);
    free(runs);
    return status;
}
