/* SPDX-License-Identifier: Apache-2.0 */
/* Which device a selector means. */
#ifndef UHI_DEVICE_CHOICE_H
#define UHI_DEVICE_CHOICE_H

#include "runtime/backend.h"

/* Lends the device of `count` that `selector` names best: by kind, backend or its own selector before a part of its
 * name ("auto", "" and NULL name all); of several the one that "auto" prefers. NULL for none. */
uh_device *uhi_device_choose(uh_device *const *devices, size_t count, const char *selector);

/* Fails with UH_ERROR_NOT_FOUND for a selector that names none of `count` devices: one line that says what hides it
 * (ONEAPI_DEVICE_SELECTOR, if it is one of the `hidden` behind them), or else `why` there are no others, and what there
 * is. */
uh_status uhi_device_fail_none(const char *call, uh_device *const *devices, size_t count, size_t hidden,
                               const char *selector, const char *why);

#endif
