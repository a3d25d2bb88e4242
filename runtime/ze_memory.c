/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the Level Zero backend: allocations, copies and fills. */
#include <string.h>

#include "runtime/ze.h"

/* Returns the extension of an allocation's descriptor: relaxed limits if the size exceeds them, otherwise NULL. */
static const void *relax(const uh_device *device, size_t size) {
    static const ze_relaxed_allocation_limits_exp_desc_t relaxed = {
        .stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC,
        .flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE};
    return device->plain_allocation && size > device->plain_allocation ? &relaxed : NULL;
}

static ze_result_t allocate(const uh_device *owner, uh_memory_kind kind, size_t size, size_t alignment,
                            void **pointer) {
    const struct uhi_ze_device *native = uhi_ze_device(owner);
    const void *next = relax(owner, size);
    ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .pNext = next};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    if (kind == UH_MEMORY_HOST)
        host.pNext = next;
    switch (kind) {
    case UH_MEMORY_DEVICE:
        return UHI_ZE_TRY(zeMemAllocDevice, native->context, &device, size, alignment, native->device, pointer);
    case UH_MEMORY_HOST: return UHI_ZE_TRY(zeMemAllocHost, native->context, &host, size, alignment, pointer);
    default:
        return UHI_ZE_TRY(zeMemAllocShared, native->context, &device, &host, size, alignment, native->device, pointer);
    }
}

uh_status uhi_ze_alloc(const char *call, uh_device *device, uh_memory_kind kind, size_t size, size_t alignment,
                       void **pointer) {
    struct uhi_ze_device *native = uhi_ze_device(device);
    static const char *const functions[] = {[UH_MEMORY_DEVICE] = "zeMemAllocDevice",
                                            [UH_MEMORY_HOST] = "zeMemAllocHost",
                                            [UH_MEMORY_SHARED] = "zeMemAllocShared"};
    const uh_device_properties *p = &device->properties;
    void *made = NULL;
    UHI_TRY(uhi_ze_check_lost(call, device));
    /* Not all drivers check. */
    int too_large = kind != UH_MEMORY_HOST && size > p->max_allocation;
    ze_result_t result = too_large ? ZE_RESULT_ERROR_UNSUPPORTED_SIZE : allocate(device, kind, size, alignment, &made);
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_SIZE || result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)
        return uhi_fail(
            UH_ERROR_OUT_OF_DEVICE_MEMORY, call, "size",
            "is %zu, more than %s (%s) allocates: it has %llu bytes of memory and allows at most %llu in one "
            "allocation; %s%s%s",
            size, p->selector, p->name, (unsigned long long)p->memory, (unsigned long long)p->max_allocation,
            functions[kind], too_large ? " was not called" : " gave ", too_large ? "" : uhi_ze_result_name(result));
    /* Intel's driver accepts any power of two, but aligns to its own pages at most. */
    if (result == ZE_RESULT_SUCCESS && (uintptr_t)made % alignment != 0) {
        UHI_ZE_TRY(zeMemFree, native->context, made);
        result = ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    }
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT)
        return uhi_fail(UH_ERROR_UNSUPPORTED, call, "alignment", "is %zu, more than the driver of %s allocates",
                        alignment, p->selector);
    UHI_TRY(uhi_ze_note_loss(device, uhi_ze_check(call, result, functions[kind], UHI_ZE_FILE, __LINE__)));
    atomic_fetch_add(&native->children, 1);
    *pointer = made;
    return UH_SUCCESS;
}

uh_status uhi_ze_free(uh_device *device, void *pointer) {
    struct uhi_ze_device *native = uhi_ze_device(device);
    ze_result_t result =
        uhi_ze_is_given_up(native) ? ZE_RESULT_ERROR_DEVICE_LOST : UHI_ZE_TRY(zeMemFree, native->context, pointer);
    atomic_fetch_sub(&native->children, 1);
    /* The memory of a lost device is lost with it. */
    if (uhi_ze_is_lost(device) || result == ZE_RESULT_ERROR_DEVICE_LOST) {
        uhi_ze_lose(native);
        return UH_SUCCESS;
    }
    return uhi_ze_check("uh_free", result, "zeMemFree", UHI_ZE_FILE, __LINE__);
}

/* ---- copies and fills ------------------------------------------------------------------------------------------- */

static uh_status append_copy(const char *call, uh_queue *queue, void *destination, const void *source, size_t size,
                             const struct uhi_submission *submission) {
    struct uhi_ze_append append;
    UHI_TRY(uhi_ze_append_begin(call, queue, submission, &append));
    uh_status status = UHI_ZE(call, zeCommandListAppendMemoryCopy, uhi_ze_queue(queue)->list, destination, source, size,
                              append.signal, append.nwaits, append.waits);
    return uhi_ze_append_end(queue, submission, &append, status);
}

uh_status uhi_ze_copy(uh_queue *queue, void *destination, const void *source, size_t size,
                      const struct uhi_submission *submission) {
    if (size == 0)
        return uhi_ze_append_nothing("uh_memcpy", queue, submission);
    return append_copy("uh_memcpy", queue, destination, source, size, submission);
}

static uh_status append_fill(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t size,
                             const struct uhi_submission *submission) {
    struct uhi_ze_append append;
    UHI_TRY(uhi_ze_append_begin("uh_fill", queue, submission, &append));
    uh_status status = UHI_ZE("uh_fill", zeCommandListAppendMemoryFill, uhi_ze_queue(queue)->list, destination, pattern,
                              pattern_size, size, append.signal, append.nwaits, append.waits);
    return uhi_ze_append_end(queue, submission, &append, status);
}

/* Fills with one-byte fills and copies only, for patterns that the engine does not take and destinations not aligned to
 * the pattern: writes the first pattern, then doubles the filled part until done. */
static uh_status fill_by_doubling(uh_queue *queue, unsigned char *destination, const unsigned char *pattern,
                                  size_t pattern_size, size_t size, const struct uhi_submission *submission) {
    struct uhi_submission first = {submission->deps, submission->ndeps, NULL};
    const struct uhi_submission middle = {NULL, 0, NULL};
    const struct uhi_submission last = {NULL, 0, submission->event};
    for (size_t i = 0, run; i < pattern_size; i += run) {
        for (run = 1; i + run < pattern_size && pattern[i + run] == pattern[i];)
            run++;
        int ends = i + run == pattern_size && size == pattern_size;
        UHI_TRY(append_fill(queue, destination + i, pattern + i, 1, run, i == 0 ? &first : ends ? &last : &middle));
    }
    for (size_t done = pattern_size, part; done < size; done += part) {
        part = size - done < done ? size - done : done;
        UHI_TRY(append_copy("uh_fill", queue, destination + done, destination, part,
                            done + part == size ? &last : &middle));
    }
    return UH_SUCCESS;
}

/* Intel's driver refuses memory unknown to it, so the host fills it after all earlier work. */
uh_status uhi_ze_fill_plain(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                            const struct uhi_submission *submission) {
    struct uhi_submission before = {submission->deps, submission->ndeps, NULL};
    const struct uhi_submission after = {NULL, 0, submission->event};
    unsigned char *to = destination, bytes[16];
    memcpy(bytes, pattern, pattern_size); /* it may lie in the destination */
    UHI_TRY(uhi_ze_append_nothing("uh_fill", queue, &before));
    UHI_TRY(uhi_ze_queue_finish("uh_fill", queue));
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * pattern_size, bytes, pattern_size);
    return uhi_ze_append_nothing("uh_fill", queue, &after);
}

uh_status uhi_ze_fill(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                      const struct uhi_submission *submission) {
    size_t size = pattern_size * count;
    unsigned char bytes[16];
    memcpy(bytes, pattern, pattern_size);
    if (size == 0)
        return uhi_ze_append_nothing("uh_fill", queue, submission);
    if (memcmp(bytes, bytes + 1, pattern_size - 1) == 0)
        return append_fill(queue, destination, bytes, 1, size, submission);
    if (pattern_size <= uhi_ze_queue(queue)->engine->fill_pattern && (uintptr_t)destination % pattern_size == 0)
        return append_fill(queue, destination, bytes, pattern_size, size, submission);
    return fill_by_doubling(queue, destination, bytes, pattern_size, size, submission);
}
