/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of integrals on the host share. */
#ifndef TEST_INTEGRATE_FIXTURE_H
#define TEST_INTEGRATE_FIXTURE_H

#include <unihist/integrate.h>

#include "tests/fixture.h"
#include "tests/integrands.h"

#define OPTIONS(...) (&(const uh_integrate_options){.struct_size = sizeof(uh_integrate_options), __VA_ARGS__})

static inline uh_integrand integrand_for(const struct integrand_of *f) {
    return (uh_integrand){
        .struct_size = sizeof(uh_integrand), .dims = f->dims, .function = integrand_batch, .context = f};
}

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

#endif
