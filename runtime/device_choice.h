/* SPDX-License-Identifier: Apache-2.0 */
/* Choice of a device by selector. */
#ifndef UHI_DEVICE_CHOICE_H
#define UHI_DEVICE_CHOICE_H

#include "runtime/device_list.h"

/* Returns the device, not owned, that best matches `selector`: kind, backend or selector before part of the name
 * ("auto", "" and NULL match all); "auto"'s preference decides ties. NULL if none matches. */
uh_device *uhi_device_choose(uh_device *const *devices, size_t count, const char *selector);

/* Fails for a selector that matches no device. The one-line message says what hides it (ONEAPI_DEVICE_SELECTOR, for a
 * hidden device) or why there are no other devices, and lists those available. UH_ERROR_NOT_FOUND, or UH_ERROR_DRIVER
 * if a driver crashes. */
uh_status uhi_device_fail_unmatched(const char *call, const struct uhi_device_list *list, const char *selector);

#endif
