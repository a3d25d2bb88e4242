/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram over one axis on a device. TYPE and LOOKUP are those of histogram_slot.inc; the tasks are
 *
 *   count_local    counts n values; the plan's tables and the counts in local memory
 *   count_mixed    the same; the counts in local memory, the tables in global memory
 *   count_global   the same; the counts in global memory, in one of `private_tables`
 *   index          the index of each value as numpy.digitize numbers them
 *
 * `replicas`, the copies of counts in local memory, and `private_tables` are powers of two. Counts are of 32 bits: the
 * host empties them before one can overflow. */
#if TASK_count_local
#define SPACE __local
#else
#define SPACE __global
#endif
#include "kernels/histogram/histogram_slot.inc"

#include "kernels/common/counters.inc"
#include "kernels/common/each_value.inc"

#define COUNT(value) atomic_inc(counter + slot_of(&params, tables, value));

#if TASK_count_local
__kernel void KERNEL(__global const uchar *plan, __global const T *x, ulong n, __global uint *counts, uint pitch,
                     uint replicas, __local uint *local_tables, __local uint *local_counts) {
    const struct uhi_histogram_params params = load_params(plan);
    __global const uint *from = (__global const uint *)(plan + params.tables);
    for (uint i = get_local_id(0); i < (uint)(params.bytes - params.tables) / 4; i += get_local_size(0))
        local_tables[i] = from[i];
    clear_counts(local_counts, pitch * replicas);
    barrier(CLK_LOCAL_MEM_FENCE);
    __local const uchar *tables = (__local const uchar *)local_tables;
    __local uint *counter = local_counts + (get_local_id(0) & (replicas - 1)) * pitch;
    EACH_VALUE(COUNT)
    barrier(CLK_LOCAL_MEM_FENCE);
    add_counts(local_counts, pitch, replicas, counts, params.bins + 3);
}
#endif

#if TASK_count_mixed
__kernel void KERNEL(__global const uchar *plan, __global const T *x, ulong n, __global uint *counts, uint pitch,
                     uint replicas, __local uint *local_counts) {
    const struct uhi_histogram_params params = load_params(plan);
    __global const uchar *tables = plan + params.tables;
    clear_counts(local_counts, pitch * replicas);
    barrier(CLK_LOCAL_MEM_FENCE);
    __local uint *counter = local_counts + (get_local_id(0) & (replicas - 1)) * pitch;
    EACH_VALUE(COUNT)
    barrier(CLK_LOCAL_MEM_FENCE);
    add_counts(local_counts, pitch, replicas, counts, params.bins + 3);
}
#endif

#if TASK_count_global
__kernel void KERNEL(__global const uchar *plan, __global const T *x, ulong n, __global uint *counts,
                     uint private_tables) {
    const struct uhi_histogram_params params = load_params(plan);
    __global const uchar *tables = plan + params.tables;
    __global uint *counter = counts + (ulong)((uint)get_group_id(0) & (private_tables - 1)) * (params.bins + 3);
    EACH_VALUE(COUNT)
}
#endif

#if TASK_index
__kernel void KERNEL(__global const uchar *plan, __global const T *x, ulong n, __global long *index) {
    const struct uhi_histogram_params params = load_params(plan);
    __global const uchar *tables = plan + params.tables;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        index[i] = min(slot_of(&params, tables, x[i]), params.bins + 1);
}
#endif
