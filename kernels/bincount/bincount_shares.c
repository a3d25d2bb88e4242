/* SPDX-License-Identifier: Apache-2.0 */
/* Integers counted on a combined device's queue: each part counts separately, and its counts or sums are added to the
 * whole when all parts are done. */
#include <stdlib.h>

#include "kernels/bincount/bincount_run.h"
#include "kernels/bincount/tuning.h"
#include "kernels/common/keys.h"
#include "kernels/common/shares.h"
#include "runtime/status.h"

/* Counts of the parts, empty between calls, and their speeds. */
struct uhi_bincount_shares {
    size_t count;
    struct uhi_speeds speeds;
    struct uhi_bincount part[];
};

struct sharing {
    struct uhi_bincount *count;
    const char *call, *argument;
    const uh_array *x, *weights;
};

static uh_status make_shares(struct uhi_bincount *count, const char *call) {
    const uh_queue *queue = count->queue;
    struct uhi_bincount_shares *made = calloc(1, sizeof *made + queue->nparts * sizeof *made->part);
    if (!made)
        return uhi_fail_memory(call, "no memory for the counts of %zu devices", queue->nparts);
    made->count = queue->nparts;
    for (size_t i = 0; i < made->count; i++)
        uhi_bincount_open(&made->part[i], queue->parts[i], count->limit, count->storage, count->sum);
    count->shares = made;
    return UH_SUCCESS;
}

void uhi_bincount_close(struct uhi_bincount *count) {
    for (size_t i = 0; count->shares && i < count->shares->count; i++)
        uhi_bincount_close_one(&count->shares->part[i]);
    free(count->shares);
    uhi_bincount_close_one(count);
}

static uh_status count_piece(void *context, size_t part, size_t from, size_t n) {
    const struct sharing *sharing = context;
    struct uhi_bincount *count = &sharing->count->shares->part[part];
    const uh_array x = uhi_array_part(sharing->x, from, n);
    count->frame.origin = from;
    if (!sharing->weights)
        return uhi_bincount_add_by_one(count, sharing->call, sharing->argument, &x, NULL);
    const uh_array weights = uhi_array_part(sharing->weights, from, n);
    return uhi_bincount_add_by_one(count, sharing->call, sharing->argument, &x, &weights);
}

/* Makes room in the whole for the results of all parts; after it nothing can fail. */
static uh_status reserve(const struct sharing *sharing) {
    struct uhi_bincount *count = sharing->count;
    const struct uhi_bincount_shares *shares = count->shares;
    size_t length = 0;
    for (size_t i = 0; i < shares->count; i++)
        length = shares->part[i].length > length ? shares->part[i].length : length;
    uh_status status = uhi_bincount_reserve(count, sharing->call, length);
    for (size_t i = 0; i < shares->count && !status; i++)
        if (shares->part[i].store)
            status = uhi_store_reserve(sharing->call, count->store, shares->part[i].store);
    return status;
}

static uh_status refuse_by(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x) {
    UHI_TRY(uhi_bincount_begin(count, call, argument, x));
    return uhi_bincount_refuse(&count->frame, x->dtype, count->limit);
}

/* Reports the first value that may not be counted: by the lead or, if that is lost, by another part of its queue. */
static uh_status refuse_first(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x) {
    uh_status status = refuse_by(count, call, argument, x);
    if (status == UH_ERROR_DEVICE_LOST && uhi_is_shared(count->queue) && !count->shares)
        UHI_TRY(make_shares(count, call));
    for (size_t i = 0; count->shares && i < count->shares->count && status == UH_ERROR_DEVICE_LOST; i++) {
        count->shares->part[i].frame.origin = 0;
        status = refuse_by(&count->shares->part[i], call, argument, x);
    }
    return status;
}

static uh_status share_out(const struct sharing *sharing) {
    struct uhi_bincount *count = sharing->count;
    /* The order of fast float64 sums must not depend on which part is fastest: one adds all, the first that can. */
    const int is_whole = count->storage == UH_STORAGE_SUM && count->sum == UH_SUM_FAST;
    const struct uhi_share share = {.call = sharing->call,
                                    .queue = count->queue,
                                    .n = sharing->x->count,
                                    .min_piece = is_whole ? sharing->x->count : UHI_BINCOUNT_MIN_SHARE,
                                    .array = {sharing->x->data, sharing->weights ? sharing->weights->data : NULL},
                                    .narrays = sharing->weights ? 2 : 1,
                                    .piece = count_piece,
                                    .context = (void *)(uintptr_t)sharing};
    uh_status status = count->shares ? UH_SUCCESS : make_shares(count, sharing->call);
    if (!status)
        status = uhi_share_out(&share, &count->shares->speeds);
    if (!status)
        status = reserve(sharing);
    else if (status == UH_ERROR_INVALID_ARGUMENT)
        status = refuse_first(count, sharing->call, sharing->argument, sharing->x);
    for (size_t i = 0; count->shares && i < count->shares->count; i++) {
        struct uhi_bincount *part = &count->shares->part[i];
        if (!status)
            uhi_bincount_join(count, part->counts, part->store, part->length);
        uhi_bincount_clear(part);
    }
    return status;
}

uh_status uhi_bincount_add(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x,
                           const uh_array *weights) {
    if (!uhi_is_shared(count->queue))
        return uhi_bincount_add_by_one(count, call, argument, x, weights);
    return share_out(&(struct sharing){count, call, argument, x, weights});
}

uh_status uhi_bincount_find_length(struct uhi_bincount *count, const char *call, const char *argument,
                                   const uh_array *x, size_t *length) {
    const uint64_t zero = uhi_value_is_signed(x->dtype) ? UHI_TOP_64 : 0; /* key of 0 */
    struct uhi_extent extent = {0};
    UHI_TRY(uhi_extent_find(call, argument, count->queue, x->dtype, uhi_array_values(x), &extent));
    if (extent.low >= zero && extent.high - zero < uhi_bincount_room()) {
        *length = (size_t)(extent.high - zero) + 1;
        return UH_SUCCESS;
    }
    return refuse_first(count, call, argument, x);
}
