/* SPDX-License-Identifier: Apache-2.0 */
/* Indices of values on one axis. */
#include "kernels/histogram/histogram_run.h"
#include "kernels/histogram/tuning.h"
#include "runtime/status.h"

enum { INDEX_BLOCK = 2048 };

struct indexing {
    struct uhi_histogram_run *run;
    const struct uhi_histogram_plan *plan;
    const struct uhi_histogram_host *host;
    const struct uhi_uploaded *uploaded;
    uh_kernel *kernel;
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
    const struct indexing *indexing = context;
    const uint64_t n = piece->n;
    const uh_arg args[] = {uh_arg_pointer(indexing->uploaded->image), uh_arg_pointer(piece->in[0]), UHI_ARG(n),
                           uh_arg_pointer(piece->out)};
    return uhi_engine_run_wide(indexing->run->frame.engine, indexing->kernel, n, args, sizeof args / sizeof *args,
                               piece->ready[0], piece->done);
}

static uh_status index_on_device(struct uhi_frame *frame, void *context) {
    struct indexing *indexing = context;
    struct uhi_uploaded *uploaded = NULL;
    struct uhi_pieces pieces;
    UHI_TRY(uhi_histogram_load_plan(indexing->run, 0, indexing->plan, &uploaded));
    UHI_TRY(uhi_histogram_kernel(frame->engine, indexing->plan, "index", &indexing->kernel));
    UHI_TRY(uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands,
                            indexing->run->launch.counters.max_pending));
    indexing->uploaded = uploaded;
    uh_status status = uhi_pieces_for_each(&pieces, launch_index, NULL, indexing);
    return uhi_pieces_finish(&pieces, status);
}

static const struct uhi_stage indices = {"histogram: index", index_on_host, index_on_device};

uh_status uhi_histogram_index(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_plan *plan,
                              struct uhi_values x, int64_t *index) {
    struct indexing indexing = {.run = run, .plan = plan};
    UHI_TRY(uhi_frame_begin(&run->frame, call, x.n));
    UHI_TRY(uhi_frame_input(&run->frame, "x->data", x, plan->tables.value_bytes));
    UHI_TRY(uhi_frame_output(&run->frame, "index", index, sizeof *index));
    return uhi_frame_run(&run->frame, &indices, &indexing);
}
