/* SPDX-License-Identifier: Apache-2.0 */
/* Adds to counts[b] how many values have bit b: a work-item looks at some values' bits, one bit after the other. TIER:
 * `local` adds up a group's counts in local memory before, `global` does not. */
#include "kernels/toy/toy.h"

__kernel void KERNEL(__global const uint *x, ulong n, __global uint *counts) {
#ifdef TIER_local
    __local uint group[UHI_TOY_BITS];
    for (uint b = get_local_id(0); b < UHI_TOY_BITS; b += get_local_size(0))
        group[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    __global uint *group = counts;
#endif
    for (uint b = 0; b < UHI_TOY_BITS; b++) {
        uint sum = 0;
        for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
            sum += x[i] >> b & 1;
        atomic_add(group + b, sum);
    }
#ifdef TIER_local
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < UHI_TOY_BITS; b += get_local_size(0))
        atomic_add(counts + b, group[b]);
#endif
}
