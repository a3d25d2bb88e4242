/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/integrate/warm_up.h"

#include <math.h>
#include <string.h>

enum {
    PART = 8,         /* fraction of max_calls per iteration, */
    A_BIN = 128,      /* or samples per bin if that is more: with half of that error bars become too small; */
    MAX_WARM_UPS = 8, /* maximum iterations, unless the grid settles earlier; */
    A_PILOT = 4,      /* iterations of each of two pilots to choose from; */
    FEW_BINS = 8,     /* fewer cannot show that pilots are at different places; */
    ADJUSTING = 5     /* minimum of further iterations that adjust the grid */
};

/* No second pilot is needed to choose from if the first one's deviation is at most this part of the error asked; and it
 * is better only if it has at most this part of the first one's variance. */
#define ACCURATE 0.1
#define CLEARLY  0.5

/* The part of all squares that the first iteration's largest one makes if an integrand is narrow; the relative
 * deviation of a pilot that has found it; and the part of bins at either end of an axis where the middle of the other
 * pilot's grid lies if it is at another place. */
#define NARROW 0.05
#define FOUND  0.25
#define ENDS   0.01

/* Until the grid has settled, a fraction of the samples suffices, as long as each bin gets a few. */
static uint64_t calls_of_warm_up(const struct uhi_warm_up *w, uint64_t cubes) {
    const uint64_t maximum = w->options->max_calls, a_bin = (uint64_t)A_BIN * w->grid->bins,
                   a_cube = w->options->strata ? 2 * cubes : 0, few = a_bin > a_cube ? a_bin : a_cube;
    if ((w->options->variant != UH_INTEGRATE_VEGAS_PLUS && !uhi_is_sequence(w->options->variant)) || few >= maximum)
        return maximum;
    return maximum / PART > few ? maximum / PART : few;
}

/* Minimum number of iterations that count: enough to converge, unless the user has set `skipped`. */
static size_t min_counting(const uh_integrate_options *options) {
    return options->skipped == UHI_UNTIL_SETTLED ? 2 : 1;
}

static size_t edges_of(const struct uhi_warm_up *w) { return w->grid->dims * (w->grid->bins + 1); }

static void copy_edges(const struct uhi_warm_up *w, double *to, const double *from) {
    memcpy(to, from, edges_of(w) * sizeof *to);
}

void uhi_warm_up_begin(struct uhi_warm_up *w, struct uhi_sampling *sampling, double *memory) {
    const uh_integrate_options *options = w->options;
    w->adjusting = options->adjusting;
    w->lasts = options->iterations > min_counting(options) && options->skipped > 0 &&
               (options->skipped != UHI_UNTIL_SETTLED || options->adjusting > 0);
    if (w->lasts)
        uhi_cubes_cut(sampling, options->variant, options->strata, calls_of_warm_up(w, sampling->cubes));
    w->by_cubes = options->variant == UH_INTEGRATE_VEGAS_PLUS && uhi_cubes_fit_bins(sampling);
    w->chooses = w->by_cubes && w->grid->dims <= 2 && w->lasts && options->skipped == UHI_UNTIL_SETTLED;
    w->initial = memory;
    w->of_first = memory + edges_of(w);
    copy_edges(w, w->initial, w->grid->edges);
}

/* ---- pilots ---- */

/* Whether the middle of an axis's bins is at an end of that axis of another grid. */
static int is_at_end(size_t bins, const double *edges, const double *other) {
    const size_t end = (size_t)(ENDS * (double)bins) + 1;
    return edges[bins / 2] < other[end] || edges[bins / 2] > other[bins - end];
}

/* Whether the grid is at another place than the first pilot's. */
static int is_elsewhere(const struct uhi_warm_up *w) {
    const size_t bins = w->grid->bins;
    int elsewhere = 0;
    for (size_t d = 0; d < w->grid->dims; d++) {
        const double *first = w->of_first + d * (bins + 1), *second = w->grid->edges + d * (bins + 1);
        elsewhere |= is_at_end(bins, first, second) && is_at_end(bins, second, first);
    }
    return elsewhere;
}

/* Makes the grid one of which every other edge of both is an edge. */
static void join(struct uhi_warm_up *w) {
    const size_t bins = w->grid->bins;
    for (size_t d = 0; d < w->grid->dims; d++) {
        const double *first = w->of_first + d * (bins + 1), *second = w->initial + d * (bins + 1);
        double *edges = w->grid->edges + d * (bins + 1);
        memcpy(w->initial + d * (bins + 1), edges, (bins + 1) * sizeof *edges);
        for (size_t i = 0, j = 0, k = 0; k < bins; k++)
            for (int twice = 0; twice < 2; twice++)
                edges[k] = first[i] <= second[j] ? first[i++] : second[j++];
    }
}

/* Returns whether more than a few samples of an iteration show the integrand. */
static int has_found(const struct uhi_estimate *own) { return sqrt(own->covariance[0]) <= FOUND * fabs(own->value[0]); }

static void begin_second(struct uhi_warm_up *w, size_t done, double variance) {
    copy_edges(w, w->of_first, w->grid->edges);
    copy_edges(w, w->grid->edges, w->initial);
    w->variance = variance;
    w->by_cubes &= !w->chooses;
    w->began = done;
}

/* After the last iteration of the second pilot: makes one grid of both. */
static void end_second(struct uhi_warm_up *w, size_t done, double variance, int found) {
    w->several = w->compares && found && is_elsewhere(w);
    if (w->several || (found && !w->chooses))
        join(w);
    else if (!w->chooses || variance > CLEARLY * w->variance) {
        copy_edges(w, w->grid->edges, w->of_first);
        w->by_cubes |= w->chooses;
    }
    w->began = done;
}

/* After the last iteration of a pilot, which is that of the warm-up, too, if it `ends` without another pilot. Returns
 * whether the warm-up ends. */
static int end_pilot(struct uhi_warm_up *w, const struct uhi_sampling *sampling, size_t done, int ends,
                     const struct uhi_estimate *own) {
    const uh_integrate_options *options = w->options;
    const double variance = own->covariance[0] * (double)sampling->samples, deviation = sqrt(own->covariance[0]);
    const double wanted =
        fmax(options->relative_error * fabs(own->value[0]), options->absolute_error / sampling->scale_of_values);
    const int found = has_found(own),
              wants_second = (w->compares && found) || (w->chooses && deviation > ACCURATE * wanted);
    if (w->began == 0 && done < options->adjusting && wants_second) {
        begin_second(w, done, variance);
        return 0;
    }
    if (w->began > 0) {
        end_second(w, done, variance, found);
        ends = w->several;
    }
    ends |= w->chooses;
    w->chooses = w->compares = 0;
    return ends;
}

/* ---- iterations ---- */

/* Returns whether an iteration's deviation is small and similar to the previous one's, and their estimates agree. */
static int has_settled(const struct uhi_average *before, const struct uhi_estimate *now) {
    const double variance = now->covariance[0], last = before->within[0];
    return before->n > 0 && sqrt(variance) <= 0.05 * fabs(now->value[0]) && variance >= last / 2 &&
           variance <= 4 * last && !uhi_average_contradicts(before, now);
}

void uhi_warm_up_continue(struct uhi_warm_up *w, struct uhi_sampling *sampling, size_t iteration,
                          const struct uhi_estimate *own, struct uhi_average *average) {
    const uh_integrate_options *options = w->options;
    const int until_settled = options->skipped == UHI_UNTIL_SETTLED;
    const size_t done = iteration + 1;
    if (iteration == 0)
        w->compares = until_settled && w->grid->bins >= FEW_BINS && !has_found(own) &&
                      own->largest * own->largest > NARROW * own->squares;
    const size_t mine = done - w->began;
    int ends = !until_settled ? done >= options->skipped
                              : mine >= MAX_WARM_UPS || mine >= options->adjusting || has_settled(average, own);
    const int is_pilot = w->chooses || w->compares;
    if (is_pilot && (ends || (w->chooses ? mine == A_PILOT : has_found(own) || (w->began > 0 && mine >= w->began))))
        ends = end_pilot(w, sampling, done, ends, own);
    *average = (struct uhi_average){.n = 0};
    w->lasts = !ends && done + min_counting(options) < options->iterations;
    if (w->lasts)
        uhi_average_add(average, own, 1);
    else
        uhi_cubes_cut(sampling, options->variant, options->strata, options->max_calls);
    if (w->several)
        w->adjusting = done;
    else if (until_settled && done + ADJUSTING > w->adjusting)
        w->adjusting = done + ADJUSTING;
}
