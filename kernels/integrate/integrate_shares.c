/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of iterations shared by the parts of a combined device's queue, or by several processes (collective.h), each
 * of which takes some of the units of a piece. All rows are sent to all processes. Rows are added up in order, as on
 * one device; contributions are integers. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/collective.h"
#include "kernels/common/shares.h"
#include "kernels/integrate/cubature.h"
#include "kernels/integrate/integrate_samples.h"
#include "kernels/integrate/sums.h"
#include "kernels/integrate/tuning.h"
#include "runtime/backend.h"
#include "runtime/host.h"
#include "runtime/status.h"

struct uhi_samples_shares {
    uh_queue *queue;
    struct uhi_speeds speeds;
    struct uhi_sampling sampling; /* as first opened: parts opened later get the same room */
    uint64_t max_calls;
    int spreads;
    pthread_mutex_t lock; /* protects what pieces add to */
    int is_open[UHI_MAX_SHARES];
    struct uhi_samples of[UHI_MAX_SHARES];
};

/* Maximum number of processes that a piece keeps busy: each holds all their rows in memory. */
enum { MAX_BUSY = 16 };

struct uhi_samples_ranks {
    size_t units;    /* per piece of all processes, whose rows sampling.rows has */
    uint64_t *given; /* contributions of this process's samples, then of all */
};

/* ---- parts ---- */

/* Opens a part. All must use the same number type: float32 if the first one opened does. */
static uh_status open_part(struct uhi_samples *samples, size_t part) {
    struct uhi_samples_shares *shares = samples->shares;
    struct uhi_samples *one = &shares->of[part];
    if (shares->is_open[part])
        return UH_SUCCESS;
    *one = (struct uhi_samples){
        .sampling = shares->sampling, .grid = samples->grid, .options = samples->options, .trial = samples->trial};
    uh_status status =
        uhi_samples_open_one(one, shares->queue->parts[part], samples->frame.call, shares->max_calls, shares->spreads);
    if (!status && samples->range && one->range != samples->range)
        status = uhi_fail(UH_ERROR_UNSUPPORTED, samples->frame.call, NULL,
                          "%s computes with other numbers than the device before it, float32 or float64",
                          shares->queue->parts[part]->device->properties.selector);
    if (status) {
        uhi_samples_close_one(one);
        return status;
    }
    one->starts_changed = 1;
    shares->is_open[part] = 1;
    return UH_SUCCESS;
}

/* Passes a part the sampling parameters; it keeps its own rows and variances. */
static struct uhi_samples *ready_part(const struct uhi_samples *samples, size_t part) {
    struct uhi_samples *one = &samples->shares->of[part];
    union uhi_word *const rows = one->sampling.rows;
    one->sampling = samples->sampling;
    one->sampling.rows = rows;
    one->sampling.spread = samples->sampling.spread ? one->spread : NULL;
    return one;
}

/* ---- creation and destruction ---- */

static uh_status open_shared(struct uhi_samples *samples, uh_queue *queue, const char *call, uint64_t max_calls,
                             int spreads) {
    struct uhi_samples_shares *shares = samples->shares = calloc(1, sizeof *shares);
    uh_status first = UH_SUCCESS;
    struct uhi_message message;
    if (!shares)
        return uhi_fail_memory(call, "no memory for the samples of %zu devices", queue->nparts);
    pthread_mutex_init(&shares->lock, NULL);
    shares->queue = queue;
    shares->sampling = samples->sampling;
    shares->max_calls = max_calls;
    shares->spreads = spreads;
    UHI_TRY(uhi_samples_allocate(samples, queue, call, uhi_samples_units(&samples->sampling, max_calls, queue->nparts),
                                 spreads));
    for (size_t i = 0; i < queue->nparts; i++) {
        const uh_status opened = open_part(samples, i);
        if (!opened) {
            samples->range = shares->of[i].range;
            return UH_SUCCESS;
        }
        if (!first) {
            first = opened;
            uhi_message_keep(&message);
        }
    }
    uhi_message_restore(&message);
    return first;
}

uh_status uhi_samples_open(struct uhi_samples *samples, uh_queue *queue, const char *call, uint64_t max_calls,
                           int shares) {
    return uhi_is_shared(queue) ? open_shared(samples, queue, call, max_calls, shares)
                                : uhi_samples_open_one(samples, queue, call, max_calls, shares);
}

/* Checks that everything is equal on all processes, so that samples are those of one. */
static uh_status compare(const struct uhi_samples *samples, const char *call, uint64_t max_calls, uh_status mine) {
    const struct uhi_sampling *s = &samples->sampling;
    const uh_integrate_options *o = samples->options;
    struct uhi_collective collective = {.call = call, .exchange = o->exchange};
    const double numbers[] = {o->alpha, o->beta, o->relative_error, o->absolute_error, o->max_chi2_dof};
    uint64_t words[] = {max_calls,
                        s->field.dims,
                        s->field.bins,
                        s->integrand->values,
                        o->iterations,
                        o->adjusting,
                        o->skipped,
                        (uint64_t)o->variant,
                        (uint64_t)o->scramble,
                        (uint64_t)o->periodise,
                        o->randomisations,
                        o->seed,
                        o->time_limit_ns != 0,
                        o->zero_not_finite != 0,
                        samples->range ? (uint64_t)samples->range->dtype : 0,
                        0};
    uint64_t *hash = &words[sizeof words / sizeof *words - 1], bits[sizeof numbers / sizeof *numbers];
    memcpy(bits, numbers, sizeof numbers);
    *hash = uhi_exchange_hash(0, bits, sizeof numbers / sizeof *numbers);
    *hash = uhi_exchange_hash(*hash, s->intervals, s->field.dims);
    for (size_t i = 0; i < s->field.dims * (s->field.bins + 1); i++) {
        memcpy(bits, &samples->grid->edges[i], sizeof *bits);
        *hash = uhi_exchange_hash(*hash, bits, 1);
    }
    return uhi_collective_compare(&collective, mine, words, sizeof words / sizeof *words,
                                  "options, grids, numbers of values or devices' types of numbers differ between "
                                  "processes, expected the same on all");
}

static uh_status make_room(struct uhi_samples *samples, uint64_t max_calls) {
    struct uhi_sampling *s = &samples->sampling;
    const size_t all = samples->options->exchange->ranks;
    struct uhi_samples_ranks *ranks = samples->ranks = calloc(1, sizeof *ranks);
    if (ranks) {
        ranks->units = uhi_samples_units(s, max_calls, all < MAX_BUSY ? all : MAX_BUSY);
        ranks->given = uhi_grid_allocate(s->field.dims * s->field.bins, sizeof *ranks->given);
        free(s->rows);
        s->rows = uhi_grid_allocate(ranks->units * uhi_row_words(s), sizeof *s->rows);
    }
    if (!ranks || !s->rows || !ranks->given)
        return uhi_fail_memory(samples->frame.call, "no memory for the samples of %zu processes", all);
    return UH_SUCCESS;
}

uh_status uhi_samples_open_ranks(struct uhi_samples *samples, const char *call, uint64_t max_calls, uh_status opened) {
    if (!samples->options->exchange)
        return opened;
    return compare(samples, call, max_calls, opened ? opened : make_room(samples, max_calls));
}

void uhi_samples_close(struct uhi_samples *samples) {
    struct uhi_samples_shares *shares = samples->shares;
    struct uhi_samples_ranks *ranks = samples->ranks;
    if (ranks)
        free(ranks->given);
    free(ranks);
    for (size_t i = 0; shares && i < UHI_MAX_SHARES; i++)
        if (shares->is_open[i])
            uhi_samples_close_one(&shares->of[i]);
    if (shares)
        pthread_mutex_destroy(&shares->lock);
    free(shares);
    uhi_samples_close_one(samples);
}

/* ---- units, by devices ---- */

/* Units that are distributed together, and their rows. */
struct sharing {
    struct uhi_samples *samples;
    size_t first;
    union uhi_word *rows;
    uh_integrate_end *end;
};

/* Adds a piece's contributions, and copies the variances of the cubes that contain its samples; those of incomplete
 * cubes are garbage until their parts are joined. */
static void add_piece(struct uhi_samples *samples, const struct uhi_samples *one, size_t first, size_t units) {
    const struct uhi_sampling *s = &samples->sampling;
    const uint64_t end = (uint64_t)(first + units) * UHI_UNIT;
    const size_t slots = s->adjusts * s->field.bins, from = (size_t)uhi_cube_of(s, (uint64_t)first * UHI_UNIT),
                 to = (size_t)uhi_cube_of(s, (end < s->samples ? end : s->samples) - 1) + 1;
    pthread_mutex_lock(&samples->shares->lock);
    for (size_t i = 0; i < slots; i++)
        samples->contributions[i] += one->contributions[i];
    if (s->spread)
        memcpy(s->spread + from, one->spread + from, (to - from) * sizeof *s->spread);
    pthread_mutex_unlock(&samples->shares->lock);
}

static uh_status draw_piece(void *context, size_t part, size_t from, size_t n) {
    const struct sharing *sharing = context;
    struct uhi_samples *samples = sharing->samples;
    const size_t words = uhi_row_words(&samples->sampling);
    UHI_TRY(open_part(samples, part));
    struct uhi_samples *one = ready_part(samples, part);
    UHI_TRY(uhi_samples_draw_units(one, sharing->first + from, n, sharing->rows + from * words));
    add_piece(samples, one, sharing->first + from, n);
    return UH_SUCCESS;
}

static int report_progress(void *context, size_t done) {
    const struct sharing *sharing = context;
    return uhi_samples_are_cancelled(sharing->samples, (uint64_t)(sharing->first + done) * UHI_UNIT, sharing->end);
}

static uh_status share_out(struct uhi_samples *samples, size_t first, size_t units, union uhi_word *rows,
                           uh_integrate_end *end) {
    struct sharing sharing = {samples, first, rows, end};
    const struct uhi_share share = {.call = samples->frame.call,
                                    .queue = samples->shares->queue,
                                    .n = units,
                                    .min_piece = UHI_INTEGRATE_MIN_SHARE,
                                    .piece = draw_piece,
                                    .progress = report_progress,
                                    .context = &sharing};
    return uhi_share_out(&share, &samples->shares->speeds);
}

/* Clears contributions, and tells the parts if the starts of cubes have changed. */
static void begin_shares(struct uhi_samples *samples) {
    const struct uhi_sampling *s = &samples->sampling;
    memset(samples->contributions, 0, s->field.dims * s->field.bins * sizeof *samples->contributions);
    for (size_t i = 0; i < UHI_MAX_SHARES; i++)
        samples->shares->of[i].starts_changed |= samples->starts_changed;
    samples->starts_changed = 0;
}

/* ---- units, by processes ---- */

uh_status uhi_samples_agree(const struct uhi_samples *samples, uh_integrate_end *end) {
    uint64_t latest = (uint64_t)*end;
    if (!samples->ranks)
        return UH_SUCCESS;
    const uh_exchange *exchange = samples->options->exchange;
    const uh_status status = exchange->maximum(exchange->context, &latest, 1);
    *end = (uh_integrate_end)latest;
    return status;
}

static uh_status combine(const struct uhi_samples *samples, uh_combine how, void *words, size_t n) {
    const uh_exchange *exchange = samples->options->exchange;
    return exchange->combine(exchange->context, how, words, n);
}

static void begin_ranks(struct uhi_samples *samples) {
    const struct uhi_sampling *s = &samples->sampling;
    memset(samples->ranks->given, 0, s->field.dims * s->field.bins * sizeof *samples->ranks->given);
    if (s->spread)
        memset(s->spread, 0, (size_t)s->cubes * sizeof *s->spread);
}

/* Takes this process's units of a piece, and adds their contributions to bins. */
static uh_status draw_own(struct uhi_samples *samples, size_t first, size_t units, union uhi_word *rows,
                          uh_integrate_end *end) {
    const size_t slots = samples->sampling.adjusts * samples->sampling.field.bins;
    if (units == 0)
        return UH_SUCCESS;
    if (samples->shares)
        begin_shares(samples);
    const uh_status status = samples->shares ? share_out(samples, first, units, rows, end)
                                             : uhi_samples_draw_units(samples, first, units, rows);
    for (size_t i = 0; i < slots && !status; i++)
        samples->ranks->given[i] += samples->contributions[i];
    return status;
}

/* Takes units [first, first + units), whose rows are then on all processes. */
static uh_status draw_of_ranks(struct uhi_samples *samples, size_t first, size_t units, uh_integrate_end *end) {
    union uhi_word *rows = samples->sampling.rows;
    const uh_exchange *exchange = samples->options->exchange;
    const size_t words = uhi_row_words(&samples->sampling);
    const size_t from = uhi_part_start(units, exchange->ranks, exchange->rank),
                 to = uhi_part_start(units, exchange->ranks, exchange->rank + 1);
    memset(rows, 0, units * words * sizeof *rows);
    const uh_status drawn = draw_own(samples, first + from, to - from, rows + from * words, end);
    UHI_TRY(uhi_exchange_agree(samples->frame.call, exchange, drawn));
    UHI_TRY(uhi_samples_agree(samples, end));
    return *end == UH_INTEGRATE_ITERATIONS ? combine(samples, UH_COMBINE_OR, rows, units * words) : UH_SUCCESS;
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

/* ---- an iteration ---- */

/* Takes the samples in pieces that devices or processes share. */
static uh_status draw_together(struct uhi_samples *samples, struct uhi_iteration_sums *sums, uh_integrate_end *end) {
    struct uhi_sampling *s = &samples->sampling;
    const struct uhi_samples_ranks *ranks = samples->ranks;
    const size_t units = uhi_units_of(s), piece = ranks ? ranks->units : samples->piece;
    const uint64_t began = uhi_host_now();
    s->report = UINT64_MAX;
    uhi_grid_cells(samples->grid, samples->cells);
    uhi_iteration_begin(sums, s);
    (ranks ? begin_ranks : begin_shares)(samples);
    for (size_t first = 0, n; first < units; first += n) {
        n = units - first < piece ? units - first : piece;
        const int cancelled = first > 0 && uhi_samples_are_cancelled(samples, (uint64_t)first * UHI_UNIT, end);
        if (ranks)
            UHI_TRY(draw_of_ranks(samples, first, n, end)); /* even if cancelled: all processes end together */
        else if (!cancelled)
            UHI_TRY(share_out(samples, first, n, s->rows, end));
        if (*end != UH_INTEGRATE_ITERATIONS)
            return UH_SUCCESS;
        uhi_iteration_add(sums, s, n);
    }
    samples->kernel_ns += uhi_host_now() - began;
    samples->calls += s->samples;
    return ranks ? join_ranks(samples) : UH_SUCCESS;
}

uh_status uhi_samples_draw(struct uhi_samples *samples, struct uhi_iteration_sums *sums, uh_integrate_end *end) {
    return (samples->ranks || samples->shares ? draw_together : uhi_samples_draw_one)(samples, sums, end);
}

uh_status uhi_samples_draw_rows(struct uhi_samples *samples, size_t units, uh_integrate_end *end) {
    union uhi_word *rows = samples->sampling.rows;
    const uint64_t began = uhi_host_now(), before = samples->kernel_ns;
    if (!samples->ranks && !samples->shares)
        return uhi_samples_draw_units(samples, 0, units, rows);
    (samples->ranks ? begin_ranks : begin_shares)(samples);
    const uh_status status =
        samples->ranks ? draw_of_ranks(samples, 0, units, end) : share_out(samples, 0, units, rows, end);
    samples->kernel_ns = before + (uhi_host_now() - began);
    return status;
}

uh_status uhi_samples_find(struct uhi_samples *samples, uint64_t sample) {
    uh_status status = UH_ERROR_DEVICE_LOST;
    if (!samples->shares)
        return uhi_samples_find_one(samples, sample);
    for (size_t i = 0; i < UHI_MAX_SHARES && status; i++) {
        if (!samples->shares->is_open[i])
            continue;
        struct uhi_samples *one = ready_part(samples, i);
        status = uhi_samples_find_one(one, sample);
        memcpy(samples->point, one->point, sizeof samples->point);
        samples->value = one->value;
    }
    return status;
}
