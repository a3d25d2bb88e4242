/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions: F, its inverse, and the mass between two numbers. They are hints only: no result depends on them. */
#pragma once

#include <unihist/axis.h>

/* Returns the kind's name, such as "normal", static; NULL for an invalid kind. */
const char *uhi_distribution_name(const uh_distribution *distribution);

/* Returns F(b) - F(a), a <= b, the mass between them, with its own precision in the tails. */
double uhi_distribution_mass(const uh_distribution *distribution, double a, double b);

/* Returns the smallest x with F(x) >= v, for 0 <= v <= 1. */
double uhi_distribution_quantile(const uh_distribution *distribution, double v);
