/* SPDX-License-Identifier: Apache-2.0 */
/* What bins keep, on a device: counts, and sums in windows as accumulate.h says. No optional feature of a device is
 * used: numbers of 64 bits are pairs of 32-bit words, and float64 weights are their bits. The tasks are
 *
 *   count       number of points, in 64 bits
 *   saturate    min(number of points, max_count), or a little more than max_count, in 32 bits
 *   sum         the sum of weights of one TYPE
 *   squares     the sum of their squares
 *   carry       makes room in the windows
 *
 * Cells beyond `cells` are `cells`, the last slot. TIER says where is added first: global memory, or local memory,
 * which holds all counters, or the windows that the group's first weights fall in. */
#include "kernels/accumulate/accumulate.h"
#include "kernels/common/wide.inc"

static inline void clear(__local uint *words, uint count) {
    for (uint i = get_local_id(0); i < count; i += get_local_size(0))
        words[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

#if TASK_count && TIER_global
__kernel void KERNEL(__global const uint *cell, uint n, uint cells, __global uint *counts) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        add_wide_global(counts + 2 * (ulong)min(cell[i], cells), 1, 1);
}
#endif

#if TASK_count && TIER_local
__kernel void KERNEL(__global const uint *cell, uint n, uint cells, __global uint *counts, __local uint *here) {
    clear(here, cells + 1);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(here + min(cell[i], cells));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i <= cells; i += get_local_size(0))
        add_wide_global(counts + 2 * (ulong)i, 1, here[i]);
}
#endif

#if TASK_saturate
/* A word that other work-items change meanwhile: a plain read beside that would be a race. clang's header has the
 * function for generic pointers only. To Intel's compiler it is an atomic operation like others. */
uint __attribute__((overloadable))
atomic_load_explicit(volatile __global atomic_uint *word, memory_order order, memory_scope scope);
static inline uint look_at(volatile __global uint *word) {
    return atomic_load_explicit((volatile __global atomic_uint *)word, memory_order_relaxed, memory_scope_device);
}
#endif

/* A cell that is full is not written to any more; it can pass max_count only by what is under way in that moment. */
#if TASK_saturate && TIER_global
__kernel void KERNEL(__global const uint *cell, uint n, uint cells, __global uint *counts, uint max_count) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        __global uint *counter = counts + min(cell[i], cells);
        if (look_at(counter) < max_count)
            atomic_inc(counter);
    }
}
#endif

#if TASK_saturate && TIER_local
__kernel void KERNEL(__global const uint *cell, uint n, uint cells, __global uint *counts, uint max_count,
                     __local uint *here) {
    clear(here, cells + 1);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(here + min(cell[i], cells));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i <= cells; i += get_local_size(0))
        if (here[i] && look_at(counts + i) < max_count)
            atomic_add(counts + i, min(here[i], max_count));
}
#endif

/* ---- what a weight's bits b are: a window and up to four digits, each two windows above the last ------------------
 * Digit number i is asked for by itself, i being a constant; compilers find what they have in common. */

/* Word i of a number that is shifted left by less than 16, of words `low` (number i - 1) and `high` (number i). */
static inline uint shifted_word(uint low, uint high, uint shift) {
    return high << shift | low >> 1 >> (31 - shift);
}
static inline long join_words(uint low, uint high) {
    return (long)((ulong)high << 32 | low);
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

/* T are the bits of a weight; NOTED is the first of the 32 windows that ordinary weights fall in. */
#if TYPE_f32
typedef uint T;
static inline uint is_number(T b) {
    return (b & 0x7f800000) != 0x7f800000;
}
static inline uint flag_of(T b) {
    return uhi_flag_f32(b);
}
#if TASK_sum
#define DIGITS 1
#define NOTED  0
static inline uint window_of(T b) {
    return uhi_place_f32(b) >> 4;
}
static inline long digit_of(T b, uint i) {
    const uint m = uhi_mantissa_f32(b), shift = uhi_place_f32(b) & 15, sign = (uint)((int)b >> 31);
    const uint low = m << shift, high = shifted_word(m, 0, shift);
    return join_words((low ^ sign) - sign, (high ^ sign) + (sign & (uint)(low == 0)));
}
#else
#define DIGITS 2
#define NOTED  1
static inline uint window_of(T b) {
    return uhi_square_place_f32(b) >> 4;
}
static inline long digit_of(T b, uint i) {
    const uint m = uhi_mantissa_f32(b), shift = uhi_square_place_f32(b) & 15;
    return i ? shifted_word(m * m, mul_hi(m, m), shift) : m * m << shift;
}
#endif

#elif TYPE_f64
typedef ulong T;
static inline uint is_number(T b) {
    return (b >> 52 & 0x7ff) != 0x7ff;
}
static inline uint flag_of(T b) {
    return uhi_flag_f64(b);
}
#if TASK_sum
#define DIGITS 2
#define NOTED  48
static inline uint window_of(T b) {
    return uhi_place_f64(b) >> 4;
}
/* A negative weight's digits are those of its two's complement: the lower one is positive all the same. */
static inline long digit_of(T b, uint i) {
    const ulong m = uhi_mantissa_f64(b);
    const uint shift = uhi_place_f64(b) & 15, sign = (uint)((long)b >> 63), low = (uint)m << shift;
    if (i == 0)
        return (low ^ sign) - sign;
    const uint high = (uint)(m >> 32), carry = sign & (uint)(low == 0);
    const uint middle = (shifted_word((uint)m, high, shift) ^ sign) + carry;
    return join_words(middle, (shifted_word(high, 0, shift) ^ sign) + (uint)(middle < carry));
}
#else
#define DIGITS 4
#define NOTED  112
static inline uint window_of(T b) {
    return uhi_square_place_f64(b) >> 4;
}
static inline long digit_of(T b, uint i) {
    return square_digit(uhi_mantissa_f64(b), uhi_square_place_f64(b) & 15, i);
}
#endif

#elif TYPE_i32 || TYPE_i64
#if TYPE_i32
typedef uint T;
#define DIGITS (TASK_sum ? 1 : 2)
#else
typedef ulong T;
#define DIGITS (TASK_sum ? 2 : 4)
#endif
#define NOTED 0
static inline uint is_number(T b) {
    return 1;
}
static inline uint flag_of(T b) {
    return 0;
}
static inline uint window_of(T b) {
    return 0;
}
static inline long digit_of(T b, uint i) {
#if TYPE_i32 && TASK_sum
    return (int)b;
#elif TYPE_i32
    return i ? (uint)mul_hi((int)b, (int)b) : b * b;
#elif TASK_sum
    return i ? (long)b >> 32 : (long)(b & 0xffffffff);
#else
    return square_digit(b >> 63 ? 0 - b : b, 0, i);
#endif
}
#endif

/* ---- sums ---------------------------------------------------------------------------------------------------------
 * Window w of a slot is the pair of words table[2 * (w * slots + slot)]; used[w] is not 0 where something may have been
 * added with its lowest digit there. */

#if TASK_sum || TASK_squares
#define TO_GLOBAL(i) add_wide_global(table + 2 * ((ulong)(window + 2 * (i)) * slots + slot), 1, (ulong)digit_of(b, i));

/* Tested for zero first, as compilers would find a digit once for each branch otherwise. */
#define TO_EITHER(i)                                                                                                   \
    if (digit_of(b, i)) {                                                                                              \
        const uint w = window + 2 * i - first; /* wraps around where it is below */                                    \
        if (w < depth)                                                                                                 \
            add_wide_local(here + 2 * (w * slots + slot), 1, (ulong)digit_of(b, i));                                   \
        else                                                                                                           \
            TO_GLOBAL(i)                                                                                               \
    }

#if DIGITS == 1
#define EACH_DIGIT(F) F(0)
#elif DIGITS == 2
#define EACH_DIGIT(F) F(0) F(1)
#else
#define EACH_DIGIT(F) F(0) F(1) F(2) F(3)
#endif

/* Which windows are used is noted in a work-item's own word: to look at used[window] for each point would have all of
 * them meet at one address. */
#define EACH_POINT(ADD)                                                                                                \
    uint noted = 0;                                                                                                    \
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {                                                  \
        const uint slot = min(cell[i], cells);                                                                         \
        const T b = x[i];                                                                                              \
        if (!is_number(b)) {                                                                                           \
            atomic_or(flags + slot, flag_of(b));                                                                       \
            continue;                                                                                                  \
        }                                                                                                              \
        const uint window = window_of(b), note = window - NOTED;                                                       \
        if (note < 32)                                                                                                 \
            noted |= 1u << note;                                                                                       \
        else                                                                                                           \
            atomic_or(used + window, 1u);                                                                              \
        EACH_DIGIT(ADD)                                                                                                \
    }                                                                                                                  \
    if (noted)                                                                                                         \
        atomic_or(noted_here, noted);                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    for (uint w = get_local_id(0); w < 32; w += get_local_size(0))                                                     \
        if (*noted_here >> w & 1)                                                                                      \
            atomic_or(used + NOTED + w, 1u);

#if TIER_global
/* `noted_here` is one word. */
__kernel void KERNEL(__global const uint *cell, __global const T *x, uint n, uint cells, __global uint *table,
                     __global uint *flags, __global uint *used, __local uint *noted_here) {
    const uint slots = cells + 1;
    clear(noted_here, 1);
    EACH_POINT(TO_GLOBAL)
}
#else
/* `depth` windows lie in local memory, the first of them one below the highest of the group's first weights. `here` has
 * 2 * depth * slots words, and two more. */
__kernel void KERNEL(__global const uint *cell, __global const T *x, uint n, uint cells, __global uint *table,
                     __global uint *flags, __global uint *used, uint depth, uint windows, __local uint *here) {
    const uint slots = cells + 1, words = 2 * depth * slots;
    __local uint *highest = here + words, *noted_here = highest + 1;
    clear(here, words + 2);
    if (get_global_id(0) < n && is_number(x[get_global_id(0)]))
        atomic_max(highest, window_of(x[get_global_id(0)]));
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint first = *highest ? *highest - 1 : 0;
    EACH_POINT(TO_EITHER)
    const uint here_slots = min(depth, windows - first) * slots; /* side by side in both tables */
    __global uint *to = table + 2 * (ulong)first * slots;
    for (uint i = get_local_id(0); i < here_slots; i += get_local_size(0)) {
        const ulong sum = (ulong)here[2 * i + 1] << 32 | here[2 * i];
        if (sum)
            add_wide_global(to + 2 * (ulong)i, 1, sum);
    }
}
#endif
#endif

#if TASK_carry
/* Brings every window but the last into [-2^15, 2^15): the rest goes to the next. */
__kernel void KERNEL(__global uint *table, uint slots, uint windows, __global uint *used) {
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
#endif
