/* SPDX-License-Identifier: Apache-2.0 */
/* Integrands of the m-CUBES paper as texts for devices: number TEXT_OF of TEXT_DIMS axes (see tests/integrands.h). */
#include <unihist/integrand.h>

static void paper_integrand(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const void *state) {
    UH_REAL sum = 0, product = 1;
    (void)state;
    for (int d = 0; d < TEXT_DIMS; d++) {
        const UH_REAL offset = x[d] - (UH_REAL)0.5;
        product *= (UH_REAL)(1 / 2500.0) + offset * offset;
        sum += TEXT_OF == 5 ? fabs(offset) : offset * offset;
    }
    value[0] = TEXT_OF == 2 ? 1 / product : exp((TEXT_OF == 4 ? -625 : -10) * sum);
}

UH_INTEGRAND(paper_integrand, TEXT_DIMS, 1, void)
