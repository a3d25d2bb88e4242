/* SPDX-License-Identifier: Apache-2.0 */
/* What iterations tell of integrals. */
#ifndef UHI_INTEGRATE_ESTIMATE_H
#define UHI_INTEGRATE_ESTIMATE_H

#include "kernels/integrate/integrate.h"

/* Integrals and the covariances of their estimates. */
struct uhi_estimate {
    double value[UH_INTEGRATE_MAX_VALUES], covariance[UHI_INTEGRATE_PAIRS];
};

/* The estimate of an iteration by its units, and the parts of cubes that they share, in their order. In units of the
 * sampling's scale of values. */
struct uhi_estimate uhi_estimate_of(const struct uhi_sampling *sampling, size_t units);

/* Iterations that count, each value weighted by 1 / variance. Zero it. */
struct uhi_average {
    size_t n;
    double weight[UH_INTEGRATE_MAX_VALUES]; /* sums of w = 1 / variance; */
    double value[UH_INTEGRATE_MAX_VALUES];  /* averages; */
    double covariance[UHI_INTEGRATE_PAIRS]; /* and their covariances */
    double chi2;                            /* of the first value: the sum of w (its estimate - average)^2 */
};

void uhi_average_add(struct uhi_average *average, const struct uhi_estimate *estimate, size_t values);

/* Whether an estimate of as many samples is more than five deviations from the average, or has ten times the deviation
 * that those before had: then the grid has found what it had missed. */
int uhi_average_contradicts(const struct uhi_average *average, const struct uhi_estimate *estimate);

/* What they are together; n > 0. */
struct uhi_estimate uhi_average_of(const struct uhi_average *average, size_t values);

#endif
