/* SPDX-License-Identifier: Apache-2.0 */
/* The host CPU as a device. */
#include <stdlib.h>
#include <string.h>

#include "runtime/host.h"
#include "runtime/log.h"
#include "runtime/status.h"

/* Regions are copied and filled in parts of this size, each by one thread. */
enum { PART_SIZE = 1 << 20 };
/* With fewer parts, one thread does all the work: waking the others may cost a millisecond on a busy machine, which
 * must be small compared with the 3 ms that one thread takes. */
enum { MIN_PARTS = 32 };
/* Bytes of pattern written at a time. */
enum { FILL_BLOCK = 1024 };

static uh_status queue_create(uh_queue *queue) {
    if (queue->options.threads == 0)
        queue->options.threads = uhi_host_default_threads(queue->device);
    return UH_SUCCESS;
}

static void queue_destroy(uh_queue *queue) { (void)queue; }

static uh_status host_alloc(const char *call, uh_device *device, __attribute__((unused)) uh_memory_kind kind,
                            size_t size, size_t alignment, void **pointer) {
    /* No object may be larger than PTRDIFF_MAX. */
    if (alignment > PTRDIFF_MAX || size > PTRDIFF_MAX - alignment || posix_memalign(pointer, alignment, size) != 0)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, "size", "is %zu, more than %s has left", size,
                        device->properties.selector);
    return UH_SUCCESS;
}

static uh_status host_free(__attribute__((unused)) uh_device *device, void *pointer) {
    free(pointer);
    return UH_SUCCESS;
}

/* Writes `size` bytes: a copy of `source`, or a repeated pattern of `pattern_size` bytes. */
struct transfer {
    const char *call;
    unsigned char *destination;
    const unsigned char *source; /* NULL: fill */
    int one_byte;                /* fill: all bytes of the pattern are the same */
    const unsigned char *block;  /* fill: FILL_BLOCK bytes of the repeated pattern */
    size_t size;
};

static void transfer_part(const struct transfer *t, size_t start, size_t size) {
    if (t->source) {
        memcpy(t->destination + start, t->source + start, size);
        return;
    }
    if (t->one_byte) {
        memset(t->destination + start, t->block[0], size);
        return;
    }
    /* Parts start at a multiple of the block, blocks at a multiple of the pattern. */
    for (size_t done = 0; done < size; done += FILL_BLOCK)
        memcpy(t->destination + start + done, t->block, size - done < FILL_BLOCK ? size - done : FILL_BLOCK);
}

static void transfer_all(const struct transfer *t, uint32_t threads) {
    size_t parts = t->size / PART_SIZE;
    if (threads == 1 || parts < MIN_PARTS) {
        if (t->size)
            transfer_part(t, 0, t->size);
        return;
    }
#pragma omp parallel for num_threads((int)threads) schedule(dynamic) default(none) shared(t) firstprivate(parts)
    for (size_t i = 0; i < parts; i++)
        transfer_part(t, i * PART_SIZE, i + 1 < parts ? PART_SIZE : t->size - i * PART_SIZE);
}

static uh_status submit_transfer(uh_queue *queue, const struct transfer *t, const struct uhi_submission *submission) {
    struct uhi_host_run run;
    UHI_TRY(uhi_host_begin(queue, submission, &run));
    transfer_all(t, uhi_host_workers(queue->options.threads));
    const unsigned long long took = uhi_host_end(submission, &run);
    if (run.traced)
        uhi_log(UH_LOG_TRACE, "%s: %zu bytes, %llu ns", t->call, t->size, took);
    return UH_SUCCESS;
}

static uh_status host_copy(uh_queue *queue, void *destination, const void *source, size_t size,
                           const struct uhi_submission *submission) {
    const struct transfer t = {.call = "uh_memcpy", .destination = destination, .source = source, .size = size};
    return submit_transfer(queue, &t, submission);
}

static uh_status host_fill(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                           const struct uhi_submission *submission) {
    unsigned char block[FILL_BLOCK];
    for (size_t i = 0; i < FILL_BLOCK; i += pattern_size)
        memcpy(block + i, pattern, pattern_size);
    const struct transfer t = {.call = "uh_fill",
                               .destination = destination,
                               .one_byte = memcmp(block, block + 1, pattern_size - 1) == 0,
                               .block = block,
                               .size = count * pattern_size};
    return submit_transfer(queue, &t, submission);
}

static uh_status event_profile(uh_event *event, uh_event_times *times) {
    *times = event->times;
    return UH_SUCCESS;
}

const struct uhi_backend uhi_backend_host = {
    .name = "host",
    .list_devices = uhi_host_list_devices,
    .free_memory = uhi_host_free_memory,
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .alloc = host_alloc,
    .free = host_free,
    .copy = host_copy,
    .fill = host_fill,
    .launch = uhi_host_launch,
    .event_profile = event_profile,
};
