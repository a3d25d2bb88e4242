/* SPDX-License-Identifier: Apache-2.0 */
/* Combined devices: several that a program uses as one. They are not in the list of devices, but for cards whose tiles
 * their driver lists as devices of their own. */
#ifndef UHI_DEVICE_SEVERAL_H
#define UHI_DEVICE_SEVERAL_H

#include "runtime/device_list.h"

/* Whether a selector that names no device of the list may name several: "all", one with commas or with ":*". */
int uhi_several_is_asked(const char *selector);

/* Lends the device that is made of those that such a selector names, the same whenever they are the same in the same
 * order; where that is one, itself. UH_ERROR_NOT_FOUND for a term that names none, or
 * UH_ERROR_DRIVER (as uhi_device_fail_none), UH_ERROR_INVALID_ARGUMENT for one that names what another has named,
 * UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_several_select(const char *call, const struct uhi_device_list *list, const char *selector,
                             uh_device **device);

/* Makes `device` one of `count` > 0 others, numbered as the first; its selector is the caller's to set. `parts` becomes
 * its own. */
void uhi_several_combine(uh_device *device, uh_device *const *parts, size_t count);

#endif
