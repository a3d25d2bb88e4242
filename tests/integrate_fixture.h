/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of integrals on the host share. */
#pragma once

#include <unihist/integrate.h>

#include "tests/fixture.h"
#include "tests/integrands.h"

#define INTEGRATE(...) (&(const uh_integrate_options){.struct_size = sizeof(uh_integrate_options), __VA_ARGS__})

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
#define IN(box, ...) INTEGRATE(.lower = (box).lower, .upper = (box).upper, __VA_ARGS__)

static inline uh_integral integrate(uh_queue *queue, const uh_integrand *integrand,
                                    const uh_integrate_options *options) {
    uh_integral integral = {.struct_size = sizeof integral};
    test_good(uh_integrate(queue, integrand, options, &integral));
    return integral;
}

/* What an integral comes to, and its grid of this many bins. */
enum { INTEGRATED_BINS = 60, INTEGRATED_DIMS = 5, INTEGRATED_VALUES = 20 };
struct integrated {
    uh_integral integral;
    double values[INTEGRATED_VALUES], covariance[INTEGRATED_VALUES * INTEGRATED_VALUES],
        edges[INTEGRATED_DIMS * (INTEGRATED_BINS + 1)];
};

/* The result ends with the unit test. */
static inline const struct integrated *integrate_on_grid(uh_queue *queue, const uh_integrand *integrand,
                                                         uh_integrate_options options) {
    struct integrated *found = test_memory(sizeof *found);
    const size_t dims = integrand->code ? integrand->code->level[0]->dims : integrand->dims;
    uh_grid_properties grid = {.struct_size = sizeof grid};
    found->integral =
        (uh_integral){.struct_size = sizeof found->integral, .values = found->values, .covariance = found->covariance};
    test_good(uh_grid_create(dims, INTEGRATED_BINS, options.lower, options.upper, NULL, &options.grid));
    options.struct_size = sizeof options;
    options.lower = options.upper = NULL;
    test_good(uh_integrate(queue, integrand, &options, &found->integral));
    test_good(uh_grid_get_properties(options.grid, &grid));
    memcpy(found->edges, grid.edges, dims * (INTEGRATED_BINS + 1) * sizeof *grid.edges);
    uh_grid_destroy(options.grid);
    return found;
}

static inline void constant(size_t n, const double *const *x, double *const *value, const void *context) {
    for (size_t i = 0; i < n; i++)
        value[0][i] = *(const double *)context;
}
