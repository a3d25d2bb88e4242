/* SPDX-License-Identifier: Apache-2.0 */
/* Bin contents on a device: counts, and sums in windows as in accumulate.h. No optional device feature is used: 64-bit
 * numbers are pairs of 32-bit words, and float64 weights are handled as bits. The tasks are
 *
 *   count       number of points, in 64 bits
 *   saturate    min(number of points, max_count), or slightly more than max_count, in 32 bits
 *   sum         sum of weights of one TYPE
 *   squares     sum of their squares
 *   carry       makes room in the windows
 *
 * Cells beyond `cells` are treated as `cells`, the last slot. TIER is the memory added to first: global, or local,
 * which holds all counters, or the windows of the group's first weights, in 2^spread copies (counters.inc). */
#include "kernels/common/counters.inc"

#if TASK_sum || TASK_squares
#include "kernels/accumulate/digits.inc"
#if TASK_squares
#define SQUARES 1
#else
#define SQUARES 0
#endif
#else
#include "kernels/common/wide.inc"
#endif

/* ---- counts ------------------------------------------------------------------------------------------------------ */

#if TASK_count && TIER_global
__kernel void KERNEL(__global const uint *cell, uint n, uint cells, __global uint *counts) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        add_wide_global(counts + 2 * (ulong)min(cell[i], cells), 1, 1);
}
#endif

#if TIER_local && (TASK_count || TASK_saturate)
static inline void count_in_local(__global const uint *cell, uint n, uint cells, uint spread,
                                  __local uint *local_words) {
    clear_counts(local_words, (cells + 1) << spread);
    barrier(CLK_LOCAL_MEM_FENCE);
    __local uint *counter = my_counts(local_words, spread);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(counter + (min(cell[i], cells) << spread));
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

#if TASK_count && TIER_local
__kernel void KERNEL(__global const uint *cell, uint n, uint cells, __global uint *counts, uint spread,
                     __local uint *local_words) {
    count_in_local(cell, n, cells, spread, local_words);
    for (uint i = get_local_id(0); i <= cells; i += get_local_size(0))
        add_wide_global(counts + 2 * (ulong)i, 1, count_of(local_words, i, spread));
}
#endif

#if TASK_saturate
/* Reads a word that other work-items change concurrently: a plain read would be a race. clang's header has the function
 * for generic pointers only. Intel's compiler treats it as an atomic operation like others. */
uint __attribute__((overloadable))
atomic_load_explicit(volatile __global atomic_uint *word, memory_order order, memory_scope scope);
static inline uint look_at(volatile __global uint *word) {
    return atomic_load_explicit((volatile __global atomic_uint *)word, memory_order_relaxed, memory_scope_device);
}
#endif

/* A full cell is not written to any more; it exceeds max_count only by additions in flight at that moment. */
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
__kernel void KERNEL(__global const uint *cell, uint n, uint cells, __global uint *counts, uint max_count, uint spread,
                     __local uint *local_words) {
    count_in_local(cell, n, cells, spread, local_words);
    for (uint i = get_local_id(0); i <= cells; i += get_local_size(0)) {
        const uint count = count_of(local_words, i, spread);
        if (count && look_at(counts + i) < max_count)
            atomic_add(counts + i, min(count, max_count));
    }
}
#endif

/* ---- sums -------------------------------------------------------------------------------------------------------- */

#if TASK_sum || TASK_squares
/* 32-bit weights are read in vectors, like their cells. */
#if WEIGHT_f32 || WEIGHT_i32
#define T      uint
#define VECTOR uint4
#define WIDTH  4
#include "kernels/common/vectors.inc"
#else
#define EACH_POINT                                                                                                     \
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {                                                  \
        POINT(x0[i], x1[i])                                                                                            \
    }
#endif

#if TIER_global
#define POINT(a, b) noted |= add_weight(&to, min(a, cells), b, SQUARES);

/* x0: cells, x1: weights. `local_noted` is one word. */
__kernel void KERNEL(__global const uint *x0, __global const W *x1, uint n, uint cells, __global uint *table,
                     __global uint *flags, __global uint *used, __local uint *local_noted) {
    const struct windows to = {table, flags, used, cells + 1};
    uint noted = 0;
    clear_counts(local_noted, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    EACH_POINT
    store_used(used, noted, local_noted, SQUARES);
}
#else
#define POINT(a, b) noted |= add_weight_local(&to, &by, min(a, cells), b, SQUARES);

/* The first window in local memory is one below the highest of the group's first weights. `local_words`: 2 * depth *
 * slots * copies words, and two more. */
__kernel void KERNEL(__global const uint *x0, __global const W *x1, uint n, uint cells, __global uint *table,
                     __global uint *flags, __global uint *used, uint depth, uint windows, uint spread,
                     __local uint *local_words) {
    const struct windows to = {table, flags, used, cells + 1};
    const uint copy_offset = depth * to.slots << spread;
    __local uint *highest = local_words + 2 * copy_offset, *local_noted = highest + 1;
    uint noted = 0;
    clear_counts(local_words, 2 * copy_offset + 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) < n && is_number(x1[get_global_id(0)]))
        atomic_max(highest, window_of(x1[get_global_id(0)], SQUARES));
    barrier(CLK_LOCAL_MEM_FENCE);
    const struct local_windows by = {
        my_counts(local_words, spread), *highest ? *highest - 1 : 0, depth, copy_offset, spread,
        (ushort)(to.slots << spread)};
    EACH_POINT
    store_used(used, noted, local_noted, SQUARES);
    add_windows(&to, &by, windows, local_words);
}
#endif
#endif

#if TASK_carry
/* Reduces every window but the last to [-2^15, 2^15): the rest goes into the next. */
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
