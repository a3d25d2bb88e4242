/* SPDX-License-Identifier: Apache-2.0 */
/* Points as callers give them, copied axis by axis. */
#ifndef UHI_MEANSHIFT_POINTS_H
#define UHI_MEANSHIFT_POINTS_H

#include <unihist/runtime.h>
#include <unihist/storage.h>

#include "kernels/meanshift/cells.h"

/* Reads checked arrays, which may lie in any memory that the queue's device reaches. UH_ERROR_INVALID_ARGUMENT for a
 * coordinate that is not finite, with its row, and for an axis whose extent the type does not hold. The caller frees
 * points->x in any case. */
uh_status uhi_points_read(uh_queue *queue, const char *call, const char *argument, const uh_array *arrays, size_t dims,
                          struct uhi_coordinates *points);

/* Refuses points that are so far apart along an axis that the type does not hold the square. */
uh_status uhi_points_check_span(const char *call, const char *argument, size_t size, size_t axis,
                                  struct uhi_span extent);

#endif
