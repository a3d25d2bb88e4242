/* SPDX-License-Identifier: Apache-2.0 */
/* What isa.py looks at samples of: an integrand of six axes that costs five additions. */
#include <unihist/integrand.h>

static void sum_of_six(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const void *state) {
    (void)state;
    value[0] = ((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5]);
}

UH_INTEGRAND(sum_of_six, 6, 1, void)
