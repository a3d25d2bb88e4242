/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations and their table: finds the allocation of a pointer, and checks that regions stay inside. */
#include "runtime/memory.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/backend.h"
#include "runtime/device_list.h"
#include "runtime/fork.h"
#include "runtime/grow.h"
#include "runtime/log.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum { DEFAULT_ALIGNMENT = 64, MIN_ALIGNMENT = 8 };

/* Sorted by base. Sizes are as requested; 0 still takes one byte of address space. */
static struct {
    pthread_mutex_t lock;
    uh_pointer_info *rows;
    size_t count;
    size_t room;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};
UHI_HELD_AT_FORK(table, table.lock)

/* Returns the number of rows with a base at or below `address`; only the last of these can contain it. Locked. */
static size_t rows_at_or_below(uintptr_t address) {
    size_t low = 0, high = table.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)table.rows[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the row that contains `address`, or NULL. Locked. */
static uh_pointer_info *find_row(uintptr_t address) {
    size_t i = rows_at_or_below(address);
    if (i == 0)
        return NULL;
    uh_pointer_info *row = &table.rows[i - 1];
    return address - (uintptr_t)row->base < (row->size ? row->size : 1) ? row : NULL;
}

/* Returns 0, or -1 if out of memory. */
static int insert_row(const uh_pointer_info *row) {
    int result = -1;
    pthread_mutex_lock(&table.lock);
    if (!uhi_grow(&table.rows, &table.room, table.count + 1, sizeof *table.rows))
        goto out;
    size_t i = rows_at_or_below((uintptr_t)row->base);
    memmove(&table.rows[i + 1], &table.rows[i], (table.count - i) * sizeof *table.rows);
    table.rows[i] = *row;
    table.count++;
    result = 0;
out:
    pthread_mutex_unlock(&table.lock);
    return result;
}

uh_status uh_malloc(uh_device *device, uh_memory_kind kind, size_t size, size_t alignment, void **pointer) {
    UHI_NEED(__func__, device, "a device");
    if (kind != UH_MEMORY_DEVICE && kind != UH_MEMORY_HOST && kind != UH_MEMORY_SHARED)
        return uhi_fail_argument(__func__, "kind", "is %d, expected a uh_memory_kind, 1 to %d", (int)kind,
                                 UH_MEMORY_SHARED);
    UHI_NEED(__func__, pointer, "where to store the pointer");
    if (alignment & (alignment - 1))
        return uhi_fail_argument(__func__, "alignment", "is %zu, expected a power of two, or 0 for %d", alignment,
                                 DEFAULT_ALIGNMENT);
    if (alignment == 0)
        alignment = DEFAULT_ALIGNMENT;
    if (alignment < MIN_ALIGNMENT)
        alignment = MIN_ALIGNMENT;
    void *memory = NULL;
    device = uhi_device_lead(device);
    UHI_TRY(device->backend->alloc(__func__, device, kind, size ? size : 1, alignment, &memory));
    const uh_pointer_info row = {kind, memory, size, device};
    if (insert_row(&row) != 0) {
        device->backend->free(device, memory);
        return uhi_fail_memory(__func__, "out of memory for the table of allocations");
    }
    uhi_log(UH_LOG_TRACE, "%s: %zu bytes at %p on %s", __func__, size, memory, device->properties.selector);
    *pointer = memory;
    return UH_SUCCESS;
}

uh_status uh_free(void *pointer) {
    if (!pointer)
        return UH_SUCCESS;
    uh_pointer_info found = {.kind = UH_MEMORY_UNKNOWN};
    pthread_mutex_lock(&table.lock);
    uh_pointer_info *row = find_row((uintptr_t)pointer);
    if (row)
        found = *row;
    /* Remove the row first: once the memory is free, another thread may get the same address. */
    if (row && found.base == pointer) {
        memmove(row, row + 1, (size_t)(table.rows + table.count - (row + 1)) * sizeof *row);
        table.count--;
        if (table.count == 0) {
            free(table.rows);
            table.rows = NULL;
            table.room = 0;
        }
    }
    pthread_mutex_unlock(&table.lock);
    if (!row)
        return uhi_fail_argument(__func__, "pointer", "is %p, expected the start of a live allocation", pointer);
    if (found.base != pointer)
        return uhi_fail_argument(__func__, "pointer", "is %p, %zu bytes into an allocation, expected its start %p",
                                 pointer, (size_t)((uintptr_t)pointer - (uintptr_t)found.base), found.base);
    uhi_log(UH_LOG_TRACE, "%s: %zu bytes at %p on %s", __func__, found.size, pointer,
            found.device->properties.selector);
    return found.device->backend->free(found.device, pointer);
}

void uhi_free(void *pointer) {
    struct uhi_message message;
    uhi_message_keep(&message);
    (void)uh_free(pointer);
    uhi_message_restore(&message);
}

uh_status uhi_memory_find(const uh_device *device, const void *pointer, uh_pointer_info *info) {
    uh_pointer_info found = {.kind = UH_MEMORY_UNKNOWN};
    pthread_mutex_lock(&table.lock);
    const uh_pointer_info *row = find_row((uintptr_t)pointer);
    if (row)
        found = *row;
    pthread_mutex_unlock(&table.lock);
    if (!row)
        UHI_TRY(uhi_device_find_memory(device, pointer, &found));
    *info = found;
    return UH_SUCCESS;
}

uh_status uh_pointer_type(const void *pointer, uh_pointer_info *info) {
    return info ? uhi_memory_find(NULL, pointer, info) : uhi_fail_null(__func__, "info", "where to store the answer");
}

int uhi_memory_reaches(const uh_device *device, const uh_pointer_info *info) {
    if (info->kind == UH_MEMORY_UNKNOWN || info->device->backend != device->backend ||
        info->device->context != device->context)
        return 0;
    /* Shared memory migrates between the host and its own device; access from other devices depends on the system. */
    if (info->kind != UH_MEMORY_HOST)
        return info->device->root == device->root;
    return info->device->properties.platform == device->properties.platform;
}

static int is_of_same_driver(const uh_device *a, const uh_device *b) {
    return a->backend == b->backend && a->properties.platform == b->properties.platform;
}

/* Returns whether a device's copies can reach an allocation: host memory, memory the host can reach, and memory of
 * devices of the same driver. */
static int can_copy(const uh_device *device, const uh_pointer_info *row) {
    if (is_of_same_driver(row->device, device))
        return row->device->context == device->context;
    return row->kind != UH_MEMORY_DEVICE || row->device->backend == &uhi_backend_host;
}

/* Returns whether a region that starts outside all allocations runs into one of ours, stored in `*hit`. */
static int runs_into(uintptr_t address, size_t size, uh_pointer_info *hit) {
    pthread_mutex_lock(&table.lock);
    const size_t next = rows_at_or_below(address);
    const int runs = next < table.count && size > (uintptr_t)table.rows[next].base - address;
    if (runs)
        *hit = table.rows[next];
    pthread_mutex_unlock(&table.lock);
    return runs;
}

uh_status uhi_memory_check_copy(const char *call, const char *argument, const uh_device *device, const void *pointer,
                                size_t size) {
    uintptr_t address = (uintptr_t)pointer;
    if (device && device->nparts)
        device = uhi_several_lead(device);
    if (size == 0)
        return UH_SUCCESS;
    if (!pointer)
        return uhi_fail_argument(call, argument, "is NULL, expected %zu bytes", size);
    if (size - 1 > UINTPTR_MAX - address)
        return uhi_fail_argument(call, argument, "is %p and %zu bytes, expected a region of the address space", pointer,
                                 size);
    uh_pointer_info hit = {.kind = UH_MEMORY_UNKNOWN};
    UHI_TRY(uhi_fail_of(call, uhi_memory_find(device, pointer, &hit)));
    int crosses = hit.device ? size > hit.size - (address - (uintptr_t)hit.base) : runs_into(address, size, &hit);
    if (crosses)
        return uhi_fail_argument(call, argument,
                                 "is %p and %zu bytes, which crosses the bounds of the allocation of %zu bytes at %p",
                                 pointer, size, hit.size, hit.base);
    if (!hit.device || !device || can_copy(device, &hit))
        return UH_SUCCESS;
    if (uhi_device_is_lost(hit.device))
        return uhi_fail(UH_ERROR_DEVICE_LOST, call, argument, "is %p in the memory of %s, which is lost", pointer,
                        hit.device->properties.selector);
    if (is_of_same_driver(hit.device, device))
        return uhi_fail_argument(
            call, argument,
            "is %p in memory of %s in another context than the queue's, expected memory of the queue's: "
            "make the queue in that context (uh_queue_create_from_ze)",
            pointer, hit.device->properties.selector);
    return uhi_fail_argument(call, argument,
                             "is %p in the memory of %s, expected memory that the queue's device %s can reach", pointer,
                             hit.device->properties.selector, device->properties.selector);
}

/* Neither region wraps around. */
static int overlap(const void *a, const void *b, size_t size) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return (x < y ? y - x : x - y) < size;
}

uh_status uh_memcpy(uh_queue *queue, void *destination, const void *source, size_t size,
                    const uh_submission *submission) {
    struct uhi_submission started;
    UHI_NEED(__func__, queue, "a queue");
    queue = uhi_queue_for_submission(queue);
    UHI_TRY(uhi_memory_check_copy(__func__, "destination", queue->device, destination, size));
    UHI_TRY(uhi_memory_check_copy(__func__, "source", queue->device, source, size));
    if (overlap(destination, source, size))
        return uhi_fail_argument(__func__, "source", "is %p and destination %p, expected a distance of %zu bytes",
                                 source, destination, size);
    UHI_TRY(uhi_submission_begin(__func__, queue, submission, &started));
    uh_status status = queue->device->backend->copy(queue, destination, source, size, &started);
    return uhi_submission_end(&started, status, submission);
}

uh_status uh_fill(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                  const uh_submission *submission) {
    struct uhi_submission started;
    uh_pointer_info info = {UH_MEMORY_UNKNOWN, NULL, 0, NULL};
    UHI_NEED(__func__, queue, "a queue");
    UHI_NEED(__func__, pattern, "a pattern");
    if (pattern_size == 0 || pattern_size > 16 || (pattern_size & (pattern_size - 1)))
        return uhi_fail_argument(__func__, "pattern_size", "is %zu, expected 1, 2, 4, 8 or 16", pattern_size);
    if (count > SIZE_MAX / pattern_size)
        return uhi_fail_argument(__func__, "count", "is %zu, expected at most %zu patterns of %zu bytes", count,
                                 SIZE_MAX / pattern_size, pattern_size);
    queue = uhi_queue_for_submission(queue);
    UHI_TRY(uhi_memory_check_copy(__func__, "destination", queue->device, destination, count * pattern_size));
    UHI_TRY(uhi_fail_of(__func__, uhi_memory_find(queue->device, destination, &info)));
    UHI_TRY(uhi_submission_begin(__func__, queue, submission, &started));
    const struct uhi_backend *backend = queue->device->backend;
    const int is_known = info.kind != UH_MEMORY_UNKNOWN && is_of_same_driver(info.device, queue->device);
    const int plain = backend->fill_plain && !is_known; /* to the device's driver */
    uh_status status =
        (plain ? backend->fill_plain : backend->fill)(queue, destination, pattern, pattern_size, count, &started);
    return uhi_submission_end(&started, status, submission);
}
