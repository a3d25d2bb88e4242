/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/grow.h"
#include "runtime/status.h"

static uh_status fail_memory(const struct uhi_device_list *list) {
    return uhi_fail_memory(list->call, "out of memory for the list of devices");
}

uh_status uhi_device_list_put(struct uhi_device_list *list, size_t at, uh_device *device) {
    const size_t all = list->count + list->hidden;
    if (!uhi_grow(&list->devices, &list->room, all + 1, sizeof(uh_device *)))
        return fail_memory(list);
    memmove(&list->devices[at + 1], &list->devices[at], (all - at) * sizeof(uh_device *));
    list->devices[at] = device;
    list->count++;
    return UH_SUCCESS;
}

uh_status uhi_device_list_insert(struct uhi_device_list *list, size_t at, const uh_device *device) {
    uh_device *made = malloc(sizeof *made);
    if (!made)
        return fail_memory(list);
    *made = *device;
    uh_status status = uhi_device_list_put(list, at, made);
    if (status)
        free(made);
    return status;
}

void uhi_device_list_name(uh_device *device, const char *backend) {
    uh_device_properties *p = &device->properties;
    p->struct_size = sizeof *p;
    snprintf(p->backend, sizeof p->backend, "%s", backend);
    if (device->tile < 0)
        snprintf(p->selector, sizeof p->selector, "%s:%u", backend, (unsigned)device->index);
    else
        snprintf(p->selector, sizeof p->selector, "%s:%u.%d", backend, (unsigned)device->index, (int)device->tile);
}

uh_status uhi_device_list_add(struct uhi_device_list *list, const uh_device *device) {
    UHI_TRY(uhi_device_list_insert(list, list->count, device));
    uh_device *added = list->devices[list->count - 1];
    added->backend = list->backend;
    uhi_device_list_name(added, list->backend->name);
    return UH_SUCCESS;
}
