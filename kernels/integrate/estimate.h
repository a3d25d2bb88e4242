/* SPDX-License-Identifier: Apache-2.0 */
/* What iterations tell of integrals. */
#ifndef UHI_INTEGRATE_ESTIMATE_H
#define UHI_INTEGRATE_ESTIMATE_H

#include "kernels/integrate/integrate.h"

/* How values are scaled in a number type: powers of two. */
struct uhi_value_range {
    uh_dtype dtype;
    double pilot;      /* the scale while nothing is known of them; */
    double largest;    /* what squares leave room for sums of */
    double far;        /* values so many times as large or small as their scale get another; */
    double too_large;  /* the factor where some were above `largest`; */
    double least_unit; /* the smallest scale; 1 / this is the largest */
};

extern const struct uhi_value_range uhi_float64_range, uhi_float32_range;

/* Integrals and the covariances of their estimates. */
struct uhi_estimate {
    double value[UH_INTEGRATE_MAX_VALUES], covariance[UHI_PAIRS(UH_INTEGRATE_MAX_VALUES)];
};

/* A sum in float64 and what rounding took from it (Neumaier 1974). */
struct uhi_sum {
    double high, low;
};

/* What the units of an iteration leave, all together; in units of the sampling's scale of values. */
struct uhi_iteration_sums {
    struct uhi_sum number[UHI_NUMBERS(UH_INTEGRATE_MAX_VALUES)];
    struct uhi_cube_part open;
    uint64_t not_finite, first_bad, given;
    int too_large;
};

void uhi_iteration_begin(struct uhi_iteration_sums *sums);

/* Adds the units that the sampling's rows hold: all units in their order, in as many calls as one likes. */
void uhi_iteration_add(struct uhi_iteration_sums *sums, const struct uhi_sampling *sampling, size_t units);

/* The estimate, once all are added. */
struct uhi_estimate uhi_iteration_end(struct uhi_iteration_sums *sums, const struct uhi_sampling *sampling);

/* Iterations that count, each value weighted by 1 / variance. Zero it. */
struct uhi_average {
    size_t n;
    double weight[UH_INTEGRATE_MAX_VALUES];                /* sums of w = 1 / variance; */
    double value[UH_INTEGRATE_MAX_VALUES];                 /* averages; */
    double covariance[UHI_PAIRS(UH_INTEGRATE_MAX_VALUES)]; /* and their covariances */
    double chi2; /* of the first value: the sum of w (its estimate - average)^2 */
};

void uhi_average_add(struct uhi_average *average, const struct uhi_estimate *estimate, size_t values);

/* Whether an estimate is more than five deviations from the average, or has ten times the deviation that those before
 * had: then the grid has found what it had missed. Or it has less than half of the average's deviation: then those
 * before weigh little, but chi-square would not forget them. */
int uhi_average_contradicts(const struct uhi_average *average, const struct uhi_estimate *estimate);

/* The root of the mean square of weighted values, as far as estimate and deviations in cubes tell. */
double uhi_estimate_size(const struct uhi_estimate *estimate, size_t k, uint64_t samples);

/* How large weighted values are that are not 0; 0: all have been. */
struct uhi_usual {
    double value[UH_INTEGRATE_MAX_VALUES];
    int stepwise; /* the last variances of cubes have shown that the first value hardly differs within them */
};

void uhi_usual_scale(struct uhi_usual *usual, double factor);

/* Learns from an iteration: of values that are one number or 0, that is the mean square divided by the mean. Where
 * signs leave little of a mean it is not known so well. `size` is the root of the mean square of the first value, where
 * samples have given contributions. Earlier iterations without values but 0 have missed all there is: the average
 * forgets them. */
void uhi_usual_learn(struct uhi_usual *usual, const struct uhi_estimate *estimate, const struct uhi_sampling *sampling,
                     double size, struct uhi_average *average);

/* Raises variances to what they are at least where samples hardly differ within cubes. n samples of a cube that are all
 * alike may have missed 1 / (n - 1) of it: of a larger part p there is not much of a chance, (1 - p)^n, to miss it.
 * What lies there may be another value of the usual size. Values that are all 0 have none. */
void uhi_estimate_bound(struct uhi_estimate *estimate, const struct uhi_sampling *sampling, struct uhi_usual *usual);

/* What they are together; n > 0. */
struct uhi_estimate uhi_average_of(const struct uhi_average *average, size_t values);

#endif
