/* SPDX-License-Identifier: Apache-2.0 */
/* Points as callers give them, copied axis by axis. */
#ifndef UHI_MEANSHIFT_POINTS_H
#define UHI_MEANSHIFT_POINTS_H

#include <unihist/runtime.h>
#include <unihist/storage.h>

#include "kernels/meanshift/cells.h"

/* Reads checked arrays, of no points too, which may lie in any memory that the queue's device reaches.
 * UH_ERROR_INVALID_ARGUMENT for a coordinate that is not finite, with its row, and for an axis whose extent the type
 * does not hold. The caller frees points->x in any case. */
uh_status uhi_points_read(uh_queue *queue, const char *call, const char *argument, const uh_array *arrays, size_t dims,
                          struct uhi_coordinates *points);

/* The smallest and largest coordinate of an axis, infinite ones where there are no points. */
void uhi_points_extent(const struct uhi_coordinates *points, size_t axis, double *lower, double *upper);

/* Refuses those of all points where the type, of so many bytes, does not hold the square of their difference. */
uh_status uhi_points_check_extent(const char *call, const char *argument, size_t axis, size_t size, double lower,
                                  double upper);

#endif
