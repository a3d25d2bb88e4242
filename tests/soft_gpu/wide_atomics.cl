/* SPDX-License-Identifier: Apache-2.0 */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void wide(global ulong *count) {
    atom_add(count, 1UL);
}
