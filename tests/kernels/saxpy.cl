/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all targets. The file's name gets into the program; the folder's must not. */
#include <scale.h>

__constant char made_of[] = __FILE__;

__kernel void saxpy(float a, __global const float *x, __global float *y) {
    size_t i = get_global_id(0);
    y[i] = SCALE * a * x[i] + y[i] + made_of[i % sizeof made_of];
}
