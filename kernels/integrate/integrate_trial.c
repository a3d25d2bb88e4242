/* SPDX-License-Identifier: Apache-2.0 */
/* Trial of an integrand's kernel before its first use: it is compiled from the whole text and needs far more registers
 * than other kernels. The whole device samples at once, and the host samples some of the same units. Then the device
 * samples again, so that units fall to other groups: their results must be the same. */
#include "kernels/integrate/integrate_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/pace.h"
#include "kernels/common/trial.h"
#include "kernels/integrate/cubature.h"
#include "kernels/integrate/integrate_run.h"
#include "runtime/host.h"
#include "runtime/spirv.h"
#include "runtime/status.h"

enum {
    MIN_LOOKS = 2, /* the first unit and the last */
    TRIES = 6      /* maximum launches of a few units */
};

/* The same for all trials: the verdict is kept for other integrals of the text. */
#define SEED UINT64_C(0x5eed5eed5eed5eed)

/* Maximum time of the host for further units, and of a launch that occupies the device. */
#define HOST_NS   UINT64_C(100000000)
#define LAUNCH_NS UINT64_C(500000000)

/* Allowed differences if a device's mathematical functions, or its numbers, differ from the host's. */
#define FUNCTIONS 1e-9
#define FLOAT32   0x1p-7

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* Opens samples of `units` units, or slightly fewer, in cubes: as for integrals, but with a fixed grid. */
static uh_status open_samples(uh_queue *queue, const struct uhi_trial *trial, const struct uhi_integrand_trial *t,
                              size_t units, double scale, struct uhi_samples *samples) {
    const struct uhi_sampling *of = &t->of->sampling;
    *samples = (struct uhi_samples){.grid = t->of->grid, .options = t->of->options};
    struct uhi_sampling *s = &samples->sampling;
    s->integrand = of->integrand;
    s->field = of->field;
    s->seed = SEED;
    s->stream = UH_INTEGRATE_STREAM;
    s->scale_of_values = scale;
    s->report = UINT64_MAX;
    uhi_cubes_cut(s, units > 1 ? UH_INTEGRATE_MCUBES : UH_INTEGRATE_PLAIN, NULL, (uint64_t)units * UHI_UNIT);
    const uh_status status = uhi_samples_open_one(samples, queue, trial->call, (uint64_t)units * UHI_UNIT, 0);
    if (!status)
        uhi_grid_cells(samples->grid, samples->cells);
    return status;
}

/* ---- results of a unit ------------------------------------------------------------------------------------------- */

/* Returns the size of values, weighted and in the sampling's units, given their sums. */
static double size_in(const struct uhi_integrand_trial *t, const union uhi_word *numbers, size_t k) {
    return t->size[k] + sqrt(fabs(numbers[uhi_product(t->of->sampling.integrand->values, k, k)].f));
}

/* Returns whether float32 cannot hold a value and its square. */
static int is_beyond_unit(const struct uhi_integrand_trial *t, size_t k) {
    return t->fp32 && !(t->size[k] > 0x1p-40 && t->size[k] < 0x1p40);
}

/* Notes sums of each value, and of each pair; those that are not `known` are not compared. */
static void note_numbers(struct uhi_trial *trial, const struct uhi_integrand_trial *t, uint64_t unit,
                         const union uhi_word *numbers, int known) {
    const size_t values = t->of->sampling.integrand->values;
    for (size_t k = 0; k < values; k++) {
        const double a = UHI_UNIT * size_in(t, numbers, k), tolerance = t->difference * (fabs(numbers[k].f) + a);
        uhi_trial_note(trial, (struct uhi_trial_result){"a sum of values in unit", 1, unit, numbers[k].i,
                                                        known && !is_beyond_unit(t, k) ? tolerance : INFINITY});
        for (size_t l = 0; l <= k; l += UHI_STEP(values, k)) {
            const union uhi_word product = numbers[uhi_product(values, k, l)];
            const double room = t->difference * (fabs(product.f) + a * size_in(t, numbers, l));
            uhi_trial_note(trial, (struct uhi_trial_result){
                                      "a sum of products in unit", 1, unit, product.i,
                                      known && !is_beyond_unit(t, k) && !is_beyond_unit(t, l) ? room : INFINITY});
        }
    }
}

static void note_row(struct uhi_trial *trial, const struct uhi_integrand_trial *t, uint64_t unit,
                     const union uhi_word *row) {
    const size_t values = t->of->sampling.integrand->values;
    const union uhi_word *const parts[] = {row + UHI_ROW_FIRST(values), row + UHI_ROW_LAST(values)};
    static const union uhi_word nothing[UHI_NUMBERS(UH_INTEGRAND_MAX_VALUES)];
    /* Sums of too large values mean nothing, and float32 overflows before the host's numbers do. */
    const int known = row[UHI_ROW_TOO_LARGE].i == 0 && !(t->fp32 && row[UHI_ROW_NOT_FINITE].i);
    if (!t->fp32) {
        uhi_trial_add(trial, "values that are not finite in unit", unit, row[UHI_ROW_NOT_FINITE].i);
        uhi_trial_add(trial, "the first value that is not finite in unit", unit, row[UHI_ROW_FIRST_NOT_FINITE].i);
        uhi_trial_add(trial, "values that are too large in unit", unit, row[UHI_ROW_TOO_LARGE].i != 0);
    }
    note_numbers(trial, t, unit, row + UHI_ROW_SUMS, known);
    for (size_t i = UHI_ROW_LARGEST; i < UHI_ROW_SUMS; i++)
        uhi_trial_note(trial, (struct uhi_trial_result){
                                  "the largest value or jump in unit", 1, unit, row[i].i,
                                  known && !is_beyond_unit(t, 0)
                                      ? t->difference * (row[i].f + UHI_UNIT * size_in(t, row + UHI_ROW_SUMS, 0))
                                      : INFINITY});
    for (size_t p = 0; p < 2; p++) {
        const int is_there = parts[p][1].i > 0;
        uhi_trial_add(trial, "samples of a cube that continues in unit", unit, parts[p][1].i);
        uhi_trial_add(trial, "the cube that continues in unit", unit, is_there ? parts[p][0].i : 0);
        note_numbers(trial, t, unit, is_there ? parts[p] + 2 : nothing, known);
    }
}

/* Returns whether two results of the same unit are equal. */
static int is_same(size_t values, const union uhi_word *a, const union uhi_word *b) {
    const size_t part = UHI_NUMBERS(values) * sizeof *a;
    const size_t at[] = {UHI_ROW_FIRST(values), UHI_ROW_LAST(values)};
    int same = memcmp(a, b, UHI_ROW_FIRST(values) * sizeof *a) == 0;
    for (size_t p = 0; p < 2; p++)
        same = same && a[at[p] + 1].i == b[at[p] + 1].i &&
               (a[at[p] + 1].i == 0 || (a[at[p]].i == b[at[p]].i && memcmp(a + at[p] + 2, b + at[p] + 2, part) == 0));
    return same;
}

/* ---- the host and the device ------------------------------------------------------------------------------------- */

static uh_status find_sizes(uh_queue *queue, struct uhi_trial *trial, struct uhi_integrand_trial *t) {
    const size_t values = t->of->sampling.integrand->values;
    struct uhi_samples samples;
    uh_status status = open_samples(queue, trial, t, 1, 1, &samples);
    const union uhi_word *row = samples.sampling.rows;
    if (!status)
        status = uhi_samples_draw_units(&samples, 0, 1, samples.sampling.rows);
    for (size_t k = 0; k < values && !status; k++)
        t->size[k] = fabs(row[UHI_ROW_SUMS + k].f) +
                     sqrt(fabs(row[UHI_ROW_SUMS + uhi_product(values, k, k)].f) * (double)UHI_UNIT);
    t->scale = !status && t->size[0] > 0 && isfinite(t->size[0]) ? ldexp(1, ilogb(t->size[0])) : 1;
    for (size_t k = 0; k < values; k++)
        t->size[k] /= t->scale;
    uhi_samples_close_one(&samples);
    return status;
}

static uh_status look_on_host(struct uhi_samples *samples, struct uhi_trial *trial, struct uhi_integrand_trial *t) {
    const size_t last = uhi_units_of(&samples->sampling) - 1;
    const uint64_t begin = uhi_host_now();
    uh_status status = UH_SUCCESS;
    for (t->looks = 0; t->looks < UHI_INTEGRAND_LOOKS && !status; t->looks++) {
        if (t->looks >= MIN_LOOKS && uhi_host_now() - begin > HOST_NS)
            break;
        const size_t unit = t->looks == 1 ? last : t->looks * last / UHI_INTEGRAND_LOOKS;
        status = uhi_samples_draw_units(samples, unit, 1, samples->sampling.rows);
        t->unit[t->looks] = unit;
        if (!status)
            note_row(trial, t, unit, samples->sampling.rows);
    }
    uhi_trial_add_one(trial, "units that other groups sample differently", 0);
    return status;
}

/* Takes units in one launch, however long it takes. */
static uh_status draw_at_once(struct uhi_samples *samples, size_t first, size_t units, union uhi_word *rows) {
    samples->at_once = units;
    return uhi_samples_draw_units(samples, first, units, rows);
}

/* Chooses the units per launch: enough to occupy the device, or only a few if that would take long. The few are timed
 * after a first run, because drivers prepare much for the first launch; if they seem slow, they are timed again,
 * because the process may have had to wait. */
static uh_status choose_launch(struct uhi_samples *samples, const struct uhi_integrand_trial *t, size_t units,
                               size_t *n) {
    const size_t few = (size_t)uhi_pace_lanes(&samples->frame.engine->properties) / UHI_UNIT_STRIPS + 1,
                 fit = units < samples->piece ? units : samples->piece, all = fit < t->launch ? fit : t->launch;
    uh_status status = UH_SUCCESS;
    *n = few < all ? few : all;
    for (int i = 0; i < TRIES && *n < all && !status; i++) {
        const uint64_t begin = uhi_host_now();
        status = draw_at_once(samples, 0, few, samples->sampling.rows);
        if (i > 0 && (uhi_host_now() - begin) / few <= LAUNCH_NS / all)
            *n = all;
    }
    return status;
}

/* Notes the device's results for the units that the host has sampled; `a` has the first n units, `b` the last n. */
static uh_status note_looks(struct uhi_samples *samples, struct uhi_trial *trial, const struct uhi_integrand_trial *t,
                            size_t n, const union uhi_word *a, const union uhi_word *b) {
    const size_t words = UHI_ROW_WORDS(samples->sampling.integrand->values),
                 from = uhi_units_of(&samples->sampling) - n;
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < t->looks && !status; i++) {
        const size_t unit = t->unit[i];
        const union uhi_word *row = unit < n ? a + unit * words : b + (unit - from) * words;
        if (unit >= n && unit < from) {
            status = draw_at_once(samples, unit, 1, samples->sampling.rows);
            row = samples->sampling.rows;
        }
        if (!status)
            note_row(trial, t, unit, row);
    }
    return status;
}

static uh_status look_on_device(struct uhi_samples *samples, struct uhi_trial *trial,
                                const struct uhi_integrand_trial *t) {
    const size_t values = samples->sampling.integrand->values, words = UHI_ROW_WORDS(values);
    const size_t units = uhi_units_of(&samples->sampling);
    size_t n;
    uint64_t differ = 0;
    uh_status status = choose_launch(samples, t, units, &n);
    const size_t from = units - n;
    union uhi_word *a = calloc(2 * n * words, sizeof *a), *b = a ? a + n * words : NULL;
    if (!status && !a)
        status = uhi_fail_memory(trial->call, "no memory for %zu units of a self-test", 2 * n);
    if (!status)
        status = draw_at_once(samples, 0, n, a);
    if (!status)
        status = draw_at_once(samples, from, n, b);
    if (!status)
        status = note_looks(samples, trial, t, n, a, b);
    for (size_t u = from; u < n && !status; u++)
        differ += !is_same(values, a + u * words, b + (u - from) * words);
    uhi_trial_add_one(trial, "units that other groups sample differently", differ);
    free(a);
    return status;
}

uh_status uhi_integrand_try(uh_queue *queue, struct uhi_trial *trial) {
    struct uhi_integrand_trial *t = trial->context;
    const int on_host = uhi_body_of(queue) == UHI_BODY_HOST;
    struct uhi_samples samples;
    t->difference = t->fp32 ? FLOAT32 : uhi_spirv_is_exact(t->program->spirv, t->program->spirv_size) ? 0 : FUNCTIONS;
    t->launch = uhi_engine_groups(t->of->frame.engine, UHI_UNIT_STRIPS);
    UHI_TRY(on_host ? find_sizes(queue, trial, t) : UH_SUCCESS);
    uh_status status = open_samples(queue, trial, t, t->launch + t->launch / 2 + 1, t->scale, &samples);
    if (!status)
        status = on_host ? look_on_host(&samples, trial, t) : look_on_device(&samples, trial, t);
    uhi_samples_close_one(&samples);
    return status;
}

/* ---- the kernel of cubature, by the first regions ---- */

static void note_region(struct uhi_trial *trial, const struct uhi_integrand_trial *t, uint64_t region,
                        const union uhi_word *row) {
    const struct uhi_sampling *s = &t->of->sampling;
    const size_t first = UHI_REGION_RULES(s->field.dims, (size_t)0), each = UHI_CUBATURE_RULES + 1;
    const int sums = row[UHI_REGION_NOT_FINITE].i == 0;
    for (size_t i = 0; i < uhi_row_words(s); i++) {
        const size_t value = i < first ? 0 : (i - first) / each;
        const double size = row[first + value * each + UHI_CUBATURE_RULES].f;
        const int is_number = i >= UHI_REGION_DIFFERENCES;
        const double near = is_number ? t->difference * size : i == UHI_REGION_VALUE ? INFINITY : 0;
        uhi_trial_note(trial,
                       (struct uhi_trial_result){"a number of region", 1, region, row[i].i, sums ? near : INFINITY});
    }
}

uh_status uhi_cubature_try(uh_queue *queue, struct uhi_trial *trial) {
    struct uhi_integrand_trial *t = trial->context;
    struct uhi_samples samples = {
        .sampling = t->of->sampling, .grid = t->of->grid, .options = t->of->options, .trial = NULL};
    const size_t regions = uhi_units_of(&t->of->sampling);
    t->difference = uhi_spirv_is_exact(t->program->spirv, t->program->spirv_size) ? 0 : FUNCTIONS;
    samples.sampling.rows = NULL;
    uh_status status = uhi_samples_open_one(&samples, queue, trial->call, regions * UHI_UNIT, 0);
    if (!status)
        status = uhi_samples_draw_units(&samples, 0, regions, samples.sampling.rows);
    for (size_t i = 0; i < regions && !status; i++)
        note_region(trial, t, i, samples.sampling.rows + i * uhi_row_words(&samples.sampling));
    uhi_samples_close_one(&samples);
    return status;
}

/* ---- kernels of points ---- */

enum { POINTS = 37 };

/* Notes a few points; numbers may differ by this part of the largest. */
static uh_status note_points(uh_queue *queue, struct uhi_trial *trial, const uh_grid *grid, const uh_points *points,
                             double part) {
    enum { MAX_WIDTH = UH_INTEGRATE_MAX_DIMS + 1 + UH_INTEGRAND_MAX_VALUES };
    const size_t numbers = POINTS * (grid->dims + 1 + (points->integrand ? points->integrand->values : 0));
    union uhi_word rows[POINTS * MAX_WIDTH] = {{0}};
    const int on_host = uhi_body_of(queue) == UHI_BODY_HOST;
    double size = 0;
    const uh_status status = uhi_grid_points(queue, trial->call, grid, points, NULL, &rows[0].f);
    for (size_t i = 0; i < numbers; i++)
        size = isfinite(rows[i].f) ? fmax(size, fabs(rows[i].f)) : size;
    for (size_t i = 0; i < numbers; i++) /* a device must give numbers where the host does */
        uhi_trial_note(trial, (struct uhi_trial_result){"the number of place", 1, i, rows[i].i,
                                                        isfinite(rows[i].f) || !on_host ? part * size : INFINITY});
    return status;
}

/* With an integrand's values. */
uh_status uhi_integrand_try_points(uh_queue *queue, struct uhi_trial *trial) {
    const struct uhi_integrand_trial *t = trial->context;
    const double part = uhi_spirv_is_exact(t->program->spirv, t->program->spirv_size) ? 0 : FUNCTIONS;
    return note_points(queue, trial, t->of->grid, &(uh_points){t->of->sampling.integrand, SEED, 0, POINTS}, part);
}

/* With finite and infinite sides. */
uh_status uhi_integrate_trial(uh_queue *queue, struct uhi_trial *trial) {
    enum { DIMS = 4, BINS = 3 };
    static const double lower[DIMS] = {0, -INFINITY, 0.1, -INFINITY}, upper[DIMS] = {1.0 / 3, INFINITY, INFINITY, -7};
    static const uh_points points = {NULL, UINT64_C(0xfedcba9876543210), (UINT64_C(1) << 33) - 9, POINTS}; /* carry */
    uh_grid *grid = NULL;
    uh_status status = uhi_grid_make(trial->call, "", DIMS, BINS, lower, upper, NULL, &grid);
    if (!status)
        status = note_points(queue, trial, grid, &points, 0);
    uhi_grid_free(grid);
    return status;
}
