/* SPDX-License-Identifier: Apache-2.0 */
/* Adding points on the host: who adds what to which table, and how the tables come together in the store. */
#include <stdlib.h>
#include <string.h>

#include "kernels/accumulate/store_direct.h"
#include "kernels/accumulate/windows.h"
#include "kernels/common/host_run.h"
#include "kernels/registry.h"
#include "runtime/status.h"

enum {
    /* A thread is worth waking for so many points (about 20 microseconds of work). */
    POINTS_A_THREAD = 32768,
    /* Copies of a table side by side are worth it up to so many bytes: they are to stay in the first-level cache. */
    REPLICA_BYTES = 24 << 10,
    VALUE_BYTES = 8,
    LINE = 64 /* of the cache */
};

/* All threads' private tables together; beyond it they add to the store itself, atomically. */
#define PRIVATE_BYTES ((size_t)256 << 20)
/* Planes of all exponents that a type has are made without a look at the weights, up to so many bytes. */
#define PLANES_BYTES ((size_t)64 << 20)
/* So many points go into a table of 32-bit counters before it is emptied. */
#define COUNTER_POINTS ((size_t)1 << 31)

/* One call, as its slabs see it. */
struct work {
    const char *call;
    struct uhi_store *store;
    const struct uhi_accumulate_host *host;
    const struct uhi_cell_source *source;
    const uh_array *values; /* NULL: none */
    enum uhi_value_kind kind;
    size_t size; /* of one value */
    size_t n, slabs;
    size_t slab_bytes;
};

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* What has to be kept of a call's points. */
static int wants_counts(const struct work *work) {
    return !work->values || work->store->storage == UH_STORAGE_MEAN;
}
static int wants_sums(const struct work *work) {
    return work->values && !work->store->fast;
}
static int wants_squares(const struct work *work) {
    return wants_sums(work) && uhi_store_has_squares(work->store->storage);
}

/* Takes `bytes` of a slab, rounded up to cache lines; NULL for a base of NULL. */
static void *take(char *base, size_t *at, size_t bytes) {
    void *memory = base ? base + *at : NULL;
    *at += (bytes + LINE - 1) / LINE * LINE;
    return memory;
}

static void take_windows(char *base, size_t *at, const struct uhi_window_range *range, uint32_t pitch,
                         struct uhi_window_table *table) {
    const size_t one = (size_t)pitch * range->windows;
    table->first = range->first;
    table->windows = range->windows;
    table->digits = range->digits;
    table->apart = sizeof(int64_t) * pitch * range->digits * 2 <= REPLICA_BYTES ? one : 0;
    table->used = take(base, at, range->windows);
    table->value = take(base, at, (table->apart ? 2 : 1) * one * sizeof(int64_t));
}

/* The tables of a slab whose memory begins at `base`; NULL: only their sizes. Returns the bytes of a slab. */
static size_t slab_tables(const struct work *work, char *base, struct uhi_store_tables *t) {
    const size_t slots = work->store->slots;
    size_t at = 0;
    memset(t, 0, sizeof *t);
    t->cells = (uint32_t)work->store->cells;
    t->pitch = (uint32_t)((slots + 15) / 16 * 16 + 16); /* tables begin in different cache sets */
    t->flags = work->store->flags;
    t->replicas = 4;
    while (t->replicas > 1 && t->replicas * t->pitch * sizeof *t->count > REPLICA_BYTES)
        t->replicas /= 2;
    if (wants_counts(work))
        t->count = take(base, &at, t->replicas * t->pitch * sizeof *t->count);
    if (wants_sums(work))
        take_windows(base, &at, &uhi_sum_windows[work->kind], t->pitch, &t->sum);
    if (wants_squares(work))
        take_windows(base, &at, &uhi_square_windows[work->kind], t->pitch, &t->squares);
    if (work->values && work->store->fast)
        t->fast = take(base, &at, t->pitch * sizeof *t->fast);
    if (work->values && work->store->fast_squares)
        t->fast_squares = take(base, &at, t->pitch * sizeof *t->fast_squares);
    return at;
}

/* Windows that have something: those used, and where the further digits of theirs are. */
static int has_window(const struct uhi_window_table *table, uint32_t w) {
    for (uint32_t d = 0; d < table->digits && 2 * d <= w; d++)
        if (table->used[w - 2 * d])
            return 1;
    return 0;
}

static void empty_windows(const struct uhi_planes *planes, const struct uhi_store_tables *t,
                          const struct uhi_window_table *table, size_t from, size_t to, int shared) {
    for (uint32_t w = 0; w < table->windows; w++) {
        int64_t *value = table->value + (size_t)w * t->pitch, *other = value + table->apart;
        if (!has_window(table, w))
            continue;
        for (size_t slot = from; slot < to; slot++) {
            const int64_t sum = value[slot] + (table->apart ? other[slot] : 0);
            value[slot] = other[slot] = 0;
            if (sum)
                uhi_planes_add_window(planes, slot, table->first + w, sum, shared);
        }
    }
}

static void empty_fast(double *from, double *to, size_t slots_from, size_t slots_to) {
    for (size_t slot = slots_from; slot < slots_to; slot++) {
        to[slot] += from[slot];
        from[slot] = 0;
    }
}

/* Moves what is in slots [from, to) of a thread's tables into the store. FAST tables stay where they are while others
 * are at work: they cannot overflow. */
static void empty_tables(struct uhi_store *store, const struct uhi_store_tables *t, size_t from, size_t to,
                         int shared) {
    for (size_t slot = from; slot < to && t->count; slot++) {
        uint64_t sum = 0;
        for (size_t r = 0; r < t->replicas; r++) {
            sum += t->count[r * t->pitch + slot];
            t->count[r * t->pitch + slot] = 0;
        }
        uhi_direct_count(store, slot, sum, shared);
    }
    if (t->sum.value)
        empty_windows(&store->sums, t, &t->sum, from, to, shared);
    if (t->squares.value)
        empty_windows(&store->squares, t, &t->squares, from, to, shared);
    if (t->fast && !shared)
        empty_fast(t->fast, store->fast, from, to);
    if (t->fast_squares && !shared)
        empty_fast(t->fast_squares, store->fast_squares, from, to);
}

static void forget_used(const struct uhi_store_tables *t) {
    if (t->sum.used)
        memset(t->sum.used, 0, t->sum.windows);
    if (t->squares.used)
        memset(t->squares.used, 0, t->squares.windows);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* Inlined with a constant size: a load and a store for each value. */
__attribute__((always_inline)) static inline void copy_strided(char *to, const char *from, size_t n, ptrdiff_t stride,
                                                               size_t size) {
    for (size_t i = 0; i < n; i++, from += stride)
        memcpy(to + i * size, from, size);
}

/* Values [from, from + n), next to each other and aligned: themselves where they are, else a copy. */
static const void *gather_values(const struct work *work, size_t from, size_t n, void *buffer) {
    if (!work->values)
        return NULL;
    const char *first = (const char *)work->values->data + (ptrdiff_t)from * work->values->stride;
    if (work->values->stride == (ptrdiff_t)work->size) {
        if (((uintptr_t)first & (work->size - 1)) == 0)
            return first;
        return memcpy(buffer, first, n * work->size);
    }
    if (work->size == 4)
        copy_strided(buffer, first, n, work->values->stride, 4);
    else
        copy_strided(buffer, first, n, work->values->stride, 8);
    return buffer;
}

/* Adds a block to a thread's tables, or, without them, to the store. */
static void add_block(const struct work *work, const struct uhi_store_tables *t, const void *w, const uint32_t *cell,
                      size_t n) {
    if (!t) {
        uhi_direct_add(work->store, work->kind, w, cell, n, work->slabs > 1);
        return;
    }
    if (t->count)
        work->host->count(t, cell, n);
    if (t->sum.value)
        work->host->sum[work->kind](t, w, cell, n);
    if (t->squares.value)
        work->host->squares[work->kind](t, w, cell, n);
    if (t->fast)
        work->host->fast[work->kind](t, w, cell, n);
}

static size_t points_before_emptying(const struct work *work) {
    return wants_sums(work) ? (size_t)1 << UHI_HEADROOM : COUNTER_POINTS;
}

static void add_slab(const struct work *work, size_t slab, const struct uhi_store_tables *t) {
    _Alignas(64) uint32_t cell[UHI_CELL_BLOCK];
    _Alignas(64) char buffer[UHI_CELL_BLOCK * VALUE_BYTES];
    const size_t to = uhi_slab_start(work->n, work->slabs, slab + 1), most = points_before_emptying(work);
    size_t held = 0;
    for (size_t from = uhi_slab_start(work->n, work->slabs, slab), n; from < to; from += n) {
        n = to - from < UHI_CELL_BLOCK ? to - from : UHI_CELL_BLOCK;
        work->source->cells(work->source->context, slab, from, n, cell);
        work->host->limit(cell, n, (uint32_t)work->store->cells);
        if (t && held + n > most) {
            empty_tables(work->store, t, 0, work->store->slots, work->slabs > 1);
            held = 0;
        }
        add_block(work, t, gather_values(work, from, n, buffer), cell, n);
        held += n;
    }
}

static void *slab_memory(const struct work *work, size_t slab) {
    char *memory = work->store->scratch;
    return memory + (0 - (uintptr_t)memory) % LINE + slab * work->slab_bytes;
}

static void add_private(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    struct uhi_store_tables t;
    (void)slab_tables(work, slab_memory(work, group->group_id[0]), &t);
    add_slab(work, group->group_id[0], &t);
}

static void add_shared(const uh_work_group *group, void *const *args) {
    add_slab(args[0], group->group_id[0], NULL);
}

/* Group g of `slabs` brings its share of the slots together over all slabs' tables. */
static void join_tables(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    const size_t slots = work->store->slots, groups = group->group_count[0], g = group->group_id[0];
    const size_t each = (slots / groups + 63) / 64 * 64;
    const size_t from = each * g < slots ? each * g : slots;
    const size_t to = g + 1 == groups || slots - from < each ? slots : from + each;
    struct uhi_store_tables t;
    for (size_t slab = 0; slab < work->slabs; slab++) {
        (void)slab_tables(work, slab_memory(work, slab), &t);
        empty_tables(work->store, &t, from, to, 0);
    }
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

/* Exponents of the weights: of the type, or, where planes for all of them would be large, of those that there are. */
static void find_exponents(const struct work *work, int *lowest, int *above) {
    static const int range[4][2] = {{-149, 128}, {-1074, 1024}, {0, 32}, {0, 64}};
    _Alignas(64) char buffer[UHI_CELL_BLOCK * VALUE_BYTES];
    *lowest = work->values ? range[work->kind][0] : 0;
    *above = work->values ? range[work->kind][1] : 1;
    const size_t planes = (size_t)(*above - *lowest) / 32 + 4;
    if (!work->values || planes * work->store->slots * sizeof(int64_t) <= PLANES_BYTES)
        return;
    *lowest = 0;
    *above = 1;
    for (size_t from = 0, n; from < work->n; from += n) {
        n = work->n - from < UHI_CELL_BLOCK ? work->n - from : UHI_CELL_BLOCK;
        uhi_exponents_of(work->kind, gather_values(work, from, n, buffer), n, lowest, above);
    }
}

/* Makes room in the store for whatever the points can add to it. */
static uh_status ready_planes(const struct work *work, int private) {
    struct uhi_store *store = work->store;
    int lowest, above;
    if (!uhi_store_has_sums(store->storage) || store->fast)
        return UH_SUCCESS;
    find_exponents(work, &lowest, &above);
    uh_status status = uhi_planes_reserve(work->call, store, &store->sums, lowest, above);
    if (!status && uhi_store_has_squares(store->storage))
        status = uhi_planes_reserve(work->call, store, &store->squares, lowest, above);
    if (status)
        return status;
    /* A point adds at most 4 digits of at most 3 parts; a window its 3 parts, where 5 windows overlap. */
    const uint64_t additions = private ? 8 * (work->n / points_before_emptying(work) + 2 * work->slabs) : work->n;
    uhi_planes_expect(store, &store->sums, additions);
    uhi_planes_expect(store, &store->squares, 4 * additions);
    return UH_SUCCESS;
}

static uh_status ready_scratch(const struct work *work) {
    struct uhi_store *store = work->store;
    const size_t bytes = work->slabs * work->slab_bytes + LINE;
    if (bytes <= store->scratch_size)
        return UH_SUCCESS;
    void *memory = calloc(1, bytes); /* most of a large one is never touched, and takes no memory then */
    if (!memory)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for the tables of %zu threads", work->call, work->slabs);
    free(store->scratch);
    store->scratch = memory;
    store->scratch_size = bytes;
    return UH_SUCCESS;
}

/* Whether tables of their own are worth it for the threads. */
static int wants_tables(struct work *work) {
    struct uhi_store_tables t;
    work->slab_bytes = slab_tables(work, NULL, &t);
    const uint64_t places = (uint64_t)t.pitch * (t.squares.windows > t.sum.windows ? t.squares.windows : t.sum.windows);
    return work->n >= 2 * work->store->slots + 1024 && work->slab_bytes <= PRIVATE_BYTES / work->slabs &&
           2 * places <= UINT32_MAX;
}

uh_status uhi_store_add(const char *call, uh_queue *queue, struct uhi_store *store,
                        const struct uhi_cell_source *source, size_t n, const uh_array *values) {
    struct work work = {
        .call = call, .store = store, .host = uhi_accumulate_host(), .source = source, .values = values, .n = n};
    if (n == 0)
        return UH_SUCCESS;
    if (values && uhi_find_kind(values->dtype, &work.kind))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: values are %s, expected float32, float64, int32 or int64", call,
                        uh_dtype_name(values->dtype) ? uh_dtype_name(values->dtype) : "of no type");
    work.size = values ? uh_dtype_size(values->dtype) : 0;
    work.slabs = uhi_host_slabs(queue, n, POINTS_A_THREAD);
    const int private = wants_tables(&work);
    uh_status status = ready_planes(&work, private);
    if (!status && private)
        status = ready_scratch(&work);
    if (status)
        return status;
    if (!private)
        return uhi_host_run(queue, add_shared, "accumulate: add", &work, work.slabs);
    status = uhi_host_run(queue, add_private, "accumulate: add", &work, work.slabs);
    if (!status)
        status = uhi_host_run(queue, join_tables, "accumulate: join", &work, work.slabs);
    for (size_t slab = 0; slab < work.slabs && !status; slab++) {
        struct uhi_store_tables t;
        (void)slab_tables(&work, slab_memory(&work, slab), &t);
        forget_used(&t);
    }
    return status;
}
