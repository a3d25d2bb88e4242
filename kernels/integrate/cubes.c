/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/integrate/cubes.h"

#include <math.h>

/* floor(a^(1 / n)), n > 0. */
static uint64_t root(uint64_t a, size_t n) {
    uint64_t r = (uint64_t)pow((double)a, 1.0 / (double)n) + 2, product;
    for (;; r--) {
        product = 1;
        for (size_t i = 0; i < n && product <= a; i++)
            if (__builtin_mul_overflow(product, r, &product))
                product = UINT64_MAX;
        if (product <= a)
            return r;
    }
}

/* Maximum number of cubes of vegas_plus, which keeps 16 bytes per cube. */
enum { MAX_SHARING = 1 << 24 };

/* vegas_plus leaves a fifth of the samples to distribute: with more, the smaller number of cubes costs more than
 * distribution gains. */
void uhi_cubes_cut(struct uhi_sampling *sampling, uh_integrate_variant variant, uint64_t calls) {
    const size_t dims = sampling->field.dims;
    const uint64_t sharing = calls * 2 / 5 < MAX_SHARING ? calls * 2 / 5 : MAX_SHARING;
    sampling->intervals = variant == UH_INTEGRATE_PLAIN        ? 1
                          : variant == UH_INTEGRATE_VEGAS_PLUS ? root(sharing, dims)
                                                               : root(calls / 2, dims);
    sampling->cubes = 1;
    for (size_t d = 0; d < dims; d++)
        sampling->cubes *= sampling->intervals;
    sampling->each = calls / sampling->cubes;
    sampling->samples = sampling->each * sampling->cubes;
    sampling->starts = NULL;
}

/* variance^(beta / 2), by square roots for the usual beta. Rounding may have made the variance negative. */
static double damped(double variance, double beta) {
    variance = variance > 0 ? variance : 0;
    return beta == 0.5 ? sqrt(sqrt(variance)) : pow(variance, beta / 2);
}

void uhi_cubes_share(struct uhi_sampling *sampling, double *variance, uint64_t *starts, uint64_t calls, double beta,
                     double minimum) {
    const uint64_t cubes = sampling->cubes, others = calls - 2 * cubes;
    double sum = 0;
    for (uint64_t c = 0; c < cubes; c++)
        variance[c] = damped(variance[c], beta);
    for (uint64_t c = 0; c < cubes; c++)
        sum += variance[c];
    const int some = sum > minimum && isfinite(sum);
    starts[0] = 0;
    for (uint64_t c = 0; c < cubes; c++)
        starts[c + 1] = starts[c] + 2 + (some ? (uint64_t)(variance[c] * ((double)others / sum)) : others / cubes);
    sampling->starts = starts;
    sampling->samples = starts[cubes];
}
