/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the Level Zero backend: pools, waiting and times. */
#include <stdlib.h>
#include <string.h>

#include "runtime/ze.h"

enum { POOL_EVENTS = 64 };

/* Belongs to one queue, the only one to take events; any thread may release them. */
struct uhi_ze_pool {
    struct uhi_ze_pool *next;
    const struct uhi_ze_device *device;
    ze_event_pool_handle_t handle;
    _Atomic uint64_t free;  /* bit i: event i is unreferenced */
    atomic_uint references; /* one for the queue, and one per referenced event */
    struct uhi_ze_event events[POOL_EVENTS];
};

static void release_pool(struct uhi_ze_pool *pool) {
    /* Acquire and release: all others are done with the pool. */
    if (atomic_fetch_sub_explicit(&pool->references, 1, memory_order_acq_rel) != 1)
        return;
    const int touches = !uhi_ze_is_given_up(pool->device);
    for (size_t i = 0; i < POOL_EVENTS && touches; i++)
        if (pool->events[i].handle)
            UHI_ZE_TRY(zeEventDestroy, pool->events[i].handle);
    if (touches)
        UHI_ZE_TRY(zeEventPoolDestroy, pool->handle);
    free(pool);
}

void uhi_ze_event_release(struct uhi_ze_event *event) {
    struct uhi_ze_pool *pool = event->pool;
    if (atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) != 1)
        return;
    atomic_fetch_or_explicit(&pool->free, UINT64_C(1) << (event - pool->events), memory_order_release);
    release_pool(pool);
}

void uhi_ze_event_close_pools(struct uhi_ze_queue *queue) {
    for (struct uhi_ze_pool *pool = queue->pools, *next; pool; pool = next) {
        next = pool->next;
        release_pool(pool);
    }
    queue->pools = NULL;
}

/* ---- taking an event -------------------------------------------------------------------------------------------- */

/* Finds and takes an event that is unreferenced and that no command will still wait for. A command of another queue
 * that has waited for a counter keeps the count it was given. */
static struct uhi_ze_event *find_free(struct uhi_ze_pool *pool, const struct uhi_ze_queue *queue, uint64_t completed) {
    for (uint64_t free = atomic_load_explicit(&pool->free, memory_order_acquire); free; free &= free - 1) {
        int i = __builtin_ctzll(free);
        struct uhi_ze_event *event = &pool->events[i];
        /* The next command in the queue waits for it. */
        if (event->number && event->number >= completed && completed != queue->submitted)
            continue;
        atomic_fetch_and_explicit(&pool->free, ~(UINT64_C(1) << i), memory_order_relaxed);
        atomic_fetch_add_explicit(&pool->references, 1, memory_order_relaxed);
        atomic_store_explicit(&event->references, 1, memory_order_relaxed);
        return event;
    }
    return NULL;
}

static uh_status make_pool(const char *call, uh_queue *queue) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    struct uhi_ze_device *device = uhi_ze_device(queue->device);
    struct uhi_ze_pool *pool = calloc(1, sizeof *pool);
    const ze_event_pool_counter_based_exp_desc_t counts = {.stype = ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC,
                                                           .flags = ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE};
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .pNext = native->order->counts ? &counts : NULL,
                                 .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                 .count = POOL_EVENTS};
    if (!pool)
        return uhi_fail_memory(call, "out of memory for events");
    if (queue->options.profiling)
        desc.flags |= ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
    uh_status status = UHI_ZE(call, zeEventPoolCreate, device->context, &desc, 1, &device->device, &pool->handle);
    if (status) {
        free(pool);
        return uhi_ze_note_loss(queue->device, status);
    }
    for (size_t i = 0; i < POOL_EVENTS; i++)
        pool->events[i].pool = pool;
    pool->device = device;
    atomic_init(&pool->free, UINT64_MAX);
    atomic_init(&pool->references, 1);
    pool->next = native->pools;
    native->pools = pool;
    return UH_SUCCESS;
}

static struct uhi_ze_event *find_in_pools(struct uhi_ze_queue *queue) {
    const uint64_t completed = uhi_ze_completed(queue);
    for (struct uhi_ze_pool **link = &queue->pools; *link; link = &(*link)->next) {
        struct uhi_ze_pool *pool = *link;
        struct uhi_ze_event *event = find_free(pool, queue, completed);
        if (!event)
            continue;
        *link = pool->next;
        pool->next = queue->pools;
        queue->pools = pool;
        return event;
    }
    return NULL;
}

uh_status uhi_ze_event_take(const char *call, uh_queue *queue, struct uhi_ze_event **event) {
    uh_status status = UH_SUCCESS;
    struct uhi_ze_event *found = find_in_pools(uhi_ze_queue(queue));
    if (!found) {
        UHI_TRY(make_pool(call, queue));
        found = find_in_pools(uhi_ze_queue(queue));
    }
    if (found->handle) {
        if (!uhi_ze_queue(queue)->order->counts)
            status = UHI_ZE(call, zeEventHostReset, found->handle);
    } else {
        ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                .index = (uint32_t)(found - found->pool->events),
                                .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                .wait = ZE_EVENT_SCOPE_FLAG_DEVICE};
        status = UHI_ZE(call, zeEventCreate, found->pool->handle, &desc, &found->handle);
        if (status)
            found->handle = NULL;
    }
    if (status) {
        uhi_ze_event_release(found);
        return uhi_ze_note_loss(queue->device, status);
    }
    *event = found;
    return UH_SUCCESS;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

static void raise_to(_Atomic uint64_t *number, uint64_t min) {
    uint64_t seen = atomic_load_explicit(number, memory_order_relaxed);
    /* Release: a thread that sees the number may reset the events of earlier commands. */
    while (seen < min)
        if (atomic_compare_exchange_weak_explicit(number, &seen, min, memory_order_acq_rel, memory_order_relaxed))
            break;
}

static int has_succeeded(const struct uhi_ze_queue *native, uint64_t number) {
    return uhi_ze_completed(native) >= number && atomic_load_explicit(&native->failed, memory_order_relaxed) < number;
}

/* Handles a wait result that is neither success nor a time-out. The wait may have failed, not the work, which then
 * continues or has succeeded. */
static uh_status fail_wait(const char *call, uh_queue *queue, uint64_t number, ze_event_handle_t handle,
                           ze_result_t result) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    const char *function = handle ? "zeEventHostSynchronize" : "zeCommandListHostSynchronize";
    uh_status status = uhi_ze_note_loss(queue->device, uhi_ze_check(call, result, function, UHI_ZE_FILE, __LINE__));
    int none = UH_SUCCESS;
    if (uhi_ze_completed(native) < number && atomic_compare_exchange_strong(&native->error, &none, (int)status))
        free(atomic_exchange(&native->error_text, strdup(uh_last_error())));
    if (status == UH_ERROR_DEVICE_LOST)
        return status;
    ze_result_t state =
        handle ? UHI_ZE_TRY(zeEventQueryStatus, handle) : UHI_ZE_TRY(zeCommandListHostSynchronize, native->list, 0);
    if (state != ZE_RESULT_SUCCESS && state != ZE_RESULT_NOT_READY)
        raise_to(&native->failed, number);
    if (state != ZE_RESULT_NOT_READY)
        raise_to(&native->completed, number);
    return status;
}

uh_status uhi_ze_synchronize(const char *call, uh_queue *queue, uint64_t number, ze_event_handle_t handle,
                             uint64_t nanoseconds) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    ze_result_t result = ZE_RESULT_SUCCESS;
    UHI_TRY(uhi_ze_wait(call, queue, handle, nanoseconds, &result));
    if (result == ZE_RESULT_SUCCESS) {
        raise_to(&native->completed, number);
        return UH_SUCCESS;
    }
    if (result == ZE_RESULT_NOT_READY)
        return uhi_fail(UH_ERROR_TIMEOUT, call, NULL, "the work on %s has not ended after %llu nanoseconds",
                        queue->device->properties.selector, (unsigned long long)nanoseconds);
    return fail_wait(call, queue, number, handle, result);
}

uh_status uhi_ze_event_is_done(const char *call, const uh_event *event, int *done) {
    const struct uhi_ze_event *native = event->native;
    struct uhi_ze_queue *queue = uhi_ze_queue(event->queue);
    if (has_succeeded(queue, native->number)) {
        *done = 1;
        return UH_SUCCESS;
    }
    ze_result_t result = UHI_ZE_TRY(zeEventQueryStatus, native->handle);
    if (result == ZE_RESULT_SUCCESS || result == ZE_RESULT_NOT_READY) {
        if (result == ZE_RESULT_SUCCESS)
            raise_to(&queue->completed, native->number);
        *done = result == ZE_RESULT_SUCCESS;
        return UH_SUCCESS;
    }
    return uhi_ze_note_loss(event->queue->device,
                            uhi_ze_check(call, result, "zeEventQueryStatus", UHI_ZE_FILE, __LINE__));
}

uh_status uhi_ze_event_wait(const char *call, uh_event *event, uint64_t nanoseconds) {
    const struct uhi_ze_event *native = event->native;
    if (has_succeeded(uhi_ze_queue(event->queue), native->number))
        return UH_SUCCESS;
    UHI_TRY(uhi_ze_check_lost(call, event->queue->device));
    return uhi_ze_synchronize(call, event->queue, native->number, native->handle, nanoseconds);
}

void uhi_ze_event_destroy(uh_event *event) { uhi_ze_event_release(event->native); }

/* ---- times ------------------------------------------------------------------------------------------------------ */

uh_status uhi_ze_event_profile(uh_event *event, uh_event_times *times) {
    const struct uhi_ze_event *native = event->native;
    const uh_device *device = event->queue->device;
    ze_kernel_timestamp_result_t measured = {0};
    ze_result_t result = UHI_ZE_TRY(zeEventQueryKernelTimestamp, native->handle, &measured);
    if (result == ZE_RESULT_NOT_READY)
        return uhi_fail(UH_ERROR_DRIVER, "uh_event_profile", NULL,
                        "the driver of %s has no times for work that has ended", device->properties.selector);
    uh_status status = uhi_ze_note_loss(
        device, uhi_ze_check("uh_event_profile", result, "zeEventQueryKernelTimestamp", UHI_ZE_FILE, __LINE__));
    if (!status)
        uhi_ze_clock_convert(&uhi_ze_device(device)->clock, native->submitted, measured.global.kernelStart,
                             measured.global.kernelEnd, times);
    return status;
}
