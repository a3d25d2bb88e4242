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
    uh_dtype dtype;
    uint32_t less[2]; /* slots above each of them have a number less by 1 */
};

/* Stores the numbers of slots, of n elements. */
#define STORE(type, to, pitch)                                                                                         \
    for (size_t i = 0; i < n; i++)                                                                                     \
    *(type *)((to) + (ptrdiff_t)i * (pitch)) = (type)(slot[i] - (slot[i] > less[0]) - (slot[i] > less[1]))

void uhi_index_store(const uint32_t *slot, size_t n, const uint32_t less[2], uh_dtype dtype, char *to,
                     ptrdiff_t pitch) {
    switch (dtype) {
    case UH_U8:
        if (pitch == 1)
            STORE(uint8_t, to, 1);
        else
            STORE(uint8_t, to, pitch);
        break;
    case UH_U16: STORE(uint16_t, to, pitch); break;
    case UH_I32: STORE(int32_t, to, pitch); break;
    default: STORE(int64_t, to, pitch); break;
    }
}

static void index_part(const void *context, size_t part, size_t parts) {
    const struct indexing *indexing = context;
    const struct uhi_histogram_tables *tables = &indexing->plan->tables;
    const struct uhi_operands *operands = &indexing->run->frame.operands;
    const size_t from = uhi_part_start(operands->n, parts, part), to = uhi_part_start(operands->n, parts, part + 1);
    const size_t size = uh_dtype_size(indexing->dtype);
    char *index = (char *)(uintptr_t)operands->out.x.first;
    uint32_t slot[INDEX_BLOCK];
    for (size_t i = from, n; i < to; i += n) {
        n = to - i < INDEX_BLOCK ? to - i : INDEX_BLOCK;
        indexing->host->lookup(tables, uhi_values_part(operands->in[0].x, i, n), slot);
        uhi_index_store(slot, n, indexing->less, indexing->dtype, index + i * size, (ptrdiff_t)size);
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
    const uint32_t bytes = (uint32_t)uh_dtype_size(indexing->dtype), *less = indexing->less;
    const uh_arg args[] = {uh_arg_pointer(indexing->uploaded->image),
                           uh_arg_pointer(piece->in[0]),
                           UHI_ARG(n),
                           UHI_ARG(less[0]),
                           UHI_ARG(less[1]),
                           UHI_ARG(bytes),
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

void uhi_index_numbers(uint32_t bins, int codes, uint32_t less[2]) {
    less[0] = codes ? 0 : UINT32_MAX;
    less[1] = codes ? bins : bins + 1;
}

uh_status uhi_histogram_index(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_plan *plan,
                              struct uhi_values x, struct uhi_index index) {
    struct indexing indexing = {.run = run, .plan = plan, .dtype = index.dtype};
    uhi_index_numbers(plan->tables.bins, index.codes, indexing.less);
    UHI_TRY(uhi_frame_begin(&run->frame, call, x.n));
    UHI_TRY(uhi_frame_input(&run->frame, "x->data", x, plan->tables.value_bytes));
    UHI_TRY(uhi_frame_output(&run->frame, "index", index.to, uh_dtype_size(index.dtype)));
    return uhi_frame_run(&run->frame, &indices, &indexing);
}
