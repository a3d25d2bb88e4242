/* SPDX-License-Identifier: Apache-2.0 */
/* Import and export of Level Zero handles. */
#include <unihist/ze.h>

#include "runtime/device_list.h"
#include "runtime/queue.h"
#include "runtime/ze.h"

static uh_status make_queue(const char *call, const uh_device *device, ze_command_list_handle_t list,
                            uh_ze_handles *handles) {
    if (device->backend != &uhi_backend_ze)
        return uhi_fail(UH_ERROR_UNSUPPORTED, call, NULL, "%s has no handles of Level Zero, expected a device that has",
                        device->properties.selector);
    UHI_TRY(uhi_sized_check(call, "handles", handles, sizeof *handles));
    const struct uhi_ze_device *native = uhi_ze_device(device);
    const uh_ze_handles made = {sizeof made, native->listed_by->handle, native->device, native->context, list};
    uhi_sized_write(handles, &made);
    return UH_SUCCESS;
}

uh_status uh_device_ze(const uh_device *device, uh_ze_handles *handles) {
    UHI_NEED(__func__, device, "a device");
    UHI_NEED(__func__, handles, "where to store the handles");
    return make_queue(__func__, device, NULL, handles);
}

uh_status uh_queue_ze(const uh_queue *queue, uh_ze_handles *handles) {
    UHI_NEED(__func__, queue, "a queue");
    UHI_NEED(__func__, handles, "where to store the handles");
    const int is_ze = queue->device->backend == &uhi_backend_ze;
    return make_queue(__func__, queue->device, is_ze ? uhi_ze_queue(queue)->list : NULL, handles);
}

uh_status uh_device_from_ze(ze_context_handle_t context, ze_device_handle_t device, uh_device **found) {
    UHI_NEED(__func__, device, "the handle of a device");
    UHI_NEED(__func__, found, "where to store the device");
    UHI_TRY(uhi_device_need_list(__func__));
    const struct uhi_ze_device *native = uhi_ze_find_listed(device);
    uh_device *listed = native ? native->of : NULL;
    if (!listed)
        return uhi_fail(UH_ERROR_NOT_FOUND, __func__, "device", "is %p, expected a device that the library lists",
                        (void *)device);
    if (context && context != native->context)
        return uhi_ze_device_in(__func__, context, listed, found);
    *found = listed;
    return UH_SUCCESS;
}

uh_status uh_queue_create_from_ze(ze_context_handle_t context, ze_device_handle_t device, ze_command_list_handle_t list,
                                  const uh_queue_options *options, uh_queue **queue) {
    uh_device *in = NULL;
    UHI_NEED(__func__, queue, "where to store the queue");
    if (list && options && options->engine != UH_ENGINE_COMPUTE)
        return uhi_fail_argument(__func__, "options->engine", "is %d, expected UH_ENGINE_COMPUTE for a given list",
                                 (int)options->engine);
    if (list && options && options->priority != UH_PRIORITY_NORMAL)
        return uhi_fail_argument(__func__, "options->priority", "is %d, expected UH_PRIORITY_NORMAL for a given list",
                                 (int)options->priority);
    uh_status status = uhi_fail_of(__func__, uh_device_from_ze(context, device, &in));
    return !status ? uhi_queue_create_native(__func__, in, list, options, queue) : status;
}
