/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/ring.h"

#include <omp.h>

#include "kernels/common/engine.h"
#include "runtime/log.h"
#include "runtime/memory.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum { MIN_BYTES = 1 << 16, MAX_BYTES = 16 << 20 };

/* Bytes that a thread copies at a time: one CPU thread copies more slowly than a link to a GPU. */
enum { PART = 1 << 20, PARTS_WORTH_THREADS = 4 };

static uh_status finish_event(uh_event **event) {
    uh_status status = UH_SUCCESS;
    if (*event) {
        status = uh_event_wait(*event, UINT64_MAX);
        uh_event_destroy(*event);
    }
    *event = NULL;
    return status;
}

/* Waits for the launches. If the host had to wait, their time is counted from their submission, or from the end of
 * earlier ones if the host also waited for that. */
static uh_status finish_launches(struct uhi_ring *ring, struct uhi_slot *slot) {
    enum { WAITED = 10000 }; /* nanoseconds: longer than a query */
    if (!slot->done)
        return UH_SUCCESS;
    const uint64_t asked = uhi_host_now();
    const uh_status status = finish_event(&slot->done);
    const uint64_t ended = uhi_host_now(), started = ring->ended > slot->started ? ring->ended : slot->started;
    const int waited = ended - asked >= WAITED;
    if (waited && !status && slot->pace)
        uhi_pace_note(slot->pace, slot->elements, ended - started);
    ring->ended = waited ? ended : 0;
    return status;
}

/* Waits for a slot's work; does not store its results. */
static uh_status finish_slot(struct uhi_ring *ring, struct uhi_slot *slot) {
    uh_status first = finish_launches(ring, slot);
    for (size_t i = 0; i < UHI_RING_BUFFERS; i++) {
        uh_status status = finish_event(&slot->buffer[i].copied);
        first = first ? first : status;
    }
    ring->failed = ring->failed ? ring->failed : first;
    return first;
}

uh_status uhi_ring_drain(struct uhi_engine *engine) {
    uh_status first = UH_SUCCESS;
    for (size_t i = 0; i < UHI_RING_SLOTS; i++) {
        uh_status status = finish_slot(&engine->ring, &engine->ring.slots[i]);
        first = first ? first : status;
    }
    return first;
}

/* ---- buffers ---- */

static void free_buffers(struct uhi_ring *ring, size_t which) {
    for (size_t i = 0; i < UHI_RING_SLOTS; i++) {
        struct uhi_slot *slot = &ring->slots[i];
        if (slot->buffer[which].device != slot->buffer[which].host)
            uhi_free(slot->buffer[which].device);
        uhi_free(slot->buffer[which].host);
        slot->buffer[which].device = slot->buffer[which].host = NULL;
    }
    ring->bytes[which] = 0;
}

void uhi_ring_free(struct uhi_engine *engine) {
    for (size_t i = 0; i < UHI_RING_BUFFERS; i++)
        free_buffers(&engine->ring, i);
}

static uh_status make_buffers(struct uhi_engine *engine, size_t which, size_t bytes) {
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < UHI_RING_SLOTS && !status; i++) {
        struct uhi_slot *slot = &engine->ring.slots[i];
        status = uh_malloc(engine->device, UH_MEMORY_HOST, bytes, 0, &slot->buffer[which].host);
        if (!status && engine->copy)
            status = uh_malloc(engine->device, UH_MEMORY_DEVICE, bytes, 0, &slot->buffer[which].device);
        else if (!status)
            slot->buffer[which].device = slot->buffer[which].host;
    }
    if (status)
        free_buffers(&engine->ring, which);
    else
        engine->ring.bytes[which] = bytes;
    return status;
}

/* Returns a power of two that holds `wanted`, at most 1/32 of the device's memory, within the limits. */
static size_t buffer_bytes(size_t wanted, uint64_t memory) {
    size_t bytes = MIN_BYTES;
    while (bytes < wanted && bytes < MAX_BYTES && (memory == 0 || 2 * bytes <= memory / 32))
        bytes *= 2;
    return bytes;
}

uh_status uhi_ring_reserve(struct uhi_engine *engine, size_t which, size_t wanted) {
    size_t bytes = buffer_bytes(wanted, engine->properties.memory);
    if (bytes <= engine->ring.bytes[which])
        return UH_SUCCESS;
    if (!engine->properties.unified_memory && !engine->copy) {
        const uh_queue_options options = {
            .struct_size = sizeof options, .engine = UH_ENGINE_COPY, .priority = engine->queue->options.priority};
        UHI_TRY(uh_queue_create(engine->device, &options, &engine->copy));
    }
    UHI_TRY(uhi_ring_drain(engine));
    free_buffers(&engine->ring, which);
    uh_status status = make_buffers(engine, which, bytes);
    while (status == UH_ERROR_OUT_OF_DEVICE_MEMORY && bytes > MIN_BYTES) {
        bytes /= 2;
        uhi_log(UH_LOG_INFO, "%s has no memory for buffers of %zu bytes, trying %zu", engine->properties.selector,
                2 * bytes, bytes);
        status = make_buffers(engine, which, bytes);
    }
    return status;
}

/* ---- copies ---- */

static int choose_threads(size_t parts) {
    return parts < PARTS_WORTH_THREADS ? 1 : (int)uhi_host_workers((uint32_t)omp_get_max_threads());
}

static void copy_by_threads(char *to, struct uhi_values x, size_t size) {
    const size_t each = PART / size, parts = (x.n + each - 1) / each;
#pragma omp parallel for num_threads(choose_threads(parts)) schedule(static) default(none) shared(x, to)               \
    firstprivate(each, parts, size)
    for (size_t i = 0; i < parts; i++) {
        const size_t n = x.n - i * each < each ? x.n - i * each : each;
        uhi_values_copy(to + i * each * size, uhi_values_part(x, i * each, n), size);
    }
}

uh_status uhi_ring_take(struct uhi_engine *engine, struct uhi_slot **slot) {
    struct uhi_ring *ring = &engine->ring;
    struct uhi_slot *next = *slot = &ring->slots[ring->next];
    ring->next = (ring->next + 1) % UHI_RING_SLOTS;
    uh_status status = finish_slot(ring, next);
    if (!status && next->to_bytes > 0)
        copy_by_threads(next->to, (struct uhi_values){next->buffer[UHI_OUT].host, next->to_bytes, 1}, 1);
    next->to_bytes = 0;
    return status;
}

uh_status uhi_ring_upload(struct uhi_engine *engine, struct uhi_slot *slot, size_t which, struct uhi_values x,
                          size_t size) {
    copy_by_threads(slot->buffer[which].host, x, size);
    if (!engine->copy)
        return UH_SUCCESS;
    return uhi_ring_send(engine, slot, which, slot->buffer[which].host, x.n * size);
}

uh_status uhi_ring_send(struct uhi_engine *engine, struct uhi_slot *slot, size_t which, const void *from,
                        size_t bytes) {
    return uh_memcpy(engine->copy, slot->buffer[which].device, from, bytes,
                     &(uh_submission){.event = &slot->buffer[which].copied});
}

uh_status uhi_ring_download(struct uhi_engine *engine, struct uhi_slot *slot) {
    if (!engine->copy)
        return UH_SUCCESS;
    return uh_memcpy(
        engine->copy, slot->buffer[UHI_OUT].host, slot->buffer[UHI_OUT].device, slot->to_bytes,
        &(uh_submission){.deps = &slot->done, .ndeps = slot->done != NULL, .event = &slot->buffer[UHI_OUT].copied});
}
