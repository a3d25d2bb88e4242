/* SPDX-License-Identifier: Apache-2.0 */
/* An integrand in four parts, each an axis of its own: (1 + x0 + x0^2) (1 + x1 + ...) ..., and the sum of these. */
#include <unihist/integrand.h>

static void one_axis(const UH_REAL *x, int part, UH_REAL *value, UH_GLOBAL const void *state) {
    (void)state;
    value[0] = 1 + x[part] + x[part] * x[part];
    value[1] = value[0];
}

static void all_axes(const UH_REAL *terms, UH_REAL *value) {
    value[0] = 1;
    value[1] = 0;
    for (int p = 0; p < 4; p++) {
        value[0] *= terms[2 * p];
        value[1] += terms[2 * p + 1];
    }
}

UH_INTEGRAND_IN_PARTS(one_axis, all_axes, 4, 2, void, 4)
