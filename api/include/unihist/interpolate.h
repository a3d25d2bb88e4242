/* SPDX-License-Identifier: Apache-2.0 */
/** @file interpolate.h
 * Interpolation in tables, in C, C++ and OpenCL C: linear and cubic, over one and two axes. The functions are inline
 * and have no state; a kernel that includes this header and a function in C give the same bits, if neither contracts
 * floating-point operations.
 *
 * The points of an axis ascend; there are at least two. Beyond the first and last point a table is constant, and NaN
 * gives NaN. Tables over two axes are rows of x, one row for each y: z[j * nx + i] is the value at (x[i], y[j]), as in
 * GSL. uh_spline_slopes makes the slopes for the cubic functions:
 *
 *     uh_spline_slopes(nx, x, y, 1, slope);                               over one axis
 *
 *     for (j = 0; j < ny; j++) uh_spline_slopes(nx, x, z + j * nx, 1, zx + j * nx);         over two: along x,
 *     for (i = 0; i < nx; i++) uh_spline_slopes(ny, y, z + i, nx, zy + i);                  along y,
 *     for (j = 0; j < ny; j++) uh_spline_slopes(nx, x, zy + j * nx, 1, zxy + j * nx);       and of those along x
 *
 * In OpenCL C numbers are double unless UH_REAL is defined as float before this header is included, and tables are in
 * global memory unless UH_TABLE says otherwise. */
#ifndef UNIHIST_INTERPOLATE_H
#define UNIHIST_INTERPOLATE_H

#ifdef __OPENCL_C_VERSION__
#ifndef UH_REAL
#define UH_REAL double
#endif
#ifndef UH_TABLE
#define UH_TABLE global const UH_REAL *
#endif
typedef uint uh_table_size; /**< number of points of an axis */
#else
#include <stddef.h>

#include <unihist/base.h>

#define UH_REAL  double
#define UH_TABLE const double *
typedef size_t uh_table_size; /**< number of points of an axis */

UH_BEGIN_C

/** Stores the slopes of the natural cubic spline through n points: the piecewise cubic function with two continuous
 * derivatives whose second derivative is 0 at both ends.
 *
 * @param n       at least 2
 * @param x       n finite ascending numbers
 * @param y       values, with a pitch of `stride` elements
 * @param stride  of values and slopes, at least 1
 * @param slope   room for n slopes, with the same pitch; it may be the memory of y or x
 * @return UH_ERROR_INVALID_ARGUMENT, UH_ERROR_OUT_OF_MEMORY. Any thread may call it. */
UH_API uh_status uh_spline_slopes(size_t n, const double *x, const double *y, size_t stride, double *slope);

UH_END_C
#endif

/** Returns the index of the point below a value on an axis of n points, 0 to n - 2. */
static inline uh_table_size uh_table_find(UH_TABLE x, uh_table_size n, UH_REAL value) {
    uh_table_size low = 0, high = n - 1;
    while (high - low > 1) {
        const uh_table_size middle = low + (high - low) / 2;
        if (x[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/** Clamps a value to the ends of the axis. */
static inline UH_REAL uh_table_limit(UH_TABLE x, uh_table_size n, UH_REAL value) {
    return value < x[0] ? x[0] : value > x[n - 1] ? x[n - 1] : value;
}

/** Linear interpolation between the points (x[i], y[i]). */
static inline UH_REAL uh_linear(UH_TABLE x, UH_TABLE y, uh_table_size n, UH_REAL value) {
    const UH_REAL at = uh_table_limit(x, n, value);
    const uh_table_size i = uh_table_find(x, n, at);
    const UH_REAL t = (at - x[i]) / (x[i + 1] - x[i]);
    return (1 - t) * y[i] + t * y[i + 1];
}

/** The cubic between two points at distance `width`, from their values and slopes, at fraction t. */
static inline UH_REAL uh_hermite(UH_REAL width, UH_REAL t, UH_REAL y0, UH_REAL slope0, UH_REAL y1, UH_REAL slope1) {
    const UH_REAL left = 1 - t;
    return left * left * ((1 + 2 * t) * y0 + t * width * slope0) +
           t * t * ((1 + 2 * left) * y1 - left * width * slope1);
}

/** The natural cubic spline through the points (x[i], y[i]), with slopes of uh_spline_slopes. */
static inline UH_REAL uh_cubic(UH_TABLE x, UH_TABLE y, UH_TABLE slope, uh_table_size n, UH_REAL value) {
    const UH_REAL at = uh_table_limit(x, n, value);
    const uh_table_size i = uh_table_find(x, n, at);
    const UH_REAL width = x[i + 1] - x[i], t = (at - x[i]) / width;
    return uh_hermite(width, t, y[i], slope[i], y[i + 1], slope[i + 1]);
}

/** Linear along both axes. */
static inline UH_REAL uh_bilinear(UH_TABLE x, uh_table_size nx, UH_TABLE y, uh_table_size ny, UH_TABLE z, UH_REAL u,
                                  UH_REAL v) {
    const UH_REAL at = uh_table_limit(y, ny, v);
    const uh_table_size j = uh_table_find(y, ny, at);
    const UH_REAL t = (at - y[j]) / (y[j + 1] - y[j]);
    return (1 - t) * uh_linear(x, z + j * nx, nx, u) + t * uh_linear(x, z + (j + 1) * nx, nx, u);
}

/** Cubic splines along both axes: zx and zy are slopes along x and y, zxy those of zy along x. */
static inline UH_REAL uh_bicubic(UH_TABLE x, uh_table_size nx, UH_TABLE y, uh_table_size ny, UH_TABLE z, UH_TABLE zx,
                                 UH_TABLE zy, UH_TABLE zxy, UH_REAL u, UH_REAL v) {
    const UH_REAL at = uh_table_limit(y, ny, v);
    const uh_table_size j = uh_table_find(y, ny, at), below = j * nx, above = below + nx;
    const UH_REAL width = y[j + 1] - y[j], t = (at - y[j]) / width;
    return uh_hermite(width, t, uh_cubic(x, z + below, zx + below, nx, u), uh_cubic(x, zy + below, zxy + below, nx, u),
                      uh_cubic(x, z + above, zx + above, nx, u), uh_cubic(x, zy + above, zxy + above, nx, u));
}

#endif
