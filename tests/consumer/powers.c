/* SPDX-License-Identifier: Apache-2.0 */
/* An integrand, compiled by unihist_add_integrand() of the installed package, as C or C++: a power of each coordinate,
 * which DEFINITIONS give. */
#include "powers.h"

static void product_of_powers(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const struct powers *state) {
    value[0] = 1;
    for (int a = 0; a < 2; a++) {
        value[0] *= state->factor[a];
        for (int i = 0; i < POWER; i++)
            value[0] *= x[a];
    }
}

UH_INTEGRAND(product_of_powers, 2, 1, struct powers)
