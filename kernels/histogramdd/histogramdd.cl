/* SPDX-License-Identifier: Apache-2.0 */
/* Points on several axes on a device. TYPE and LOOKUP are those of histogram_slot.inc. Tasks:
 *
 *   cells    appends one axis's digit to the cells of n points, and counts points that miss it
 *   pair     counts n points on two axes whose coordinates have one type and one look-up
 *   triple   the same on three axes
 *   sum      adds float32 weights of n points on one axis to exact sums (accumulate.h)
 *   weighted the same, and their squares
 *   mean     the same, and counts the points
 *
 * The TIER of a pair or triple tells what is in local memory: `local` tables and counts, `mixed` only counts, `global`
 * only tables, with the counts in one of `private_tables`, a power of two. Digits are slots, not bins: below, above and
 * NaN are counted like cells, without a test, and become flows on the host. Counters in local memory have 2^spread
 * copies (counters.inc). Counters have 32 bits; the host empties them before one can overflow. */
#if TIER_local || TIER_global
#define SPACE __local
#else
#define SPACE __global
#endif
#include "kernels/histogram/histogram_slot.inc"

#include "kernels/common/counters.inc"
#include "kernels/histogramdd/histogramdd.h"

/* ---- cells ------------------------------------------------------------------------------------------------------- */

#if TASK_cells
/* The first axis begins the cells, the others append a digit. With `last`, points in no cell are counted. */
__kernel void KERNEL(__global const uchar *plan, __global const T *x, uint n, uint first, uint last,
                     __global uint *cells, __global uint *flows, uint spread, __local uint *counters) {
    struct uhi_histogram_params params;
    load_params(plan, &params);
    __global const uchar *tables = params.far;
    clear_counts(counters, UHI_FLOW_COUNT << spread);
    barrier(CLK_LOCAL_MEM_FENCE);
    __local uint *counter = my_counts(counters, spread);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        const uint slot = slot_of(&params, tables, x[i]), bin = slot - 1, old = first ? 0 : cells[i];
        uint cell = UHI_NO_CELL;
        if (bin < params.bins)
            cell = old == UHI_NO_CELL ? old : old * params.bins + bin;
        else
            atomic_inc(counter + ((slot == 0 ? UHI_FLOW_BELOW : slot - params.bins) << spread));
        if (last && cell == UHI_NO_CELL)
            atomic_inc(counter + (UHI_FLOW_OUTSIDE << spread));
        cells[i] = cell;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    add_counts(counters, spread, flows, UHI_FLOW_COUNT);
}
#endif

#if !TASK_cells
#include "kernels/common/vectors.inc"
#endif

/* ---- counts of pairs and triples --------------------------------------------------------------------------------- */

#if TASK_pair || TASK_triple
/* Pitch of a digit's counters; in local memory below 2^16, which makes products cheap. */
#if TIER_global
#define COUNTS __global
typedef uint PITCH;
#else
#define COUNTS __local
typedef ushort PITCH;
#endif

/* A work-item's counters; a number is an address. */
struct counters {
    COUNTS uint *first;
};

static inline COUNTS uint *counter(__private const struct counters *to, uint number) {
    return to->first + number;
}

#include "kernels/common/runs.inc"

/* Copies of a counter; they are adjacent. */
static inline uint copies(uint spread) {
#if TIER_global
    return 1;
#else
    return 1u << spread;
#endif
}

/* How an axis finds its digit, and what that adds to the number of a point's counter. */
struct axis {
    struct uhi_histogram_params params;
    TABLES;
    PITCH pitch;
};

static inline uint part_of(__private const struct axis *axis, T x) {
    return slot_of(&axis->params, axis->tables, x) * axis->pitch;
}

/* The number of digits. */
static inline uint width_of(__private const struct axis *axis) {
    return axis->params.bins + 3;
}

/* Loads all but the pitch. If the tables are to be in local memory, copies them there; returns the end of the copy. */
static inline __local uint4 *load_axis(__global const uchar *plan, __local uint4 *here, __private struct axis *axis) {
    load_params(plan, &axis->params);
#if TIER_mixed
    axis->tables = axis->params.far;
#else
    axis->tables = (__local const uchar *)here;
    copy_near(&axis->params, here);
    here += axis->params.near / sizeof *here;
#endif
    return here;
}

/* Returns the counters of a work-item, and clears those of its group. */
static inline struct counters begin_counters(__global uint *counts, uint slots, uint spread, uint private_tables,
                                             __local uint *here) {
#if TIER_global
    const struct counters to = {counts + ((uint)get_group_id(0) & (private_tables - 1)) * (ulong)slots};
#else
    const struct counters to = {my_counts(here, spread)};
    clear_counts(here, slots << spread);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    return to;
}

static inline void end_counters(__local const uint *here, uint spread, __global uint *counts, uint slots) {
#if !TIER_global
    barrier(CLK_LOCAL_MEM_FENCE);
    add_counts(here, spread, counts, slots);
#endif
}
#endif

/* `here` has room for near tables of all axes or counters in local memory, of TIER local for the tables alone. */

#if TASK_pair
__kernel void KERNEL(__global const uchar *plan0, __global const T *x0, __global const uchar *plan1,
                     __global const T *x1, uint n, __global uint *counts, uint spread, uint private_tables,
                     __local uint4 *here
#if TIER_local
                     ,
                     __local uint *counts_here
#endif
) {
    struct axis axis0, axis1;
    here = load_axis(plan0, here, &axis0);
    here = load_axis(plan1, here, &axis1);
    const uint slots = width_of(&axis0) * width_of(&axis1);
    axis1.pitch = (PITCH)copies(spread);
    axis0.pitch = (PITCH)(width_of(&axis1) * copies(spread));
#if !TIER_local
    __local uint *counts_here = (__local uint *)here;
#endif
    const struct counters to = begin_counters(counts, slots, spread, private_tables, counts_here);
    const struct point_vectors all = vectors_of_points(x0, (ulong)x0 ^ (ulong)x1, n);
    struct run run = {0, 0};
#define COUNT_PAIR(a, b)    count_in_run(&to, &run, part_of(&axis0, a) + part_of(&axis1, b));
#define COUNT_PAIR_OF(name) COUNT_PAIR(a.name, b.name)
    for (uint i = get_global_id(0); i < all.count; i += get_global_size(0)) {
        const VECTOR a = coordinates(&all, x0, i), b = coordinates(&all, x1, i);
        EACH_NAME(COUNT_PAIR_OF)
    }
    for (uint i = get_global_id(0); i < all.rest; i += get_global_size(0)) {
        const uint at = index_of_point(&all, i);
        COUNT_PAIR(x0[at], x1[at])
    }
    end_run(&to, &run);
    end_counters(counts_here, spread, counts, slots);
}
#endif

#if TASK_triple
__kernel void KERNEL(__global const uchar *plan0, __global const T *x0, __global const uchar *plan1,
                     __global const T *x1, __global const uchar *plan2, __global const T *x2, uint n,
                     __global uint *counts, uint spread, uint private_tables, __local uint4 *here
#if TIER_local
                     ,
                     __local uint *counts_here
#endif
) {
    struct axis axis0, axis1, axis2;
    here = load_axis(plan0, here, &axis0);
    here = load_axis(plan1, here, &axis1);
    here = load_axis(plan2, here, &axis2);
    const uint slots = width_of(&axis0) * width_of(&axis1) * width_of(&axis2);
    axis2.pitch = (PITCH)copies(spread);
    axis1.pitch = (PITCH)(width_of(&axis2) * copies(spread));
    axis0.pitch = (PITCH)(width_of(&axis1) * width_of(&axis2) * copies(spread));
#if !TIER_local
    __local uint *counts_here = (__local uint *)here;
#endif
    const struct counters to = begin_counters(counts, slots, spread, private_tables, counts_here);
    const ulong differ = ((ulong)x0 ^ (ulong)x1) | ((ulong)x0 ^ (ulong)x2);
    const struct point_vectors all = vectors_of_points(x0, differ, n);
    struct run run = {0, 0};
#define COUNT_TRIPLE(a, b, c) count_in_run(&to, &run, part_of(&axis0, a) + part_of(&axis1, b) + part_of(&axis2, c));
#define COUNT_TRIPLE_OF(name) COUNT_TRIPLE(a.name, b.name, c.name)
    for (uint i = get_global_id(0); i < all.count; i += get_global_size(0)) {
        const VECTOR a = coordinates(&all, x0, i), b = coordinates(&all, x1, i), c = coordinates(&all, x2, i);
        EACH_NAME(COUNT_TRIPLE_OF)
    }
    for (uint i = get_global_id(0); i < all.rest; i += get_global_size(0)) {
        const uint at = index_of_point(&all, i);
        COUNT_TRIPLE(x0[at], x1[at], x2[at])
    }
    end_run(&to, &run);
    end_counters(counts_here, spread, counts, slots);
}
#endif

/* ---- sums of weights --------------------------------------------------------------------------------------------- */

#if TASK_sum || TASK_weighted || TASK_mean
#define WEIGHT_f32 1
#include "kernels/accumulate/digits.inc"

#if TASK_sum
#define SQUARES(...)
#else
#define SQUARES(...) __VA_ARGS__
#endif
#if TASK_mean
#define NUMBERS(...) __VA_ARGS__
#else
#define NUMBERS(...)
#endif

/* Slot 0 and slots above the bins, as unsigned numbers, become the cell after the last. Their flow is counted; usually
 * few points are there. */
#define POINT(a, b)                                                                                                    \
    {                                                                                                                  \
        const uint slot = slot_of(&params, tables, a), cell = min(slot - 1, params.bins);                              \
        if (cell == params.bins)                                                                                       \
            atomic_inc(flow + ((slot == 0 ? UHI_FLOW_BELOW : slot - params.bins) << spread));                          \
        NUMBERS(atomic_inc(number + (cell << spread));)                                                                \
        noted |= add_weight_here(&to, &by, cell, as_uint(b), 0);                                                       \
        SQUARES(noted_squares |= add_weight_here(&to_squares, &by_squares, cell, as_uint(b), 1);)                      \
    }

/* A group's windows begin one below the highest of its first weights. */
static inline uint first_window(__local const uint *highest) {
    return *highest ? *highest - 1 : 0;
}

/* `here` holds windows of sums as in accumulate.cl, those of squares, counters of points and of flows, all in 2^spread
 * copies, and UHI_SUM_WORDS words. */
__kernel void KERNEL(__global const uchar *plan, __global const T *x0, __global const T *x1, uint n,
                     __global uint *flags, __global uint *table, __global uint *used, uint windows,
                     SQUARES(__global uint *table_squares, __global uint *used_squares, uint windows_squares, )
                         NUMBERS(__global uint *numbers, ) __global uint *flows,
                     uint spread,
#if TIER_local
                     __local uint4 *tables_here,
#endif
                     __local uint *here) {
    struct uhi_histogram_params params;
    load_params(plan, &params);
    const uint slots = params.bins + 1, apart = UHI_SUM_DEPTH * slots << spread;
    const struct windows to = {table, flags, used, slots};
    __local uint *flows_here = here + 2 * apart;
#if !TASK_sum
    const struct windows to_squares = {table_squares, flags, used_squares, slots};
    const uint apart_squares = UHI_SQUARE_DEPTH * slots << spread;
    __local uint *squares_here = flows_here;
    flows_here += 2 * apart_squares;
#endif
#if TASK_mean
    __local uint *numbers_here = flows_here, *number = my_counts(numbers_here, spread);
    flows_here += slots << spread;
#endif
    __local uint *flow = my_counts(flows_here, spread), *highest = flows_here + (UHI_FLOW_OUTSIDE << spread);
    __local uint *noted_here = highest + 1;
    uint noted = 0;
    SQUARES(__local uint *highest_square = highest + 2; __local uint *noted_squares_here = highest + 3;)
    SQUARES(uint noted_squares = 0;)
#if TIER_local
    __local uchar *tables = (__local uchar *)tables_here;
    copy_near(&params, tables_here);
#else
    __global const uchar *tables = params.far;
#endif
    clear_counts(here, (uint)(highest - here) + UHI_SUM_WORDS);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) < n && is_number(as_uint(x1[get_global_id(0)]))) {
        atomic_max(highest, window_of(as_uint(x1[get_global_id(0)]), 0));
        SQUARES(atomic_max(highest_square, window_of(as_uint(x1[get_global_id(0)]), 1));)
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const ushort pitch = (ushort)(slots << spread);
    const struct windows_here by = {
        my_counts(here, spread), first_window(highest), UHI_SUM_DEPTH, apart, spread, pitch};
    SQUARES(const struct windows_here by_squares = {my_counts(squares_here, spread), first_window(highest_square),
                                                    UHI_SQUARE_DEPTH, apart_squares, spread, pitch};)
    EACH_POINT
    tell_used(used, noted, noted_here, 0);
    add_windows(&to, &by, windows, here);
    SQUARES(tell_used(used_squares, noted_squares, noted_squares_here, 1);)
    SQUARES(add_windows(&to_squares, &by_squares, windows_squares, squares_here);)
#if TASK_mean
    for (uint i = get_local_id(0); i < slots; i += get_local_size(0))
        add_wide_global(numbers + 2 * (ulong)i, 1, count_of(numbers_here, i, spread));
#endif
    for (uint i = get_local_id(0); i < UHI_FLOW_OUTSIDE; i += get_local_size(0)) {
        const uint missed = count_of(flows_here, i, spread);
        if (missed) {
            atomic_add(flows + i, missed);
            atomic_add(flows + UHI_FLOW_OUTSIDE, missed);
        }
    }
}
#endif
