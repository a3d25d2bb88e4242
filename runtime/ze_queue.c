/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of the Level Zero backend, common to both command orders. */
#include <stdlib.h>

#include "runtime/module.h"
#include "runtime/ze.h"

/* Returns whether all commands of the list are known to have ended. */
static int is_idle(const struct uhi_ze_queue *native) { return uhi_ze_completed(native) == native->submitted; }

static ze_command_queue_priority_t priority_of(const uh_queue *queue) {
    switch (queue->options.priority) {
    case UH_PRIORITY_LOW: return ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW;
    case UH_PRIORITY_HIGH: return ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH;
    case UH_PRIORITY_NORMAL: break;
    }
    return ZE_COMMAND_QUEUE_PRIORITY_NORMAL;
}

static uh_status make_list(uh_queue *queue, struct uhi_ze_queue *native) {
    const char *call = "uh_queue_create";
    const struct uhi_ze_device *device = uhi_ze_device(queue->device);
    ze_command_queue_desc_t list = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = native->engine->ordinal,
                                    .flags = native->order->list_flags,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
                                    .priority = priority_of(queue)};
    uh_status status = UH_SUCCESS;
    native->list = queue->given;
    native->owns_list = !native->list;
    if (native->owns_list)
        status = UHI_ZE(call, zeCommandListCreateImmediate, device->context, device->device, &list, &native->list);
    if (!status)
        status = native->order->create(call, queue);
    return uhi_ze_note_loss(queue->device, status);
}

/* Destroys the result of make_list, complete or partial. Failures are only logged: nothing can be done. */
static void destroy_list(struct uhi_ze_queue *native) {
    native->order->destroy(native);
    if (native->list && native->owns_list)
        UHI_ZE_TRY(zeCommandListDestroy, native->list);
}

uh_status uhi_ze_queue_create(uh_queue *queue) {
    UHI_TRY(uhi_ze_check_lost("uh_queue_create", queue->device));
    struct uhi_ze_queue *native = calloc(1, sizeof *native);
    if (!native)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "uh_queue_create", NULL, "out of memory for a queue");
    native->engine = &uhi_ze_device(queue->device)->engines[queue->options.engine];
    /* The order kept by a caller's list is unknown; a chain works with any. */
    const int in_order = uhi_ze_device(queue->device)->listed_by->has_in_order_lists && !queue->given;
    native->order = in_order ? &uhi_ze_in_order : &uhi_ze_chain;
    queue->native = native;
    uh_status status = make_list(queue, native);
    if (status == UH_ERROR_UNSUPPORTED && in_order) {
        destroy_list(native);
        native->order = &uhi_ze_chain;
        status = make_list(queue, native);
    }
    if (status) {
        destroy_list(native);
        free(native);
        return status;
    }
    queue->options.threads = 1;
    atomic_fetch_add(&uhi_ze_device(queue->device)->children, 1);
    atomic_fetch_add(&uhi_ze_device(queue->device)->queues, 1);
    return UH_SUCCESS;
}

void uhi_ze_queue_destroy(uh_queue *queue) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    struct uhi_ze_device *device = uhi_ze_device(queue->device);
    /* A failed wait has not waited; the list must not be destroyed while it works. */
    if (!is_idle(native) && !uhi_ze_is_lost(queue->device))
        native->order->drain(queue);
    uhi_ze_release_held(native, UINT64_MAX);
    free(native->held);
    uhi_ze_event_close_pools(native);
    if (!uhi_ze_is_given_up(device))
        destroy_list(native);
    free(atomic_load(&native->error_text));
    free(native);
    atomic_fetch_sub(&device->children, 1);
    /* The caller may now destroy the context. */
    if (atomic_fetch_sub(&device->queues, 1) == 1 && queue->device->is_foreign)
        uhi_module_destroy_idle(queue->device);
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

uh_status uhi_ze_queue_finish(const char *call, uh_queue *queue) {
    const struct uhi_ze_queue *native = uhi_ze_queue(queue);
    uh_status status = uhi_ze_check_lost(call, queue->device);
    return !status && !is_idle(native) ? native->order->finish(call, queue) : status;
}

uh_status uhi_ze_queue_wait(uh_queue *queue) {
    const char *call = "uh_queue_wait";
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    uh_status status = uhi_ze_queue_finish(call, queue);
    uhi_ze_release_held(native, uhi_ze_completed(native));
    uh_status earlier = (uh_status)atomic_exchange(&native->error, UH_SUCCESS);
    char *text = atomic_exchange(&native->error_text, NULL);
    if (!status && earlier != UH_SUCCESS)
        status = uhi_fail(earlier, call, NULL, "work of the queue on %s failed earlier: %s",
                          queue->device->properties.selector, text ? text : uh_status_text(earlier));
    free(text);
    return status;
}
