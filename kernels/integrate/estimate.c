/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/integrate/estimate.h"

#include <math.h>
#include <string.h>

#include "kernels/integrate/sums.h"

const struct uhi_value_range uhi_float64_range = {.dtype = UH_F64,
                                                  .pilot = 0x1p600,
                                                  .largest = UHI_INTEGRATE_LARGEST,
                                                  .rescale_factor = 0x1p100,
                                                  .too_large = 0x1p400,
                                                  .min_unit = 0x1p-1000};
const struct uhi_value_range uhi_float32_range = {.dtype = UH_F32,
                                                  .pilot = 0x1p40,
                                                  .largest = 0x1p40,
                                                  .rescale_factor = 0x1p8,
                                                  .too_large = 0x1p30,
                                                  .min_unit = 0x1p-100};

/* ---- one iteration ---- */

/* Relative error of a weighted value: widths are small differences of edges. */
#define ROUNDING 1e-12

/* Samples whose deviation is at most this fraction of the minimum count as equal. */
#define EQUAL_FRACTION 1e-4

/* Standard deviation of a jump's place between two samples, in samples, of two per cube. */
#define JUMP_PART 0.6

/* The part of the sum of squares that one of all samples makes if tails are heavy. In ten runs of each integrand of the
 * sets (50,000 calls) with finite variance only spikes and |x - y|^-0.4 exceeded 0.04; with infinite variance half of
 * the integrands exceeded 0.05 in some runs, and the others, all of them converging well, never. */
#define HEAVY_PART 0.05

/* Allowance for cubes with steps of the integrand. */
enum { SOME_CUBES = 16 };

void uhi_sum_add(struct uhi_sum *sum, double value) {
    const double high = sum->high + value;
    sum->low += fabs(sum->high) >= fabs(value) ? (sum->high - high) + value : (value - high) + sum->high;
    sum->high = high;
}

/* Stores the means of the next cube of a sequence. */
static void keep_means(const struct uhi_sampling *s, struct uhi_iteration_sums *sums, const void *means) {
    const size_t values = s->integrand->values;
    if (s->sequence && sums->ended < s->cubes)
        memcpy(s->sequence->means + sums->ended++ * values, means, values * sizeof *s->sequence->means);
}

/* Adds a cube whose parts are all joined. */
static void end_cube(const struct uhi_sampling *sampling, struct uhi_iteration_sums *sums) {
    const size_t values = sampling->integrand->values;
    const struct uhi_cube_part *part = &sums->open;
    const double n = (double)part->n;
    if (part->n == 0)
        return;
    keep_means(sampling, sums, part->number);
    for (size_t k = 0; k < values; k++)
        uhi_sum_add(&sums->number[k], part->number[k]);
    for (size_t i = values; i < UHI_NUMBERS(values); i++)
        uhi_sum_add(&sums->number[i], part->number[i] / (n * (n - 1)));
    if (sampling->spread && part->cube < sampling->cubes) /* a device may have stored anything */
        sampling->spread[part->cube] = part->number[values] / (n - 1);
    sums->open.n = 0;
}

/* Takes a part: of the open cube, or the first of another one. */
static void add_part(const struct uhi_sampling *sampling, const union uhi_word *words,
                     struct uhi_iteration_sums *sums) {
    const size_t values = sampling->integrand->values;
    struct uhi_cube_part part;
    if (words[1].i == 0)
        return;
    memcpy(&part, words, (2 + UHI_NUMBERS(values)) * sizeof *words);
    if (sums->open.cube != part.cube)
        end_cube(sampling, sums);
    uhi_join_parts(&sums->open, &part, values);
}

void uhi_iteration_begin(struct uhi_iteration_sums *sums, const struct uhi_sampling *sampling) {
    memset(sums, 0, offsetof(struct uhi_iteration_sums, open.number));
    memset(sums->number, 0, UHI_NUMBERS(sampling->integrand->values) * sizeof *sums->number);
    sums->first_not_finite = UINT64_MAX;
}

void uhi_iteration_add(struct uhi_iteration_sums *sums, const struct uhi_sampling *sampling, size_t units) {
    const size_t values = sampling->integrand->values;
    const union uhi_word *row = sampling->rows;
    for (size_t u = 0; u < units; u++, row += UHI_ROW_WORDS(values)) {
        add_part(sampling, row + UHI_ROW_FIRST(values), sums);
        if (sampling->each == UHI_UNIT) /* the unit is a cube */
            keep_means(sampling, sums, row + UHI_ROW_SUMS);
        for (size_t i = 0; i < UHI_NUMBERS(values); i++)
            uhi_sum_add(&sums->number[i], row[UHI_ROW_SUMS + i].f);
        add_part(sampling, row + UHI_ROW_LAST(values), sums);
        sums->not_finite += row[UHI_ROW_NOT_FINITE].i;
        sums->given += row[UHI_ROW_GIVEN].i;
        sums->too_large |= row[UHI_ROW_TOO_LARGE].i != 0;
        sums->largest = fmax(sums->largest, row[UHI_ROW_LARGEST].f);
        sums->jump = fmax(sums->jump, row[UHI_ROW_JUMP].f);
        if (row[UHI_ROW_FIRST_NOT_FINITE].i < sums->first_not_finite)
            sums->first_not_finite = row[UHI_ROW_FIRST_NOT_FINITE].i;
    }
}

void uhi_iteration_end(struct uhi_iteration_sums *sums, const struct uhi_sampling *sampling,
                       struct uhi_estimate *estimate) {
    const size_t values = sampling->integrand->values;
    const double cubes = (double)sampling->cubes;
    end_cube(sampling, sums);
    estimate->largest = sums->largest;
    estimate->jump = sums->jump;
    estimate->squares = 0;
    for (size_t k = 0; k < values; k++)
        estimate->value[k] = (sums->number[k].high + sums->number[k].low) / cubes;
    for (size_t i = 0; i < UHI_PAIRS(values); i++)
        estimate->covariance[i] = (sums->number[values + i].high + sums->number[values + i].low) / cubes / cubes;
    for (size_t k = 0; k < values; k++) { /* a constant has only rounding errors, which may be negative */
        double *variance = &estimate->covariance[uhi_pair(values, k, k)];
        const double rounding = ROUNDING * fabs(estimate->value[k]);
        *variance = *variance * (double)sampling->samples > rounding * rounding ? *variance : 0;
    }
}

/* ---- several iterations ---- */

/* Notes the samples' shares of an average of which they make this part. */
static void add_squares(struct uhi_average *average, double part, const struct uhi_estimate *estimate) {
    average->largest = fmax((1 - part) * average->largest, part * estimate->largest);
    average->squares = (1 - part) * (1 - part) * average->squares + part * part * estimate->squares;
}

void uhi_average_add(struct uhi_average *average, const struct uhi_estimate *estimate, size_t values) {
    const double own = 1 / fmax(estimate->covariance[0], 0x1p-900); /* if all values are 0 */
    const double weight = average->n++ > 0 ? average->next : own, sum = average->weight + weight, part = weight / sum;
    double away[UH_INTEGRATE_MAX_VALUES]; /* from the average before */
    average->next = own;
    for (size_t k = 0; k < values; k++) {
        away[k] = estimate->value[k] - average->value[k];
        average->value[k] += part * away[k];
        for (size_t l = 0; l <= k; l += UHI_STEP(values, k)) {
            const size_t pair = uhi_pair(values, k, l);
            average->within[pair] =
                (1 - part) * (1 - part) * average->within[pair] + part * part * estimate->covariance[pair];
            average->between[pair] = (1 - part) * average->between[pair] + part * (1 - part) * away[k] * away[l];
        }
    }
    average->weight = sum;
    add_squares(average, part, estimate);
    average->first = average->n == 1 ? estimate->value[0] : average->first;
    const double difference = estimate->value[0] - average->first;
    average->precision[0] += own;
    average->precision[1] += own * difference;
    average->precision[2] += own * difference * difference;
}

void uhi_average_set(struct uhi_average *average, size_t n, const struct uhi_estimate *estimate) {
    const double part = average->n > 0 ? 0.5 : 1; /* the points have doubled */
    *average = (struct uhi_average){.n = n, .largest = average->largest, .squares = average->squares};
    add_squares(average, part, estimate);
    memcpy(average->value, estimate->value, sizeof average->value);
    memcpy(average->within, estimate->covariance, sizeof average->within);
}

void uhi_average_of(const struct uhi_average *average, size_t values, struct uhi_estimate *of) {
    double factor[UH_INTEGRATE_MAX_VALUES];
    for (size_t k = 0; k < values; k++) {
        const size_t square = uhi_pair(values, k, k);
        const double own = average->within[square],
                     scatter = average->n > 1 ? average->between[square] / (double)(average->n - 1) : 0;
        of->value[k] = average->value[k];
        factor[k] = scatter > own && own > 0 ? sqrt(scatter / own) : 1;
        for (size_t l = 0; l <= k; l += UHI_STEP(values, k))
            of->covariance[uhi_pair(values, k, l)] = average->within[uhi_pair(values, k, l)] * factor[k] * factor[l];
    }
}

double uhi_average_chi2(const struct uhi_average *average) {
    const double mean = average->value[0] - average->first, *sum = average->precision;
    return fmax(sum[2] - mean * (2 * sum[1] - mean * sum[0]), 0);
}

int uhi_average_has_heavy_tails(const struct uhi_average *average) {
    return average->largest * average->largest > HEAVY_PART * average->squares;
}

int uhi_average_contradicts(const struct uhi_average *average, const struct uhi_estimate *estimate) {
    const double own = estimate->covariance[0], within = average->within[0];
    const double difference = fabs(estimate->value[0] - average->value[0]);
    return own > 100 * (double)average->n * within ||
           (difference > 5 * sqrt(own + within) && difference > 1e-12 * fabs(average->value[0]));
}

/* ---- the minimum deviation ---- */

double uhi_estimate_size(const struct uhi_estimate *estimate, const struct uhi_sampling *s, size_t k) {
    const double variance = estimate->covariance[uhi_pair(s->integrand->values, k, k)];
    return fmax(fabs(estimate->value[k]), sqrt(variance * (double)s->samples));
}

void uhi_usual_learn(struct uhi_usual *usual, const struct uhi_estimate *estimate, const struct uhi_sampling *s,
                     double size, struct uhi_average *average) {
    for (size_t k = 0; k < s->integrand->values; k++) {
        const int is_given = k == 0 && s->adjusts > 0;
        const double here = uhi_estimate_size(estimate, s, k), of_all = is_given ? size : here;
        const double now = here > 0 ? of_all * of_all / fmax(fabs(estimate->value[k]), of_all / 32) : 0;
        if (now > 0 && usual->value[k] == 0 && k == 0)
            *average = (struct uhi_average){.n = 0};
        if (now > 0 && (is_given || now > usual->value[k]))
            usual->value[k] = now;
    }
}

/* Returns whether samples differ in hardly any cubes except those cut by an edge of the grid, as for piecewise constant
 * values. With many such cubes this cannot be decided. */
static int is_stepwise(const struct uhi_sampling *s) {
    double cut = 0;
    uint64_t differ = 0;
    for (size_t d = 0; d < s->field.dims; d++)
        cut += (double)s->field.bins / (double)s->intervals[d] * (double)s->cubes;
    if (cut > 0.5 * (double)s->cubes)
        return 0;
    for (uint64_t c = 0; c < s->cubes; c++)
        differ += s->spread[c] != 0;
    return (double)differ <= cut + SOME_CUBES;
}

void uhi_estimate_bound(struct uhi_estimate *estimate, const struct uhi_sampling *s, struct uhi_usual *usual) {
    const double hidden = 1 / ((double)s->cubes * (double)((s->starts ? 2 : s->each) - 1));
    if (s->spread && s->field.dims > 1)
        usual->stepwise = is_stepwise(s);
    if (s->field.dims == 1) {
        const double missed = JUMP_PART * estimate->jump / (double)s->samples;
        estimate->covariance[0] = fmax(estimate->covariance[0], missed * missed);
    }
    for (size_t k = 0; k < s->integrand->values; k++) {
        double *variance = &estimate->covariance[uhi_pair(s->integrand->values, k, k)];
        const double size = fmax(usual->value[k], uhi_estimate_size(estimate, s, k)), minimum = size * hidden;
        if (sqrt(*variance * (double)s->samples) <= EQUAL_FRACTION * minimum || (k == 0 && usual->stepwise))
            *variance = fmax(*variance, minimum * minimum);
    }
}
