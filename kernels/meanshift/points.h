/* SPDX-License-Identifier: Apache-2.0 */
/* Points from callers, copied axis by axis. */
#ifndef UHI_MEANSHIFT_POINTS_H
#define UHI_MEANSHIFT_POINTS_H

#include <unihist/base.h>
#include <unihist/device.h>

#include "kernels/common/collective.h"
#include "kernels/meanshift/cells.h"

/* Reads checked arrays, also without points, from any memory that the queue's device can access.
 * UH_ERROR_INVALID_ARGUMENT for a coordinate that is not finite, naming its row, and for an axis whose squared extent
 * does not fit the type. The caller frees points->x in any case. */
uh_status uhi_points_read(uh_queue *queue, const char *call, const char *argument, const uh_array *arrays, size_t dims,
                          struct uhi_coordinates *points);

/* Stores the extents of all processes' points along each axis; fails if the square of one does not fit the type. `mine`
 * is this process's status. */
uh_status uhi_points_span(struct uhi_collective *collective, uh_status mine, const struct uhi_coordinates *points,
                          struct uhi_span *spans);

#endif
