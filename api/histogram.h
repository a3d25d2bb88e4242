/* SPDX-License-Identifier: Apache-2.0 */
/* Internal form of a histogram, shared by the calls of histogram.h and save.h. One axis with counts only has counters
 * of slots; one growing axis uses those of bincount; everything else uses a store. */
#pragma once

#include <unihist/bins.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/axis.h"
#include "kernels/bincount/bincount_run.h"
#include "kernels/common/shares.h"
#include "kernels/histogram/histogram_run.h"

/* The points of a call: an array per axis, and weights or samples, or NULL. `names` are the arrays' data in messages,
 * and at UH_MAX_AXES the weights' data. */
struct uhi_filled {
    const uh_array *arrays, *weights;
    const char *const *names;
};
extern const char *const uhi_names_of_arrays[UH_MAX_AXES + 1]; /* arrays[0].data and so on, weights->data */

/* Operations on cells, which differ for growing axes. Arguments have been checked; `call` is for messages. */
struct uhi_contents {
    uh_status (*make)(const char *call, uh_histogram *made, const uh_histogram_options *options);
    uh_status (*prepare)(const char *call, uh_histogram *histogram, const uh_dtype *dtypes);
    /* As uhi_histogram_fill, with at least one point. */
    uh_status (*fill)(const char *call, uh_histogram *histogram, const struct uhi_filled *filled);
    void (*clear)(uh_histogram *histogram);
    /* Moves data still on a device to the host. */
    uh_status (*fetch)(const char *call, uh_histogram *histogram);
    /* Adds the contents of `source`; `numbers` are its counters. Both are compatible and on the host. */
    uh_status (*merge)(const char *call, uh_histogram *target, const uh_histogram *source,
                       const struct uhi_histogram_numbers *numbers);
};

/* Cells that grow with the largest value. */
struct uhi_growing {
    struct uhi_bincount count;
    size_t minlength;
    uh_axis *axis; /* last axis returned, with the cells at that time; or NULL */
};

struct uh_histogram {
    const struct uhi_contents *contents;
    uh_queue *queue;
    size_t naxes, cells;
    uh_storage storage;
    uh_sum sum;
    uint64_t most; /* upper bound of the number of points; includes failed fills */
    uh_axis *axes[UH_MAX_AXES];
    struct uhi_plan_options options[UH_MAX_AXES];
    struct uhi_histogram_plan *plans[UH_MAX_AXES][UH_DTYPE_COUNT]; /* made on first use */
    /* One axis with counts only: one counter per slot (below, k bins, above, NaN), then the points outside for other
     * reasons, e.g. after a projection. NULL for all others, which use the members below. */
    uint64_t *counts;
    struct uhi_growing *growing; /* or NULL; owns `store`, which `fetch` sets */
    struct uhi_store *store;
    struct uhi_histogram_numbers numbers;
    struct uhi_histogram_run run;
    struct uhi_histogram_shares *shares; /* of a combined device's parts (histogram_shares.c), or NULL */
};

/* ---- lifetime and filling (histogram.c); `call` is for messages ---- */

/* As uh_histogram_create. */
uh_status uhi_histogram_make(const char *call, uh_queue *queue, const uh_axis *const *axes, size_t naxes,
                             const uh_histogram_options *options, uh_histogram **histogram);

/* Wants a look-up that no method names, for tests; called before the axis has a plan. */
void uhi_histogram_want(uh_histogram *histogram, size_t axis, enum uhi_lookup lookup);

/* As uh_histogram_fill. */
uh_status uhi_histogram_fill(const char *call, uh_histogram *histogram, const struct uhi_filled *filled);

/* Checks that n more points can be counted, and counts them in `most`. */
uh_status uhi_histogram_expect(const char *call, uh_histogram *histogram, size_t n);

/* Checks that the storage takes these weights of n points, or NULL. */
uh_status uhi_histogram_check_weights(const char *call, const uh_histogram *histogram, const uh_array *weights,
                                      size_t n);

/* Checks the array of an axis; its length must be that of the first one. */
uh_status uhi_check_coordinates(const char *call, const uh_array *arrays, size_t axis);

/* Checks that `source` can be added to `target`: same axes, storage and sum. Returns UH_ERROR_INCOMPATIBLE with the
 * first difference. */
uh_status uhi_histogram_check_alike(const char *call, const uh_histogram *target, const uh_histogram *source);

/* Computes the number of cells from the bins per axis; at most UH_MAX_CELLS. */
uh_status uhi_count_cells(const char *call, const size_t *bins, size_t naxes, size_t *cells);

/* Returns the names of an enumeration, indexed by value; not for UH_ENUM_DTYPE. */
const char *const *uhi_enum_names(uh_enum kind);

/* Returns the default limit, in bytes, of the tables for `bins` bins. */
size_t uhi_default_table_bytes(size_t bins);

/* Returns the current number of bins of an axis. */
static inline size_t uhi_histogram_bins(const uh_histogram *histogram, size_t axis) {
    return histogram->naxes == 1 ? histogram->cells : uhi_axis_bins(histogram->axes[axis]);
}

/* Returns the number of cells from one bin of an axis to the next. */
static inline size_t uhi_histogram_stride(const uh_histogram *histogram, size_t axis) {
    size_t stride = 1;
    for (size_t a = axis + 1; a < histogram->naxes; a++)
        stride *= uhi_histogram_bins(histogram, a);
    return stride;
}

/* Returns the current axis, valid until the cells change; do not free it. Returns NULL, after uhi_fail, if there is no
 * memory for its edges. */
const uh_axis *uhi_histogram_get_axis(const char *call, const uh_histogram *histogram, size_t axis);

/* ---- contents (histogram_contents.c, histogram_growing.c) ---- */

extern const struct uhi_contents uhi_fixed_contents, uhi_growing_contents;

/* Gets the plan for values of a checked type on an axis; do not free it. */
uh_status uhi_histogram_get_plan(const char *call, uh_histogram *histogram, size_t axis, uh_dtype dtype,
                                 const struct uhi_histogram_plan **plan);

/* Describes how a device adds points, if in one launch, for coordinates all of type `dtype` and, if sums are kept,
 * float32 weights. Writes like snprintf; *length is the full length. Not for growing axes. */
uh_status uhi_histogram_where_filled(const char *call, uh_histogram *histogram, uh_dtype dtype, char *text, size_t size,
                                     int *length);

/* Returns the counters of the cells (COUNT only); do not free them. */
uint64_t *uhi_histogram_get_counts(const uh_histogram *histogram);

/* Stores the counts of cells [from, from + n): COUNT, MEAN, U8, U16. */
void uhi_histogram_read_counts(const uh_histogram *histogram, size_t from, size_t n, uint64_t *counts);

/* Stores the sums of cells [from, from + n) for storage SUM or WEIGHTED, otherwise their counts. */
void uhi_histogram_read_values(const uh_histogram *histogram, size_t from, size_t n, double *value);

/* Numbers of points inside and outside. Set them after the counts of the cells. */
struct uhi_histogram_numbers uhi_histogram_numbers(const uh_histogram *histogram);
void uhi_histogram_set_numbers(uh_histogram *histogram, const struct uhi_histogram_numbers *numbers);

/* ---- on a combined device's queue (histogram_shares.c) ---- */

struct uhi_histogram_shares {
    struct uhi_speeds speeds;
    size_t count;
    uh_histogram *part[];
};

/* As uhi_contents.prepare and .fill, by the parts. */
uh_status uhi_histogram_prepare_shared(const char *call, uh_histogram *histogram, const uh_dtype *dtypes);
uh_status uhi_histogram_fill_shared(const char *call, uh_histogram *histogram, const struct uhi_filled *filled);

/* Returns the lead part's histogram, which is like the others, or the histogram itself if it is not shared. */
static inline uh_histogram *uhi_histogram_lead(uh_histogram *histogram) {
    const struct uhi_histogram_shares *shares = histogram->shares;
    const uh_queue *lead = uhi_queue_lead(histogram->queue);
    for (size_t i = 0; shares && i < shares->count; i++)
        if (shares->part[i]->queue == lead)
            return shares->part[i];
    return histogram;
}

/* As uhi_histogram_index, with the parts of a shared histogram, or with those of a queue and a plan for any device. */
uh_status uhi_histogram_index_shared(const char *call, uh_histogram *histogram, const uh_array *x,
                                     struct uhi_index index);
uh_status uhi_index_shared(const char *call, uh_queue *queue, const struct uhi_histogram_plan *plan, const uh_array *x,
                           struct uhi_index index);

/* ---- one axis that grows (histogram_growing.c) ---- */

uh_status uhi_growing_check(const char *call, const uh_histogram_options *options, const uh_axis *const *axes,
                            size_t naxes);

/* Checks that `source` can be merged if `target` or `source` grows; both have the same number of axes, storage and sum.
 * UH_ERROR_INCOMPATIBLE. */
uh_status uhi_growing_check_alike(const char *call, const uh_histogram *target, const uh_histogram *source);

/* Reserves room for `cells` cells, at least one. */
uh_status uhi_growing_reserve(const char *call, uh_histogram *histogram, size_t cells);

void uhi_growing_free(struct uhi_growing *growing);

/* ---- checks (check.c); UH_ERROR_INVALID_ARGUMENT ---- */

/* Checks the value of an enumeration (names.c): element `index` of an argument, or the argument itself (UH_NO_INDEX).
 */
uh_status uhi_check_enum(const char *call, const char *argument, size_t index, uh_enum kind, unsigned value);

/* Checks that min <= value <= max, which NaN does not; `expected` is for the message. */
uh_status uhi_check_number(const char *call, const char *argument, double value, double min, double max,
                           const char *expected);

/* The same for a size, of an argument or of its element `index`. */
uh_status uhi_check_between(const char *call, const char *argument, size_t index, size_t value, size_t min, size_t max);

/* Checks a call's array, or element `index` of its arrays. */
uh_status uhi_check_array(const char *call, const char *argument, size_t index, const uh_array *array);

/* Checks a call's array, whose elements must be contiguous. */
uh_status uhi_check_contiguous(const char *call, const char *argument, const uh_array *array);

/* Checks that n elements of `size` bytes at `to`, the call's output, do not overlap a checked input array. */
uh_status uhi_check_disjoint(const char *call, const char *output, const void *to, size_t n, size_t size,
                             const char *input, const uh_array *x);

uh_status uhi_check_call(const char *call, const uh_queue *queue, const uh_array *x);

uh_status uhi_check_weights(const char *call, const char *argument, const uh_array *weights, size_t n);

/* Check that `axis` is valid; that it has bins between edges; that it is the only axis. */
uh_status uhi_histogram_check_axis(const char *call, const uh_histogram *histogram, size_t axis);
uh_status uhi_histogram_check_edges(const char *call, const uh_histogram *histogram, size_t axis);
uh_status uhi_histogram_check_one_axis(const char *call, const uh_histogram *histogram);

/* ---- conversion between growing and fixed histograms (histogram_parts.c) ---- */

/* Makes an empty growing histogram with the storage, sum and queue of `like`. */
uh_status uhi_growing_make(const char *call, const uh_histogram *like, size_t minlength, uh_histogram **made);

/* Makes a fixed histogram of a growing one, over its current integers, always including 0. */
uh_status uhi_histogram_fix(const char *call, uh_histogram *growing, uh_histogram **fixed);

/* ---- saved form (save_histogram.c), one description for both directions ---- */

struct uhi_sections;

struct uhi_saved_histogram {
    uh_histogram *histogram;         /* with its contents on the host */
    const struct uhi_growing *grows; /* the growing histogram of these bins, or NULL */
};
struct uhi_loaded_histogram {
    uh_queue *queue;
    uh_histogram **histogram;
};

/* As uhi_saved_exchange and uhi_saved_taker, of these. */
void uhi_save_histogram(struct uhi_sections *sections, void *object);
void uhi_load_histogram(struct uhi_sections *sections, void *wish);
