/* SPDX-License-Identifier: Apache-2.0 */
/* Command queues, command lists of both kinds, fences. */
#include "list.h"

#include <stdlib.h>

/* A queue group is 0 (compute and copies) or, with a copy engine, 1 (copies). */
static ze_result_t check_group(const char *call, uint32_t ordinal, uint32_t index) {
    if (ordinal > soft_settings.copy_engine)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "queue group is %u of %u", ordinal,
                           (unsigned)soft_settings.copy_engine + 1);
    if (index >= soft_settings.queues)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "index is %u of %u queues", index,
                           (unsigned)soft_settings.queues);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t check_queue_desc(const char *call, const ze_command_queue_desc_t *desc) {
    if (desc->stype != ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ENUMERATION, call, "stype is 0x%x", (unsigned)desc->stype);
    if ((unsigned)desc->mode > ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS ||
        (unsigned)desc->priority > ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH)
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    return check_group(call, desc->ordinal, desc->index);
}

ze_result_t zeCommandQueueCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                 const ze_command_queue_desc_t *desc, ze_command_queue_handle_t *phCommandQueue) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(context, hContext, context);
    SOFT_GET(device, hDevice, device);
    SOFT_POINTER(desc);
    SOFT_POINTER(phCommandQueue);
    ze_result_t result = check_queue_desc(__func__, desc);
    if (result)
        return result;
    struct soft_queue *queue = soft_new(SOFT_KIND_queue, sizeof *queue, &context->object, NULL);
    if (!queue)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    queue->context = context;
    queue->device = device;
    queue->ordinal = desc->ordinal;
    queue->stream = soft_stream_new(device, desc->ordinal == 1, desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    if (!queue->stream) {
        soft_destroy(&queue->object, __func__);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *phCommandQueue = (ze_command_queue_handle_t)queue;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandQueueDestroy(ze_command_queue_handle_t hCommandQueue) {
    ze_result_t result = soft_enter(__func__, SOFT_ALWAYS);
    SOFT_GET(queue, hCommandQueue, queue);
    soft_stream_end(queue->stream, __func__);
    soft_destroy(&queue->object, __func__);
    return result;
}

ze_result_t zeCommandQueueSynchronize(ze_command_queue_handle_t hCommandQueue, uint64_t timeout) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(queue, hCommandQueue, queue);
    pthread_mutex_lock(&soft_lock);
    ze_result_t result = soft_stream_wait(queue->stream, timeout);
    pthread_mutex_unlock(&soft_lock);
    return result;
}

static ze_result_t check_executable(const char *call, const struct soft_queue *queue, const struct soft_list *list) {
    if (list->stream || !list->closed)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "the list is %s",
                           list->stream ? "immediate" : "not closed");
    if (list->device->root != queue->device->root || list->context != queue->context)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "the list is of another device or context");
    if (list->ordinal != queue->ordinal)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, call, "the list is of queue group %u, not %u",
                           list->ordinal, queue->ordinal);
    for (size_t i = 0; i < list->nworks; i++)
        for (size_t k = 0; k < list->works[i]->nused; k++)
            if (!soft_check_alive(list->works[i]->used[k], call))
                return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t hCommandQueue, uint32_t numCommandLists,
                                              ze_command_list_handle_t *phCommandLists, ze_fence_handle_t hFence) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(queue, hCommandQueue, queue);
    SOFT_POINTER(phCommandLists);
    if (!numCommandLists)
        return ZE_RESULT_ERROR_INVALID_SIZE;
    size_t nworks = 0;
    for (uint32_t i = 0; i < numCommandLists; i++) {
        SOFT_GET(list, phCommandLists[i], list);
        ze_result_t result = check_executable(__func__, queue, list);
        if (result)
            return result;
        nworks += list->nworks;
    }
    struct soft_work **works = calloc(nworks + 1, sizeof(struct soft_work *)), *fence_work = NULL;
    ze_result_t result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (!works)
        return result;
    nworks = 0;
    for (uint32_t i = 0; i < numCommandLists; i++) {
        struct soft_list *list = (struct soft_list *)phCommandLists[i];
        for (size_t k = 0; k < list->nworks; k++)
            works[nworks++] = list->works[k];
    }
    if (hFence) {
        struct soft_fence *fence = soft_get(hFence, SOFT_KIND_fence, __func__);
        result = fence ? soft_work_new(__func__, SOFT_WORK_FENCE, NULL, 0, NULL, &fence_work)
                       : ZE_RESULT_ERROR_INVALID_ARGUMENT;
        if (result)
            goto out;
        if (!soft_work_use(fence_work, &fence->object)) {
            result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
            goto out;
        }
        fence_work->fence = fence;
        works[nworks++] = fence_work;
    }
    result = soft_stream_submit(queue->stream, works, nworks);
out:
    if (fence_work)
        soft_unreference(&fence_work->object);
    free(works);
    return result;
}

/* ---- lists ---- */

static void forget_works(struct soft_list *list) {
    for (size_t i = 0; i < list->nworks; i++)
        soft_unreference(&list->works[i]->object);
    list->nworks = 0;
}

static void release_list(struct soft_object *object) {
    struct soft_list *list = (struct soft_list *)object;
    forget_works(list);
    free(list->works);
}

static struct soft_list *new_list(struct soft_context *context, struct soft_device *device, uint32_t ordinal) {
    struct soft_list *list = soft_new(SOFT_KIND_list, sizeof *list, &context->object, release_list);
    if (!list)
        return NULL;
    list->context = context;
    list->device = device;
    list->ordinal = ordinal;
    list->copy_only = ordinal == 1;
    return list;
}

ze_result_t zeCommandListCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                const ze_command_list_desc_t *desc, ze_command_list_handle_t *phCommandList) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(context, hContext, context);
    SOFT_GET(device, hDevice, device);
    SOFT_POINTER(desc);
    SOFT_POINTER(phCommandList);
    SOFT_STYPE(desc, ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC);
    ze_result_t result = check_group(__func__, desc->commandQueueGroupOrdinal, 0);
    if (result)
        return result;
    struct soft_list *list = new_list(context, device, desc->commandQueueGroupOrdinal);
    if (!list)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    *phCommandList = (ze_command_list_handle_t)list;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListCreateImmediate(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                         const ze_command_queue_desc_t *altdesc,
                                         ze_command_list_handle_t *phCommandList) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(context, hContext, context);
    SOFT_GET(device, hDevice, device);
    SOFT_POINTER(altdesc);
    SOFT_POINTER(phCommandList);
    ze_result_t result = check_queue_desc(__func__, altdesc);
    if (result)
        return result;
    struct soft_list *list = new_list(context, device, altdesc->ordinal);
    if (!list)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    list->stream = soft_stream_new(device, list->copy_only, altdesc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    if (!list->stream) {
        soft_destroy(&list->object, __func__);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *phCommandList = (ze_command_list_handle_t)list;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListDestroy(ze_command_list_handle_t hCommandList) {
    ze_result_t result = soft_enter(__func__, SOFT_ALWAYS);
    SOFT_GET(list, hCommandList, list);
    if (list->stream)
        soft_stream_end(list->stream, __func__);
    soft_destroy(&list->object, __func__);
    return result;
}

static ze_result_t check_regular(const char *call, const struct soft_list *list) {
    return list->stream ? soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "the list is immediate")
                        : ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListClose(ze_command_list_handle_t hCommandList) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    ze_result_t result = check_regular(__func__, list);
    if (!result)
        list->closed = true;
    return result;
}

ze_result_t zeCommandListReset(ze_command_list_handle_t hCommandList) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    ze_result_t result = check_regular(__func__, list);
    if (!result) {
        forget_works(list);
        list->closed = false;
    }
    return result;
}

ze_result_t soft_list_append(const char *call, struct soft_list *list, struct soft_work *work) {
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (list->stream) {
        result = soft_stream_submit(list->stream, &work, 1);
        goto out;
    }
    if (list->closed) {
        result = soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "the list is closed");
        goto out;
    }
    if (list->nworks == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        struct soft_work **works = realloc(list->works, room * sizeof(struct soft_work *));
        if (!works) {
            result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
            goto out;
        }
        list->works = works;
        list->room = room;
    }
    soft_reference(&work->object);
    list->works[list->nworks++] = work;
out:
    soft_unreference(&work->object);
    return result;
}
