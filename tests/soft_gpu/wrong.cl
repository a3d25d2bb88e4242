/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for groups of 8 work-items, each with a fault but the first. `out` has `n` elements. */

kernel void right(global uint *out, uint n) {
    local uint sum, order[8];
    const uint lane = get_local_id(0);
    if (lane == 0)
        sum = 0;
    order[lane] = lane;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, order[lane ^ 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0)
        atomic_add(out, sum);
    for (uint i = get_global_id(0) + 1; i < n; i += get_global_size(0))
        out[i] = i;
}

kernel void race_in_a_group(global uint *out, uint n) {
    local uint order[8];
    order[get_local_id(0) & 6] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = order[n & 6];
}

kernel void race_of_groups(global uint *out, uint n) {
    if (get_local_id(0) == 0)
        out[0] += n;
}

kernel void race_to_write_the_same(global uint *out, uint n) {
    if (get_local_id(0) == 0)
        out[0] = n;
}

kernel void barrier_of_another_memory(global uint *out, uint n) {
    local uint order[8];
    order[get_local_id(0)] = n;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = order[get_local_id(0) ^ 1];
}

kernel void reads_past_end(global uint *out, uint n) {
    if (get_global_id(0) == 0)
        out[0] = out[n];
}

kernel void writes_past_end(global uint *out, uint n) {
    if (get_global_id(0) == 0)
        out[n] = 1;
}

kernel void atomic_past_end(global uint *out, uint n) { atomic_inc(out + n); }

kernel void writes_past_local(global uint *out, uint n) {
    local uint order[8];
    order[get_local_id(0) + (n > 0)] = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = order[1];
}

kernel void reads_fresh_local(global uint *out, uint n) {
    local uint order[8];
    if (get_local_id(0) == n)
        order[get_local_id(0)] = 1;
    if (order[get_local_id(0)] == n)
        out[get_global_id(0)] = 1;
}

kernel void writes_fresh_private(global uint *out, uint n) {
    volatile uint value;
    if (n == 0)
        value = 1;
    out[get_global_id(0)] = value;
}

kernel void barrier_of_some(global uint *out, uint n) {
    if (get_local_id(0) < 4)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = n;
}
