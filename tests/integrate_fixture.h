/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of integrals on the host share. */
#pragma once

#include <unihist/integrate.h>

#include "tests/fixture.h"
#include "tests/integrands.h"

#define OPTIONS(...) (&(const uh_integrate_options){.struct_size = sizeof(uh_integrate_options), __VA_ARGS__})

static inline uh_integrand integrand_for(const struct integrand_of *f) {
    return (uh_integrand){
        .struct_size = sizeof(uh_integrand), .dims = f->dims, .function = integrand_batch, .context = f};
}

/* The box of an integrand. */
struct box {
    double lower[UH_INTEGRATE_MAX_DIMS], upper[UH_INTEGRATE_MAX_DIMS];
};

static inline struct box box_of(const struct integrand_of *f) {
    struct box box = {{0}, {0}};
    for (size_t d = 0; d < f->dims; d++) {
        box.lower[d] = integrand_lower(f);
        box.upper[d] = integrand_upper(f);
    }
    return box;
}

/* Options for it. */
#define IN(box, ...) OPTIONS(.lower = (box).lower, .upper = (box).upper, __VA_ARGS__)

static inline uh_integral integrate(uh_queue *queue, const uh_integrand *integrand,
                                    const uh_integrate_options *options) {
    uh_integral integral = {.struct_size = sizeof integral};
    test_good(uh_integrate(queue, integrand, options, &integral));
    return integral;
}

static inline void constant(size_t n, const double *const *x, double *const *value, const void *context) {
    for (size_t i = 0; i < n; i++)
        value[0][i] = *(const double *)context;
}
