/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and their submission. */
#include <stdlib.h>
#include <string.h>

#include "runtime/backend.h"
#include "runtime/memory.h"
#include "runtime/module.h"
#include "runtime/queue.h"
#include "runtime/spirv.h"
#include "runtime/status.h"

uh_status uh_kernel_create_host(const char *name, uh_host_function function, uh_kernel **kernel) {
    UHI_NEED(__func__, name, "the kernel's name");
    UHI_NEED(__func__, function, "a function");
    UHI_NEED(__func__, kernel, "where to store the kernel");
    uh_kernel *made = calloc(1, sizeof *made);
    char *copy = strdup(name);
    if (!made || !copy) {
        free(made);
        free(copy);
        return uhi_fail_memory(__func__, "out of memory for a kernel");
    }
    made->backend = &uhi_backend_host;
    made->properties.struct_size = sizeof made->properties;
    made->function = function;
    made->name = copy;
    *kernel = made;
    return UH_SUCCESS;
}

void uh_kernel_destroy(uh_kernel *kernel) {
    if (!kernel || kernel->module)
        return;
    free(kernel->name);
    free(kernel);
}

uh_status uh_kernel_get_properties(const uh_kernel *kernel, uh_kernel_properties *properties) {
    UHI_NEED(__func__, kernel, "a kernel");
    return uhi_sized_fill(__func__, properties, &kernel->properties, sizeof *properties);
}

static uh_status check_local_sizes(const char *call, const uh_device *device, const uh_kernel *kernel,
                                   const struct uhi_range *range) {
    uint64_t max = device->properties.max_group_size;
    uint64_t group = 1;
    if (kernel->module && kernel->properties.max_group_size < max)
        max = kernel->properties.max_group_size;
    for (uint32_t d = 0; d < range->dims; d++) {
        if (range->local[d] == 0)
            continue;
        if (range->local[d] > max / group)
            return uhi_fail_at(
                UH_ERROR_INVALID_ARGUMENT, call, "range->local", d,
                "is %zu, which makes a work-group of more than %llu work-items, the maximum of kernel \"%.64s\" on %s",
                range->local[d], (unsigned long long)max, kernel->name, device->properties.selector);
        group *= range->local[d];
    }
    return UH_SUCCESS;
}

/* Checks the additional requirements of a module's kernel on a range. */
static uh_status check_groups(const char *call, const uh_kernel *kernel, const struct uhi_range *range) {
    const uint32_t *required = kernel->properties.required_group_size;
    for (uint32_t d = 0; d < 3; d++) {
        size_t local = range->local[d];
        if (local && required[0] && local != required[d])
            return uhi_fail_argument(call, "range->local",
                                     "is %zu, %zu, %zu, expected %u, %u, %u, which kernel \"%.64s\" requires",
                                     range->local[0], range->local[1], range->local[2], (unsigned)required[0],
                                     (unsigned)required[1], (unsigned)required[2], kernel->name);
        if (local && range->global[d] % local)
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "range->global", d,
                               "is %zu, expected a multiple of range->local[%u], which is %zu", range->global[d],
                               (unsigned)d, local);
        if (local && range->global[d] / local > UINT32_MAX)
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "range->global", d,
                               "is %zu, which makes %zu work-groups of %zu work-items, expected at most %u",
                               range->global[d], range->global[d] / local, local, UINT32_MAX);
    }
    return UH_SUCCESS;
}

/* Checks the range and fills in the unused dimensions. */
static uh_status read_range(const char *call, const uh_device *device, const uh_kernel *kernel,
                            const uh_nd_range *given, struct uhi_range *range) {
    if (given->dims < 1 || given->dims > 3)
        return uhi_fail_argument(call, "range->dims", "is %u, expected 1 to 3", (unsigned)given->dims);
    range->dims = given->dims;
    size_t items = 1;
    for (uint32_t d = 0; d < 3; d++) {
        int used = d < given->dims;
        range->global[d] = used ? given->global[d] : 1;
        range->local[d] = used ? given->local[d] : 1;
        range->offset[d] = used ? given->offset[d] : 0;
        if (range->offset[d] > SIZE_MAX - range->global[d])
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "range->global", d,
                               "is %zu with offset %zu, expected their sum to be at most %zu", range->global[d],
                               range->offset[d], SIZE_MAX);
        if (items && range->global[d] > SIZE_MAX / items)
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "range->global", d,
                               "is %zu, which makes more than %zu work-items", range->global[d], SIZE_MAX);
        items *= range->global[d];
    }
    uh_status status = check_local_sizes(call, device, kernel, range);
    if (!status && kernel->module)
        status = check_groups(call, kernel, range);
    return status;
}

static uh_status check_arguments(const char *call, const uh_device *device, const uh_kernel *kernel, const uh_arg *args,
                                 size_t nargs) {
    uint64_t max = device->properties.local_memory;
    uint64_t local = kernel->properties.local_memory;
    for (size_t i = 0; i < nargs; i++) {
        if (args[i].kind == UH_ARG_POINTER)
            continue;
        if (args[i].kind != UH_ARG_VALUE && args[i].kind != UH_ARG_LOCAL)
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "args", i, "kind",
                                   "is %d, expected UH_ARG_VALUE, UH_ARG_POINTER or UH_ARG_LOCAL", (int)args[i].kind);
        if (args[i].size == 0)
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "args", i, "size", "is 0, expected at least 1");
        if (args[i].kind == UH_ARG_VALUE) {
            if (!args[i].value)
                return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "args", i, "value",
                                       "is NULL, expected a value of %zu bytes", args[i].size);
            continue;
        }
        if (local > max || args[i].size > max - local)
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "args", i, "size",
                                   "is %zu, which makes more than %llu bytes of local memory, the maximum of %s",
                                   args[i].size, (unsigned long long)max, device->properties.selector);
        local += args[i].size;
    }
    return UH_SUCCESS;
}

/* Checks an argument against the program's declaration. */
static uh_status check_parameter(const char *call, const uh_kernel *kernel, const uh_arg *arg, size_t index) {
    static const char *const args[] = {"a value", "a pointer", "local memory"};
    static const char *const parameters[] = {NULL, "a value", "a pointer", "local memory"};
    static const enum uhi_parameter_kind fits[] = {UHI_PARAMETER_VALUE, UHI_PARAMETER_POINTER, UHI_PARAMETER_LOCAL};
    const struct uhi_parameter *p = &kernel->signature->parameters[index];
    if (p->kind == UHI_PARAMETER_OTHER)
        return UH_SUCCESS;
    if (p->kind != fits[arg->kind])
        return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "args", index,
                           "is %s, expected %s as kernel \"%.64s\" declares it", args[arg->kind], parameters[p->kind],
                           kernel->name);
    if (p->kind == UHI_PARAMETER_VALUE && p->size && p->size != arg->size)
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "args", index, "size",
                               "is %zu, expected %zu bytes as kernel \"%.64s\" declares it", arg->size, p->size,
                               kernel->name);
    return UH_SUCCESS;
}

/* Sets `*wide` if the pointer is in an allocation too large for kernels in their normal build. */
static uh_status check_pointer(const char *call, const uh_device *device, const void *pointer, size_t index,
                               int *wide) {
    uh_pointer_info info;
    UHI_TRY(uhi_fail_of(call, uhi_memory_find(device, pointer, &info)));
    const int reaches = uhi_memory_reaches(device, &info);
    if (!reaches)
        info.size = device->backend->imported ? device->backend->imported(device, pointer) : 0;
    if (!reaches && !info.size)
        return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "args", index,
                           "is the pointer %p, expected NULL or memory of uh_malloc or of the device's context that %s "
                           "can reach",
                           pointer, device->properties.selector);
    if (device->plain_allocation && info.size > device->plain_allocation)
        *wide = 1;
    return UH_SUCCESS;
}

/* Checks requirements of a module's kernel beyond check_arguments. */
static uh_status check_module_arguments(const char *call, const uh_device *device, const uh_kernel *kernel,
                                        const uh_arg *args, size_t nargs, int *wide) {
    if (nargs != kernel->properties.arguments)
        return uhi_fail_argument(call, "nargs", "is %zu, expected %u, the arguments of kernel \"%.64s\"", nargs,
                                 (unsigned)kernel->properties.arguments, kernel->name);
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < nargs && !status; i++) {
        if (kernel->signature)
            status = check_parameter(call, kernel, &args[i], i);
        if (!status && args[i].kind == UH_ARG_POINTER && args[i].value)
            status = check_pointer(call, device, args[i].value, i, wide);
    }
    return status;
}

/* Checks that the queue can run the kernel; replaces a combined queue by its lead. */
static uh_status check_kernel(const char *call, uh_queue **queue_at, const uh_kernel *kernel,
                              const uh_nd_range *range) {
    if (!*queue_at)
        return uhi_fail_null(call, "queue", "a queue");
    const uh_queue *queue = *queue_at = uhi_queue_for_submission(*queue_at);
    UHI_NEED(call, kernel, "a kernel");
    UHI_NEED(call, range, "an index space");
    const uh_device *device = queue->device;
    if (queue->options.engine == UH_ENGINE_COPY)
        return uhi_fail(UH_ERROR_UNSUPPORTED, call, "queue",
                        "is for copies (UH_ENGINE_COPY), expected one that runs kernels");
    if (kernel->module && kernel->module->device != device && uhi_device_is_lost(kernel->module->device))
        return uhi_fail(UH_ERROR_DEVICE_LOST, call, "kernel", "is \"%.64s\" of %s, which is lost", kernel->name,
                        kernel->module->device->properties.selector);
    if (kernel->backend != device->backend || (kernel->module && kernel->module->device != device))
        return uhi_fail(UH_ERROR_UNSUPPORTED, call, "kernel", "is \"%.64s\", which runs on %s, expected one for %s",
                        kernel->name,
                        kernel->module ? kernel->module->device->properties.selector : kernel->backend->name,
                        device->properties.selector);
    return UH_SUCCESS;
}

uh_status uh_parallel_for(uh_queue *queue, const uh_kernel *kernel, const uh_nd_range *range, const uh_arg *args,
                          size_t nargs, const uh_submission *submission) {
    struct uhi_submission started;
    struct uhi_range whole;
    int wide = 0;
    UHI_TRY(check_kernel(__func__, &queue, kernel, range));
    if (nargs && !args)
        return uhi_fail_argument(__func__, "args", "is NULL, expected %zu arguments", nargs);
    const uh_device *device = queue->device;
    UHI_TRY(read_range(__func__, device, kernel, range, &whole));
    UHI_TRY(check_arguments(__func__, device, kernel, args, nargs));
    if (kernel->module)
        UHI_TRY(check_module_arguments(__func__, device, kernel, args, nargs, &wide));
    if (wide)
        UHI_TRY(uhi_kernel_wide(__func__, kernel, &kernel));
    UHI_TRY(uhi_submission_begin(__func__, queue, submission, &started));
    uh_status status = device->backend->launch(queue, kernel, &whole, args, nargs, &started);
    return uhi_submission_end(&started, status, submission);
}
