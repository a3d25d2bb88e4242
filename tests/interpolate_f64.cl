/* SPDX-License-Identifier: Apache-2.0 */
/* All of unihist/interpolate.h at n points. */
#pragma OPENCL FP_CONTRACT OFF
#include <unihist/interpolate.h>

kernel void at_points(uint nx, global const double *x, uint ny, global const double *y, global const double *z,
                      global const double *zx, global const double *zy, global const double *zxy, ulong n,
                      global const double *u, global const double *v, global double *out) {
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        out[4 * i] = uh_linear(x, z, nx, u[i]);
        out[4 * i + 1] = uh_cubic(x, z, zx, nx, u[i]);
        out[4 * i + 2] = uh_bilinear(x, nx, y, ny, z, u[i], v[i]);
        out[4 * i + 3] = uh_bicubic(x, nx, y, ny, z, zx, zy, zxy, u[i], v[i]);
    }
}
