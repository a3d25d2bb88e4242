/* SPDX-License-Identifier: Apache-2.0 */
/* Frame of an operation on a queue of any device. An operation is written once, as stages: each is a named step with
 * a body for the host (C functions on host threads, compiled per x86-64 level) and one for devices that run modules
 * (OpenCL C kernels). The frame picks the body; above the runtime, only the frame knows the kind of device. It
 * checks the location of a call's arrays, names the call in messages, keeps data that both kinds of bodies need
 * between calls, and reports failures that occur after a call has returned. A call is uhi_frame_begin, an input or
 * output per array, and uhi_frame_run of each stage. */
#pragma once

#include "kernels/common/counters.h"
#include "kernels/common/engine.h"
#include "kernels/common/pieces.h"

/* Body of a stage that runs on a queue; plans can be made for one body only. */
enum uhi_body {
    UHI_BODY_ANY, /* the plan serves both bodies */
    UHI_BODY_HOST,
    UHI_BODY_DEVICE
};

/* Returns UHI_BODY_HOST or UHI_BODY_DEVICE. */
enum uhi_body uhi_body_of(const uh_queue *queue);

/* Returns 1 if the queue's device lacks float64 or computes it inexactly. */
int uhi_lacks_double(const uh_queue *queue);

struct uhi_frame {
    const char *call; /* current public call, for messages */
    uh_queue *queue;
    enum uhi_body body; /* that stages run */
    const struct uhi_variants *variants;
    const char *lost;             /* for messages: data lost if work fails after its call has returned; NULL: none */
    int keeps_imports;            /* host memory imported by a stage stays imported for later ones */
    struct uhi_operands operands; /* arrays of the call */
    size_t origin;                /* index of their first element in the user's arrays: above 0 in pieces */
    struct uhi_engine *engine;    /* for device bodies; NULL until the first one runs */
    void *scratch;                /* for host bodies, see uhi_frame_scratch */
    size_t scratch_bytes;
};

/* One step of an operation. A NULL body does nothing. */
struct uhi_stage {
    const char *name;
    uh_status (*host)(struct uhi_frame *frame, void *context);
    uh_status (*device)(struct uhi_frame *frame, void *context);
};

/* Initializes a frame; does not wait or allocate. The queue must outlive it. */
void uhi_frame_open(struct uhi_frame *frame, uh_queue *queue, const struct uhi_variants *variants);

/* Waits for pending work and frees the frame's resources. Keeps the last message. A zeroed frame may be closed. */
void uhi_frame_close(struct uhi_frame *frame);

/* Begins a call over n elements, without arrays yet. Fails if work of an earlier call has failed since, and with
 * UH_ERROR_CANCELLED if n > 0 and the queue is cancelled. */
uh_status uhi_frame_begin(struct uhi_frame *frame, const char *call, size_t n);

/* Add an input array with a pitch of `x.stride` bytes, or set the dense output array; messages name `argument`.
 * UH_ERROR_INVALID_ARGUMENT if the frame's device cannot access it. */
uh_status uhi_frame_input(struct uhi_frame *frame, const char *argument, struct uhi_values x, size_t size);
uh_status uhi_frame_output(struct uhi_frame *frame, const char *argument, void *out, size_t size);

/* Only for uhi_frame_run. */
uh_status uhi_frame_run_on_device(struct uhi_frame *frame, const struct uhi_stage *stage, void *context);

/* Runs the stage's body for the frame's device. The first one for a device may return UH_ERROR_UNSUPPORTED: a build
 * without kernels. */
static inline uh_status uhi_frame_run(struct uhi_frame *frame, const struct uhi_stage *stage, void *context) {
    if (frame->body == UHI_BODY_HOST) /* inline for small calls: the compiler knows the stage */
        return stage->host ? stage->host(frame, context) : UH_SUCCESS;
    return stage->device ? uhi_frame_run_on_device(frame, stage, context) : UH_SUCCESS;
}

/* Returns memory for private tables of threads, aligned to cache lines; owned by the frame, kept for the next call,
 * old contents discarded. Returns NULL after calling uhi_fail if out of memory. */
void *uhi_frame_scratch(struct uhi_frame *frame, size_t bytes);

/* For host bodies with any number of parts, each writing its own elements or adding to one result: shares n elements
 * among threads, at least `each` per thread. If the queue can be cancelled, checks every few milliseconds:
 * UH_ERROR_CANCELLED. `name` is for the log. */
uh_status uhi_frame_parallel(const struct uhi_frame *frame, const char *name, uhi_part_function function,
                             const void *context, size_t n, size_t each);

/* A call that is one stage over one array, dense if it is the output, and keeps nothing. */
struct uhi_single {
    const char *call, *argument; /* for messages */
    const struct uhi_variants *variants;
    const struct uhi_stage *stage;
    struct uhi_values x; /* n above 0 */
    size_t size;         /* bytes per value */
    int is_output;
    size_t min_piece; /* for one of several devices */
};

/* Runs it. The parts of a combined device's queue share the array and run pieces at once, with the same context;
 * `origin` of a body's frame is the index of its first element. */
uh_status uhi_frame_run_single(uh_queue *queue, const struct uhi_single *single, void *context);

/* Checks that the host can access `bytes` > 0 bytes at `pointer`. UH_ERROR_INVALID_ARGUMENT, naming `call` and
 * `argument`, for memory that only a device can access. */
uh_status uhi_check_host_memory(const uh_queue *queue, const char *call, const char *argument, const void *pointer,
                                size_t bytes);

/* Makes n > 0 values readable by the host: waits for the queue's earlier work if they are in USM, and copies those that
 * only the device can access to *copy, which the caller frees; `x` then points there. UH_ERROR_INVALID_ARGUMENT, naming
 * `call` and `argument`, for memory of other devices. */
uh_status uhi_values_fetch(uh_queue *queue, const char *call, const char *argument, struct uhi_values *x, size_t size,
                           char **copy);
