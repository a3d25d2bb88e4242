/* SPDX-License-Identifier: Apache-2.0 */
/* The order of launches that counts integers on a device. */
#include "kernels/bincount/bincount_device.h"

#include <stdlib.h>

#include "kernels/bincount/bincount_state.h"
#include "runtime/status.h"

/* One counting of values in bins. */
struct counting {
    struct uhi_bincount_device *state;
    struct uhi_histogram_shape shape;
    uh_kernel *kernel;
    uint32_t bins;
    size_t words;       /* of all tables and the word before them */
    uint32_t *readback; /* `bins` counts */
    uint64_t *counts;   /* `bins` counts that have left the device */
    int beyond;
};

static uh_status launch_count(const struct counting *counting, const void *values, uint64_t n,
                              struct uhi_stream_slot *slot) {
    const struct uhi_histogram_shape *shape = &counting->shape;
    const uint32_t *words = counting->state->words;
    uh_arg args[8] = {uh_arg_pointer(values), uh_arg_value(&n, sizeof n), uh_arg_pointer(words + 1),
                      uh_arg_value(&counting->bins, sizeof counting->bins), uh_arg_pointer(words)};
    size_t nargs = 5;
    if (shape->local_counts) {
        args[nargs++] = uh_arg_value(&shape->pitch, sizeof shape->pitch);
        args[nargs++] = uh_arg_value(&shape->replicas, sizeof shape->replicas);
        args[nargs++] = uh_arg_local(shape->local_counts);
    } else {
        args[nargs++] = uh_arg_value(&shape->slabs, sizeof shape->slabs);
    }
    return uhi_engine_run(&counting->state->engine, counting->kernel, uhi_histogram_groups(shape, n), shape->group_size,
                          args, nargs, slot->copied, &slot->used);
}

/* Moves the device's counts to counting->counts. */
static uh_status empty_counters(struct counting *counting) {
    struct uhi_bincount_device *state = counting->state;
    const struct uhi_histogram_shape *shape = &counting->shape;
    uint32_t beyond = 0;
    uh_kernel *kernel = NULL;
    uh_status status = uhi_stream_drain(&state->stream);
    if (!status && shape->slabs > 1) {
        status = uhi_engine_kernel(&state->engine, "add_tables", &kernel);
        const uh_arg args[] = {uh_arg_pointer(state->words + 1), uh_arg_value(&counting->bins, sizeof counting->bins),
                               uh_arg_value(&shape->slabs, sizeof shape->slabs)};
        const size_t groups = (counting->bins + shape->group_size - 1) / shape->group_size;
        if (!status)
            status = uhi_engine_run(&state->engine, kernel, groups < shape->groups ? groups : shape->groups,
                                    shape->group_size, args, 3, NULL, NULL);
    }
    if (!status)
        status = uhi_bincount_state_fetch(state, &beyond, state->words, sizeof beyond);
    if (!status)
        status = uhi_bincount_state_fetch(state, counting->readback, state->words + 1,
                                          counting->bins * sizeof *counting->readback);
    if (status)
        return status;
    for (size_t v = 0; v < counting->bins; v++)
        counting->counts[v] += counting->readback[v];
    counting->beyond |= beyond != 0;
    return UH_SUCCESS;
}

static uh_status count_pieces(struct counting *counting, const struct uhi_feed *feed) {
    struct uhi_bincount_device *state = counting->state;
    uint64_t pending = 0;
    uh_status status = UH_SUCCESS;
    for (size_t from = 0, n; from < feed->x.n && !status; from += n) {
        struct uhi_stream_slot *slot;
        const void *values = NULL;
        n = uhi_bincount_piece_length(feed, from);
        if (pending + n > state->most) {
            status = empty_counters(counting);
            if (!status)
                status = uhi_bincount_state_words(state, counting->words, counting->words);
            pending = 0;
        }
        if (!status)
            status = uhi_bincount_state_piece(feed, from, n, &slot, &values);
        if (!status)
            status = launch_count(counting, values, n, slot);
        pending += n;
    }
    return status ? status : empty_counters(counting);
}

static uh_status prepare_counting(const char *call, struct counting *counting, uh_dtype dtype) {
    struct uhi_bincount_device *state = counting->state;
    counting->shape = uhi_bincount_device_shape(state, counting->bins);
    counting->words = (size_t)counting->shape.slabs * counting->bins + 1;
    counting->counts = calloc(counting->bins, sizeof *counting->counts);
    counting->readback = calloc(counting->bins, sizeof *counting->readback);
    if (!counting->counts || !counting->readback)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %u counts", call, (unsigned)counting->bins);
    uh_status status = uhi_bincount_state_kernel(state, counting->shape.local_counts ? "count_local" : "count_global",
                                                 uhi_bincount_width_name(dtype), &counting->kernel);
    return status ? status : uhi_bincount_state_words(state, counting->words, counting->words);
}

/* Adds what was counted to the result. */
static uh_status add_counts(const char *call, struct uhi_bincount *count, const struct counting *counting) {
    size_t length = counting->bins;
    while (length > 0 && counting->counts[length - 1] == 0)
        length--;
    uh_status status = uhi_bincount_reserve(call, count, length);
    if (status)
        return status;
    for (size_t v = 0; v < length; v++)
        count->counts[v] += counting->counts[v];
    count->length = length > count->length ? length : count->length;
    return UH_SUCCESS;
}

uh_status uhi_bincount_device_add(const char *call, struct uhi_bincount_device *state, struct uhi_bincount *count,
                                  uh_dtype dtype, const void *x, size_t n) {
    struct counting counting = {.state = state};
    struct uhi_feed feed = {0};
    uint64_t largest = uhi_bincount_allowed(dtype, count->limit);
    uh_status status = UH_SUCCESS;
    if (!count->limit.given)
        status = uhi_bincount_device_look(call, state, count->limit, dtype, x, n, &largest);
    if (!status && largest >= UHI_BINCOUNT_MOST_BINS)
        status = uhi_fail(UH_ERROR_UNSUPPORTED,
                          "%s: the largest value is %llu, expected at most %llu on a device; the host counts more",
                          call, (unsigned long long)largest, (unsigned long long)UHI_BINCOUNT_MOST_BINS - 1);
    if (status)
        return status;
    counting.bins = (uint32_t)largest + 1;
    status = prepare_counting(call, &counting, dtype);
    if (!status)
        status = uhi_bincount_state_feed(state, call, dtype, x, n, state->most, &feed);
    if (!status)
        status = count_pieces(&counting, &feed);
    if (status)
        uhi_bincount_state_settle(state);
    else if (counting.beyond)
        status = uhi_bincount_state_refuse(call, state, count->limit, largest, dtype, x, n);
    else
        status = add_counts(call, count, &counting);
    free(counting.counts);
    free(counting.readback);
    return status;
}
