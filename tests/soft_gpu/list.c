/* SPDX-License-Identifier: Apache-2.0 */
/* Immediate command lists and what is appended to them, all but launches. Values are captured here; memory is read and
 * written when the command runs. */
#include "stream.h"

static atomic_size_t lists[3]; /* by priority, which changes nothing: drivers may take all for one */

size_t soft_lists(uint32_t priority) { return priority < 3 ? atomic_load(&lists[priority]) : 0; }

/* A queue group is 0 (compute and copies) or, with a copy engine, 1 (copies). */
static ze_result_t check_queue_desc(const char *call, const ze_command_queue_desc_t *desc) {
    if (desc->mode != ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS || /* synchronous ones are not implemented */
        (unsigned)desc->priority > ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH)
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (desc->flags & ~(unsigned)(ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY | ZE_COMMAND_QUEUE_FLAG_IN_ORDER))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if ((desc->flags & ZE_COMMAND_QUEUE_FLAG_IN_ORDER) && !soft_settings.in_order)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ENUMERATION, call, "the driver has no in-order lists");
    if (desc->ordinal > soft_settings.copy_engine)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "queue group is %u of %u", desc->ordinal,
                           (unsigned)soft_settings.copy_engine + 1);
    if (desc->index != 0)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "index is %u of 1 queue", desc->index);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListCreateImmediate(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                         const ze_command_queue_desc_t *altdesc,
                                         ze_command_list_handle_t *phCommandList) {
    SOFT_CALL(context, hContext, context);
    SOFT_GET(device, hDevice, device);
    SOFT_REACH(device);
    SOFT_POINTER(phCommandList);
    SOFT_DESCRIPTOR(altdesc, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC);
    SOFT_TRY(check_queue_desc(__func__, altdesc));
    struct soft_list *list = soft_new(SOFT_KIND_list, sizeof *list, &context->object, NULL);
    if (!list)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    list->context = context;
    list->device = device;
    list->copy_only = altdesc->ordinal == 1;
    list->priority = altdesc->priority;
    list->stream = soft_stream_new(device, (altdesc->flags & ZE_COMMAND_QUEUE_FLAG_IN_ORDER) != 0);
    if (!list->stream) {
        soft_destroy(&list->object, __func__);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    atomic_fetch_add(&lists[list->priority], 1);
    *phCommandList = (ze_command_list_handle_t)list;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListDestroy(ze_command_list_handle_t hCommandList) {
    ze_result_t result = soft_enter(__func__, SOFT_ALWAYS);
    SOFT_GET(list, hCommandList, list);
    soft_stream_end(list->stream, __func__);
    atomic_fetch_sub(&lists[list->priority], 1);
    soft_destroy(&list->object, __func__);
    return result;
}

ze_result_t zeCommandListHostSynchronize(ze_command_list_handle_t hCommandList, uint64_t timeout) {
    SOFT_CALL(list, hCommandList, list);
    if (!soft_settings.in_order)
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    uint64_t deadline = soft_deadline(timeout);
    pthread_mutex_lock(&soft_lock);
    ze_result_t result = soft_stream_wait(list->stream, deadline);
    pthread_mutex_unlock(&soft_lock);
    return result;
}

/* Notes the allocation that a command uses; NULL for host memory. */
static ze_result_t use_memory(const char *call, struct soft_work *work, const struct soft_list *list,
                              const void *pointer, size_t size) {
    struct soft_memory *memory = NULL;
    pthread_mutex_lock(&soft_lock);
    ze_result_t result = soft_memory_check(call, pointer, size, list->context, list->device, true, &memory);
    if (!result && memory && !soft_work_use(work, &memory->object))
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_unlock(&soft_lock);
    return result;
}

ze_result_t zeCommandListAppendBarrier(ze_command_list_handle_t hCommandList, ze_event_handle_t hSignalEvent,
                                       uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents) {
    SOFT_CALL(list, hCommandList, list);
    struct soft_work *work = NULL;
    ze_result_t result = soft_work_new(__func__, SOFT_WORK_BARRIER, hSignalEvent, numWaitEvents, phWaitEvents, &work);
    return soft_stream_submit(list->stream, work, result);
}

ze_result_t zeCommandListAppendMemoryCopy(ze_command_list_handle_t hCommandList, void *dstptr, const void *srcptr,
                                          size_t size, ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                          ze_event_handle_t *phWaitEvents) {
    SOFT_CALL(list, hCommandList, list);
    SOFT_POINTER(dstptr);
    SOFT_POINTER(srcptr);
    struct soft_work *work = NULL;
    SOFT_TRY(soft_work_new(__func__, SOFT_WORK_COPY, hSignalEvent, numWaitEvents, phWaitEvents, &work));
    work->destination = dstptr;
    work->source = srcptr;
    work->size = size;
    ze_result_t result = use_memory(__func__, work, list, dstptr, size);
    if (!result)
        result = use_memory(__func__, work, list, srcptr, size);
    return soft_stream_submit(list->stream, work, result);
}

ze_result_t zeCommandListAppendMemoryFill(ze_command_list_handle_t hCommandList, void *ptr, const void *pattern,
                                          size_t pattern_size, size_t size, ze_event_handle_t hSignalEvent,
                                          uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents) {
    SOFT_CALL(list, hCommandList, list);
    SOFT_POINTER(ptr);
    SOFT_POINTER(pattern);
    uint64_t most = soft_fill_pattern(list->copy_only);
    if (pattern_size == 0 || (pattern_size & (pattern_size - 1)) || pattern_size > most)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_SIZE, __func__,
                           "pattern_size is %zu, expected a power of two up to %u", pattern_size, (unsigned)most);
    if (size % pattern_size)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_SIZE, __func__, "size is %zu, no multiple of the pattern's %zu",
                           size, pattern_size);
    struct soft_work *work = NULL;
    SOFT_TRY(soft_work_new(__func__, SOFT_WORK_FILL, hSignalEvent, numWaitEvents, phWaitEvents, &work));
    work->destination = ptr;
    work->size = size;
    work->pattern_size = pattern_size;
    memcpy(work->pattern, pattern, pattern_size);
    return soft_stream_submit(list->stream, work, use_memory(__func__, work, list, ptr, size));
}
