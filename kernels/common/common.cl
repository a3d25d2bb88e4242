/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels shared by several operations. */

#if TASK_pack
/* Used by pieces.c: packs values of `size` bytes, at a pitch of `stride` bytes and at any address, into a dense array.
 */
__kernel void KERNEL(__global const uchar *from, long stride, uint size, ulong n, __global uchar *to) {
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        __global const uchar *value = from + (long)i * stride;
        for (uint b = 0; b < size; b++)
            to[i * size + b] = value[b];
    }
}
#endif

#if TASK_add_tables
/* Adds the counts of all private tables into the first and clears the others. */
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
/* Evaluates arithmetic.h. Every work-item computes all answers; the first one stores them. The combined answers of
 * all work-items are added in `sum`, two words. */
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
