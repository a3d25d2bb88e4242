/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/feed.h"

#include "runtime/memory.h"

/* As many groups are worth launching for one value as else for so many. */
enum { PACK_VALUES = 64 };

static uh_status check_extent(const char *call, const char *argument, struct uhi_values x, size_t size) {
    const char *first;
    size_t bytes;
    uhi_values_extent(x, size, &first, &bytes);
    return uhi_memory_check(call, argument, first, bytes);
}

uh_status uhi_feed_open(struct uhi_stream *stream, const char *call, const char *argument, struct uhi_values x,
                        size_t size, size_t most, struct uhi_feed *feed) {
    *feed = (struct uhi_feed){.engine = stream->engine, .stream = stream, .x = x, .size = size, .most = most};
    uh_status status = uhi_engine_place(stream->engine, call, argument, x.first, &feed->place);
    if (status)
        return status;
    if (feed->place != UHI_PLAIN_HOST) {
        status = check_extent(call, argument, x, size);
        feed->direct = x.stride == (ptrdiff_t)size && (uintptr_t)x.first % size == 0;
    }
    if (status || feed->direct)
        return status;
    const size_t values = x.n < most ? x.n : most;
    status = uhi_stream_reserve(stream, values > SIZE_MAX / size ? SIZE_MAX : values * size);
    if (feed->most > stream->bytes / size)
        feed->most = stream->bytes / size;
    return status;
}

/* Brings strided values of the device's side by side. */
static uh_status pack_piece(const struct uhi_feed *feed, struct uhi_values x, void *to) {
    struct uhi_engine *engine = feed->engine;
    uh_kernel *kernel = NULL;
    uh_status status = uhi_engine_kernel(engine, "pack", &kernel);
    if (status)
        return status;
    const int64_t stride = x.stride;
    const uint64_t n = x.n;
    const uint32_t size = (uint32_t)feed->size;
    const uh_arg args[] = {uh_arg_pointer(x.first), uh_arg_value(&stride, sizeof stride),
                           uh_arg_value(&size, sizeof size), uh_arg_value(&n, sizeof n), uh_arg_pointer(to)};
    const size_t group_size = uhi_group_size(&engine->properties);
    const size_t groups = uhi_groups_to_fill(&engine->properties, group_size);
    return uhi_engine_run(engine, kernel, uhi_groups_for(groups, group_size, x.n * PACK_VALUES), group_size, args, 5,
                          NULL, NULL);
}

uh_status uhi_feed_piece(const struct uhi_feed *feed, size_t from, size_t n, struct uhi_stream_slot *slot,
                         const void **values) {
    const struct uhi_values piece = uhi_values_part(feed->x, from, n);
    *values = feed->direct ? (const void *)piece.first : slot->device;
    if (feed->direct)
        return UH_SUCCESS;
    if (feed->place == UHI_PLAIN_HOST)
        return uhi_stream_upload(feed->stream, slot, piece, feed->size);
    return pack_piece(feed, piece, slot->device);
}
