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

/* Copies `device` into the list; names it (selector) and its backend. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_device_list_add(struct uhi_device_list *list, const uh_device *device);

#endif
