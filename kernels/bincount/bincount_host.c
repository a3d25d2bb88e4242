/* SPDX-License-Identifier: Apache-2.0 */
/* Integers counted by value on the CPU, and the smallest and largest of any values; compiled once per x86-64 level. The
 * loops are written for compilers to vectorize. */
#include "kernels/bincount/bincount.h"

#include <string.h>

#include "kernels/common/keys.h"

enum {
    LINE = 64,  /* bytes per cache line */
    CHUNK = 64, /* values tested for being equal */
    CHUNKS = UHI_BINCOUNT_SEEN / CHUNK,
    AHEAD = 2048, /* prefetch distance in bytes */
    BLOCK = 2048  /* values copied to an aligned buffer if unaligned */
};

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)

/* ---- by width ---- */

#define NAME(x) JOIN(x, 16)
#define T       uint16_t
#include "kernels/bincount/bincount_width.inc"
#define NAME(x) JOIN(x, 32)
#define T       uint32_t
#include "kernels/bincount/bincount_width.inc"
#define NAME(x) JOIN(x, 64)
#define T       uint64_t
#include "kernels/bincount/bincount_width.inc"
#define NAME(x) JOIN(x, 8)
#define T       uint8_t
#define BYTES
#include "kernels/bincount/bincount_width.inc"

#include "kernels/common/bytes.inc"

static size_t count_aligned(size_t size, const void *x, size_t n, uint32_t *tables, size_t pitch, size_t capacity) {
    switch (size) {
    case 1: count_bytes(x, n, tables, pitch); return n;
    case 2: return count_16(x, n, tables, pitch, capacity);
    case 4: return count_32(x, n, tables, pitch, capacity);
    default: return count_64(x, n, tables, pitch, capacity);
    }
}

static void count_direct_aligned(size_t size, const void *x, size_t n, uint64_t *counts, int atomic) {
    switch (size) {
    case 1: count_direct_8(x, n, counts, atomic); break;
    case 2: count_direct_16(x, n, counts, atomic); break;
    case 4: count_direct_32(x, n, counts, atomic); break;
    default: count_direct_64(x, n, counts, atomic); break;
    }
}

static uint64_t largest_aligned(size_t size, const void *x, size_t n) {
    switch (size) {
    case 1: return largest_8(x, n);
    case 2: return largest_16(x, n);
    case 4: return largest_32(x, n);
    default: return largest_64(x, n);
    }
}

static size_t first_above_aligned(size_t size, const void *x, size_t n, uint64_t max) {
    switch (size) {
    case 1: return max >= UINT8_MAX ? n : first_above_8(x, n, (uint8_t)max);
    case 2: return max >= UINT16_MAX ? n : first_above_16(x, n, (uint16_t)max);
    case 4: return max >= UINT32_MAX ? n : first_above_32(x, n, (uint32_t)max);
    default: return first_above_64(x, n, max);
    }
}

static size_t cells_aligned(size_t size, const void *x, size_t n, uint64_t max, uint32_t none, uint32_t *cell) {
    switch (size) {
    case 1: return cells_8(x, n, max >= UINT8_MAX ? UINT8_MAX : (uint8_t)max, none, cell);
    case 2: return cells_16(x, n, max >= UINT16_MAX ? UINT16_MAX : (uint16_t)max, none, cell);
    case 4: return cells_32(x, n, max >= UINT32_MAX ? UINT32_MAX : (uint32_t)max, none, cell);
    default: return cells_64(x, n, max, none, cell);
    }
}

/* ---- by type ---- */

#define IS_NAN(v) 0
#define KEY(v)    uhi_key_of_signed(v)
#define NAME(x)   JOIN(x, i8)
#define T         int8_t
#include "kernels/bincount/bincount_range.inc"
#define NAME(x) JOIN(x, i16)
#define T       int16_t
#include "kernels/bincount/bincount_range.inc"
#define NAME(x) JOIN(x, i32)
#define T       int32_t
#include "kernels/bincount/bincount_range.inc"
#define NAME(x) JOIN(x, i64)
#define T       int64_t
#include "kernels/bincount/bincount_range.inc"
#undef KEY
#define KEY(v)  (v)
#define NAME(x) JOIN(x, u8)
#define T       uint8_t
#include "kernels/bincount/bincount_range.inc"
#define NAME(x) JOIN(x, u16)
#define T       uint16_t
#include "kernels/bincount/bincount_range.inc"
#define NAME(x) JOIN(x, u32)
#define T       uint32_t
#include "kernels/bincount/bincount_range.inc"
#define NAME(x) JOIN(x, u64)
#define T       uint64_t
#include "kernels/bincount/bincount_range.inc"
#undef KEY
#undef IS_NAN
#define IS_NAN(v) ((v) != (v))
#define KEY(v)    uhi_key_of_f32(v)
#define NAME(x)   JOIN(x, f32)
#define T         float
#include "kernels/bincount/bincount_range.inc"
#undef KEY
#define KEY(v)  uhi_key_of_f64(v)
#define NAME(x) JOIN(x, f64)
#define T       double
#include "kernels/bincount/bincount_range.inc"

static struct uhi_extent range_aligned(uh_dtype dtype, const void *x, size_t n) {
    switch (dtype) {
    case UH_F32: return range_f32(x, n);
    case UH_F64: return range_f64(x, n);
    case UH_I8: return range_i8(x, n);
    case UH_I16: return range_i16(x, n);
    case UH_I32: return range_i32(x, n);
    case UH_I64: return range_i64(x, n);
    case UH_U8: return range_u8(x, n);
    case UH_U16: return range_u16(x, n);
    case UH_U32: return range_u32(x, n);
    default: return range_u64(x, n);
    }
}

/* ---- at any address ---- */

/* A copy of a block of unaligned values. */
struct block {
    _Alignas(64) char bytes[BLOCK * sizeof(uint64_t)];
    size_t n;
};

static int is_aligned(const void *x, size_t size) { return ((uintptr_t)x & (size - 1)) == 0; }

static const void *copy_block(struct block *block, size_t size, const void *x, size_t n, size_t from) {
    block->n = n - from < BLOCK ? n - from : BLOCK;
    return memcpy(block->bytes, (const char *)x + from * size, block->n * size);
}

static size_t count(size_t size, const void *x, size_t n, uint32_t *tables, size_t pitch, size_t capacity) {
    struct block block;
    if (is_aligned(x, size))
        return count_aligned(size, x, n, tables, pitch, capacity);
    for (size_t from = 0; from < n; from += block.n) {
        const void *values = copy_block(&block, size, x, n, from);
        const size_t done = count_aligned(size, values, block.n, tables, pitch, capacity);
        if (done < block.n)
            return from + done;
    }
    return n;
}

static void count_direct(size_t size, const void *x, size_t n, uint64_t *counts, int atomic) {
    struct block block;
    if (is_aligned(x, size))
        count_direct_aligned(size, x, n, counts, atomic);
    else
        for (size_t from = 0; from < n; from += block.n) {
            const void *values = copy_block(&block, size, x, n, from);
            count_direct_aligned(size, values, block.n, counts, atomic);
        }
}

static uint64_t largest(size_t size, const void *x, size_t n) {
    struct block block;
    uint64_t max = 0;
    if (is_aligned(x, size))
        return largest_aligned(size, x, n);
    for (size_t from = 0; from < n; from += block.n) {
        const void *values = copy_block(&block, size, x, n, from);
        const uint64_t here = largest_aligned(size, values, block.n);
        max = here > max ? here : max;
    }
    return max;
}

static size_t first_above(size_t size, const void *x, size_t n, uint64_t max) {
    struct block block;
    if (is_aligned(x, size))
        return first_above_aligned(size, x, n, max);
    for (size_t from = 0; from < n; from += block.n) {
        const void *values = copy_block(&block, size, x, n, from);
        const size_t at = first_above_aligned(size, values, block.n, max);
        if (at < block.n)
            return from + at;
    }
    return n;
}

static size_t cells(size_t size, const void *x, size_t n, uint64_t max, uint32_t none, uint32_t *cell) {
    struct block block;
    size_t above = 0;
    if (is_aligned(x, size))
        return cells_aligned(size, x, n, max, none, cell);
    for (size_t from = 0; from < n; from += block.n) {
        const void *values = copy_block(&block, size, x, n, from);
        above += cells_aligned(size, values, block.n, max, none, cell + from);
    }
    return above;
}

static struct uhi_extent range(uh_dtype dtype, const void *x, size_t n) {
    const size_t size = uhi_value_size(dtype);
    struct uhi_extent all = {UINT64_MAX, 0, 0};
    struct block block;
    if (is_aligned(x, size))
        return range_aligned(dtype, x, n);
    for (size_t from = 0; from < n; from += block.n) {
        const void *values = copy_block(&block, size, x, n, from);
        all = uhi_extent_join(all, range_aligned(dtype, values, block.n));
    }
    return all;
}

#define HOST_TABLE JOIN(uhi_bincount_host, UH_ISA)
extern const struct uhi_bincount_host HOST_TABLE;
const struct uhi_bincount_host HOST_TABLE = {count, count_direct, largest, first_above, cells, range};
