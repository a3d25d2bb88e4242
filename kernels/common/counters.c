/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/counters.h"

#include <stdlib.h>

#include "runtime/memory.h"
#include "runtime/queue.h"
#include "runtime/status.h"

static uh_status no_memory(const char *call, size_t count) {
    return uhi_fail_memory(call, "no memory for %zu counts", count);
}

static uh_status clear_words(struct uhi_counters *counters, struct uhi_engine *engine) {
    const uint32_t zero = 0;
    uh_status status =
        uh_fill(engine->queue, counters->words, &zero, sizeof zero, counters->tables * counters->count, NULL);
    counters->dirty = status != UH_SUCCESS;
    return status;
}

static uh_status make_room(struct uhi_counters *counters, struct uhi_engine *engine, const char *call, size_t count,
                           size_t tables) {
    void *memory = NULL;
    uint32_t *readback = malloc(count * sizeof *readback);
    if (!readback)
        return no_memory(call, count);
    free(counters->readback);
    counters->readback = readback;
    counters->count = count;
    counters->tables = tables;
    counters->dirty = 1;
    if (tables * count <= counters->room)
        return UH_SUCCESS;
    uhi_free(counters->words);
    uhi_free(counters->before);
    counters->words = counters->before = NULL;
    counters->room = 0;
    uh_status status =
        uh_malloc(engine->device, UH_MEMORY_DEVICE, tables * count * sizeof *counters->words, 0, &memory);
    counters->words = memory;
    counters->room = status ? 0 : tables * count;
    counters->count = status ? 0 : count;
    return status;
}

uh_status uhi_counters_ready(struct uhi_counters *counters, struct uhi_engine *engine, const char *call, size_t count,
                             size_t tables) {
    uh_status status = UH_SUCCESS;
    if (counters->count != count || counters->tables != tables)
        status = make_room(counters, engine, call, count, tables);
    return !status && counters->dirty ? clear_words(counters, engine) : status;
}

/* ---- reading ---- */

/* Adds all tables into the first; may be repeated. */
static uh_status add_tables(struct uhi_counters *counters, struct uhi_engine *engine) {
    uh_kernel *kernel = NULL;
    if (counters->tables == 1)
        return UH_SUCCESS;
    const uint32_t count = (uint32_t)counters->count, tables = (uint32_t)counters->tables;
    const size_t group_size = uhi_engine_group_size(engine);
    const size_t groups = (count + group_size - 1) / group_size;
    const size_t full = uhi_engine_groups(engine, group_size);
    const uh_arg args[] = {uh_arg_pointer(counters->words), UHI_ARG(count), UHI_ARG(tables)};
    UHI_TRY(uhi_engine_kernel(engine, "add_tables", &kernel));
    return uhi_engine_run(engine, kernel, groups < full ? groups : full, group_size, args, 3, NULL, NULL);
}

uh_status uhi_counters_read(struct uhi_counters *counters, struct uhi_engine *engine, uint64_t *to) {
    if (counters->pending == 0)
        return UH_SUCCESS;
    UHI_TRY(uhi_ring_drain(engine));
    UHI_TRY(add_tables(counters, engine));
    UHI_TRY(
        uhi_engine_fetch(engine, counters->readback, counters->words, counters->count * sizeof *counters->readback));
    for (size_t i = 0; i < counters->count; i++)
        to[i] += counters->readback[i];
    counters->pending = 0;
    (void)clear_words(counters, engine); /* on failure, retried before the next count */
    return UH_SUCCESS;
}

/* ---- counting ---- */

/* Reads the counters if they cannot hold n more elements. */
static uh_status ensure_capacity(struct uhi_counters *counters, const struct uhi_pieces *pieces, size_t n,
                                 uint64_t **spilled) {
    if (n <= counters->max_pending - counters->pending)
        return UH_SUCCESS;
    if (!*spilled)
        *spilled = calloc(counters->count, sizeof **spilled);
    if (!*spilled)
        return no_memory(pieces->call, counters->count);
    uh_status status = uhi_counters_read(counters, pieces->engine, *spilled);
    return !status && counters->dirty ? clear_words(counters, pieces->engine) : status;
}

/* Counts one piece after another. Counts that must be read in between go to *spilled, allocated on demand. */
static uh_status count_pieces(struct uhi_counters *counters, const struct uhi_pieces *pieces,
                              uh_status (*launch)(void *context, const struct uhi_piece *piece),
                              size_t (*length)(const void *context, size_t from, size_t n), void *context,
                              uint64_t **spilled) {
    const size_t all = pieces->operands->n;
    for (size_t from = 0, n; from < all; from += n) {
        struct uhi_piece piece;
        n = uhi_pieces_length(pieces, from);
        n = length ? length(context, from, n) : n;
        UHI_TRY(ensure_capacity(counters, pieces, n, spilled));
        UHI_TRY(uhi_pieces_begin(pieces, from, n, &piece));
        UHI_TRY(launch(context, &piece));
        counters->pending += n;
    }
    return UH_SUCCESS;
}

int uhi_counters_fit_all(const struct uhi_counters *counters, const struct uhi_pieces *pieces) {
    const size_t all = pieces->operands->n;
    return all == uhi_pieces_length(pieces, 0) && all <= counters->max_pending - counters->pending;
}

/* Saves the words before a piece that takes several launches. */
static uh_status keep_words(struct uhi_counters *counters, struct uhi_engine *engine) {
    const size_t bytes = counters->tables * counters->count * sizeof *counters->words;
    void *memory = NULL;
    uh_status status = UH_SUCCESS;
    if (!counters->before)
        status = uh_malloc(engine->device, UH_MEMORY_DEVICE, counters->room * sizeof *counters->words, 0, &memory);
    if (memory)
        counters->before = memory;
    return status ? status : uh_memcpy(engine->queue, counters->before, counters->words, bytes, NULL);
}

uh_status uhi_counters_add(struct uhi_counters *counters, const struct uhi_pieces *pieces,
                           uh_status (*launch)(void *context, const struct uhi_piece *piece),
                           size_t (*length)(const void *context, size_t from, size_t n), void *context, uint64_t *to) {
    const size_t all = pieces->operands->n;
    uint64_t *spilled = NULL;
    /* A single piece is counted completely or not at all. If one of several pieces fails, the earlier ones are
     * discarded: earlier calls' counts are therefore read first. */
    const int whole = uhi_counters_fit_all(counters, pieces) && (!length || length(context, 0, all) == all);
    if (!whole)
        UHI_TRY(uhi_counters_read(counters, pieces->engine, to));
    if (counters->dirty)
        UHI_TRY(clear_words(counters, pieces->engine));
    if (whole && counters->several)
        UHI_TRY(keep_words(counters, pieces->engine));
    uh_status status = count_pieces(counters, pieces, launch, length, context, &spilled);
    if (status && whole && counters->several) {
        uint32_t *const spoilt = counters->words;
        counters->words = counters->before;
        counters->before = spoilt;
    }
    if (!status && uhi_pieces_shared(pieces)) /* the caller may overwrite its arrays */
        status = uhi_ring_drain(pieces->engine);
    if (status && !whole) {
        uhi_engine_quiesce(pieces->engine);
        pieces->engine->ring.failed = UH_SUCCESS;
        counters->pending = 0;
        counters->dirty = 1;
    }
    for (size_t i = 0; spilled && !status && i < counters->count; i++)
        to[i] += spilled[i];
    free(spilled);
    return status;
}

void uhi_counters_discard(struct uhi_counters *counters, struct uhi_engine *engine) {
    counters->dirty |= counters->pending > 0 || engine->ring.failed;
    counters->pending = 0;
    if (engine->ring.failed)
        uhi_engine_quiesce(engine);
    engine->ring.failed = UH_SUCCESS;
}

void uhi_counters_free(struct uhi_counters *counters) {
    uhi_free(counters->words);
    uhi_free(counters->before);
    free(counters->readback);
    counters->words = counters->before = counters->readback = NULL;
    counters->count = counters->tables = counters->room = 0;
}
