/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram over several axes as the calls of histogramdd.h share it. */
#ifndef UHI_API_HISTOGRAMDD_H
#define UHI_API_HISTOGRAMDD_H

#include "api/axis.h"
#include "kernels/histogramdd/histogramdd_run.h"
#include "kernels/plan/plan.h"

struct uh_histogramdd {
    uh_queue *queue;
    size_t naxes, cells;
    uh_axis *axes[UH_MAX_AXES];
    struct uhi_plan_options options[UH_MAX_AXES];
    struct uhi_histogram_plan *plans[UH_MAX_AXES][UH_DTYPE_COUNT]; /* made when first needed */
    struct uhi_store *store;
    struct uhi_histogramdd_counters counters;
    struct uhi_histogramdd_run run;
};

/* Makes a histogram as uh_histogramdd_create; `call` is for the messages. */
uh_status uhi_histogramdd_make(const char *call, uh_queue *queue, const uh_axis *const *axes, size_t naxes,
                               const uh_histogramdd_options *options, uh_histogramdd **histogram);

/* Adds points as uh_histogramdd_fill. */
uh_status uhi_histogramdd_fill(const char *call, uh_histogramdd *histogram, const uh_array *coordinates, size_t n,
                               const uh_array *values);

/* Brings to `store` and `counters` what a device still holds. */
uh_status uhi_histogramdd_bring(const char *call, uh_histogramdd *histogram);

/* UH_ERROR_INVALID_ARGUMENT unless the histogram's storage is one of those in `mask` (bits 1 << uh_storage). */
uh_status uhi_histogramdd_check_storage(const char *call, const uh_histogramdd *histogram, unsigned mask);

/* UH_ERROR_INVALID_ARGUMENT unless `axis` is one. */
uh_status uhi_histogramdd_check_axis(const char *call, const uh_histogramdd *histogram, size_t axis);

#define UHI_STORES(storage) (1u << (storage))
#define UHI_STORES_COUNTS                                                                                              \
    (UHI_STORES(UH_STORAGE_COUNT) | UHI_STORES(UH_STORAGE_MEAN) | UHI_STORES(UH_STORAGE_U8) |                          \
     UHI_STORES(UH_STORAGE_U16))
#define UHI_STORES_SUMS (UHI_STORES(UH_STORAGE_SUM) | UHI_STORES(UH_STORAGE_WEIGHTED))

#endif
