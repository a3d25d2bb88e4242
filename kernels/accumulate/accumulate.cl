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

/* Adds to a 64-bit number: the low word's old value tells whether it passed 2^32. */
#define SPACE     __global
#define NAME_64   add_64_global
#include "kernels/accumulate/accumulate_64.inc"
#undef SPACE
#undef NAME_64
#define SPACE   __local
#define NAME_64 add_64_local
#include "kernels/accumulate/accumulate_64.inc"

static inline void clear(__local uint *words, uint count) {
    for (uint i = get_local_id(0); i < count; i += get_local_size(0))
        words[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

__kernel void count(__global const uint *cell, uint n, uint cells, __global uint *counts) {
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
__kernel void saturate(__global const uint *cell, uint n, uint cells, __global uint *counts, uint most) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        __global uint *counter = counts + min(cell[i], cells);
        if (*(volatile __global uint *)counter < most)
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
        if (here[i] && *(volatile __global uint *)(counts + i) < most)
            atomic_add(counts + i, min(here[i], most));
}

/* ---- sums: a weight as a window and up to four digits, each two windows above the last ----------------------------- */

struct digits {
    uint window;
    uint flag; /* not 0: no number; all digits are 0 */
    long d0, d1, d2, d3;
};

static inline struct digits sum_digits_f32(uint b) {
    struct digits d = {0, 0, 0, 0, 0, 0};
    const uint at = uhi_place_f32(b);
    const long shifted = (long)((ulong)uhi_mantissa_f32(b) << (at & 15));
    d.flag = (b & 0x7f800000) == 0x7f800000 ? uhi_flag_f32(b) : 0;
    d.window = at >> 4;
    d.d0 = d.flag ? 0 : b >> 31 ? -shifted : shifted;
    return d;
}

static inline struct digits square_digits_f32(uint b) {
    struct digits d = {0, 0, 0, 0, 0, 0};
    const uint at = uhi_square_place_f32(b);
    const ulong m = uhi_mantissa_f32(b);
    d.flag = (b & 0x7f800000) == 0x7f800000 ? uhi_flag_f32(b) : 0;
    d.window = at >> 4;
    d.d0 = d.flag ? 0 : uhi_low_digit(m * m, at & 15);
    d.d1 = d.flag ? 0 : uhi_high_digit(m * m, at & 15);
    return d;
}

static inline struct digits sum_digits_f64(ulong b) {
    struct digits d = {0, 0, 0, 0, 0, 0};
    const uint at = uhi_place_f64(b);
    const ulong m = uhi_mantissa_f64(b);
    const long low = uhi_low_digit(m, at & 15), high = uhi_high_digit(m, at & 15);
    d.flag = (b >> 52 & 0x7ff) == 0x7ff ? uhi_flag_f64(b) : 0;
    d.window = at >> 4;
    d.d0 = d.flag ? 0 : b >> 63 ? -low : low;
    d.d1 = d.flag ? 0 : b >> 63 ? -high : high;
    return d;
}

static inline struct digits square_of(ulong m, uint shift) {
    struct digits d = {0, 0, 0, 0, 0, 0};
    const ulong low = m * m, high = mul_hi(m, m);
    const ulong above = shift ? high << shift | low >> (64 - shift) : high;
    d.d0 = (long)(low << shift & 0xffffffff);
    d.d1 = (long)(low << shift >> 32);
    d.d2 = (long)(above & 0xffffffff);
    d.d3 = (long)(above >> 32);
    return d;
}

static inline struct digits square_digits_f64(ulong b) {
    const uint at = uhi_square_place_f64(b);
    const uint flag = (b >> 52 & 0x7ff) == 0x7ff ? uhi_flag_f64(b) : 0;
    struct digits d = square_of(flag ? 0 : uhi_mantissa_f64(b), at & 15);
    d.flag = flag;
    d.window = at >> 4;
    return d;
}

static inline struct digits sum_digits_i32(uint b) {
    struct digits d = {0, 0, (int)b, 0, 0, 0};
    return d;
}
static inline struct digits square_digits_i32(uint b) {
    const ulong square = (ulong)((long)(int)b * (int)b);
    struct digits d = {0, 0, (long)(square & 0xffffffff), (long)(square >> 32), 0, 0};
    return d;
}
static inline struct digits sum_digits_i64(ulong b) {
    struct digits d = {0, 0, (long)(b & 0xffffffff), (long)b >> 32, 0, 0};
    return d;
}
static inline struct digits square_digits_i64(ulong b) {
    return square_of(b >> 63 ? 0 - b : b, 0);
}

#define TYPE   f32
#define T      uint
#define WHAT   sum
#define DIGITS 1
#include "kernels/accumulate/accumulate_sum.inc"
#undef WHAT
#undef DIGITS
#define WHAT   squares
#define DIGITS 2
#include "kernels/accumulate/accumulate_sum.inc"
#undef TYPE
#undef WHAT
#undef DIGITS
#define TYPE   i32
#define WHAT   sum
#define DIGITS 1
#include "kernels/accumulate/accumulate_sum.inc"
#undef WHAT
#undef DIGITS
#define WHAT   squares
#define DIGITS 2
#include "kernels/accumulate/accumulate_sum.inc"
#undef TYPE
#undef T
#undef WHAT
#undef DIGITS
#define TYPE   f64
#define T      ulong
#define WHAT   sum
#define DIGITS 2
#include "kernels/accumulate/accumulate_sum.inc"
#undef WHAT
#undef DIGITS
#define WHAT   squares
#define DIGITS 4
#include "kernels/accumulate/accumulate_sum.inc"
#undef TYPE
#undef WHAT
#undef DIGITS
#define TYPE   i64
#define WHAT   sum
#define DIGITS 2
#include "kernels/accumulate/accumulate_sum.inc"
#undef WHAT
#undef DIGITS
#define WHAT   squares
#define DIGITS 4
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
                used[w] = 1;
            }
        }
    }
}
