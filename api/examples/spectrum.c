/* SPDX-License-Identifier: Apache-2.0 */
/* An integrand of two coordinates, energy and depth, as one source for host and devices: the light of a tabulated
 * spectrum that reaches a depth. */
#include "spectrum.h"

static void light(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const struct spectrum *state) {
    value[0] = uh_linear(state->energy, state->flux, state->points, x[0]) * exp(-state->absorbed * x[1]);
}

UH_INTEGRAND(light, 2, 1, struct spectrum)
