/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram on the CPU, compiled once per x86-64 level. Values are processed in short blocks that stay in the
 * first-level cache: first the slots of a block, then the counting. */
#include "kernels/histogram/histogram_host.h"

enum { BLOCK = 2048, MAX_VALUE_BYTES = 8 };

/* Values [from, from + n), contiguous and aligned: in place if possible, otherwise a copy. */
static const void *gather_block(const struct uhi_histogram_tables *t, struct uhi_values x, size_t from, size_t n,
                                void *buffer) {
    return uhi_values_aligned(uhi_values_part(x, from, n), t->value_bytes, buffer);
}

/* Functions of the compared type, or NULL if slots are read from a table of all values. */
static const struct uhi_histogram_compared *compared(const struct uhi_histogram_tables *t) {
    switch (t->compare) {
    case UHI_COMPARE_F32: return &UHI_COMPARED(f32);
    case UHI_COMPARE_F64: return &UHI_COMPARED(f64);
    case UHI_COMPARE_I32: return &UHI_COMPARED(i32);
    case UHI_COMPARE_I64: return &UHI_COMPARED(i64);
    default: return NULL;
    }
}

static void lookup_direct(const struct uhi_histogram_tables *t, const void *x, size_t n, uint32_t *slot) {
    const uint32_t *direct = t->direct;
    if (t->value_bytes == 1) {
        const uint8_t *values = x;
        for (size_t i = 0; i < n; i++)
            slot[i] = direct[values[i]];
    } else {
        const uint16_t *values = x;
        for (size_t i = 0; i < n; i++)
            slot[i] = direct[values[i]];
    }
}

/* Slots of n contiguous, aligned values. */
static void lookup_block(const struct uhi_histogram_tables *t, const void *x, size_t n, uint32_t *slot) {
    const struct uhi_histogram_compared *of_type = compared(t);
    if (of_type)
        of_type->lookup(t, x, n, slot);
    else
        lookup_direct(t, x, n, slot);
}

/* Slots of the block that begins at value i; its length in *n. */
static void next_block(const struct uhi_histogram_tables *t, struct uhi_values x, size_t i, size_t *n, uint32_t *slot) {
    _Alignas(64) char buffer[BLOCK * MAX_VALUE_BYTES];
    *n = x.n - i < BLOCK ? x.n - i : BLOCK;
    lookup_block(t, gather_block(t, x, i, *n, buffer), *n, slot);
}

static void lookup(const struct uhi_histogram_tables *t, struct uhi_values x, uint32_t *slot) {
    for (size_t i = 0, n; i < x.n; i += n)
        next_block(t, x, i, &n, slot + i);
}

static void find(const struct uhi_histogram_tables *t, struct uhi_values x, const struct uhi_find *find) {
    _Alignas(64) char buffer[UHI_FIND_BLOCK * MAX_VALUE_BYTES];
    _Alignas(64) uint32_t slot[UHI_FIND_BLOCK];
    const void *values = gather_block(t, x, 0, x.n, buffer);
    if (t->on_host == UHI_LOOKUP_PACKED) {
        compared(t)->find_packed(t, values, x.n, find);
        return;
    }
    lookup_block(t, values, x.n, slot);
    add_digits(find, 0, x.n, slot);
    count_old(find, 0, find->old_count);
}

static void count(const struct uhi_histogram_tables *t, struct uhi_values x, uint64_t *counts) {
    _Alignas(64) uint32_t slot[BLOCK];
    for (size_t i = 0, n; i < x.n; i += n) {
        size_t j = 0;
        next_block(t, x, i, &n, slot);
        for (; j + 4 <= n; j += 4) {
            counts[slot[j]]++;
            counts[slot[j + 1]]++;
            counts[slot[j + 2]]++;
            counts[slot[j + 3]]++;
        }
        for (; j < n; j++)
            counts[slot[j]]++;
    }
}

static void count_atomic(const struct uhi_histogram_tables *t, struct uhi_values x, uint64_t *counts) {
    _Alignas(64) uint32_t slot[BLOCK];
    for (size_t i = 0, n; i < x.n; i += n) {
        next_block(t, x, i, &n, slot);
        for (size_t j = 0; j < n; j++)
            __atomic_fetch_add(counts + slot[j], 1, __ATOMIC_RELAXED);
    }
}

#include "kernels/common/bytes.inc"

/* Counts the ranks of n contiguous, aligned values; of bytes, the values themselves. */
static void count_ranks(const struct uhi_histogram_tables *t, const void *x, size_t n, rank_buffer *rank,
                        uint32_t *counts, size_t pitch) {
    const struct uhi_histogram_compared *of_type = compared(t);
    if (of_type)
        of_type->count_ranks(t, x, n, rank, counts, pitch);
    else
        count_bytes(x, n, counts, pitch);
}

static void count_ranks_separately(const struct uhi_histogram_tables *t, struct uhi_values x, rank_buffer *rank,
                                   uint32_t *counts, size_t pitch) {
    _Alignas(64) char buffer[BLOCK * MAX_VALUE_BYTES];
    for (size_t i = 0; i < x.n; i += BLOCK) {
        const size_t n = x.n - i < BLOCK ? x.n - i : BLOCK;
        count_ranks(t, gather_block(t, x, i, n, buffer), n, rank, counts, pitch);
    }
}

/* Bytes that two ranges share in the lower 12 bits of their addresses; each at most a page. */
static size_t common_bytes(uintptr_t a, size_t a_bytes, uintptr_t b, size_t b_bytes) {
    const size_t ahead = (b - a) & (PAGE - 1), after = (a - b) & (PAGE - 1);
    const size_t from_a = ahead < a_bytes ? a_bytes - ahead : 0, from_b = after < b_bytes ? b_bytes - after : 0;
    return from_a > from_b ? from_a : from_b;
}

static size_t tables_bytes(const struct uhi_histogram_tables *t, size_t pitch) {
    return ((UHI_REPLICAS - 1) * pitch + uhi_counter_count(t)) * sizeof(uint32_t);
}

/* A load waits for an earlier store to an address with the same lower 12 bits, at any distance (Intel's optimization
 * manual, "4K aliasing"): storing to small tables while loading from others could be four times as slow in a bad place.
 * Returns the best place in `memory`. */
static uint32_t *quiet_place(const struct uhi_histogram_tables *t, const void *rank, uint32_t *memory, size_t pitch) {
    const size_t bytes = tables_bytes(t, pitch);
    const size_t entry_bytes = (t->packed.cells + 1) * sizeof(uint32_t);
    size_t best = 0, min = SIZE_MAX;
    /* The other look-ups load nothing else while counting; large tables span all offsets, so they seldom collide. */
    if (t->on_host != UHI_LOOKUP_PACKED || bytes >= PAGE)
        return memory;
    for (size_t place = 0; place < UHI_PLACES_BYTES && min > 0; place += 64) {
        const uintptr_t at = (uintptr_t)memory + place;
        size_t common = common_bytes(at, bytes, (uintptr_t)rank, 2 * sizeof(rank_buffer));
        common *= PAGE; /* weight: every rank is loaded from there */
        if (entry_bytes < PAGE)
            common += common_bytes(at, bytes, (uintptr_t)t->packed.entry, entry_bytes);
        best = common < min ? place : best;
        min = common < min ? common : min;
    }
    return memory + best / sizeof *memory;
}

static uint32_t *count_ranks_of(const struct uhi_histogram_tables *t, struct uhi_values x, uint32_t *memory,
                                size_t pitch) {
    _Alignas(64) rank_buffer rank[2];
    const size_t size = t->value_bytes;
    uint32_t *counts = quiet_place(t, rank, memory, pitch);
    memset(counts, 0, tables_bytes(t, pitch));
    if (x.stride == (ptrdiff_t)size && ((uintptr_t)x.first & (size - 1)) == 0)
        count_ranks(t, x.first, x.n, rank, counts, pitch);
    else
        count_ranks_separately(t, x, rank, counts, pitch);
    return counts;
}

static void count_slots_of(const struct uhi_histogram_tables *t, struct uhi_values x, uint32_t *counts, size_t pitch) {
    _Alignas(64) uint32_t slot[BLOCK];
    uint32_t *c0 = counts, *c1 = counts + pitch, *c2 = counts + 2 * pitch, *c3 = counts + 3 * pitch;
    for (size_t i = 0, n; i < x.n; i += n) {
        next_block(t, x, i, &n, slot);
        size_t j = 0;
        for (; j + UHI_REPLICAS <= n; j += UHI_REPLICAS) {
            c0[slot[j]]++;
            c1[slot[j + 1]]++;
            c2[slot[j + 2]]++;
            c3[slot[j + 3]]++;
        }
        for (; j < n; j++)
            c0[slot[j]]++;
    }
}

static uint32_t *count_replicas(const struct uhi_histogram_tables *t, struct uhi_values x, uint32_t *memory,
                                size_t pitch) {
    if (uhi_finds_ranks(t->on_host) || uhi_counts_bytes(t))
        return count_ranks_of(t, x, memory, pitch);
    memset(memory, 0, tables_bytes(t, pitch));
    count_slots_of(t, x, memory, pitch);
    return memory;
}

static void count_more(const struct uhi_histogram_tables *t, struct uhi_values x, uint32_t *counts) {
    _Alignas(64) rank_buffer rank[2];
    if (uhi_finds_ranks(t->on_host) || uhi_counts_bytes(t))
        count_ranks(t, x.first, x.n, rank, counts, 0);
    else
        count_slots_of(t, x, counts, 0);
}

static void cells(const struct uhi_histogram_tables *t, const void *x, size_t n, uint32_t shift, uint32_t *cell) {
    compared(t)->cells(t, x, n, shift, cell);
}

static uint32_t sum(const uint32_t *table, const uint32_t *index, size_t n, int each) {
    uhi_x32 sums = uhi_x32_set(0);
    uint32_t of_lanes[UHI_LANES_32], all = 0;
    size_t i = 0;
#if UHI_TWO_GATHERS
    for (; each && i < n; i += UHI_LANES_32)
        sums = uhi_x32_add(sums, uhi_x32_load_scalar(table, uhi_x32_load(index + i)));
#else
    (void)each;
#endif
    for (; i < n; i += UHI_LANES_32)
        sums = uhi_x32_add(sums, uhi_x32_gather(table, uhi_x32_load(index + i)));
    uhi_x32_store(of_lanes, sums);
    for (size_t lane = 0; lane < UHI_LANES_32; lane++)
        all += of_lanes[lane];
    return all;
}

UHI_HOST_TABLE(histogram) = {lookup,     find,  count, count_atomic,    count_replicas,
                             count_more, cells, sum,   &UHI_POINTS_HOST};
