/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums, shared by C and OpenCL C: conversion of weights to integers.
 *
 * A weight is m * 2^e with an integer m. Window H holds integers of weight 2^(16 H - BIAS): m is shifted left by (e +
 * BIAS) % 16 and added to window (e + BIAS) / 16, whole if it then has at most 39 bits, otherwise split into 32-bit
 * digits, each two windows above the last. A point thus costs one 64-bit addition (float32, int32) or two (float64,
 * int64), for any exponent, and no window exceeds 2^63 within 2^UHI_HEADROOM points. The windows are emptied into
 * limbs: limb j has the weight 2^(32 j - BIAS). Squares have their own windows, limbs and bias. */
#pragma once

#include "kernels/common/integers.h"

enum {
    UHI_SUM_BIAS = 1088,    /* 34 limbs: the smallest float64 is 2^-1074 */
    UHI_SQUARE_BIAS = 2176, /* 68 limbs: its square is 2^-2148 */
    UHI_SUM_LIMBS = 69,     /* 2^63 of the largest float64 stay below 2^1087, in limb 67 */
    UHI_SQUARE_LIMBS = 135, /* 2^63 of its squares stay below 2^2111, in limb 133 */
    UHI_HEADROOM = 23
};

/* First window and number of windows per value type. */
enum {
    UHI_SUM_FIRST_F32 = 58,
    UHI_SUM_COUNT_F32 = 17,
    UHI_SUM_FIRST_F64 = 0,
    UHI_SUM_COUNT_F64 = 131,
    UHI_SUM_FIRST_INT = 68,
    UHI_SUM_COUNT_I32 = 1,
    UHI_SUM_COUNT_I64 = 3,
    UHI_SQUARE_FIRST_F32 = 117,
    UHI_SQUARE_COUNT_F32 = 35,
    UHI_SQUARE_FIRST_F64 = 1,
    UHI_SQUARE_COUNT_F64 = 264,
    UHI_SQUARE_FIRST_INT = 136,
    UHI_SQUARE_COUNT_I32 = 3,
    UHI_SQUARE_COUNT_I64 = 7
};

/* Flags of a cell's non-finite weights. */
enum { UHI_FLAG_NAN = 1, UHI_FLAG_PLUS_INF = 2, UHI_FLAG_MINUS_INF = 4 };

/* ---- float32: bits b. Biased exponents of 0 and 1 are the same. ---- */

static inline uhi_u32 uhi_exponent_f32(uhi_u32 b) {
    const uhi_u32 e = b >> 23 & 0xff;
    return e + (e == 0);
}
/* Below 2^24; b must be finite. */
static inline uhi_u32 uhi_mantissa_f32(uhi_u32 b) { return (b & 0x7fffff) | (uhi_u32)((b & 0x7f800000) != 0) << 23; }
/* Bit offset from the first window: m * 2^(exponent - 150) = m * 2^(place + 16 * UHI_SUM_FIRST_F32 - BIAS). */
static inline uhi_u32 uhi_offset_f32(uhi_u32 b) { return uhi_exponent_f32(b) + 10; }
/* The same for the square of m and UHI_SQUARE_FIRST_F32. */
static inline uhi_u32 uhi_square_offset_f32(uhi_u32 b) { return 2 * uhi_exponent_f32(b) + 4; }
static inline uhi_u32 uhi_flag_f32(uhi_u32 b) {
    return (b & 0x7fffff) ? UHI_FLAG_NAN : b >> 31 ? UHI_FLAG_MINUS_INF : UHI_FLAG_PLUS_INF;
}

/* ---- float64 ---- */

static inline uhi_u32 uhi_exponent_f64(uhi_u64 b) {
    const uhi_u32 e = (uhi_u32)(b >> 52) & 0x7ff;
    return e + (e == 0);
}
/* Below 2^53. */
static inline uhi_u64 uhi_mantissa_f64(uhi_u64 b) {
    const uhi_u64 implicit = (uhi_u64)((b >> 52 & 0x7ff) != 0);
    return (b & 0xfffffffffffff) | implicit << 52;
}
static inline uhi_u32 uhi_offset_f64(uhi_u64 b) { return uhi_exponent_f64(b) + 13; /* e - 1075 + 1088 */ }
static inline uhi_u32 uhi_square_offset_f64(uhi_u64 b) {
    return 2 * uhi_exponent_f64(b) + 10; /* 2 (e - 1075) + 2176 - 16 */
}
static inline uhi_u32 uhi_flag_f64(uhi_u64 b) {
    return (b & 0xfffffffffffff) ? UHI_FLAG_NAN : b >> 63 ? UHI_FLAG_MINUS_INF : UHI_FLAG_PLUS_INF;
}

/* The two digits of m < 2^64 shifted left by less than 16: lo + 2^32 hi, 0 <= lo < 2^32. */
static inline uhi_i64 uhi_low_digit(uhi_u64 m, uhi_u32 shift) { return (uhi_i64)(m << shift & 0xffffffff); }
static inline uhi_i64 uhi_high_digit(uhi_u64 m, uhi_u32 shift) { return (uhi_i64)(m >> (32 - shift)); }
