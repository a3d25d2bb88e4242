/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device_list.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/status.h"

uh_status uhi_device_list_add(struct uhi_device_list *list, const uh_device *device) {
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 8;
        uh_device *devices = realloc(list->devices, room * sizeof *devices);
        if (!devices)
            return uhi_fail(UH_ERROR_OUT_OF_MEMORY, list->call, NULL, "out of memory for the list of devices");
        list->devices = devices;
        list->room = room;
    }
    uh_device *added = &list->devices[list->count++];
    *added = *device;
    added->backend = list->backend;
    uh_device_properties *p = &added->properties;
    p->struct_size = sizeof *p;
    snprintf(p->backend, sizeof p->backend, "%s", list->backend->name);
    if (device->tile < 0)
        snprintf(p->selector, sizeof p->selector, "%s:%u", list->backend->name, (unsigned)device->index);
    else
        snprintf(p->selector, sizeof p->selector, "%s:%u.%d", list->backend->name, (unsigned)device->index,
                 (int)device->tile);
    return UH_SUCCESS;
}
