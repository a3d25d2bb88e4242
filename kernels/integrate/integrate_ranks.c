/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of iterations that several processes share (collective.h): each takes some of the units of a piece. The rows
 * of all units are sent to all processes, which add them up in order, as one process would; contributions are integers.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/common/collective.h"
#include "kernels/integrate/integrate_samples.h"
#include "runtime/host.h"
#include "runtime/status.h"

/* Maximum number of processes that a piece keeps busy: each holds all their rows in memory. */
enum { MAX_BUSY = 16 };

struct uhi_samples_ranks {
    const uh_exchange *exchange;
    size_t units;         /* per piece of all processes */
    union uhi_word *rows; /* of these units */
    uint64_t *given;      /* contributions of this process's samples, then of all */
};

/* ---- creation and destruction ---- */

/* Checks that everything is equal on all processes, so that samples are those of one. */
static uh_status compare(const struct uhi_samples *samples, const uh_exchange *exchange, const char *call,
                         uint64_t max_calls, uh_status mine) {
    const struct uhi_sampling *s = &samples->sampling;
    const uh_integrate_options *o = samples->options;
    struct uhi_collective collective = {.call = call, .exchange = exchange};
    const double numbers[] = {o->alpha, o->beta, o->relative_error, o->absolute_error, o->max_chi2_dof};
    uint64_t words[] = {max_calls,
                        s->field.dims,
                        s->field.bins,
                        s->integrand->values,
                        o->iterations,
                        o->adjusting,
                        o->skipped,
                        (uint64_t)o->variant,
                        o->seed,
                        o->time_limit_ns != 0,
                        o->zero_not_finite != 0,
                        samples->range ? (uint64_t)samples->range->dtype : 0,
                        0};
    uint64_t *hash = &words[sizeof words / sizeof *words - 1], bits[sizeof numbers / sizeof *numbers];
    memcpy(bits, numbers, sizeof numbers);
    *hash = uhi_exchange_hash(0, bits, sizeof numbers / sizeof *numbers);
    for (size_t i = 0; i < s->field.dims * (s->field.bins + 1); i++) {
        memcpy(bits, &samples->grid->edges[i], sizeof *bits);
        *hash = uhi_exchange_hash(*hash, bits, 1);
    }
    return uhi_collective_compare(&collective, mine, words, sizeof words / sizeof *words,
                                  "options, grids, numbers of values or devices' types of numbers differ between "
                                  "processes, expected the same on all");
}

static uh_status make_room(struct uhi_samples *samples, const uh_exchange *exchange, uint64_t max_calls) {
    const struct uhi_sampling *s = &samples->sampling;
    struct uhi_samples_ranks *ranks = samples->ranks = calloc(1, sizeof *ranks);
    if (ranks) {
        ranks->exchange = exchange;
        ranks->units = uhi_samples_units(max_calls, exchange->ranks < MAX_BUSY ? exchange->ranks : MAX_BUSY);
        ranks->rows = uhi_grid_allocate(ranks->units * UHI_ROW_WORDS(s->integrand->values), sizeof *ranks->rows);
        ranks->given = uhi_grid_allocate(s->field.dims * s->field.bins, sizeof *ranks->given);
    }
    if (!ranks || !ranks->rows || !ranks->given)
        return uhi_fail_memory(samples->frame.call, "no memory for the samples of %zu processes", exchange->ranks);
    return UH_SUCCESS;
}

uh_status uhi_samples_open_ranks(struct uhi_samples *samples, const uh_exchange *exchange, const char *call,
                                 uint64_t max_calls, uh_status opened) {
    return compare(samples, exchange, call, max_calls, opened ? opened : make_room(samples, exchange, max_calls));
}

void uhi_samples_close(struct uhi_samples *samples) {
    if (samples->ranks) {
        free(samples->ranks->rows);
        free(samples->ranks->given);
    }
    free(samples->ranks);
    uhi_samples_close_local(samples);
}

/* ---- an iteration ---- */

uh_status uhi_samples_agree(const struct uhi_samples *samples, uh_integrate_end *end) {
    uint64_t latest = (uint64_t)*end;
    if (!samples->ranks)
        return UH_SUCCESS;
    const uh_exchange *exchange = samples->ranks->exchange;
    const uh_status status = exchange->maximum(exchange->context, &latest, 1);
    *end = (uh_integrate_end)latest;
    return status;
}

static uh_status combine(const struct uhi_samples *samples, uh_combine how, void *words, size_t n) {
    const uh_exchange *exchange = samples->ranks->exchange;
    return exchange->combine(exchange->context, how, words, n);
}

/* Takes this process's units of a piece, and adds their contributions to bins. */
static uh_status draw_own(struct uhi_samples *samples, size_t first, size_t units, union uhi_word *rows,
                          uh_integrate_end *end) {
    const size_t slots = samples->sampling.adjusts * samples->sampling.field.bins;
    if (units == 0)
        return UH_SUCCESS;
    const uh_status status = samples->shares ? uhi_samples_share_units(samples, first, units, rows, end)
                                             : uhi_samples_draw_units(samples, first, units, rows);
    for (size_t i = 0; i < slots && !status; i++)
        samples->ranks->given[i] += samples->contributions[i];
    return status;
}

/* Takes a piece: units [first, first + units). Its rows are then on all processes. */
static uh_status draw_piece(struct uhi_samples *samples, size_t first, size_t units, uh_integrate_end *end) {
    const struct uhi_samples_ranks *ranks = samples->ranks;
    const uh_exchange *exchange = ranks->exchange;
    const size_t words = UHI_ROW_WORDS(samples->sampling.integrand->values);
    const size_t from = uhi_part_start(units, exchange->ranks, exchange->rank),
                 to = uhi_part_start(units, exchange->ranks, exchange->rank + 1);
    memset(ranks->rows, 0, units * words * sizeof *ranks->rows);
    const uh_status drawn = draw_own(samples, first + from, to - from, ranks->rows + from * words, end);
    UHI_TRY(uhi_exchange_agree(samples->frame.call, exchange, drawn));
    UHI_TRY(uhi_samples_agree(samples, end));
    return *end == UH_INTEGRATE_ITERATIONS ? combine(samples, UH_COMBINE_OR, ranks->rows, units * words) : UH_SUCCESS;
}

/* Combines contributions and cubes' variances of all processes. The variance of a cube within one unit is on one
 * process; all have computed the others from the rows. */
static uh_status join_ranks(struct uhi_samples *samples) {
    const struct uhi_sampling *s = &samples->sampling;
    const size_t slots = s->adjusts * s->field.bins;
    UHI_TRY(slots ? combine(samples, UH_COMBINE_ADD, samples->ranks->given, slots) : UH_SUCCESS);
    memcpy(samples->contributions, samples->ranks->given, slots * sizeof *samples->contributions);
    return s->spread ? combine(samples, UH_COMBINE_OR, s->spread, (size_t)s->cubes) : UH_SUCCESS;
}

static uh_status draw_together(struct uhi_samples *samples, struct uhi_iteration_sums *sums, uh_integrate_end *end) {
    struct uhi_sampling *s = &samples->sampling;
    struct uhi_samples_ranks *ranks = samples->ranks;
    union uhi_word *const own = s->rows;
    const size_t units = uhi_units_of(s);
    const uint64_t begin = uhi_host_now();
    uh_status status = UH_SUCCESS;
    s->report = UINT64_MAX;
    uhi_samples_begin_iteration(samples, sums);
    memset(ranks->given, 0, s->field.dims * s->field.bins * sizeof *ranks->given);
    if (s->spread)
        memset(s->spread, 0, (size_t)s->cubes * sizeof *s->spread);
    for (size_t first = 0, n; first < units && !status; first += n) {
        n = units - first < ranks->units ? units - first : ranks->units;
        if (first > 0)
            (void)uhi_samples_are_cancelled(samples, (uint64_t)first * UHI_UNIT, end);
        status = draw_piece(samples, first, n, end);
        if (status || *end != UH_INTEGRATE_ITERATIONS)
            return status;
        s->rows = ranks->rows;
        uhi_iteration_add(sums, s, n);
        s->rows = own;
    }
    samples->kernel_ns += uhi_host_now() - begin;
    samples->calls += s->samples;
    return status ? status : join_ranks(samples);
}

uh_status uhi_samples_draw(struct uhi_samples *samples, struct uhi_iteration_sums *sums, uh_integrate_end *end) {
    return (samples->ranks ? draw_together : uhi_samples_draw_local)(samples, sums, end);
}
