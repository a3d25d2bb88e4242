/* SPDX-License-Identifier: Apache-2.0 */

#include <math.h>
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
        take_windows(base, &at, &uhi_windows[kind], t->pitch, &t->sum);
    if (exact && kind == UHI_VALUE_F32) {
        t->doubles.copy_offset = sizeof(double) * t->pitch * 2 <= UHI_STORE_REPLICA_BYTES ? t->pitch : 0;
        t->doubles.bounds = take_memory(base, &at, sizeof *t->doubles.bounds);
        t->doubles.value = take_memory(base, &at, (t->pitch + t->doubles.copy_offset) * sizeof *t->doubles.value);
    }
    if (exact && uhi_store_has_squares(store->storage))
        take_windows(base, &at, &uhi_windows[UHI_SQUARES + kind], t->pitch, &t->squares);
    if (weighted && store->fast)
        t->fast = take_memory(base, &at, t->pitch * sizeof *t->fast);
    if (weighted && store->fast_squares)
        t->fast_squares = take_memory(base, &at, t->pitch * sizeof *t->fast_squares);
    return at;
}

/* ---- exact sums of float32 weights as float64 -------------------------------------------------------------------- */

enum { CHUNK = 256, POINTS_A_SLOT = 16, MIN_CHUNKS = 64, MAX_PAUSE = 32 };

#define SMALLEST_NORMAL UINT32_C(0x00800000)
#define INFINITE        UINT32_C(0x7f800000)

/* For the bits of a normal float32 without sign: its value, and that of its last digit. */
static double value_of(uint32_t b) {
    float value;
    memcpy(&value, &b, sizeof value);
    return (double)value;
}
static double unit_of(uint32_t b) { return value_of(b & INFINITE) * 0x1p-23; }

/* Moves the sums of slots [from, to) into the store. The caller clears the bounds after all slots have been moved. A
 * sum is an integer number of units, of at most 53 bits and a sign: two 32-bit digits, shifted to where windows begin.
 */
static void empty_doubles(const struct uhi_store *store, const struct uhi_store_tables *t, size_t from, size_t to,
                          int shared) {
    const double unit = t->doubles.bounds->unit;
    double *value = t->doubles.value, *other = value + t->doubles.copy_offset;
    if (unit == 0)
        return;
    const uint32_t place = (uint32_t)(ilogb(unit) + UHI_SUM_BIAS), shift = place % 16;
    for (size_t slot = from; slot < to; slot++) {
        const double sum = value[slot] + (t->doubles.copy_offset ? other[slot] : 0);
        value[slot] = other[slot] = 0;
        if (sum == 0)
            continue;
        const int64_t units = (int64_t)(sum / unit), low = units & 0xffffffff,
                      high = (units - low) / ((int64_t)1 << 32);
        uhi_planes_add_window(&store->sums, slot, place / 16, low * ((int64_t)1 << shift), shared);
        uhi_planes_add_window(&store->sums, slot, place / 16 + 2, high * ((int64_t)1 << shift), shared);
    }
}

/* Returns whether sums up to `maximum` are exact; one bit is spare for the rounding of `maximum`. */
static int fits(double maximum, double unit) { return maximum <= unit * 0x1p52; }

/* Makes room for multiples of `unit` that grow the sums by `chunk`: measures the table's sums, or empties it. Returns 0
 * if it was emptied too recently. */
static int make_room(const struct uhi_store *store, const struct uhi_store_tables *t,
                     const struct uhi_accumulate_host *host, double unit, double chunk, int shared) {
    struct uhi_double_bounds *bounds = t->doubles.bounds;
    if (bounds->seen - bounds->measured >= store->slots) {
        bounds->maximum = host->largest(&t->doubles, store->slots);
        bounds->measured = bounds->seen;
        if (fits(bounds->maximum + chunk, bounds->unit < unit ? bounds->unit : unit))
            return 1;
    }
    if (bounds->seen < UHI_DOUBLES_MIN_POINTS || bounds->seen / POINTS_A_SLOT < store->slots)
        return 0;
    empty_doubles(store, t, 0, store->slots, shared);
    memset(bounds, 0, sizeof *bounds);
    return 1;
}

/* Returns whether a chunk of n weights can be added exactly, and extends the bounds to it. `minimum` and `maximum` are
 * the bits of the smallest nonzero and the largest magnitude. Denormal weights never qualify: a CPU that is set so
 * takes them as 0. */
static int take_chunk(const struct uhi_store *store, const struct uhi_store_tables *t,
                      const struct uhi_accumulate_host *host, uint32_t minimum, uint32_t maximum, size_t n,
                      int shared) {
    struct uhi_double_bounds *bounds = t->doubles.bounds;
    if (maximum == 0)
        return 1;
    if (maximum >= INFINITE || minimum < SMALLEST_NORMAL)
        return 0;
    const double unit = unit_of(minimum), chunk = (double)n * value_of(maximum);
    if (!fits(chunk * MIN_CHUNKS, unit)) /* few such chunks would fit: not worth emptying the table */
        return 0;
    if (bounds->unit != 0 && !fits(bounds->maximum + chunk, bounds->unit < unit ? bounds->unit : unit) &&
        !make_room(store, t, host, unit, chunk, shared))
        return 0;
    bounds->unit = bounds->unit == 0 || unit < bounds->unit ? unit : bounds->unit;
    bounds->maximum += chunk;
    return 1;
}

void uhi_doubles_add(const struct uhi_store *store, const struct uhi_store_tables *t,
                     const struct uhi_accumulate_host *host, const uint32_t *w, const uint32_t *cell, size_t n,
                     int shared) {
    struct uhi_double_bounds *bounds = t->doubles.bounds;
    for (size_t from = 0, m; from < n; from += m, w += m, cell += m) {
        uint32_t minimum, maximum;
        m = n - from < CHUNK ? n - from : CHUNK;
        bounds->seen += m;
        if (bounds->pause > 0) {
            bounds->pause--;
        } else {
            host->span(w, m, &minimum, &maximum);
            if (take_chunk(store, t, host, minimum, maximum, m, shared)) {
                host->add_doubles(&t->doubles, w, cell, m);
                bounds->misfits = 0;
                continue;
            }
            bounds->misfits += bounds->misfits < MAX_PAUSE;
            bounds->pause = bounds->misfits;
        }
        host->sum[UHI_VALUE_F32](t, w, cell, m);
    }
}

/* ---- emptying ---------------------------------------------------------------------------------------------------- */

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
        empty_doubles(store, t, from, to, shared);
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

const struct uhi_window_range uhi_windows[UHI_TABLES] = {
    {UHI_SUM_FIRST_F32, UHI_SUM_COUNT_F32, 1},       {UHI_SUM_FIRST_F64, UHI_SUM_COUNT_F64, 2},
    {UHI_SUM_FIRST_INT, UHI_SUM_COUNT_I32, 1},       {UHI_SUM_FIRST_INT, UHI_SUM_COUNT_I64, 2},
    {UHI_SQUARE_FIRST_F32, UHI_SQUARE_COUNT_F32, 2}, {UHI_SQUARE_FIRST_F64, UHI_SQUARE_COUNT_F64, 4},
    {UHI_SQUARE_FIRST_INT, UHI_SQUARE_COUNT_I32, 2}, {UHI_SQUARE_FIRST_INT, UHI_SQUARE_COUNT_I64, 4}};
