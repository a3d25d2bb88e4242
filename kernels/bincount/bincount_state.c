/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/bincount/bincount_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/bincount/extent.h"
#include "kernels/registry.h"
#include "runtime/queue.h"
#include "runtime/status.h"

uh_status uhi_bincount_device_create(const char *call, uh_queue *queue, struct uhi_bincount_device **state) {
    struct uhi_bincount_device *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for the state of a device", call);
    uh_status status = uhi_engine_open(&made->engine, call, queue, uhi_bincount_variants());
    if (status) {
        free(made);
        return status;
    }
    made->stream.engine = made->weights.engine = &made->engine;
    made->most = UINT32_MAX;
    *state = made;
    return UH_SUCCESS;
}

void uhi_bincount_device_destroy(struct uhi_bincount_device *state) {
    if (!state)
        return;
    uhi_stream_free(&state->stream);
    uhi_stream_free(&state->weights);
    (void)uh_free(state->words);
    uhi_engine_close(&state->engine);
    free(state);
}

void uhi_bincount_device_set_most(struct uhi_bincount_device *state, uint64_t most) {
    state->most = most;
}

struct uhi_histogram_shape uhi_bincount_device_shape(const struct uhi_bincount_device *state, size_t bins) {
    return uhi_histogram_choose(bins, 0, &state->engine.properties);
}

void uhi_bincount_state_settle(struct uhi_bincount_device *state) {
    uhi_stream_settle(&state->stream);
    uhi_stream_settle(&state->weights);
    uhi_queue_drain(state->engine.queue);
}

uh_status uhi_bincount_state_kernel(struct uhi_bincount_device *state, const char *what, const char *type,
                                    uh_kernel **kernel) {
    char name[32];
    snprintf(name, sizeof name, "%s_%s", what, type);
    return uhi_engine_kernel(&state->engine, name, kernel);
}

const char *uhi_bincount_width_name(uh_dtype dtype) {
    switch (uhi_value_size(dtype)) {
    case 1: return "8";
    case 2: return "16";
    case 4: return "32";
    default: return "64";
    }
}

uh_status uhi_bincount_state_fetch(struct uhi_bincount_device *state, void *to, const void *from, size_t bytes) {
    uh_status status = uh_memcpy(state->engine.queue, to, from, bytes, NULL, 0, NULL);
    uh_status waited = uh_queue_wait(state->engine.queue);
    status = status ? status : waited;
    if (status) /* the copy may still be under way */
        uhi_queue_drain(state->engine.queue);
    return status;
}

uh_status uhi_bincount_state_words(struct uhi_bincount_device *state, size_t words, size_t clear) {
    const uint32_t zero = 0;
    if (words > state->room) {
        void *memory = NULL;
        (void)uh_free(state->words);
        state->words = NULL;
        state->room = 0;
        uh_status status = uh_malloc_device(state->engine.device, words * sizeof *state->words, 0, &memory);
        if (status)
            return status;
        state->words = memory;
        state->room = words;
    }
    return clear ? uh_fill(state->engine.queue, state->words, &zero, sizeof zero, clear, NULL, 0, NULL) : UH_SUCCESS;
}

uh_status uhi_bincount_state_feed(struct uhi_bincount_device *state, const char *call, uh_dtype dtype, const void *x,
                                  size_t n, size_t most, struct uhi_feed *feed) {
    const size_t size = uhi_value_size(dtype);
    const struct uhi_values values = {.first = x, .n = n, .stride = (ptrdiff_t)size};
    return uhi_feed_open(&state->stream, call, "x", values, size, most, feed);
}

uh_status uhi_bincount_state_piece(const struct uhi_feed *feed, size_t from, size_t n, struct uhi_stream_slot **slot,
                                   const void **values) {
    uh_status status = uhi_stream_take(feed->stream, slot);
    return status ? status : uhi_feed_piece(feed, from, n, *slot, values);
}
