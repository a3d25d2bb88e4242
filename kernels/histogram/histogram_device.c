/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histogram/histogram_device.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/histogram/histogram_state.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* Indices are made for so many values at a time. */
enum { INDEX_PIECE = 1 << 16 };

/* ---- counts ---- */

uh_status uhi_histogram_device_prepare(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan) {
    const struct uhi_uploaded *uploaded;
    return uhi_histogram_state_plan(state, plan, &uploaded);
}

static uh_status clear_counts(struct uhi_histogram_device *state) {
    const uint32_t zero = 0;
    uh_status status =
        uh_fill(state->engine.queue, state->counts, &zero, sizeof zero, state->slabs * state->slots, NULL, 0, NULL);
    state->dirty = status != UH_SUCCESS;
    return status;
}

/* Counters that are zero, or hold `pending` values. */
static uh_status ready_counts(struct uhi_histogram_device *state, const struct uhi_histogram_shape *shape) {
    uh_status status = UH_SUCCESS;
    if (!state->readback)
        state->readback = malloc(state->slots * sizeof *state->readback);
    if (!state->readback)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "uh_histogram_fill: no memory for %zu counts", state->slots);
    if (!state->counts) {
        void *memory = NULL;
        status =
            uh_malloc_device(state->engine.device, shape->slabs * state->slots * sizeof *state->counts, 0, &memory);
        if (status)
            return status;
        state->counts = memory;
        state->slabs = shape->slabs;
        state->dirty = 1;
    }
    return state->dirty ? clear_counts(state) : UH_SUCCESS;
}

static uh_status fail_broken(const struct uhi_histogram_device *state, const char *call) {
    return uhi_fail(state->stream.failed,
                    "%s: counting failed on %s after the call that began it had returned; the counts since "
                    "the last read are lost, uh_histogram_reset begins anew",
                    call, state->engine.properties.selector);
}

/* Brings all slabs' counts into the first. Doing it twice does no harm. */
static uh_status add_slabs(struct uhi_histogram_device *state) {
    uh_kernel *kernel = NULL;
    if (state->slabs == 1)
        return UH_SUCCESS;
    const uint32_t slots = (uint32_t)state->slots, slabs = (uint32_t)state->slabs;
    uh_status status = uhi_engine_kernel(&state->engine, "add_tables", &kernel);
    if (status)
        return status;
    const uh_arg args[] = {uh_arg_pointer(state->counts), uh_arg_value(&slots, sizeof slots),
                           uh_arg_value(&slabs, sizeof slabs)};
    const struct uhi_histogram_shape shape = uhi_histogram_choose(state->slots, UINT64_MAX, &state->engine.properties);
    size_t groups = (state->slots + shape.group_size - 1) / shape.group_size;
    return uhi_engine_run(&state->engine, kernel, groups < shape.groups ? groups : shape.groups, shape.group_size, args,
                          3, NULL, NULL);
}

uh_status uhi_histogram_device_settle(struct uhi_histogram_device *state, uint64_t *counts) {
    if (state->stream.failed)
        return fail_broken(state, "uh_histogram");
    if (state->pending == 0)
        return UH_SUCCESS;
    uh_status status = uhi_stream_drain(&state->stream);
    if (!status)
        status = add_slabs(state);
    if (!status)
        status = uh_memcpy(state->engine.queue, state->readback, state->counts, state->slots * sizeof *state->readback,
                           NULL, 0, NULL);
    /* What was submitted may still write to `readback`. */
    uh_status waited = uh_queue_wait(state->engine.queue);
    status = status ? status : waited;
    if (status)
        return status;
    for (size_t s = 0; s < state->slots; s++)
        counts[s] += state->readback[s];
    state->pending = 0;
    (void)clear_counts(state); /* where that fails, it is tried again before the next count */
    return UH_SUCCESS;
}

void uhi_histogram_device_reset(struct uhi_histogram_device *state) {
    if (state->pending > 0 || state->stream.failed)
        state->dirty = 1;
    state->pending = 0;
    if (state->stream.failed)
        uhi_stream_settle(&state->stream);
}

static uh_status launch_count(struct uhi_histogram_device *state, const struct uhi_uploaded *plan, const void *values,
                              uint64_t n, struct uhi_stream_slot *slot) {
    const struct uhi_histogram_shape *shape = &plan->shape;
    const uint32_t slabs = (uint32_t)state->slabs;
    uh_arg args[8] = {uh_arg_pointer(plan->image), uh_arg_pointer(values), uh_arg_value(&n, sizeof n),
                      uh_arg_pointer(state->counts)};
    size_t nargs = 4;
    if (shape->local_counts) {
        args[nargs++] = uh_arg_value(&shape->pitch, sizeof shape->pitch);
        args[nargs++] = uh_arg_value(&shape->replicas, sizeof shape->replicas);
        if (shape->variant == UHI_VARIANT_LOCAL)
            args[nargs++] = uh_arg_local(shape->local_tables ? shape->local_tables : 16);
        args[nargs++] = uh_arg_local(shape->local_counts);
    } else {
        args[nargs++] = uh_arg_value(&slabs, sizeof slabs);
    }
    return uhi_engine_run(&state->engine, plan->count, uhi_histogram_groups(shape, n), shape->group_size, args, nargs,
                          slot->copied, &slot->used);
}

/* Counts all pieces. Where the counters have to be emptied on the way, their counts go to *spilled, made then. */
static uh_status count_pieces(struct uhi_histogram_device *state, const struct uhi_uploaded *plan,
                              const struct uhi_feed *feed, uint64_t **spilled) {
    uh_status status = UH_SUCCESS;
    for (size_t from = 0, n; from < feed->x.n && !status; from += n) {
        struct uhi_stream_slot *slot;
        const void *values = NULL;
        n = feed->x.n - from < feed->most ? feed->x.n - from : feed->most;
        if (state->pending + n > state->most_pending) {
            if (!*spilled)
                *spilled = calloc(state->slots, sizeof **spilled);
            if (!*spilled)
                return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "uh_histogram_fill: no memory for %zu counts", state->slots);
            status = uhi_histogram_device_settle(state, *spilled);
            if (!status && state->dirty)
                status = clear_counts(state);
            if (status)
                return status;
        }
        status = uhi_stream_take(&state->stream, &slot);
        if (!status)
            status = uhi_feed_piece(feed, from, n, slot, &values);
        if (!status)
            status = launch_count(state, plan, values, n, slot);
        if (!status)
            state->pending += n;
    }
    return status;
}

uh_status uhi_histogram_device_count(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan,
                                     struct uhi_values x, uint64_t *counts) {
    const char *call = "uh_histogram_fill";
    const struct uhi_uploaded *uploaded;
    struct uhi_feed feed = {0};
    uint64_t *spilled = NULL;
    if (state->stream.failed)
        return fail_broken(state, call);
    uh_status status = uhi_histogram_state_plan(state, plan, &uploaded);
    if (!status)
        status = ready_counts(state, &uploaded->shape);
    if (!status)
        status = uhi_feed_open(&state->stream, call, "x", x, plan->tables.value_bytes, state->most_pending, &feed);
    /* A single launch counts all or nothing. Of several, those that came before a failure are forgotten: what was
     * counted earlier leaves the device first. */
    int whole = !status && x.n <= feed.most && x.n <= state->most_pending - state->pending;
    if (!status && !whole)
        status = uhi_histogram_device_settle(state, counts);
    if (!status && !whole && state->dirty)
        status = clear_counts(state);
    if (status)
        return status;
    status = count_pieces(state, uploaded, &feed, &spilled);
    if (!status && feed.place == UHI_REACHABLE) /* the caller may write to it again */
        status = uhi_stream_drain(&state->stream);
    if (status && !whole) {
        uhi_stream_settle(&state->stream);
        state->pending = 0;
        state->dirty = 1;
    }
    for (size_t s = 0; spilled && !status && s < state->slots; s++)
        counts[s] += spilled[s];
    free(spilled);
    return status;
}

/* ---- indices ---- */

/* Where indices are written before they are copied to plain host memory. */
struct index_buffers {
    void *device, *host;
};

static uh_status index_pieces(struct uhi_histogram_device *state, const struct uhi_uploaded *plan,
                              const struct uhi_feed *feed, const struct index_buffers *buffers, int64_t *index) {
    uh_status status = UH_SUCCESS;
    for (size_t from = 0, n; from < feed->x.n && !status; from += n) {
        struct uhi_stream_slot *slot;
        const void *values = NULL;
        void *to = buffers->device ? buffers->device : index + from;
        n = feed->x.n - from < feed->most ? feed->x.n - from : feed->most;
        const uint64_t count = n;
        status = uhi_stream_take(&state->stream, &slot);
        if (!status)
            status = uhi_feed_piece(feed, from, n, slot, &values);
        const uh_arg args[] = {uh_arg_pointer(plan->image), uh_arg_pointer(values), uh_arg_value(&count, sizeof count),
                               uh_arg_pointer(to)};
        if (!status)
            status = uhi_engine_run(&state->engine, plan->index, uhi_histogram_groups(&plan->shape, n),
                                    plan->shape.group_size, args, 4, slot->copied, &slot->used);
        if (!status && buffers->host)
            status = uh_memcpy(state->engine.queue, buffers->host, to, n * sizeof *index, NULL, 0, NULL);
        if (buffers->host) { /* the buffers are used again, or freed */
            uh_status waited = uh_queue_wait(state->engine.queue), drained = uhi_stream_drain(&state->stream);
            waited = waited ? waited : drained;
            status = status ? status : waited;
            if (!status)
                memcpy(index + from, buffers->host, n * sizeof *index);
        }
    }
    return status;
}

uh_status uhi_histogram_device_index(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan,
                                     struct uhi_values x, int64_t *index) {
    const char *call = "uh_histogram_digitize";
    const struct uhi_uploaded *uploaded;
    struct uhi_feed feed = {0};
    struct index_buffers buffers = {NULL, NULL};
    enum uhi_place place;
    uh_status status = uhi_histogram_state_plan(state, plan, &uploaded);
    if (!status)
        status = uhi_engine_place(&state->engine, call, "index", index, &place);
    if (!status)
        status = uhi_feed_open(&state->stream, call, "x", x, plan->tables.value_bytes, state->most_pending, &feed);
    if (status)
        return status;
    if (place == UHI_PLAIN_HOST) {
        feed.most = feed.most < INDEX_PIECE ? feed.most : INDEX_PIECE;
        size_t bytes = (x.n < feed.most ? x.n : feed.most) * sizeof *index;
        status = uh_malloc_host(state->engine.device, bytes, 0, &buffers.host);
        if (!status)
            status = uh_malloc_device(state->engine.device, bytes, 0, &buffers.device);
    }
    if (!status)
        status = index_pieces(state, uploaded, &feed, &buffers, index);
    uh_status drained = uhi_stream_drain(&state->stream);
    status = status ? status : drained;
    if (status)
        uhi_queue_drain(state->engine.queue);
    (void)uh_free(buffers.device);
    (void)uh_free(buffers.host);
    return status;
}

uh_status uhi_histogram_device_text(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan,
                                    char *text, size_t size, int *length) {
    const struct uhi_uploaded *uploaded;
    uh_status status = uhi_histogram_state_plan(state, plan, &uploaded);
    if (!status)
        *length = uhi_histogram_shape_text(&uploaded->shape, text, size);
    return status;
}
