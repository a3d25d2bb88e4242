/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of combined devices: one per part. Allocations, submissions, modules and events belong to the parts. */
#include <stdlib.h>

#include "runtime/backend.h"
#include "runtime/log.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* ---- lost devices ------------------------------------------------------------------------------------------------ */

int uhi_device_is_lost(const uh_device *device) { return device->backend->is_lost && device->backend->is_lost(device); }

uh_device *uhi_several_lead(const uh_device *device) {
    for (size_t i = 0; i < device->nparts; i++)
        if (!uhi_device_is_lost(device->parts[i]))
            return device->parts[i];
    return device->parts[0];
}

uh_queue *uhi_several_lead_queue(const uh_queue *queue) {
    for (size_t i = 0; i < queue->nparts; i++)
        if (!uhi_device_is_lost(queue->parts[i]->device))
            return queue->parts[i];
    return queue->parts[0];
}

uh_status uhi_several_wait(uh_queue *part) {
    struct uhi_shared *shared = &part->shared;
    struct uhi_message before;
    if (shared->status == UH_ERROR_DEVICE_LOST)
        return UH_SUCCESS;
    uhi_message_keep(&before);
    const uh_status status = uh_queue_wait(part);
    const int is_harmless = shared->waited == shared->given;
    shared->waited = shared->given;
    if (status != UH_ERROR_DEVICE_LOST)
        return status;
    shared->status = status;
    shared->failures++;
    uhi_log(UH_LOG_WARN, "%s is lost; the other devices of the queue go on without it",
            part->device->properties.selector);
    if (is_harmless)
        uhi_message_restore(&before);
    return is_harmless ? UH_SUCCESS : status;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Lost if all parts are lost. */
static int is_lost(const uh_device *device) { return uhi_device_is_lost(uhi_several_lead(device)); }

/* Sum over the parts that are not lost; 0 if one of them does not report it. */
static uh_status free_memory(uh_device *device, uint64_t *bytes) {
    uint64_t sum = 0;
    for (size_t i = 0; i < device->nparts; i++) {
        const struct uhi_backend *backend = device->parts[i]->backend;
        uint64_t of_part = 0;
        if (uhi_device_is_lost(device->parts[i]) && !is_lost(device))
            continue;
        UHI_TRY(backend->free_memory ? backend->free_memory(device->parts[i], &of_part) : UH_SUCCESS);
        if (of_part == 0) {
            sum = 0;
            break;
        }
        sum += of_part;
    }
    *bytes = sum;
    return UH_SUCCESS;
}

/* Events of a part keep that part. */
static void destroy_parts(uh_queue *queue) {
    for (size_t i = 0; i < queue->nparts; i++)
        uh_queue_destroy(queue->parts[i]);
    free(queue->parts);
}

/* Makes a queue for each part that is not lost; if all are lost, fails with the error of the last one. */
static uh_status create_parts(uh_queue *queue, const uh_queue_options *options) {
    const uh_device *device = queue->device;
    struct uhi_message before;
    uhi_message_keep(&before);
    for (size_t i = 0; i < device->nparts; i++) {
        uh_queue *part = NULL;
        const uh_status status = uh_queue_create(device->parts[i], options, &part);
        if (status == UH_ERROR_DEVICE_LOST && (i + 1 < device->nparts || queue->nparts > 0)) {
            uhi_log(UH_LOG_WARN, "uh_queue_create: %s is lost; the queue on %s is without it",
                    device->parts[i]->properties.selector, device->properties.selector);
            uhi_message_restore(&before);
            continue;
        }
        if (status != UH_SUCCESS)
            return status;
        queue->parts[queue->nparts++] = part;
        if (part->options.threads > queue->options.threads)
            queue->options.threads = part->options.threads;
    }
    return UH_SUCCESS;
}

static uh_status queue_create(uh_queue *queue) {
    const uh_device *device = queue->device;
    const uh_queue_options options = queue->options;
    queue->parts = calloc(device->nparts, sizeof(uh_queue *));
    if (!queue->parts)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "uh_queue_create", NULL, "out of memory for %zu queues",
                        device->nparts);
    queue->options.threads = 1;
    const uh_status status = create_parts(queue, &options);
    if (status != UH_SUCCESS) {
        destroy_parts(queue);
        return status;
    }
    /* Each part reports its own errors; the combined queue would report the first one again. */
    queue->options.error_callback = NULL;
    return UH_SUCCESS;
}

static uh_status queue_wait(uh_queue *queue) {
    struct uhi_message first;
    uh_status result = UH_SUCCESS;
    for (size_t i = 0; i < queue->nparts; i++) {
        uh_status status = uhi_several_wait(queue->parts[i]);
        if (result == UH_SUCCESS && status != UH_SUCCESS) {
            uhi_message_keep(&first);
            result = status;
        }
    }
    if (result != UH_SUCCESS)
        uhi_message_restore(&first);
    else if (uhi_device_is_lost(uhi_several_lead_queue(queue)->device))
        result = uhi_fail(UH_ERROR_DEVICE_LOST, "uh_queue_wait", NULL, "all devices of the queue on %s are lost",
                          queue->device->properties.selector);
    return result;
}

const struct uhi_backend uhi_backend_several = {
    .name = "several",
    .is_lost = is_lost,
    .free_memory = free_memory,
    .queue_create = queue_create,
    .queue_destroy = destroy_parts,
    .queue_wait = queue_wait,
};
