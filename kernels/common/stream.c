/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/stream.h"

#include <string.h>

#include "runtime/log.h"
#include "runtime/queue.h"

enum { LEAST_BYTES = 1 << 16, MOST_BYTES = 16 << 20, PART = 1 << 20 };

static uh_status finish(uh_event **event) {
    uh_status status = UH_SUCCESS;
    if (*event) {
        status = uh_event_wait(*event);
        (void)uh_event_destroy(*event);
    }
    *event = NULL;
    return status;
}

static uh_status finish_slot(struct uhi_stream *stream, struct uhi_stream_slot *slot) {
    uh_status copied = finish(&slot->copied), used = finish(&slot->used);
    copied = copied ? copied : used;
    stream->failed = stream->failed ? stream->failed : copied;
    return copied;
}

uh_status uhi_stream_drain(struct uhi_stream *stream) {
    uh_status first = UH_SUCCESS;
    for (size_t i = 0; i < UHI_STREAM_SLOTS; i++) {
        uh_status status = finish_slot(stream, &stream->slots[i]);
        first = first ? first : status;
    }
    return first;
}

static void free_buffers(struct uhi_stream *stream) {
    for (size_t i = 0; i < UHI_STREAM_SLOTS; i++) {
        struct uhi_stream_slot *slot = &stream->slots[i];
        if (slot->device != slot->host)
            (void)uh_free(slot->device);
        (void)uh_free(slot->host);
        slot->device = slot->host = NULL;
    }
    stream->bytes = 0;
}

void uhi_stream_settle(struct uhi_stream *stream) {
    (void)uhi_stream_drain(stream);
    uhi_queue_drain(stream->engine->copy);
    uhi_queue_drain(stream->engine->queue);
    stream->failed = UH_SUCCESS;
}

void uhi_stream_free(struct uhi_stream *stream) {
    if (!stream->engine)
        return;
    uhi_stream_settle(stream);
    free_buffers(stream);
}

static uh_status make_buffers(struct uhi_stream *stream, size_t bytes) {
    uh_device *device = stream->engine->device;
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < UHI_STREAM_SLOTS && !status; i++) {
        struct uhi_stream_slot *slot = &stream->slots[i];
        status = uh_malloc_host(device, bytes, 0, &slot->host);
        if (!status && stream->engine->copy)
            status = uh_malloc_device(device, bytes, 0, &slot->device);
        else if (!status)
            slot->device = slot->host;
    }
    if (status)
        free_buffers(stream);
    else
        stream->bytes = bytes;
    return status;
}

/* A power of two that holds `wanted`, no more than a thirty-second of the device's memory, within the limits. */
static size_t buffer_bytes(size_t wanted, uint64_t memory) {
    size_t bytes = LEAST_BYTES;
    while (bytes < wanted && bytes < MOST_BYTES && (memory == 0 || 2 * bytes <= memory / 32))
        bytes *= 2;
    return bytes;
}

uh_status uhi_stream_reserve(struct uhi_stream *stream, size_t wanted) {
    struct uhi_engine *engine = stream->engine;
    uh_status status = UH_SUCCESS;
    size_t bytes = buffer_bytes(wanted, engine->properties.memory);
    if (bytes <= stream->bytes)
        return UH_SUCCESS;
    if (!engine->properties.unified_memory && !engine->copy) {
        const uh_queue_options options = {.struct_size = sizeof options, .engine = UH_ENGINE_COPY};
        status = uh_queue_create(engine->device, &options, &engine->copy);
    }
    if (!status)
        status = uhi_stream_drain(stream);
    if (status)
        return status;
    free_buffers(stream);
    status = make_buffers(stream, bytes);
    while (status == UH_ERROR_OUT_OF_DEVICE_MEMORY && bytes > LEAST_BYTES) {
        bytes /= 2;
        uhi_log(UHI_LOG_INFO, "%s has no memory for buffers of %zu bytes, trying %zu", engine->properties.selector,
                2 * bytes, bytes);
        status = make_buffers(stream, bytes);
    }
    return status;
}

uh_status uhi_stream_take(struct uhi_stream *stream, struct uhi_stream_slot **slot) {
    *slot = &stream->slots[stream->next];
    stream->next = (stream->next + 1) % UHI_STREAM_SLOTS;
    return finish_slot(stream, *slot);
}

/* Inlined with a constant size: a load and a store for each value. */
__attribute__((always_inline)) static inline void pack(char *to, const char *from, size_t n, ptrdiff_t stride,
                                                       size_t size) {
    for (size_t i = 0; i < n; i++, from += stride)
        memcpy(to + i * size, from, size);
}

/* The part of a copy that one thread makes. */
static void copy_values(char *to, struct uhi_values x, size_t size) {
    if (x.stride == (ptrdiff_t)size) {
        memcpy(to, x.first, x.n * size);
        return;
    }
    switch (size) {
    case 1: pack(to, x.first, x.n, x.stride, 1); break;
    case 2: pack(to, x.first, x.n, x.stride, 2); break;
    case 4: pack(to, x.first, x.n, x.stride, 4); break;
    default: pack(to, x.first, x.n, x.stride, 8); break;
    }
}

uh_status uhi_stream_upload(struct uhi_stream *stream, struct uhi_stream_slot *slot, struct uhi_values x, size_t size) {
    /* One thread of a CPU copies more slowly than a link to a GPU. */
    const size_t each = PART / size, parts = (x.n + each - 1) / each;
    char *to = slot->host;
#pragma omp parallel for if (parts > 3) schedule(static) default(none) shared(x, to) firstprivate(each, parts, size)
    for (size_t i = 0; i < parts; i++) {
        struct uhi_values part = x;
        part.first += (ptrdiff_t)(i * each) * x.stride;
        part.n = x.n - i * each < each ? x.n - i * each : each;
        copy_values(to + i * each * size, part, size);
    }
    if (!stream->engine->copy)
        return UH_SUCCESS;
    return uh_memcpy(stream->engine->copy, slot->device, slot->host, x.n * size, NULL, 0, &slot->copied);
}
