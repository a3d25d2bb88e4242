/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and their submission. */
#include <stdlib.h>
#include <string.h>

#include "runtime/backend.h"
#include "runtime/event.h"
#include "runtime/status.h"

uh_status uh_kernel_create_host(const char *name, uh_host_function function, uh_kernel **kernel) {
    if (!name)
        return uhi_fail_null(__func__, "name", "the kernel's name");
    if (!function)
        return uhi_fail_null(__func__, "function", "a function");
    if (!kernel)
        return uhi_fail_null(__func__, "kernel", "where to store the kernel");
    uh_kernel *made = calloc(1, sizeof *made);
    char *copy = strdup(name);
    if (!made || !copy) {
        free(made);
        free(copy);
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: out of memory for a kernel", __func__);
    }
    made->backend = &uhi_backend_host;
    made->function = function;
    made->name = copy;
    *kernel = made;
    return UH_SUCCESS;
}

uh_status uh_kernel_destroy(uh_kernel *kernel) {
    if (!kernel)
        return UH_SUCCESS;
    free(kernel->name);
    free(kernel);
    return UH_SUCCESS;
}

const char *uh_kernel_name(const uh_kernel *kernel) {
    return kernel ? kernel->name : NULL;
}

static uh_status check_local_sizes(const char *call, const uh_device *device, const struct uhi_range *range) {
    uint64_t most = device->properties.max_group_size;
    uint64_t group = 1;
    for (uint32_t d = 0; d < range->dims; d++) {
        if (range->local[d] == 0)
            continue;
        if (range->local[d] > most / group)
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT,
                            "%s: range->local[%u] is %zu, which makes a work-group of more than %llu work-items, the "
                            "most of %s",
                            call, (unsigned)d, range->local[d], (unsigned long long)most, device->properties.selector);
        group *= range->local[d];
    }
    return UH_SUCCESS;
}

/* Checks the range and fills in the unused dimensions. */
static uh_status read_range(const char *call, const uh_device *device, const uh_nd_range *given,
                            struct uhi_range *range) {
    if (given->dims < 1 || given->dims > 3)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: range->dims is %u, expected 1 to 3", call,
                        (unsigned)given->dims);
    range->dims = given->dims;
    size_t items = 1;
    for (uint32_t d = 0; d < 3; d++) {
        int used = d < given->dims;
        range->global[d] = used ? given->global[d] : 1;
        range->local[d] = used ? given->local[d] : 1;
        range->offset[d] = used ? given->offset[d] : 0;
        if (range->offset[d] > SIZE_MAX - range->global[d])
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT,
                            "%s: range->global[%u] is %zu with offset %zu, expected their sum to be at most %zu", call,
                            (unsigned)d, range->global[d], range->offset[d], SIZE_MAX);
        if (items && range->global[d] > SIZE_MAX / items)
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT,
                            "%s: range->global[%u] is %zu, which makes more than %zu work-items", call, (unsigned)d,
                            range->global[d], SIZE_MAX);
        items *= range->global[d];
    }
    return check_local_sizes(call, device, range);
}

static uh_status check_arguments(const char *call, const uh_device *device, const uh_arg *args, size_t nargs) {
    uint64_t local = 0;
    for (size_t i = 0; i < nargs; i++) {
        if (args[i].kind == UH_ARG_POINTER)
            continue;
        if (args[i].kind != UH_ARG_VALUE && args[i].kind != UH_ARG_LOCAL)
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT,
                            "%s: args[%zu].kind is %d, expected UH_ARG_VALUE, UH_ARG_POINTER or UH_ARG_LOCAL", call, i,
                            (int)args[i].kind);
        if (args[i].size == 0)
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: args[%zu].size is 0, expected at least 1", call, i);
        if (args[i].kind == UH_ARG_VALUE) {
            if (!args[i].value)
                return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: args[%zu].value is NULL, expected a value of %zu bytes",
                                call, i, args[i].size);
            continue;
        }
        if (args[i].size > device->properties.local_memory - local)
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT,
                            "%s: args[%zu].size is %zu, which makes more than %llu bytes of local memory, the most of "
                            "%s",
                            call, i, args[i].size, (unsigned long long)device->properties.local_memory,
                            device->properties.selector);
        local += args[i].size;
    }
    return UH_SUCCESS;
}

uh_status uh_parallel_for(uh_queue *queue, const uh_kernel *kernel, const uh_nd_range *range, const uh_arg *args,
                          size_t nargs, uh_event *const *deps, size_t ndeps, uh_event **event) {
    struct uhi_submission submission;
    struct uhi_range whole;
    if (!queue)
        return uhi_fail_null(__func__, "queue", "a queue");
    if (!kernel)
        return uhi_fail_null(__func__, "kernel", "a kernel");
    if (!range)
        return uhi_fail_null(__func__, "range", "an index space");
    if (nargs && !args)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: args is NULL, expected %zu arguments", __func__, nargs);
    const uh_device *device = queue->device;
    if (kernel->backend != device->backend)
        return uhi_fail(UH_ERROR_UNSUPPORTED, "%s: kernel is \"%.64s\", which runs on %s, expected one for %s",
                        __func__, kernel->name, kernel->backend->name, device->properties.selector);
    uh_status status = read_range(__func__, device, range, &whole);
    if (status == UH_SUCCESS)
        status = check_arguments(__func__, device, args, nargs);
    if (status == UH_SUCCESS)
        status = uhi_submission_begin(__func__, queue, deps, ndeps, event, &submission);
    if (status != UH_SUCCESS)
        return status;
    status = device->backend->launch(queue, kernel, &whole, args, nargs, &submission);
    return uhi_submission_end(&submission, status, event);
}
