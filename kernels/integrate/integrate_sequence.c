/* SPDX-License-Identifier: Apache-2.0 */
/* Quasi-Monte Carlo: each iteration doubles the points of each randomisation of a sequence, whose means over all points
 * so far are independent estimates of the integral. */
#include <math.h>
#include <stdlib.h>

#include "kernels/common/sequence.h"
#include "kernels/integrate/integrate_run.h"
#include "runtime/status.h"

/* Points after which the generating vector is unknown, and words of points repeat. */
#define LATTICE_END ((uint64_t)1 << 24)
#define SOBOL_END   ((uint64_t)1 << 32)

/* Means whose deviation is at most this part of the values' size differ by rounding only. */
#define ROUNDING 0x1p-48

/* The first stream of keys: above those of iterations. */
#define STREAM (UH_INTEGRATE_STREAM + (UINT64_C(1) << 15))

static int kind_of(const uh_integrate_options *options) {
    if (options->variant == UH_INTEGRATE_SOBOL)
        return options->scramble == UH_SCRAMBLE_OWEN ? UHI_SEQUENCE_OWEN : UHI_SEQUENCE_SHIFT;
    return options->periodise == UH_PERIODISE_BAKER     ? UHI_SEQUENCE_BAKER
           : options->periodise == UH_PERIODISE_KOROBOV ? UHI_SEQUENCE_KOROBOV
                                                        : UHI_SEQUENCE_LATTICE;
}

static uint64_t end_of(const uh_integrate_options *options) {
    const uint64_t end = options->variant == UH_INTEGRATE_SOBOL ? SOBOL_END : LATTICE_END,
                   most = options->max_calls * options->iterations / options->randomisations;
    return most < end ? most : end;
}

uh_status uhi_doubling_open(struct uhi_doubling *doubling, const char *call, const uh_integrate_options *options,
                            size_t dims, size_t values) {
    const size_t n = options->randomisations;
    *doubling = (struct uhi_doubling){.randomisations = n, .end = end_of(options), .unit = 1};
    doubling->sequence.kind = kind_of(options);
    doubling->sequence.words = dims * (UHI_SEQUENCE_AXIS + n * UHI_SEQUENCE_KEYS);
    uint32_t *table = calloc(doubling->sequence.words, sizeof *table);
    doubling->sequence.table = table;
    doubling->mean = calloc(n * values, sizeof *doubling->mean);
    doubling->sequence.means = calloc(n * values, sizeof *doubling->mean);
    if (!table || !doubling->mean || !doubling->sequence.means)
        return uhi_fail_memory(call, "no memory for %zu randomisations", n);
    uhi_sequence_table(doubling->sequence.kind, 0, dims, n, options->seed, STREAM, table);
    return UH_SUCCESS;
}

int uhi_doubling_next(struct uhi_doubling *doubling, struct uhi_sampling *s) {
    const uint64_t points = doubling->points, more = points ? points : UHI_UNIT;
    if (points + more > doubling->end)
        return 0;
    doubling->sequence.first = points;
    doubling->points += more;
    s->sequence = &doubling->sequence;
    uhi_cubes_cut(s, UH_INTEGRATE_PLAIN, NULL, more);
    s->cubes = doubling->randomisations;
    s->samples = s->cubes * s->each;
    return 1;
}

/* Takes the means of an iteration's points into those of all. */
static void join_means(struct uhi_doubling *doubling, const struct uhi_sampling *s) {
    const double part = (double)s->each / (double)doubling->points, factor = doubling->unit / s->scale_of_values;
    for (size_t i = 0; i < doubling->randomisations * s->integrand->values; i++) {
        const double before = doubling->mean[i] * factor;
        doubling->mean[i] = before + part * (s->sequence->means[i] - before);
    }
    doubling->unit = s->scale_of_values;
}

void uhi_doubling_estimate(struct uhi_doubling *doubling, const struct uhi_sampling *s, struct uhi_estimate *estimate) {
    const size_t values = s->integrand->values, n = doubling->randomisations;
    struct uhi_estimate all = {.value = {0}};
    join_means(doubling, s);
    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < values; k++)
            all.value[k] += doubling->mean[r * values + k] / (double)n;
    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < values; k++)
            for (size_t l = 0; l <= k; l += UHI_STEP(values, k))
                all.covariance[uhi_pair(values, k, l)] += (doubling->mean[r * values + k] - all.value[k]) *
                                                          (doubling->mean[r * values + l] - all.value[l]) /
                                                          ((double)n * (double)(n - 1));
    for (size_t k = 0; k < values; k++) {
        double *variance = &all.covariance[uhi_pair(values, k, k)];
        const double size = uhi_estimate_size(estimate, s, k),
                     hidden = 3 * size / ((double)n * (double)doubling->points);
        if (sqrt(*variance) <= ROUNDING * size)
            *variance = hidden * hidden;
    }
    *estimate = all;
}

void uhi_doubling_close(struct uhi_doubling *doubling) {
    free(doubling->sequence.table);
    free(doubling->mean);
    free(doubling->sequence.means);
}
