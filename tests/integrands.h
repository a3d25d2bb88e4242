/* SPDX-License-Identifier: Apache-2.0 */
/* The integrands of the m-CUBES paper (equations 1 to 8) and their integrals in closed form. They are those of Genz
 * (1984) with the constants of the paper. */
#pragma once

#include <math.h>

#include <unihist/integrate.h>

enum integrand_name { F1, F2, F3, F4, F5, F6, FA, FB, INTEGRAND_NAMES };

struct integrand_of {
    enum integrand_name name;
    size_t dims;
};

/* One point. */
static inline double integrand_at(const struct integrand_of *f, const double *x) {
    double sum = 0, product = 1;
    for (size_t d = 0; d < f->dims; d++) {
        const double i = (double)d + 1, difference = x[d] - 0.5;
        switch (f->name) {
        case F1:
        case F3: sum += i * x[d]; break;
        case F2: product /= 1 / 2500.0 + difference * difference; break;
        case F4: sum += difference * difference; break;
        case F5: sum += fabs(difference); break;
        case F6:
            sum += (i + 4) * x[d];
            product = x[d] < (3 + i) / 10 ? product : 0;
            break;
        case FA: sum += x[d]; break;
        default: sum += x[d] * x[d]; break;
        }
    }
    switch (f->name) {
    case F1: return cos(sum);
    case F2: return product;
    case F3: return pow(1 + sum, -(double)f->dims - 1);
    case F4: return exp(-625 * sum);
    case F5: return exp(-10 * sum);
    case F6: return product > 0 ? exp(sum) : 0;
    case FA: return sin(sum);
    default: return exp(-sum / (2 * 0.01 * 0.01)) / pow(sqrt(2 * 3.14159265358979323846) * 0.01, (double)f->dims);
    }
}

/* A batch: uh_integrand_function. */
static inline void integrand_batch(size_t n, const double *const *x, double *const *value, const void *context) {
    const struct integrand_of *f = context;
    for (size_t i = 0; i < n; i++) {
        double point[UH_INTEGRATE_MAX_DIMS];
        for (size_t d = 0; d < f->dims; d++)
            point[d] = x[d][i];
        value[0][i] = integrand_at(f, point);
    }
}

/* The box's sides, the same on all axes. */
static inline double integrand_lower(const struct integrand_of *f) { return f->name == FB ? -1 : 0; }

static inline double integrand_upper(const struct integrand_of *f) { return f->name == FA ? 10 : 1; }

/* The integral (integrands/set.c). */
double integrand_true(const struct integrand_of *paper);
