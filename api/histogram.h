/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram as the calls of histogram.h share it. */
#ifndef UHI_API_HISTOGRAM_H
#define UHI_API_HISTOGRAM_H

#include "api/axis.h"
#include "kernels/histogram/histogram_run.h"
#include "kernels/plan/plan.h"

struct uh_histogram {
    uh_queue *queue;
    uh_axis *axis;
    struct uhi_plan_options options;
    struct uhi_histogram_plan *plans[UH_DTYPE_COUNT]; /* made when first needed */
    uint64_t *counts;                                 /* by slot: below, k bins, above, NaN */
    struct uhi_histogram_run run;
};

/* Checks a call's values; UH_ERROR_INVALID_ARGUMENT. */
uh_status uhi_check_values(const char *call, uh_dtype dtype, const void *x, size_t n);

/* Checks a call's queue and values; UH_ERROR_INVALID_ARGUMENT. */
uh_status uhi_check_call(const char *call, const uh_queue *queue, uh_dtype dtype, const void *x, size_t n);

/* As uh_min_max, for checked values. */
uh_status uhi_min_max(const char *call, uh_queue *queue, uh_dtype dtype, const void *x, size_t n, double *min,
                      double *max, uint64_t *nan);

/* Counts checked values by bins of their own, and stores the counts and, where `flow` is not NULL, the flow. */
uh_status uhi_histogram_once(const char *call, uh_queue *queue, const uh_axis *axis, uh_dtype dtype, const void *x,
                             size_t n, uint64_t *counts, uh_flow *flow);

/* numpy.histogram's range of the data. UH_ERROR_INVALID_ARGUMENT where it is not finite. */
uh_status uhi_own_range(const char *call, uh_queue *queue, uh_dtype dtype, const void *x, size_t n, double *lo,
                        double *hi);

/* Maximum bytes that the tables of `bins` bins may take when the caller sets none. */
size_t uhi_default_table_bytes(size_t bins);

#endif
