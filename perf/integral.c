/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/integral.h"

#include "perf/loops.h"

/* Errors of heavy tails are too small by more than a normal distribution's deviations. */
enum { DEVIATIONS = 10 };

void perf_integral_run(uh_queue *queue, const char *isa, uh_integrate_variant variant,
                       const struct perf_integral_task *task, struct perf_integral *found) {
    double lower[UH_INTEGRATE_MAX_DIMS], upper[UH_INTEGRATE_MAX_DIMS];
    for (size_t d = 0; d < task->f.dims; d++) {
        lower[d] = integrand_lower(&task->f);
        upper[d] = integrand_upper(&task->f);
    }
    const uh_integrand integrand = {.struct_size = sizeof integrand,
                                    .dims = task->f.dims,
                                    .function = perf_loops(isa)->integrands[task->f.name],
                                    .context = &task->f};
    const int settles = variant == UH_INTEGRATE_VEGAS_PLUS && task->tau > 0; /* by the library's own rule */
    const uh_integrate_options options = {.struct_size = sizeof options,
                                          .lower = lower,
                                          .upper = upper,
                                          .variant = variant,
                                          .max_calls = task->calls,
                                          .iterations = task->iterations,
                                          .adjusting = task->tau > 0 ? 0 : task->iterations,
                                          .skipped = !task->skipped ? SIZE_MAX
                                                     : settles      ? 0
                                                                    : task->skipped,
                                          .relative_error = task->tau > 0 ? task->tau : 1e-300,
                                          .max_chi2_dof = PERF_INTEGRAL_CHI2,
                                          .seed = task->seed,
                                          .time_limit_ns = (uint64_t)(1e9 * task->seconds)};
    uh_integral integral = {.struct_size = sizeof integral};
    perf_check(uh_integrate(queue, &integrand, &options, &integral));
    *found = (struct perf_integral){.value = integral.value,
                                    .error = integral.error,
                                    .chi2 = integral.chi2_dof,
                                    .evaluations = (double)integral.calls,
                                    .reached = integral.end == UH_INTEGRATE_CONVERGED,
                                    .kernel = 1e-9 * (double)integral.kernel_ns,
                                    .total = 1e-9 * (double)integral.total_ns};
}

void perf_integral_check(const struct perf_integral_task *task, const struct perf_integral *found) {
    const double truth = integrand_true(&task->f);
    if (task->tau > 0 && !found->reached)
        perf_fail("%zu iterations of %llu samples have not reached the relative error %g, but %g +- %g",
                  task->iterations, (unsigned long long)task->calls, task->tau, found->value, found->error);
    if (fabs(found->value - truth) < DEVIATIONS * fmax(found->error, task->tau * fabs(truth)))
        return;
    perf_fail("wrong: the integral is %.10g +- %g, expected %.10g", found->value, found->error, truth);
}
