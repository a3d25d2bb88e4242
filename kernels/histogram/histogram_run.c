/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histogram/histogram_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/memory.h"
#include "runtime/status.h"

void uhi_histogram_open(struct uhi_histogram_run *run, uh_queue *queue) {
    run->flows = (struct uhi_counters){.max_pending = UINT32_MAX, .several = 1};
    memset(run->flows_read, 0, sizeof run->flows_read);
    run->points = 0;
    run->max_piece = 0;
    run->plans = NULL;
    run->launch.tiers = UHI_TIERS_ALL;
    run->launch.naxes = 0;
    run->launch.kernel = NULL;
    run->launch.slots = 0;
    run->launch.counters = (struct uhi_counters){.max_pending = UINT32_MAX};
    run->launch.read = NULL;
    run->launch.holds = 0;
    uhi_frame_open(&run->frame, queue, uhi_histogram_variants());
    run->frame.lost = "what was filled since the last read is lost, uh_histogram_reset begins anew";
}

void uhi_histogram_close(struct uhi_histogram_run *run) {
    if (run->frame.engine)
        uhi_engine_quiesce(run->frame.engine);
    for (size_t a = 0; run->plans && a < UH_MAX_AXES; a++)
        for (size_t i = 0; i < UH_DTYPE_COUNT; i++)
            uhi_free(run->plans[a][i].image);
    free(run->plans);
    uhi_counters_free(&run->flows);
    uhi_counters_free(&run->launch.counters);
    free(run->launch.read);
    uhi_frame_close(&run->frame);
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

static uh_status fill_on_host(struct uhi_frame *frame, void *context) {
    struct uhi_histogram_filling *filling = context;
    const struct uhi_cell_source source = {.on_host = uhi_histogram_cells, .context = filling};
    int done = 0;
    filling->host = uhi_histogram_host();
    if (filling->target.counts)
        return uhi_histogram_count_values(frame, filling);
    uh_status status = uhi_histogram_count_points(frame, filling, &done);
    if (status || done)
        return status;
    const size_t threads = uhi_host_threads(frame->queue), bytes = threads * sizeof *filling->parts;
    filling->parts = uhi_frame_scratch(frame, bytes);
    if (!filling->parts)
        return UH_ERROR_OUT_OF_MEMORY;
    memset(filling->parts, 0, bytes);
    status = uhi_store_add(filling->target.store, frame, &source, uhi_values_dtype(filling->points->values));
    for (size_t t = 0; !status && t < threads; t++)
        uhi_histogram_add_numbers(filling->target.numbers, &filling->parts[t].numbers);
    return status;
}

/* ---- on a device ------------------------------------------------------------------------------------------------- */

uh_status uhi_histogram_load_plan(struct uhi_histogram_run *run, size_t axis, const struct uhi_histogram_plan *plan,
                                  struct uhi_uploaded **uploaded) {
    struct uhi_engine *engine = run->frame.engine;
    struct uhi_uploaded made = {.plan = plan};
    if (!run->plans)
        run->plans = calloc(UH_MAX_AXES, sizeof *run->plans);
    if (!run->plans)
        return uhi_fail_memory(run->frame.call, "no memory for the state of a device");
    struct uhi_uploaded *kept = &run->plans[axis][plan->dtype];
    *uploaded = kept;
    if (kept->plan == plan)
        return UH_SUCCESS;
    UHI_TRY(uhi_histogram_check_device(run->frame.call, engine, plan));
    UHI_TRY(uhi_histogram_upload(run->frame.call, engine, plan, &made.image));
    uhi_free(kept->image);
    *kept = made;
    return UH_SUCCESS;
}

/* Uploads the axes' plans to the device, chooses how points are added and, if they go axis by axis, gets the kernels
 * for that. */
static uh_status ready_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histogram_filling *filling = context;
    const struct uhi_histogram_points *points = filling->points;
    struct uhi_uploaded *plan[UH_MAX_AXES];
    uh_status status = UH_SUCCESS;
    for (size_t a = 0; a < points->naxes; a++)
        UHI_TRY(uhi_histogram_load_plan(filling->run, a, points->plan[a], &plan[a]));
    UHI_TRY(uhi_histogram_choose_launch(filling));
    for (size_t a = 0; a < points->naxes && !status && !filling->run->launch.kernel; a++)
        if (!plan[a]->kernel)
            status = uhi_histogram_kernel(frame->engine, points->plan[a], "cells", &plan[a]->kernel);
    return status;
}

/* Adds one axis's digit to the cells of a piece, and counts the points that miss the axis. */
static uh_status launch_axis(const struct uhi_histogram_filling *filling, size_t axis, const struct uhi_piece *piece,
                             uint32_t *cell) {
    const struct uhi_histogram_points *points = filling->points;
    const struct uhi_histogram_run *run = filling->run;
    const struct uhi_uploaded *plan = &run->plans[axis][points->plan[axis]->dtype];
    const uint32_t n = (uint32_t)piece->n, first = axis == 0, last = axis + 1 == points->naxes;
    const uint64_t bytes = UHI_FLOW_COUNT * sizeof(uint32_t);
    const uint32_t spread = uhi_shape_among(UHI_TIERS_LOCAL, UHI_FLOW_COUNT, 0, &run->frame.engine->properties).spread;
    const uh_arg args[] = {uh_arg_pointer(plan->image),
                           uh_arg_pointer(piece->in[axis]),
                           UHI_ARG(n),
                           UHI_ARG(first),
                           UHI_ARG(last),
                           uh_arg_pointer(cell),
                           uh_arg_pointer(run->flows.words + axis * UHI_FLOW_COUNT),
                           UHI_ARG(spread),
                           uh_arg_local(bytes << spread)};
    return uhi_engine_run_wide(run->frame.engine, plan->kernel, n, args, sizeof args / sizeof *args, piece->ready[axis],
                               NULL);
}

static uh_status find_piece(void *context, const struct uhi_piece *piece, uint32_t *cell) {
    const struct uhi_histogram_filling *filling = context;
    for (size_t a = 0; a < filling->points->naxes; a++)
        UHI_TRY(launch_axis(filling, a, piece, cell));
    return UH_SUCCESS;
}

/* By cells, or on one axis in one launch; in both cases the store keeps the results.
 *
 * The counts of one path are read from the device before the other path begins, so that a failing call discards only
 * its own points, and its failure is not attributed to earlier ones. */
static uh_status fill_by_cells(struct uhi_frame *frame, struct uhi_histogram_filling *filling) {
    struct uhi_histogram_run *run = filling->run;
    const struct uhi_cell_source source = {.on_device = find_piece,
                                           .sum_on_device = run->launch.kernel ? uhi_histogram_sum_in_launch : NULL,
                                           .context = filling,
                                           .counters = &run->flows,
                                           .counts = run->flows_read,
                                           .max_piece = run->max_piece};
    UHI_TRY(uhi_histogram_read_launch(run, run->launch.read));
    UHI_TRY(uhi_counters_ready(&run->flows, frame->engine, frame->call, filling->points->naxes * UHI_FLOW_COUNT, 1));
    UHI_TRY(uhi_store_add(filling->target.store, frame, &source, uhi_values_dtype(filling->points->values)));
    run->points += filling->points->n;
    return UH_SUCCESS;
}

static uh_status fill_in_launch(struct uhi_frame *frame, struct uhi_histogram_filling *filling) {
    struct uhi_histogram_run *run = filling->run;
    if (filling->target.counts)
        return uhi_histogram_count_in_launch(frame, filling);
    UHI_TRY(uhi_counters_read(&run->flows, frame->engine, run->flows_read));
    UHI_TRY(uhi_store_read_device(frame->call, filling->target.store));
    return uhi_histogram_count_in_launch(frame, filling);
}

static uh_status fill_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histogram_filling *filling = context;
    UHI_TRY(ready_on_device(frame, filling));
    const int counted = filling->target.counts || (filling->run->launch.kernel && filling->points->naxes > 1);
    return counted ? fill_in_launch(frame, filling) : fill_by_cells(frame, filling);
}

struct describing {
    struct uhi_histogram_filling filling;
    char *text;
    size_t size;
    int length;
};

static uh_status describe_on_device(struct uhi_frame *frame, void *context) {
    struct describing *d = context;
    const struct uhi_histogram_points *points = d->filling.points;
    const struct uhi_histogram_launch *launch = &d->filling.run->launch;
    char where[128];
    uh_status status = UH_SUCCESS;
    for (size_t a = 0; a < points->naxes && !status; a++)
        status = uhi_histogram_check_device(frame->call, frame->engine, points->plan[a]);
    if (!status)
        status = uhi_histogram_choose_launch(&d->filling);
    if (status || !launch->kernel)
        return status;
    (void)uhi_shape_text(&launch->shape, where, sizeof where);
    if (d->filling.target.counts)
        d->length = snprintf(d->text, d->size, "%s", where);
    else if (launch->naxes > 1)
        d->length = snprintf(d->text, d->size, "; all %zu axes in one launch%s", launch->naxes, where);
    else
        d->length = snprintf(d->text, d->size, "; float32 %s in the same launch%s",
                             d->filling.target.store->storage == UH_STORAGE_MEAN ? "samples" : "weights", where);
    return UH_SUCCESS;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static const struct uhi_stage ready = {"histogram: ready", NULL, ready_on_device};
static const struct uhi_stage fill = {"histogram: fill", fill_on_host, fill_on_device};
static const struct uhi_stage describe = {"histogram: where", NULL, describe_on_device};

uh_status uhi_histogram_ready(struct uhi_histogram_run *run, const char *call,
                              const struct uhi_histogram_points *points, struct uhi_histogram_target target) {
    struct uhi_histogram_filling filling = {.run = run, .points = points, .target = target};
    run->frame.call = call;
    return uhi_frame_run(&run->frame, &ready, &filling);
}

uh_status uhi_histogram_where(struct uhi_histogram_run *run, const char *call,
                              const struct uhi_histogram_points *points, struct uhi_histogram_target target, char *text,
                              size_t size, int *length) {
    struct describing d = {.filling = {.run = run, .points = points, .target = target}, .text = text, .size = size};
    run->frame.call = call;
    uh_status status = uhi_frame_run(&run->frame, &describe, &d);
    *length = d.length;
    return status;
}

uh_status uhi_histogram_add(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_points *points,
                            struct uhi_histogram_target target) {
    struct uhi_histogram_filling filling = {.run = run, .points = points, .target = target};
    const uh_array *values = points->values;
    UHI_TRY(uhi_frame_begin(&run->frame, call, points->n));
    for (size_t a = 0; a < points->naxes; a++)
        UHI_TRY(uhi_frame_input(&run->frame, points->names[a], points->x[a], points->plan[a]->tables.value_bytes));
    if (values)
        UHI_TRY(uhi_frame_input(&run->frame, points->names[UH_MAX_AXES],
                                (struct uhi_values){values->data, points->n, values->stride},
                                uh_dtype_size(values->dtype)));
    return uhi_frame_run(&run->frame, &fill, &filling);
}

uh_status uhi_histogram_settle(struct uhi_histogram_run *run, const char *call, struct uhi_histogram_target target) {
    const size_t naxes = run->flows.count / UHI_FLOW_COUNT;
    uint64_t *flows = run->flows_read;
    if (!run->frame.engine)
        return UH_SUCCESS;
    UHI_TRY(uhi_frame_begin(&run->frame, call, 0));
    if (target.counts)
        return uhi_fail_of(call, uhi_histogram_read_launch(run, target.counts));
    if (run->points > 0)
        UHI_TRY(uhi_fail_of(call, uhi_counters_read(&run->flows, run->frame.engine, flows)));
    UHI_TRY(uhi_fail_of(call, uhi_histogram_read_launch(run, run->launch.read)));
    UHI_TRY(uhi_store_read_device(call, target.store));
    uhi_histogram_fold_launch(&run->launch, target);
    if (run->points == 0)
        return UH_SUCCESS;
    for (size_t a = 0; a < naxes; a++)
        for (size_t i = 0; i < UHI_FLOW_OUTSIDE; i++)
            target.numbers->flow[a][i] += flows[a * UHI_FLOW_COUNT + i];
    target.numbers->outside += flows[(naxes - 1) * UHI_FLOW_COUNT + UHI_FLOW_OUTSIDE];
    target.numbers->points += run->points;
    memset(run->flows_read, 0, sizeof run->flows_read);
    run->points = 0;
    return UH_SUCCESS;
}

void uhi_histogram_discard(struct uhi_histogram_run *run, struct uhi_store *store) {
    if (!run->frame.engine)
        return;
    uhi_counters_discard(&run->flows, run->frame.engine);
    uhi_histogram_discard_launch(run);
    if (store)
        uhi_store_discard(store);
    memset(run->flows_read, 0, sizeof run->flows_read);
    run->points = 0;
}
