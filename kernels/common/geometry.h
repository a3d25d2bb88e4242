/* SPDX-License-Identifier: Apache-2.0 */
/* How wide an operation runs on a device. Whoever says so first decides: the options of the queue, the file `tuning` of
 * the user's cache (geometry_text.h), the built-in rows, and else the device's properties (engine.h). */
#ifndef UHI_GEOMETRY_H
#define UHI_GEOMETRY_H

#include "kernels/common/geometry_text.h"

/* What the built-in rows say; zeroes where no row is of the device and the operation. */
struct uhi_geometry uhi_geometry_built_in(const uh_device_properties *device, const char *operation);

/* What the file says. It is read at most once for each device in a process. Where it is broken, cannot be read, or
 * nothing may be cached, it says nothing; the log tells of the first two. */
struct uhi_geometry uhi_geometry_tuned(const uh_device_properties *device, const char *operation);

/* Decides for a queue's operation, and logs what was not left to the device's properties. */
struct uhi_geometry uhi_geometry_choose(const uh_queue *queue, const uh_device_properties *device,
                                        const char *operation);

#endif
