/* SPDX-License-Identifier: Apache-2.0 */
/* GSL's VEGAS with its defaults, an iteration a call: a new grid (stage 0), then iterations that only adjust it (stage
 * 1), then those that count (stage 1 once, and 3). */
#include "perf/peers/peer_integral.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_monte_vegas.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_version.h>

#include <stdio.h>

static gsl_rng *generator;
static peer_integrand_function function;

static double at(double *x, size_t dims, void *context) {
    (void)dims;
    return function(x, context);
}

static const char *take_integral(const struct perf_integral_task *task) {
    function = peer_integrand_of(task);
    return NULL;
}

static void run_integral(const struct perf_integral_task *task, struct perf_integral *found) {
    const double start = peer_now();
    double lower[UH_INTEGRATE_MAX_DIMS], upper[UH_INTEGRATE_MAX_DIMS];
    struct peer_integrand integrand = {task->f, &drawn, 0};
    gsl_monte_function f = {at, task->f.dims, &integrand};
    gsl_monte_vegas_state *vegas = gsl_monte_vegas_alloc(task->f.dims);
    gsl_monte_vegas_params params;
    if (!vegas)
        return;
    gsl_rng_set(generator, (unsigned long)task->seed);
    for (size_t d = 0; d < task->f.dims; d++) {
        lower[d] = perf_integral_lower(task);
        upper[d] = perf_integral_upper(task);
    }
    gsl_monte_vegas_params_get(vegas, &params);
    params.iterations = 1;
    for (size_t i = 0; i < task->iterations && !found->reached; i++) {
        params.stage = i == 0 ? 0 : i <= task->skipped ? 1 : 3;
        gsl_monte_vegas_params_set(vegas, &params);
        gsl_monte_vegas_integrate(&f, lower, upper, task->f.dims, task->calls, generator, vegas, &found->value,
                                  &found->error);
        found->chi2 = gsl_monte_vegas_chisq(vegas);
        found->reached = i > task->skipped && perf_integral_reached(task, i + 1 - task->skipped, found);
        if (task->seconds > 0 && peer_now() - start > task->seconds)
            break;
    }
    found->evaluations = integrand.calls;
    gsl_monte_vegas_free(vegas);
}

const char *peer_about(void) {
    static char about[128];
    gsl_set_error_handler_off(); /* the handler would abort */
    generator = gsl_rng_alloc(gsl_rng_mt19937);
    snprintf(about, sizeof about, "integrated %s gsl_monte_vegas_integrate with gsl_rng_mt19937", gsl_version);
    return about;
}
