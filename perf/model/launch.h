/* SPDX-License-Identifier: Apache-2.0 */
/* How operations are launched: the one place of the model that asks where the library would count. */
#ifndef PERF_MODEL_LAUNCH_H
#define PERF_MODEL_LAUNCH_H

#include "perf/model/axis.h"

#include "kernels/common/shape.h"

/* Of what counts over one axis, `slots` counters with tables of `table_bytes`. Returns the shape. */
struct uhi_shape model_launch_one(const struct model_device *device, size_t slots, uint64_t table_bytes,
                                  struct model_launch *launch);

/* Of what takes points of one or two axes in one launch, by kernels whose names begin with `task`, with that many words
 * of local memory, or counters, in a copy. Stores whether tables are in local memory, and counts. Fails if
 * the library would go axis by axis. */
void model_launch_points(const struct model_device *device, const struct model_axis *axes, size_t naxes,
                         const char *task, uint64_t words, int *local_tables, int *local_counts,
                         struct model_launch *launch);

#endif
