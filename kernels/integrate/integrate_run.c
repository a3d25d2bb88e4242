/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/integrate/integrate_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/integrate/integrate_samples.h"
#include "kernels/integrate/sums.h"
#include "kernels/integrate/warm_up.h"
#include "runtime/host.h"
#include "runtime/status.h"

enum {
    PILOT = 1024, /* samples to find the size of squares */
    MAX_TRIES = 8 /* per iteration: more than changes of units from the smallest to the largest number take */
};

/* The part of all squares that the largest one makes if tails are heavy; and the part of an infinite axis's bins that
 * are then spread evenly, because the grid follows each axis alone and leaves few samples where several are far out. */
#define HEAVY_SHARE 0.01
#define EVEN_TAILS  0.2

/* The part of bins spread evenly where cubes' variances refine the grid: a cube of two samples may show none of its. */
#define EVEN_CUBES 0.25

/* The pilot's iteration number. */
#define PILOT_ITERATION 4094

struct integration {
    struct uhi_samples samples;
    struct uhi_warm_up warm_up;
    struct uhi_doubling doubling; /* of sequences */
    uh_grid *grid;
    const uh_integrate_options *options;
    double *numbers;        /* for the grid's refinement */
    double size;            /* root mean square of weighted values, as far as known; */
    double adjusted_size;   /* as of the last samples that adjusted the grid, or of the pilot */
    struct uhi_usual usual; /* sizes of nonzero values */
    uint64_t started, not_finite;
    int heavy; /* a few values made much of the last iteration's variance */
};

/* ---- sampling ---- */

/* Counts non-finite values: an error, unless they count as 0. */
static uh_status check_finite(struct integration *in, size_t iteration, const struct uhi_iteration_sums *sums) {
    struct uhi_samples *samples = &in->samples;
    char point[UH_INTEGRATE_MAX_DIMS * 25 + 1];
    size_t used = 0;
    const uint64_t n = samples->sampling.samples, values = samples->sampling.integrand->values;
    if (sums->not_finite == 0)
        return UH_SUCCESS;
    if (sums->not_finite > n * values || sums->first_not_finite >= n)
        return uhi_fail(UH_ERROR_INTERNAL, samples->frame.call, NULL,
                        "the device's sums say that %" PRIu64 " of %" PRIu64
                        " values are not finite, first those of sample %" PRIu64 " of %" PRIu64,
                        sums->not_finite, n * values, sums->first_not_finite, n);
    if (in->options->zero_not_finite)
        return UH_SUCCESS;
    UHI_TRY(uhi_samples_find(samples, sums->first_not_finite));
    for (size_t d = 0; d < samples->sampling.field.dims; d++)
        used += (size_t)snprintf(point + used, sizeof point - used, "%s%.10g", d ? ", " : "", samples->point[d]);
    return uhi_fail_argument(samples->frame.call, "integrand",
                             "is %g at (%s), expected finite values; %" PRIu64 " values of the %" PRIu64
                             " samples of iteration %zu are not",
                             samples->value, point, sums->not_finite, n, iteration);
}

/* Chooses the unit of contributions: a sample of the usual size contributes 2^36 units, or fewer if the sum
 * could otherwise exceed 2^60. */
static void choose_scale(struct integration *in) {
    const uint64_t most = in->options->max_calls, n = in->samples.sampling.samples;
    const int bits = 60 - ilogb((double)(n > most ? n : most)) - 1, half = bits < 36 ? bits / 2 : 18;
    const double maximum = 1 / in->samples.range->min_unit;
    in->samples.sampling.scale = in->size > 0 ? fmin(ldexp(1, half) / in->size, maximum) : maximum;
}

/* Multiplies the unit of values by `factor`, which is so large or small that estimates in the old unit mean nothing
 * compared with the following ones. */
static void change_units(struct integration *in, double factor, struct uhi_average *average) {
    in->samples.sampling.scale_of_values *= factor;
    in->size /= factor;
    in->adjusted_size /= factor;
    for (size_t k = 0; k < in->samples.sampling.integrand->values; k++)
        in->usual.value[k] *= 1 / factor;
    *average = (struct uhi_average){.n = 0};
}

/* Learns the size of values from an iteration, from contributions if there were any. Returns whether it must be
 * repeated: values are too large for their scale, or the sum of contributions may have exceeded 2^63. */
static int learn_size(struct integration *in, const struct uhi_iteration_sums *sums,
                      const struct uhi_estimate *estimate, struct uhi_average *average) {
    const struct uhi_sampling *s = &in->samples.sampling;
    if (sums->too_large)
        change_units(in, in->samples.range->too_large, average);
    else if (sums->given > 0)
        in->adjusted_size = in->size = sqrt(ldexp((double)sums->given, UHI_GIVEN_BITS) / (double)s->samples) / s->scale;
    if (sums->too_large || sums->given >> (62 - UHI_GIVEN_BITS) == 0)
        return sums->too_large;
    in->size = fmax(in->size, uhi_estimate_size(estimate, s, 0));
    return 1;
}

/* Takes a few samples from the whole box as a single cube, in a unit large enough for the largest values; if all vanish
 * in it, in the smallest unit. */
static uh_status find_size(struct integration *in, double unit) {
    struct uhi_sampling *s = &in->samples.sampling;
    const struct uhi_sampling all = *s;
    struct uhi_iteration_sums sums;
    uh_integrate_end end = UH_INTEGRATE_ITERATIONS;
    uhi_cubes_cut(s, UH_INTEGRATE_PLAIN, NULL, PILOT);
    s->spread = NULL;
    s->sequence = NULL;
    s->adjusts = 0;
    s->stream = uhi_integrate_stream(PILOT_ITERATION);
    s->scale_of_values = unit;
    const uh_status status = uhi_samples_draw(&in->samples, &sums, &end);
    if (!status) {
        struct uhi_estimate pilot;
        uhi_iteration_end(&sums, s, &pilot);
        in->usual.value[0] = in->adjusted_size = in->size = uhi_estimate_size(&pilot, s, 0) * unit;
    }
    *s = all;
    return status || in->size > 0 || unit == in->samples.range->min_unit ? status
                                                                         : find_size(in, in->samples.range->min_unit);
}

/* Changes the unit of values if their squares would be too large or too small. */
static void choose_units(struct integration *in, struct uhi_average *average) {
    const struct uhi_value_range *range = in->samples.range;
    const double unit = in->samples.sampling.scale_of_values;
    const double wanted = in->size > 0 && isfinite(in->size) ? ldexp(unit, ilogb(in->size)) : unit;
    const double factor = fmin(fmax(wanted, range->min_unit), 1 / range->min_unit) / unit;
    if (factor >= range->rescale_factor || factor <= 1 / range->rescale_factor)
        change_units(in, factor, average);
}

/* ---- adjusting ---- */

static void adjust_grid(struct integration *in) {
    const struct uhi_sampling *s = &in->samples.sampling;
    const size_t bins = s->field.bins, width = bins + 1;
    const int by_cubes = in->warm_up.by_cubes;
    for (size_t d = 0; d < s->adjusts; d++) {
        const int tails = in->heavy && s->field.sides[d].kind != UHI_SIDES_FINITE;
        const double even = by_cubes ? EVEN_CUBES : tails ? EVEN_TAILS : 0;
        if (by_cubes)
            uhi_cubes_by_bin(s, s->spread, d, in->numbers);
        for (size_t b = 0; b < bins && !by_cubes; b++)
            in->numbers[b] = (double)in->samples.contributions[d * bins + b];
        uhi_grid_adjust(in->grid->edges + d * width, bins, in->numbers, in->options->alpha, even, in->numbers + bins);
    }
    for (size_t d = s->adjusts; d < s->field.dims; d++) /* mcubes1d */
        memcpy(in->grid->edges + d * width, in->grid->edges, width * sizeof *in->grid->edges);
}

/* ---- iterations ---- */

/* Samples, again if the scale was wrong, and stores the estimate. */
static uh_status sample(struct integration *in, size_t iteration, struct uhi_average *average,
                        struct uhi_estimate *estimate, uh_integrate_end *end) {
    struct uhi_iteration_sums sums;
    UHI_TRY(iteration == 0 ? find_size(in, in->samples.range->pilot) : UH_SUCCESS);
    choose_units(in, average);
    in->samples.deadline = in->options->time_limit_ns && !in->warm_up.lasts && average->n > 0
                               ? in->started + in->options->time_limit_ns
                               : 0;
    uh_status status = UH_SUCCESS;
    for (int tries = 0; tries < MAX_TRIES; tries++) {
        choose_scale(in);
        status = uhi_samples_draw(&in->samples, &sums, end);
        if (!status && *end == UH_INTEGRATE_ITERATIONS)
            status = check_finite(in, iteration, &sums);
        if (status || *end != UH_INTEGRATE_ITERATIONS)
            return status;
        uhi_iteration_end(&sums, &in->samples.sampling, estimate);
        if (!learn_size(in, &sums, estimate, average)) {
            in->not_finite += sums.not_finite;
            return UH_SUCCESS;
        }
    }
    return uhi_fail_argument(in->samples.frame.call, "integrand",
                             "has values for which iteration %zu finds no unit in %d tries", iteration, MAX_TRIES);
}

/* Runs an iteration: stores its estimate, and prepares the next. */
static uh_status iterate(struct integration *in, size_t iteration, struct uhi_average *average,
                         struct uhi_estimate *estimate, uh_integrate_end *end) {
    struct uhi_sampling *s = &in->samples.sampling;
    const int adjusts = iteration < in->warm_up.adjusting && in->options->variant != UH_INTEGRATE_PLAIN && !s->sequence;
    s->stream = uhi_integrate_stream(iteration);
    s->adjusts = !adjusts ? 0 : in->options->variant == UH_INTEGRATE_MCUBES1D ? 1 : s->field.dims;
    const int shares = !in->warm_up.lasts && (adjusts || (in->options->adjusting > 0 && !s->starts));
    s->spread = shares || (adjusts && in->warm_up.by_cubes) ? in->samples.spread : NULL;
    const uh_status status = sample(in, iteration, average, estimate, end);
    if (status || *end != UH_INTEGRATE_ITERATIONS)
        return status;
    uhi_usual_learn(&in->usual, estimate, s, in->size, average);
    if (!adjusts)
        in->size = uhi_estimate_size(estimate, s, 0);
    const double size = fmax(in->size, in->adjusted_size);
    estimate->squares = uhi_notes_largest(s) ? size * size * (double)s->samples : 0;
    /* If all samples are equal, there is nothing to adapt to. */
    const int follows = estimate->covariance[0] > 0;
    in->heavy = iteration > 0 && adjusts && estimate->largest * estimate->largest > HEAVY_SHARE * estimate->squares;
    estimate->largest /= (double)s->samples;
    estimate->squares /= (double)s->samples * (double)s->samples;
    if (s->sequence)
        uhi_doubling_estimate(&in->doubling, s, estimate);
    else
        uhi_estimate_bound(estimate, s, &in->usual);
    if (follows && adjusts)
        adjust_grid(in);
    if (follows && shares && s->spread) {
        uhi_cubes_share(s, s->spread, in->samples.starts, in->options->max_calls, in->options->beta,
                        in->samples.range->min_unit);
        in->samples.starts_changed = 1;
    }
    return UH_SUCCESS;
}

/* Deviation of the first value; does not underflow to 0. */
static double deviation_of(const struct uhi_estimate *estimate, double unit) {
    return estimate->covariance[0] > 0 ? fmax(sqrt(estimate->covariance[0]) * unit, 0x1p-1074) : 0;
}

static void store_result(const struct integration *in, const struct uhi_average *average, uh_integral *to) {
    const size_t values = in->samples.sampling.integrand->values;
    const double unit = in->samples.sampling.scale_of_values;
    struct uhi_estimate now;
    uhi_average_of(average, values, &now);
    to->value = now.value[0] * unit;
    to->error = deviation_of(&now, unit);
    to->dof = average->n - 1;
    to->chi2_dof = average->n > 1 ? uhi_average_chi2(average) / (double)to->dof : 0;
    for (size_t k = 0; k < values && to->values; k++)
        to->values[k] = now.value[k] * unit;
    for (size_t i = 0; i < values * values && to->covariance; i++) /* unknown */
        to->covariance[i] = NAN;
    for (size_t k = 0; k < values && to->covariance; k++)
        for (size_t l = 0; l <= k; l += UHI_STEP(values, k))
            to->covariance[k * values + l] = to->covariance[l * values + k] =
                now.covariance[uhi_pair(values, k, l)] * unit * unit;
}

static uh_integrate_warning warning_of(const struct integration *in, const struct uhi_average *average) {
    return in->usual.value[0] == 0                ? UH_INTEGRATE_ALL_ZERO
           : in->warm_up.several                  ? UH_INTEGRATE_SEVERAL_PEAKS
           : uhi_average_has_heavy_tails(average) ? UH_INTEGRATE_HEAVY_TAILS
                                                  : UH_INTEGRATE_NO_WARNING;
}

static int has_converged(const uh_integrate_options *options, const uh_integral *integral) {
    return !integral->warning && integral->dof > 0 && integral->chi2_dof <= options->max_chi2_dof &&
           (integral->error <= options->absolute_error ||
            integral->error <= options->relative_error * fabs(integral->value));
}

/* Reports an iteration; returns nonzero if the callback stops the integration. */
static int report_iteration(const struct integration *in, size_t number, int counts, const struct uhi_estimate *own,
                            uint64_t begin, uint64_t kernel_ns, uint64_t calls, const uh_integral *all) {
    const uh_iteration iteration = {.struct_size = sizeof iteration,
                                    .number = number,
                                    .counts = counts,
                                    .estimate = own->value[0] * in->samples.sampling.scale_of_values,
                                    .deviation = deviation_of(own, in->samples.sampling.scale_of_values),
                                    .integral = all->value,
                                    .error = all->error,
                                    .chi2_dof = all->chi2_dof,
                                    .calls = in->samples.calls - calls,
                                    .kernel_ns = in->samples.kernel_ns - kernel_ns,
                                    .total_ns = uhi_host_now() - begin};
    return in->options->report ? in->options->report(&iteration, in->options->report_context) : 0;
}

/* Returns whether there is a further iteration, which it prepares if it is one of a sequence. */
static int has_next(struct integration *in, size_t done) {
    if (uhi_is_sequence(in->options->variant) && !in->warm_up.lasts)
        return uhi_doubling_next(&in->doubling, &in->samples.sampling);
    return done < in->options->iterations;
}

static uh_status run_iterations(struct integration *in, uh_integral *integral) {
    const uh_integrate_options *options = in->options;
    struct uhi_average average = {.n = 0};
    struct uhi_estimate own = {.value = {0}};
    integral->end = UH_INTEGRATE_ITERATIONS;
    for (size_t i = 0; integral->end == UH_INTEGRATE_ITERATIONS && has_next(in, i); i++) {
        const uint64_t begin = uhi_host_now(), kernel_ns = in->samples.kernel_ns, calls = in->samples.calls;
        const int counts = !in->warm_up.lasts;
        UHI_TRY(iterate(in, i, &average, &own, &integral->end));
        if (in->samples.deadline && uhi_host_now() > in->samples.deadline)
            integral->end = UH_INTEGRATE_TIME;
        UHI_TRY(uhi_samples_agree(&in->samples, &integral->end));
        if (integral->end != UH_INTEGRATE_ITERATIONS)
            return UH_SUCCESS;
        integral->iterations++;
        if (!counts)
            uhi_warm_up_continue(&in->warm_up, &in->samples.sampling, i, &own, &average);
        else {
            if (average.n > 0 && i < in->warm_up.adjusting && uhi_average_contradicts(&average, &own))
                average = (struct uhi_average){.n = 0};
            if (in->samples.sampling.sequence)
                uhi_average_set(&average, options->randomisations, &own);
            else
                uhi_average_add(&average, &own, in->samples.sampling.integrand->values);
            store_result(in, &average, integral);
        }
        integral->warning = warning_of(in, &average);
        if (has_converged(options, integral))
            integral->end = UH_INTEGRATE_CONVERGED;
        if (report_iteration(in, i, counts, &own, begin, kernel_ns, calls, integral) &&
            integral->end != UH_INTEGRATE_CONVERGED)
            integral->end = UH_INTEGRATE_STOPPED;
        UHI_TRY(uhi_samples_agree(&in->samples, &integral->end));
    }
    return UH_SUCCESS;
}

uh_status uhi_integrate_by_samples(uh_queue *queue, const char *call, const uh_integrand *integrand,
                                   const uh_integrate_options *options, uh_grid *grid, uh_integral *integral) {
    struct integration in = {
        .samples = {.sampling = {.integrand = integrand, .seed = options->seed, .scale_of_values = 1},
                    .grid = grid,
                    .options = options,
                    .trial = uhi_integrand_try},
        .grid = grid,
        .options = options,
        .warm_up = {.options = options, .grid = grid},
        .started = uhi_host_now()};
    struct uhi_sampling *s = &in.samples.sampling;
    s->field.dims = grid->dims;
    s->field.bins = grid->bins;
    memcpy(s->field.sides, grid->sides, sizeof s->field.sides);
    uhi_cubes_cut(s, options->variant, options->strata, options->max_calls);
    in.numbers = uhi_grid_allocate(3 * grid->bins + 1 + 2 * grid->dims * (grid->bins + 1), sizeof *in.numbers);
    uh_status status = UH_SUCCESS;
    if (uhi_is_sequence(options->variant)) {
        status = uhi_doubling_open(&in.doubling, call, options, grid->dims, integrand->values);
        s->sequence = &in.doubling.sequence; /* devices make room for it */
    }
    if (!status)
        status =
            uhi_samples_open(&in.samples, queue, call, options->max_calls, options->variant == UH_INTEGRATE_VEGAS_PLUS);
    s->sequence = NULL;
    if (!status && !in.numbers)
        status = uhi_fail_memory(call, "no memory for a grid of %zu bins", grid->bins);
    status = uhi_samples_open_ranks(&in.samples, call, options->max_calls, status);
    if (!status) {
        uhi_warm_up_begin(&in.warm_up, s, in.numbers + 3 * grid->bins + 1);
        status = run_iterations(&in, integral);
    }
    integral->variant = options->variant;
    memcpy(integral->intervals, s->intervals, sizeof integral->intervals);
    integral->cubes = s->cubes;
    integral->calls = in.samples.calls;
    integral->not_finite = in.not_finite;
    integral->kernel_ns = in.samples.kernel_ns;
    integral->total_ns = uhi_host_now() - in.started;
    integral->dtype = in.samples.range ? in.samples.range->dtype : UH_F64;
    uhi_samples_close(&in.samples);
    uhi_doubling_close(&in.doubling);
    free(in.numbers);
    return status;
}
