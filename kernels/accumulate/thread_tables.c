/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/accumulate/tables.h"

#include <string.h>

#include "kernels/accumulate/store.h"
#include "kernels/accumulate/tuning.h"

enum { LINE = 64 /* bytes of a cache line */, PAGE = 4096 /* bytes after which the cache sets repeat */ };

/* Takes `bytes` of a thread's memory, rounded up to cache lines. Returns NULL if base is NULL. */
static void *take_memory(char *base, size_t *at, size_t bytes) {
    void *memory = base ? base + *at : NULL;
    *at += (bytes + LINE - 1) / LINE * LINE;
    return memory;
}

/* Puts the windows of a cell into different cache sets: at a distance of three lines modulo a page, unless
 * they are within a page. */
static uint32_t pitch_of(uint32_t slots) {
    const uint32_t page = PAGE / sizeof(int64_t), lines = 3 * (LINE / sizeof(int64_t));
    return slots < page ? (slots + 15) / 16 * 16 + 16 : (slots - lines + page - 1) / page * page + lines;
}

static void take_windows(char *base, size_t *at, const struct uhi_window_range *range, uint32_t pitch,
                         struct uhi_window_table *table) {
    const size_t one = (size_t)pitch * range->windows;
    table->first = range->first;
    table->windows = range->windows;
    table->digits = range->digits;
    table->copy_offset = sizeof(int64_t) * pitch * range->digits * 2 <= UHI_STORE_REPLICA_BYTES ? one : 0;
    table->used = take_memory(base, at, range->windows);
    table->value = take_memory(base, at, (table->copy_offset ? 2 : 1) * one * sizeof(int64_t));
}

size_t uhi_thread_tables(const struct uhi_store *store, enum uhi_value_kind kind, char *base,
                         struct uhi_store_tables *t) {
    const int weighted = kind != UHI_VALUE_NONE, exact = weighted && !store->fast;
    size_t at = 0;
    memset(t, 0, sizeof *t);
    t->pitch = pitch_of((uint32_t)store->slots);
    t->flags = store->flags;
    t->replicas = 4;
    while (t->replicas > 1 && t->replicas * t->pitch * sizeof *t->count > UHI_STORE_REPLICA_BYTES)
        t->replicas /= 2;
    if (!weighted || store->storage == UH_STORAGE_MEAN)
        t->count = take_memory(base, &at, t->replicas * t->pitch * sizeof *t->count);
    if (exact)
        take_windows(base, &at, &uhi_sum_windows[kind], t->pitch, &t->sum);
    if (exact && kind == UHI_VALUE_F32) {
        t->doubles.copy_offset = sizeof(double) * t->pitch * 2 <= UHI_STORE_REPLICA_BYTES ? t->pitch : 0;
        t->doubles.bounds = take_memory(base, &at, sizeof *t->doubles.bounds);
        t->doubles.value = take_memory(base, &at, (t->pitch + t->doubles.copy_offset) * sizeof *t->doubles.value);
    }
    if (exact && uhi_store_has_squares(store->storage))
        take_windows(base, &at, &uhi_square_windows[kind], t->pitch, &t->squares);
    if (weighted && store->fast)
        t->fast = take_memory(base, &at, t->pitch * sizeof *t->fast);
    if (weighted && store->fast_squares)
        t->fast_squares = take_memory(base, &at, t->pitch * sizeof *t->fast_squares);
    return at;
}

static void empty_windows(const struct uhi_planes *planes, const struct uhi_store_tables *t,
                          const struct uhi_window_table *table, size_t from, size_t to, int shared) {
    for (uint32_t w = 0; w < table->windows; w++) {
        int64_t *value = table->value + (size_t)w * t->pitch, *other = value + table->copy_offset;
        if (!uhi_window_holds(table->used, table->digits, w))
            continue;
        for (size_t slot = from; slot < to; slot++) {
            const int64_t sum = value[slot] + (table->copy_offset ? other[slot] : 0);
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

void uhi_thread_tables_empty(struct uhi_store *store, const struct uhi_store_tables *t, size_t from, size_t to,
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
    if (t->doubles.value)
        uhi_doubles_empty(store, t, from, to, shared);
    if (t->squares.value)
        empty_windows(&store->squares, t, &t->squares, from, to, shared);
    if (t->fast && !shared)
        empty_fast(t->fast, store->fast, from, to);
    if (t->fast_squares && !shared)
        empty_fast(t->fast_squares, store->fast_squares, from, to);
}

void uhi_thread_tables_discard(const struct uhi_store_tables *t) {
    if (t->sum.used)
        memset(t->sum.used, 0, t->sum.windows);
    if (t->squares.used)
        memset(t->squares.used, 0, t->squares.windows);
    if (t->doubles.bounds)
        memset(t->doubles.bounds, 0, sizeof *t->doubles.bounds);
}

const struct uhi_window_range uhi_sum_windows[4] = {{UHI_SUM_FIRST_F32, UHI_SUM_COUNT_F32, 1},
                                                    {UHI_SUM_FIRST_F64, UHI_SUM_COUNT_F64, 2},
                                                    {UHI_SUM_FIRST_INT, UHI_SUM_COUNT_I32, 1},
                                                    {UHI_SUM_FIRST_INT, UHI_SUM_COUNT_I64, 2}};
const struct uhi_window_range uhi_square_windows[4] = {{UHI_SQUARE_FIRST_F32, UHI_SQUARE_COUNT_F32, 2},
                                                       {UHI_SQUARE_FIRST_F64, UHI_SQUARE_COUNT_F64, 4},
                                                       {UHI_SQUARE_FIRST_INT, UHI_SQUARE_COUNT_I32, 2},
                                                       {UHI_SQUARE_FIRST_INT, UHI_SQUARE_COUNT_I64, 4}};

int uhi_find_kind(uh_dtype dtype, enum uhi_value_kind *kind) {
    switch (dtype) {
    case UH_F32: *kind = UHI_VALUE_F32; return 0;
    case UH_F64: *kind = UHI_VALUE_F64; return 0;
    case UH_I32: *kind = UHI_VALUE_I32; return 0;
    case UH_I64: *kind = UHI_VALUE_I64; return 0;
    default: return -1;
    }
}
