/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram on a device: values of every type but float64, and what comes before and after the counting. */
#include "kernels/histogram/histogram_device.inc"

#define KERNELS "kernels/histogram/histogram_count.inc"
#include "kernels/histogram/histogram_types.inc"

/* ---- before and after ---- */

/* Brings the counts of all slabs into the first, and zero into the others. */
__kernel void add_slabs(__global uint *counts, uint slots, uint slabs) {
    for (uint slot = get_global_id(0); slot < slots; slot += get_global_size(0)) {
        uint sum = 0;
        for (uint slab = 0; slab < slabs; slab++) {
            sum += counts[(ulong)slab * slots + slot];
            counts[(ulong)slab * slots + slot] = 0;
        }
        counts[slot] = sum;
    }
}

#include "kernels/common/pack.inc"
