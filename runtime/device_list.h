/* SPDX-License-Identifier: Apache-2.0 */
/* The list of devices while it is being built. */
#pragma once

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

/* Asks the drivers about a pointer outside all uh_malloc allocations and fills in `info`, which says UH_MEMORY_UNKNOWN
 * on entry. The context of `device` (NULL: none) is asked first. Before devices are listed it stays unknown. Returns
 * the driver's failure. */
uh_status uhi_device_find_memory(const uh_device *device, const void *pointer, uh_pointer_info *info);

/* ---- choice by selector (device_choice.c) ---- */

/* Returns the device, not owned, that best matches `selector`: kind, backend or selector before part of the name
 * ("auto", "" and NULL match all); "auto"'s preference decides ties. NULL if none matches. */
uh_device *uhi_device_choose(uh_device *const *devices, size_t count, const char *selector);

/* Fails for a selector that matches no device. The one-line message says what hides it (ONEAPI_DEVICE_SELECTOR, for a
 * hidden device) or why there are no other devices, and lists those available. UH_ERROR_NOT_FOUND, or UH_ERROR_DRIVER
 * if a driver crashes. */
uh_status uhi_device_fail_unmatched(const char *call, const struct uhi_device_list *list, const char *selector);

/* ---- combined devices (device_several.c) ---- */

/* Combined devices: several used as one. Not in the list of devices, except cards whose tiles the driver lists as
 * devices. */

/* Inserts such a card before its tiles if all of them are listed; the tiles are adjacent. This is the last change to
 * the list; its devices do not move afterwards. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_cards_add(struct uhi_device_list *list);

/* Returns whether a selector that matches no listed device may name several: "all", or one with commas or ":*". */
int uhi_several_matches(const char *selector);

/* Returns the device, not owned, that combines those named by such a selector; a single one is returned itself. The
 * same devices in the same order give the same result. UH_ERROR_NOT_FOUND, or UH_ERROR_DRIVER (as
 * uhi_device_fail_unmatched), if a term matches none; UH_ERROR_INVALID_ARGUMENT if a device is named twice;
 * UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_several_select(const char *call, const struct uhi_device_list *list, const char *selector,
                             uh_device **device);
