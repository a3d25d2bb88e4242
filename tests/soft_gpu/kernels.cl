/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver's tests run. */
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

int __spirv_SpecConstant(int id, int standard) __attribute__((overloadable));
uchar __spirv_SpecConstant(int id, uchar standard) __attribute__((overloadable));
ulong __spirv_SpecConstant(int id, ulong standard) __attribute__((overloadable));
float __spirv_SpecConstant(int id, float standard) __attribute__((overloadable));

/* Does not commute with itself for other numbers. */
kernel void affine(global uint *values, uint factor, uint addend) {
    values[get_global_id(0)] = values[get_global_id(0)] * factor + addend;
}

kernel void sum_of_group(global const uint *in, global uint *out, local uint *scratch) {
    uint me = get_local_id(0), n = get_local_size(0);
    scratch[me] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me == 0) {
        uint sum = 0;
        for (uint i = 0; i < n; i++)
            sum += scratch[i];
        out[get_group_id(0)] = sum;
    }
}

/* Reads local memory that nobody has written. */
kernel void peek(global uint *out, local uint *scratch) {
    local uint fixed[64];
    uint me = get_local_id(0);
    out[get_global_id(0)] = scratch[me];
    if (out[get_global_id(0)] == 12345)
        fixed[me % 64] = me;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_size(0) + get_global_id(0)] = fixed[me % 64];
}

kernel void count(global atomic_uint *narrow, global ulong *wide, local uint *scratch) {
    if (get_local_id(0) == 0)
        *scratch = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit((local atomic_uint *)scratch, 3u, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_fetch_add_explicit(narrow, *scratch, memory_order_relaxed, memory_scope_device);
    atom_add(wide, 1UL << 33);
}

kernel void ids(global uint *out, uint width, uint height) {
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t at = ((z - get_global_offset(2)) * height + (y - get_global_offset(1))) * width + x - get_global_offset(0);
    out[at] = (uint)(x + 1000 * y + 1000000 * z);
}

kernel void constants(global float *out) {
    out[0] = (float)__spirv_SpecConstant(3, 11);
    out[1] = (float)__spirv_SpecConstant(1, (uchar)7);
    out[2] = (float)(__spirv_SpecConstant(70, 5000000000UL) >> 20);
    out[3] = __spirv_SpecConstant(2, 0.5f);
}

struct mixed {
    char small;
    ulong large;
    short tail;
};

kernel void values(global float *out, char c, short s, ulong l, float3 f, struct mixed m, constant float *table) {
    out[0] = (float)c;
    out[1] = (float)s;
    out[2] = (float)(l >> 40);
    out[3] = f.x + 10 * f.y + 100 * f.z;
    out[4] = (float)m.small + 10 * (float)m.large + 100 * (float)m.tail;
    out[5] = table[1];
}

__attribute__((reqd_work_group_size(4, 2, 1))) kernel void required(global uint *out) {
    local uint fixed[512];
    fixed[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = fixed[0];
}

/* Two roundings, not one; and numbers below the normal ones. */
kernel void round_twice(global float *values) {
    values[3] = values[0] * values[1] + values[2];
    values[5] = values[4] * 0.5f;
}

/* Places of `words`: 0 sub, 1 max, 2 min (signed), 3 or, 4 and, 5 xor, 6 exchange if 0, 7 exchange, 8 increment; of
 * `wide`: 0 add, 1 max, 2 min (signed). The groups' counts go to `out`. */
kernel void atomics(global atomic_uint *words, global long *wide, local atomic_uint *scratch, global uint *out) {
    uint i = (uint)get_global_id(0), none = 0;
    if (get_local_id(0) == 0)
        atomic_store_explicit(scratch, 0, memory_order_relaxed, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_sub_explicit(words, 1, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(words + 1, i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit((global atomic_int *)words + 2, -(int)i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_or_explicit(words + 3, 1u << i % 32, memory_order_relaxed, memory_scope_device);
    atomic_fetch_and_explicit(words + 4, ~(1u << i % 32), memory_order_relaxed, memory_scope_device);
    atomic_fetch_xor_explicit(words + 5, i, memory_order_relaxed, memory_scope_device);
    atomic_compare_exchange_strong_explicit(words + 6, &none, i + 1, memory_order_relaxed, memory_order_relaxed,
                                            memory_scope_device);
    atomic_exchange_explicit(words + 7, i, memory_order_relaxed, memory_scope_device);
    atomic_inc((volatile global uint *)words + 8);
    atom_add(wide, -3L);
    atom_max(wide + 1, (long)i << 40);
    atom_min(wide + 2, -((long)i << 40));
    atomic_fetch_add_explicit(scratch, 1, memory_order_acq_rel, memory_scope_work_group);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = atomic_load_explicit(scratch, memory_order_relaxed, memory_scope_work_group);
}

/* Reverses fours. */
kernel void vectors(global const float *in, global float *out) {
    size_t i = get_global_id(0);
    float4 v = vload4(i, in);
    vstore4(v.wzyx, i, out);
}
