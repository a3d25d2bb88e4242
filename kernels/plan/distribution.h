/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions: F, its inverse, and how much lies between two numbers. They only guide: no result depends on them. */
#ifndef UHI_PLAN_DISTRIBUTION_H
#define UHI_PLAN_DISTRIBUTION_H

#include <unihist/axis.h>

/* The kind's name, such as "normal", static; NULL for a kind that is none. */
const char *uhi_distribution_name(const uh_distribution *distribution);

/* How much of the distribution lies between a and b, a <= b: F(b) - F(a), with its own precision in the tails. */
double uhi_distribution_mass(const uh_distribution *distribution, double a, double b);

/* The smallest x with F(x) >= v, for 0 <= v <= 1. */
double uhi_distribution_quantile(const uh_distribution *distribution, double v);

#endif
