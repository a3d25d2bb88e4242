/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram as the calls of histogram.h and save.h share it. One axis that only counts has counters of its own, which
 * values find in one step; one axis that grows has those of bincount; everything else has a store, to which the cells
 * of points are brought axis by axis. */
#ifndef UHI_API_HISTOGRAM_H
#define UHI_API_HISTOGRAM_H

#include <unihist/histogram.h>

#include "api/axis.h"
#include "kernels/bincount/bincount_run.h"
#include "kernels/common/shares.h"
#include "kernels/histogram/histogram_run.h"
#include "kernels/histogramdd/histogramdd_run.h"
#include "kernels/plan/plan.h"
#include "runtime/backend.h"

/* How cells are filled and kept: what differs between the three, and where the parts of a combined device's queue share
 * the work of one of them. It is given checked arguments; `call` is for messages. */
struct uhi_contents {
    uh_status (*make)(const char *call, uh_histogram *made, const uh_histogram_options *options);
    uh_status (*prepare)(const char *call, uh_histogram *histogram, const uh_dtype *dtypes);
    /* As uhi_histogram_fill, of one point at least. */
    uh_status (*fill)(const char *call, int x_alone, uh_histogram *histogram, const uh_array *arrays,
                      const uh_array *weights);
    void (*clear)(uh_histogram *histogram);
    /* Forgets what a device still holds, and any failure of it. */
    void (*forget)(uh_histogram *histogram);
    /* Brings to the host what a device still holds. */
    uh_status (*bring)(const char *call, uh_histogram *histogram);
    /* Adds what `source` holds, whose numbers are `numbers`; both are alike and have been brought. */
    uh_status (*merge)(const char *call, uh_histogram *target, const uh_histogram *source,
                       const struct uhi_histogramdd_counters *numbers);
};

/* Cells that grow with the largest value. */
struct uhi_growing {
    struct uhi_bincount count;
    size_t minlength;
    uh_axis *axis; /* that was lent last, of the cells that there were then; or NULL */
};

struct uh_histogram {
    const struct uhi_contents *contents;
    uh_queue *queue;
    size_t naxes, cells;
    uh_storage storage;
    uh_sum sum;
    uint64_t most; /* points that there may be: those of fills that have failed are among them */
    uh_axis *axes[UH_MAX_AXES];
    struct uhi_plan_options options[UH_MAX_AXES];
    struct uhi_histogram_plan *plans[UH_MAX_AXES][UH_DTYPE_COUNT]; /* made when first needed */
    struct uhi_histogram_run line;                                 /* over one axis: indices, and `counts` */
    /* One axis that only counts: by slot (below, k bins, above, NaN), and behind these the points that are outside for
     * other reasons, as of a projection. NULL for all others, which have what follows. */
    uint64_t *counts;
    struct uhi_growing *growing; /* or NULL; it owns the store then, which is here when it has been brought */
    struct uhi_store *store;
    struct uhi_histogramdd_counters counters;
    struct uhi_histogramdd_run run;
    struct uhi_histogram_shares *shares; /* of a combined device's parts (histogram_shares.c), or NULL */
};

/* ---- life and filling (histogram.c); `call` is for messages ---- */

/* As uh_histogram_create, also by the planner's own methods (plan.h), which tests ask for. */
uh_status uhi_histogram_make(const char *call, uh_queue *queue, const uh_axis *const *axes, size_t naxes,
                             const uh_histogram_options *options, uh_histogram **histogram);

/* As uh_histogram_fill. Messages name `arrays` and `weights`, or where `x_alone` is 1, `x`, which is the one array, and
 * `values`. */
uh_status uhi_histogram_fill(const char *call, int x_alone, uh_histogram *histogram, const uh_array *arrays,
                             const uh_array *weights);

/* Checks the array of an axis, which has as many elements as the first one. */
uh_status uhi_check_coordinates(const char *call, const uh_array *arrays, size_t axis);

/* Checks that what is counted over the same axes in the same way can be added to `target`. UH_ERROR_INCOMPATIBLE, with
 * the first difference. */
uh_status uhi_histogram_check_alike(const char *call, const uh_histogram *target, const uh_histogram *source);

/* The number of cells of so many bins on each axis, at most UH_MAX_CELLS. */
uh_status uhi_count_cells(const char *call, const size_t *bins, size_t naxes, size_t *cells);

/* By value (names.c). */
extern const char *const uhi_storage_names[], *const uhi_sum_names[];

/* The name of a method, also of the planner's own; NULL for a value that is none (names.c). */
const char *uhi_method_name(uh_method method);

/* Maximum bytes that the tables of `bins` bins may take when the caller sets none. */
size_t uhi_default_table_bytes(size_t bins);

/* The number of bins of an axis, by now. */
static inline size_t uhi_histogram_bins(const uh_histogram *histogram, size_t axis) {
    return histogram->naxes == 1 ? histogram->cells : uhi_axis_bins(histogram->axes[axis]);
}

/* Cells from one bin of an axis to the next. */
static inline size_t uhi_histogram_stride(const uh_histogram *histogram, size_t axis) {
    size_t stride = 1;
    for (size_t a = axis + 1; a < histogram->naxes; a++)
        stride *= uhi_histogram_bins(histogram, a);
    return stride;
}

/* Lends an axis as it is now, until the cells change. NULL, having called uhi_fail, where there is no memory for its
 * edges. */
const uh_axis *uhi_histogram_lend_axis(const char *call, const uh_histogram *histogram, size_t axis);

/* ---- contents (histogram_contents.c, histogram_growing.c) ---- */

extern const struct uhi_contents uhi_line_contents, uhi_store_contents, uhi_growing_contents, uhi_shared_contents;

/* Lends the plan for values of a checked type on an axis. */
uh_status uhi_histogram_get_plan(const char *call, uh_histogram *histogram, size_t axis, uh_dtype dtype,
                                 const struct uhi_histogram_plan **plan);

/* Where there is a store: says how a device adds points whose coordinates are all of this type, and whose weights are
 * float32 where these are summed, if that is in one launch, as snprintf does, with the whole length in *length. */
uh_status uhi_histogram_where_all(const char *call, uh_histogram *histogram, uh_dtype dtype, char *text, size_t size,
                                  int *length);

/* Lends the counters of the cells, of COUNT. */
uint64_t *uhi_histogram_lend_counts(const uh_histogram *histogram);

/* Stores the counts of cells [from, from + n): COUNT, MEAN, U8, U16. */
void uhi_histogram_read_counts(const uh_histogram *histogram, size_t from, size_t n, uint64_t *counts);

/* Stores the sums of cells [from, from + n) where the storage is SUM or WEIGHTED, else their counts. */
void uhi_histogram_read_values(const uh_histogram *histogram, size_t from, size_t n, double *value);

/* How many points there are, and where outside. Setting them comes after the counts of cells. */
struct uhi_histogramdd_counters uhi_histogram_numbers(const uh_histogram *histogram);
void uhi_histogram_set_numbers(uh_histogram *histogram, const struct uhi_histogramdd_counters *numbers);

/* ---- on a combined device's queue (histogram_shares.c) ---- */

struct uhi_histogram_shares {
    const struct uhi_contents *contents; /* of the parts' histograms */
    struct uhi_speeds speeds;
    size_t count;
    uh_histogram *part[];
};

/* Lends the lead's, which is like the others; the histogram itself where it is not shared. */
static inline uh_histogram *uhi_histogram_lead(uh_histogram *histogram) {
    const struct uhi_histogram_shares *shares = histogram->shares;
    const uh_queue *lead = uhi_queue_lead(histogram->queue);
    for (size_t i = 0; shares && i < shares->count; i++)
        if (shares->part[i]->queue == lead)
            return shares->part[i];
    return histogram;
}

/* As uhi_histogram_index, with the parts of such a histogram, or those of a queue and a plan for any device. */
uh_status uhi_histogram_index_shared(const char *call, uh_histogram *histogram, const uh_array *x, int64_t *index);
uh_status uhi_index_shared(const char *call, uh_queue *queue, const struct uhi_histogram_plan *plan, const uh_array *x,
                           int64_t *index);

/* ---- one axis that grows (histogram_growing.c) ---- */

/* Checks options and axes where one of these grows. */
uh_status uhi_growing_check(const char *call, const uh_histogram_options *options, const uh_axis *const *axes,
                            size_t naxes);

/* Checks that a histogram of as many axes, of one storage and way to add, can be merged into one that grows, or one
 * that grows into it. UH_ERROR_INCOMPATIBLE. */
uh_status uhi_growing_check_alike(const char *call, const uh_histogram *target, const uh_histogram *source);

/* Makes room for `cells` cells, and one at least. */
uh_status uhi_growing_reserve(const char *call, uh_histogram *histogram, size_t cells);

void uhi_growing_free(struct uhi_growing *growing);

/* ---- checks (check.c); UH_ERROR_INVALID_ARGUMENT ---- */

uh_status uhi_check_dtype(const char *call, const char *argument, size_t index, uh_dtype dtype);
uh_status uhi_check_sum(const char *call, const char *argument, uh_sum sum);

/* Checks that min <= value <= max, of element `index` of an argument, or of itself (UH_NO_INDEX). */
uh_status uhi_check_between(const char *call, const char *argument, size_t index, size_t value, size_t min, size_t max);

/* Checks a call's array, or element `index` of its arrays. */
uh_status uhi_check_array(const char *call, const char *argument, size_t index, const uh_array *array);

/* Checks that n elements of `size` bytes, which a call writes to `output`, have no memory in common with a checked
 * array that it reads. */
uh_status uhi_check_apart(const char *call, const char *output, const void *to, size_t n, size_t size,
                          const char *input, const uh_array *x);

/* Checks a call's queue and its array `x`. */
uh_status uhi_check_call(const char *call, const uh_queue *queue, const uh_array *x);

/* Checks that `weights`, which the call names `argument`, are some, for `n` values. */
uh_status uhi_check_weights(const char *call, const char *argument, const uh_array *weights, size_t n);

/* Check that `axis` is one; that it is one of bins between edges; that there is no other. */
uh_status uhi_histogram_check_axis(const char *call, const uh_histogram *histogram, size_t axis);
uh_status uhi_histogram_check_edges(const char *call, const uh_histogram *histogram, size_t axis);
uh_status uhi_histogram_check_one_axis(const char *call, const uh_histogram *histogram);

/* ---- between growing and fixed ones (histogram_parts.c) ---- */

/* Makes an empty one that grows, of the storage and way to add of `like`, on its queue. */
uh_status uhi_growing_make(const char *call, const uh_histogram *like, size_t minlength, uh_histogram **made);

/* Makes a histogram of one that grows, on the integers that it has by now, of which 0 is always one. */
uh_status uhi_histogram_fix(const char *call, uh_histogram *growing, uh_histogram **fixed);

/* ---- one call (histogram_of.c, min_max.c), for checked values ---- */

/* As uh_min_max; `argument` is how messages name the data. */
uh_status uhi_min_max(const char *call, const char *argument, uh_queue *queue, const uh_array *x, double *min,
                      double *max, uint64_t *nan);

/* ---- saved form (save_histogram.c), described once for both directions ---- */

struct uhi_sections;

/* Adds all sections of a histogram whose contents are on the host. `grows` tells whose bins it has, or is NULL. */
void uhi_save_histogram(struct uhi_sections *sections, uh_histogram *histogram, const struct uhi_growing *grows);

/* Makes the histogram that the sections describe, on a queue; NULL where `sections` says why not. */
uh_histogram *uhi_load_histogram(struct uhi_sections *sections, uh_queue *queue);

#endif
