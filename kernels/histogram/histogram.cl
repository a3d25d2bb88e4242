/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram over one axis on a device. TYPE and LOOKUP are those of histogram_slot.inc. Tasks:
 *
 *   count_local    counts n values, with the plan's near tables and the counts in local memory
 *   count_mixed    the same, with the counts in local memory, the tables in global memory
 *   count_global   the same, with the counts in global memory, in one of `private_tables`, a power of two
 *   index          the index of each value as numpy.digitize numbers them
 *
 * Counters in local memory have 2^spread copies (counters.inc). If copies are few and most adjacent values have the
 * same counter, as in sorted data, runs are added at once. Counts have 32 bits; the host empties them before one can
 * overflow. */
#if TASK_count_local
#define SPACE __local
#else
#define SPACE __global
#endif
#define WIDE /* code for rare values is in the loop once per wide vector */
#include "kernels/histogram/histogram_slot.inc"

#include "kernels/common/counters.inc"
#include "kernels/common/each_value.inc"
#include "kernels/common/runs.inc"

#if TASK_count_global
#define PLACE(number) (counter + slot_of_counter(&params, number))
#else
#define PLACE(number) (counter + ((number) << spread))
#endif
#define NUMBER(value) counter_of(&params, tables, value)
#define COUNT(value)  atomic_inc(PLACE(NUMBER(value)));

#if PACKED
/* Values not decided by their entries wait until the others of the vector are counted, so that the loop has their code
 * only once. */
#define COUNT_DECIDED(value)                                                                                           \
    {                                                                                                                  \
        const struct packed found = find_packed(&params, tables, ordered(&params, value));                             \
        const uint waits = !is_decided(&params, found) || has_no_cell(value);                                          \
        waiting = waiting << 1 | waits;                                                                                \
        if (!waits)                                                                                                    \
            atomic_inc(PLACE(decided_rank(&params, found)));                                                           \
    }
#define ELEMENT_OF_2(v, i) ((i)&1 ? v.s1 : v.s0)
#define ELEMENT_OF_4(v, i) ((i)&2 ? ELEMENT_OF_2(v.hi, i) : ELEMENT_OF_2(v.lo, i))
#define ELEMENT_OF_8(v, i) ((i)&4 ? ELEMENT_OF_4(v.hi, i) : ELEMENT_OF_4(v.lo, i))
#if WIDTH == 8
#define ELEMENT ELEMENT_OF_8
#else
#define ELEMENT(v, i) ((i)&8 ? ELEMENT_OF_8(v.hi, i) : ELEMENT_OF_8(v.lo, i))
#endif
#define COUNT_VECTOR(v, ON_VALUE)                                                                                      \
    uint waiting = 0;                                                                                                  \
    EACH_ELEMENT(v, COUNT_DECIDED)                                                                                     \
    while (waiting) {                                                                                                  \
        const uint bit = 31 - clz(waiting), element = WIDTH - 1 - bit;                                                 \
        waiting ^= 1u << bit;                                                                                          \
        const T value = ELEMENT(v, element);                                                                           \
        ON_VALUE(value)                                                                                                \
    }
#define COUNT_EACH EACH_VECTOR(COUNT_VECTOR, COUNT)
#define RUNS_OF_VECTOR(v, ON_VALUE)                                                                                    \
    for (uint element = 0; element < WIDTH; element++) {                                                               \
        const T value = ELEMENT(v, element);                                                                           \
        ON_VALUE(value)                                                                                                \
    }
#else
#define COUNT_EACH     EACH_VALUE(COUNT)
#define RUNS_OF_VECTOR EACH_ELEMENT
#endif

#define COUNT_IN_RUN(value)                                                                                            \
    {                                                                                                                  \
        const uint number = NUMBER(value);                                                                             \
        COUNT_RUN(number)                                                                                              \
    }
#define COUNT_ALL COUNT_VALUES(EACH_VECTOR(RUNS_OF_VECTOR, COUNT_IN_RUN), COUNT_EACH)

#if TASK_count_local || TASK_count_mixed
/* Adds a group's counters to those of their slots in global memory. */
static inline void add_counters(PARAMS, __local const uint *from, uint spread, __global uint *counts) {
    for (uint c = get_local_id(0); c < p->counters; c += get_local_size(0)) {
        const uint sum = count_of(from, c, spread);
        if (sum)
            atomic_add(counts + slot_of_counter(p, c), sum);
    }
}
#endif

#if TASK_count_local
__kernel void KERNEL(__global const uchar *plan, __global const T *x, ulong n, __global uint *counts, uint spread,
                     __local uint4 *local_tables, __local uint *local_counts) {
    const struct uhi_histogram_params params = load_params(plan);
    copy_near(&params, local_tables);
    barrier(CLK_LOCAL_MEM_FENCE);
    __local const uchar *tables = (__local const uchar *)local_tables;
    COMPARE_NEIGHBOURS(spread, local_counts)
    clear_counts(local_counts, params.counters << spread);
    barrier(CLK_LOCAL_MEM_FENCE);
    __local uint *counter = my_counts(local_counts, spread);
    COUNT_ALL
    barrier(CLK_LOCAL_MEM_FENCE);
    add_counters(&params, local_counts, spread, counts);
}
#endif

#if TASK_count_mixed
__kernel void KERNEL(__global const uchar *plan, __global const T *x, ulong n, __global uint *counts, uint spread,
                     __local uint *local_counts) {
    const struct uhi_histogram_params params = load_params(plan);
    __global const uchar *tables = params.far;
    COMPARE_NEIGHBOURS(spread, local_counts)
    clear_counts(local_counts, params.counters << spread);
    barrier(CLK_LOCAL_MEM_FENCE);
    __local uint *counter = my_counts(local_counts, spread);
    COUNT_ALL
    barrier(CLK_LOCAL_MEM_FENCE);
    add_counters(&params, local_counts, spread, counts);
}
#endif

#if TASK_count_global
__kernel void KERNEL(__global const uchar *plan, __global const T *x, ulong n, __global uint *counts,
                     uint private_tables, __local uint *votes) {
    const struct uhi_histogram_params params = load_params(plan);
    __global const uchar *tables = params.far;
    __global uint *counter = counts + (ulong)((uint)get_group_id(0) & (private_tables - 1)) * (params.bins + 3);
    COMPARE_NEIGHBOURS(0, votes)
    COUNT_ALL
}
#endif

#if TASK_index
__kernel void KERNEL(__global const uchar *plan, __global const T *x, ulong n, __global long *index) {
    const struct uhi_histogram_params params = load_params(plan);
    __global const uchar *tables = params.far;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        index[i] = min(slot_of(&params, tables, x[i]), params.bins + 1);
}
#endif
