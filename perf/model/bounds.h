/* SPDX-License-Identifier: Apache-2.0 */
/* What binds: bounds, each as if nothing else were in the way, by the finished code and what was simulated. */
#ifndef PERF_MODEL_BOUNDS_H
#define PERF_MODEL_BOUNDS_H

#include "perf/model/figures.h"
#include "perf/model/operation.h"
#include "perf/model/simulate.h"

/* What may bind. */
enum model_bound { MODEL_ISSUE, MODEL_LOCAL, MODEL_CACHE, MODEL_ATOMICS, MODEL_MEMORY, MODEL_LATENCY, MODEL_BOUNDS };
extern const char *const model_bound_names[MODEL_BOUNDS];

struct model_prediction {
    struct model_launch launch;
    uint32_t threads, groups;            /* of a core: resident at a time */
    double lookups;                      /* messages a point that look something up or add */
    double local_messages, local_cycles; /* a point of a sub-group's lanes; cycles of a core's local memory for it */
    double lines, atomic_cycles, slots;  /* the same: cache lines; global atomic operations; slots a point */
    double rate[MODEL_BOUNDS];           /* points a second */
    enum model_bound binds;              /* the least of them */
};

/* Finds how many groups of a core there are room and threads for, of a launch that the prediction has. */
void model_fill_core(const struct model_device *device, const struct model_kernel *kernel,
                     struct model_prediction *prediction);

/* Finds the bounds by what was simulated; `additions` is the kernel of launch.additions, or NULL. */
void model_bounds(const struct model_device *device, const struct model_kernel *kernel,
                  const struct model_kernel *additions, const struct model_sums *sums,
                  struct model_prediction *prediction);

#endif
