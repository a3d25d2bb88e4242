/* SPDX-License-Identifier: Apache-2.0 */

#include <stdlib.h>

#include "runtime/queue.h"
#include "runtime/status.h"

static const struct uhi_backend *backend_of(const uh_event *event) { return event->queue->device->backend; }

uh_status uhi_submission_begin(const char *call, uh_queue *queue, const uh_submission *submission,
                               struct uhi_submission *started) {
    static const uh_submission none = {0};
    const uh_submission *given = submission ? submission : &none;
    if (given->ndeps && !given->deps)
        return uhi_fail_argument(call, "submission->deps", "is NULL, expected %zu events", given->ndeps);
    for (size_t i = 0; i < given->ndeps; i++)
        if (!given->deps[i])
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "submission->deps", i, "is NULL, expected an event");
    *started = (struct uhi_submission){.deps = given->deps, .ndeps = given->ndeps};
    if (!given->event)
        return UH_SUCCESS;
    started->event = calloc(1, sizeof *started->event);
    if (!started->event)
        return uhi_fail_memory(call, "out of memory for an event");
    started->event->queue = queue;
    uhi_queue_retain(queue);
    return UH_SUCCESS;
}

uh_status uhi_submission_end(const struct uhi_submission *started, uh_status status, const uh_submission *submission) {
    if (!started->event)
        return status;
    if (!status) {
        *submission->event = started->event;
    } else {
        uhi_queue_release(started->event->queue);
        free(started->event);
    }
    return status;
}

uh_status uhi_submission_wait_others(const uh_queue *queue, const struct uhi_submission *submission) {
    for (size_t i = 0; i < submission->ndeps; i++) {
        if (submission->deps[i]->queue->device == queue->device)
            continue;
        UHI_TRY(uh_event_wait(submission->deps[i], UINT64_MAX));
    }
    return UH_SUCCESS;
}

static uh_status wait_for(const char *call, uh_event *event, uint64_t nanoseconds) {
    UHI_NEED(call, event, "an event");
    if (!backend_of(event)->event_wait)
        return UH_SUCCESS;
    return backend_of(event)->event_wait(call, event, nanoseconds);
}

uh_status uh_event_wait(uh_event *event, uint64_t nanoseconds) { return wait_for(__func__, event, nanoseconds); }

uh_status uh_event_profile(uh_event *event, uh_event_times *times) {
    UHI_NEED(__func__, event, "an event");
    UHI_NEED(__func__, times, "where to store the times");
    if (!event->queue->options.profiling)
        return uhi_fail(UH_ERROR_UNSUPPORTED, __func__, "event", "is of a queue made with profiling 0, expected not 0");
    UHI_TRY(wait_for(__func__, event, UINT64_MAX));
    return backend_of(event)->event_profile(event, times);
}

void uh_event_destroy(uh_event *event) {
    struct uhi_message message;
    if (!event)
        return;
    /* A failure of the work concerns its waiters; the event is destroyed anyway. */
    uhi_message_keep(&message);
    if (!uhi_device_is_lost(event->queue->device))
        (void)wait_for(__func__, event, UINT64_MAX);
    uhi_message_restore(&message);
    if (backend_of(event)->event_destroy)
        backend_of(event)->event_destroy(event);
    uhi_queue_release(event->queue);
    free(event);
}
