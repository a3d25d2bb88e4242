/* SPDX-License-Identifier: Apache-2.0 */
/* y = a * x + y, one work-item per element. */
__kernel void saxpy(float a, __global const float *x, __global float *y) {
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
