/* SPDX-License-Identifier: Apache-2.0 */
/* A product of straight lines over five axes, whose integral over the unit cube is 1: sums, products and quotients
 * alone, so that host and devices of the same arithmetic agree to the bit. */
#include "slopes.h"

static void product_of_lines(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const struct slopes *state) {
    UH_REAL product = 1;
    for (int a = 0; a < 5; a++)
        product *= (state->start[a] + x[a] * x[a]) / (state->start[a] + state->third);
    value[0] = state->scale * product;
}

UH_INTEGRAND(product_of_lines, 5, 1, struct slopes)
