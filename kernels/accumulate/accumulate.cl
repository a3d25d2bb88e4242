/* SPDX-License-Identifier: Apache-2.0 */
/* What bins keep, on a device: counts, and sums in windows as accumulate.h says. No optional feature of a device is
 * used: numbers of 64 bits are pairs of 32-bit words, and float64 weights are their bits.
 *
 *   count, count_local        number of points, in 64 bits
 *   saturate, saturate_local  min(number of points, most), or a little more than `most`, in 32 bits
 *   sum_TYPE, sum_local_TYPE, squares_TYPE, squares_local_TYPE
 *   carry                     makes room in the windows
 *
 * Cells beyond `cells` are `cells`, the last slot. The variants _local keep the windows that the group's first weights
 * fall in, or all counters, in local memory. */
#include "kernels/accumulate/accumulate.h"

#define JOIN2_(a, b) a##_##b
#define JOIN2(a, b)  JOIN2_(a, b)
#define JOIN3_(a, b, c) a##_##b##_##c
#define JOIN3(a, b, c)  JOIN3_(a, b, c)

/* Adds to a 64-bit number: the low word's old value tells whether it passed 2^32. */
#define SPACE     __global
#define NAME_64   add_64_global
#include "kernels/accumulate/accumulate_64.inc"
#undef SPACE
#undef NAME_64
#define SPACE   __local
#define NAME_64 add_64_local
#include "kernels/accumulate/accumulate_64.inc"

/* A word that other work-items change meanwhile: a plain read beside that would be a race. clang's header has the
 * function for generic pointers only. To Intel's compiler it is an atomic operation like others. */
uint __attribute__((overloadable)) atomic_load_explicit(volatile __global atomic_uint *word, memory_order order,
                                                        memory_scope scope);
static inline uint look_at(volatile __global uint *word) {
    return atomic_load_explicit((volatile __global atomic_uint *)word, memory_order_relaxed, memory_scope_device);
}

static inline void clear(__local uint *words, uint count) {
    for (uint i = get_local_id(0); i < count; i += get_local_size(0))
        words[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

__kernel void count_global(__global const uint *cell, uint n, uint cells, __global uint *counts) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        add_64_global(counts + 2 * (ulong)min(cell[i], cells), 1);
}

__kernel void count_local(__global const uint *cell, uint n, uint cells, __global uint *counts, __local uint *here) {
    clear(here, cells + 1);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(here + min(cell[i], cells));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i <= cells; i += get_local_size(0))
        add_64_global(counts + 2 * (ulong)i, here[i]);
}

/* A cell that is full is not written to any more; it can pass `most` only by what is under way in that moment. */
__kernel void saturate_global(__global const uint *cell, uint n, uint cells, __global uint *counts, uint most) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        __global uint *counter = counts + min(cell[i], cells);
        if (look_at(counter) < most)
            atomic_inc(counter);
    }
}

__kernel void saturate_local(__global const uint *cell, uint n, uint cells, __global uint *counts, uint most,
                             __local uint *here) {
    clear(here, cells + 1);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(here + min(cell[i], cells));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i <= cells; i += get_local_size(0))
        if (here[i] && look_at(counts + i) < most)
            atomic_add(counts + i, min(here[i], most));
}

/* ---- sums: a weight's bits b give a window and up to four digits, each two windows above the last -------------------
 * Digit number i is asked for by itself, i being a constant; compilers find what they have in common. */

/* Word i of a number that is shifted left by less than 16, of words `low` (number i - 1) and `high` (number i). */
static inline uint shifted_word(uint low, uint high, uint shift) {
    return high << shift | low >> 1 >> (31 - shift);
}
static inline long join_words(uint low, uint high) {
    return (long)((ulong)high << 32 | low);
}

static inline uint is_number_f32(uint b) {
    return (b & 0x7f800000) != 0x7f800000;
}
static inline uint sum_window_f32(uint b) {
    return uhi_place_f32(b) >> 4;
}
static inline long sum_digit_f32(uint b, uint i) {
    const uint m = uhi_mantissa_f32(b), shift = uhi_place_f32(b) & 15, sign = (uint)((int)b >> 31);
    const uint low = m << shift, high = shifted_word(m, 0, shift);
    return join_words((low ^ sign) - sign, (high ^ sign) + (sign & (uint)(low == 0)));
}
static inline uint squares_window_f32(uint b) {
    return uhi_square_place_f32(b) >> 4;
}
static inline long squares_digit_f32(uint b, uint i) {
    const uint m = uhi_mantissa_f32(b), shift = uhi_square_place_f32(b) & 15;
    return i ? shifted_word(m * m, mul_hi(m, m), shift) : m * m << shift;
}

/* Digit i of m^2, shifted left by less than 16; m is at most 2^63. */
static inline long square_digit(ulong m, uint shift, uint i) {
    const uint low = (uint)m, high = (uint)(m >> 32);
    const ulong middle = 2 * (ulong)join_words(low * high, mul_hi(low, high)) + mul_hi(low, low);
    const ulong above = (ulong)join_words(high * high, mul_hi(high, high)) + (middle >> 32);
    if (i < 2)
        return i ? shifted_word(low * low, (uint)middle, shift) : low * low << shift;
    return i == 2 ? shifted_word((uint)middle, (uint)above, shift)
                  : shifted_word((uint)above, (uint)(above >> 32), shift);
}

static inline uint is_number_f64(ulong b) {
    return (b >> 52 & 0x7ff) != 0x7ff;
}
static inline uint sum_window_f64(ulong b) {
    return uhi_place_f64(b) >> 4;
}
/* A negative weight's digits are those of its two's complement: the lower one is positive all the same. */
static inline long sum_digit_f64(ulong b, uint i) {
    const ulong m = uhi_mantissa_f64(b);
    const uint shift = uhi_place_f64(b) & 15, sign = (uint)((long)b >> 63), low = (uint)m << shift;
    if (i == 0)
        return (low ^ sign) - sign;
    const uint high = (uint)(m >> 32), carry = sign & (uint)(low == 0);
    const uint middle = (shifted_word((uint)m, high, shift) ^ sign) + carry;
    return join_words(middle, (shifted_word(high, 0, shift) ^ sign) + (uint)(middle < carry));
}
static inline uint squares_window_f64(ulong b) {
    return uhi_square_place_f64(b) >> 4;
}
static inline long squares_digit_f64(ulong b, uint i) {
    return square_digit(uhi_mantissa_f64(b), uhi_square_place_f64(b) & 15, i);
}

static inline uint is_number_i32(uint b) {
    return 1;
}
static inline uint uhi_flag_i32(uint b) {
    return 0;
}
static inline uint sum_window_i32(uint b) {
    return 0;
}
static inline long sum_digit_i32(uint b, uint i) {
    return (int)b;
}
static inline uint squares_window_i32(uint b) {
    return 0;
}
static inline long squares_digit_i32(uint b, uint i) {
    return i ? (uint)mul_hi((int)b, (int)b) : b * b;
}

static inline uint is_number_i64(ulong b) {
    return 1;
}
static inline uint uhi_flag_i64(ulong b) {
    return 0;
}
static inline uint sum_window_i64(ulong b) {
    return 0;
}
static inline long sum_digit_i64(ulong b, uint i) {
    return i ? (long)b >> 32 : (long)(b & 0xffffffff);
}
static inline uint squares_window_i64(ulong b) {
    return 0;
}
static inline long squares_digit_i64(ulong b, uint i) {
    return square_digit(b >> 63 ? 0 - b : b, 0, i);
}

#define TYPE   f32
#define T      uint
#define WHAT   sum
#define DIGITS 1
#define NOTED  0
#include "kernels/accumulate/accumulate_sum.inc"
#undef WHAT
#undef DIGITS
#define WHAT   squares
#define DIGITS 2
#define NOTED  1
#include "kernels/accumulate/accumulate_sum.inc"
#undef TYPE
#undef WHAT
#undef DIGITS
#define TYPE   i32
#define WHAT   sum
#define DIGITS 1
#define NOTED  0
#include "kernels/accumulate/accumulate_sum.inc"
#undef WHAT
#undef DIGITS
#define WHAT   squares
#define DIGITS 2
#define NOTED  0
#include "kernels/accumulate/accumulate_sum.inc"
#undef TYPE
#undef T
#undef WHAT
#undef DIGITS
#define TYPE   f64
#define T      ulong
#define WHAT   sum
#define DIGITS 2
#define NOTED  48
#include "kernels/accumulate/accumulate_sum.inc"
#undef WHAT
#undef DIGITS
#define WHAT   squares
#define DIGITS 4
#define NOTED  112
#include "kernels/accumulate/accumulate_sum.inc"
#undef TYPE
#undef WHAT
#undef DIGITS
#define TYPE   i64
#define WHAT   sum
#define DIGITS 2
#define NOTED  0
#include "kernels/accumulate/accumulate_sum.inc"
#undef WHAT
#undef DIGITS
#define WHAT   squares
#define DIGITS 4
#define NOTED  0
#include "kernels/accumulate/accumulate_sum.inc"

/* Brings every window but the last into [-2^15, 2^15): the rest goes to the next. */
__kernel void carry(__global uint *table, uint slots, uint windows, __global uint *used) {
    for (uint slot = get_global_id(0); slot < slots; slot += get_global_size(0)) {
        long rest = 0;
        for (uint w = 0; w < windows; w++) {
            __global uint *at = table + 2 * ((ulong)w * slots + slot);
            const long old = (long)((ulong)at[1] << 32 | at[0]), sum = old + rest;
            rest = w + 1 < windows ? (sum + 0x8000) >> 16 : 0;
            const ulong left = (ulong)sum - ((ulong)rest << 16);
            if ((long)left != old) {
                at[0] = (uint)left;
                at[1] = (uint)(left >> 32);
                atomic_or(used + w, 1u);
            }
        }
    }
}
