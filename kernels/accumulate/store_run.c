/* SPDX-License-Identifier: Apache-2.0 */
/* Adding points. On the host each thread adds its part to tables of its own, which are then merged into the store, or,
 * with few points or many cells, directly to the store. On a device the caller's launches find the cells of a piece,
 * and those of device_tables.c add them. */
#include <stdlib.h>

#include "kernels/accumulate/device_tables.h"
#include "kernels/accumulate/tuning.h"
#include "runtime/status.h"

enum { VALUE_BYTES = 8, LINE = 64 /* cache line */ };

/* Points added to a table of 32-bit counters before it is emptied. */
#define COUNTER_POINTS ((size_t)1 << 31)

struct adding {
    const char *call;
    struct uhi_store *store;
    const struct uhi_cell_source *source;
    enum uhi_value_kind kind;
    struct uhi_values values; /* the frame's last input, if there are values */
    size_t input, size;       /* index of that input; bytes per value */
    size_t n;
    /* On the host: */
    const struct uhi_accumulate_host *host;
    size_t parts, part_bytes; /* the threads' shares of the points; bytes of tables per share */
    int private;              /* threads add to tables of their own */
    /* On a device: */
    int torn; /* the last piece was only partly submitted */
};

/* ---- on the host: points ----------------------------------------------------------------------------------------- */

/* Returns values [from, from + n), if there are some, contiguous and aligned, in place or in the buffer. */
static const void *gather_values(const struct adding *adding, size_t from, size_t n, void *buffer) {
    return adding->kind == UHI_VALUE_NONE
               ? NULL
               : uhi_values_aligned(uhi_values_part(adding->values, from, n), adding->size, buffer);
}

/* Adds a block to a thread's tables or, if `t` is NULL, to the store. */
static void add_block(const struct adding *adding, const struct uhi_store_tables *t, const void *w,
                      const uint32_t *cell, size_t n) {
    if (!t) {
        uhi_direct_add(adding->store, adding->kind, w, cell, n, adding->parts > 1);
        return;
    }
    if (t->count)
        adding->host->count(t, cell, n);
    if (t->doubles.value)
        uhi_doubles_add(adding->store, t, adding->host, w, cell, n, adding->parts > 1);
    else if (t->sum.value)
        adding->host->sum[adding->kind](t, w, cell, n);
    if (t->squares.value)
        adding->host->squares[adding->kind](t, w, cell, n);
    if (t->fast)
        adding->host->fast[adding->kind](t, w, cell, n);
}

static size_t points_before_emptying(const struct adding *adding) {
    return adding->kind != UHI_VALUE_NONE && !adding->store->fast ? (size_t)1 << UHI_HEADROOM : COUNTER_POINTS;
}

static void add_points(const struct adding *adding, size_t part, const struct uhi_store_tables *t) {
    _Alignas(64) uint32_t cell[UHI_CELL_BLOCK];
    _Alignas(64) char buffer[UHI_CELL_BLOCK * VALUE_BYTES];
    const size_t to = uhi_part_start(adding->n, adding->parts, part + 1), max = points_before_emptying(adding);
    size_t held = 0;
    for (size_t from = uhi_part_start(adding->n, adding->parts, part), n; from < to; from += n) {
        n = to - from < UHI_CELL_BLOCK ? to - from : UHI_CELL_BLOCK;
        adding->source->on_host(adding->source->context, part, from, n, cell);
        if (t && held + n > max) {
            uhi_thread_tables_empty(adding->store, t, 0, adding->store->slots, adding->parts > 1);
            uhi_thread_tables_discard(t);
            held = 0;
        }
        add_block(adding, t, gather_values(adding, from, n, buffer), cell, n);
        held += n;
    }
}

static void tables_of(const struct adding *adding, size_t part, struct uhi_store_tables *t) {
    char *memory = adding->store->scratch;
    (void)uhi_thread_tables(adding->store, adding->kind,
                            memory + (0 - (uintptr_t)memory) % LINE + part * adding->part_bytes, t);
}

static void add_part(const void *context, size_t part, __attribute__((unused)) size_t parts) {
    const struct adding *adding = context;
    struct uhi_store_tables t;
    if (adding->private)
        tables_of(adding, part, &t);
    add_points(adding, part, adding->private ? &t : NULL);
}

/* Empties part `part` of the slots in all threads' tables. */
static void join_tables(const void *context, size_t part, size_t parts) {
    const struct adding *adding = context;
    const size_t slots = adding->store->slots, each = (slots / parts + 63) / 64 * 64;
    const size_t from = each * part < slots ? each * part : slots;
    const size_t to = part + 1 == parts || slots - from < each ? slots : from + each;
    struct uhi_store_tables t;
    for (size_t i = 0; i < adding->parts; i++) {
        tables_of(adding, i, &t);
        uhi_thread_tables_empty(adding->store, &t, from, to, 0);
    }
}

/* ---- on the host: the call --------------------------------------------------------------------------------------- */

/* Finds the range of exponents: of the type or, if planes for all of them would be large, of the actual weights. */
static void find_exponents(const struct adding *adding, int *lowest, int *above) {
    static const int range[][2] = {{-149, 128}, {-1074, 1024}, {0, 32}, {0, 64}, {0, 1}, {0, 64}};
    _Alignas(64) char buffer[UHI_CELL_BLOCK * VALUE_BYTES];
    *lowest = range[adding->kind][0];
    *above = range[adding->kind][1];
    const size_t planes = (size_t)(*above - *lowest) / 32 + 4;
    if (adding->kind == UHI_VALUE_NONE || planes * adding->store->slots * sizeof(int64_t) <= UHI_STORE_PLANES_BYTES)
        return;
    *lowest = 0;
    *above = 1;
    for (size_t from = 0, n; from < adding->n; from += n) {
        n = adding->n - from < UHI_CELL_BLOCK ? adding->n - from : UHI_CELL_BLOCK;
        uhi_exponents_of(adding->kind, gather_values(adding, from, n, buffer), n, lowest, above);
    }
}

/* Makes room in the store for everything that the points can add. */
static uh_status ready_planes(const struct adding *adding) {
    struct uhi_store *store = adding->store;
    int lowest, above;
    if (!uhi_store_has_sums(store->storage) || store->fast)
        return UH_SUCCESS;
    find_exponents(adding, &lowest, &above);
    UHI_TRY(uhi_planes_reserve(adding->call, &store->sums, lowest, above));
    if (uhi_store_has_squares(store->storage))
        UHI_TRY(uhi_planes_reserve(adding->call, &store->squares, lowest, above));
    /* A point adds at most 4 digits of at most 3 parts; a window 3 parts, and 5 windows overlap; a double 2 windows. */
    const uint64_t emptied = adding->n / points_before_emptying(adding) + adding->n / UHI_DOUBLES_MIN_POINTS;
    const uint64_t additions = adding->private ? 8 * (emptied + 3 * adding->parts) : adding->n;
    uhi_planes_expect(&store->sums, additions);
    uhi_planes_expect(&store->squares, 4 * additions);
    return UH_SUCCESS;
}

static uh_status ready_scratch(const struct adding *adding) {
    struct uhi_store *store = adding->store;
    const size_t bytes = adding->parts * adding->part_bytes + LINE;
    if (bytes <= store->scratch_bytes)
        return UH_SUCCESS;
    void *memory = calloc(1, bytes); /* most of a large block is never touched and takes no memory */
    if (!memory)
        return uhi_fail_memory(adding->call, "no memory for the tables of %zu threads", adding->parts);
    free(store->scratch);
    store->scratch = memory;
    store->scratch_bytes = bytes;
    return UH_SUCCESS;
}

static int wants_tables(struct adding *adding) {
    struct uhi_store_tables t;
    if (adding->kind == UHI_VALUE_U64)
        return 0;
    adding->part_bytes = uhi_thread_tables(adding->store, adding->kind, NULL, &t);
    const uint64_t places = (uint64_t)t.pitch * (t.squares.windows > t.sum.windows ? t.squares.windows : t.sum.windows);
    return adding->n >= 2 * adding->store->slots + UHI_STORE_CLEAR_POINTS &&
           adding->part_bytes <= UHI_STORE_PRIVATE_BYTES / adding->parts && 2 * places <= UINT32_MAX;
}

static uh_status add_on_host(struct uhi_frame *frame, void *context) {
    struct adding *adding = context;
    adding->host = uhi_accumulate_host();
    adding->parts = uhi_parts_for(frame->queue, adding->n, UHI_STORE_POINTS_A_THREAD);
    adding->private = wants_tables(adding);
    UHI_TRY(ready_planes(adding));
    if (adding->private)
        UHI_TRY(ready_scratch(adding));
    uhi_host_parallel(frame->queue, "store: add", add_part, adding, adding->parts);
    if (adding->private)
        uhi_host_parallel(frame->queue, "store: join", join_tables, adding, adding->parts);
    for (size_t part = 0; adding->private && part < adding->parts; part++) {
        struct uhi_store_tables t;
        tables_of(adding, part, &t);
        uhi_thread_tables_discard(&t);
    }
    return UH_SUCCESS;
}

/* ---- on a device ------------------------------------------------------------------------------------------------- */

static uh_status add_piece(void *context, const struct uhi_piece *piece) {
    struct adding *adding = context;
    struct uhi_device_tables *tables = adding->store->device;
    const int weighted = adding->kind != UHI_VALUE_NONE;
    struct uhi_device_sums sums;
    uh_status status;
    if (adding->source->sum_on_device) {
        status = uhi_device_tables_give_sums(tables, adding->kind, piece->n, &sums);
        return status ? status : adding->source->sum_on_device(adding->source->context, piece, &sums);
    }
    status = adding->source->on_device(adding->source->context, piece, tables->cells);
    return status ? status
                  : uhi_device_tables_add(tables, adding->kind, weighted ? piece->in[adding->input] : NULL, piece->n,
                                          weighted ? piece->ready[adding->input] : NULL, piece->done, &adding->torn);
}

static uh_status add_pieces(struct adding *adding, const struct uhi_pieces *pieces) {
    const struct uhi_cell_source *source = adding->source;
    if (source->counters)
        return uhi_counters_add(source->counters, pieces, add_piece, NULL, adding, source->counts);
    UHI_TRY(uhi_pieces_for_each(pieces, add_piece, NULL, adding));
    /* The caller may write to shared arrays again. */
    return uhi_pieces_shared(pieces) ? uhi_ring_drain(pieces->engine) : UH_SUCCESS;
}

/* Maximum points per piece. */
static size_t max_piece(const struct adding *adding) {
    const struct uhi_cell_source *source = adding->source;
    size_t max = source->sum_on_device ? (size_t)1 << UHI_HEADROOM : adding->store->device->room;
    max = source->max_piece && source->max_piece < max ? source->max_piece : max;
    return source->counters && source->counters->max_pending < max ? source->counters->max_pending : max;
}

/* Prepares the device for the points; cells are needed only if they are found in a separate step. */
static uh_status ready_tables(const struct adding *adding) {
    return uhi_device_tables_ready(adding->store->device, adding->kind, adding->source->sum_on_device ? 0 : adding->n);
}

/* Moves the device's data to the host, so that a failure loses only points of this call. */
static uh_status empty_device(struct uhi_frame *frame, const struct adding *adding) {
    struct uhi_counters *counters = adding->source->counters;
    struct uhi_device_tables *tables = adding->store->device;
    UHI_TRY(counters ? uhi_counters_read(counters, frame->engine, adding->source->counts) : UH_SUCCESS);
    UHI_TRY(uhi_device_tables_read(frame->call, tables));
    return ready_tables(adding);
}

/* Discards the device's data; `lost`, unless UH_SUCCESS, is the error that later calls report. */
static void discard_all(struct uhi_frame *frame, const struct adding *adding, uh_status lost) {
    uhi_device_tables_discard(adding->store->device);
    if (adding->source->counters)
        uhi_counters_discard(adding->source->counters, frame->engine);
    frame->engine->ring.failed = lost;
}

/* A single piece is added entirely or not at all, unless one of its launches fails after another has started to add:
 * then all data on the device is lost. Of several pieces, those before a failure are discarded: earlier data leaves the
 * device first. */
static uh_status add_on_device(struct uhi_frame *frame, void *context) {
    struct adding *adding = context;
    struct uhi_counters *counters = adding->source->counters;
    struct uhi_pieces pieces;
    if (adding->kind == UHI_VALUE_U64)
        return uhi_fail(UH_ERROR_UNSUPPORTED, frame->call, NULL, "weights are uint64, which the host alone adds");
    UHI_TRY(uhi_device_tables_open(frame->call, adding->store, frame->engine));
    UHI_TRY(ready_tables(adding));
    UHI_TRY(uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands, max_piece(adding)));
    const int held = adding->store->device->holds;
    const int whole = counters ? uhi_counters_fit_all(counters, &pieces) : adding->n == uhi_pieces_length(&pieces, 0);
    UHI_TRY(!whole ? empty_device(frame, adding) : UH_SUCCESS);
    uh_status status = add_pieces(adding, &pieces);
    if (status)
        uhi_engine_quiesce(frame->engine); /* afterwards nothing uses the call's arrays */
    if (status && (!whole || !held || adding->torn))
        discard_all(frame, adding, whole && held ? status : UH_SUCCESS);
    return status;
}

/* ---- entry points ------------------------------------------------------------------------------------------------ */

static const enum uhi_value_kind kinds[UH_DTYPE_COUNT] = {[UH_F32] = UHI_VALUE_F32,
                                                          [UH_F64] = UHI_VALUE_F64,
                                                          [UH_I32] = UHI_VALUE_I32,
                                                          [UH_I64] = UHI_VALUE_I64,
                                                          [UH_U64] = UHI_VALUE_U64};

static const struct uhi_stage add = {"store: add", add_on_host, add_on_device};

uh_status uhi_store_add(struct uhi_store *store, struct uhi_frame *frame, const struct uhi_cell_source *source,
                        uh_dtype dtype) {
    struct adding adding = {
        .call = frame->call, .store = store, .source = source, .kind = UHI_VALUE_NONE, .n = frame->operands.n};
    if (dtype != UHI_NO_VALUES) {
        adding.kind = kinds[dtype];
        adding.input = frame->operands.inputs - 1;
        adding.values = frame->operands.in[adding.input].x;
        adding.size = uh_dtype_size(dtype);
    }
    return uhi_frame_run(frame, &add, &adding);
}

uh_status uhi_store_read_device(const char *call, struct uhi_store *store) {
    return store->device ? uhi_device_tables_read(call, store->device) : UH_SUCCESS;
}

void uhi_store_discard(struct uhi_store *store) {
    if (store->device)
        uhi_device_tables_discard(store->device);
}
