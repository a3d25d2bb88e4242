/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/sink.h"

#include <stdint.h>
#include <string.h>

#include "runtime/memory.h"

/* Bytes that one thread copies at a time. */
enum { PART = 1 << 20 };

uh_status uhi_sink_open(struct uhi_sink *sink, const char *call, const char *argument, void *out, size_t n, size_t size,
                        size_t most) {
    struct uhi_engine *engine = sink->ring.engine;
    enum uhi_place place;
    const size_t bytes = n > SIZE_MAX / size ? SIZE_MAX : n * size;
    sink->out = out;
    sink->size = size;
    sink->most = most;
    uh_status status = uhi_engine_place(engine, call, argument, out, &place);
    if (!status)
        status = uhi_memory_check(call, argument, out, bytes);
    sink->direct = place != UHI_PLAIN_HOST;
    if (status || sink->direct)
        return status;
    const size_t results = n < most ? n : most;
    status = uhi_stream_reserve(&sink->ring, results > SIZE_MAX / size ? SIZE_MAX : results * size);
    if (sink->most > sink->ring.bytes / size)
        sink->most = sink->ring.bytes / size;
    return status;
}

/* One thread of a CPU copies more slowly than a link from a GPU. */
static void store(struct uhi_sink_piece piece, const char *from) {
    const size_t parts = (piece.bytes + PART - 1) / PART;
#pragma omp parallel for if (parts > 3) schedule(static) default(none) shared(piece, from) firstprivate(parts)
    for (size_t i = 0; i < parts; i++) {
        const size_t at = i * PART, bytes = piece.bytes - at < PART ? piece.bytes - at : PART;
        memcpy(piece.to + at, from + at, bytes);
    }
}

/* The next place in the ring, its results in the array. */
static uh_status take(struct uhi_sink *sink, struct uhi_stream_slot **slot, struct uhi_sink_piece **piece) {
    uh_status status = uhi_stream_take(&sink->ring, slot);
    *piece = &sink->pieces[*slot - sink->ring.slots];
    if (!status && (*piece)->bytes > 0)
        store(**piece, (*slot)->host);
    (*piece)->bytes = 0;
    return status;
}

uh_status uhi_sink_take(struct uhi_sink *sink, size_t from, size_t n, struct uhi_stream_slot **slot, void **to) {
    struct uhi_sink_piece *piece;
    uh_status status = take(sink, slot, &piece);
    piece->to = sink->out + from * sink->size;
    *to = sink->direct ? piece->to : (*slot)->device;
    if (!status && !sink->direct)
        piece->bytes = n * sink->size;
    return status;
}

uh_status uhi_sink_send(struct uhi_sink *sink, struct uhi_stream_slot *slot) {
    uh_queue *copy = sink->ring.engine->copy;
    if (sink->direct || !copy)
        return UH_SUCCESS;
    const struct uhi_sink_piece *piece = &sink->pieces[slot - sink->ring.slots];
    return uh_memcpy(copy, slot->host, slot->device, piece->bytes, &slot->used, slot->used != NULL, &slot->copied);
}

uh_status uhi_sink_finish(struct uhi_sink *sink, uh_status status) {
    for (size_t i = 0; i < UHI_STREAM_SLOTS && !status; i++) { /* in the order of the pieces */
        struct uhi_stream_slot *slot;
        struct uhi_sink_piece *piece;
        status = take(sink, &slot, &piece);
    }
    if (status) {
        uhi_stream_settle(&sink->ring);
        memset(sink->pieces, 0, sizeof sink->pieces);
    }
    return status;
}

void uhi_sink_free(struct uhi_sink *sink) {
    uhi_stream_free(&sink->ring);
    *sink = (struct uhi_sink){0};
}
