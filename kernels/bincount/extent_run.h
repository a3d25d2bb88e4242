/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest and largest value, wherever the values are. */
#ifndef UHI_EXTENT_RUN_H
#define UHI_EXTENT_RUN_H

#include <unihist/runtime.h>

#include "kernels/bincount/bincount.h"

/* Finds them of n > 0 values of any type: by a kernel where the queue's device can reach the values, after the queue's
 * earlier work; else by threads of the host. */
uh_status uhi_extent_find(const char *call, uh_queue *queue, uh_dtype dtype, const void *x, size_t n,
                          struct uhi_extent *extent);

#endif
