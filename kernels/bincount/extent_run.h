/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest and largest value, in any memory, and how the kernels of this directory go through values. */
#pragma once

#include "kernels/bincount/bincount.h"
#include "kernels/common/frame.h"

/* Finds the range of at least one value of any type: by kernels if the queue's device can reach the values, otherwise
 * by host threads after the queue's earlier work has ended. Messages name `call` and `argument`. */
uh_status uhi_extent_find(const char *call, const char *argument, uh_queue *queue, uh_dtype dtype, struct uhi_values x,
                          struct uhi_extent *extent);

/* ---- on a device ---- */

/* Finds the range of the frame's first input, which the kernels can reach. */
uh_status uhi_extent_on_device(struct uhi_frame *frame, uh_dtype dtype, struct uhi_extent *extent);

/* Returns kernel TASK_TYPE of bincount.variants for this type of values in *kernel; do not free it. */
uh_status uhi_bincount_kernel(struct uhi_engine *engine, const char *task, uh_dtype dtype, uh_kernel **kernel);

/* Launches per piece of the frame's first input, in order, until a launch fails; waits for all. */
uh_status uhi_bincount_for_each_piece(struct uhi_frame *frame,
                                      uh_status (*launch)(void *context, const struct uhi_piece *piece), void *context);
