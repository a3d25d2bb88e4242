/* SPDX-License-Identifier: Apache-2.0 */
/* More values of a point than have all covariances: products of powers with a bump. */
#include <unihist/integrand.h>

static void powers_of_point(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const void *state) {
    UH_REAL power = 1 / ((1 + x[0] * x[0]) * (1 + x[1] * x[1]));
    (void)state;
    for (int k = 0; k < 20; k++) {
        value[k] = power;
        power *= k % 2 ? x[0] : -2 * x[1];
    }
}

UH_INTEGRAND(powers_of_point, 2, 20, void)
