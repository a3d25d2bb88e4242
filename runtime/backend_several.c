/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of combined devices: one for each part. Memory, submissions, modules and events are the parts' own. */
#include <stdlib.h>

#include "runtime/backend.h"
#include "runtime/queue.h"
#include "runtime/status.h"

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
                                      .error_callback = queue->error_callback,
                                      .error_user = queue->error_user};
    queue->parts = calloc(device->nparts, sizeof *queue->parts);
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
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .queue_wait = queue_wait,
};
