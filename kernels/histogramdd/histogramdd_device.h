/* SPDX-License-Identifier: Apache-2.0 */
/* Points on their way into a histogram over several axes, and such a histogram on a device that runs modules: each axis
 * has a kernel that brings its digit into the cells of a piece of points, and the store's kernels add the piece. */
#ifndef UHI_HISTOGRAMDD_DEVICE_H
#define UHI_HISTOGRAMDD_DEVICE_H

#include <unihist/histogramdd.h>

#include "kernels/accumulate/store.h"
#include "kernels/common/values.h"
#include "kernels/histogram/plan.h"

/* The points of one call. */
struct uhi_histogramdd_points {
    size_t naxes, n;
    const struct uhi_histogram_plan *plan[UH_MAX_AXES];
    struct uhi_values x[UH_MAX_AXES];
    const uh_array *values; /* weights or samples, NULL for none */
};

/* Numbers of points. */
struct uhi_histogramdd_counters {
    uint64_t flow[UH_MAX_AXES][3]; /* below, above, NaN */
    uint64_t points, outside;      /* filled; those of them in no cell */
};

/* What points are added to. */
struct uhi_histogramdd_sums {
    struct uhi_store *store;
    struct uhi_histogramdd_counters *counters;
};

struct uhi_histogramdd_device;

/* Makes the state of one histogram; waits for nothing. The caller destroys it before the store.
 * UH_ERROR_UNSUPPORTED where this build has no kernels for devices. */
uh_status uhi_histogramdd_device_create(const char *call, uh_queue *queue, struct uhi_store *store,
                                        struct uhi_histogramdd_device **state);

/* Waits for the device and frees everything on it; NULL is allowed. */
void uhi_histogramdd_device_destroy(struct uhi_histogramdd_device *state);

/* Brings the plans of `points` to the device now. UH_ERROR_UNSUPPORTED where the device cannot do it exactly. */
uh_status uhi_histogramdd_device_prepare(const char *call, struct uhi_histogramdd_device *state,
                                         const struct uhi_histogramdd_points *points);

/* Adds the points to what the device holds, and what has to make room there to `sums`. On failure nothing is added.
 * Points in plain host memory, host or shared USM may be reused on return. */
uh_status uhi_histogramdd_device_add(const char *call, struct uhi_histogramdd_device *state,
                                     const struct uhi_histogramdd_points *points, struct uhi_histogramdd_sums sums);

/* Moves what the device holds to `sums`. On failure both are as before. */
uh_status uhi_histogramdd_device_settle(const char *call, struct uhi_histogramdd_device *state,
                                        struct uhi_histogramdd_sums sums);

/* Forgets what the device holds, and any failure of the past. */
void uhi_histogramdd_device_reset(struct uhi_histogramdd_device *state);

#endif
