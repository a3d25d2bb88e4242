/* SPDX-License-Identifier: Apache-2.0 */
/* Integers counted by value on the CPU, and the smallest and largest of any values; compiled once per x86-64 level. The
 * loops are written for compilers to vectorize. */
#include "kernels/bincount/bincount.h"

#include <string.h>

#include "kernels/common/keys.h"
#include "kernels/registry.h"

enum {
    LINE = 64,  /* bytes per cache line */
    CHUNK = 64, /* values tested for being equal */
    CHUNKS = UHI_BINCOUNT_SEEN / CHUNK,
    AHEAD = 2048,          /* prefetch distance in bytes */
    MAX_COUNTED = 1 << 20, /* by a lane of 32 bits */
#if defined(__AVX512F__)
    VECTOR = 64 /* bytes */
#elif defined(__AVX2__)
    VECTOR = 32
#else
    VECTOR = 16
#endif
};

/* ---- by width ---- */

/* Values at any address. */
typedef uint8_t any_8 __attribute__((aligned(1)));
typedef uint16_t any_16 __attribute__((aligned(1)));
typedef uint32_t any_32 __attribute__((aligned(1)));
typedef uint64_t any_64 __attribute__((aligned(1)));

#define NAME(x) UHI_JOIN(x, 16)
#define T       any_16
#include "kernels/bincount/bincount_width.inc"
#define NAME(x) UHI_JOIN(x, 32)
#define T       any_32
#include "kernels/bincount/bincount_width.inc"
#define NAME(x) UHI_JOIN(x, 64)
#define T       any_64
#include "kernels/bincount/bincount_width.inc"
#define NAME(x) UHI_JOIN(x, 8)
#define T       any_8
#define BYTES
#include "kernels/bincount/bincount_width.inc"

#include "kernels/common/bytes.inc"

static size_t count_8(const void *x, size_t n, uint32_t *tables, size_t pitch,
                      __attribute__((unused)) size_t capacity) {
    count_bytes(x, n, tables, pitch);
    return n;
}

/* ---- by type ---- */

#define IS_NAN(v) 0
#define KEY(v)    uhi_key_of_signed(v)
#define NAME(x)   UHI_JOIN(x, i8)
#define T         int8_t
#define SIGNED    int8_t
#include "kernels/bincount/bincount_range.inc"
#define NAME(x) UHI_JOIN(x, i16)
#define T       int16_t
#define SIGNED  int16_t
#include "kernels/bincount/bincount_range.inc"
#define NAME(x) UHI_JOIN(x, i32)
#define T       int32_t
#define SIGNED  int32_t
#include "kernels/bincount/bincount_range.inc"
#define NAME(x) UHI_JOIN(x, i64)
#define T       int64_t
#define SIGNED  int64_t
#include "kernels/bincount/bincount_range.inc"
#undef KEY
#define KEY(v)  (v)
#define NAME(x) UHI_JOIN(x, u8)
#define T       uint8_t
#define SIGNED  int8_t
#include "kernels/bincount/bincount_range.inc"
#define NAME(x) UHI_JOIN(x, u16)
#define T       uint16_t
#define SIGNED  int16_t
#include "kernels/bincount/bincount_range.inc"
#define NAME(x) UHI_JOIN(x, u32)
#define T       uint32_t
#define SIGNED  int32_t
#include "kernels/bincount/bincount_range.inc"
#define NAME(x) UHI_JOIN(x, u64)
#define T       uint64_t
#define SIGNED  int64_t
#include "kernels/bincount/bincount_range.inc"
#undef KEY
#undef IS_NAN
#define IS_NAN(v) ((v) != (v))
#define KEY(v)    uhi_key_of_f32(v)
#define NAME(x)   UHI_JOIN(x, f32)
#define T         float
#define SIGNED    int32_t
#include "kernels/bincount/bincount_range.inc"
#undef KEY
#define KEY(v)  uhi_key_of_f64(v)
#define NAME(x) UHI_JOIN(x, f64)
#define T       double
#define SIGNED  int64_t
#include "kernels/bincount/bincount_range.inc"

/* ---- the table ---- */

#define WIDTH(bits)                                                                                                    \
    { count_##bits, count_direct_##bits, largest_##bits, first_above_##bits, cells_##bits }

UHI_HOST_TABLE(bincount) = {.width = {[1] = WIDTH(8), [2] = WIDTH(16), [4] = WIDTH(32), [8] = WIDTH(64)},
                            .range = {[UH_F32] = range_f32,
                                      [UH_F64] = range_f64,
                                      [UH_I8] = range_i8,
                                      [UH_I16] = range_i16,
                                      [UH_I32] = range_i32,
                                      [UH_I64] = range_i64,
                                      [UH_U8] = range_u8,
                                      [UH_U16] = range_u16,
                                      [UH_U32] = range_u32,
                                      [UH_U64] = range_u64}};
