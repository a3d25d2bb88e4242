/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histogramdd/histogramdd_device.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/common/feed.h"
#include "kernels/histogram/histogram_upload.h"
#include "kernels/histogramdd/histogramdd.h"
#include "kernels/histogramdd/histogramdd_state.h"
#include "kernels/registry.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum { LEAST_PIECE = 1 << 16, USUAL_PIECE = 1 << 19, MOST_PIECE = 1 << 22 };

/* ---- life ---- */

/* Points of a piece: half the device's cache for their cells. */
static size_t piece_of(const uh_device_properties *device) {
    const uint64_t points = device->cache_l3 / 2 / sizeof(uint32_t);
    if (points == 0)
        return USUAL_PIECE;
    return points < LEAST_PIECE ? LEAST_PIECE : points > MOST_PIECE ? MOST_PIECE : uhi_power_of_two(points);
}

uh_status uhi_histogramdd_device_create(const char *call, uh_queue *queue, struct uhi_store *store,
                                        struct uhi_histogramdd_device **state) {
    struct uhi_histogramdd_device *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for the state of a device", call);
    uh_status status = uhi_engine_open(&made->engine, call, queue, uhi_histogramdd_variants());
    if (!status)
        status = uhi_store_device_create(call, queue, store, &made->store);
    if (status) {
        uhi_engine_close(&made->engine);
        free(made);
        return status;
    }
    for (size_t i = 0; i <= UH_MAX_AXES; i++)
        made->streams[i].engine = &made->engine;
    made->piece = piece_of(&made->engine.properties);
    made->most_pending = UINT32_MAX;
    *state = made;
    return UH_SUCCESS;
}

void uhi_histogramdd_device_destroy(struct uhi_histogramdd_device *state) {
    if (!state)
        return;
    for (size_t i = 0; i <= UH_MAX_AXES; i++)
        uhi_stream_free(&state->streams[i]);
    uhi_store_device_destroy(state->store);
    for (size_t a = 0; a < UH_MAX_AXES; a++)
        for (size_t i = 0; i < UH_DTYPE_COUNT; i++)
            (void)uh_free(state->plans[a][i].image);
    (void)uh_free(state->cells);
    (void)uh_free(state->flows[0]);
    (void)uh_free(state->flows[1]);
    uhi_engine_close(&state->engine);
    free(state);
}

/* ---- plans ---- */

static uh_status bring_plan(const char *call, struct uhi_histogramdd_device *state, size_t axis,
                            const struct uhi_histogram_plan *plan) {
    struct uhi_histogramdd_uploaded *kept = &state->plans[axis][plan->dtype], made = {.plan = plan};
    if (kept->plan == plan)
        return UH_SUCCESS;
    uh_status status = uhi_histogram_check_device(call, &state->engine, plan);
    if (!status)
        status = uhi_histogram_kernel(&state->engine, plan, "cells", &made.kernel);
    if (!status)
        status = uhi_histogram_upload(call, &state->engine, plan, &made.image);
    if (!status)
        *kept = made;
    return status;
}

uh_status uhi_histogramdd_device_prepare(const char *call, struct uhi_histogramdd_device *state,
                                         const struct uhi_histogramdd_points *points) {
    uh_status status = UH_SUCCESS;
    for (size_t a = 0; a < points->naxes && !status; a++)
        status = bring_plan(call, state, a, points->plan[a]);
    return status;
}

/* ---- counters and cells ---- */

static size_t flow_bytes(size_t naxes) {
    return naxes * UHI_FLOW_COUNT * sizeof(uint32_t);
}

static uh_status clear_flows(struct uhi_histogramdd_device *state) {
    const uint32_t zero = 0;
    uh_status status = uh_fill(state->engine.queue, state->flows[state->current], &zero, sizeof zero,
                               state->naxes * UHI_FLOW_COUNT, NULL, 0, NULL);
    state->dirty = status != UH_SUCCESS;
    return status;
}

/* Counters that are zero, or of `pending` points; cells for a piece of n points. */
static uh_status ready_buffers(struct uhi_histogramdd_device *state, size_t naxes, size_t n) {
    uh_status status = UH_SUCCESS;
    const size_t wanted = n < state->piece ? 2 * uhi_power_of_two(n) : state->piece;
    const size_t room = wanted < LEAST_PIECE ? LEAST_PIECE : wanted > state->piece ? state->piece : wanted;
    for (size_t i = 0; i < 2 && !status; i++) {
        void *memory = NULL;
        if (state->flows[i])
            continue;
        status = uh_malloc_device(state->engine.device, flow_bytes(naxes), 0, &memory);
        state->flows[i] = memory;
        state->naxes = naxes;
        state->dirty = 1;
    }
    if (!status && room > state->room) {
        void *memory = NULL;
        status = uh_malloc_device(state->engine.device, room * sizeof *state->cells, 0, &memory);
        if (status)
            return status;
        uhi_queue_drain(state->engine.queue); /* earlier pieces may use the old ones */
        (void)uh_free(state->cells);
        state->cells = memory;
        state->room = room;
    }
    return !status && state->dirty ? clear_flows(state) : status;
}

/* ---- what has failed ---- */

static uh_status failure_of(const struct uhi_histogramdd_device *state) {
    uh_status status = state->failed;
    for (size_t i = 0; i <= UH_MAX_AXES && !status; i++)
        status = state->streams[i].failed;
    return status;
}

static uh_status fail_broken(const char *call, const struct uhi_histogramdd_device *state) {
    return uhi_fail(failure_of(state),
                    "%s: counting failed on %s after the call that began it had returned; what was filled since the "
                    "last read is lost, uh_histogramdd_reset begins anew",
                    call, state->engine.properties.selector);
}

static uh_status drain(struct uhi_histogramdd_device *state) {
    uh_status first = UH_SUCCESS;
    for (size_t i = 0; i <= UH_MAX_AXES; i++) {
        uh_status status = uhi_stream_drain(&state->streams[i]);
        first = first ? first : status;
    }
    return first;
}

static void forget(struct uhi_histogramdd_device *state) {
    for (size_t i = 0; i <= UH_MAX_AXES; i++)
        uhi_stream_settle(&state->streams[i]);
    uhi_store_device_forget(state->store);
    state->pending = 0;
    state->dirty = 1;
    state->unsure = 0;
}

void uhi_histogramdd_device_reset(struct uhi_histogramdd_device *state) {
    if (state->pending > 0 || failure_of(state))
        forget(state);
    state->failed = UH_SUCCESS;
}

/* ---- bringing it home ---- */

uh_status uhi_histogramdd_device_settle(const char *call, struct uhi_histogramdd_device *state,
                                        struct uhi_histogramdd_sums sums) {
    uint32_t *flows = state->readback;
    if (failure_of(state))
        return fail_broken(call, state);
    if (state->pending == 0)
        return UH_SUCCESS;
    uh_status status = drain(state);
    if (!status)
        status = uh_memcpy(state->engine.queue, flows, state->flows[state->current], flow_bytes(state->naxes), NULL, 0,
                           NULL);
    /* What was submitted may still write to `readback`. */
    uh_status waited = uh_queue_wait(state->engine.queue);
    status = status ? status : waited;
    if (!status)
        status = uhi_store_device_settle(call, state->store);
    if (status)
        return status;
    for (size_t a = 0; a < state->naxes; a++)
        for (size_t i = 0; i < UHI_FLOW_OUTSIDE; i++)
            sums.counters->flow[a][i] += flows[a * UHI_FLOW_COUNT + i];
    sums.counters->outside += flows[(state->naxes - 1) * UHI_FLOW_COUNT + UHI_FLOW_OUTSIDE];
    sums.counters->points += state->pending;
    state->pending = 0;
    (void)clear_flows(state); /* where that fails, it is tried again before the next points */
    return UH_SUCCESS;
}

/* ---- adding ---- */

/* The arrays of one call on their way; the last is of the weights. */
struct feeds {
    const struct uhi_histogramdd_points *points;
    struct uhi_feed feed[UH_MAX_AXES + 1];
    size_t most; /* points of a piece */
    int waits;   /* the caller may write to one of them on return */
};

static uh_status open_feeds(const char *call, struct uhi_histogramdd_device *state, struct feeds *feeds) {
    const struct uhi_histogramdd_points *points = feeds->points;
    uh_status status = UH_SUCCESS;
    feeds->most = state->most_pending < state->room ? state->most_pending : state->room;
    for (size_t i = 0; i <= points->naxes && !status; i++) {
        struct uhi_feed *feed = &feeds->feed[i];
        char argument[48];
        if (i == points->naxes && !points->values)
            break;
        snprintf(argument, sizeof argument, i < points->naxes ? "coordinates[%zu].data" : "values->data", i);
        if (i < points->naxes)
            status = uhi_feed_open(&state->streams[i], call, argument, points->x[i],
                                   points->plan[i]->tables.value_bytes, feeds->most, feed);
        else
            status = uhi_feed_open(&state->streams[UH_MAX_AXES], call, argument,
                                   (struct uhi_values){points->values->data, points->n, points->values->stride},
                                   uh_dtype_size(points->values->dtype), feeds->most, feed);
        feeds->most = feed->most < feeds->most ? feed->most : feeds->most;
        feeds->waits |= feed->place == UHI_REACHABLE;
    }
    return status;
}

/* Brings one axis of a piece into the cells. */
static uh_status add_axis(struct uhi_histogramdd_device *state, const struct feeds *feeds, size_t axis, size_t from,
                          uint32_t n) {
    const struct uhi_histogramdd_points *points = feeds->points;
    const struct uhi_histogramdd_uploaded *plan = &state->plans[axis][points->plan[axis]->dtype];
    const size_t group_size = uhi_group_size(&state->engine.properties);
    const size_t groups = uhi_groups_for(uhi_groups_to_fill(&state->engine.properties, group_size), group_size, n);
    const uint32_t first = axis == 0, last = axis + 1 == points->naxes;
    struct uhi_stream_slot *slot;
    const void *values = NULL;
    uh_status status = uhi_stream_take(&state->streams[axis], &slot);
    if (!status)
        status = uhi_feed_piece(&feeds->feed[axis], from, n, slot, &values);
    const uh_arg args[] = {uh_arg_pointer(plan->image),
                           uh_arg_pointer(values),
                           uh_arg_value(&n, sizeof n),
                           uh_arg_value(&first, sizeof first),
                           uh_arg_value(&last, sizeof last),
                           uh_arg_pointer(state->cells),
                           uh_arg_pointer(state->flows[state->current ^ 1] + axis * UHI_FLOW_COUNT),
                           uh_arg_local(UHI_FLOW_COUNT * sizeof(uint32_t))};
    if (!status)
        status = uhi_engine_run(&state->engine, plan->kernel, groups, group_size, args, sizeof args / sizeof *args,
                                slot->copied, &slot->used);
    return status;
}

/* Adds a piece: all of it or nothing. Its flows are counted in a copy, which counts once the points are on their way
 * into the store. A store that adds by several launches may have begun when one fails: state->unsure. */
static uh_status add_piece(const char *call, struct uhi_histogramdd_device *state, const struct feeds *feeds,
                           struct uhi_histogramdd_sums sums, size_t from, size_t n) {
    const struct uhi_histogramdd_points *points = feeds->points;
    struct uhi_stream_slot *slot;
    const void *values = NULL;
    uh_status status = uh_memcpy(state->engine.queue, state->flows[state->current ^ 1], state->flows[state->current],
                                 flow_bytes(points->naxes), NULL, 0, NULL);
    for (size_t a = 0; a < points->naxes && !status; a++)
        status = add_axis(state, feeds, a, from, (uint32_t)n); /* at most MOST_PIECE */
    if (!status)
        status = uhi_stream_take(&state->streams[UH_MAX_AXES], &slot);
    if (!status && points->values)
        status = uhi_feed_piece(&feeds->feed[points->naxes], from, n, slot, &values);
    const int launched = !status;
    if (!status)
        status =
            uhi_store_device_add(call, state->store, state->cells, n, points->values ? points->values->dtype : UH_F32,
                                 values, values ? slot->copied : NULL, &slot->used);
    if (status) {
        state->unsure = launched && points->values && uhi_store_storage(sums.store) != UH_STORAGE_SUM;
        return status;
    }
    state->current ^= 1;
    state->pending += n;
    return UH_SUCCESS;
}

/* Adds all pieces. *kept: some of them are beyond forgetting. */
static uh_status add_pieces(const char *call, struct uhi_histogramdd_device *state, const struct feeds *feeds,
                            struct uhi_histogramdd_sums sums, int *kept) {
    uh_status status = UH_SUCCESS;
    for (size_t from = 0, n; from < feeds->points->n && !status; from += n) {
        n = feeds->points->n - from < feeds->most ? feeds->points->n - from : feeds->most;
        if (state->pending + n > state->most_pending) {
            status = uhi_histogramdd_device_settle(call, state, sums);
            *kept |= !status && from > 0;
            if (!status && state->dirty)
                status = clear_flows(state);
        }
        if (!status)
            status = add_piece(call, state, feeds, sums, from, n);
    }
    return status;
}

uh_status uhi_histogramdd_device_add(const char *call, struct uhi_histogramdd_device *state,
                                     const struct uhi_histogramdd_points *points, struct uhi_histogramdd_sums sums) {
    struct feeds feeds = {.points = points};
    int kept = 0;
    if (failure_of(state))
        return fail_broken(call, state);
    uh_status status = uhi_histogramdd_device_prepare(call, state, points);
    if (!status)
        status = uhi_store_device_prepare(call, state->store, points->values ? points->values->dtype : UH_F32);
    if (!status)
        status = ready_buffers(state, points->naxes, points->n);
    if (!status)
        status = open_feeds(call, state, &feeds);
    /* A single piece is added whole or not at all. Of several, those that came before a failure are forgotten: what was
     * filled earlier leaves the device first. */
    const int whole = !status && points->n <= feeds.most && points->n <= state->most_pending - state->pending;
    if (!status && !whole)
        status = uhi_histogramdd_device_settle(call, state, sums);
    if (!status && !whole && state->dirty)
        status = clear_flows(state);
    if (status)
        return status;
    status = add_pieces(call, state, &feeds, sums, &kept);
    if (!status && feeds.waits)
        status = drain(state);
    if (status && (!whole || state->unsure)) {
        kept |= whole && state->pending > 0;
        forget(state);
        state->failed = kept ? status : UH_SUCCESS;
    }
    return status;
}
