/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histogramdd/histogramdd_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/histogram/histogram_upload.h"
#include "kernels/registry.h"
#include "runtime/status.h"

void uhi_histogramdd_open(struct uhi_histogramdd_run *run, uh_queue *queue) {
    run->flows = (struct uhi_counters){.max_pending = UINT32_MAX, .several = 1};
    memset(run->flows_read, 0, sizeof run->flows_read);
    run->points = 0;
    run->max_piece = 0;
    run->plans = NULL;
    run->fused.tiers = UHI_TIERS_OF_POINTS;
    run->fused.naxes = 0;
    run->fused.kernel = NULL;
    run->fused.counters = (struct uhi_counters){.max_pending = UINT32_MAX};
    run->fused.read = NULL;
    run->fused.holds = 0;
    uhi_frame_open(&run->frame, queue, uhi_histogramdd_variants());
    run->frame.lost = "what was filled since the last read is lost, uh_histogram_reset begins anew";
}

void uhi_histogramdd_close(struct uhi_histogramdd_run *run) {
    if (run->frame.engine)
        uhi_engine_quiesce(run->frame.engine);
    for (size_t a = 0; run->plans && a < UH_MAX_AXES; a++)
        for (size_t i = 0; i < UH_DTYPE_COUNT; i++)
            (void)uh_free(run->plans[a][i].image);
    free(run->plans);
    uhi_counters_free(&run->flows);
    uhi_counters_free(&run->fused.counters);
    free(run->fused.read);
    uhi_frame_close(&run->frame);
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

static uh_dtype dtype_of(const struct uhi_histogramdd_points *points) {
    return points->values ? points->values->dtype : UHI_NO_VALUES;
}

static uh_status fill_on_host(struct uhi_frame *frame, void *context) {
    struct uhi_histogramdd_filling *filling = context;
    const struct uhi_cell_source source = {.on_host = uhi_histogramdd_cells, .context = filling};
    int done = 0;
    filling->find = uhi_histogram_host();
    filling->host = uhi_histogramdd_host();
    uh_status status = uhi_histogramdd_count(frame, filling, &done);
    if (status || done)
        return status;
    const size_t threads = uhi_host_threads(frame->queue), bytes = threads * sizeof *filling->parts;
    filling->parts = uhi_frame_scratch(frame, bytes);
    if (!filling->parts)
        return UH_ERROR_OUT_OF_MEMORY;
    memset(filling->parts, 0, bytes);
    status = uhi_store_add(filling->sums.store, frame, &source, dtype_of(filling->points));
    for (size_t t = 0; !status && t < threads; t++)
        uhi_histogramdd_add_counters(filling->sums.counters, &filling->parts[t].counters);
    return status;
}

/* ---- on a device ------------------------------------------------------------------------------------------------- */

/* Brings an axis's plan to the device and, if points go axis by axis, gets the kernel for that. */
static uh_status bring_plan(struct uhi_histogramdd_run *run, size_t axis, const struct uhi_histogram_plan *plan,
                            int by_cells) {
    struct uhi_engine *engine = run->frame.engine;
    struct uhi_histogramdd_uploaded *kept = &run->plans[axis][plan->dtype], made = {.plan = plan};
    uh_status status = UH_SUCCESS;
    if (kept->plan != plan) {
        status = uhi_histogram_check_device(run->frame.call, engine, plan);
        if (!status)
            status = uhi_histogram_upload(run->frame.call, engine, plan, &made.image);
        if (!status)
            *kept = made;
    }
    if (!status && by_cells && !kept->kernel)
        status = uhi_histogram_kernel(engine, plan, "cells", &kept->kernel);
    return status;
}

static uh_status ready_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histogramdd_filling *filling = context;
    struct uhi_histogramdd_run *run = filling->run;
    uh_status status = uhi_histogramdd_fuse(filling);
    if (!status && !run->plans)
        run->plans = calloc(UH_MAX_AXES, sizeof *run->plans);
    if (!status && !run->plans)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, frame->call, NULL, "no memory for the state of a device");
    for (size_t a = 0; a < filling->points->naxes && !status; a++)
        status = bring_plan(run, a, filling->points->plan[a], !run->fused.kernel);
    return status;
}

/* Adds one axis's digit to the cells of a piece, and counts the points that miss the axis. */
static uh_status launch_axis(const struct uhi_histogramdd_filling *filling, size_t axis, const struct uhi_piece *piece,
                             uint32_t *cell) {
    const struct uhi_histogramdd_points *points = filling->points;
    const struct uhi_histogramdd_run *run = filling->run;
    const struct uhi_histogramdd_uploaded *plan = &run->plans[axis][points->plan[axis]->dtype];
    const uint32_t n = (uint32_t)piece->n, first = axis == 0, last = axis + 1 == points->naxes;
    const uint64_t bytes = UHI_FLOW_COUNT * sizeof(uint32_t);
    const uint32_t spread = uhi_shape_among(UHI_TIERS_LOCAL, UHI_FLOW_COUNT, 0, &run->frame.engine->properties).spread;
    const uh_arg args[] = {uh_arg_pointer(plan->image),
                           uh_arg_pointer(piece->in[axis]),
                           uh_arg_value(&n, sizeof n),
                           uh_arg_value(&first, sizeof first),
                           uh_arg_value(&last, sizeof last),
                           uh_arg_pointer(cell),
                           uh_arg_pointer(run->flows.words + axis * UHI_FLOW_COUNT),
                           uh_arg_value(&spread, sizeof spread),
                           uh_arg_local(bytes << spread)};
    return uhi_engine_run_wide(run->frame.engine, plan->kernel, n, args, sizeof args / sizeof *args, piece->ready[axis],
                               NULL);
}

static uh_status find_piece(void *context, const struct uhi_piece *piece, uint32_t *cell) {
    const struct uhi_histogramdd_filling *filling = context;
    uh_status status = UH_SUCCESS;
    for (size_t a = 0; a < filling->points->naxes && !status; a++)
        status = launch_axis(filling, a, piece, cell);
    return status;
}

/* By cells, or on one axis in one launch; in both cases the store keeps the results.
 *
 * The counts of one path are read from the device before the other path begins, so that a failing call discards only
 * its own points, and its failure is not attributed to earlier ones. */
static uh_status fill_by_cells(struct uhi_frame *frame, struct uhi_histogramdd_filling *filling) {
    struct uhi_histogramdd_run *run = filling->run;
    const struct uhi_cell_source source = {.on_device = find_piece,
                                           .sum_on_device = run->fused.kernel ? uhi_histogramdd_sum_fused : NULL,
                                           .context = filling,
                                           .counters = &run->flows,
                                           .counts = run->flows_read,
                                           .max_piece = run->max_piece};
    uh_status status = uhi_histogramdd_read_fused(run);
    if (!status)
        status =
            uhi_counters_ready(&run->flows, frame->engine, frame->call, filling->points->naxes * UHI_FLOW_COUNT, 1);
    if (!status)
        status = uhi_store_add(filling->sums.store, frame, &source, dtype_of(filling->points));
    if (!status)
        run->points += filling->points->n;
    return status;
}

static uh_status fill_fused(struct uhi_frame *frame, struct uhi_histogramdd_filling *filling) {
    struct uhi_histogramdd_run *run = filling->run;
    uh_status status = uhi_counters_read(&run->flows, frame->engine, run->flows_read);
    if (!status)
        status = uhi_store_read_device(frame->call, filling->sums.store);
    return status ? status : uhi_histogramdd_count_fused(frame, filling);
}

static uh_status fill_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histogramdd_filling *filling = context;
    const uh_status status = ready_on_device(frame, filling);
    if (status)
        return status;
    return filling->run->fused.kernel && filling->points->naxes > 1 ? fill_fused(frame, filling)
                                                                    : fill_by_cells(frame, filling);
}

/* The description, and its length. */
struct telling {
    struct uhi_histogramdd_filling filling;
    char *text;
    size_t size;
    int length;
};

static uh_status tell_device(struct uhi_frame *frame, void *context) {
    struct telling *telling = context;
    const struct uhi_histogramdd_fused *fused = &telling->filling.run->fused;
    char where[128];
    (void)frame;
    const uh_status status = uhi_histogramdd_fuse(&telling->filling);
    if (status || !fused->kernel)
        return status;
    (void)uhi_shape_text(&fused->shape, where, sizeof where);
    const char *values = uhi_store_storage(telling->filling.sums.store) == UH_STORAGE_MEAN ? "samples" : "weights";
    telling->length =
        fused->naxes == 1
            ? snprintf(telling->text, telling->size, "; float32 %s in the same launch%s", values, where)
            : snprintf(telling->text, telling->size, "; all %zu axes in one launch%s", fused->naxes, where);
    return UH_SUCCESS;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static const struct uhi_stage ready = {"histogramdd: ready", NULL, ready_on_device};
static const struct uhi_stage fill = {"histogramdd: fill", fill_on_host, fill_on_device};
static const struct uhi_stage tell = {"histogramdd: where", NULL, tell_device};

uh_status uhi_histogramdd_ready(struct uhi_histogramdd_run *run, const char *call,
                                const struct uhi_histogramdd_points *points, struct uhi_histogramdd_sums sums) {
    struct uhi_histogramdd_filling filling = {.run = run, .points = points, .sums = sums};
    run->frame.call = call;
    return uhi_frame_run(&run->frame, &ready, &filling);
}

uh_status uhi_histogramdd_where(struct uhi_histogramdd_run *run, const char *call,
                                const struct uhi_histogramdd_points *points, struct uhi_histogramdd_sums sums,
                                char *text, size_t size, int *length) {
    struct telling telling = {.filling = {.run = run, .points = points, .sums = sums}, .text = text, .size = size};
    run->frame.call = call;
    uh_status status = uhi_frame_run(&run->frame, &tell, &telling);
    *length = telling.length;
    return status;
}

uh_status uhi_histogramdd_add(struct uhi_histogramdd_run *run, const char *call,
                              const struct uhi_histogramdd_points *points, struct uhi_histogramdd_sums sums) {
    static const char *const arguments[UH_MAX_AXES] = {"arrays[0].data", "arrays[1].data", "arrays[2].data",
                                                       "arrays[3].data", "arrays[4].data", "arrays[5].data",
                                                       "arrays[6].data", "arrays[7].data"};
    struct uhi_histogramdd_filling filling = {.run = run, .points = points, .sums = sums};
    const uh_array *values = points->values;
    uh_status status = uhi_frame_begin(&run->frame, call, points->n);
    for (size_t a = 0; a < points->naxes && !status; a++)
        status = uhi_frame_input(&run->frame, arguments[a], points->x[a], points->plan[a]->tables.value_bytes);
    if (!status && values)
        status =
            uhi_frame_input(&run->frame, "weights->data", (struct uhi_values){values->data, points->n, values->stride},
                            uh_dtype_size(values->dtype));
    return status ? status : uhi_frame_run(&run->frame, &fill, &filling);
}

uh_status uhi_histogramdd_settle(struct uhi_histogramdd_run *run, const char *call, struct uhi_histogramdd_sums sums) {
    const size_t naxes = run->flows.count / UHI_FLOW_COUNT;
    uint64_t *flows = run->flows_read;
    if (!run->frame.engine)
        return UH_SUCCESS;
    uh_status status = uhi_frame_begin(&run->frame, call, 0);
    if (!status && run->points > 0)
        status = uhi_fail_of(call, uhi_counters_read(&run->flows, run->frame.engine, flows));
    if (!status)
        status = uhi_fail_of(call, uhi_histogramdd_read_fused(run));
    if (!status)
        status = uhi_store_read_device(call, sums.store);
    if (status)
        return status;
    uhi_histogramdd_fold_fused(&run->fused, sums);
    if (run->points == 0)
        return UH_SUCCESS;
    for (size_t a = 0; a < naxes; a++)
        for (size_t i = 0; i < UHI_FLOW_OUTSIDE; i++)
            sums.counters->flow[a][i] += flows[a * UHI_FLOW_COUNT + i];
    sums.counters->outside += flows[(naxes - 1) * UHI_FLOW_COUNT + UHI_FLOW_OUTSIDE];
    sums.counters->points += run->points;
    memset(run->flows_read, 0, sizeof run->flows_read);
    run->points = 0;
    return UH_SUCCESS;
}

void uhi_histogramdd_forget(struct uhi_histogramdd_run *run, struct uhi_store *store) {
    if (!run->frame.engine)
        return;
    uhi_counters_discard(&run->flows, run->frame.engine);
    uhi_histogramdd_forget_fused(run);
    uhi_store_discard(store);
    memset(run->flows_read, 0, sizeof run->flows_read);
    run->points = 0;
}
