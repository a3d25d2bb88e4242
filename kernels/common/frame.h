/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of an operation on a queue, whatever its device. An operation is written once, as stages: each is one step
 * by name, with a body for the host (C functions on the host's threads, compiled for each x86-64 level) and one for
 * devices that run modules (kernels of OpenCL C). The frame picks the body, and is the only one above the runtime that
 * knows which kind of device there is. It checks where the arrays of a call lie, names the call in messages, keeps what
 * both kinds of bodies need from one call to the next, and tells of failures that came after a call had returned.
 *
 *     static const struct uhi_stage count = {"histogram: count", count_on_host, count_on_device};
 *
 *     status = uhi_frame_begin(&frame, call, n);
 *     if (!status)
 *         status = uhi_frame_input(&frame, "x", values, size);
 *     if (!status)
 *         status = uhi_frame_run(&frame, &count, &work);
 */
#ifndef UHI_FRAME_H
#define UHI_FRAME_H

#include "kernels/common/body.h"
#include "kernels/common/counters.h"
#include "kernels/common/engine.h"
#include "kernels/common/parts.h"
#include "kernels/common/pieces.h"

struct uhi_frame {
    const char *call; /* the public call at work, as messages name it */
    uh_queue *queue;
    enum uhi_body body; /* that stages have run */
    const struct uhi_variants *variants;
    const char *lost;             /* what is lost when work fails after its call has returned; NULL: none does */
    int keeps_imports;            /* host memory that a stage has told the driver of stays known for the next ones */
    struct uhi_operands operands; /* the call's arrays */
    size_t origin;                /* the number in the user's arrays of their first element: more than 0 in pieces */
    struct uhi_engine *engine;    /* of bodies for devices: NULL before the first of them runs */
    void *scratch;                /* of bodies for the host: see uhi_frame_scratch */
    size_t scratch_bytes;
};

/* One step of an operation. Where a body is NULL, there is nothing to do on that kind of device. */
struct uhi_stage {
    const char *name;
    uh_status (*host)(struct uhi_frame *frame, void *context);
    uh_status (*device)(struct uhi_frame *frame, void *context);
};

/* Sets up a frame; waits for nothing and allocates nothing. The queue outlives it. */
void uhi_frame_open(struct uhi_frame *frame, uh_queue *queue, const struct uhi_variants *variants);

/* Waits for what is under way and frees what the frame has. The last message stays. A zeroed frame may be
 * closed. */
void uhi_frame_close(struct uhi_frame *frame);

/* Begins a call over n elements, with no arrays yet. Fails where work of an earlier call has failed since, and with
 * UH_ERROR_CANCELLED where there are elements and the queue is asked to end. */
uh_status uhi_frame_begin(struct uhi_frame *frame, const char *call, size_t n);

/* Names an array that the call reads, its elements `x.stride` bytes apart, or the one that it writes, side by side;
 * messages name `argument`. UH_ERROR_INVALID_ARGUMENT where the frame's device cannot get at it. */
uh_status uhi_frame_input(struct uhi_frame *frame, const char *argument, struct uhi_values x, size_t size);
uh_status uhi_frame_output(struct uhi_frame *frame, const char *argument, void *out, size_t size);

/* For uhi_frame_run alone. */
uh_status uhi_frame_run_on_device(struct uhi_frame *frame, const struct uhi_stage *stage, void *context);

/* Runs the stage's body for the frame's device. The first one for a device may end with UH_ERROR_UNSUPPORTED: a build
 * without kernels. */
static inline uh_status uhi_frame_run(struct uhi_frame *frame, const struct uhi_stage *stage, void *context) {
    if (frame->body == UHI_BODY_HOST) /* here, for small calls: the compiler knows the stage */
        return stage->host ? stage->host(frame, context) : UH_SUCCESS;
    return stage->device ? uhi_frame_run_on_device(frame, stage, context) : UH_SUCCESS;
}

/* Memory for the threads' private tables, aligned to cache lines, kept for the next call: what was there is lost. NULL,
 * having called uhi_fail, where there is none. */
void *uhi_frame_scratch(struct uhi_frame *frame, size_t bytes);

/* For bodies for the host whose parts may be of any number, as each writes elements of its own or adds to one result:
 * shares n elements among as many threads as have `each` of them to do. Where the queue may be cancelled, it is asked
 * in between, every few milliseconds: UH_ERROR_CANCELLED. `name` is for the log. */
uh_status uhi_frame_parallel(const struct uhi_frame *frame, const char *name, uhi_part_function function,
                             const void *context, size_t n, size_t each);

/* What the engine's work has failed with since the call that submitted it returned; UH_SUCCESS for nothing. */
uh_status uhi_frame_failed(const struct uhi_frame *frame);

/* Checks that the host can read and write n > 0 bytes at `pointer`: UH_ERROR_INVALID_ARGUMENT, naming `call` and
 * `argument`, for memory that only another device reaches. */
uh_status uhi_check_host_memory(const uh_queue *queue, const char *call, const char *argument, const void *pointer,
                                size_t bytes);

#endif
