/* SPDX-License-Identifier: Apache-2.0 */

#include "stream.h"

/* What a driver refuses: groups and local memory beyond the limits, arguments that are missing. */
static ze_result_t check(const char *call, const struct soft_kernel *kernel, const struct soft_list *list) {
    const struct soft_launch *launch = kernel->launch;
    uint64_t local = kernel->local_size;
    for (uint32_t i = 0; i < kernel->description->count; i++) {
        if (!kernel->argument_set[i])
            return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "argument %u of %s is not set", i,
                               kernel->description->name);
        if (kernel->description->parameters[i].kind == UHI_PARAMETER_LOCAL)
            local = launch->argument_size[i] > UINT64_MAX - local ? UINT64_MAX : local + launch->argument_size[i];
    }
    if (local > soft_settings.slm)
        return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    if (!kernel->group_set)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "the group size of %s is not set",
                           kernel->description->name);
    if (launch->local[0] * launch->local[1] * launch->local[2] > soft_settings.group)
        return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
    if (list->copy_only)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, call, "the list takes copies only");
    if (kernel->module->context != list->context || kernel->module->device->root != list->device->root)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "the kernel is of another device or context");
    return ZE_RESULT_SUCCESS;
}

/* The command holds the allocations that its arguments point into. */
static ze_result_t use_arguments(const char *call, struct soft_work *work, const struct soft_kernel *kernel) {
    ze_result_t result = ZE_RESULT_SUCCESS;
    pthread_mutex_lock(&soft_lock);
    for (uint32_t i = 0; !result && i < kernel->description->count; i++) {
        const void *pointer;
        struct soft_memory *memory;
        if (kernel->description->parameters[i].kind != UHI_PARAMETER_POINTER)
            continue;
        memcpy(&pointer, kernel->launch->values + kernel->launch->argument_offset[i], sizeof pointer);
        if (!pointer)
            continue;
        result = soft_memory_check(call, pointer, 1, kernel->module->context, kernel->module->device, false, &memory);
        if (!result && !kernel->module->wide && memory->size > soft_settings.max_alloc)
            result = soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call,
                                 "the module of %s was not built for an allocation of %zu bytes",
                                 kernel->description->name, memory->size);
        if (!result && !soft_work_use(work, &memory->object))
            result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    pthread_mutex_unlock(&soft_lock);
    return result;
}

static struct soft_launch *capture(const struct soft_launch *set, const ze_group_count_t *groups) {
    const uint32_t counts[3] = {groups->groupCountX, groups->groupCountY, groups->groupCountZ};
    struct soft_launch *launch = malloc(sizeof *launch + set->values_size);
    if (!launch)
        return NULL;
    memcpy(launch, set, sizeof *launch + set->values_size);
    for (int i = 0; i < 3; i++)
        launch->global[i] = counts[i] * launch->local[i];
    return launch;
}

ze_result_t zeCommandListAppendLaunchKernel(ze_command_list_handle_t hCommandList, ze_kernel_handle_t hKernel,
                                            const ze_group_count_t *pLaunchFuncArgs, ze_event_handle_t hSignalEvent,
                                            uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents) {
    SOFT_CALL(list, hCommandList, list);
    SOFT_GET(kernel, hKernel, kernel);
    SOFT_POINTER(pLaunchFuncArgs);
    struct soft_work *work = NULL;
    ze_result_t result = check(__func__, kernel, list);
    if (!result)
        result = soft_work_new(__func__, SOFT_WORK_LAUNCH, hSignalEvent, numWaitEvents, phWaitEvents, &work);
    if (result)
        return result;
    work->launch = capture(kernel->launch, pLaunchFuncArgs);
    result = work->launch && soft_work_use(work, &kernel->object) ? use_arguments(__func__, work, kernel)
                                                                  : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    return soft_stream_submit(list->stream, work, result);
}

/* ---- launches of many groups that lose what one of them has written: of each allocation that the kernel was given,
 * the last cache line that the launch has changed is as it was before ---- */

enum { LINE = 64 };
#define MAX_SIZE ((size_t)256 << 20) /* larger allocations are left alone */

/* A copy of an allocation, as it was. */
struct copy {
    struct soft_memory *memory;
    char *bytes;
};

static bool is_torn(const struct soft_launch *launch) {
    uint64_t groups = 1;
    for (int i = 0; i < 3; i++)
        groups *= launch->local[i] ? launch->global[i] / launch->local[i] : 1;
    return soft_settings.torn && groups >= soft_settings.torn &&
           strstr(launch->description->name, soft_settings.torn_in) != NULL;
}

static void lose_last_line(const struct copy *copy) {
    char *now = copy->memory->base;
    size_t end = copy->memory->size;
    while (end > 0) {
        const size_t begin = (end - 1) / LINE * LINE;
        if (memcmp(now + begin, copy->bytes + begin, end - begin) != 0) {
            memcpy(now + begin, copy->bytes + begin, end - begin);
            return;
        }
        end = begin;
    }
}

ze_result_t soft_torn_run(struct soft_stream *stream, struct soft_work *work) {
    struct copy *copies = is_torn(work->launch) ? calloc(work->nused + 1, sizeof *copies) : NULL;
    size_t count = 0;
    for (size_t i = 0; copies && i < work->nused; i++) {
        struct soft_memory *memory = (struct soft_memory *)work->used[i];
        if (work->used[i]->kind != SOFT_KIND_memory || memory->size > MAX_SIZE)
            continue;
        copies[count] = (struct copy){memory, malloc(memory->size)};
        if (copies[count].bytes)
            memcpy(copies[count++].bytes, memory->base, memory->size);
    }
    const ze_result_t result = soft_pace_run(stream, work->launch);
    while (count > 0) {
        lose_last_line(&copies[--count]);
        free(copies[count].bytes);
    }
    free(copies);
    return result;
}
