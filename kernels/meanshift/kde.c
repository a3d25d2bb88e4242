/* SPDX-License-Identifier: Apache-2.0 */
/* Densities at places. */
#include <math.h>

#include "kernels/meanshift/meanshift_run.h"

/* Volume of the unit ball in d dimensions. */
static double ball(size_t d) {
    const double pi = 3.14159265358979323846;
    return pow(pi, (double)d / 2) / tgamma((double)d / 2 + 1);
}

/* Fraction of a Gaussian of deviation 1 in d dimensions within a radius r: the regularized incomplete gamma function
 * P(d / 2, x) of x = r^2 / 2, by its series P(a, x) = x^a e^-x / Gamma(a + 1) (1 + x / (a + 1) + ...), DLMF 8.11.4; for
 * x > 700 all of it. */
static double gaussian_within(size_t d, double x) {
    const double a = (double)d / 2;
    double term = 1, sum = 1;
    if (x > 700)
        return 1;
    for (double n = 1; term > sum * 0x1p-60; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return fmin(exp(a * log(x) - x - lgamma(a + 1)) * sum, 1);
}

/* Integral of the kernel over all places. */
static double integral_of(const struct uhi_window *window, size_t d) {
    const double pi = 3.14159265358979323846, radius = window->radius, sigma = window->sigma;
    if (window->kernel == UH_KERNEL_FLAT)
        return ball(d) * pow(radius, (double)d);
    if (window->kernel == UH_KERNEL_EPANECHNIKOV)
        return ball(d) * pow(radius, (double)d) * 2 / ((double)d + 2);
    return pow(2 * pi, (double)d / 2) * pow(sigma, (double)d) *
           gaussian_within(d, window->radius_squared / (2 * sigma * sigma));
}

uh_status uhi_kde(uh_queue *queue, const char *call, const struct uhi_coordinates *points,
                  const struct uhi_window *window, uh_mean_shift_method method, const struct uhi_coordinates *places,
                  double *density) {
    struct uhi_neighbours neighbours = {.window = *window, .method = method};
    int stopped = 0;
    uh_status status = uhi_neighbours_make(&neighbours, queue, call, points, places->count);
    if (!status) {
        uhi_neighbours_take(&neighbours, points);
        for (size_t i = 0; i < places->count; i++)
            neighbours.order.id[i] = (uint32_t)i;
        status = uhi_neighbours_sum(&neighbours, places, &stopped);
    }
    const double scale =
        neighbours.summing.rule.number[UHI_RULE_SCALE] * (double)points->count * integral_of(window, points->dims);
    for (size_t i = 0; i < places->count && !status; i++)
        density[neighbours.order.id[i]] = (double)neighbours.sums[i * (points->dims + 1)] / scale;
    uhi_neighbours_close(&neighbours);
    return status;
}
