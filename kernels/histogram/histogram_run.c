/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histogram/histogram_run.h"

#include <stdlib.h>

#include "kernels/common/engine_shape.h"
#include "kernels/common/memory_room.h"
#include "kernels/histogram/histogram_upload.h"
#include "kernels/histogram/tuning.h"
#include "kernels/registry.h"
#include "runtime/status.h"

enum { INDEX_BLOCK = 2048 };

void uhi_histogram_open(struct uhi_histogram_run *run, uh_queue *queue) {
    run->counters = (struct uhi_counters){.max_pending = UINT32_MAX};
    run->plans = NULL;
    uhi_frame_open(&run->frame, queue, uhi_histogram_variants());
    run->frame.lost = "the counts since the last read are lost, uh_histogram_reset begins anew";
}

void uhi_histogram_close(struct uhi_histogram_run *run) {
    if (run->frame.engine)
        uhi_engine_quiesce(run->frame.engine);
    for (size_t i = 0; run->plans && i < UH_DTYPE_COUNT; i++)
        (void)uh_free(run->plans[i].image);
    free(run->plans);
    uhi_counters_free(&run->counters);
    uhi_frame_close(&run->frame);
}

/* ---- plans on a device ------------------------------------------------------------------------------------------- */

/* Brings the plan to the device if it is not there yet; *uploaded belongs to the run. UH_ERROR_UNSUPPORTED if the
 * device cannot look up exactly by it. */
static uh_status bring_plan(struct uhi_histogram_run *run, const struct uhi_histogram_plan *plan,
                            const struct uhi_uploaded **uploaded) {
    struct uhi_engine *engine = run->frame.engine;
    struct uhi_uploaded *kept, made = {.plan = plan};
    *uploaded = NULL;
    if (!run->plans)
        run->plans = calloc(UH_DTYPE_COUNT, sizeof *run->plans);
    if (!run->plans)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, run->frame.call, NULL, "no memory for the state of a device");
    *uploaded = kept = &run->plans[plan->dtype];
    if (kept->plan == plan)
        return UH_SUCCESS;
    uh_status status = uhi_histogram_check_device(run->frame.call, engine, plan);
    if (status)
        return status;
    made.shape = uhi_engine_shape(engine, UHI_TIERS_OF_VALUES, uhi_histogram_counters(&plan->tables),
                                  uhi_histogram_near_bytes(plan));
    status = uhi_memory_room_shape(engine, (size_t)plan->tables.bins + 3,
                                   (uint64_t)run->counters.room * sizeof *run->counters.words, &made.shape);
    if (!status)
        status = uhi_histogram_upload(run->frame.call, engine, plan, &made.image);
    if (status)
        return status;
    (void)uh_free(kept->image);
    *kept = made;
    return UH_SUCCESS;
}

/* Returns the plan's counting kernel in *kernel, built on first use; do not free it. */
static uh_status find_count(struct uhi_engine *engine, const struct uhi_uploaded *uploaded, uh_kernel **kernel) {
    return uhi_histogram_kernel(engine, uploaded->plan, uhi_histogram_count_prefix(uploaded->shape.tier), kernel);
}

static uh_status ready_on_device(struct uhi_frame *frame, void *context) {
    const struct uhi_counting *counting = context;
    const struct uhi_uploaded *uploaded;
    uh_kernel *kernel;
    uh_status status = bring_plan(counting->run, counting->plan, &uploaded);
    return status ? status : find_count(frame->engine, uploaded, &kernel);
}

static const struct uhi_stage ready = {"histogram: ready", NULL, ready_on_device};

uh_status uhi_histogram_ready(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_plan *plan) {
    struct uhi_counting counting = {.run = run, .plan = plan};
    run->frame.call = call;
    return uhi_frame_run(&run->frame, &ready, &counting);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* Context of the launches of one count or of one index call. */
struct launching {
    struct uhi_histogram_run *run;
    const struct uhi_uploaded *plan;
    uh_kernel *kernel;
};

static uh_status launch_count(void *context, const struct uhi_piece *piece) {
    const struct launching *launching = context;
    const struct uhi_uploaded *plan = launching->plan;
    const struct uhi_shape *shape = &plan->shape;
    const struct uhi_counters *counters = &launching->run->counters;
    const uint64_t n = piece->n;
    const uint32_t tables = (uint32_t)counters->tables;
    const uh_arg args[] = {uh_arg_pointer(plan->image),
                           uh_arg_pointer(piece->in[0]),
                           uh_arg_value(&n, sizeof n),
                           uh_arg_pointer(counters->words),
                           uh_arg_value(&shape->spread, sizeof shape->spread),
                           uh_arg_value(&tables, sizeof tables),
                           uh_arg_local(uhi_shape_local_bytes(shape)),
                           uh_arg_local(shape->local_counts)};
    return uhi_engine_run(launching->run->frame.engine, launching->kernel, uhi_shape_groups(shape, n),
                          shape->group_size, args, shape->tier == UHI_TIER_LOCAL ? 8 : 7, piece->ready[0], piece->done);
}

static uh_status count_on_device(struct uhi_frame *frame, void *context) {
    const struct uhi_counting *counting = context;
    struct uhi_histogram_run *run = counting->run;
    struct uhi_counters *counters = &run->counters;
    struct launching launching = {.run = run};
    struct uhi_pieces pieces;
    uh_status status = bring_plan(run, counting->plan, &launching.plan);
    if (!status)
        status = find_count(frame->engine, launching.plan, &launching.kernel);
    if (status)
        return status;
    /* The number of tables stays as the first plan set it, because the counters hold counts. */
    const size_t tables = counters->tables ? counters->tables : launching.plan->shape.private_tables;
    status = uhi_counters_ready(counters, frame->engine, frame->call, (size_t)counting->plan->tables.bins + 3, tables);
    if (!status)
        status = uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands, counters->max_pending);
    return status ? status : uhi_counters_add(counters, &pieces, launch_count, NULL, &launching, counting->counts);
}

static const struct uhi_stage count = {"histogram: count", uhi_histogram_count_on_host, count_on_device};

uh_status uhi_histogram_count(struct uhi_histogram_run *run, const char *call, const char *argument,
                              const struct uhi_histogram_plan *plan, struct uhi_values x, uint64_t *counts) {
    struct uhi_counting counting = {run, plan, counts};
    uh_status status = uhi_frame_begin(&run->frame, call, x.n);
    if (!status)
        status = uhi_frame_input(&run->frame, argument, x, plan->tables.value_bytes);
    return status ? status : uhi_frame_run(&run->frame, &count, &counting);
}

uh_status uhi_histogram_settle(struct uhi_histogram_run *run, const char *call, uint64_t *counts) {
    if (!run->frame.engine)
        return UH_SUCCESS;
    uh_status status = uhi_frame_begin(&run->frame, call, 0);
    return uhi_fail_of(call, status ? status : uhi_counters_read(&run->counters, run->frame.engine, counts));
}

void uhi_histogram_forget(struct uhi_histogram_run *run) {
    if (run->frame.engine)
        uhi_counters_forget(&run->counters, run->frame.engine);
}

/* ---- indices ----------------------------------------------------------------------------------------------------- */

struct indexing {
    struct uhi_histogram_run *run;
    const struct uhi_histogram_plan *plan;
    const struct uhi_histogram_host *host;
};

static void index_part(const void *context, size_t part, size_t parts) {
    const struct indexing *indexing = context;
    const struct uhi_histogram_tables *tables = &indexing->plan->tables;
    const struct uhi_operands *operands = &indexing->run->frame.operands;
    const size_t from = uhi_part_start(operands->n, parts, part), to = uhi_part_start(operands->n, parts, part + 1);
    int64_t *index = (int64_t *)(uintptr_t)operands->out.x.first, largest = (int64_t)tables->bins + 1;
    uint32_t slot[INDEX_BLOCK];
    for (size_t i = from, n; i < to; i += n) {
        n = to - i < INDEX_BLOCK ? to - i : INDEX_BLOCK;
        indexing->host->lookup(tables, uhi_values_part(operands->in[0].x, i, n), slot);
        for (size_t j = 0; j < n; j++)
            index[i + j] = slot[j] < largest ? slot[j] : largest;
    }
}

static uh_status index_on_host(struct uhi_frame *frame, void *context) {
    struct indexing *indexing = context;
    indexing->host = uhi_histogram_host();
    return uhi_frame_parallel(frame, "histogram: index", index_part, indexing, frame->operands.n, UHI_VALUES_A_THREAD);
}

static uh_status launch_index(void *context, const struct uhi_piece *piece) {
    const struct launching *launching = context;
    const struct uhi_uploaded *plan = launching->plan;
    const uint64_t n = piece->n;
    const uh_arg args[] = {uh_arg_pointer(plan->image), uh_arg_pointer(piece->in[0]), uh_arg_value(&n, sizeof n),
                           uh_arg_pointer(piece->out)};
    return uhi_engine_run(launching->run->frame.engine, launching->kernel, uhi_shape_groups(&plan->shape, n),
                          plan->shape.group_size, args, 4, piece->ready[0], piece->done);
}

static uh_status index_on_device(struct uhi_frame *frame, void *context) {
    const struct indexing *indexing = context;
    struct launching launching = {.run = indexing->run};
    struct uhi_pieces pieces;
    uh_status status = bring_plan(indexing->run, indexing->plan, &launching.plan);
    if (!status)
        status = uhi_histogram_kernel(frame->engine, indexing->plan, "index", &launching.kernel);
    if (!status)
        status =
            uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands, indexing->run->counters.max_pending);
    if (status)
        return status;
    status = uhi_pieces_each(&pieces, launch_index, NULL, &launching);
    return uhi_pieces_finish(&pieces, status);
}

static const struct uhi_stage indices = {"histogram: index", index_on_host, index_on_device};

uh_status uhi_histogram_index(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_plan *plan,
                              struct uhi_values x, int64_t *index) {
    struct indexing indexing = {.run = run, .plan = plan};
    uh_status status = uhi_frame_begin(&run->frame, call, x.n);
    if (!status)
        status = uhi_frame_input(&run->frame, "x->data", x, plan->tables.value_bytes);
    if (!status)
        status = uhi_frame_output(&run->frame, "index", index, sizeof *index);
    return status ? status : uhi_frame_run(&run->frame, &indices, &indexing);
}

/* ---- description ------------------------------------------------------------------------------------------------- */

struct telling {
    struct uhi_counting counting;
    char *text;
    size_t size;
    int length;
};

static uh_status tell_device(struct uhi_frame *frame, void *context) {
    struct telling *telling = context;
    const struct uhi_uploaded *uploaded;
    (void)frame;
    uh_status status = bring_plan(telling->counting.run, telling->counting.plan, &uploaded);
    if (!status)
        telling->length = uhi_shape_text(&uploaded->shape, telling->text, telling->size);
    return status;
}

static const struct uhi_stage tell = {"histogram: where", NULL, tell_device};

uh_status uhi_histogram_where(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_plan *plan,
                              char *text, size_t size, int *length) {
    struct telling telling = {.counting = {.run = run, .plan = plan}, .text = text, .size = size};
    run->frame.call = call;
    uh_status status = uhi_frame_run(&run->frame, &tell, &telling);
    *length = telling.length;
    return status;
}
