/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/rules/moments.h"

#include <math.h>

static struct cli_moments of_block(const double *x, size_t n) {
    struct cli_moments block = {.n = n};
    /* The sum of distances keeps the digits that a sum of values far from zero loses. */
    for (size_t i = 0; i < n; i++)
        block.mean += (long double)x[i] - x[0];
    block.mean = x[0] + block.mean / (long double)n;
    for (size_t i = 0; i < n; i++) {
        long double d = x[i] - block.mean, square = d * d;
        block.m2 += square;
        block.m3 += square * d;
    }
    return block;
}

void cli_moments_add(struct cli_moments *moments, const double *x, size_t n) {
    struct cli_moments *a = moments;
    if (n == 0)
        return;
    struct cli_moments b = of_block(x, n);
    if (a->n == 0) {
        *a = b;
        return;
    }
    long double na = (long double)a->n, nb = (long double)b.n, sum = na + nb;
    long double delta = b.mean - a->mean, share = delta / sum;
    a->m3 += b.m3 + delta * share * share * na * nb * (na - nb) + 3 * share * (na * b.m2 - nb * a->m2);
    a->m2 += b.m2 + delta * share * na * nb;
    a->mean += share * nb;
    a->n += b.n;
}

double cli_moments_std(const struct cli_moments *moments) {
    return moments->n ? (double)sqrtl(moments->m2 / (long double)moments->n) : 0;
}

double cli_moments_skewness(const struct cli_moments *moments) {
    if (moments->n == 0 || !(moments->m2 > 0))
        return 0;
    long double n = (long double)moments->n, std = sqrtl(moments->m2 / n);
    return (double)(moments->m3 / n / std / std / std);
}
