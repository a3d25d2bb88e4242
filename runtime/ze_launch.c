/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of Level Zero kernels. */
#include <string.h>

#include "runtime/log.h"
#include "runtime/ze.h"

/* Returns the largest divisor of `n` > 0 that is at most `max` > 0. */
static size_t largest_divisor(size_t n, size_t max) {
    size_t d = max < n ? max : n;
    while (n % d)
        d--;
    return d;
}

/* Chooses the entries of `local` that are 0 without the driver: as many work-items as fit, first dimension first. */
static void choose_by_divisors(const uh_kernel *kernel, const struct uhi_ze_device *device, const size_t global[3],
                               size_t local[3]) {
    size_t left = (size_t)kernel->properties.max_group_size;
    for (int d = 0; d < 3; d++)
        if (local[d])
            left /= local[d];
    for (int d = 0; d < 3; d++) {
        if (local[d])
            continue;
        size_t max = left < device->max_group_size[d] ? left : device->max_group_size[d];
        local[d] = largest_divisor(global[d], max ? max : 1);
        left /= local[d];
    }
}

/* Returns whether the kernel can run groups of this size over the range. */
static int is_valid(const uh_kernel *kernel, const size_t global[3], const uint32_t x[3]) {
    uint64_t items = 1;
    for (int d = 0; d < 3; d++) {
        if (x[d] == 0 || global[d] % x[d] || x[d] > kernel->properties.max_group_size / items)
            return 0;
        items *= x[d];
    }
    return 1;
}

/* Asks the driver, if it may choose every used entry. Returns whether it gave a usable answer. */
static int query_driver(const uh_kernel *kernel, const struct uhi_range *range, size_t local[3]) {
    const struct uhi_ze_kernel *native = kernel->native;
    uint32_t x[3] = {0, 0, 0};
    for (uint32_t d = 0; d < 3; d++)
        if (range->global[d] > UINT32_MAX || (d < range->dims && range->local[d]))
            return 0;
    if (UHI_ZE_TRY(zeKernelSuggestGroupSize, native->handle, (uint32_t)range->global[0], (uint32_t)range->global[1],
                   (uint32_t)range->global[2], &x[0], &x[1], &x[2]) != ZE_RESULT_SUCCESS ||
        !is_valid(kernel, range->global, x))
        return 0;
    for (int d = 0; d < 3; d++)
        local[d] = x[d];
    return 1;
}

uh_status uhi_ze_choose_group(const char *call, const uh_device *device, const uh_kernel *kernel,
                              struct uhi_range *range) {
    struct uhi_ze_kernel *native = kernel->native;
    const uint32_t *required = kernel->properties.required_group_size;
    if (range->local[0] && range->local[1] && range->local[2])
        return UH_SUCCESS;
    if (required[0]) {
        for (int d = 0; d < 3; d++) {
            if (range->global[d] % required[d])
                return uhi_fail_at(
                    UH_ERROR_INVALID_ARGUMENT, call, "range->global", (size_t)d,
                    "is %zu, expected a multiple of %u, the size of work-groups that kernel \"%.64s\" requires",
                    range->global[d], (unsigned)required[d], kernel->name);
            range->local[d] = required[d];
        }
        return UH_SUCCESS;
    }
    if (memcmp(native->requested_global, range->global, sizeof range->global) != 0 ||
        memcmp(native->requested_local, range->local, sizeof range->local) != 0) {
        memcpy(native->requested_global, range->global, sizeof range->global);
        memcpy(native->requested_local, range->local, sizeof range->local);
        memcpy(native->answer, range->local, sizeof range->local);
        if (!query_driver(kernel, range, native->answer))
            choose_by_divisors(kernel, uhi_ze_device(device), range->global, native->answer);
    }
    memcpy(range->local, native->answer, sizeof range->local);
    return UH_SUCCESS;
}

/* Computes the number of groups; all local sizes are set. */
static uh_status count_groups(const char *call, const uh_device *device, const struct uhi_range *range,
                              ze_group_count_t *count) {
    const struct uhi_ze_device *native = uhi_ze_device(device);
    uint32_t *counts[3] = {&count->groupCountX, &count->groupCountY, &count->groupCountZ};
    for (int d = 0; d < 3; d++) {
        size_t groups = range->global[d] / range->local[d];
        if (range->local[d] > native->max_group_size[d])
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "range->local", (size_t)d,
                               "is %zu, expected at most %u, the maximum of %s", range->local[d],
                               (unsigned)native->max_group_size[d], device->properties.selector);
        if (groups > native->max_group_count[d])
            return uhi_fail_at(
                UH_ERROR_INVALID_ARGUMENT, call, "range->global", (size_t)d,
                "is %zu, which makes %zu work-groups of %zu work-items, expected at most %u, the maximum of %s",
                range->global[d], groups, range->local[d], (unsigned)native->max_group_count[d],
                device->properties.selector);
        *counts[d] = (uint32_t)groups;
    }
    return UH_SUCCESS;
}

static uh_status check_offset(const char *call, const uh_device *device, const struct uhi_range *range) {
    for (int d = 0; d < 3; d++) {
        if (range->offset[d] && !uhi_ze_device(device)->listed_by->has_global_offset)
            return uhi_fail_at(UH_ERROR_UNSUPPORTED, call, "range->offset", (size_t)d,
                               "is %zu, expected 0: the driver of %s has no global offsets", range->offset[d],
                               device->properties.selector);
        if (range->offset[d] > UINT32_MAX)
            return uhi_fail_at(UH_ERROR_UNSUPPORTED, call, "range->offset", (size_t)d,
                               "is %zu, expected at most %u on %s", range->offset[d], UINT32_MAX,
                               device->properties.selector);
    }
    return UH_SUCCESS;
}

/* Sets group size and offset if the kernel's differ. Locked. */
static uh_status set_shape(const char *call, struct uhi_ze_kernel *native, const struct uhi_range *range) {
    const uint32_t group[3] = {(uint32_t)range->local[0], (uint32_t)range->local[1], (uint32_t)range->local[2]};
    const uint32_t offset[3] = {(uint32_t)range->offset[0], (uint32_t)range->offset[1], (uint32_t)range->offset[2]};
    uh_status status = UH_SUCCESS;
    if (memcmp(native->group, group, sizeof group) != 0) {
        native->group[0] = 0;
        status = UHI_ZE(call, zeKernelSetGroupSize, native->handle, group[0], group[1], group[2]);
        if (!status)
            memcpy(native->group, group, sizeof group);
    }
    if (!status && (!native->offset_known || memcmp(native->offset, offset, sizeof offset) != 0)) {
        native->offset_known = 0;
        status = UHI_ZE(call, zeKernelSetGlobalOffsetExp, native->handle, offset[0], offset[1], offset[2]);
        if (!status) {
            memcpy(native->offset, offset, sizeof offset);
            native->offset_known = 1;
        }
    }
    return status;
}

static uh_status fail_argument(const char *call, const uh_kernel *kernel, const uh_arg *arg, size_t index,
                               ze_result_t result, int line) {
    static const char *const kinds[] = {"a value", "a pointer", "local memory"};
    uh_status status = uhi_ze_status(result);
    if (result == ZE_RESULT_ERROR_INVALID_ARGUMENT)
        status = UH_ERROR_INVALID_ARGUMENT;
    return uhi_fail_at(
        status, call, "args", index,
        "is %s of %zu bytes: zeKernelSetArgumentValue failed with %s (0x%08x) for kernel \"%.64s\" at %s:%d",
        kinds[arg->kind], arg->kind == UH_ARG_POINTER ? sizeof(void *) : arg->size, uhi_ze_result_name(result),
        (unsigned)result, kernel->name, UHI_ZE_FILE, line);
}

/* Locked. Intel's driver accepts a null pointer only as a missing value. */
static uh_status set_arguments(const char *call, const uh_kernel *kernel, const uh_arg *args, size_t nargs) {
    const struct uhi_ze_kernel *native = kernel->native;
    for (size_t i = 0; i < nargs; i++) {
        size_t size = args[i].size;
        const void *value = args[i].kind == UH_ARG_VALUE ? args[i].value : NULL;
        if (args[i].kind == UH_ARG_POINTER) {
            size = sizeof(void *);
            value = args[i].value ? &args[i].value : NULL;
        }
        ze_result_t result = UHI_ZE_TRY(zeKernelSetArgumentValue, native->handle, (uint32_t)i, size, value);
        if (result != ZE_RESULT_SUCCESS)
            return fail_argument(call, kernel, &args[i], i, result, __LINE__);
    }
    return UH_SUCCESS;
}

uh_status uhi_ze_launch(uh_queue *queue, const uh_kernel *kernel, const struct uhi_range *range, const uh_arg *args,
                        size_t nargs, const struct uhi_submission *submission) {
    static const char call[] = "uh_parallel_for";
    struct uhi_ze_kernel *native = kernel->native;
    struct uhi_range whole = *range;
    struct uhi_ze_append append;
    ze_group_count_t count = {1, 1, 1};
    if (!range->global[0] || !range->global[1] || !range->global[2])
        return uhi_ze_append_nothing(call, queue, submission);
    UHI_TRY(check_offset(call, queue->device, range));
    UHI_TRY(uhi_ze_append_begin(call, queue, submission, &append));
    pthread_mutex_lock(&native->lock);
    uh_status status = uhi_ze_choose_group(call, queue->device, kernel, &whole);
    if (!status)
        status = count_groups(call, queue->device, &whole, &count);
    if (!status)
        status = set_shape(call, native, &whole);
    if (!status)
        status = set_arguments(call, kernel, args, nargs);
    if (!status)
        status = UHI_ZE(call, zeCommandListAppendLaunchKernel, uhi_ze_queue(queue)->list, native->handle, &count,
                        append.signal, append.nwaits, append.waits);
    pthread_mutex_unlock(&native->lock);
    if (uhi_log_level() >= UH_LOG_TRACE)
        uhi_log(UH_LOG_TRACE, "uh_parallel_for: %s, %u x %u x %u groups of %zu x %zu x %zu: %s", kernel->name,
                count.groupCountX, count.groupCountY, count.groupCountZ, whole.local[0], whole.local[1], whole.local[2],
                uh_status_name(status));
    return uhi_ze_append_end(queue, submission, &append, uhi_ze_note_loss(queue->device, status));
}
