/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms derived from a histogram: projections and other bins. Each is one pass over the cells, adding every cell
 * to the cell of the new histogram that its bins map to. */

#include "api/histogram.h"
#include "runtime/status.h"

/* Mapping of an axis's bins. */
struct view {
    const size_t *to; /* the new bin of each, or UH_NO_INDEX: outside; NULL: the same bins */
    size_t first;     /* bin that stays */
    size_t stride;    /* cells from one bin of the new axis to the next; 0 if the axis is summed over */
};

/* A derived histogram. */
struct part {
    const char *call;
    uh_histogram *old, *made;
    size_t naxes;                     /* of the new histogram */
    const uh_axis *axes[UH_MAX_AXES]; /* of the new histogram, and the old axis of each */
    size_t from_axis[UH_MAX_AXES];
    struct view view[UH_MAX_AXES];        /* of the old axes; `make` sets the strides */
    size_t kept[UH_MAX_AXES];             /* new number of each old axis; naxes if dropped */
    struct uhi_histogram_numbers numbers; /* of the new histogram */
};

/* Starts with the whole histogram. `argument` is the call's name for `made`. */
static uh_status begin(struct part *part, const char *call, uh_histogram *histogram, const char *argument,
                       uh_histogram **made) {
    UHI_NEED(call, histogram, "a histogram");
    if (!made)
        return uhi_fail_null(call, argument, "where to store the new histogram");
    *part = (struct part){.call = call, .old = histogram, .naxes = histogram->naxes};
    for (size_t a = 0; a < histogram->naxes; a++) {
        part->axes[a] = histogram->axes[a];
        part->from_axis[a] = a;
    }
    return histogram->contents->fetch(call, histogram);
}

/* ---- pass over the cells ---- */

static int is_lost(const struct view *view, size_t bin) { return view->to && view->to[bin] == UH_NO_INDEX; }

/* Counts the points of a cell outside the view: as outside, and as below or above the bins that stay. */
static void move_outside(struct part *part, const size_t *bin, uint64_t points) {
    part->numbers.outside += points;
    for (size_t a = 0; a < part->old->naxes; a++)
        if (part->kept[a] < part->naxes && is_lost(&part->view[a], bin[a])) {
            const int below = bin[a] < part->view[a].first && !part->old->axes[a]->edges.order;
            part->numbers.flow[part->kept[a]][below ? UHI_FLOW_BELOW : UHI_FLOW_ABOVE] += points;
        }
}

/* Adds a cell to cell `target` of the new histogram or, if `inside` is 0, to its outside. */
static void fold_cell(struct part *part, size_t cell, int inside, size_t target, const size_t *bin) {
    uh_histogram *old = part->old, *made = part->made;
    uint64_t points = 0;
    if (old->storage == UH_STORAGE_COUNT || old->storage == UH_STORAGE_MEAN) /* other storages do not know the number */
        uhi_histogram_read_counts(old, cell, 1, &points);
    if (old->storage != UH_STORAGE_COUNT)
        uhi_store_fold(made->store, inside ? target : made->cells, old->store, cell);
    else if (inside)
        uhi_histogram_get_counts(made)[target] += points;
    if (!inside)
        move_outside(part, bin, points);
}

static void fold_all(struct part *part) {
    const uh_histogram *old = part->old;
    const struct view *view = part->view;
    size_t bin[UH_MAX_AXES] = {0};
    for (size_t cell = 0; cell < old->cells; cell++) {
        size_t target = 0;
        int inside = 1;
        for (size_t a = 0; a < old->naxes; a++) {
            inside &= !is_lost(&view[a], bin[a]);
            target += (view[a].to ? view[a].to[bin[a]] : bin[a]) * view[a].stride;
        }
        fold_cell(part, cell, inside, target, bin);
        for (size_t a = old->naxes; a-- > 0;) { /* advance to the next cell */
            if (++bin[a] < uhi_histogram_bins(old, a))
                break;
            bin[a] = 0;
        }
    }
    if (old->storage != UH_STORAGE_COUNT)
        uhi_store_fold(part->made->store, part->made->cells, old->store, old->cells);
    uhi_histogram_set_numbers(part->made, &part->numbers);
}

static uh_status make(struct part *part, uh_histogram **made) {
    uh_histogram *old = part->old;
    size_t stride = 1;
    const struct uhi_histogram_numbers numbers = uhi_histogram_numbers(old);
    const uh_histogram_options options = {.struct_size = sizeof options, .storage = old->storage, .sum = old->sum};
    part->numbers.points = numbers.points;
    part->numbers.outside = numbers.outside;
    for (size_t a = 0; a < old->naxes; a++)
        part->kept[a] = part->naxes;
    for (size_t i = part->naxes; i-- > 0;) {
        const size_t from = part->from_axis[i];
        part->kept[from] = i;
        part->view[from].stride = stride;
        stride *= uhi_axis_bins(part->axes[i]);
        memcpy(part->numbers.flow[i], numbers.flow[from], sizeof numbers.flow[i]);
    }
    uh_status status = uhi_histogram_make(part->call, old->queue, part->axes, part->naxes, &options, &part->made);
    if (!status && old->storage != UH_STORAGE_COUNT)
        status = uhi_store_reserve(part->call, part->made->store, old->store);
    if (status) {
        uh_histogram_destroy(part->made);
        return status;
    }
    for (size_t i = 0; i < part->naxes; i++) {
        if (part->view[part->from_axis[i]].to)
            continue;
        part->made->options[i].lookup = old->options[part->from_axis[i]].lookup;
        part->made->options[i].leaf_bins = old->options[part->from_axis[i]].leaf_bins;
        part->made->options[i].table_bytes = old->options[part->from_axis[i]].table_bytes;
    }
    fold_all(part);
    *made = part->made;
    return UH_SUCCESS;
}

/* ---- growing axis ---- */

uh_status uhi_histogram_fix(const char *call, uh_histogram *growing, uh_histogram **fixed) {
    struct part part;
    uh_axis *axis = NULL;
    uh_status status = begin(&part, call, growing, "histogram", fixed);
    if (!status)
        status = uhi_axis_make_integers(call, 0, growing->cells ? growing->cells : 1, &axis);
    part.axes[0] = axis;
    if (!status)
        status = make(&part, fixed);
    uh_axis_destroy(axis);
    return status;
}

uh_status uhi_growing_make(const char *call, const uh_histogram *like, size_t minlength, uh_histogram **made) {
    const uh_histogram_options options = {
        .struct_size = sizeof options, .storage = like->storage, .sum = like->sum, .minlength = minlength};
    uh_axis *axis = NULL;
    UHI_TRY(uhi_axis_make_integers(call, 0, 0, &axis));
    const uh_status status = uhi_histogram_make(call, like->queue, (const uh_axis *const *)&axis, 1, &options, made);
    uh_axis_destroy(axis);
    return status;
}

/* Makes a growing histogram with the same contents. */
static uh_status copy_growing(const char *call, uh_histogram *histogram, uh_histogram **made) {
    uh_histogram *copy = NULL;
    uh_status status = uhi_growing_make(call, histogram, histogram->growing->minlength, &copy);
    if (!status) {
        const struct uhi_histogram_numbers numbers = uhi_histogram_numbers(histogram);
        copy->growing->count.limit = histogram->growing->count.limit;
        copy->most = numbers.points;
        status = copy->contents->merge(call, copy, histogram, &numbers);
    }
    if (status)
        uh_histogram_destroy(copy);
    else
        *made = copy;
    return status;
}

/* ---- fewer axes ---- */

uh_status uh_histogram_project(uh_histogram *histogram, const size_t *axes, size_t naxes, uh_histogram **projected) {
    struct part part;
    UHI_TRY(begin(&part, __func__, histogram, "projected", projected));
    UHI_NEED(__func__, axes, "the numbers of the axes to keep");
    UHI_TRY(uhi_check_between(__func__, "naxes", UH_NO_INDEX, naxes, 1, histogram->naxes));
    part.naxes = naxes;
    for (size_t i = 0; i < naxes; i++) {
        UHI_TRY(uhi_check_between(__func__, "axes", i, axes[i], 0, histogram->naxes - 1));
        for (size_t j = 0; j < i; j++)
            if (axes[j] == axes[i])
                return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, __func__, "axes", j,
                                   "and axes[%zu] are both %zu, expected each once", i, axes[i]);
        part.axes[i] = histogram->axes[axes[i]];
        part.from_axis[i] = axes[i];
    }
    return histogram->growing ? copy_growing(__func__, histogram, projected) : make(&part, projected);
}

/* ---- other bins ---- */

uh_status uh_histogram_rebin(uh_histogram *histogram, size_t axis, const uh_axis *bins, const size_t *to,
                             uh_histogram **rebinned) {
    struct part part;
    UHI_TRY(begin(&part, __func__, histogram, "rebinned", rebinned));
    UHI_TRY(uhi_histogram_check_axis(__func__, histogram, axis));
    UHI_NEED(__func__, bins, "the new axis");
    UHI_NEED(__func__, to, "the new bin of each bin");
    if (uhi_axis_grows(bins))
        return uhi_fail_argument(__func__, "bins", "is an axis that grows, expected one of fixed bins");
    const size_t old = uhi_histogram_bins(histogram, axis), made = uhi_axis_bins(bins);
    size_t first = 0;
    for (size_t j = 0; j < old; j++)
        if (to[j] >= made && to[j] != UH_NO_INDEX)
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, __func__, "to", j,
                               "is %zu, expected 0 to %zu, or UH_NO_INDEX", to[j], made - 1);
    while (first < old && to[first] == UH_NO_INDEX)
        first++;
    part.axes[axis] = bins;
    part.view[axis] = (struct view){.to = to, .first = first};
    return make(&part, rebinned);
}
