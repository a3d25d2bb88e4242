/* SPDX-License-Identifier: Apache-2.0 */
/* Counting integers on a device that runs modules. Functions that fail have called uhi_fail; nothing of theirs is under
 * way then, nothing has been counted, and the next call works if the device does. */
#ifndef UHI_BINCOUNT_DEVICE_H
#define UHI_BINCOUNT_DEVICE_H

#include <unihist/storage.h>

#include "kernels/accumulate/store.h"
#include "kernels/bincount/bincount_run.h"
#include "kernels/histogram/histogram_shape.h"

/* What is kept on a device from one call to the next. */
struct uhi_bincount_device;

uh_status uhi_bincount_device_create(const char *call, uh_queue *queue, struct uhi_bincount_device **state);
void uhi_bincount_device_destroy(struct uhi_bincount_device *state); /* NULL is allowed */

/* As uhi_bincount_look. Plain host memory is looked at by the host. */
uh_status uhi_bincount_device_look(const char *call, struct uhi_bincount_device *state, struct uhi_bincount_limit limit,
                                   uh_dtype dtype, const void *x, size_t n, uint64_t *largest);

/* As uhi_bincount_add: in one pass where the limit is given, else after one that finds the largest value. */
uh_status uhi_bincount_device_add(const char *call, struct uhi_bincount_device *state, struct uhi_bincount *count,
                                  uh_dtype dtype, const void *x, size_t n);

/* Adds weights to a store by the values, which may be 0 to `bins` - 1; `limit` is for the message where one is not. The
 * store's cells are at least as many. */
uh_status uhi_bincount_device_weigh(const char *call, struct uhi_bincount_device *state, struct uhi_store_device *store,
                                    struct uhi_bincount_limit limit, uint64_t bins, uh_dtype dtype, const void *x,
                                    size_t n, const uh_array *weights);

/* The smallest and largest of n > 0 values of any type, in memory that the device can reach. */
uh_status uhi_bincount_device_extent(const char *call, struct uhi_bincount_device *state, uh_dtype dtype, const void *x,
                                     size_t n, struct uhi_extent *extent);

/* How many values the counters may hold before they are emptied: 2^32 - 1, fewer to test what happens then. */
void uhi_bincount_device_set_most(struct uhi_bincount_device *state, uint64_t most);

/* Where counts of `bins` bins lie on the device: the three tiers. */
struct uhi_histogram_shape uhi_bincount_device_shape(const struct uhi_bincount_device *state, size_t bins);

#endif
