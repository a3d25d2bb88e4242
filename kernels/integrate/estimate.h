/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of integrals from iterations. */
#pragma once

#include "kernels/integrate/integrate.h"

/* Scaling of values in a number type, by powers of two. */
struct uhi_value_range {
    uh_dtype dtype;
    double pilot;          /* initial scale, while values are unknown; */
    double largest;        /* largest value whose square can be summed; */
    double rescale_factor; /* values larger or smaller than their scale by this factor get a new one; */
    double too_large;      /* factor of the scale if some exceeded `largest`; */
    double min_unit;       /* the smallest scale; 1 / this is the largest */
};

extern const struct uhi_value_range uhi_float64_range, uhi_float32_range;

/* Integrals and the covariances of their estimates. */
struct uhi_estimate {
    double value[UH_INTEGRATE_MAX_VALUES], covariance[UHI_PAIRS(UH_INTEGRATE_MAX_VALUES)];
    double largest, jump; /* of an iteration: largest weighted first value, and with one axis largest jump (sums.h) */
    double squares;       /* sum of the squares of weighted first values; both are divided by the number of samples
                             and its square once the estimate is complete */
};

/* A float64 sum and its rounding error (Neumaier 1974). */
struct uhi_sum {
    double high, low;
};

void uhi_sum_add(struct uhi_sum *sum, double value);

/* Totals over the units of an iteration, in units of the sampling's scale of values. */
struct uhi_iteration_sums {
    uint64_t not_finite, first_not_finite, given;
    double largest, jump; /* of all units */
    int too_large;
    size_t ended; /* cubes of a sequence whose means are stored */
    struct uhi_cube_part open;
    struct uhi_sum number[UHI_NUMBERS(UH_INTEGRATE_MAX_VALUES)];
};

/* Only what the sampling's values take is set in these structures: all of it would take longer than small iterations.
 */
void uhi_iteration_begin(struct uhi_iteration_sums *sums, const struct uhi_sampling *sampling);

/* Adds the units in the sampling's rows. Units must be added in order, in any number of calls. */
void uhi_iteration_add(struct uhi_iteration_sums *sums, const struct uhi_sampling *sampling, size_t units);

/* Stores the estimate after all units have been added. */
void uhi_iteration_end(struct uhi_iteration_sums *sums, const struct uhi_sampling *sampling,
                       struct uhi_estimate *estimate);

/* Average of the iterations that count, each weighted by 1 / variance of the first value in the iteration before, and
 * the first by its own: weights by the iterations' own variances would prefer iterations that missed a peak, because
 * their variances are too small as well. Zero it before use. */
struct uhi_average {
    size_t n;
    double weight, next; /* sum of weights, and that of the next iteration */
    double value[UH_INTEGRATE_MAX_VALUES];
    double within[UHI_PAIRS(UH_INTEGRATE_MAX_VALUES)]; /* covariances of the averages by those of the iterations, */
    double
        between[UHI_PAIRS(UH_INTEGRATE_MAX_VALUES)]; /* and weighted mean products of differences from the averages */
    double largest, squares;                         /* of all samples' shares of the average */
    double first, precision[3]; /* the first iteration's first value; sums of w, w d, w d^2 with w = 1 / own variance
                                   and d the difference from it */
};

void uhi_average_add(struct uhi_average *average, const struct uhi_estimate *estimate, size_t values);

/* Makes an estimate of n means the average. */
void uhi_average_set(struct uhi_average *average, size_t n, const struct uhi_estimate *estimate);

/* Stores the averages and their covariances: by the iterations' own or, where that is larger, by their scatter. */
void uhi_average_of(const struct uhi_average *average, size_t values, struct uhi_estimate *of);

/* Returns chi-square of the first value: the sum of (estimate - average)^2 / variance. */
double uhi_average_chi2(const struct uhi_average *average);

/* Returns whether one sample makes much of the sum of squares: tails are heavy. */
int uhi_average_has_heavy_tails(const struct uhi_average *average);

/* Returns whether an estimate is more than five deviations from the average, or has ten times the deviation of the
 * previous ones: then the grid has found something it had missed. */
int uhi_average_contradicts(const struct uhi_average *average, const struct uhi_estimate *estimate);

/* Returns the root mean square of weighted values k, as inferred from the estimate and the deviations in cubes. */
double uhi_estimate_size(const struct uhi_estimate *estimate, const struct uhi_sampling *sampling, size_t k);

/* Sizes of nonzero weighted values; 0: all were 0 so far. */
struct uhi_usual {
    double value[UH_INTEGRATE_MAX_VALUES];
    int stepwise; /* the last variances of cubes showed that the first value hardly varies within them */
};

/* Learns from an iteration. For values that are a constant or 0, the size is the mean square divided by the mean; it is
 * less certain if signs cancel most of the mean. `size` is the root mean square of the first value if samples made
 * contributions. If all values were 0 so far, earlier iterations missed everything: the average discards them. */
void uhi_usual_learn(struct uhi_usual *usual, const struct uhi_estimate *estimate, const struct uhi_sampling *sampling,
                     double size, struct uhi_average *average);

/* Raises variances to a minimum if samples hardly differ within cubes. n equal samples of a cube may have missed 1 / (n
 * - 1) of it: a larger part p is missed only with the small probability (1 - p)^n. The part missed may have another
 * value of the usual size. Values that are all 0 have no minimum. */
void uhi_estimate_bound(struct uhi_estimate *estimate, const struct uhi_sampling *sampling, struct uhi_usual *usual);
