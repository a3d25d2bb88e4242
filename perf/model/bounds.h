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

/* Predicts. What comes of every point is checked with what is right; PERF_FAILURE where something is wrong, a kernel
 * is not among the figures, or memory is lacking. */
int model_predict(const struct model_device *device, const struct model_figures *figures, const struct model_case *of,
                  struct model_prediction *prediction, struct perf_error *error);

#endif
