/* SPDX-License-Identifier: Apache-2.0 */
/* An exponential that devices find larger than the host by the state, relatively: a kernel that computes otherwise. */
#include <unihist/integrand.h>

static void exponential(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const float *state) {
    UH_REAL factor = 1;
#ifdef __OPENCL_C_VERSION__
    factor += *state;
#else
    (void)state;
#endif
    value[0] = factor * exp(x[0]);
}

UH_INTEGRAND(exponential, 1, 1, float)
