/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

static void release_pool(struct soft_object *object) { free(((struct soft_pool *)object)->events); }

/* Whether a pool's events are counters, by what its descriptor is followed by. */
static ze_result_t read_extension(const char *call, const void *next, bool *counts) {
    const ze_event_pool_counter_based_exp_desc_t *desc = next;
    *counts = desc != NULL;
    if (!desc)
        return ZE_RESULT_SUCCESS;
    if (desc->stype != ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC || desc->pNext || !soft_settings.in_order)
        return soft_misuse(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION, call, "the driver knows no extension 0x%x",
                           (unsigned)desc->stype);
    if (desc->flags & ~(unsigned)ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ENUMERATION, call, "flags are 0x%x, and all lists are immediate",
                           (unsigned)desc->flags);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventPoolCreate(ze_context_handle_t hContext, const ze_event_pool_desc_t *desc, uint32_t numDevices,
                              ze_device_handle_t *phDevices, ze_event_pool_handle_t *phEventPool) {
    SOFT_CALL(context, hContext, context);
    SOFT_POINTER(phEventPool);
    SOFT_DESCRIPTOR(desc, ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
    if (desc->count == 0 || (numDevices && !phDevices))
        return ZE_RESULT_ERROR_INVALID_SIZE;
    for (uint32_t i = 0; i < numDevices; i++) {
        SOFT_GET(device, phDevices[i], device);
    }
    bool counts;
    SOFT_TRY(read_extension(__func__, desc->pNext, &counts));
    struct soft_pool *pool = soft_new(SOFT_KIND_pool, sizeof *pool, &context->object, release_pool);
    struct soft_event **events = calloc(desc->count, sizeof(struct soft_event *));
    if (!pool || !events) {
        free(events);
        if (pool)
            soft_destroy(&pool->object, __func__);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    pool->flags = desc->flags;
    pool->counts = counts;
    pool->count = desc->count;
    pool->events = events;
    *phEventPool = (ze_event_pool_handle_t)pool;
    return ZE_RESULT_SUCCESS;
}

SOFT_DESTROY(zeEventPoolDestroy, ze_event_pool_handle_t, pool)

static void release_event(struct soft_object *object) {
    struct soft_event *event = (struct soft_event *)object;
    if (event->failed_by)
        soft_unreference(&event->failed_by->object);
}

ze_result_t zeEventCreate(ze_event_pool_handle_t hEventPool, const ze_event_desc_t *desc, ze_event_handle_t *phEvent) {
    SOFT_CALL(pool, hEventPool, pool);
    SOFT_POINTER(phEvent);
    SOFT_DESCRIPTOR(desc, ZE_STRUCTURE_TYPE_EVENT_DESC);
    if (desc->index >= pool->count)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, __func__, "index is %u in a pool of %u", desc->index,
                           pool->count);
    struct soft_event *event = soft_new(SOFT_KIND_event, sizeof *event, &pool->object, release_event);
    if (!event)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    event->pool = pool;
    event->index = desc->index;
    pthread_mutex_lock(&soft_lock);
    bool taken = pool->events[desc->index] != NULL;
    if (!taken)
        pool->events[desc->index] = event;
    pthread_mutex_unlock(&soft_lock);
    if (taken) {
        soft_destroy(&event->object, __func__);
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, __func__, "place %u of the pool is in use", desc->index);
    }
    *phEvent = (ze_event_handle_t)event;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventDestroy(ze_event_handle_t hEvent) {
    ze_result_t result = soft_enter(__func__, SOFT_ALWAYS);
    SOFT_GET(event, hEvent, event);
    pthread_mutex_lock(&soft_lock);
    event->pool->events[event->index] = NULL;
    pthread_mutex_unlock(&soft_lock);
    soft_destroy(&event->object, __func__);
    return result;
}

void soft_event_set(struct soft_event *event, enum soft_event_state state, ze_result_t failure,
                    struct soft_stream *failed_by) {
    if (state != SOFT_FAILED)
        failed_by = NULL;
    if (failed_by)
        soft_reference(&failed_by->object);
    if (event->failed_by)
        soft_unreference(&event->failed_by->object);
    event->state = state;
    event->failure = failure;
    event->failed_by = failed_by;
}

/* Only pools that say so let the host look. */
static ze_result_t check_visible(const struct soft_event *event, const char *call) {
    if (event->pool->flags & ZE_EVENT_POOL_FLAG_HOST_VISIBLE)
        return soft_event_check_given(event, call);
    return soft_misuse(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, call, "the pool is not HOST_VISIBLE");
}

ze_result_t soft_event_check_given(const struct soft_event *event, const char *call) {
    pthread_mutex_lock(&soft_lock);
    const bool given = !event->pool->counts || event->given > 0;
    pthread_mutex_unlock(&soft_lock);
    if (given)
        return ZE_RESULT_SUCCESS;
    return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "the event is a counter that no command will raise");
}

/* A counter is raised by commands alone, and never put back. */
static ze_result_t check_settable(const struct soft_event *event, const char *call) {
    if (!event->pool->counts)
        return ZE_RESULT_SUCCESS;
    return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "the event is a counter");
}

ze_result_t zeEventHostSignal(ze_event_handle_t hEvent) {
    SOFT_CALL(event, hEvent, event);
    SOFT_TRY(check_settable(event, __func__));
    SOFT_TRY(check_visible(event, __func__));
    pthread_mutex_lock(&soft_lock);
    event->begin = event->end = soft_ticks(uhi_host_now());
    soft_event_set(event, SOFT_SIGNALED, ZE_RESULT_SUCCESS, NULL);
    soft_streams_wake();
    pthread_cond_broadcast(&soft_changed);
    pthread_mutex_unlock(&soft_lock);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t look(struct soft_event *event) {
    if (atomic_load(&soft_lost))
        return ZE_RESULT_ERROR_DEVICE_LOST;
    if (event->state == SOFT_RESET)
        return ZE_RESULT_NOT_READY;
    soft_stream_seen(event->failed_by);
    return event->state == SOFT_FAILED ? event->failure : ZE_RESULT_SUCCESS;
}

/* The state for a call that does not wait; the device goes on. */
static ze_result_t look_once(struct soft_event *event) {
    const ze_result_t result = look(event);
    if (result == ZE_RESULT_NOT_READY)
        soft_streams_wait(0);
    return result;
}

ze_result_t zeEventHostSynchronize(ze_event_handle_t hEvent, uint64_t timeout) {
    SOFT_CALL(event, hEvent, event);
    SOFT_TRY(check_visible(event, __func__));
    ze_result_t result;
    uint64_t deadline = soft_deadline(timeout);
    pthread_mutex_lock(&soft_lock);
    while ((result = look(event)) == ZE_RESULT_NOT_READY)
        if (!soft_streams_wait(deadline))
            break;
    pthread_mutex_unlock(&soft_lock);
    return result;
}

ze_result_t zeEventQueryStatus(ze_event_handle_t hEvent) {
    SOFT_CALL(event, hEvent, event);
    SOFT_TRY(check_visible(event, __func__));
    pthread_mutex_lock(&soft_lock);
    ze_result_t result = look_once(event);
    pthread_mutex_unlock(&soft_lock);
    return result;
}

ze_result_t zeEventHostReset(ze_event_handle_t hEvent) {
    SOFT_CALL(event, hEvent, event);
    SOFT_TRY(check_settable(event, __func__));
    pthread_mutex_lock(&soft_lock);
    const uint32_t uses = soft_is_lost(NULL) ? 0 : event->object.uses;
    if (!uses) /* else a command would wait forever */
        soft_event_set(event, SOFT_RESET, ZE_RESULT_SUCCESS, NULL);
    pthread_mutex_unlock(&soft_lock);
    return uses ? soft_misuse(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, __func__,
                              "the event is used by %u commands that are not done", uses)
                : ZE_RESULT_SUCCESS;
}

ze_result_t zeEventQueryKernelTimestamp(ze_event_handle_t hEvent, ze_kernel_timestamp_result_t *dstptr) {
    SOFT_CALL(event, hEvent, event);
    SOFT_POINTER(dstptr);
    if (!(event->pool->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP))
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, __func__, "the pool has no KERNEL_TIMESTAMP");
    uint64_t mask = soft_tick_mask();
    pthread_mutex_lock(&soft_lock);
    ze_result_t result = look_once(event);
    ze_kernel_timestamp_data_t data = {event->begin & mask, event->end & mask};
    pthread_mutex_unlock(&soft_lock);
    if (!result)
        *dstptr = (ze_kernel_timestamp_result_t){.global = data, .context = data};
    return result;
}
