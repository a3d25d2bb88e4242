/* SPDX-License-Identifier: Apache-2.0 */
/* What a histogram of float32 values over one axis may reach on a device: bounds, each as if nothing else were in the
 * way, by the finished code, the very tables of its plan, and values. None of it was measured. */
#ifndef PERF_MODEL_PREDICT_H
#define PERF_MODEL_PREDICT_H

#include "perf/error.h"
#include "perf/model/devices.h"
#include "perf/model/figures.h"

#include "kernels/common/shape.h"
#include "tests/cases_histogram.h"

#include <unihist/histogram.h>

struct model_case {
    enum case_bins bins;
    enum case_data data;
    size_t k;
    double h;
    uh_method method;
};

/* What may bind. */
enum model_bound { MODEL_ISSUE, MODEL_LOCAL, MODEL_CACHE, MODEL_ATOMICS, MODEL_MEMORY, MODEL_LATENCY, MODEL_BOUNDS };
extern const char *const model_bound_names[MODEL_BOUNDS];

struct model_prediction {
    char kernel[64], plan[512];
    struct uhi_shape shape;
    uint32_t local_bytes;                /* of a group, as it is given them */
    uint32_t threads, groups;            /* of a core: resident at a time */
    double lookups;                      /* messages a point that look something up or count */
    double local_messages, local_cycles; /* a point of a sub-group's lanes; cycles of a core's local memory for it */
    double lines, atomic_cycles, slots;  /* the same: cache lines; global atomic operations; slots a point */
    double rate[MODEL_BOUNDS];           /* points a second */
    enum model_bound binds;              /* the least of them */
};

/* Predicts. Every value's bin is checked with a binary search among the edges; PERF_FAILURE where one is wrong, a
 * kernel is not among the figures, or memory is lacking. */
int model_predict(const struct model_device *device, const struct model_figures *figures, const struct model_case *of,
                  struct model_prediction *prediction, struct perf_error *error);

#endif
