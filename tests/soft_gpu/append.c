/* SPDX-License-Identifier: Apache-2.0 */
/* Appending commands, all but launches. Values are captured here; memory is read and written when the command runs. */
#include <stdlib.h>
#include <string.h>

#include "list.h"

/* Notes the allocation that a command uses; NULL for host memory. */
static ze_result_t use_memory(const char *call, struct soft_work *work, const struct soft_list *list,
                              const void *pointer, size_t size) {
    struct soft_memory *memory = NULL;
    pthread_mutex_lock(&soft_lock);
    ze_result_t result = soft_memory_check(call, pointer, size, list->context, list->device, true, &memory);
    if (!result && memory && !soft_work_use(work, &memory->object))
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_unlock(&soft_lock);
    return result;
}

static ze_result_t append_or_drop(const char *call, struct soft_list *list, struct soft_work *work,
                                  ze_result_t result) {
    if (!result)
        return soft_list_append(call, list, work);
    soft_unreference(&work->object);
    return result;
}

ze_result_t zeCommandListAppendBarrier(ze_command_list_handle_t hCommandList, ze_event_handle_t hSignalEvent,
                                       uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    struct soft_work *work = NULL;
    ze_result_t result = soft_work_new(__func__, SOFT_WORK_BARRIER, hSignalEvent, numWaitEvents, phWaitEvents, &work);
    return result ? result : soft_list_append(__func__, list, work);
}

ze_result_t zeCommandListAppendMemoryRangesBarrier(ze_command_list_handle_t hCommandList, uint32_t numRanges,
                                                   const size_t *pRangeSizes, const void **pRanges,
                                                   ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                   ze_event_handle_t *phWaitEvents) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    SOFT_POINTER(pRangeSizes);
    SOFT_POINTER(pRanges);
    if (!numRanges)
        return ZE_RESULT_ERROR_INVALID_SIZE;
    struct soft_work *work = NULL;
    ze_result_t result = soft_work_new(__func__, SOFT_WORK_BARRIER, hSignalEvent, numWaitEvents, phWaitEvents, &work);
    return result ? result : soft_list_append(__func__, list, work);
}

static ze_result_t append_copy(const char *call, struct soft_list *list, void *destination, const void *source,
                               size_t size, ze_event_handle_t signal, uint32_t nwaits, ze_event_handle_t *waits) {
    struct soft_work *work = NULL;
    ze_result_t result = soft_work_new(call, SOFT_WORK_COPY, signal, nwaits, waits, &work);
    if (result)
        return result;
    work->destination = destination;
    work->source = source;
    work->size = size;
    result = use_memory(call, work, list, destination, size);
    if (!result)
        result = use_memory(call, work, list, source, size);
    return append_or_drop(call, list, work, result);
}

ze_result_t zeCommandListAppendMemoryCopy(ze_command_list_handle_t hCommandList, void *dstptr, const void *srcptr,
                                          size_t size, ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                          ze_event_handle_t *phWaitEvents) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    SOFT_POINTER(dstptr);
    SOFT_POINTER(srcptr);
    return append_copy(__func__, list, dstptr, srcptr, size, hSignalEvent, numWaitEvents, phWaitEvents);
}

ze_result_t zeCommandListAppendMemoryCopyFromContext(ze_command_list_handle_t hCommandList, void *dstptr,
                                                     ze_context_handle_t hContextSrc, const void *srcptr, size_t size,
                                                     ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                     ze_event_handle_t *phWaitEvents) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    SOFT_GET(context, hContextSrc, context);
    SOFT_POINTER(dstptr);
    SOFT_POINTER(srcptr);
    if (context != list->context)
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    return append_copy(__func__, list, dstptr, srcptr, size, hSignalEvent, numWaitEvents, phWaitEvents);
}

/* The bytes from the first to the last of a region whose rows and slices lie `pitch` and `slice` apart. */
static size_t extent(const struct soft_region *region, size_t pitch, size_t slice) {
    if (!region->width || !region->height || !region->depth)
        return 0;
    return (region->depth - 1) * slice + (region->height - 1) * pitch + region->width;
}

static size_t origin(const ze_copy_region_t *region, size_t pitch, size_t slice) {
    return region->originZ * slice + region->originY * pitch + region->originX;
}

ze_result_t zeCommandListAppendMemoryCopyRegion(ze_command_list_handle_t hCommandList, void *dstptr,
                                                const ze_copy_region_t *dstRegion, uint32_t dstPitch,
                                                uint32_t dstSlicePitch, const void *srcptr,
                                                const ze_copy_region_t *srcRegion, uint32_t srcPitch,
                                                uint32_t srcSlicePitch, ze_event_handle_t hSignalEvent,
                                                uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    SOFT_POINTER(dstptr);
    SOFT_POINTER(dstRegion);
    SOFT_POINTER(srcptr);
    SOFT_POINTER(srcRegion);
    if (dstRegion->width != srcRegion->width || dstRegion->height != srcRegion->height ||
        dstRegion->depth != srcRegion->depth)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_SIZE, __func__, "the regions differ in size");
    struct soft_work *work = NULL;
    ze_result_t result =
        soft_work_new(__func__, SOFT_WORK_COPY_REGION, hSignalEvent, numWaitEvents, phWaitEvents, &work);
    if (result)
        return result;
    work->region = (struct soft_region){.width = dstRegion->width,
                                        .height = dstRegion->height,
                                        .depth = dstRegion->depth ? dstRegion->depth : 1,
                                        .destination_pitch = dstPitch,
                                        .destination_slice = dstSlicePitch,
                                        .source_pitch = srcPitch,
                                        .source_slice = srcSlicePitch};
    work->destination = (char *)dstptr + origin(dstRegion, dstPitch, dstSlicePitch);
    work->source = (const char *)srcptr + origin(srcRegion, srcPitch, srcSlicePitch);
    result = use_memory(__func__, work, list, work->destination, extent(&work->region, dstPitch, dstSlicePitch));
    if (!result)
        result = use_memory(__func__, work, list, work->source, extent(&work->region, srcPitch, srcSlicePitch));
    return append_or_drop(__func__, list, work, result);
}

ze_result_t zeCommandListAppendMemoryFill(ze_command_list_handle_t hCommandList, void *ptr, const void *pattern,
                                          size_t pattern_size, size_t size, ze_event_handle_t hSignalEvent,
                                          uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    SOFT_POINTER(ptr);
    SOFT_POINTER(pattern);
    uint64_t most = list->copy_only ? soft_settings.copy_fill_pattern : soft_settings.fill_pattern;
    if (pattern_size == 0 || (pattern_size & (pattern_size - 1)) || pattern_size > most)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_SIZE, __func__,
                           "pattern_size is %zu, expected a power of two up to %u", pattern_size, (unsigned)most);
    if (size % pattern_size)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_SIZE, __func__, "size is %zu, no multiple of the pattern's %zu",
                           size, pattern_size);
    struct soft_work *work = NULL;
    ze_result_t result = soft_work_new(__func__, SOFT_WORK_FILL, hSignalEvent, numWaitEvents, phWaitEvents, &work);
    if (result)
        return result;
    work->destination = ptr;
    work->size = size;
    work->pattern_size = pattern_size;
    memcpy(work->pattern, pattern, pattern_size);
    return append_or_drop(__func__, list, work, use_memory(__func__, work, list, ptr, size));
}

/* What moves nothing here, as memory is in one place. */
static ze_result_t append_hint(const char *call, struct soft_list *list, const void *pointer, size_t size) {
    struct soft_work *work = NULL;
    ze_result_t result = soft_work_new(call, SOFT_WORK_SIGNAL, NULL, 0, NULL, &work);
    if (result)
        return result;
    pthread_mutex_lock(&soft_lock);
    bool known = soft_memory_find(pointer) != NULL;
    pthread_mutex_unlock(&soft_lock);
    result = known ? use_memory(call, work, list, pointer, size)
                   : soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "%p is in no allocation", pointer);
    return append_or_drop(call, list, work, result);
}

ze_result_t zeCommandListAppendMemoryPrefetch(ze_command_list_handle_t hCommandList, const void *ptr, size_t size) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    SOFT_POINTER(ptr);
    return append_hint(__func__, list, ptr, size);
}

ze_result_t zeCommandListAppendMemAdvise(ze_command_list_handle_t hCommandList, ze_device_handle_t hDevice,
                                         const void *ptr, size_t size, ze_memory_advice_t advice) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    SOFT_GET(device, hDevice, device);
    SOFT_POINTER(ptr);
    if ((unsigned)advice > ZE_MEMORY_ADVICE_BIAS_UNCACHED)
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    return append_hint(__func__, list, ptr, size);
}

ze_result_t zeCommandListAppendSignalEvent(ze_command_list_handle_t hCommandList, ze_event_handle_t hEvent) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    SOFT_GET(event, hEvent, event);
    struct soft_work *work = NULL;
    ze_result_t result = soft_work_new(__func__, SOFT_WORK_SIGNAL, hEvent, 0, NULL, &work);
    return result ? result : soft_list_append(__func__, list, work);
}

ze_result_t zeCommandListAppendEventReset(ze_command_list_handle_t hCommandList, ze_event_handle_t hEvent) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    SOFT_GET(event, hEvent, event);
    struct soft_work *work = NULL;
    ze_result_t result = soft_work_new(__func__, SOFT_WORK_RESET, hEvent, 0, NULL, &work);
    return result ? result : soft_list_append(__func__, list, work);
}

/* Holds back what follows, as a barrier on those events does. */
ze_result_t zeCommandListAppendWaitOnEvents(ze_command_list_handle_t hCommandList, uint32_t numEvents,
                                            ze_event_handle_t *phEvents) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    SOFT_POINTER(phEvents);
    if (!numEvents)
        return ZE_RESULT_ERROR_INVALID_SIZE;
    struct soft_work *work = NULL;
    ze_result_t result = soft_work_new(__func__, SOFT_WORK_BARRIER, NULL, numEvents, phEvents, &work);
    return result ? result : soft_list_append(__func__, list, work);
}

ze_result_t zeCommandListAppendWriteGlobalTimestamp(ze_command_list_handle_t hCommandList, uint64_t *dstptr,
                                                    ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                    ze_event_handle_t *phWaitEvents) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    SOFT_POINTER(dstptr);
    struct soft_work *work = NULL;
    ze_result_t result = soft_work_new(__func__, SOFT_WORK_TIMESTAMP, hSignalEvent, numWaitEvents, phWaitEvents, &work);
    if (result)
        return result;
    work->destination = dstptr;
    return append_or_drop(__func__, list, work, use_memory(__func__, work, list, dstptr, sizeof *dstptr));
}

/* Notes the events to be read, and where their times go. */
static ze_result_t use_queried(const char *call, struct soft_work *work, const struct soft_list *list, uint32_t nevents,
                               ze_event_handle_t *events, const size_t *offsets) {
    work->queried = calloc(nevents, sizeof(struct soft_event *));
    if (offsets)
        work->offsets = malloc(nevents * sizeof *offsets);
    if (!work->queried || (offsets && !work->offsets))
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (offsets)
        memcpy(work->offsets, offsets, nevents * sizeof *offsets);
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; !result && i < nevents; i++) {
        struct soft_event *event = soft_get(events[i], SOFT_KIND_event, call);
        if (!event)
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        if (!soft_work_use(work, &event->object))
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        work->queried[work->nqueried++] = event;
        size_t offset = offsets ? offsets[i] : i * sizeof(ze_kernel_timestamp_result_t);
        result = use_memory(call, work, list, (char *)work->destination + offset, sizeof(ze_kernel_timestamp_result_t));
    }
    return result;
}

ze_result_t zeCommandListAppendQueryKernelTimestamps(ze_command_list_handle_t hCommandList, uint32_t numEvents,
                                                     ze_event_handle_t *phEvents, void *dstptr, const size_t *pOffsets,
                                                     ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                     ze_event_handle_t *phWaitEvents) {
    SOFT_ENTER(SOFT_DEVICE);
    SOFT_GET(list, hCommandList, list);
    SOFT_POINTER(phEvents);
    SOFT_POINTER(dstptr);
    struct soft_work *work = NULL;
    ze_result_t result = soft_work_new(__func__, SOFT_WORK_QUERY, hSignalEvent, numWaitEvents, phWaitEvents, &work);
    if (result)
        return result;
    work->destination = dstptr;
    return append_or_drop(__func__, list, work, use_queried(__func__, work, list, numEvents, phEvents, pOffsets));
}
