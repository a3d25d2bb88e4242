/* SPDX-License-Identifier: Apache-2.0 */
/* How values get to the kernels: in place, packed on the device, or copied from the host in pieces. */
#include "kernels/histogram/histogram_state.h"
#include "runtime/backend.h"
#include "runtime/memory.h"
#include "runtime/status.h"

enum { PACK_GROUPS = 64 };

/* ---- where values are ---- */

uh_status uhi_histogram_state_place(const struct uhi_histogram_device *state, const char *call, const char *argument,
                                    const void *pointer, enum uhi_place *place) {
    uh_pointer_info info;
    uh_status status = uh_pointer_type(pointer, &info);
    if (status)
        return status;
    *place = UHI_PLAIN_HOST;
    if (info.kind == UH_MEMORY_UNKNOWN)
        return UH_SUCCESS;
    if (uhi_memory_reaches(state->device, pointer))
        *place = info.kind == UH_MEMORY_DEVICE ? UHI_DEVICE_ONLY : UHI_REACHABLE;
    else if (info.kind == UH_MEMORY_DEVICE && info.device->backend->module_create)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is device memory of %s, expected memory of %s or the host's",
                        call, argument, info.device->properties.selector, state->properties.selector);
    return UH_SUCCESS;
}

static uh_status check_extent(const char *call, struct uhi_values x, size_t size) {
    const char *first;
    size_t bytes;
    uhi_values_extent(x, size, &first, &bytes);
    return uhi_memory_check(call, "x", first, bytes);
}

/* ---- one piece after the other ---- */

uh_status uhi_feed_open(struct uhi_histogram_device *state, const char *call, struct uhi_values x, size_t size,
                        struct uhi_feed *feed) {
    *feed = (struct uhi_feed){.x = x, .size = size};
    uh_status status = uhi_histogram_state_place(state, call, "x", x.first, &feed->place);
    if (status)
        return status;
    if (feed->place != UHI_PLAIN_HOST) {
        status = check_extent(call, x, size);
        feed->direct = x.stride == (ptrdiff_t)size && (uintptr_t)x.first % size == 0;
    }
    feed->most = state->most_pending;
    if (status || feed->direct)
        return status;
    status = uhi_stream_reserve(&state->stream, state->queue, x.n > SIZE_MAX / size ? SIZE_MAX : x.n * size);
    if (feed->most > state->stream.bytes / size)
        feed->most = state->stream.bytes / size;
    return status;
}

/* Brings strided values of the device's side by side. */
static uh_status pack_piece(struct uhi_histogram_device *state, struct uhi_values x, uint32_t size, void *to) {
    uh_kernel *kernel = NULL;
    uh_status status = uhi_histogram_state_kernel(state, "pack", &kernel);
    if (status)
        return status;
    const int64_t stride = x.stride;
    const uint64_t n = x.n;
    const uh_arg args[] = {uh_arg_pointer(x.first), uh_arg_value(&stride, sizeof stride),
                           uh_arg_value(&size, sizeof size), uh_arg_value(&n, sizeof n), uh_arg_pointer(to)};
    const struct uhi_histogram_shape shape = uhi_histogram_choose(state->slots, UINT64_MAX, &state->properties);
    return uhi_histogram_state_run(state, kernel, uhi_histogram_groups(&shape, x.n * PACK_GROUPS), shape.group_size,
                                   args, 5, NULL, NULL);
}

uh_status uhi_feed_piece(struct uhi_histogram_device *state, const struct uhi_feed *feed, size_t from, size_t n,
                         struct uhi_stream_slot *slot, const void **values) {
    struct uhi_values piece = {
        .first = feed->x.first + (ptrdiff_t)from * feed->x.stride, .n = n, .stride = feed->x.stride};
    *values = feed->direct ? (const void *)piece.first : slot->device;
    if (feed->direct)
        return UH_SUCCESS;
    if (feed->place == UHI_PLAIN_HOST)
        return uhi_stream_upload(&state->stream, slot, piece, feed->size);
    return pack_piece(state, piece, (uint32_t)feed->size, slot->device);
}
