/* SPDX-License-Identifier: Apache-2.0 */
/* Mean, standard deviation and skewness in one pass over any number of blocks. Each block is summed around its own
 * mean in long double, and merged by the formulas of Pebay, "Formulas for robust, one-pass parallel computation of
 * covariances and arbitrary-order statistical moments", SAND2008-6212, eq. (2.1) to (2.3). */
#ifndef CLI_MOMENTS_H
#define CLI_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

/* Zero it, add, ask. */
struct cli_moments {
    uint64_t n;
    long double mean, m2, m3; /* m2, m3: sums of the second and third powers of the distance to the mean */
};

/* Adds n finite values. */
void cli_moments_add(struct cli_moments *moments, const double *x, size_t n);

/* The standard deviation of the population (numpy.std), 0 for no values. */
double cli_moments_std(const struct cli_moments *moments);

/* The mean of ((x - mean) / std)^3; 0 where the deviation is 0. */
double cli_moments_skewness(const struct cli_moments *moments);

#endif
