/* SPDX-License-Identifier: Apache-2.0 */
/* The variant that integrates, if the caller leaves it to the library. */
#include <math.h>

#include "kernels/common/collective.h"
#include "kernels/integrate/integrate_run.h"
#include "runtime/host.h"
#include "runtime/status.h"

/* Smooth integrands take far fewer evaluations by cubature or, if the error asked is small, with more axes by a
 * lattice. Cubature may make this part of the evaluations of an iteration before it is given up, a lattice all; and
 * then random samples, of which this part of an iteration, must agree. */
enum { CUBATURE_AXES = 5, LATTICE_AXES = 12, CUBATURE_PART = 4, SAMPLES_PART = 8, MIN_SAMPLES = 4096, DEVIATIONS = 5 };
#define SMALL_ERROR 1e-4

struct choosing {
    uh_queue *queue;
    const char *call;
    const uh_integrand *integrand;
    const uh_integrate_options *options;
    uh_grid *grid;
    size_t iterations;                     /* reported so far; */
    uint64_t calls, not_finite, kernel_ns; /* what all took */
    uint64_t started;
};

/* Iterations are numbered through all variants. */
static int report_next(const uh_iteration *iteration, void *context) {
    const struct choosing *c = context;
    uh_iteration next = *iteration;
    next.number += c->iterations;
    return c->options->report(&next, c->options->report_context);
}

static uh_status run(struct choosing *c, uh_integrate_variant variant, uh_integrate_options how, uh_grid *grid,
                     uh_integral *integral) {
    const uint64_t limit = how.time_limit_ns, spent = uhi_host_now() - c->started;
    how.variant = variant;
    how.report = how.report ? report_next : NULL;
    how.report_context = c;
    how.time_limit_ns = limit == 0 ? 0 : spent < limit ? limit - spent : 1;
    integral->iterations = 0;
    const uh_status status = (variant == UH_INTEGRATE_CUBATURE ? uhi_cubature : uhi_integrate_by_samples)(
        c->queue, c->call, c->integrand, &how, grid, integral);
    c->iterations += integral->iterations;
    c->calls += integral->calls;
    c->not_finite += integral->not_finite;
    c->kernel_ns += integral->kernel_ns;
    return status;
}

/* Stores whether random samples, some of which see the integrand, agree. */
static uh_status confirm(struct choosing *c, const uh_integral *found, int *confirms) {
    uh_integral seen = {.struct_size = sizeof seen};
    uh_integrate_options how = *c->options;
    uh_grid *grid = NULL;
    const uint64_t all = how.max_calls, part = all / SAMPLES_PART;
    how.max_calls = part > MIN_SAMPLES ? part : all < MIN_SAMPLES ? all : MIN_SAMPLES;
    how.iterations = 1;
    how.adjusting = 1; /* only then the sum of squares is known, not only that of deviations in cubes */
    how.skipped = 0;
    how.report = NULL;
    uh_status status =
        uhi_grid_make(c->call, "", c->grid->dims, c->grid->bins, c->grid->lower, c->grid->upper, NULL, &grid);
    status = uhi_exchange_agree(c->call, how.exchange, status);
    if (!status)
        status = run(c, UH_INTEGRATE_VEGAS_PLUS, how, grid, &seen);
    uhi_grid_free(grid);
    UHI_TRY(status);
    c->iterations -= seen.iterations;
    *confirms = !seen.warning && fabs(found->value - seen.value) <= DEVIATIONS * seen.error + found->error;
    return UH_SUCCESS;
}

/* Tries a variant. An integrand or a device that it cannot take is left to vegas_plus. */
static uh_status attempt(struct choosing *c, uh_integrate_variant variant, uh_integral *integral) {
    uh_integrate_options how = *c->options;
    int confirms = 0;
    struct uhi_message before;
    uhi_message_keep(&before);
    how.max_calls /= variant == UH_INTEGRATE_CUBATURE ? CUBATURE_PART : 1;
    how.iterations = 1;
    how.adjusting = how.skipped = 0;
    how.randomisations = 16;
    const uh_status status = run(c, variant, how, c->grid, integral);
    integral->choice = status                                    ? UH_INTEGRATE_REFUSED
                       : integral->end != UH_INTEGRATE_CONVERGED ? UH_INTEGRATE_ROUGH
                                                                 : UH_INTEGRATE_UNSEEN;
    if (status == UH_ERROR_INVALID_ARGUMENT || status == UH_ERROR_UNSUPPORTED) {
        uhi_message_restore(&before);
        return UH_SUCCESS;
    }
    UHI_TRY(status);
    if (integral->choice == UH_INTEGRATE_UNSEEN)
        UHI_TRY(confirm(c, integral, &confirms));
    integral->choice = confirms ? UH_INTEGRATE_SMOOTH : integral->choice;
    return UH_SUCCESS;
}

static int is_over(const uh_integral *integral) {
    return integral->choice == UH_INTEGRATE_SMOOTH || integral->end == UH_INTEGRATE_TIME ||
           integral->end == UH_INTEGRATE_STOPPED;
}

static uh_status choose(struct choosing *c, uh_integral *integral) {
    const size_t dims = c->grid->dims;
    const uh_integrate_options *options = c->options;
    integral->choice = UH_INTEGRATE_MANY_AXES;
    if (dims <= CUBATURE_AXES)
        UHI_TRY(attempt(c, UH_INTEGRATE_CUBATURE, integral));
    if (!is_over(integral) && dims <= LATTICE_AXES && options->relative_error <= SMALL_ERROR)
        UHI_TRY(attempt(c, UH_INTEGRATE_LATTICE, integral));
    return is_over(integral) ? UH_SUCCESS : run(c, UH_INTEGRATE_VEGAS_PLUS, *options, c->grid, integral);
}

uh_status uhi_integrate(uh_queue *queue, const char *call, const uh_integrand *integrand,
                        const uh_integrate_options *options, uh_grid *grid, uh_integral *integral) {
    struct choosing c = {.queue = queue,
                         .call = call,
                         .integrand = integrand,
                         .options = options,
                         .grid = grid,
                         .started = uhi_host_now()};
    if (options->variant != UH_INTEGRATE_AUTO)
        return run(&c, options->variant, *options, grid, integral);
    UHI_TRY(choose(&c, integral));
    integral->iterations = c.iterations;
    integral->calls = c.calls;
    integral->not_finite = c.not_finite;
    integral->kernel_ns = c.kernel_ns;
    integral->total_ns = uhi_host_now() - c.started;
    return UH_SUCCESS;
}
