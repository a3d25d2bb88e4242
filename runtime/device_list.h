/* SPDX-License-Identifier: Apache-2.0 */
/* The list of devices while it is being built. */
#ifndef UHI_DEVICE_LIST_H
#define UHI_DEVICE_LIST_H

#include "runtime/backend.h"

struct uhi_device_list {
    const char *call;                  /* call that needs it, for messages */
    const struct uhi_backend *backend; /* backend that adds devices now */
    uh_device **devices;               /* devices stay at their addresses until the process ends */
    size_t count;
    size_t hidden; /* number after the first `count`: rejected by ONEAPI_DEVICE_SELECTOR */
    size_t room;
    const char *why; /* why only the host is listed: one line, "" if others are */
    int is_broken;   /* nonzero: the reason is a driver that crashes */
};

/* Appends a copy of `device`; sets its selector and backend name. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_device_list_add(struct uhi_device_list *list, const uh_device *device);

/* Inserts a device, not copied, at position `at`. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_device_list_put(struct uhi_device_list *list, size_t at, uh_device *device);

/* The same with a copy of `device`. */
uh_status uhi_device_list_insert(struct uhi_device_list *list, size_t at, const uh_device *device);

/* Sets a device's selector from its number and tile, and its backend name. */
void uhi_device_list_name(uh_device *device, const char *backend);

/* ---- the completed list (device.c) ---- */

/* Builds the list on first use, for call `call`. */
uh_status uhi_device_need_list(const char *call);

/* Returns the device, hidden ones included, with this `native`; NULL if none. */
uh_device *uhi_device_of(const void *native);

/* Asks the drivers about a pointer outside all uh_malloc allocations and fills in `info`, which says UH_MEMORY_UNKNOWN
 * on entry. The context of `device` (NULL: none) is asked first. Before devices are listed it stays unknown. Returns
 * the driver's failure. */
uh_status uhi_device_find_memory(const uh_device *device, const void *pointer, uh_pointer_info *info);

#endif
