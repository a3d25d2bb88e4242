/* SPDX-License-Identifier: Apache-2.0 */
/* The list of devices while it is made. */
#ifndef UHI_DEVICE_LIST_H
#define UHI_DEVICE_LIST_H

#include "runtime/backend.h"

struct uhi_device_list {
    const char *call;                  /* that needs it, for messages */
    const struct uhi_backend *backend; /* whose turn it is to add */
    uh_device *devices;
    size_t count;
    size_t hidden; /* behind the others: what ONEAPI_DEVICE_SELECTOR does not accept */
    size_t room;
};

/* Copies `device` into the list behind its others; names it (selector) and its backend. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_device_list_add(struct uhi_device_list *list, const uh_device *device);

/* Copies `device` into the list as it is, as number `at` of it, and lends it until the next. NULL, having called
 * uhi_fail, where there is no memory. */
uh_device *uhi_device_list_insert(struct uhi_device_list *list, size_t at, const uh_device *device);

/* Names a device by its number and its tile, as one of `backend`. */
void uhi_device_list_name(uh_device *device, const char *backend);

#endif
