/* SPDX-License-Identifier: Apache-2.0 */
/* Points as callers give them, copied axis by axis. */
#ifndef UHI_MEANSHIFT_POINTS_H
#define UHI_MEANSHIFT_POINTS_H

#include <unihist/runtime.h>
#include <unihist/storage.h>

#include "kernels/common/together.h"
#include "kernels/meanshift/cells.h"

/* Reads checked arrays, of no points too, which may lie in any memory that the queue's device reaches.
 * UH_ERROR_INVALID_ARGUMENT for a coordinate that is not finite, with its row, and for an axis whose extent the type
 * does not hold. The caller frees points->x in any case. */
uh_status uhi_points_read(uh_queue *queue, const char *call, const char *argument, const uh_array *arrays, size_t dims,
                          struct uhi_coordinates *points);

/* Stores from where to where the points of all processes lie along each axis; refuses them where they are so far apart
 * that the type does not hold the square. `mine` is what has come of this process's work. */
uh_status uhi_points_span(struct uhi_together *together, uh_status mine, const struct uhi_coordinates *points,
                          struct uhi_span *spans);

#endif
