/* SPDX-License-Identifier: Apache-2.0 */
/* Integrals that the library's integrators and the peers are both asked for, and how what they found is judged. */
#pragma once

#include "perf/error.h"
#include "tests/integrands.h"
#include "tests/integrands/set.h"

#include <unihist/unihist.h>

#include <stdint.h>
#include <string.h>

/* What is acceptable, as uh_integrate has it by default. */
#define PERF_INTEGRAL_CHI2 1.5

struct perf_integral_task {
    struct integrand_of f;
    const struct set_row *row; /* not NULL: over the unit cube, as the seed draws it, instead of f */
    uint64_t calls;            /* of an iteration, at most */
    size_t iterations;         /* at most, those that are skipped included */
    size_t skipped; /* that many of them only adjust the grid; vegas_plus decides it if it has an error to reach */
    double tau;     /* the relative error at which it ends; 0: all iterations are done */
    double seconds; /* no iteration begins after that many; 0: no limit */
    uint64_t seed;
};

struct perf_integral {
    double value, error, chi2; /* the last per degree of freedom */
    double evaluations;        /* all together */
    int reached;               /* tau, with a chi-square that is acceptable */
    double kernel, total;      /* seconds; of a peer there is no kernel */
};

/* The integrands' names, "f1" to "f6", "fA" and "fB". */
static inline const char *perf_integrand_name(enum integrand_name name) {
    static const char *const names[INTEGRAND_NAMES] = {"f1", "f2", "f3", "f4", "f5", "f6", "fA", "fB"};
    return names[name];
}

/* INTEGRAND_NAMES for another name. */
static inline enum integrand_name perf_integrand_find(const char *name) {
    int i = 0;
    while (i < INTEGRAND_NAMES && strcmp(perf_integrand_name((enum integrand_name)i), name) != 0)
        i++;
    return (enum integrand_name)i;
}

/* The sides of the box, the same on all axes. */
static inline double perf_integral_lower(const struct perf_integral_task *task) {
    return task->row ? 0 : integrand_lower(&task->f);
}

static inline double perf_integral_upper(const struct perf_integral_task *task) {
    return task->row ? 1 : integrand_upper(&task->f);
}

/* The rule by which all of them end: at least two iterations count. */
static inline int perf_integral_reached(const struct perf_integral_task *task, size_t counted,
                                        const struct perf_integral *found) {
    return counted > 1 && found->chi2 <= PERF_INTEGRAL_CHI2 && found->error <= task->tau * fabs(found->value);
}

/* Integrates by the library, with its default number of iterations that adjust the grid; of a task without tau all
 * of them do. */
void perf_integral_run(uh_queue *queue, const char *isa, uh_integrate_variant variant,
                       const struct perf_integral_task *task, struct perf_integral *found);

/* Fails where tau has not been reached, or what was found is not the integral. */
void perf_integral_check(const struct perf_integral_task *task, const struct perf_integral *found);
