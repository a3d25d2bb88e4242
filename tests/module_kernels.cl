/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for the tests of modules and launches. */

/* What llvm-spirv makes a specialization constant of. */
char __spirv_SpecConstant(int id, char value) __attribute__((overloadable));
short __spirv_SpecConstant(int id, short value) __attribute__((overloadable));
int __spirv_SpecConstant(int id, int value) __attribute__((overloadable));
long __spirv_SpecConstant(int id, long value) __attribute__((overloadable));

kernel void nothing(void) {}

kernel void constants(global long *out) {
    out[0] = __spirv_SpecConstant(1, (char)-1);
    out[1] = __spirv_SpecConstant(2, (short)-2);
    out[2] = __spirv_SpecConstant(4, -4);
    out[3] = __spirv_SpecConstant(8, (long)-8);
}

/* Adds `value` to each of the items' places. */
kernel void add(global uint *out, uint value) { out[get_global_id(0)] += value; }

/* What each item knows of itself, 9 numbers an item, the items in the order of their global ids without offset. */
kernel void tell(global ulong *out) {
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
           z = get_global_id(2) - get_global_offset(2);
    global ulong *mine = out + 9 * (x + get_global_size(0) * (y + get_global_size(1) * z));
    for (int d = 0; d < 3; d++) {
        mine[d] = get_global_id(d);
        mine[3 + d] = get_local_id(d) + get_local_size(d) * get_group_id(d);
        mine[6 + d] = get_local_size(d);
    }
}

struct pair {
    int first;
    long second;
    char third;
};

struct tight {
    char first;
    long second;
    short third;
} __attribute__((packed));

kernel void take_tight(global ulong *out, struct tight a) { out[0] = (ulong)(a.first + a.second + a.third); }

/* An argument of each kind and size. */
kernel void take(global ulong *out, char a, short b, int c, long d, float e, int3 f, struct pair g, local ulong *first,
                 constant ulong *table, local uint *second) {
    size_t i = get_local_id(0);
    first[i] = table[0] + i;
    second[i] = (uint)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        out[0] = (ulong)a;
        out[1] = (ulong)b;
        out[2] = (ulong)c;
        out[3] = (ulong)d;
        out[4] = as_uint(e);
        out[5] = (ulong)(f.x + 10 * f.y + 100 * f.z);
        out[6] = (ulong)(g.first + g.second + g.third);
        out[7] = first[get_local_size(0) - 1];
        out[8] = second[get_local_size(0) - 1];
    }
}

/* Whether pointers are null. */
kernel void is_null(global uint *out, global uint *a, constant uint *b) {
    out[0] = a == 0;
    out[1] = b == 0;
}

kernel __attribute__((reqd_work_group_size(8, 4, 1))) void fixed(global uint *out) {
    atomic_add(out, (uint)get_local_size(0) * 100 + (uint)get_local_size(1) * 10 + (uint)get_local_size(2));
}

/* 4 KiB of local memory of its own. */
kernel void holds(global uint *out, local uint *more) {
    local uint own[1024];
    own[get_local_id(0)] = (uint)get_local_id(0);
    more[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = own[get_local_size(0) - 1 - get_local_id(0)] + more[get_local_id(0)];
}
