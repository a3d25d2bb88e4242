/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of the Level Zero backend, and the order of their commands. */
#include <stdlib.h>

#include "runtime/event.h"
#include "runtime/log.h"
#include "runtime/module.h"
#include "runtime/ze.h"

/* Commands in flight when a submission waits for the older half of them. */
enum { MAX_IN_FLIGHT = UHI_ZE_CHAIN - 1, LEFT_IN_FLIGHT = UHI_ZE_CHAIN / 2 };

/* An event of another queue, and the command of this one that waits for it: it must not be reset before. */
struct uhi_ze_held {
    struct uhi_ze_event *event;
    uint64_t number;
};

static uint64_t completed(const struct uhi_ze_queue *native) {
    return atomic_load_explicit(&native->completed, memory_order_acquire);
}

static ze_event_handle_t last_event(const struct uhi_ze_queue *native) {
    return native->chain[native->submitted % UHI_ZE_CHAIN];
}

/* Releases the events whose waiting commands have ended. */
static void release_held(struct uhi_ze_queue *native) {
    uint64_t done = completed(native);
    size_t kept = 0;
    for (size_t i = 0; i < native->held_count; i++) {
        if (native->held[i].number <= done)
            uhi_ze_event_release(native->held[i].event);
        else
            native->held[kept++] = native->held[i];
    }
    native->held_count = kept;
}

static uh_status make_list(uh_queue *queue, struct uhi_ze_queue *native) {
    const char *call = "uh_queue_create";
    const struct uhi_ze_device *device = uhi_ze_device(queue->device);
    ze_command_queue_desc_t list = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = native->engine->ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_event_pool_desc_t pool = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = UHI_ZE_CHAIN};
    ze_device_handle_t handle = device->device;
    uh_status status = UH_SUCCESS;
    native->list = queue->given;
    native->owns_list = !native->list;
    if (native->owns_list)
        status = UHI_ZE(call, zeCommandListCreateImmediate, device->context, handle, &list, &native->list);
    if (status == UH_SUCCESS)
        status = UHI_ZE(call, zeEventPoolCreate, device->context, &pool, 1, &handle, &native->link_pool);
    return uhi_ze_note(queue->device, status);
}

/* Destroys what make_list and the links made, as far as it was made. A failure is logged: nothing can be done. */
static void destroy_list(struct uhi_ze_queue *native) {
    for (size_t i = 0; i < UHI_ZE_CHAIN; i++)
        if (native->links[i])
            UHI_ZE_TRY(zeEventDestroy, native->links[i]);
    if (native->link_pool)
        UHI_ZE_TRY(zeEventPoolDestroy, native->link_pool);
    if (native->list && native->owns_list)
        UHI_ZE_TRY(zeCommandListDestroy, native->list);
}

uh_status uhi_ze_queue_create(uh_queue *queue) {
    uh_status status = uhi_ze_check_lost("uh_queue_create", queue->device);
    if (status != UH_SUCCESS)
        return status;
    struct uhi_ze_queue *native = calloc(1, sizeof *native);
    if (!native)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "uh_queue_create", NULL, "out of memory for a queue");
    native->engine = &uhi_ze_device(queue->device)->engines[queue->engine];
    status = make_list(queue, native);
    if (status != UH_SUCCESS) {
        destroy_list(native);
        free(native);
        return status;
    }
    queue->threads = 1;
    queue->native = native;
    atomic_fetch_add(&uhi_ze_device(queue->device)->children, 1);
    atomic_fetch_add(&uhi_ze_device(queue->device)->queues, 1);
    return UH_SUCCESS;
}

void uhi_ze_queue_destroy(uh_queue *queue) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    struct uhi_ze_device *device = uhi_ze_device(queue->device);
    /* A wait that failed has not waited; the list must not go while it works. */
    if (completed(native) != native->submitted && !atomic_load(&device->lost))
        UHI_ZE_TRY(zeEventHostSynchronize, last_event(native), UINT64_MAX);
    for (size_t i = 0; i < native->held_count; i++)
        uhi_ze_event_release(native->held[i].event);
    free(native->held);
    uhi_ze_event_close_pools(native);
    destroy_list(native);
    free(atomic_load(&native->error_text));
    free(native);
    atomic_fetch_sub(&device->children, 1);
    /* The caller may destroy his context now. */
    if (atomic_fetch_sub(&device->queues, 1) == 1 && queue->device->is_foreign)
        uhi_module_destroy_idle(queue->device);
}

/* ---- submissions ------------------------------------------------------------------------------------------------ */

/* Makes room for one more command in flight: its place in the chain, and its link, must be of a command whose successor
 * has ended. */
static uh_status make_room(const char *call, uh_queue *queue, struct uhi_ze_queue *native) {
    if (native->submitted - completed(native) < MAX_IN_FLIGHT)
        return UH_SUCCESS;
    uint64_t number = native->submitted - LEFT_IN_FLIGHT;
    return uhi_ze_synchronize(call, queue, number, native->chain[number % UHI_ZE_CHAIN], UINT64_MAX);
}

/* What the next command signals where nobody asked for an event. */
static uh_status take_link(const char *call, uh_queue *queue, struct uhi_ze_queue *native, ze_event_handle_t *event) {
    uint32_t place = (uint32_t)((native->submitted + 1) % UHI_ZE_CHAIN);
    uh_status status;
    if (native->links[place]) {
        status = UHI_ZE(call, zeEventHostReset, native->links[place]);
    } else {
        ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                .index = place,
                                .signal = ZE_EVENT_SCOPE_FLAG_DEVICE,
                                .wait = ZE_EVENT_SCOPE_FLAG_DEVICE};
        status = UHI_ZE(call, zeEventCreate, native->link_pool, &desc, &native->links[place]);
    }
    *event = native->links[place];
    return uhi_ze_note(queue->device, status);
}

/* Keeps a dependency from being reset before the next command has waited for it. */
static uh_status hold(const char *call, struct uhi_ze_queue *native, struct uhi_ze_event *event) {
    if (native->held_count == native->held_room) {
        size_t room = native->held_room ? 2 * native->held_room : 16;
        struct uhi_ze_held *held = realloc(native->held, room * sizeof *held);
        if (!held)
            return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "out of memory for the dependencies");
        native->held = held;
        native->held_room = room;
    }
    atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
    native->held[native->held_count++] = (struct uhi_ze_held){event, native->submitted + 1};
    return UH_SUCCESS;
}

/* Adds the deps of other queues of this device that have not ended. Those of the queue itself are before us anyway. */
static uh_status collect_deps(const char *call, uh_queue *queue, const struct uhi_submission *submission,
                              struct uhi_ze_append *append) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    ze_event_handle_t *waits = append->few;
    release_held(native);
    if (submission->ndeps >= UHI_ZE_FEW_WAITS) {
        if (submission->ndeps < UINT32_MAX)
            append->allocated = calloc(submission->ndeps + 1, sizeof(ze_event_handle_t));
        if (!append->allocated)
            return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "out of memory for %zu dependencies",
                            submission->ndeps);
        waits = append->allocated;
        if (append->nwaits)
            waits[0] = append->few[0];
    }
    for (size_t i = 0; i < submission->ndeps; i++) {
        uh_event *dep = submission->deps[i];
        int done = 0;
        if (dep->queue == queue || dep->queue->device != queue->device)
            continue;
        uh_status status = uhi_ze_event_query(call, dep, &done);
        if (status == UH_SUCCESS && !done)
            status = hold(call, native, dep->native);
        if (status != UH_SUCCESS)
            return status;
        if (!done)
            waits[append->nwaits++] = ((struct uhi_ze_event *)dep->native)->handle;
    }
    return UH_SUCCESS;
}

/* Undoes what begin has done. */
static void discard(struct uhi_ze_queue *native, struct uhi_ze_append *append) {
    while (native->held_count && native->held[native->held_count - 1].number > native->submitted)
        uhi_ze_event_release(native->held[--native->held_count].event);
    if (append->event)
        uhi_ze_event_release(append->event);
    free(append->allocated);
}

static uh_status begin(const char *call, uh_queue *queue, const struct uhi_submission *submission, int wants_event,
                       struct uhi_ze_append *append) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    uh_status status = uhi_ze_check_lost(call, queue->device);
    if (status == UH_SUCCESS && submission->ndeps)
        status = uhi_submission_wait_others(queue, submission);
    if (status == UH_SUCCESS)
        status = make_room(call, queue, native);
    if (status != UH_SUCCESS)
        return status;
    append->event = NULL;
    append->allocated = NULL;
    append->nwaits = 0;
    if (completed(native) != native->submitted)
        append->few[append->nwaits++] = last_event(native);
    if (submission->ndeps)
        status = collect_deps(call, queue, submission, append);
    if (status == UH_SUCCESS && wants_event) {
        status = uhi_ze_event_take(call, queue, &append->event);
        append->signal = append->event ? append->event->handle : NULL;
        append->submitted = queue->profiling ? uhi_ze_now(uhi_ze_device(queue->device)) : 0;
    } else if (status == UH_SUCCESS) {
        status = take_link(call, queue, native, &append->signal);
    }
    append->waits = append->allocated ? append->allocated : append->few;
    if (!append->nwaits)
        append->waits = NULL;
    if (status != UH_SUCCESS)
        discard(native, append);
    return status;
}

/* Numbers the command that has been appended. */
static void number_command(struct uhi_ze_queue *native, struct uhi_ze_append *append) {
    uint64_t number = ++native->submitted;
    native->chain[number % UHI_ZE_CHAIN] = append->signal;
    if (append->event) {
        append->event->number = number;
        append->event->submitted = append->submitted;
        native->host_visible = number;
    }
    free(append->allocated);
}

uh_status uhi_ze_append_begin(const char *call, uh_queue *queue, const struct uhi_submission *submission,
                              struct uhi_ze_append *append) {
    return begin(call, queue, submission, submission->event != NULL, append);
}

uh_status uhi_ze_append_end(uh_queue *queue, const struct uhi_submission *submission, struct uhi_ze_append *append,
                            uh_status status) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    if (status != UH_SUCCESS) {
        discard(native, append);
        return uhi_ze_note(queue->device, status);
    }
    number_command(native, append);
    if (submission->event)
        submission->event->native = append->event;
    return UH_SUCCESS;
}

uh_status uhi_ze_append_nothing(const char *call, uh_queue *queue, const struct uhi_submission *submission) {
    struct uhi_ze_append append;
    if (!submission->event && !submission->ndeps)
        return uhi_ze_check_lost(call, queue->device);
    uh_status status = uhi_ze_append_begin(call, queue, submission, &append);
    if (status != UH_SUCCESS)
        return status;
    status =
        UHI_ZE(call, zeCommandListAppendBarrier, uhi_ze_queue(queue)->list, append.signal, append.nwaits, append.waits);
    return uhi_ze_append_end(queue, submission, &append, status);
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/* Appends a command that does nothing but make all before it visible to the host: a barrier that waits for no events
 * waits for every command of the list. */
static uh_status append_marker(const char *call, uh_queue *queue) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    const struct uhi_submission nothing = {NULL, 0, NULL};
    struct uhi_ze_append append;
    uh_status status = begin(call, queue, &nothing, 1, &append);
    if (status != UH_SUCCESS)
        return status;
    status = UHI_ZE(call, zeCommandListAppendBarrier, native->list, append.signal, 0, NULL);
    if (status != UH_SUCCESS) {
        discard(native, &append);
        return uhi_ze_note(queue->device, status);
    }
    native->strays = 0;
    number_command(native, &append);
    /* Nobody else refers to it; it is not reset before its command has ended. */
    uhi_ze_event_release(append.event);
    return UH_SUCCESS;
}

uh_status uhi_ze_queue_finish(const char *call, uh_queue *queue) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    uh_status status = uhi_ze_check_lost(call, queue->device);
    if (status != UH_SUCCESS || (completed(native) == native->submitted && !native->strays))
        return status;
    if (native->host_visible != native->submitted || native->strays)
        status = append_marker(call, queue);
    if (status == UH_SUCCESS)
        status = uhi_ze_synchronize(call, queue, native->submitted, last_event(native), UINT64_MAX);
    return status;
}

uh_status uhi_ze_queue_wait(uh_queue *queue) {
    const char *call = "uh_queue_wait";
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    uh_status status = uhi_ze_queue_finish(call, queue);
    release_held(native);
    uh_status earlier = (uh_status)atomic_exchange(&native->error, UH_SUCCESS);
    char *text = atomic_exchange(&native->error_text, NULL);
    if (status == UH_SUCCESS && earlier != UH_SUCCESS)
        status = uhi_fail(earlier, call, NULL, "work of the queue on %s failed earlier: %s",
                          queue->device->properties.selector, text ? text : uh_status_text(earlier));
    free(text);
    return status;
}
