/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of iterations shared by the parts of a combined device's queue. Pieces are whole units, whose rows are added
 * up in order, as on one device; contributions are integers. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/shares.h"
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
    UHI_TRY(uhi_samples_allocate(samples, queue, call, uhi_samples_units(max_calls, queue->nparts), spreads));
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

void uhi_samples_close_local(struct uhi_samples *samples) {
    struct uhi_samples_shares *shares = samples->shares;
    for (size_t i = 0; shares && i < UHI_MAX_SHARES; i++)
        if (shares->is_open[i])
            uhi_samples_close_one(&shares->of[i]);
    if (shares)
        pthread_mutex_destroy(&shares->lock);
    free(shares);
    uhi_samples_close_one(samples);
}

/* ---- an iteration ---- */

/* Units that are distributed together. */
struct sharing {
    struct uhi_samples *samples;
    size_t first;
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
    const size_t words = UHI_ROW_WORDS(samples->sampling.integrand->values);
    UHI_TRY(open_part(samples, part));
    struct uhi_samples *one = ready_part(samples, part);
    UHI_TRY(uhi_samples_draw_units(one, sharing->first + from, n, samples->sampling.rows + from * words));
    add_piece(samples, one, sharing->first + from, n);
    return UH_SUCCESS;
}

static int report_progress(void *context, size_t done) {
    const struct sharing *sharing = context;
    return uhi_samples_are_cancelled(sharing->samples, (uint64_t)(sharing->first + done) * UHI_UNIT, sharing->end);
}

/* Has the parts take units, whose rows go to sampling.rows. */
static uh_status share_out(struct uhi_samples *samples, struct sharing *sharing, size_t units) {
    struct uhi_samples_shares *shares = samples->shares;
    const struct uhi_share share = {.call = samples->frame.call,
                                    .queue = shares->queue,
                                    .n = units,
                                    .min_piece = UHI_INTEGRATE_MIN_SHARE,
                                    .piece = draw_piece,
                                    .progress = report_progress,
                                    .context = sharing};
    return uhi_share_out(&share, &shares->speeds);
}

/* Clears contributions, and tells the parts if the starts of cubes have changed. */
static void begin(struct uhi_samples *samples) {
    const struct uhi_sampling *s = &samples->sampling;
    memset(samples->contributions, 0, s->field.dims * s->field.bins * sizeof *samples->contributions);
    for (size_t i = 0; i < UHI_MAX_SHARES; i++)
        samples->shares->of[i].starts_changed |= samples->starts_changed;
    samples->starts_changed = 0;
}

uh_status uhi_samples_share_units(struct uhi_samples *samples, size_t first, size_t units, union uhi_word *rows,
                                  uh_integrate_end *end) {
    struct sharing sharing = {.samples = samples, .first = first, .end = end};
    union uhi_word *const own = samples->sampling.rows;
    begin(samples);
    samples->sampling.rows = rows;
    const uh_status status = share_out(samples, &sharing, units);
    samples->sampling.rows = own;
    return status;
}

static uh_status draw_shared(struct uhi_samples *samples, struct uhi_iteration_sums *sums, uh_integrate_end *end) {
    struct uhi_sampling *s = &samples->sampling;
    struct sharing sharing = {.samples = samples, .end = end};
    const size_t units = uhi_units_of(s);
    const uint64_t began = uhi_host_now();
    s->report = UINT64_MAX;
    uhi_samples_begin_iteration(samples, sums);
    begin(samples);
    uh_status status = UH_SUCCESS;
    for (size_t n; sharing.first < units && !status; sharing.first += n) {
        n = units - sharing.first < samples->piece ? units - sharing.first : samples->piece;
        if (sharing.first == 0 || !report_progress(&sharing, 0))
            status = share_out(samples, &sharing, n);
        if (*end != UH_INTEGRATE_ITERATIONS)
            return status;
        if (!status)
            uhi_iteration_add(sums, s, n);
    }
    samples->kernel_ns += uhi_host_now() - began;
    samples->calls += s->samples;
    return status;
}

uh_status uhi_samples_draw_local(struct uhi_samples *samples, struct uhi_iteration_sums *sums, uh_integrate_end *end) {
    return samples->shares ? draw_shared(samples, sums, end) : uhi_samples_draw_one(samples, sums, end);
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
