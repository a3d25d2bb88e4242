/* SPDX-License-Identifier: Apache-2.0 */
/* Infinite in a corner of three axes. */
#include <unihist/integrand.h>

static void pole_in_corner(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const void *state) {
    const UH_REAL away = x[0] + x[1] + x[2] < (UH_REAL)0.25 ? 0 : 1;
    (void)state;
    value[0] = 1 / away;
}

UH_INTEGRAND(pole_in_corner, 3, 1, void)
