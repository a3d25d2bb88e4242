/* SPDX-License-Identifier: Apache-2.0 */
/* Combined devices: several used as one. Not in the list of devices, except cards whose tiles the driver lists as
 * devices. */
#ifndef UHI_DEVICE_SEVERAL_H
#define UHI_DEVICE_SEVERAL_H

#include "runtime/device_list.h"

/* Returns whether a selector that matches no listed device may name several: "all", or one with commas or ":*". */
int uhi_several_matches(const char *selector);

/* Returns the device, not owned, that combines those named by such a selector; a single one is returned itself. The
 * same devices in the same order give the same result. UH_ERROR_NOT_FOUND, or UH_ERROR_DRIVER (as
 * uhi_device_fail_unmatched), if a term matches none; UH_ERROR_INVALID_ARGUMENT if a device is named twice;
 * UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_several_select(const char *call, const struct uhi_device_list *list, const char *selector,
                             uh_device **device);

/* Makes `device` a combination of `count` > 0 others, numbered like the first; the caller sets its selector. Keeps
 * `parts`. */
void uhi_several_combine(uh_device *device, uh_device *const *parts, size_t count);

#endif
