/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

static void release(struct soft_object *object) {
    struct soft_fence *fence = (struct soft_fence *)object;
    if (fence->failed_by)
        soft_unreference(&fence->failed_by->object);
}

ze_result_t zeFenceCreate(ze_command_queue_handle_t hCommandQueue, const ze_fence_desc_t *desc,
                          ze_fence_handle_t *phFence) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(queue, hCommandQueue, queue);
    SOFT_POINTER(desc);
    SOFT_POINTER(phFence);
    SOFT_STYPE(desc, ZE_STRUCTURE_TYPE_FENCE_DESC);
    struct soft_fence *fence = soft_new(SOFT_KIND_fence, sizeof *fence, &queue->object, release);
    if (!fence)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    fence->queue = queue;
    fence->state = (desc->flags & ZE_FENCE_FLAG_SIGNALED) ? SOFT_SIGNALED : SOFT_RESET;
    *phFence = (ze_fence_handle_t)fence;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeFenceDestroy(ze_fence_handle_t hFence) {
    ze_result_t result = soft_enter(__func__, SOFT_ALWAYS);
    SOFT_GET(fence, hFence, fence);
    soft_destroy(&fence->object, __func__);
    return result;
}

static ze_result_t look(struct soft_fence *fence) {
    if (atomic_load(&soft_lost))
        return ZE_RESULT_ERROR_DEVICE_LOST;
    if (fence->state == SOFT_RESET)
        return ZE_RESULT_NOT_READY;
    soft_stream_told(fence->failed_by);
    return fence->state == SOFT_FAILED ? fence->failure : ZE_RESULT_SUCCESS;
}

ze_result_t zeFenceHostSynchronize(ze_fence_handle_t hFence, uint64_t timeout) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(fence, hFence, fence);
    uint64_t deadline = soft_deadline(timeout);
    ze_result_t result;
    pthread_mutex_lock(&soft_lock);
    while ((result = look(fence)) == ZE_RESULT_NOT_READY)
        if (!soft_wait(&soft_changed, deadline))
            break;
    pthread_mutex_unlock(&soft_lock);
    return result;
}

ze_result_t zeFenceQueryStatus(ze_fence_handle_t hFence) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(fence, hFence, fence);
    pthread_mutex_lock(&soft_lock);
    ze_result_t result = look(fence);
    pthread_mutex_unlock(&soft_lock);
    return result;
}

ze_result_t zeFenceReset(ze_fence_handle_t hFence) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(fence, hFence, fence);
    pthread_mutex_lock(&soft_lock);
    fence->state = SOFT_RESET;
    pthread_mutex_unlock(&soft_lock);
    return ZE_RESULT_SUCCESS;
}
