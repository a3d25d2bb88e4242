/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/integrate/integrate_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/frame.h"
#include "kernels/integrate/estimate.h"
#include "kernels/integrate/tuning.h"
#include "kernels/registry.h"
#include "runtime/sized.h"
#include "runtime/status.h"

enum {
    MAX_UNITS = 1 << 16, /* of an iteration */
    PILOT = 1024         /* samples that tell how large squares are */
};

/* The pilot's place among iterations. */
#define PILOT_ITERATION 4094

/* The pilot's scale of values, with which the largest are left room. */
#define PILOT_UNIT 0x1p600

/* ---- what an integral has ---- */

struct integration {
    struct uhi_frame frame;
    uh_grid *grid;
    const uh_integrate_options *options;
    uh_integrate_variant variant;
    struct uhi_sampling sampling; /* of the iteration */
    size_t unit_count;
    struct uhi_cell *cells;
    uint64_t *starts; /* vegas_plus */
    struct uhi_sampler_part *parts;
    size_t part_count;
    uint64_t *contributions; /* of all parts */
    double *numbers;         /* for the grid's refinement */
    char *memory;            /* of all parts */
    double size;             /* of weighted values, the root of the mean square, as far as is known */
    uint64_t begun, kernel_ns, calls, not_finite;
};

/* floor(a^(1 / n)), n > 0. */
static uint64_t root(uint64_t a, size_t n) {
    uint64_t r = (uint64_t)pow((double)a, 1.0 / (double)n) + 2, product;
    for (;; r--) {
        product = 1;
        for (size_t i = 0; i < n && product <= a; i++)
            if (__builtin_mul_overflow(product, r, &product))
                product = UINT64_MAX;
        if (product <= a)
            return r;
    }
}

static void cut(struct integration *in) {
    struct uhi_sampling *s = &in->sampling;
    const size_t dims = s->field.dims;
    const uint64_t calls = in->options->max_calls;
    s->intervals =
        in->variant == UH_INTEGRATE_PLAIN ? 1 : root(calls / (in->variant == UH_INTEGRATE_VEGAS_PLUS ? 4 : 2), dims);
    s->cubes = 1;
    for (size_t d = 0; d < dims; d++)
        s->cubes *= s->intervals;
    s->each = calls / s->cubes;
    s->samples = s->each * s->cubes;
    s->unit = (calls / MAX_UNITS + UHI_INTEGRATE_UNIT) / UHI_INTEGRATE_UNIT * UHI_INTEGRATE_UNIT;
    in->unit_count = (size_t)((calls + s->unit - 1) / s->unit);
}

static uh_status open_memory(struct integration *in) {
    struct uhi_sampling *s = &in->sampling;
    const size_t dims = s->field.dims, bins = s->field.bins, threads = uhi_host_threads(in->frame.queue);
    const size_t each = UHI_INTEGRATE_MEMORY(dims, s->integrand->values);
    in->part_count = threads < in->unit_count ? threads : in->unit_count;
    in->cells = uhi_grid_allocate(dims * bins, sizeof *in->cells);
    in->parts = uhi_grid_allocate(in->part_count, sizeof *in->parts);
    in->contributions = uhi_grid_allocate(in->part_count * dims * bins, sizeof *in->contributions);
    in->numbers = uhi_grid_allocate(3 * bins + 1, sizeof *in->numbers);
    in->memory = uhi_grid_allocate(in->part_count, each);
    s->units = uhi_grid_allocate(in->unit_count, sizeof *s->units);
    if (in->variant == UH_INTEGRATE_VEGAS_PLUS) {
        in->starts = uhi_grid_allocate((size_t)s->cubes + 1, sizeof *in->starts);
        s->spread = uhi_grid_allocate((size_t)s->cubes, sizeof *s->spread);
    }
    if (!in->cells || !in->parts || !in->contributions || !in->numbers || !in->memory || !s->units ||
        (in->variant == UH_INTEGRATE_VEGAS_PLUS && (!in->starts || !s->spread)))
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, in->frame.call, NULL, "no memory for %" PRIu64 " cubes and %zu threads",
                        s->cubes, in->part_count);
    for (size_t p = 0; p < in->part_count; p++) {
        in->parts[p].contributions = in->contributions + p * dims * bins;
        in->parts[p].memory = in->memory + p * each;
    }
    s->field.cells = in->cells;
    return UH_SUCCESS;
}

static void close_all(struct integration *in) {
    free(in->cells);
    free(in->parts);
    free(in->contributions);
    free(in->numbers);
    free(in->memory);
    free(in->starts);
    free(in->sampling.units);
    free(in->sampling.spread);
    uhi_frame_close(&in->frame);
}

/* ---- sampling ---- */

static size_t units_of(const struct uhi_sampling *s) {
    return (size_t)((s->samples + s->unit - 1) / s->unit);
}

struct sharing {
    const struct uhi_integrate_host *host;
    const struct integration *in;
};

static void sample_part(const void *context, size_t part, size_t parts) {
    const struct sharing *sharing = context;
    const struct integration *in = sharing->in;
    const size_t units = units_of(&in->sampling);
    sharing->host->sample(&in->sampling, uhi_part_start(units, parts, part), uhi_part_start(units, parts, part + 1),
                          &in->parts[part]);
}

static uh_status sample_on_host(struct uhi_frame *frame, void *context) {
    struct integration *in = context;
    const struct uhi_sampling *s = &in->sampling;
    const struct sharing sharing = {uhi_integrate_host(), in};
    const uint64_t begin = uhi_host_now();
    for (size_t p = 0; p < in->part_count; p++) {
        in->parts[p].not_finite = 0;
        in->parts[p].first = UINT64_MAX;
        in->parts[p].given = 0;
        in->parts[p].too_large = 0;
    }
    if (s->adjusts)
        memset(in->contributions, 0, in->part_count * s->field.dims * s->field.bins * sizeof *in->contributions);
    uhi_host_parallel(frame->queue, "integrate: sample", sample_part, &sharing, in->part_count);
    in->kernel_ns += uhi_host_now() - begin;
    in->calls += s->samples;
    return UH_SUCCESS;
}

static uh_status refuse_on_device(struct uhi_frame *frame, void *context) {
    (void)context;
    return uhi_fail(UH_ERROR_UNSUPPORTED, frame->call, "integrand",
                    "is a function in C, which the host alone runs, and the queue is of %s",
                    frame->engine->properties.selector);
}

static const struct uhi_stage sample_stage = {"integrate: sample", sample_on_host, refuse_on_device};

/* Counts values that are not finite: an error, unless they are to count as 0. */
static uh_status check_finite(const struct integration *in, size_t iteration, uint64_t *found) {
    const struct uhi_sampler_part *first = &in->parts[0];
    uint64_t n = 0;
    char point[UH_INTEGRATE_MAX_DIMS * 25 + 1];
    size_t used = 0;
    for (size_t p = 0; p < in->part_count; p++) {
        n += in->parts[p].not_finite;
        first = in->parts[p].first < first->first ? &in->parts[p] : first;
    }
    if (n == 0 || in->options->zero_not_finite) {
        *found = n;
        return UH_SUCCESS;
    }
    for (size_t d = 0; d < in->sampling.field.dims; d++)
        used += (size_t)snprintf(point + used, sizeof point - used, "%s%.10g", d ? ", " : "", first->point[d]);
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, in->frame.call, "integrand",
                    "is %g at (%s), expected finite values; %" PRIu64 " of the %" PRIu64
                    " samples of iteration %zu are not",
                    first->value, point, n, in->sampling.samples, iteration);
}

/* Chooses the unit of contributions: a sample of the usual size is given 2^36 of them, or fewer where there are so many
 * samples that their sum would pass 2^60. */
static void choose_scale(struct integration *in) {
    const int bits = 60 - ilogb((double)in->options->max_calls) - 1, half = bits < 36 ? bits / 2 : 18;
    in->sampling.limit = 0x1p51;
    in->sampling.scale = in->size > 0 ? fmin(ldexp(1, half) / in->size, 0x1p1000) : 0x1p1000;
}

/* The root of the mean square. */
static double size_of(const struct uhi_estimate *estimate, uint64_t samples) {
    return fmax(fabs(estimate->value[0]), sqrt(estimate->covariance[0] * (double)samples));
}

/* Takes values in units `factor` times as large, or as small: 2^100 times and more, so that estimates before tell
 * nothing beside those that follow. */
static void change_units(struct integration *in, double factor, struct uhi_average *average) {
    in->sampling.scale_of_values *= factor;
    in->size /= factor;
    *average = (struct uhi_average){.n = 0};
}

/* Learns the size of values from an iteration, of contributions where there were some. Returns whether it has to be
 * done once more: values are too large for their scale, or their contributions' sum may have passed 2^63. */
static int learn_size(struct integration *in, struct uhi_average *average) {
    uint64_t given = 0;
    int too_large = 0;
    for (size_t p = 0; p < in->part_count; p++) {
        given += in->parts[p].given;
        too_large |= in->parts[p].too_large;
    }
    if (too_large)
        change_units(in, 0x1p400, average);
    else if (given > 0)
        in->size = sqrt(ldexp((double)given, UHI_GIVEN_BITS) / (double)in->sampling.samples) / in->sampling.scale;
    if (too_large || given >> (62 - UHI_GIVEN_BITS) == 0)
        return too_large;
    const struct uhi_estimate estimate = uhi_estimate_of(&in->sampling, units_of(&in->sampling));
    in->size = fmax(in->size, size_of(&estimate, in->sampling.samples));
    return 1;
}

/* A few samples from all of the box, before any cube. */
static uh_status sample_pilot(struct integration *in, struct uhi_estimate *estimate) {
    const struct uhi_sampling all = in->sampling;
    const size_t parts = in->part_count;
    struct uhi_sampling *s = &in->sampling;
    s->intervals = s->cubes = 1;
    s->each = s->samples = PILOT;
    s->starts = NULL;
    s->spread = NULL;
    s->adjusts = 0;
    s->stream = uhi_integrate_stream(PILOT_ITERATION);
    s->scale_of_values = PILOT_UNIT;
    in->part_count = 1;
    uh_status status = uhi_frame_run(&in->frame, &sample_stage, in);
    if (!status)
        *estimate = uhi_estimate_of(s, 1);
    in->sampling = all;
    in->part_count = parts;
    return status;
}

/* Takes values in other units where their squares would be too large or too small. */
static void choose_units(struct integration *in, struct uhi_average *average) {
    const double factor = in->size > 0 && isfinite(in->size) ? ldexp(1, ilogb(in->size)) : 1;
    const double unit = in->sampling.scale_of_values * factor;
    if ((factor >= 0x1p100 || factor <= 0x1p-100) && unit <= 0x1p1000 && unit >= 0x1p-1000)
        change_units(in, factor, average);
}

static uh_status find_size(struct integration *in) {
    struct uhi_estimate pilot;
    uh_status status = sample_pilot(in, &pilot);
    if (!status)
        in->size = size_of(&pilot, PILOT) * PILOT_UNIT;
    return status;
}

/* ---- adjusting ---- */

static void adjust_grid(struct integration *in) {
    const struct uhi_sampling *s = &in->sampling;
    const size_t bins = s->field.bins, width = bins + 1;
    uint64_t *sum = in->contributions;
    for (size_t p = 1; p < in->part_count; p++)
        for (size_t i = 0; i < s->adjusts * bins; i++)
            sum[i] += in->contributions[p * s->field.dims * bins + i];
    for (size_t d = 0; d < s->adjusts; d++) {
        for (size_t b = 0; b < bins; b++)
            in->numbers[b] = (double)sum[d * bins + b];
        uhi_grid_adjust(in->grid->edges + d * width, bins, in->numbers, in->options->alpha, in->numbers + bins);
    }
    for (size_t d = s->adjusts; d < s->field.dims; d++) /* mcubes1d */
        memcpy(in->grid->edges + d * width, in->grid->edges, width * sizeof *in->grid->edges);
}

/* A variance to the power beta / 2: roots alone for the usual one. Rounding may have left less than none. */
static double damped(double variance, double beta) {
    variance = variance > 0 ? variance : 0;
    if (beta == 0.75) {
        const double fourth = sqrt(sqrt(variance));
        return fourth * sqrt(fourth);
    }
    return pow(variance, beta / 2);
}

/* Gives each cube two samples, and shares the others. */
static void share_samples(struct integration *in) {
    struct uhi_sampling *s = &in->sampling;
    const uint64_t others = in->options->max_calls - 2 * s->cubes;
    double sum = 0;
    for (uint64_t c = 0; c < s->cubes; c++)
        s->spread[c] = damped(s->spread[c], in->options->beta);
    for (uint64_t c = 0; c < s->cubes; c++)
        sum += s->spread[c];
    const int some = sum > 0x1p-900 && isfinite(sum); /* else all are alike */
    in->starts[0] = 0;
    for (uint64_t c = 0; c < s->cubes; c++)
        in->starts[c + 1] =
            in->starts[c] + 2 + (some ? (uint64_t)(s->spread[c] * ((double)others / sum)) : others / s->cubes);
    s->starts = in->starts;
    s->samples = in->starts[s->cubes];
}

/* ---- iterations ---- */

/* Samples once: its estimate, and what follows for the next iteration. */
static uh_status iterate(struct integration *in, size_t iteration, struct uhi_average *average,
                         struct uhi_estimate *estimate) {
    struct uhi_sampling *s = &in->sampling;
    const int adjusts = iteration < in->options->adjusting && in->variant != UH_INTEGRATE_PLAIN;
    uint64_t not_finite = 0;
    uh_status status = UH_SUCCESS;
    uhi_grid_cells(in->grid, in->cells);
    s->stream = uhi_integrate_stream(iteration);
    s->adjusts = !adjusts ? 0 : in->variant == UH_INTEGRATE_MCUBES1D ? 1 : s->field.dims;
    if (iteration == 0)
        status = find_size(in);
    choose_units(in, average);
    do {
        choose_scale(in);
        if (!status)
            status = uhi_frame_run(&in->frame, &sample_stage, in);
        if (!status)
            status = check_finite(in, iteration, &not_finite);
        if (status)
            return status;
    } while (learn_size(in, average));
    in->not_finite += not_finite;
    *estimate = uhi_estimate_of(s, units_of(s));
    if (!adjusts)
        in->size = size_of(estimate, s->samples);
    /* Where all samples are alike, there is nothing to follow. */
    if (estimate->covariance[0] * (double)s->samples <= 1e-24 * estimate->value[0] * estimate->value[0])
        return UH_SUCCESS;
    if (adjusts)
        adjust_grid(in);
    if (adjusts && in->variant == UH_INTEGRATE_VEGAS_PLUS)
        share_samples(in);
    return UH_SUCCESS;
}

static void store(const struct integration *in, const struct uhi_average *average, uh_integral *to) {
    const size_t values = in->sampling.integrand->values;
    const double unit = in->sampling.scale_of_values;
    const struct uhi_estimate now = uhi_average_of(average, values);
    to->value = now.value[0] * unit;
    to->error = sqrt(now.covariance[0]) * unit;
    to->dof = average->n - 1;
    to->chi2_dof = average->n > 1 ? average->chi2 / (double)to->dof : 0;
    for (size_t k = 0; k < values; k++) {
        to->values[k] = now.value[k] * unit;
        for (size_t l = 0; l < values; l++)
            to->covariance[k * values + l] = now.covariance[l <= k ? uhi_pair(k, l) : uhi_pair(l, k)] * unit * unit;
    }
}

static int has_converged(const uh_integrate_options *options, const uh_integral *integral) {
    return integral->dof > 0 && integral->chi2_dof <= options->max_chi2_dof &&
           (integral->error <= options->absolute_error ||
            integral->error <= options->relative_error * fabs(integral->value));
}

/* Tells of an iteration; not 0 where that ends it. */
static int tell(const struct integration *in, size_t number, const struct uhi_estimate *own, uint64_t begin,
                uint64_t kernel_ns, uint64_t calls, const uh_integral *all) {
    const uh_iteration iteration = {.struct_size = sizeof iteration,
                                    .number = number,
                                    .estimate = own->value[0] * in->sampling.scale_of_values,
                                    .deviation = sqrt(own->covariance[0]) * in->sampling.scale_of_values,
                                    .integral = all->value,
                                    .error = all->error,
                                    .chi2_dof = all->chi2_dof,
                                    .calls = in->calls - calls,
                                    .kernel_ns = in->kernel_ns - kernel_ns,
                                    .total_ns = uhi_host_now() - begin};
    return in->options->report ? in->options->report(&iteration, in->options->report_context) : 0;
}

static uh_status work(struct integration *in, uh_integral *integral) {
    const uh_integrate_options *options = in->options;
    struct uhi_average average = {.n = 0};
    const size_t skipped = options->skipped < options->iterations ? options->skipped : options->iterations - 1;
    integral->end = UH_INTEGRATE_ITERATIONS;
    for (size_t i = 0; i < options->iterations && integral->end == UH_INTEGRATE_ITERATIONS; i++) {
        const uint64_t begin = uhi_host_now(), kernel_ns = in->kernel_ns, calls = in->calls;
        struct uhi_estimate own;
        uh_status status = iterate(in, i, &average, &own);
        if (status)
            return status;
        if (options->time_limit_ns && average.n > 0 && uhi_host_now() - in->begun > options->time_limit_ns) {
            integral->end = UH_INTEGRATE_TIME;
            break;
        }
        integral->iterations++;
        if (average.n > 0 && i < options->adjusting && uhi_average_contradicts(&average, &own))
            average = (struct uhi_average){.n = 0};
        if (i >= skipped) {
            uhi_average_add(&average, &own, in->sampling.integrand->values);
            store(in, &average, integral);
        }
        if (has_converged(options, integral) && (integral->value != 0 || i + 1 == options->iterations))
            integral->end = UH_INTEGRATE_CONVERGED;
        if (tell(in, i, &own, begin, kernel_ns, calls, integral) && integral->end != UH_INTEGRATE_CONVERGED)
            integral->end = UH_INTEGRATE_STOPPED;
    }
    return UH_SUCCESS;
}

uh_status uhi_integrate(uh_queue *queue, const char *call, const uh_integrand *integrand,
                        const uh_integrate_options *options, uh_grid *grid, uh_integral *integral) {
    struct integration in = {.grid = grid,
                             .options = options,
                             .variant = options->variant ? options->variant : UH_INTEGRATE_VEGAS_PLUS,
                             .sampling = {.integrand = integrand, .seed = options->seed, .scale_of_values = 1},
                             .begun = uhi_host_now()};
    in.sampling.field.dims = grid->dims;
    in.sampling.field.bins = grid->bins;
    memcpy(in.sampling.field.sides, grid->sides, sizeof in.sampling.field.sides);
    uhi_frame_open(&in.frame, queue, uhi_integrate_variants());
    cut(&in);
    uh_status status = uhi_frame_begin(&in.frame, call, 1);
    if (!status)
        status = open_memory(&in);
    if (!status)
        status = work(&in, integral);
    integral->variant = in.variant;
    integral->intervals = in.sampling.intervals;
    integral->cubes = in.sampling.cubes;
    integral->calls = in.calls;
    integral->not_finite = in.not_finite;
    integral->kernel_ns = in.kernel_ns;
    integral->total_ns = uhi_host_now() - in.begun;
    close_all(&in);
    return status;
}
