/* SPDX-License-Identifier: Apache-2.0 */
/* One axis of a case: its bins, values on it, and the tables that a device would be given. */
#ifndef PERF_MODEL_AXIS_H
#define PERF_MODEL_AXIS_H

#include "perf/model/lookups.h"
#include "perf/model/operation.h"

#include "kernels/common/shape.h"
#include "kernels/plan/plan.h"

struct model_axis {
    size_t k;
    double *edges;
    uh_dtype type;
    void *values; /* MODEL_POINTS of them */
    struct uhi_histogram_plan *plan;
    void *image;
};

/* Draws bins and values of axis number `number`, and plans as for that device, `counters` with the tables of
 * `axes` axes. Closed by model_axis_close. */
void model_axis_open(struct model_axis *axis, const struct model_device *device, const struct model_case *of,
                     size_t number, size_t axes, size_t counters);
void model_axis_close(struct model_axis *axis);

/* Draws `n` values of a case's type and data for k bins with these edges. */
void model_values_draw(const struct model_case *of, const double *edges, uint64_t seed, void *values);

/* The tables, near ones in local memory from `address` on where `local` is not 0; `number` as above. */
struct model_tables model_axis_tables(const struct model_axis *axis, size_t number, int local, uint32_t address);

/* Bytes of the near tables. */
uint32_t model_axis_near(const struct model_axis *axis);

/* What is right: the slot of value i, by comparing it with the edges. The last bin has no upper edge of its own. */
size_t model_axis_slot(const struct model_axis *axis, size_t i);

/* Fails if value i has been found in another slot. */
void model_axis_check(const struct model_axis *axis, size_t i, size_t slot);

/* How operations are launched: the one place of the model that asks where the library would count. */
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
