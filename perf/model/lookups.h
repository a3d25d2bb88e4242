/* SPDX-License-Identifier: Apache-2.0 */
/* Which words the kernels look at (histogram_slot.inc) for a value of one axis, and where it is found. */
#ifndef PERF_MODEL_LOOKUPS_H
#define PERF_MODEL_LOOKUPS_H

#include "kernels/histogram/histogram.h"
#include "perf/model/operation.h"

/* A plan as it lies on a device: uhi_histogram_image_write. */
struct model_tables {
    enum uhi_compare compare;
    enum uhi_lookup lookup;
    const struct uhi_histogram_params *params; /* where the image begins */
    int local;                                 /* the near tables are in local memory, */
    uint32_t address;                          /* from there on */
    uint32_t site;                             /* of the first look-up */
};

/* Whether the model goes these tables' way: float32, float64, and float64 by its keys; meshes of float32 alone. */
int model_is_followed(const struct model_tables *tables);

/* The rank or slot that a group counts value i as (counter_of). With `split` it is as histogram.cl counts vectors: a
 * value that its entry does not decide is looked up again, later. Values are no NaN. */
uint32_t model_counter(const struct model_tables *tables, const void *values, size_t i, int split,
                       struct model_way *way);

/* The slot of such a counter, and the same as a look-up of a lane. */
uint32_t model_slot_of_counter(const struct model_tables *tables, uint32_t counter);
uint32_t model_look_slot(const struct model_tables *tables, uint32_t counter, struct model_way *way);

#endif
