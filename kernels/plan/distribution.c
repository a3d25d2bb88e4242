/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/plan/plan.h"

static const double SQRT_HALF = 0.70710678118654752440, SQRT_2_PI = 2.50662827463100050242;

const char *const uhi_distribution_names[UHI_DISTRIBUTIONS] = {
    [UH_DISTRIBUTION_EXPONENTIAL] = "exponential", [UH_DISTRIBUTION_NORMAL] = "normal",
    [UH_DISTRIBUTION_LOGNORMAL] = "lognormal",     [UH_DISTRIBUTION_TABLE] = "table",
    [UH_DISTRIBUTION_UNIFORM] = "uniform",         [UH_DISTRIBUTION_WEIBULL] = "weibull"};

const char *uhi_distribution_name(const uh_distribution *distribution) {
    return (unsigned)distribution->kind < UHI_DISTRIBUTIONS ? uhi_distribution_names[distribution->kind] : NULL;
}

/* ---- F ---- */

/* Mass of the standard normal distribution between a and b; each tail by its own complement, without cancellation. */
static double normal_mass(double a, double b) {
    if (a > 0)
        return 0.5 * (erfc(a * SQRT_HALF) - erfc(b * SQRT_HALF));
    if (b < 0)
        return 0.5 * (erfc(-b * SQRT_HALF) - erfc(-a * SQRT_HALF));
    return 0.5 * (erf(b * SQRT_HALF) - erf(a * SQRT_HALF));
}

static double uniform_mass(double a, double b) {
    a = a > 0 ? a : 0;
    b = b < 1 ? b : 1;
    return b > a ? b - a : 0;
}

static double exponential_mass(double a, double b) {
    a = a > 0 ? a : 0;
    return b > a ? exp(-a) * -expm1(a - b) : 0;
}

/* Returns the index of the first of n sorted numbers above v, or (`at` not 0) at or above it; n if none. */
static size_t first_above(const double *numbers, size_t n, double v, int at) {
    size_t lo = 0;
    while (n > 0) {
        size_t half = n / 2;
        if (at ? numbers[lo + half] < v : numbers[lo + half] <= v) {
            lo += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return lo;
}

/* Returns y at `at` on the line from (x0, y0) to (x1, y1), x0 < x1 and y0 <= y1, limited to its ends. Halves of two
 * finite numbers have a finite difference; a slope that is not a normal number has lost bits. */
static double on_line(double at, double x0, double x1, double y0, double y1) {
    const double by = isfinite(x1 - x0) ? 1 : 0.5, beyond = by * at - by * x0, width = by * x1 - by * x0;
    double slope = (y1 - y0) / width, part = beyond / width;
    double y = by == 1 && isnormal(slope) ? slope * beyond + y0 : (1 - part) * y0 + part * y1;
    return y < y0 ? y0 : y < y1 ? y : y1;
}

static double table_cdf(const uh_distribution *d, double x) {
    size_t i = first_above(d->x, d->points, x, 0);
    if (i == 0 || i == d->points)
        return d->f[i == 0 ? 0 : i - 1];
    return on_line(x, d->x[i - 1], d->x[i], d->f[i - 1], d->f[i]);
}

static double log_or_lowest(double x) { return x > 0 ? log(x) : -(double)INFINITY; }

/* Returns the distance of x from the location in scales. If the difference overflows, that of halves does not. */
static double in_scales(const uh_distribution *d, double x) {
    const double beyond = x - d->location;
    return isinf(beyond) && isfinite(x) ? (0.5 * x - 0.5 * d->location) / (0.5 * d->scale) : beyond / d->scale;
}

double uhi_distribution_mass(const uh_distribution *d, double a, double b) {
    switch (d->kind) {
    case UH_DISTRIBUTION_EXPONENTIAL: return exponential_mass(in_scales(d, a), in_scales(d, b));
    case UH_DISTRIBUTION_NORMAL: return normal_mass(in_scales(d, a), in_scales(d, b));
    case UH_DISTRIBUTION_LOGNORMAL: return normal_mass(in_scales(d, log_or_lowest(a)), in_scales(d, log_or_lowest(b)));
    case UH_DISTRIBUTION_UNIFORM: return uniform_mass(in_scales(d, a), in_scales(d, b));
    case UH_DISTRIBUTION_WEIBULL:
        return exponential_mass(exp(in_scales(d, log_or_lowest(a))), exp(in_scales(d, log_or_lowest(b))));
    default: return table_cdf(d, b) - (a == -(double)INFINITY ? 0 : table_cdf(d, a));
    }
}

/* ---- inverse of F ---- */

/* Quantile of the standard normal distribution. Starts within 4.5e-4 (Hastings' approximation 26.2.23 in Abramowitz
 * and Stegun, Handbook of Mathematical Functions, 1964), then takes steps of Halley's method on erf near the middle
 * and on erfc in the tail, where each has its full precision. */
static double normal_quantile(double v) {
    const double tail = v < 0.5 ? v : 1 - v, from_middle = 0.5 - tail;
    if (tail == 0 || from_middle == 0)
        return tail > 0 ? 0 : v < 0.5 ? -(double)INFINITY : (double)INFINITY;
    double t = sqrt(-2 * log(tail));
    double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int step = 0; step < 3; step++) {
        double over = from_middle < 0.25 ? 0.5 * erf(z * SQRT_HALF) - from_middle : tail - 0.5 * erfc(z * SQRT_HALF);
        double newton = over * SQRT_2_PI / exp(-0.5 * z * z);
        z -= newton / (1 + 0.5 * z * newton);
    }
    return v < 0.5 ? -z : z;
}

static double table_quantile(const uh_distribution *d, double v) {
    size_t i = first_above(d->f, d->points, v, 1);
    if (i == 0 || i == d->points)
        return d->x[i == 0 ? 0 : i - 1];
    return d->f[i] == v ? d->x[i] : on_line(v, d->f[i - 1], d->f[i], d->x[i - 1], d->x[i]);
}

/* Returns location + scale * scales. A finite quantile is below 2^10 in magnitude: if the product overflows, 2^-10
 * times it does not. */
static double at_scales(const uh_distribution *d, double scales) {
    const double beyond = d->scale * scales;
    return isinf(beyond) && isfinite(scales) ? 0x1p10 * (0x1p-10 * d->location + 0x1p-10 * d->scale * scales)
                                             : d->location + beyond;
}

double uhi_distribution_quantile(const uh_distribution *d, double v) {
    switch (d->kind) {
    case UH_DISTRIBUTION_EXPONENTIAL: return at_scales(d, -log1p(-v));
    case UH_DISTRIBUTION_NORMAL: return at_scales(d, normal_quantile(v));
    case UH_DISTRIBUTION_LOGNORMAL: return exp(at_scales(d, normal_quantile(v)));
    case UH_DISTRIBUTION_UNIFORM: return at_scales(d, v);
    case UH_DISTRIBUTION_WEIBULL: return exp(at_scales(d, log(-log1p(-v))));
    default: return table_quantile(d, v);
    }
}
