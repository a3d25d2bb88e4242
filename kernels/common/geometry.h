/* SPDX-License-Identifier: Apache-2.0 */
/* Group size and number of groups of an operation on a device. The first source that specifies them decides: the
 * queue's options, the file `tuning` of the user's cache (geometry_text.h), the built-in rows, the device's
 * properties (engine.h). */
#ifndef UHI_GEOMETRY_H
#define UHI_GEOMETRY_H

#include "kernels/common/geometry_text.h"

/* Returns the built-in geometry; zeros if no row matches the device and the operation. */
struct uhi_geometry uhi_geometry_built_in(const uh_device_properties *device, const char *operation);

/* Returns the file's geometry, read at most once per device and process; zeros if it has none, is invalid or
 * unreadable, or caching is off. Invalid and unreadable files are logged. */
struct uhi_geometry uhi_geometry_tuned(const uh_device_properties *device, const char *operation);

/* Returns the geometry for a queue's operation; logs one that is not from the device's properties. */
struct uhi_geometry uhi_geometry_choose(const uh_queue *queue, const uh_device_properties *device,
                                        const char *operation);

#endif
