/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver's tests run. */
#pragma OPENCL FP_CONTRACT OFF

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
