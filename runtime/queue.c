/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/queue.h"

#include <stdlib.h>

#include "runtime/cpu.h"
#include "runtime/log.h"
#include "runtime/status.h"

/* Maximum number of threads: far above any machine, far below what makes a runtime fail. */
enum { MAX_THREADS = 4096 };

/* Limits for operations; see kernels/common/geometry.h. */
enum { MAX_GROUP_SIZE = 1024, MAX_GROUPS = 4096 };

void uhi_queue_retain(uh_queue *queue) { atomic_fetch_add_explicit(&queue->references, 1, memory_order_relaxed); }

void uhi_queue_release(uh_queue *queue) {
    /* Each user's work on the queue ends before the last one destroys it. */
    if (atomic_fetch_sub_explicit(&queue->references, 1, memory_order_acq_rel) > 1)
        return;
    queue->device->backend->queue_destroy(queue);
    free(queue);
}

uh_status uh_queue_create(uh_device *device, const uh_queue_options *options, uh_queue **queue) {
    UHI_NEED(__func__, device, "a device");
    return uhi_queue_create_native(__func__, device, NULL, options, queue);
}

uh_status uhi_queue_create_native(const char *call, uh_device *device, void *given, const uh_queue_options *options,
                                  uh_queue **queue) {
    UHI_NEED(call, queue, "where to store the queue");
    uh_queue_options wanted;
    UHI_TRY(uhi_sized_read(call, "options", options, &wanted, sizeof wanted));
    if (wanted.threads > MAX_THREADS)
        return uhi_fail_argument(call, "options->threads", "is %u, expected 0 to %d", (unsigned)wanted.threads,
                                 MAX_THREADS);
    if (wanted.engine != UH_ENGINE_COMPUTE && wanted.engine != UH_ENGINE_COPY)
        return uhi_fail_argument(call, "options->engine", "is %d, expected UH_ENGINE_COMPUTE or UH_ENGINE_COPY",
                                 (int)wanted.engine);
    if (wanted.priority != UH_PRIORITY_NORMAL && wanted.priority != UH_PRIORITY_LOW &&
        wanted.priority != UH_PRIORITY_HIGH)
        return uhi_fail_argument(call, "options->priority",
                                 "is %d, expected UH_PRIORITY_NORMAL, UH_PRIORITY_LOW or UH_PRIORITY_HIGH",
                                 (int)wanted.priority);
    if (wanted.group_size > MAX_GROUP_SIZE || (wanted.group_size & (wanted.group_size - 1)))
        return uhi_fail_argument(call, "options->group_size", "is %u, expected 0 or a power of two up to %d",
                                 (unsigned)wanted.group_size, MAX_GROUP_SIZE);
    if (wanted.groups > MAX_GROUPS)
        return uhi_fail_argument(call, "options->groups", "is %u, expected 0 to %d", (unsigned)wanted.groups,
                                 MAX_GROUPS);
    /* The host takes part in calls of all devices. */
    if (uhi_cpu_level() < UNIHIST_LOWEST_LEVEL)
        return uhi_fail(UH_ERROR_UNSUPPORTED, call, NULL,
                        "this CPU has x86-64-v%d, expected v%d or later; UNIHIST_HOST_LEVELS=all builds for all",
                        uhi_cpu_level(), UNIHIST_LOWEST_LEVEL);
    uh_queue *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail_memory(call, "out of memory for a queue");
    *made = (uh_queue){.device = device, .given = given, .options = wanted, .references = 1};
    uh_status status = uhi_fail_of(call, device->backend->queue_create(made));
    if (status) {
        free(made);
        return status;
    }
    uhi_log(UH_LOG_INFO, "queue on %s with %u threads", device->properties.selector, (unsigned)made->options.threads);
    *queue = made;
    return UH_SUCCESS;
}

uh_status uhi_queue_check_cancelled(const uh_queue *queue, const char *call) {
    if (!queue->options.cancelled || !queue->options.cancelled(queue->options.cancelled_user))
        return UH_SUCCESS;
    return uhi_fail(UH_ERROR_CANCELLED, call, NULL, "the queue's options->cancelled has ended the call");
}

uh_status uh_queue_wait(uh_queue *queue) {
    UHI_NEED(__func__, queue, "a queue");
    uh_status status = queue->device->backend->queue_wait ? queue->device->backend->queue_wait(queue) : UH_SUCCESS;
    /* A lost device fails every wait, but is reported once. */
    int was_reported = status == UH_ERROR_DEVICE_LOST && queue->lost_reported;
    if (status && queue->options.error_callback && !was_reported)
        queue->options.error_callback(status, uh_last_error(), queue->options.error_user);
    if (status == UH_ERROR_DEVICE_LOST)
        queue->lost_reported = 1;
    return status;
}

void uhi_queue_drain(uh_queue *queue) {
    enum { MAX_TRIES = 4 };
    struct uhi_message message;
    uh_status status = UH_ERROR_DRIVER;
    if (queue && queue->nparts) {
        for (size_t i = 0; i < queue->nparts; i++)
            uhi_queue_drain(queue->parts[i]);
        return;
    }
    uhi_message_keep(&message);
    for (int i = 0; queue && i < MAX_TRIES && status && status != UH_ERROR_DEVICE_LOST; i++)
        status = uh_queue_wait(queue);
    uhi_message_restore(&message);
}

/* The program may free its callbacks' data once it has destroyed the queue. */
static void remove_callbacks(uh_queue *queue) {
    queue->options.error_callback = NULL;
    queue->options.cancelled = NULL;
    for (size_t i = 0; i < queue->nparts; i++)
        remove_callbacks(queue->parts[i]);
}

void uh_queue_destroy(uh_queue *queue) {
    if (!queue)
        return;
    /* Errors of work that nobody waited for go to the callback and the log. */
    uhi_queue_drain(queue);
    remove_callbacks(queue);
    uhi_queue_release(queue);
}

/* Returns the number of references to the queue and its parts that are not their owners'. */
static uint64_t count_users(const uh_queue *queue) {
    uint64_t users = atomic_load_explicit(&queue->references, memory_order_relaxed) - 1;
    for (size_t i = 0; i < queue->nparts; i++)
        users += count_users(queue->parts[i]);
    return users;
}

uh_status uh_queue_get_properties(const uh_queue *queue, uh_queue_properties *properties) {
    UHI_NEED(__func__, queue, "a queue");
    const uh_queue_properties known = {.struct_size = sizeof known,
                                       .device = queue->device,
                                       .threads = queue->options.threads,
                                       .parts = (uint32_t)queue->nparts,
                                       .users = count_users(queue)};
    return uhi_sized_fill(__func__, properties, &known, sizeof known);
}

uh_status uh_queue_get_share(const uh_queue *queue, size_t part, uh_queue_share *share) {
    UHI_NEED(__func__, queue, "a queue");
    if (part >= queue->nparts)
        return uhi_fail_argument(__func__, "part", "is %zu, expected less than %zu, its parts", part, queue->nparts);
    const uh_queue *of = queue->parts[part];
    const uh_queue_share made = {.struct_size = sizeof made,
                                 .device = of->device,
                                 .elements = of->shared.elements,
                                 .pieces = of->shared.pieces,
                                 .failures = of->shared.failures,
                                 .status = of->shared.status};
    return uhi_sized_fill(__func__, share, &made, sizeof made);
}
