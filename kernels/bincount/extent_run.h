/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest and largest value, wherever the values are; and how kernels of this room go through values. */
#ifndef UHI_EXTENT_RUN_H
#define UHI_EXTENT_RUN_H

#include "kernels/bincount/bincount.h"
#include "kernels/common/frame.h"

/* Finds them of values of any type, one at least: by kernels where the queue's device can reach the values, else, when
 * the queue's earlier work has ended, by threads of the host. Messages name `call` and `argument`. */
uh_status uhi_extent_find(const char *call, const char *argument, uh_queue *queue, uh_dtype dtype, struct uhi_values x,
                          struct uhi_extent *extent);

/* ---- on a device ---- */

/* Finds them of the frame's first input, which the kernels can reach. */
uh_status uhi_extent_on_device(struct uhi_frame *frame, uh_dtype dtype, struct uhi_extent *extent);

/* Lends the kernel TASK_TYPE of bincount.variants for this type of values. */
uh_status uhi_bincount_kernel(struct uhi_engine *engine, const char *task, uh_dtype dtype, uh_kernel **kernel);

/* Launches for every piece of the frame's first input, one after the other, until a launch fails; waits for all. */
uh_status uhi_bincount_each_piece(struct uhi_frame *frame,
                                  uh_status (*launch)(void *context, const struct uhi_piece *piece), void *context);

#endif
