/* SPDX-License-Identifier: Apache-2.0 */
/* Three moments of a bump over two axes: several values of one point; over a box with an infinite side, too. */
#include <unihist/integrand.h>

static void moments_of_bump(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const void *state) {
    const UH_REAL square = x[0] * x[0], bump = 1 / ((1 + square) * (1 + square) * (1 + x[1] * x[1]));
    (void)state;
    value[0] = bump;
    value[1] = bump * square;
    value[2] = bump * x[0];
}

UH_INTEGRAND(moments_of_bump, 2, 3, void)
