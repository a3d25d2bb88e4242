/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/frame.h"

#include <stdlib.h>

#include "kernels/common/loads.h"
#include "kernels/common/shares.h"
#include "runtime/memory.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum { LINE = 64, HUGE_SCRATCH = 4 << 20 /* bytes */ };

enum uhi_body uhi_body_of(const uh_queue *queue) {
    const uh_queue *lead = queue->nparts ? uhi_several_lead_queue(queue) : queue;
    return lead->device->backend->module_create ? UHI_BODY_DEVICE : UHI_BODY_HOST;
}

int uhi_lacks_double(const uh_queue *queue) {
    const uh_device_properties *p = &queue->device->properties;
    return !p->fp64 || !p->fp_exact;
}

void uhi_frame_open(struct uhi_frame *frame, uh_queue *queue, const struct uhi_variants *variants) {
    frame->call = "";
    frame->queue = uhi_queue_lead(queue);
    frame->body = uhi_body_of(queue);
    frame->variants = variants;
    frame->lost = NULL;
    frame->keeps_imports = 0;
    frame->engine = NULL;
    frame->scratch = NULL;
    frame->scratch_bytes = 0;
    frame->origin = 0;
    frame->operands.n = 0; /* uhi_frame_begin and later calls set the rest */
}

void uhi_frame_close(struct uhi_frame *frame) {
    if (frame->engine) {
        uhi_engine_close(frame->engine);
        free(frame->engine);
    }
    free(frame->scratch);
    frame->engine = NULL;
    frame->scratch = NULL;
    frame->scratch_bytes = 0;
}

/* ---- a call ---- */

uh_status uhi_frame_begin(struct uhi_frame *frame, const char *call, size_t n) {
    frame->call = call;
    frame->operands.n = n;
    frame->operands.inputs = 0;
    frame->operands.out.size = 0;
    if (frame->engine)
        frame->engine->call = call;
    const uh_status failed = frame->engine ? frame->engine->ring.failed : UH_SUCCESS;
    if (!frame->lost || !failed)
        return n > 0 ? uhi_queue_check_cancelled(frame->queue, call) : UH_SUCCESS;
    return uhi_fail(failed, call, NULL, "counting failed on %s after its call had returned; %s",
                    frame->engine->properties.selector, frame->lost);
}

/* For arrays used by device kernels, uhi_pieces_open checks more. */
static uh_status name_operand(const struct uhi_frame *frame, struct uhi_operand *operand, const char *argument,
                              struct uhi_values x, size_t size) {
    const char *first;
    size_t bytes;
    x.n = frame->operands.n;
    operand->argument = argument;
    operand->x = x;
    operand->size = size;
    uhi_values_extent(x, size, &first, &bytes);
    return uhi_memory_check_copy(frame->call, argument, frame->queue->device, first, bytes);
}

uh_status uhi_frame_input(struct uhi_frame *frame, const char *argument, struct uhi_values x, size_t size) {
    return name_operand(frame, &frame->operands.in[frame->operands.inputs++], argument, x, size);
}

uh_status uhi_frame_output(struct uhi_frame *frame, const char *argument, void *out, size_t size) {
    return name_operand(frame, &frame->operands.out, argument,
                        (struct uhi_values){out, frame->operands.n, (ptrdiff_t)size}, size);
}

/* ---- stages ---- */

static uh_status make_engine(struct uhi_frame *frame) {
    struct uhi_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return uhi_fail_memory(frame->call, "no memory for the state of a device");
    uh_status status = uhi_engine_open(engine, frame->call, frame->queue, frame->variants);
    if (status)
        free(engine);
    else
        frame->engine = engine;
    return status;
}

uh_status uhi_frame_run_on_device(struct uhi_frame *frame, const struct uhi_stage *stage, void *context) {
    uh_status status = frame->engine ? UH_SUCCESS : make_engine(frame);
    if (!status) {
        struct uhi_paces *paces = &frame->engine->paces;
        struct uhi_pace *const outer = paces->now; /* stages may nest */
        paces->now = uhi_pace_of(paces, stage);
        status = stage->device(frame, context);
        paces->now = outer;
        if (!outer && !frame->keeps_imports)
            status = uhi_engine_release(frame->engine, status);
    }
    return uhi_fail_of(frame->call, status);
}

/* ---- one stage ---- */

static uh_status run_piece(uh_queue *queue, const struct uhi_single *single, void *context, size_t from, size_t n) {
    const struct uhi_values x = uhi_values_part(single->x, from, n);
    struct uhi_frame frame;
    uhi_frame_open(&frame, queue, single->variants);
    frame.origin = from;
    uh_status status = uhi_frame_begin(&frame, single->call, n);
    if (!status && single->is_output)
        status = uhi_frame_output(&frame, single->argument, (void *)(uintptr_t)x.first, single->size);
    else if (!status)
        status = uhi_frame_input(&frame, single->argument, x, single->size);
    if (!status)
        status = uhi_frame_run(&frame, single->stage, context);
    uhi_frame_close(&frame);
    return status;
}

struct sharing {
    uh_queue *queue;
    const struct uhi_single *single;
    void *context;
};

static uh_status run_shared_piece(void *context, size_t part, size_t from, size_t n) {
    const struct sharing *sharing = context;
    return run_piece(sharing->queue->parts[part], sharing->single, sharing->context, from, n);
}

uh_status uhi_frame_run_single(uh_queue *queue, const struct uhi_single *single, void *context) {
    struct sharing sharing = {queue, single, context};
    struct uhi_speeds speeds = {{0}};
    const struct uhi_share share = {.call = single->call,
                                    .queue = queue,
                                    .n = single->x.n,
                                    .min_piece = single->min_piece,
                                    .array = {single->x.first},
                                    .narrays = 1,
                                    .piece = run_shared_piece,
                                    .context = &sharing};
    return uhi_is_shared(queue) ? uhi_share_out(&share, &speeds) : run_piece(queue, single, context, 0, single->x.n);
}

/* ---- host threads ---- */

struct round {
    uhi_part_function function;
    const void *context;
    size_t first, parts; /* first part of the round; total parts of all rounds */
};

static void run_part(const void *context, size_t part, size_t parts) {
    const struct round *round = context;
    (void)parts;
    round->function(round->context, round->first + part, round->parts);
}

uh_status uhi_frame_parallel(const struct uhi_frame *frame, const char *name, uhi_part_function function,
                             const void *context, size_t n, size_t each) {
    const size_t collective = uhi_parts_for(frame->queue, n, each);
    const size_t rounds = frame->queue->options.cancelled ? n / collective / UHI_HOST_PIECE + 1 : 1;
    struct round round = {function, context, 0, collective * rounds};
    uh_status status = UH_SUCCESS;
    for (; round.first < round.parts && !status; round.first += collective) {
        status = round.first ? uhi_queue_check_cancelled(frame->queue, frame->call) : UH_SUCCESS;
        if (!status)
            uhi_host_parallel(frame->queue, name, run_part, &round, collective);
    }
    return status;
}

/* ---- memory ---- */

void *uhi_frame_scratch(struct uhi_frame *frame, size_t bytes) {
    if (bytes <= frame->scratch_bytes)
        return frame->scratch;
    void *memory = bytes < HUGE_SCRATCH ? aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE)
                                        : uhi_huge_alloc(bytes, HUGE_SCRATCH);
    if (!memory) {
        (void)uhi_fail_memory(frame->call, "no memory for the threads' tables of %zu bytes", bytes);
        return NULL;
    }
    free(frame->scratch);
    frame->scratch = memory;
    frame->scratch_bytes = bytes;
    return memory;
}

uh_status uhi_check_host_memory(const uh_queue *queue, const char *call, const char *argument, const void *pointer,
                                size_t bytes) {
    uh_pointer_info info = {.kind = UH_MEMORY_UNKNOWN};
    uh_status status = uhi_memory_check_copy(call, argument, queue->device, pointer, bytes);
    if (!status)
        status = uhi_fail_of(call, uh_pointer_type(pointer, &info));
    if (status || info.kind != UH_MEMORY_DEVICE || uhi_body_of(queue) == UHI_BODY_HOST)
        return status;
    return uhi_fail_argument(call, argument, "is in a device's memory, expected the host's");
}

uh_status uhi_values_fetch(uh_queue *queue, const char *call, const char *argument, struct uhi_values *x, size_t size,
                           char **copy) {
    uh_pointer_info info = {.kind = UH_MEMORY_UNKNOWN};
    const char *first;
    size_t bytes;
    uhi_values_extent(*x, size, &first, &bytes);
    UHI_TRY(uhi_memory_check_copy(call, argument, queue->device, first, bytes));
    UHI_TRY(uhi_fail_of(call, uh_pointer_type(first, &info)));
    if (info.kind == UH_MEMORY_UNKNOWN)
        return UH_SUCCESS;
    if (info.kind != UH_MEMORY_DEVICE || uhi_body_of(queue) == UHI_BODY_HOST)
        return uhi_fail_of(call, uh_queue_wait(queue));
    *copy = malloc(bytes);
    if (!*copy)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, argument, "takes %zu bytes, for which there is no memory", bytes);
    uh_status status = uh_memcpy(queue, *copy, first, bytes, NULL);
    if (!status)
        status = uh_queue_wait(queue);
    if (status) /* the copy may still be in progress */
        uhi_queue_drain(queue);
    x->first = *copy + (x->first - first);
    return uhi_fail_of(call, status);
}
