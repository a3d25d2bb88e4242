/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: float64 values as integers in the same order, for devices without double; and equal cells of integers.
 * Integer operations only, of 32 bits if sufficient; the same text in C and in OpenCL C.
 *
 * A key is the value's bits as an int64, those below the sign flipped for negative values: -0 is just below +0, NaNs
 * are beyond both infinities. Equal steps of keys are equal steps of values within a power of two, and finer towards
 * zero. A position is the value as a rounded multiple of one unit: its equal steps are equal steps of values. */
#pragma once

#include "kernels/plan/maps.h"

/* Returns the key of a float64's bits, or the bits of a key. */
static inline uhi_i64 uhi_key_of_bits(uhi_i64 bits) { return bits ^ (uhi_i64)((uhi_u64)(bits >> 63) >> 1); }

static inline int uhi_bits_are_nan(uhi_i64 bits) {
    const uhi_u32 high = (uhi_u32)((uhi_u64)bits >> 32) << 1, low = (uhi_u32)bits;
    return (high | (low != 0)) > 0xffe00000U;
}

/* Returns the largest upper half of a magnitude with a position of its own, for keys in lo to hi: that of twice the
 * larger magnitude. Values beyond have positions beyond those of lo or hi. */
static inline uhi_u32 uhi_position_limit(uhi_i64 lo, uhi_i64 hi) {
    const uhi_u32 a = (uhi_u32)((uhi_u64)uhi_key_of_bits(lo) >> 32) & 0x7fffffffU;
    const uhi_u32 b = (uhi_u32)((uhi_u64)uhi_key_of_bits(hi) >> 32) & 0x7fffffffU;
    const uhi_u32 larger = a > b ? a : b;
    return larger < 0x7ff00000U ? (larger | 0xfffffU) + 0x100000U : 0x7fffffffU;
}

/* Returns the position of the value with these bits: nearly 31 bits of magnitude for lo to hi. Non-decreasing in the
 * value, up to that of `hi` and from that of `lo` on. */
static inline uhi_i32 uhi_position(uhi_i64 bits, uhi_u32 limit) {
    const uhi_u32 high = (uhi_u32)((uhi_u64)bits >> 32), low = (uhi_u32)bits;
    const uhi_u32 magnitude = high & 0x7fffffffU, limited = magnitude < limit ? magnitude : limit;
    const uhi_u32 down = (limit >> 20) + 1 - (limited >> 20);
    const uhi_u32 units = (0x80000000U | high << 11 | low >> 21) >> (down < 31 ? down : 31);
    return (uhi_i32)high < 0 ? -(uhi_i32)units : (uhi_i32)units;
}

/* Returns a node's cell at `steps` from its start; 2^31 steps have `scale` cells. */
static inline uhi_u32 uhi_steps_cell(uhi_u32 steps, uhi_u32 scale, uhi_u32 top) {
    const uhi_u32 odd = (steps < 0x7fffffffU ? steps : 0x7fffffffU) * 2 + 1;
    const uhi_u32 cell = (uhi_u32)((uhi_u64)odd * scale >> 32);
    return cell < top ? cell : top;
}

/* The same for a value: steps are (value - lo) >> shift. The 32-bit version gives the same result. */
static inline uhi_u32 uhi_integer_cell(uhi_i64 value, uhi_i64 lo, uhi_u32 shift, uhi_u32 scale, uhi_u32 top) {
    const uhi_u64 steps = value > lo ? ((uhi_u64)value - (uhi_u64)lo) >> shift : 0;
    return uhi_steps_cell(steps < 0x7fffffffU ? (uhi_u32)steps : 0x7fffffffU, scale, top);
}
static inline uhi_u32 uhi_integer_cell_32(uhi_i32 value, uhi_i32 lo, uhi_u32 shift, uhi_u32 scale, uhi_u32 top) {
    return uhi_steps_cell(value > lo ? ((uhi_u32)value - (uhi_u32)lo) >> shift : 0, scale, top);
}
