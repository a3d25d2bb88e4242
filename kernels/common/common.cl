/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that several operations use. */

#if TASK_pack
/* What pieces.c runs: values of `size` bytes that lie `stride` bytes apart, at any address, brought side by side. */
__kernel void KERNEL(__global const uchar *from, long stride, uint size, ulong n, __global uchar *to) {
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        __global const uchar *value = from + (long)i * stride;
        for (uint b = 0; b < size; b++)
            to[i * size + b] = value[b];
    }
}
#endif

#if TASK_add_tables
/* Brings the counts of all private tables into the first, and zero into the others. */
__kernel void KERNEL(__global uint *counts, uint slots, uint tables) {
    for (uint slot = get_global_id(0); slot < slots; slot += get_global_size(0)) {
        uint sum = 0;
        for (uint table = 0; table < tables; table++) {
            sum += counts[(ulong)table * slots + slot];
            counts[(ulong)table * slots + slot] = 0;
        }
        counts[slot] = sum;
    }
}
#endif

#if TASK_arithmetic
/* What arithmetic.h says. Each work-item computes all of it, the first stores it, and what comes of all is added up in
 * `sum`, of two words. */
#include "kernels/common/arithmetic.h"
#include "kernels/common/wide.inc"

#pragma OPENCL FP_CONTRACT OFF
#if TYPE_f64
typedef double REAL;
#define BITS as_ulong
#else
typedef float REAL;
#define BITS as_uint
#endif

__kernel void KERNEL(__global const REAL *x, __global const ulong *n, __global ulong *out, __global uint *sum) {
    ulong all = 0;
    uint i = 0;
#define ANSWER(what, expression)                                                                                       \
    {                                                                                                                  \
        const ulong answer = (ulong)(expression);                                                                      \
        all = UHI_ARITHMETIC_ADD(all, answer);                                                                         \
        if (get_global_id(0) == 0)                                                                                     \
            out[i++] = answer;                                                                                         \
    }
    UHI_ARITHMETIC(ANSWER)
    add_wide_global(sum, 1, all);
}
#endif
