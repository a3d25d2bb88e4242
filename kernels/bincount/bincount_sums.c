/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of weights by integer: the values become cells of a store. */
#include <stdlib.h>

#include "kernels/bincount/bincount_run.h"
#include "kernels/bincount/extent.h"
#include "kernels/bincount/extent_run.h"
#include "kernels/bincount/tuning.h"
#include "kernels/registry.h"
#include "runtime/status.h"

/* Cells of a store. */
#define MAX_CELLS ((uint64_t)UINT32_MAX - 1)

/* One adding. */
struct weighing {
    struct uhi_bincount *count;
    uh_dtype dtype;
    const uh_array *weights; /* NULL: 1 each */
    uint64_t largest;        /* value; before the host has looked at them: that may come */
};

/* A store of at least `cells` cells that holds what there is. Where it grows it grows by half at least. */
static uh_status reserve(struct uhi_bincount *count, uint64_t cells) {
    const char *call = count->frame.call;
    const uint64_t now = count->store ? uhi_store_cells(count->store) : 0, more = now + now / 2;
    struct uhi_store *grown = NULL;
    if (now >= cells)
        return UH_SUCCESS;
    if (cells > MAX_CELLS)
        return uhi_fail(UH_ERROR_UNSUPPORTED, "%s: the largest value is %llu, expected at most %llu with weights", call,
                        (unsigned long long)cells - 1, (unsigned long long)MAX_CELLS - 1);
    cells = cells > more ? cells : more < MAX_CELLS ? more : MAX_CELLS;
    uh_status status = uhi_store_create(call, cells, UH_STORAGE_SUM, count->sum, &grown);
    if (!status && count->store)
        status = uhi_store_reserve(call, grown, count->store);
    if (status) {
        uhi_store_destroy(grown);
        return status;
    }
    for (size_t v = 0; v < count->length; v++)
        uhi_store_fold(grown, v, count->store, v);
    uhi_store_device_destroy(count->device); /* it holds nothing */
    count->device = NULL;
    uhi_store_destroy(count->store);
    count->store = grown;
    return UH_SUCCESS;
}

/* ---- on the host ---- */

/* What a thread has seen. */
struct seen {
    _Alignas(64) uint64_t largest;
};

/* The values as cells. */
struct source {
    const struct uhi_bincount_host *host;
    size_t size;
    const char *x;
    uint64_t max;
    struct seen *seen; /* by each thread */
};

static void find_cells(const void *context, size_t thread, size_t from, size_t n, uint32_t *cell) {
    const struct source *source = context;
    struct seen *seen = &source->seen[thread];
    const char *x = source->x + from * source->size;
    const uint64_t largest = source->host->largest(source->size, x, n);
    source->host->cells(source->size, x, n, source->max, UHI_OUTSIDE, cell);
    seen->largest = largest > seen->largest ? largest : seen->largest;
}

/* Sums are added where they stay, so all values are looked at before; but not where the store is empty, as it can be
 * emptied again, and large enough for whatever may come. */
static uh_status look_on_host(struct uhi_frame *frame, void *context) {
    struct weighing *weighing = context;
    const struct uhi_bincount *count = weighing->count;
    if (count->limit.given && count->length == 0)
        return UH_SUCCESS;
    return uhi_bincount_find_largest(frame, weighing->dtype, count->limit, &weighing->largest);
}

static uh_status weigh_on_host(struct uhi_frame *frame, void *context) {
    struct weighing *weighing = context;
    struct uhi_bincount *count = weighing->count;
    const size_t threads = uhi_host_threads(frame->queue);
    struct source source = {.host = uhi_bincount_host(),
                            .size = uhi_value_size(weighing->dtype),
                            .x = frame->operands.in[0].x.first,
                            .max = weighing->largest};
    const struct uhi_cell_source cells = {find_cells, &source};
    uint64_t largest = 0;
    source.seen = uhi_frame_scratch(frame, threads * sizeof *source.seen);
    if (!source.seen)
        return UH_ERROR_OUT_OF_MEMORY;
    for (size_t t = 0; t < threads; t++)
        source.seen[t].largest = 0;
    uh_status status =
        uhi_store_add(frame->call, frame->queue, count->store, &cells, frame->operands.n, weighing->weights);
    if (status)
        return status;
    for (size_t t = 0; t < threads; t++)
        largest = source.seen[t].largest > largest ? source.seen[t].largest : largest;
    if (largest > weighing->largest) { /* the store was empty */
        uhi_bincount_clear(count);
        return uhi_bincount_refuse(frame, weighing->dtype, count->limit);
    }
    weighing->largest = largest;
    return UH_SUCCESS;
}

/* ---- on a device ---- */

static uh_status look_on_device(struct uhi_frame *frame, void *context) {
    struct weighing *weighing = context;
    return uhi_bincount_find_largest(frame, weighing->dtype, weighing->count->limit, &weighing->largest);
}

/* The launches of one adding. */
struct launching {
    const struct weighing *weighing;
    struct uhi_frame *frame;
    uh_kernel *kernel;
    uint32_t *words; /* one that tells whether a value had no bin, and a piece's cells behind it */
};

static uh_status launch_piece(void *context, const struct uhi_piece *piece) {
    const struct launching *launching = context;
    const struct weighing *weighing = launching->weighing;
    const uint64_t n = piece->n;
    const uint32_t bins = (uint32_t)(weighing->largest + 1);
    const uh_arg args[] = {uh_arg_pointer(piece->in[0]), uh_arg_value(&n, sizeof n), uh_arg_value(&bins, sizeof bins),
                           uh_arg_pointer(launching->words), uh_arg_pointer(launching->words + 1)};
    uh_status status =
        uhi_engine_run_wide(launching->frame->engine, launching->kernel, piece->n, args, 5, piece->ready[0], NULL);
    return status ? status
                  : uhi_store_device_add(launching->frame->call, weighing->count->device, launching->words + 1,
                                         piece->n, weighing->weights ? weighing->weights->dtype : UH_F64, piece->in[1],
                                         piece->ready[1], piece->done);
}

/* Adds, and waits; *beyond: a value had no bin. */
static uh_status weigh_pieces(struct launching *launching, uint32_t *beyond) {
    struct uhi_frame *frame = launching->frame;
    struct uhi_engine *engine = frame->engine;
    const size_t limit = launching->weighing->count->counters.max_pending;
    const uint32_t zero = 0;
    struct uhi_pieces pieces;
    void *words = NULL;
    uh_status status = uhi_pieces_open(&pieces, engine, frame->call, &frame->operands,
                                       limit < UHI_BINCOUNT_CELLS_A_PIECE ? limit : UHI_BINCOUNT_CELLS_A_PIECE);
    if (status)
        return status;
    const size_t cells = frame->operands.n < pieces.max ? frame->operands.n : pieces.max;
    status = uhi_engine_scratch(engine, (1 + cells) * sizeof zero, &words);
    launching->words = words;
    if (!status)
        status = uh_fill(engine->queue, words, &zero, sizeof zero, 1, NULL, 0, NULL);
    if (!status)
        status = uhi_pieces_each(&pieces, launch_piece, NULL, launching);
    if (!status)
        status = uhi_ring_drain(engine);
    if (!status)
        status = uhi_engine_fetch(engine, beyond, words, sizeof *beyond);
    return uhi_pieces_finish(&pieces, status);
}

static uh_status weigh_on_device(struct uhi_frame *frame, void *context) {
    struct weighing *weighing = context;
    struct uhi_bincount *count = weighing->count;
    struct launching launching = {.weighing = weighing, .frame = frame};
    uint32_t beyond = 0;
    uh_status status = uhi_bincount_kernel(frame->engine, "cells", weighing->dtype, &launching.kernel);
    if (!status && !count->device)
        status = uhi_store_device_create(frame->call, frame->queue, count->store, &count->device);
    if (!status)
        status =
            uhi_store_device_prepare(frame->call, count->device, weighing->weights ? weighing->weights->dtype : UH_F64);
    if (status)
        return status;
    status = weigh_pieces(&launching, &beyond);
    if (!status && !beyond)
        status = uhi_store_device_settle(frame->call, count->device);
    if (status || beyond)
        uhi_store_device_forget(count->device);
    return !status && beyond ? uhi_bincount_refuse(frame, weighing->dtype, count->limit) : status;
}

/* ---- the call ---- */

static const struct uhi_stage look = {"bincount: look", look_on_host, look_on_device};
static const struct uhi_stage weigh = {"bincount: weigh", weigh_on_host, weigh_on_device};

uh_status uhi_bincount_weigh(struct uhi_bincount *count, const char *call, uh_dtype dtype, const void *x, size_t n,
                             const uh_array *weights) {
    struct weighing weighing = {count, dtype, weights, uhi_bincount_allowed(dtype, count->limit)};
    uh_status status = uhi_bincount_begin(count, call, dtype, x, n);
    if (!status && weights)
        status = uhi_frame_input(&count->frame, "weights", (struct uhi_values){weights->data, n, weights->stride},
                                 uh_dtype_size(weights->dtype));
    if (!status)
        status = uhi_frame_run(&count->frame, &look, &weighing);
    if (!status)
        status = reserve(count, count->limit.given ? count->limit.max + 1 : weighing.largest + 1);
    if (!status)
        status = uhi_frame_run(&count->frame, &weigh, &weighing);
    if (!status && weighing.largest >= count->length)
        count->length = weighing.largest + 1;
    return status;
}
