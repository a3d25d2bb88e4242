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
    const struct uhi_histogram_params params = load_params(plan);
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

/* ---- counts of pairs and triples --------------------------------------------------------------------------------- */

#if !TASK_cells
#include "kernels/common/each_point.inc"
#endif

#if TASK_pair || TASK_triple
#include "kernels/common/runs.inc"

/* Pitch of a digit's counters; in local memory below 2^16, which makes products cheap. */
#if TIER_global
typedef uint PITCH;
#else
typedef ushort PITCH;
#endif

#define PLACE(number) (counter + (number))
#define POINT(a, b, c)                                                                                                 \
    {                                                                                                                  \
        const uint slot0 = slot_of(&params0, tables0, a), slot1 = slot_of(&params1, tables1, b);                       \
        THIRD(const uint slot2 = slot_of(&params2, tables2, c);)                                                       \
        const uint number = slot0 * pitch0 + slot1 * pitch1 THIRD(+slot2 * pitch2);                                    \
        COUNT_RUN(number)                                                                                              \
    }

__kernel void KERNEL(__global const uchar *plan0, __global const T *x0, __global const uchar *plan1,
                     __global const T *x1, THIRD(__global const uchar *plan2, __global const T *x2, ) uint n,
                     __global uint *counts,
#if TIER_global
                     uint private_tables, __local uint4 *tables
#elif TIER_mixed
                     uint spread, __local uint *here
#else
                     uint spread, __local uint4 *tables, __local uint *here
#endif
) {
    const struct uhi_histogram_params params0 = load_params(plan0), params1 = load_params(plan1);
    THIRD(const struct uhi_histogram_params params2 = load_params(plan2);)
    const uint width1 = params1.bins + 3, width2 = 1 THIRD(*(params2.bins + 3));
    const uint slots = (params0.bins + 3) * width1 * width2;
#if TIER_mixed
    __global const uchar *tables0 = params0.far, *tables1 = params1.far;
    THIRD(__global const uchar *tables2 = params2.far;)
#else
    __local uchar *tables0 = (__local uchar *)tables, *tables1 = tables0 + params0.near;
    copy_near(&params0, tables);
    copy_near(&params1, (__local uint4 *)tables1);
    THIRD(__local uchar *tables2 = tables1 + params1.near;)
    THIRD(copy_near(&params2, (__local uint4 *)tables2);)
#endif
#if TIER_global
    const uint step = 1;
    __global uint *counter = counts + ((uint)get_group_id(0) & (private_tables - 1)) * (ulong)slots;
#else
    const uint step = 1u << spread;
    __local uint *counter = my_counts(here, spread);
    clear_counts(here, slots << spread);
#endif
    const PITCH pitch0 = (PITCH)(width1 * width2 * step), pitch1 = (PITCH)(width2 * step);
    THIRD(const PITCH pitch2 = (PITCH)step;)
    barrier(CLK_LOCAL_MEM_FENCE);
    BEGIN_RUNS
    EACH_POINT
    END_RUNS
#if !TIER_global
    barrier(CLK_LOCAL_MEM_FENCE);
    add_counts(here, spread, counts, slots);
#endif
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
#define POINT(a, b, c)                                                                                                 \
    {                                                                                                                  \
        const uint slot = slot_of(&params, tables, a), cell = min(slot - 1, params.bins);                              \
        if (cell == params.bins)                                                                                       \
            atomic_inc(flow + ((slot == 0 ? UHI_FLOW_BELOW : slot - params.bins) << spread));                          \
        NUMBERS(atomic_inc(number + (cell << spread));)                                                                \
        noted |= add_weight_local(&to, &by, cell, as_uint(b), 0);                                                      \
        SQUARES(noted_squares |= add_weight_local(&to_squares, &by_squares, cell, as_uint(b), 1);)                     \
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
    const struct uhi_histogram_params params = load_params(plan);
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
    __local uint *local_noted = highest + 1;
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
    const struct local_windows by = {
        my_counts(here, spread), first_window(highest), UHI_SUM_DEPTH, apart, spread, pitch};
    SQUARES(const struct local_windows by_squares = {my_counts(squares_here, spread), first_window(highest_square),
                                                     UHI_SQUARE_DEPTH, apart_squares, spread, pitch};)
    EACH_POINT
    store_used(used, noted, local_noted, 0);
    add_windows(&to, &by, windows, here);
    SQUARES(store_used(used_squares, noted_squares, noted_squares_here, 1);)
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
