/* SPDX-License-Identifier: Apache-2.0 */
/* Points as a grid distributes them: a row of coordinates and a weight each. Arithmetic is the host's
 * (integrate_host.c), operation for operation. */
#pragma OPENCL FP_CONTRACT OFF
#include "kernels/common/philox.inc"
#include "kernels/integrate/integrate.h"

/* What makes coordinates of t in (0, 1) where a side is infinite; the weight changes with it. */
static double map_sides(double kind, double at, double t, private double *weight) {
    t = t < 1 - 0x1p-53 ? t : 1 - 0x1p-53;
    const double left = 1 - t;
    if (kind == UHI_SIDES_NONE) {
        const double s = t > 0x1p-1000 ? t : 0x1p-1000, both = s * left;
        *weight *= (1 - both - both) / (4 * both * both);
        return (s + s - 1) / (4 * both);
    }
    *weight /= left * left;
    return at + (kind == UHI_SIDES_BELOW ? -1.0 : 1.0) * (t / left);
}

static uint word_of(uint4 words, uint a) {
    const uint even = a & 2 ? words.z : words.x, odd = a & 2 ? words.w : words.y;
    return a & 1 ? odd : even;
}

/* `cells` are an edge and a stretched width of each bin, axis by axis, and behind them of each axis which sides are
 * finite, and the finite one. */
kernel void KERNEL(ulong seed, ulong stream, ulong first, ulong n, uint dims, uint bins, global const double2 *cells,
                   global double *rows) {
    global const double2 *sides = cells + (ulong)dims * bins;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        uint4 words = (uint4)(0);
        double weight = 1;
        global double *row = rows + i * (dims + 1);
        for (uint a = 0; a < dims; a++) {
            if ((a & 3) == 0)
                words = philox_words(as_uint2(seed), as_uint2(stream + (a >> 2)), as_uint2(first + i));
            const double u = ((double)(int)(word_of(words, a & 3) ^ 0x80000000u) + 2147483648.5) * 0x1p-32;
            const double z = u * (double)bins;
            const int last = (int)bins - 1, found = (int)z, bin = found < last ? found : last;
            const double part = (z - (double)bin) * (1 / (double)bins);
            const double2 cell = cells[(ulong)a * bins + (ulong)bin], side = sides[a];
            double x = cell.x + part * cell.y;
            weight = a == 0 ? cell.y : weight * cell.y;
            if (side.x != UHI_SIDES_FINITE)
                x = map_sides(side.x, side.y, x, &weight);
            row[a] = x;
        }
        row[dims] = weight;
    }
}
