/* SPDX-License-Identifier: Apache-2.0 */
/* Which device a selector means. */
#ifndef UHI_DEVICE_CHOICE_H
#define UHI_DEVICE_CHOICE_H

#include "runtime/device_list.h"

/* Lends the device of `count` that `selector` names best: by kind, backend or its own selector before a part of its
 * name ("auto", "" and NULL name all); of several the one that "auto" prefers. NULL for none. */
uh_device *uhi_device_choose(uh_device *const *devices, size_t count, const char *selector);

/* Fails for a selector that names none of a list: one line that says what hides it (ONEAPI_DEVICE_SELECTOR, if it is
 * one of the list's hidden devices), or else why there are no others, and what there is. UH_ERROR_NOT_FOUND, or
 * UH_ERROR_DRIVER where a driver crashes. */
uh_status uhi_device_fail_none(const char *call, const struct uhi_device_list *list, const char *selector);

#endif
