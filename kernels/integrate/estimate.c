/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/integrate/estimate.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- one iteration ---- */

/* A sum in float64 and what rounding took from it (Neumaier 1974). */
struct sum {
    double high, low;
};

static void add(struct sum *sum, double value) {
    const double high = sum->high + value;
    sum->low += fabs(sum->high) >= fabs(value) ? (sum->high - high) + value : (value - high) + sum->high;
    sum->high = high;
}

/* Joins parts of a cube: the one that was so far, and the next (Chan, Golub and LeVeque 1979). */
static void join(struct uhi_cube_part *so_far, const struct uhi_cube_part *next, size_t values) {
    const double a = (double)so_far->n, b = (double)next->n, all = a + b;
    double apart[UH_INTEGRATE_MAX_VALUES];
    for (size_t k = 0; k < values; k++) {
        apart[k] = next->sums.value[k] - so_far->sums.value[k];
        for (size_t l = 0; l <= k; l++)
            so_far->sums.product[uhi_pair(k, l)] +=
                next->sums.product[uhi_pair(k, l)] + apart[k] * apart[l] * (a * b / all);
    }
    for (size_t k = 0; k < values; k++)
        so_far->sums.value[k] += apart[k] * (b / all);
    so_far->n += next->n;
}

static void add_sums(const struct uhi_sums *sums, size_t values, struct sum *value, struct sum *product) {
    for (size_t k = 0; k < values; k++)
        add(&value[k], sums->value[k]);
    for (size_t i = 0; i < uhi_pair(values, 0); i++)
        add(&product[i], sums->product[i]);
}

/* Adds a cube of which all parts are joined. */
static void end_cube(const struct uhi_sampling *sampling, struct uhi_cube_part *part, size_t values, struct sum *value,
                     struct sum *product) {
    const double n = (double)part->n;
    if (part->n == 0)
        return;
    if (sampling->spread)
        sampling->spread[part->cube] = part->sums.product[0] / (n - 1);
    for (size_t i = 0; i < uhi_pair(values, 0); i++)
        part->sums.product[i] /= n * (n - 1);
    add_sums(&part->sums, values, value, product);
    part->n = 0;
}

/* Takes a part: of the cube that is open, or the first of another one. */
static void take_part(const struct uhi_sampling *sampling, const struct uhi_cube_part *part, struct uhi_cube_part *open,
                      size_t values, struct sum *value, struct sum *product) {
    if (part->n == 0)
        return;
    if (open->n > 0 && open->cube == part->cube) {
        join(open, part, values);
        return;
    }
    end_cube(sampling, open, values, value, product);
    *open = *part;
}

struct uhi_estimate uhi_estimate_of(const struct uhi_sampling *sampling, size_t units) {
    const size_t values = sampling->integrand->values;
    const double cubes = (double)sampling->cubes;
    struct sum value[UH_INTEGRATE_MAX_VALUES] = {{0, 0}}, product[UHI_INTEGRATE_PAIRS] = {{0, 0}};
    struct uhi_cube_part open = {.n = 0};
    struct uhi_estimate estimate = {.value = {0}};
    for (size_t u = 0; u < units; u++) {
        const struct uhi_unit *unit = &sampling->units[u];
        take_part(sampling, &unit->first, &open, values, value, product);
        add_sums(&unit->sums, values, value, product);
        take_part(sampling, &unit->last, &open, values, value, product);
    }
    end_cube(sampling, &open, values, value, product);
    for (size_t k = 0; k < values; k++)
        estimate.value[k] = (value[k].high + value[k].low) / cubes;
    for (size_t i = 0; i < uhi_pair(values, 0); i++)
        estimate.covariance[i] = (product[i].high + product[i].low) / cubes / cubes;
    for (size_t k = 0; k < values; k++) /* rounding may leave less than none */
        estimate.covariance[uhi_pair(k, k)] = fmax(estimate.covariance[uhi_pair(k, k)], 0);
    return estimate;
}

/* ---- several ---- */

void uhi_average_add(struct uhi_average *average, const struct uhi_estimate *estimate, size_t values) {
    double part[UH_INTEGRATE_MAX_VALUES]; /* of the new one */
    for (size_t k = 0; k < values; k++) {
        /* The deviation of a constant is no more than rounding. */
        const double least = fabs(estimate->value[k]) * DBL_EPSILON, apart = estimate->value[k] - average->value[k];
        const double w = 1 / fmax(estimate->covariance[uhi_pair(k, k)], fmax(least * least, 0x1p-900));
        average->weight[k] += w;
        part[k] = w / average->weight[k];
        average->value[k] = (1 - part[k]) * average->value[k] + part[k] * estimate->value[k];
        if (k == 0)
            average->chi2 += w * apart * apart * (1 - part[k]);
        for (size_t l = 0; l <= k; l++) {
            double *covariance = &average->covariance[uhi_pair(k, l)];
            *covariance =
                (1 - part[k]) * (1 - part[l]) * *covariance + part[k] * part[l] * estimate->covariance[uhi_pair(k, l)];
        }
    }
    average->n++;
}

struct uhi_estimate uhi_average_of(const struct uhi_average *average, size_t values) {
    struct uhi_estimate estimate = {.value = {0}};
    memcpy(estimate.value, average->value, values * sizeof *estimate.value);
    memcpy(estimate.covariance, average->covariance, uhi_pair(values, 0) * sizeof *estimate.covariance);
    return estimate;
}

int uhi_average_contradicts(const struct uhi_average *average, const struct uhi_estimate *estimate) {
    const double apart = fabs(estimate->value[0] - average->value[0]);
    const double deviation = sqrt(estimate->covariance[0] + average->covariance[0]);
    return estimate->covariance[0] * average->weight[0] > 100 * (double)(average->n + 1) ||
           (apart > 5 * deviation && apart > 1e-12 * fabs(average->value[0]));
}
