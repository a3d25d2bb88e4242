/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of sub-groups that count values, and how long the memories take over them. */
#ifndef PERF_MODEL_SIMULATE_H
#define PERF_MODEL_SIMULATE_H

#include "perf/model/devices.h"
#include "perf/model/lookups.h"

#include "kernels/common/shape.h"

/* Who counts: a work-item takes `width` values that lie side by side, a sub-group one of each of its lanes at a time.
 */
struct model_counting {
    const struct model_device *device;
    const struct uhi_shape *shape;
    struct model_tables tables;
    uint32_t lanes, width;
};

/* Sums over all values of what sub-groups sent for them. */
struct model_sums {
    uint64_t values;
    uint64_t messages;       /* look-ups and counts, of a sub-group's lanes together */
    uint64_t local_messages; /* those to local memory */
    uint64_t local_cycles;   /* that it takes, one after the other */
    uint64_t lines;          /* cache lines of look-ups in global memory */
    uint64_t atomic_cycles;  /* of global atomic operations: each line, and each further one on the same word */
};

/* Elements of a vector, at most. */
enum { MODEL_WIDTH = 16 };

/* Adds the messages for n values, a whole number of sub-groups' shares (lanes * width). Stores what the values are
 * counted as: slots, or with packed cells ranks of cuts. Not for several threads at once. */
void model_simulate(const struct model_counting *counting, const float *x, size_t n, uint32_t *counters,
                    struct model_sums *sums);

#endif
