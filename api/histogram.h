/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram as the calls of histogram.h and save.h share it. One axis that only counts has counters of its own, which
 * values find in one step; everything else has a store, to which the cells of points are brought axis by axis. */
#ifndef UHI_API_HISTOGRAM_H
#define UHI_API_HISTOGRAM_H

#include <unihist/histogram.h>

#include "api/axis.h"
#include "kernels/histogram/histogram_run.h"
#include "kernels/histogramdd/histogramdd_run.h"
#include "kernels/plan/plan.h"

struct uh_histogram {
    uh_queue *queue;
    size_t naxes, cells;
    uh_storage storage;
    uh_sum sum;
    uh_axis *axes[UH_MAX_AXES];
    struct uhi_plan_options options[UH_MAX_AXES];
    struct uhi_histogram_plan *plans[UH_MAX_AXES][UH_DTYPE_COUNT]; /* made when first needed */
    struct uhi_histogram_run line;                                 /* over one axis: indices, and `counts` */
    /* One axis that only counts: by slot (below, k bins, above, NaN), and behind these the points that are outside for
     * other reasons, as of a projection. NULL for all others, which have what follows. */
    uint64_t *counts;
    struct uhi_store *store;
    struct uhi_histogramdd_counters counters;
    struct uhi_histogramdd_run run;
};

/* ---- life and filling (histogram.c); `call` is for messages ---- */

/* As uh_histogram_create. */
uh_status uhi_histogram_make(const char *call, uh_queue *queue, const uh_axis *const *axes, size_t naxes,
                             const uh_histogram_options *options, uh_histogram **histogram);

/* As uh_histogram_fill. `argument` is how messages name the first array's data, NULL for arrays[0].data. */
uh_status uhi_histogram_fill(const char *call, const char *argument, uh_histogram *histogram, const uh_array *arrays,
                             const uh_array *weights);

/* Checks the array of an axis, which has as many elements as the first one. */
uh_status uhi_check_coordinates(const char *call, const uh_array *arrays, size_t axis);

/* Lends the plan for values of a checked type on an axis. */
uh_status uhi_histogram_get_plan(const char *call, uh_histogram *histogram, size_t axis, uh_dtype dtype,
                                 const struct uhi_histogram_plan **plan);

/* Maximum bytes that the tables of `bins` bins may take when the caller sets none. */
size_t uhi_default_table_bytes(size_t bins);

/* ---- contents (histogram_contents.c); all but the first are of the host alone ---- */

/* Brings to the host what a device still holds. */
uh_status uhi_histogram_bring(const char *call, uh_histogram *histogram);

/* Stores the counts of cells [from, from + n): COUNT, MEAN, U8, U16. */
void uhi_histogram_read_counts(const uh_histogram *histogram, size_t from, size_t n, uint64_t *counts);

/* COUNT: lends the counters of the cells. */
uint64_t *uhi_histogram_lend_counts(uh_histogram *histogram);

/* How many points there are, and where outside. Setting them comes after the counts of cells. */
struct uhi_histogramdd_counters uhi_histogram_numbers(const uh_histogram *histogram);
void uhi_histogram_set_numbers(uh_histogram *histogram, const struct uhi_histogramdd_counters *numbers);

/* ---- checks; UH_ERROR_INVALID_ARGUMENT ---- */

uh_status uhi_check_dtype(const char *call, const char *argument, uh_dtype dtype);

/* Checks a call's array. */
uh_status uhi_check_array(const char *call, const char *argument, const uh_array *array);

/* Checks a call's queue and its array `x`. */
uh_status uhi_check_call(const char *call, const uh_queue *queue, const uh_array *x);

/* Checks that `weights`, which the call names `argument`, are some, for `n` values. */
uh_status uhi_check_weights(const char *call, const char *argument, const uh_array *weights, size_t n);

/* Checks that `axis` is one. */
uh_status uhi_histogram_check_axis(const char *call, const uh_histogram *histogram, size_t axis);

/* ---- one call (histogram_of.c, min_max.c), for checked values ---- */

/* Counts values by bins of their own, and stores the counts and, where `flow` is not NULL, the flow. */
uh_status uhi_histogram_once(const char *call, uh_queue *queue, uh_axis *axis, const uh_array *x, uint64_t *counts,
                             uh_flow *flow);

/* As uh_min_max; `argument` is how messages name the data. */
uh_status uhi_min_max(const char *call, const char *argument, uh_queue *queue, const uh_array *x, double *min,
                      double *max, uint64_t *nan);

static inline struct uhi_values uhi_array_values(const uh_array *array) {
    return (struct uhi_values){.first = array->data, .n = array->count, .stride = array->stride};
}

#endif
