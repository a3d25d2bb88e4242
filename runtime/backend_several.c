/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of combined devices: one for each part. Allocations, submissions, modules and events are the parts' own. */
#include <stdlib.h>

#include "runtime/backend.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* The sum, where every part tells. */
static uh_status free_memory(uh_device *device, uint64_t *bytes) {
    uint64_t sum = 0;
    for (size_t i = 0; i < device->nparts; i++) {
        const struct uhi_backend *backend = device->parts[i]->backend;
        uint64_t of_part = 0;
        uh_status status = backend->free_memory ? backend->free_memory(device->parts[i], &of_part) : UH_SUCCESS;
        if (status != UH_SUCCESS)
            return status;
        if (of_part == 0) {
            sum = 0;
            break;
        }
        sum += of_part;
    }
    *bytes = sum;
    return UH_SUCCESS;
}

/* Frees the first `count` queues. They have no children. */
static void destroy_parts(uh_queue *queue, size_t count) {
    for (size_t i = 0; i < count; i++)
        (void)uh_queue_destroy(queue->parts[i]);
    free(queue->parts);
}

static uh_status queue_create(uh_queue *queue) {
    const uh_device *device = queue->device;
    const uh_queue_options options = {.struct_size = sizeof options,
                                      .threads = queue->threads,
                                      .profiling = queue->profiling,
                                      .engine = queue->engine,
                                      .priority = queue->priority,
                                      .error_callback = queue->error_callback,
                                      .error_user = queue->error_user,
                                      .cancelled = queue->cancelled,
                                      .cancelled_user = queue->cancelled_user};
    queue->parts = calloc(device->nparts, sizeof(uh_queue *));
    if (!queue->parts)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "uh_queue_create", NULL, "out of memory for %zu queues",
                        device->nparts);
    queue->threads = 1;
    for (size_t i = 0; i < device->nparts; i++) {
        uh_status status = uh_queue_create(device->parts[i], &options, &queue->parts[i]);
        if (status != UH_SUCCESS) {
            struct uhi_message message;
            uhi_message_keep(&message);
            destroy_parts(queue, i);
            uhi_message_restore(&message);
            return status;
        }
        if (queue->parts[i]->threads > queue->threads)
            queue->threads = queue->parts[i]->threads;
    }
    queue->nparts = device->nparts;
    /* Each part tells of its own errors; that of the whole would tell of the first once more. */
    queue->error_callback = NULL;
    return UH_SUCCESS;
}

static void queue_destroy(uh_queue *queue) {
    destroy_parts(queue, queue->nparts);
}

static uh_status queue_wait(uh_queue *queue) {
    struct uhi_message first;
    uh_status result = UH_SUCCESS;
    for (size_t i = 0; i < queue->nparts; i++) {
        uh_status status = uh_queue_wait(queue->parts[i]);
        if (result == UH_SUCCESS && status != UH_SUCCESS) {
            uhi_message_keep(&first);
            result = status;
        }
    }
    if (result != UH_SUCCESS)
        uhi_message_restore(&first);
    return result;
}

const struct uhi_backend uhi_backend_several = {
    .name = "several",
    .free_memory = free_memory,
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .queue_wait = queue_wait,
};
