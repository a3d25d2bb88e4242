/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/pieces.h"

#include "runtime/memory.h"
#include "runtime/queue.h"

enum {
    PACK_VALUES = 64, /* a packed value justifies as many groups as this many other values */
    MIN_PIECE = 1024  /* elements, at any cost per element */
};

static size_t times(size_t n, size_t size) { return n > SIZE_MAX / size ? SIZE_MAX : n * size; }

/* Finds the location of an array and checks that all of it is there. */
static uh_status locate(const struct uhi_pieces *pieces, const struct uhi_operand *operand, size_t n,
                        enum uhi_location *place) {
    const char *first;
    size_t bytes;
    uh_status status = uhi_engine_locate(pieces->engine, pieces->call, operand->argument, operand->x.first, place);
    if (status || *place == UHI_PLAIN_HOST)
        return status;
    struct uhi_values x = operand->x;
    x.n = n;
    uhi_values_extent(x, operand->size, &first, &bytes);
    return uhi_memory_check_copy(pieces->call, operand->argument, NULL, first, bytes);
}

static uh_status reserve(struct uhi_pieces *pieces, size_t which, size_t size) {
    const size_t n = pieces->operands->n < pieces->max ? pieces->operands->n : pieces->max;
    uh_status status = uhi_ring_reserve(pieces->engine, which, times(n, size));
    const size_t fits = pieces->engine->ring.bytes[which] / size;
    if (!status && pieces->max > fits)
        pieces->max = fits;
    return status;
}

/* Imports large dense arrays: the device reads them in place if it shares the host's memory, otherwise it copies
 * from them. */
static void import(const struct uhi_pieces *pieces, const struct uhi_operand *in, struct uhi_transfer *way) {
    struct uhi_engine *engine = pieces->engine;
    if (in->x.stride != (ptrdiff_t)in->size)
        return;
    const int imported = uhi_engine_import(engine, in->x.first, times(pieces->operands->n, in->size));
    if (imported && engine->properties.unified_memory)
        way->place = UHI_REACHABLE;
    else
        way->imported = imported;
}

uh_status uhi_pieces_open(struct uhi_pieces *pieces, struct uhi_engine *engine, const char *call,
                          const struct uhi_operands *operands, size_t max) {
    *pieces = (struct uhi_pieces){.engine = engine,
                                  .call = call,
                                  .operands = operands,
                                  .max = max,
                                  .pace = engine->paces.now ? engine->paces.now : uhi_pace_of(&engine->paces, NULL),
                                  .worst_ns = uhi_pace_value_ns(&engine->properties)};
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < operands->inputs && !status; i++) {
        const struct uhi_operand *in = &operands->in[i];
        struct uhi_transfer *way = &pieces->in[i];
        status = locate(pieces, in, operands->n, &way->place);
        if (!status && way->place == UHI_PLAIN_HOST)
            import(pieces, in, way);
        way->direct = way->place != UHI_PLAIN_HOST && in->x.stride == (ptrdiff_t)in->size &&
                      (uintptr_t)in->x.first % in->size == 0;
        if (!status && !way->direct)
            status = reserve(pieces, i, in->size);
    }
    if (status || !operands->out.size)
        return status;
    status = locate(pieces, &operands->out, operands->n, &pieces->out.place);
    pieces->out.direct = pieces->out.place != UHI_PLAIN_HOST;
    return status || pieces->out.direct ? status : reserve(pieces, UHI_OUT, operands->out.size);
}

int uhi_pieces_shared(const struct uhi_pieces *pieces) {
    int shared = 0;
    for (size_t i = 0; i < pieces->operands->inputs; i++)
        shared |= pieces->in[i].place == UHI_REACHABLE || pieces->in[i].imported;
    return shared;
}

static uh_status pack_piece(struct uhi_engine *engine, struct uhi_values x, size_t bytes, void *to) {
    const int64_t stride = x.stride;
    const uint64_t n = x.n;
    const uint32_t size = (uint32_t)bytes;
    const uh_arg args[] = {uh_arg_pointer(x.first), UHI_ARG(stride), UHI_ARG(size), UHI_ARG(n), uh_arg_pointer(to)};
    uh_kernel *kernel = NULL;
    uh_status status = uhi_engine_kernel(engine, "pack", &kernel);
    return status ? status : uhi_engine_run_wide(engine, kernel, times(x.n, PACK_VALUES), args, 5, NULL, NULL);
}

static uh_status begin_input(const struct uhi_pieces *pieces, size_t i, struct uhi_piece *piece) {
    struct uhi_slot *slot = piece->slot;
    const struct uhi_operand *in = &pieces->operands->in[i];
    const struct uhi_values x = uhi_values_part(in->x, piece->from, piece->n);
    uh_status status = UH_SUCCESS;
    piece->in[i] = pieces->in[i].direct ? (const void *)x.first : slot->buffer[i].device;
    if (pieces->in[i].direct)
        return UH_SUCCESS;
    if (pieces->in[i].imported && pieces->engine->copy)
        status = uhi_ring_send(pieces->engine, slot, i, x.first, x.n * in->size);
    else if (pieces->in[i].place == UHI_PLAIN_HOST)
        status = uhi_ring_upload(pieces->engine, slot, i, x, in->size);
    else
        status = pack_piece(pieces->engine, x, in->size, slot->buffer[i].device);
    piece->ready[i] = slot->buffer[i].copied;
    return status;
}

size_t uhi_pieces_length(const struct uhi_pieces *pieces, size_t from) {
    const uint64_t left = pieces->operands->n - from, paced = uhi_pace_max(pieces->pace, pieces->worst_ns);
    const uint64_t maximum = paced < MIN_PIECE ? MIN_PIECE : paced, n = maximum < pieces->max ? maximum : pieces->max;
    return (size_t)(n < left ? n : left);
}

uh_status uhi_pieces_begin(const struct uhi_pieces *pieces, size_t from, size_t n, struct uhi_piece *piece) {
    const struct uhi_operand *out = &pieces->operands->out;
    *piece = (struct uhi_piece){.from = from, .n = n};
    uh_status status = uhi_ring_take(pieces->engine, &piece->slot);
    struct uhi_slot *slot = piece->slot;
    piece->done = &slot->done;
    if (!status) /* checked now: waiting for the slot may have taken long */
        status = uhi_queue_check_cancelled(pieces->engine->queue, pieces->call);
    if (!status && out->size) {
        slot->to = (char *)(uintptr_t)out->x.first + from * out->size;
        slot->to_bytes = pieces->out.direct ? 0 : n * out->size;
        piece->out = pieces->out.direct ? slot->to : slot->buffer[UHI_OUT].device;
    }
    for (size_t i = 0; i < pieces->operands->inputs && !status; i++)
        status = begin_input(pieces, i, piece);
    slot->pace = pieces->pace;
    slot->elements = n;
    slot->started = uhi_host_now();
    return status;
}

/* Starts the download of a piece's results. */
static uh_status end_piece(const struct uhi_pieces *pieces, const struct uhi_piece *piece) {
    return piece->slot->to_bytes ? uhi_ring_download(pieces->engine, piece->slot) : UH_SUCCESS;
}

/* Results are downloaded after the uploads of the next piece are submitted: a copy engine that works in order would
 * otherwise delay these until the launches of the previous piece end, and the next piece until its results are
 * copied. */
uh_status uhi_pieces_for_each(const struct uhi_pieces *pieces,
                              uh_status (*launch)(void *context, const struct uhi_piece *piece),
                              size_t (*length)(const void *context, size_t from, size_t n), void *context) {
    const size_t all = pieces->operands->n;
    struct uhi_piece piece, launched = {.n = 0};
    uh_status status = UH_SUCCESS;
    for (size_t from = 0, n; from < all && !status; from += n) {
        n = uhi_pieces_length(pieces, from);
        n = length ? length(context, from, n) : n;
        status = uhi_pieces_begin(pieces, from, n, &piece);
        if (!status && launched.n > 0)
            status = end_piece(pieces, &launched);
        launched.n = 0;
        if (!status)
            status = launch(context, &piece);
        if (!status && pieces->operands->inputs > 0)
            launched = piece;
        else if (!status)
            status = end_piece(pieces, &piece);
    }
    return !status && launched.n > 0 ? end_piece(pieces, &launched) : status;
}

uh_status uhi_pieces_finish(const struct uhi_pieces *pieces, uh_status status) {
    for (size_t i = 0; i < UHI_RING_SLOTS && !status && pieces->operands->out.size; i++) { /* in the order of pieces */
        struct uhi_slot *slot;
        status = uhi_ring_take(pieces->engine, &slot);
    }
    if (status)
        uhi_engine_quiesce(pieces->engine);
    return status;
}
