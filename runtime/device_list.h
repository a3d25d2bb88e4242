/* SPDX-License-Identifier: Apache-2.0 */
/* The list of devices while it is made. */
#ifndef UHI_DEVICE_LIST_H
#define UHI_DEVICE_LIST_H

#include "runtime/backend.h"

struct uhi_device_list {
    const char *call;                  /* that needs it, for messages */
    const struct uhi_backend *backend; /* whose turn it is to add */
    uh_device **devices;               /* each stays where it is while the process lives */
    size_t count;
    size_t hidden; /* behind the others: what ONEAPI_DEVICE_SELECTOR does not accept */
    size_t room;
    const char *why; /* there are no devices but the host's: one line, "" where there are */
    int is_broken;   /* that is because a driver crashes */
};

/* Copies `device` into the list behind its others; names it (selector) and its backend. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_device_list_add(struct uhi_device_list *list, const uh_device *device);

/* Puts a device into the list as it is, as number `at` of it. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_device_list_put(struct uhi_device_list *list, size_t at, uh_device *device);

/* The same with a copy of `device`. */
uh_status uhi_device_list_insert(struct uhi_device_list *list, size_t at, const uh_device *device);

/* Names a device by its number and its tile, as one of `backend`. */
void uhi_device_list_name(uh_device *device, const char *backend);

/* ---- the list that is made (device.c) ---- */

/* Makes it where nobody has asked for it yet; for a call. */
uh_status uhi_device_need_list(const char *call);

/* The device, hidden ones too, that has this `native`; NULL for none. */
uh_device *uhi_device_of(const void *native);

/* What a pointer that is in no allocation of uh_malloc's points into, as far as drivers know: fills in `info`, which
 * says UH_MEMORY_UNKNOWN. The contexts of `device` (NULL: none) are asked first. Where devices have not been listed
 * nobody knows. A failure is the driver's. */
uh_status uhi_device_find_memory(const uh_device *device, const void *pointer, uh_pointer_info *info);

#endif
