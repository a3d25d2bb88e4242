/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of weights by integer: the values become cells of a store. */
#include "kernels/bincount/bincount_run.h"
#include "kernels/common/keys.h"
#include "runtime/status.h"

/* State of one call. */
struct weighing {
    struct uhi_bincount *count;
    uh_dtype dtype;
    const uh_array *weights; /* NULL: 1 each */
    uint64_t largest;        /* largest value; before the host has examined them, the largest allowed */
};

/* ---- on the host ---- */

/* Context of find_on_host, which turns values into cells. */
struct source {
    const struct uhi_bincount_width *width;
    size_t size;
    struct uhi_values x;
    uint64_t max;
    uint32_t none;     /* cell of values above `max` */
    uint64_t *largest; /* of all threads */
};

static void find_on_host(const void *context, __attribute__((unused)) size_t part, size_t from, size_t n,
                         uint32_t *cell) {
    const struct source *source = context;
    const struct uhi_values x = uhi_values_part(source->x, from, n);
    char buffer[UHI_PACKED_BYTES];
    for (size_t i = 0; i < n;) {
        const struct uhi_values block = uhi_values_packed(x, i, source->size, buffer);
        uhi_atomic_raise(source->largest, source->width->largest(block.first, block.n));
        source->width->cells(block.first, block.n, source->max, source->none, cell + i);
        i += block.n;
    }
}

/* Sums are added in place, so all values are examined before; not if the store is empty, because it can be emptied
 * again, and large enough for every allowed value. */
static uh_status look_on_host(struct uhi_frame *frame, void *context) {
    struct weighing *weighing = context;
    const struct uhi_bincount *count = weighing->count;
    if (count->limit.given && count->length == 0)
        return UH_SUCCESS;
    return uhi_bincount_find_largest(frame, weighing->dtype, count->limit, &weighing->largest);
}

static uh_status weigh_on_host(struct uhi_frame *frame, void *context) {
    struct weighing *weighing = context;
    struct uhi_bincount *count = weighing->count;
    const size_t size = uh_dtype_size(weighing->dtype);
    uint64_t largest = 0;
    struct source source = {.width = &uhi_bincount_host()->width[size],
                            .size = size,
                            .x = frame->operands.in[0].x,
                            .max = weighing->largest,
                            .none = (uint32_t)count->store->cells,
                            .largest = &largest};
    const struct uhi_cell_source cells = {.on_host = find_on_host, .context = &source};
    UHI_TRY(uhi_store_add(count->store, frame, &cells, uhi_values_dtype(weighing->weights)));
    if (largest > weighing->largest) { /* the store was empty */
        uhi_bincount_clear(count);
        return uhi_bincount_refuse(frame, weighing->dtype, count->limit);
    }
    weighing->largest = largest;
    return UH_SUCCESS;
}

/* ---- on a device ---- */

static uh_status look_on_device(struct uhi_frame *frame, void *context) {
    struct weighing *weighing = context;
    return uhi_bincount_find_largest(frame, weighing->dtype, weighing->count->limit, &weighing->largest);
}

struct launching {
    struct uhi_engine *engine;
    uh_kernel *kernel;
    uint32_t bins;
    uint32_t *beyond; /* on the device; set if a value had no bin */
};

static uh_status find_on_device(void *context, const struct uhi_piece *piece, uint32_t *cell) {
    const struct launching *launching = context;
    const uint64_t n = piece->n;
    const uh_arg args[] = {uh_arg_pointer(piece->in[0]), UHI_ARG(n), UHI_ARG(launching->bins),
                           uh_arg_pointer(launching->beyond), uh_arg_pointer(cell)};
    return uhi_engine_run_wide(launching->engine, launching->kernel, piece->n, args, 5, piece->ready[0], NULL);
}

static uh_status weigh_on_device(struct uhi_frame *frame, void *context) {
    struct weighing *weighing = context;
    struct uhi_bincount *count = weighing->count;
    struct launching launching = {.engine = frame->engine, .bins = (uint32_t)(weighing->largest + 1)};
    const struct uhi_cell_source cells = {
        .on_device = find_on_device, .context = &launching, .max_piece = count->counters.max_pending};
    const uint32_t zero = 0;
    uint32_t beyond = 0;
    void *word = NULL;
    uh_status status = uhi_bincount_kernel(frame->engine, "cells", weighing->dtype, &launching.kernel);
    if (!status)
        status = uhi_engine_scratch(frame->engine, sizeof beyond, &word);
    launching.beyond = word;
    if (!status)
        status = uh_fill(frame->queue, word, &zero, sizeof zero, 1, NULL);
    if (!status)
        status = uhi_store_add(count->store, frame, &cells, uhi_values_dtype(weighing->weights));
    if (!status)
        status = uhi_engine_fetch(frame->engine, &beyond, word, sizeof beyond);
    if (!status && !beyond)
        status = uhi_store_read_device(frame->call, count->store);
    if (status || beyond)
        uhi_store_discard(count->store);
    return !status && beyond ? uhi_bincount_refuse(frame, weighing->dtype, count->limit) : status;
}

/* ---- the call ---- */

static const struct uhi_stage look = {"bincount: look", look_on_host, look_on_device};
static const struct uhi_stage weigh = {"bincount: weigh", weigh_on_host, weigh_on_device};

static uh_status add_weights(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x,
                             const uh_array *weights) {
    struct weighing weighing = {count, x->dtype, weights, uhi_bincount_allowed(x->dtype, count->limit)};
    UHI_TRY(uhi_bincount_begin(count, call, argument, x));
    if (weights)
        UHI_TRY(
            uhi_frame_input(&count->frame, "weights->data", uhi_array_values(weights), uh_dtype_size(weights->dtype)));
    UHI_TRY(uhi_frame_run(&count->frame, &look, &weighing));
    UHI_TRY(uhi_bincount_reserve(count, call, count->limit.given ? count->limit.max + 1 : weighing.largest + 1));
    UHI_TRY(uhi_frame_run(&count->frame, &weigh, &weighing));
    uhi_bincount_lengthen(count, weighing.largest + 1);
    return UH_SUCCESS;
}

uh_status uhi_bincount_add_by_one(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x,
                                  const uh_array *weights) {
    return count->storage == UH_STORAGE_SUM ? add_weights(count, call, argument, x, weights)
                                            : uhi_bincount_count(count, call, argument, x);
}
