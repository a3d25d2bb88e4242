/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest and largest value on a device, and the first that may not be counted. */
#include <stdlib.h>

#include "kernels/bincount/bincount_state.h"
#include "kernels/bincount/extent.h"
#include "runtime/status.h"

/* Bytes of local memory that finding the smallest and largest takes for each work-item. */
enum { EXTENT_BYTES = 3 * sizeof(uint64_t) };

/* How a type's values become unsigned integers in their order: the bits that change. */
static uint64_t flip_of(uh_dtype dtype) {
    const uint64_t largest = uhi_bincount_largest_of(dtype), all = UINT64_MAX >> (64 - 8 * uhi_value_size(dtype));
    return largest < all ? largest + 1 : 0;
}

/* What a kernel found, in the form of struct uhi_extent: integers are extended to 64 bits. */
static uint64_t widened(uh_dtype dtype, uint64_t key) {
    return dtype == UH_F32 || dtype == UH_F64 || !flip_of(dtype) ? key : key - flip_of(dtype) + UHI_TOP_64;
}

static uh_status extent_kernel(struct uhi_bincount_device *state, uh_dtype dtype, uh_kernel **kernel) {
    const char *type = dtype == UH_F32 ? "f32" : dtype == UH_F64 ? "f64" : uhi_bincount_width_name(dtype);
    return uhi_bincount_state_kernel(state, "extent", type, kernel);
}

static uh_status extent_pieces(struct uhi_bincount_device *state, uh_dtype dtype, const struct uhi_feed *feed,
                               size_t group_size, struct uhi_extent *extent, uint64_t *parts) {
    const struct uhi_engine *engine = &state->engine;
    const size_t most_groups = uhi_groups_to_fill(&engine->properties, group_size);
    const int floats = dtype == UH_F32 || dtype == UH_F64;
    const uint64_t flip = floats ? 0 : flip_of(dtype);
    uh_kernel *kernel = NULL;
    uh_status status = extent_kernel(state, dtype, &kernel);
    for (size_t from = 0, n; from < feed->x.n && !status; from += n) {
        struct uhi_stream_slot *slot;
        const void *values = NULL;
        n = uhi_bincount_piece_length(feed, from);
        status = uhi_bincount_state_piece(feed, from, n, &slot, &values);
        const size_t groups = uhi_groups_for(most_groups, group_size, n);
        const uint64_t count = n;
        const uh_arg args[] = {uh_arg_pointer(values), uh_arg_value(&count, sizeof count),
                               uh_arg_value(&flip, sizeof flip), uh_arg_pointer(state->words),
                               uh_arg_local(group_size * EXTENT_BYTES)};
        if (!status)
            status = uhi_engine_run(engine, kernel, groups, group_size, args, 5, slot->copied, &slot->used);
        if (!status)
            status = uhi_bincount_state_fetch(state, parts, state->words, 3 * groups * sizeof *parts);
        for (size_t g = 0; g < groups && !status; g++) {
            const uint64_t *part = parts + 3 * g;
            const int none = part[0] > part[1];
            const struct uhi_extent more = {none ? UINT64_MAX : widened(dtype, part[0]),
                                            none ? 0 : widened(dtype, part[1]), part[2]};
            *extent = uhi_extent_join(*extent, more);
        }
    }
    return status;
}

/* Work-items of a group: a power of two whose share of local memory there is, and that the kernel can run, as groups
 * that are made smaller would have other parts. */
static uh_status extent_group_size(struct uhi_bincount_device *state, uh_dtype dtype, size_t *size) {
    uh_kernel_properties properties = {.struct_size = sizeof properties};
    uh_kernel *kernel = NULL;
    uh_status status = extent_kernel(state, dtype, &kernel);
    if (!status)
        status = uh_kernel_get_properties(kernel, &properties);
    if (status)
        return status;
    const uint64_t fits = state->engine.properties.local_memory / EXTENT_BYTES;
    *size = uhi_group_size(&state->engine.properties);
    *size = *size < fits ? *size : uhi_power_of_two(fits);
    *size = *size < properties.max_group_size ? *size : uhi_power_of_two(properties.max_group_size);
    return UH_SUCCESS;
}

uh_status uhi_bincount_device_extent(const char *call, struct uhi_bincount_device *state, uh_dtype dtype, const void *x,
                                     size_t n, struct uhi_extent *extent) {
    struct uhi_extent found = {UINT64_MAX, 0, 0};
    struct uhi_feed feed = {0};
    size_t group_size = 1;
    uint64_t *parts = NULL;
    uh_status status = extent_group_size(state, dtype, &group_size);
    const size_t groups = uhi_groups_to_fill(&state->engine.properties, group_size);
    if (!status)
        status = uhi_bincount_state_words(state, 6 * groups, 0);
    if (!status)
        status = uhi_bincount_state_feed(state, call, dtype, x, n, state->most, &feed);
    if (status)
        return status;
    parts = calloc(3 * groups, sizeof *parts);
    if (!parts)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu groups", call, groups);
    status = extent_pieces(state, dtype, &feed, group_size, &found, parts);
    uh_status drained = uhi_stream_drain(&state->stream);
    status = status ? status : drained;
    if (status)
        uhi_bincount_state_settle(state);
    else
        *extent = found;
    free(parts);
    return status;
}

/* Says what is wrong with the first value above `most`, in memory that the device can reach. */
static uh_status find_refused(const char *call, struct uhi_bincount_device *state, struct uhi_bincount_limit limit,
                              uint64_t most, uh_dtype dtype, const void *x, size_t n) {
    const size_t size = uhi_value_size(dtype);
    struct uhi_feed feed = {0};
    uh_kernel *kernel = NULL;
    uh_status status = uhi_bincount_state_kernel(state, "first_above", uhi_bincount_width_name(dtype), &kernel);
    if (!status)
        status = uhi_bincount_state_words(state, 1, 0);
    if (!status)
        status = uhi_bincount_state_feed(state, call, dtype, x, n, state->most, &feed);
    const size_t group_size = uhi_group_size(&state->engine.properties);
    const size_t most_groups = uhi_groups_to_fill(&state->engine.properties, group_size);
    for (size_t from = 0, part; from < n && !status; from += part) {
        struct uhi_stream_slot *slot;
        const void *values = NULL;
        const uint32_t none = UINT32_MAX;
        uint32_t first = none;
        uint64_t value = 0;
        part = uhi_bincount_piece_length(&feed, from);
        status = uhi_bincount_state_piece(&feed, from, part, &slot, &values);
        if (!status)
            status = uh_fill(state->engine.queue, state->words, &none, sizeof none, 1, NULL, 0, NULL);
        const uint64_t count = part;
        const uh_arg args[] = {uh_arg_pointer(values), uh_arg_value(&count, sizeof count),
                               uh_arg_value(&most, sizeof most), uh_arg_pointer(state->words)};
        if (!status)
            status = uhi_engine_run(&state->engine, kernel, uhi_groups_for(most_groups, group_size, part), group_size,
                                    args, 4, slot->copied, &slot->used);
        if (!status)
            status = uhi_bincount_state_fetch(state, &first, state->words, sizeof first);
        if (status || first == none)
            continue;
        status = uhi_bincount_state_fetch(state, &value, (const char *)values + first * size, size);
        if (!status)
            status = uhi_bincount_refuse(call, dtype, limit, from + first, value);
    }
    uhi_bincount_state_settle(state);
    return status;
}

uh_status uhi_bincount_state_refuse(const char *call, struct uhi_bincount_device *state,
                                    struct uhi_bincount_limit limit, uint64_t most, uh_dtype dtype, const void *x,
                                    size_t n) {
    enum uhi_place place;
    uh_status status = uhi_engine_place(&state->engine, call, "x", x, &place);
    if (!status && place == UHI_PLAIN_HOST)
        return uhi_bincount_find_refused(call, limit, dtype, x, n);
    return status ? status : find_refused(call, state, limit, most, dtype, x, n);
}

/* By the host's threads. */
static uh_status look_at_host_memory(const char *call, struct uhi_bincount_limit limit, uh_dtype dtype, const void *x,
                                     size_t n, uint64_t *largest) {
    uh_device *host;
    uh_queue *threads = NULL;
    uh_status status = uh_device_select("host", &host);
    if (!status)
        status = uh_queue_create(host, NULL, &threads);
    if (!status)
        status = uhi_bincount_look_on_host(call, threads, limit, dtype, x, n, largest);
    (void)uh_queue_destroy(threads);
    return status;
}

uh_status uhi_bincount_device_look(const char *call, struct uhi_bincount_device *state, struct uhi_bincount_limit limit,
                                   uh_dtype dtype, const void *x, size_t n, uint64_t *largest) {
    enum uhi_place place;
    struct uhi_extent extent;
    uh_status status = uhi_engine_place(&state->engine, call, "x", x, &place);
    if (!status && place == UHI_PLAIN_HOST)
        return look_at_host_memory(call, limit, dtype, x, n, largest);
    if (!status)
        status = uhi_bincount_device_extent(call, state, dtype, x, n, &extent);
    if (status)
        return status;
    const uint64_t allowed = uhi_bincount_allowed(dtype, limit);
    const uint64_t top = flip_of(dtype) ? UHI_TOP_64 : 0; /* below it are negative values */
    if (extent.low < top || extent.high - top > allowed)
        return find_refused(call, state, limit, allowed, dtype, x, n);
    if (extent.high - top >= uhi_bincount_room())
        return find_refused(call, state, limit, uhi_bincount_room() - 1, dtype, x, n);
    *largest = extent.high - top;
    return UH_SUCCESS;
}
