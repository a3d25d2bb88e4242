/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms on a device. TYPE and LOOKUP are those of histogram_slot.inc. Tasks:
 *
 *   count      counts n values on one axis
 *   index      the index of each value as numpy.digitize numbers them
 *   pair       counts n points on two axes whose coordinates have one type and one look-up
 *   triple     the same on three axes
 *   cells      appends one axis's digit to the cells of n points, and counts points that miss it
 *   sum        adds float32 weights of n points on one axis to exact sums
 *   weighted   the same, and their squares
 *   mean       the same, and counts the points
 *
 * TIER is what is in local memory: `local` the plans' near tables and the counts, `tables` or `mixed` only the tables
 * or only the counts, `global` neither. Counts in global memory are in one of `private_tables`, a power of two; those
 * in local memory have 2^spread copies (counters.inc). If copies are few and most adjacent values have the same
 * counter, as in sorted data, runs are added at once. Counters have 32 bits; the host empties them before one can
 * overflow. */
#if TIER_local || TIER_tables
#define SPACE __local
#else
#define SPACE __global
#endif
#if TASK_count
#define WIDE /* code for rare values is in the loop once per wide vector */
#endif
#include "kernels/histogram/histogram_slot.inc"

#if TASK_cells || TASK_pair || TASK_triple
#include "kernels/histogram/histogram_points.inc"
#endif

#if TASK_sum || TASK_weighted || TASK_mean
#include "kernels/histogram/histogram_sums.inc"
#endif

#if TASK_count
#include "kernels/common/counters.inc"
#if PACKED
#define BLOCK 32
#endif
#include "kernels/common/vectors.inc"

#if TIER_global
#define COUNTS __global
#else
#define COUNTS __local
#endif

/* Where a work-item finds numbers of values, and their counters. */
struct counters {
    struct uhi_histogram_params params;
    TABLES;
    COUNTS uint *first;
    uint spread;
};

static inline uint number_of(__private const struct counters *to, T value) {
    return counter_of(&to->params, to->tables, value);
}

static inline COUNTS uint *counter(__private const struct counters *to, uint number) {
#if TIER_global
    return to->first + slot_of_counter(&to->params, number);
#else
    return to->first + (number << to->spread);
#endif
}

#include "kernels/common/runs.inc"

/* ---- a vector ---- */

static inline void count_value(__private const struct counters *to, T value) {
    atomic_inc(counter(to, number_of(to, value)));
}

#if PACKED
#define ELEMENT_OF_2(v, i) ((i)&1 ? v.s1 : v.s0)
#define ELEMENT_OF_4(v, i) ((i)&2 ? ELEMENT_OF_2(v.hi, i) : ELEMENT_OF_2(v.lo, i))
#define ELEMENT_OF_8(v, i) ((i)&4 ? ELEMENT_OF_4(v.hi, i) : ELEMENT_OF_4(v.lo, i))
static inline T element(VECTOR v, uint i) {
#if WIDTH == 8
    return ELEMENT_OF_8(v, i);
#else
    return i & 8 ? ELEMENT_OF_8(v.hi, i) : ELEMENT_OF_8(v.lo, i);
#endif
}

/* Counts a value if its entry decides its rank; otherwise notes in a further bit that it waits. */
static inline void count_decided(__private const struct counters *to, T value, __private uint *waiting) {
    const struct packed found = find_packed(&to->params, to->tables, ordered(&to->params, value));
    const uint waits = !is_decided(&to->params, found) || has_no_cell(value);
    *waiting = *waiting << 1 | waits;
    if (!waits)
        atomic_inc(counter(to, decided_rank(&to->params, found)));
}

/* One by one: Oclgrind 21.10 crashes where vectors are joined. */
#if WIDTH == 8
#define ELEMENTS(v) v.s0, v.s1
#else
#define ELEMENTS(v) v.s0, v.s1, v.s2, v.s3
#endif

/* Vector i of a block: its quarters lie next to those of the neighbouring vectors, so that each read of a sub-group is
 * of whole cache lines. */
static inline VECTOR vector_at(__private const struct vectors *all, uint i) {
    __global const QUARTER *at = (__global const QUARTER *)all->vector + (4 * i - 3 * (i % BLOCK));
    const QUARTER a = at[0], b = at[BLOCK], c = at[2 * BLOCK], d = at[3 * BLOCK];
    return (VECTOR)(ELEMENTS(a), ELEMENTS(b), ELEMENTS(c), ELEMENTS(d));
}

/* Undecided values wait until the others are counted, so that the loop has their code only once. */
static inline void count_vector(__private const struct counters *to, VECTOR v) {
    uint waiting = 0;
#define COUNT_DECIDED(name) count_decided(to, v.name, &waiting);
    EACH_NAME(COUNT_DECIDED)
    while (waiting) {
        const uint bit = 31 - clz(waiting);
        waiting ^= 1u << bit;
        count_value(to, element(v, WIDTH - 1 - bit));
    }
}

static inline void count_vector_in_runs(__private const struct counters *to, __private struct run *run, VECTOR v) {
    for (uint i = 0; i < WIDTH; i++)
        count_in_run(to, run, number_of(to, element(v, i)));
}
#else
static inline VECTOR vector_at(__private const struct vectors *all, uint i) { return all->vector[i]; }

static inline void count_vector(__private const struct counters *to, VECTOR v) {
#define COUNT(name)        count_value(to, v.name);
    EACH_NAME(COUNT)
}

static inline void count_vector_in_runs(__private const struct counters *to, __private struct run *run, VECTOR v) {
#define COUNT_IN_RUN(name) count_in_run(to, run, number_of(to, v.name));
    EACH_NAME(COUNT_IN_RUN)
}
#endif

/* ---- all values ---- */

/* Whether most neighbours have the same counter and copies are few; `votes` is a word of local memory. */
static inline int deserves_runs(__private const struct counters *to, __global const T *x, ulong n,
                                __local uint *votes) {
    const ulong look = sampled_neighbour(n);
    return to->spread < FEW_COPIES &&
           most_are_equal(look + 1 < n && number_of(to, x[look]) == number_of(to, x[look + 1]), votes);
}

/* n is below 2^32, as the counters have 32 bits. */
static inline void count_all(__private const struct counters *to, __global const T *x, ulong n) {
    const struct vectors all = vectors_of(x, n);
    for (uint i = get_global_id(0); i < (uint)all.count; i += get_global_size(0))
        count_vector(to, vector_at(&all, i));
    for (ulong i = get_global_id(0); i < all.rest; i += get_global_size(0))
        count_value(to, x[index_of_rest(&all, i)]);
}

static inline void count_all_in_runs(__private const struct counters *to, __global const T *x, ulong n) {
    const struct vectors all = vectors_of(x, n);
    struct run run = {0, 0};
    for (ulong i = get_global_id(0); i < all.count; i += get_global_size(0))
        count_vector_in_runs(to, &run, all.vector[i]);
    for (ulong i = get_global_id(0); i < all.rest; i += get_global_size(0))
        count_in_run(to, &run, number_of(to, x[index_of_rest(&all, i)]));
    end_run(to, &run);
}

#if !TIER_global
/* Adds a group's counters to those of their slots in global memory. */
static inline void add_counters(PARAMS, __local const uint *from, uint spread, __global uint *counts) {
    for (uint c = get_local_id(0); c < p->counters; c += get_local_size(0)) {
        const uint sum = count_of(from, c, spread);
        if (sum)
            atomic_add(counts + slot_of_counter(p, c), sum);
    }
}
#endif

/* `here` has room for near tables or counters in local memory, of TIER local for the tables alone. */
__kernel void KERNEL(__global const uchar *plan, __global const T *x, ulong n, __global uint *counts, uint spread,
                     uint private_tables, __local uint4 *here
#if TIER_local
                     ,
                     __local uint *local_counts
#endif
) {
    struct counters to;
    load_params(plan, &to.params);
#if TIER_local
    to.tables = (__local const uchar *)here;
    copy_near(&to.params, here);
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    __local uint *local_counts = (__local uint *)here;
    to.tables = to.params.far;
#endif
#if TIER_global
    to.first = counts + (ulong)((uint)get_group_id(0) & (private_tables - 1)) * (to.params.bins + 3);
    to.spread = 0;
#else
    to.first = my_counts(local_counts, spread);
    to.spread = spread;
#endif
    const int in_runs = deserves_runs(&to, x, n, local_counts);
#if !TIER_global
    clear_counts(local_counts, to.params.counters << spread);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (in_runs)
        count_all_in_runs(&to, x, n);
    else
        count_all(&to, x, n);
#if !TIER_global
    barrier(CLK_LOCAL_MEM_FENCE);
    add_counters(&to.params, local_counts, spread, counts);
#endif
}
#endif

#if TASK_index
__kernel void KERNEL(__global const uchar *plan, __global const T *x, ulong n, uint less_above, uint again_above,
                     uint bytes, __global void *index) {
    struct uhi_histogram_params params;
    load_params(plan, &params);
    __global const uchar *tables = params.far;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        const uint slot = slot_of(&params, tables, x[i]);
        const uint number = slot - (slot > less_above) - (slot > again_above);
        if (bytes == 1)
            ((__global uchar *)index)[i] = (uchar)number;
        else if (bytes == 2)
            ((__global ushort *)index)[i] = (ushort)number;
        else if (bytes == 4)
            ((__global uint *)index)[i] = number;
        else
            ((__global ulong *)index)[i] = number;
    }
}
#endif
