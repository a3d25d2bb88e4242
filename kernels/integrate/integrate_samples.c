/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/integrate/integrate_samples.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/integrate/cubature.h"
#include "kernels/integrate/tuning.h"
#include "kernels/registry.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* Words of all rows of a piece, at most. */
enum { ROWS = 1 << 23 };

size_t uhi_units_of(const struct uhi_sampling *s) { return (size_t)((s->samples + UHI_UNIT - 1) / UHI_UNIT); }

size_t uhi_samples_units(const struct uhi_sampling *s, uint64_t max_calls, size_t parts) {
    const size_t units = (size_t)(max_calls / UHI_UNIT + 1), launch = UHI_INTEGRATE_POINTS_A_LAUNCH / UHI_UNIT,
                 fit = ROWS / uhi_row_words(s), maximum = parts * (fit < launch ? fit : launch);
    return units < maximum ? units : maximum;
}

/* ---- on the host ---- */

static uh_status open_on_host(struct uhi_frame *frame, void *context) {
    struct uhi_samples *samples = context;
    const struct uhi_field *field = &samples->sampling.field;
    const size_t slots = field->dims * field->bins, threads = uhi_host_threads(frame->queue);
    const size_t each = uhi_part_memory(&samples->sampling);
    samples->range = &uhi_float64_range;
    samples->part_count = threads < samples->piece ? threads : samples->piece;
    samples->parts = uhi_grid_allocate(samples->part_count, sizeof *samples->parts);
    samples->given = uhi_grid_allocate(samples->part_count * slots, sizeof *samples->given);
    samples->memory = uhi_grid_allocate(samples->part_count, each);
    if (!samples->parts || !samples->given || !samples->memory)
        return uhi_fail_memory(frame->call, "no memory for %zu threads", samples->part_count);
    for (size_t p = 0; p < samples->part_count; p++) {
        samples->parts[p].contributions = samples->given + p * slots;
        samples->parts[p].memory = samples->memory + p * each;
    }
    return UH_SUCCESS;
}

static uh_status begin_on_host(struct uhi_frame *frame, void *context) {
    struct uhi_samples *samples = context;
    const struct uhi_field *field = &samples->sampling.field;
    (void)frame;
    if (samples->sampling.adjusts)
        memset(samples->given, 0, samples->part_count * field->dims * field->bins * sizeof *samples->given);
    return UH_SUCCESS;
}

static void sample_part(const void *context, size_t part, size_t parts) {
    const struct uhi_samples *samples = context;
    const size_t first = samples->sampling.first_unit;
    const struct uhi_integrate_host *host = uhi_integrate_host();
    (samples->sampling.cubing ? host->regions : host->sample)(
        &samples->sampling, first + uhi_part_start(samples->units, parts, part),
        first + uhi_part_start(samples->units, parts, part + 1), &samples->parts[part]);
}

static uh_status sample_on_host(struct uhi_frame *frame, void *context) {
    struct uhi_samples *samples = context;
    uhi_host_parallel(frame->queue, "integrate: sample", sample_part, samples,
                      samples->units < samples->part_count ? samples->units : samples->part_count);
    if (samples->sampling.report != UINT64_MAX) {
        memcpy(samples->point, samples->parts[0].point, sizeof samples->point);
        samples->value = samples->parts[0].value;
    }
    return UH_SUCCESS;
}

static uh_status end_on_host(struct uhi_frame *frame, void *context) {
    struct uhi_samples *samples = context;
    const struct uhi_field *field = &samples->sampling.field;
    const size_t slots = samples->sampling.adjusts * field->bins;
    (void)frame;
    for (size_t i = 0; i < slots; i++)
        samples->contributions[i] = samples->given[i];
    for (size_t p = 1; p < samples->part_count; p++)
        for (size_t i = 0; i < slots; i++)
            samples->contributions[i] += samples->given[p * field->dims * field->bins + i];
    return UH_SUCCESS;
}

/* ---- on both ---- */

static const struct uhi_stage open_stage = {"integrate: open", open_on_host, uhi_integrate_open_device};
static const struct uhi_stage begin_stage = {"integrate: begin", begin_on_host, uhi_integrate_begin_device};
static const struct uhi_stage sample_stage = {"integrate: sample", sample_on_host, uhi_integrate_sample_device};
static const struct uhi_stage regions_stage = {"integrate: regions", sample_on_host, uhi_integrate_sample_device};
static const struct uhi_stage end_stage = {"integrate: end", end_on_host, uhi_integrate_end_device};

uh_status uhi_samples_allocate(struct uhi_samples *samples, uh_queue *queue, const char *call, size_t units,
                               int shares) {
    struct uhi_sampling *s = &samples->sampling;
    const size_t slots = s->field.dims * s->field.bins, cubes = (size_t)s->cubes;
    uhi_frame_open(&samples->frame, queue, uhi_integrate_variants());
    UHI_TRY(uhi_frame_begin(&samples->frame, call, 1));
    samples->piece = units;
    samples->cells = uhi_grid_allocate(slots, sizeof *samples->cells);
    samples->contributions = uhi_grid_allocate(slots, sizeof *samples->contributions);
    s->rows = uhi_grid_allocate(units * uhi_row_words(s), sizeof *s->rows);
    if (shares) {
        samples->starts = uhi_grid_allocate(cubes + 1, sizeof *samples->starts);
        samples->spread = uhi_grid_allocate(cubes, sizeof *samples->spread);
    }
    if (!samples->cells || !samples->contributions || !s->rows || (shares && (!samples->starts || !samples->spread)))
        return uhi_fail_memory(call, "no memory for %zu cubes", cubes);
    s->field.cells = samples->cells;
    return UH_SUCCESS;
}

uh_status uhi_samples_open_one(struct uhi_samples *samples, uh_queue *queue, const char *call, uint64_t max_calls,
                               int shares) {
    const uh_status status =
        uhi_samples_allocate(samples, queue, call, uhi_samples_units(&samples->sampling, max_calls, 1), shares);
    return status ? status : uhi_frame_run(&samples->frame, &open_stage, samples);
}

/* The integrand's cost is unknown; thousands of operations are assumed. */
enum { CLOCKS_A_SAMPLE = 10000 };

static struct uhi_pace *pace_of(const struct uhi_samples *samples) {
    return uhi_pace_of(&samples->frame.engine->paces, samples->sampling.cubing ? &regions_stage : &sample_stage);
}

/* Returns the units of the next piece, at most `left`. Fewer than the device has lanes for take as long. */
static size_t next_piece(const struct uhi_samples *samples, size_t left) {
    const struct uhi_engine *engine = samples->frame.engine;
    uint64_t maximum = samples->at_once ? samples->at_once : samples->piece;
    if (engine && !samples->at_once) {
        const double worst_ns = (double)UHI_UNIT * CLOCKS_A_SAMPLE * uhi_pace_clock_ns(&engine->properties) /
                                (double)uhi_pace_lanes(&engine->properties);
        const uint64_t paced = uhi_pace_max(pace_of(samples), worst_ns), lanes = uhi_pace_lanes(&engine->properties),
                       together = samples->sampling.cubing ? lanes : lanes / UHI_UNIT_STRIPS + 1,
                       wanted = paced > together ? paced : together;
        maximum = wanted < maximum ? wanted : maximum;
    }
    return maximum < left ? (size_t)maximum : left;
}

/* Samples units from `first` on, and adds their time. */
static uh_status draw_piece(struct uhi_samples *samples, size_t first, size_t units) {
    const uint64_t begin = uhi_host_now();
    samples->sampling.first_unit = first;
    samples->units = units;
    samples->piece_ns = UINT64_MAX;
    const uh_status status = uhi_frame_run(&samples->frame, &sample_stage, samples);
    const uint64_t took = samples->piece_ns == UINT64_MAX ? uhi_host_now() - begin : samples->piece_ns;
    if (!status && samples->frame.engine)
        uhi_pace_note(pace_of(samples), units, took);
    samples->kernel_ns += took;
    return status;
}

static uh_status draw_next(struct uhi_samples *samples, size_t first, size_t units) {
    const uh_status status = uhi_queue_check_cancelled(samples->frame.queue, samples->frame.call);
    return status ? status : draw_piece(samples, first, units);
}

int uhi_samples_are_cancelled(const struct uhi_samples *samples, uint64_t done, uh_integrate_end *end) {
    const uh_integrate_options *options = samples->options;
    if (samples->deadline && uhi_host_now() > samples->deadline)
        *end = UH_INTEGRATE_TIME;
    else if (options->progress && options->progress(done, samples->sampling.samples, options->progress_context))
        *end = UH_INTEGRATE_STOPPED;
    else
        return 0;
    return 1;
}

uh_status uhi_samples_draw_one(struct uhi_samples *samples, struct uhi_iteration_sums *sums, uh_integrate_end *end) {
    struct uhi_sampling *s = &samples->sampling;
    const size_t units = uhi_units_of(s);
    s->report = UINT64_MAX;
    uhi_grid_cells(samples->grid, samples->cells);
    uhi_iteration_begin(sums, s);
    uh_status status = uhi_frame_run(&samples->frame, &begin_stage, samples);
    for (size_t first = 0, n; first < units && !status; first += n) {
        if (first > 0 && uhi_samples_are_cancelled(samples, (uint64_t)first * UHI_UNIT, end))
            return UH_SUCCESS;
        n = next_piece(samples, units - first);
        status = draw_next(samples, first, n);
        if (!status)
            uhi_iteration_add(sums, s, n);
    }
    if (!status && s->adjusts)
        status = uhi_frame_run(&samples->frame, &end_stage, samples);
    samples->calls += s->samples;
    return status;
}

uh_status uhi_samples_draw_units(struct uhi_samples *samples, size_t first, size_t units, union uhi_word *rows) {
    struct uhi_sampling *s = &samples->sampling;
    union uhi_word *const own = s->rows;
    uh_status status = uhi_frame_run(&samples->frame, &begin_stage, samples);
    for (size_t done = 0, n; done < units && !status; done += n) {
        n = next_piece(samples, units - done);
        s->rows = rows + done * uhi_row_words(s);
        status = draw_next(samples, first + done, n);
    }
    s->rows = own;
    return status || !s->adjusts ? status : uhi_frame_run(&samples->frame, &end_stage, samples);
}

uh_status uhi_samples_find_one(struct uhi_samples *samples, uint64_t sample) {
    struct uhi_sampling *s = &samples->sampling;
    const struct uhi_sampling all = *s;
    s->report = sample;
    s->adjusts = 0;
    s->spread = NULL;
    uh_status status = uhi_frame_run(&samples->frame, &begin_stage, samples);
    if (!status)
        status = draw_piece(samples, (size_t)(sample / UHI_UNIT), 1);
    *s = all;
    return status;
}

void uhi_samples_close_one(struct uhi_samples *samples) {
    uhi_integrate_close_device(samples);
    free(samples->starts);
    free(samples->spread);
    free(samples->contributions);
    free(samples->cells);
    free(samples->parts);
    free(samples->given);
    free(samples->memory);
    free(samples->sampling.rows);
    uhi_frame_close(&samples->frame);
}
