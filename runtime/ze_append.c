/* SPDX-License-Identifier: Apache-2.0 */
/* Submissions to queues of the Level Zero backend, common to both command orders. */
#include <stdlib.h>

#include "runtime/grow.h"
#include "runtime/queue.h"
#include "runtime/ze.h"

/* An event of another queue, and the command of this one that waits for it; it must not be reset before that. */
struct uhi_ze_held {
    struct uhi_ze_event *event;
    uint64_t number;
};

void uhi_ze_release_held(struct uhi_ze_queue *native, uint64_t number) {
    size_t kept = 0;
    for (size_t i = 0; i < native->held_count; i++) {
        if (native->held[i].number <= number)
            uhi_ze_event_release(native->held[i].event);
        else
            native->held[kept++] = native->held[i];
    }
    native->held_count = kept;
}

/* Keeps a dependency from being reset or destroyed before the next command has waited for it. */
static uh_status hold(const char *call, struct uhi_ze_queue *native, struct uhi_ze_event *event) {
    if (!uhi_grow(&native->held, &native->held_room, native->held_count + 1, sizeof *native->held))
        return uhi_fail_memory(call, "out of memory for the dependencies");
    atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
    native->held[native->held_count++] = (struct uhi_ze_held){event, native->submitted + 1};
    return UH_SUCCESS;
}

/* Adds unfinished deps of other queues of this device. Those of the queue itself come before us anyway. */
static uh_status collect_deps(const char *call, uh_queue *queue, const struct uhi_submission *submission,
                              struct uhi_ze_append *append) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    const uint64_t completed = uhi_ze_completed(native);
    ze_event_handle_t *waits = append->few;
    uhi_ze_release_held(native, completed);
    if (submission->ndeps >= UHI_ZE_FEW_WAITS) {
        if (submission->ndeps < UINT32_MAX)
            append->allocated = calloc(submission->ndeps + 1, sizeof(ze_event_handle_t));
        if (!append->allocated)
            return uhi_fail_memory(call, "out of memory for %zu dependencies", submission->ndeps);
        waits = append->allocated;
        if (append->nwaits)
            waits[0] = append->few[0];
    }
    for (size_t i = 0; i < submission->ndeps; i++) {
        uh_event *dep = submission->deps[i];
        int done = 0;
        if (dep->queue == queue || dep->queue->device != queue->device)
            continue;
        /* A list that is not in order cannot wait for a counter. */
        uh_status status = uhi_ze_queue(dep->queue)->order->counts && !native->order->counts
                               ? uhi_ze_event_wait(call, dep, UINT64_MAX)
                               : UH_SUCCESS;
        if (!status)
            status = uhi_ze_event_is_done(call, dep, &done);
        if (!status && !done)
            status = hold(call, native, dep->native);
        if (status)
            return status;
        if (!done)
            waits[append->nwaits++] = ((struct uhi_ze_event *)dep->native)->handle;
    }
    return UH_SUCCESS;
}

/* Undoes begin. */
static void discard(struct uhi_ze_queue *native, struct uhi_ze_append *append) {
    while (native->held_count && native->held[native->held_count - 1].number > native->submitted)
        uhi_ze_event_release(native->held[--native->held_count].event);
    if (append->event)
        uhi_ze_event_release(append->event);
    free(append->allocated);
}

uh_status uhi_ze_append_begin(const char *call, uh_queue *queue, const struct uhi_submission *submission,
                              struct uhi_ze_append *append) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    UHI_TRY(uhi_ze_check_lost(call, queue->device));
    if (submission->ndeps)
        UHI_TRY(uhi_submission_wait_others(queue, submission));
    UHI_TRY(native->order->make_room(call, queue));
    append->event = NULL;
    append->allocated = NULL;
    append->is_requested = submission->event != NULL;
    append->few[0] = native->order->previous(native);
    append->nwaits = append->few[0] != NULL;
    uh_status status = submission->ndeps ? collect_deps(call, queue, submission, append) : UH_SUCCESS;
    if (!status && append->is_requested) {
        status = uhi_ze_event_take(call, queue, &append->event);
        append->signal = append->event ? append->event->handle : NULL;
        append->submitted = queue->options.profiling ? uhi_ze_now(uhi_ze_device(queue->device)) : 0;
    } else if (!status) {
        status = native->order->signal(call, queue, append);
        append->submitted = 0;
    }
    append->waits = append->allocated ? append->allocated : append->few;
    if (!append->nwaits)
        append->waits = NULL;
    if (status)
        discard(native, append);
    return status;
}

uh_status uhi_ze_append_end(uh_queue *queue, const struct uhi_submission *submission, struct uhi_ze_append *append,
                            uh_status status) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    if (status) {
        discard(native, append);
        return uhi_ze_note_loss(queue->device, status);
    }
    native->submitted++;
    if (append->event) {
        append->event->number = native->submitted;
        append->event->submitted = append->submitted;
    }
    native->order->note(native, append);
    free(append->allocated);
    if (submission->event)
        submission->event->native = append->event;
    return UH_SUCCESS;
}

uh_status uhi_ze_append_nothing(const char *call, uh_queue *queue, const struct uhi_submission *submission) {
    struct uhi_ze_append append;
    if (!submission->event && !submission->ndeps)
        return uhi_ze_check_lost(call, queue->device);
    UHI_TRY(uhi_ze_append_begin(call, queue, submission, &append));
    uh_status status =
        UHI_ZE(call, zeCommandListAppendBarrier, uhi_ze_queue(queue)->list, append.signal, append.nwaits, append.waits);
    return uhi_ze_append_end(queue, submission, &append, status);
}
