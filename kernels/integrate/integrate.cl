/* SPDX-License-Identifier: Apache-2.0 */
/* Points as a grid distributes them: each is a row of coordinates and a weight, and of room for values. Arithmetic is
 * the host's (integrate_host.c), operation for operation. */
#pragma OPENCL FP_CONTRACT OFF
#include "kernels/common/philox.inc"
#include "kernels/integrate/integrate.h"
#include "kernels/integrate/numbers.inc"

#include "kernels/integrate/coordinates.inc"

/* `cells` has an edge and a stretched width per bin, axis by axis, followed by two numbers per axis: which sides are
 * finite, and the finite one. */
kernel void KERNEL(ulong seed, ulong stream, ulong first, ulong n, uint dims, uint width, uint bins,
                   global const double2 *cells, global double *rows) {
    global const double2 *sides = cells + (ulong)dims * bins;
    const struct intervals whole = {(double)bins, 1 / (double)bins, 0};
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        uint4 words = (uint4)(0);
        double weight = 1;
        global double *row = rows + i * width;
        for (uint a = 0; a < dims; a++) {
            uint bin;
            if ((a & 3) == 0)
                words = philox_words(as_uint2(seed), as_uint2(stream + (a >> 2)), as_uint2(first + i));
            double x = coordinate(&whole, 0, word_of(words, a), bins, cells + (ulong)a * bins, &bin, &weight);
            if (sides[a].x != UHI_SIDES_FINITE)
                x = map_sides(sides[a].x, sides[a].y, x, &weight);
            row[a] = x;
        }
        row[dims] = weight;
    }
}
