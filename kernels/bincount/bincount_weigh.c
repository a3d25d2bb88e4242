/* SPDX-License-Identifier: Apache-2.0 */
/* Weights by integer on a device: the values become cells, and the store adds. */
#include "kernels/bincount/bincount_state.h"
#include "runtime/status.h"

/* Values whose cells are on the device at a time. */
enum { PIECE = 1 << 22 };

/* One adding of weights. */
struct weighing {
    struct uhi_bincount_device *state;
    struct uhi_store_device *store;
    const char *call;
    uh_kernel *kernel;
    uint32_t bins;
    uh_dtype dtype; /* of the weights */
};

static uh_status weigh_piece(const struct weighing *weighing, const void *x, uint64_t n, struct uhi_stream_slot *slot,
                             const void *weights, struct uhi_stream_slot *weight_slot) {
    struct uhi_bincount_device *state = weighing->state;
    const struct uhi_engine *engine = &state->engine;
    uint32_t *cells = state->words + 1;
    const uh_arg args[] = {uh_arg_pointer(x), uh_arg_value(&n, sizeof n),
                           uh_arg_value(&weighing->bins, sizeof weighing->bins), uh_arg_pointer(state->words),
                           uh_arg_pointer(cells)};
    const size_t group_size = uhi_group_size(&engine->properties);
    const size_t groups = uhi_groups_to_fill(&engine->properties, group_size);
    uh_status status = uhi_engine_run(engine, weighing->kernel, uhi_groups_for(groups, group_size, n), group_size, args,
                                      5, slot->copied, &slot->used);
    if (status)
        return status;
    return uhi_store_device_add(weighing->call, weighing->store, cells, n, weighing->dtype, weights,
                                weight_slot ? weight_slot->copied : NULL, weight_slot ? &weight_slot->used : NULL);
}

static uh_status weigh_pieces(const struct weighing *weighing, const struct uhi_feed *values,
                              const struct uhi_feed *weights) {
    uh_status status = UH_SUCCESS;
    for (size_t from = 0, n; from < values->x.n && !status; from += n) {
        struct uhi_stream_slot *slot, *weight_slot = NULL;
        const void *x = NULL, *w = NULL;
        n = uhi_bincount_piece_length(values, from);
        if (weights && uhi_bincount_piece_length(weights, from) < n)
            n = uhi_bincount_piece_length(weights, from);
        status = uhi_bincount_state_piece(values, from, n, &slot, &x);
        if (!status && weights)
            status = uhi_bincount_state_piece(weights, from, n, &weight_slot, &w);
        if (!status)
            status = weigh_piece(weighing, x, n, slot, w, weight_slot);
    }
    return status;
}

/* Waits for all of it, and tells whether a value was beyond the bins. */
static uh_status finish(struct uhi_bincount_device *state, uint32_t *beyond) {
    uh_status status = uhi_stream_drain(&state->stream);
    uh_status weights = uhi_stream_drain(&state->weights);
    status = status ? status : weights;
    return status ? status : uhi_bincount_state_fetch(state, beyond, state->words, sizeof *beyond);
}

uh_status uhi_bincount_device_weigh(const char *call, struct uhi_bincount_device *state, struct uhi_store_device *store,
                                    struct uhi_bincount_limit limit, uint64_t bins, uh_dtype dtype, const void *x,
                                    size_t n, const uh_array *weights) {
    struct weighing weighing = {.state = state, .store = store, .call = call, .bins = (uint32_t)bins};
    struct uhi_feed values = {0}, fed = {0};
    const size_t most = state->most < PIECE ? state->most : PIECE;
    uint32_t beyond = 0;
    uh_status status = uhi_bincount_state_kernel(state, "cells", uhi_bincount_width_name(dtype), &weighing.kernel);
    weighing.dtype = weights ? weights->dtype : UH_F64;
    if (!status)
        status = uhi_store_device_prepare(call, store, weighing.dtype);
    if (!status)
        status = uhi_bincount_state_words(state, 1 + (n < most ? n : most), 1);
    if (!status)
        status = uhi_bincount_state_feed(state, call, dtype, x, n, most, &values);
    if (!status && weights) {
        const struct uhi_values w = {.first = weights->data, .n = n, .stride = weights->stride};
        status = uhi_feed_open(&state->weights, call, "weights", w, uh_dtype_size(weights->dtype), most, &fed);
    }
    if (!status)
        status = weigh_pieces(&weighing, &values, weights ? &fed : NULL);
    if (!status)
        status = finish(state, &beyond);
    if (status || beyond) {
        uhi_bincount_state_settle(state);
        uhi_store_device_forget(store);
        return status ? status : uhi_bincount_state_refuse(call, state, limit, bins - 1, dtype, x, n);
    }
    status = uhi_store_device_settle(call, store);
    if (status)
        uhi_store_device_forget(store);
    return status;
}
