/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms derived from a histogram: projections, slices, ranges and coarser bins. Each is one pass over the cells,
 * adding every cell to the cell of the new histogram that its bins map to. */
#include <stdlib.h>
#include <string.h>

#include "api/histogram.h"
#include "runtime/status.h"

/* Mapping of an axis's bins: those in [from, to) to bin (j - from) / factor of the new axis, the others outside. The
 * first `alone` bins (0 or 1), and a remainder at the end, map to separate bins: with factor > 1 these are flow
 * bins. */
struct view {
    size_t from, to, factor, alone;
    size_t stride; /* cells from one bin of the new axis to the next; 0 if the axis is summed over */
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
        part->view[a] = (struct view){.to = uhi_histogram_bins(histogram, a), .factor = 1};
    }
    return histogram->contents->fetch(call, histogram);
}

/* ---- pass over the cells ---- */

/* Counts the points of a cell outside the view: as outside, and as below or above on the axes that are kept. */
static void move_outside(struct part *part, const size_t *bin, uint64_t points) {
    part->numbers.outside += points;
    for (size_t a = 0; a < part->old->naxes; a++) {
        if (part->kept[a] == part->naxes)
            continue;
        uint64_t *flow = part->numbers.flow[part->kept[a]];
        if (bin[a] < part->view[a].from)
            flow[part->old->axes[a]->edges.order ? UHI_FLOW_ABOVE : UHI_FLOW_BELOW] += points;
        else if (bin[a] >= part->view[a].to)
            flow[UHI_FLOW_ABOVE] += points;
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

/* Returns the new bin of bin j, which is inside. */
static size_t target_bin(const struct view *view, size_t j) {
    const size_t from = view->from + view->alone;
    return j < from ? 0 : view->alone + (j - from) / view->factor;
}

static void fold_all(struct part *part) {
    const uh_histogram *old = part->old;
    const struct view *view = part->view;
    size_t bin[UH_MAX_AXES] = {0};
    for (size_t cell = 0; cell < old->cells; cell++) {
        size_t target = 0;
        int inside = 1;
        for (size_t a = 0; a < old->naxes; a++) {
            inside &= bin[a] >= view[a].from && bin[a] < view[a].to;
            target += inside ? target_bin(&view[a], bin[a]) * view[a].stride : 0;
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
    uh_status status = uhi_check_between(__func__, "naxes", UH_NO_INDEX, naxes, 1, histogram->naxes);
    part.naxes = naxes;
    for (size_t i = 0; i < naxes && !status; i++) {
        status = uhi_check_between(__func__, "axes", i, axes[i], 0, histogram->naxes - 1);
        if (status)
            return status;
        for (size_t j = 0; j < i; j++)
            if (axes[j] == axes[i])
                return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, __func__, "axes", j,
                                   "and axes[%zu] are both %zu, expected each once", i, axes[i]);
        part.axes[i] = histogram->axes[axes[i]];
        part.from_axis[i] = axes[i];
    }
    if (status)
        return status;
    return histogram->growing ? copy_growing(__func__, histogram, projected) : make(&part, projected);
}

uh_status uh_histogram_slice(uh_histogram *histogram, size_t axis, size_t bin, uh_histogram **slice) {
    struct part part;
    UHI_TRY(begin(&part, __func__, histogram, "slice", slice));
    UHI_TRY(uhi_histogram_check_axis(__func__, histogram, axis));
    if (histogram->naxes < 2)
        return uhi_fail_argument(__func__, NULL, "the histogram has 1 axis, expected 2 or more");
    UHI_TRY(uhi_check_between(__func__, "bin", UH_NO_INDEX, bin, 0, part.view[axis].to - 1));
    part.view[axis].from = bin;
    part.view[axis].to = bin + 1;
    part.naxes--;
    for (size_t a = axis; a < part.naxes; a++) {
        part.axes[a] = histogram->axes[a + 1];
        part.from_axis[a] = a + 1;
    }
    return make(&part, slice);
}

/* ---- changed bins ---- */

/* Closed ends of a part of an axis: an end inside the whole axis keeps the rule of its bin. */
static uh_closed closed_ends(const struct uhi_edges *edges, const struct view *view) {
    const size_t first = (size_t)edges->below,
                 last = edges->count - 1 - (size_t)edges->above; /* of the edges that bound regular bins */
    if (edges->closed == UH_CLOSED_LEFT && view->from == last)   /* only the bin above: it excludes that edge */
        return UH_HALF_OPEN_RIGHT;
    if (edges->closed == UH_CLOSED_LEFT && view->to < last)
        return UH_HALF_OPEN_LEFT;
    if (edges->closed == UH_CLOSED_RIGHT && view->from > first)
        return UH_HALF_OPEN_RIGHT;
    return edges->closed;
}

/* Fewer categories would change the meaning of the bin for all other values. */
static uh_status part_of_categories(const char *call, const struct uhi_edges *edges, const struct view *view,
                                    uh_axis **made) {
    const size_t bins = uhi_edges_bins(edges), other = edges->above && view->to == bins;
    if (other && view->from > 0)
        return uhi_fail_argument(call, "from", "is %zu, expected 0 where the bin for all that is no category is kept",
                                 view->from);
    return uhi_axis_make_categories(call, "categories", edges->dtype, (const uint64_t *)edges->values + view->from,
                                    view->to - view->from - other, (int)other, made);
}

/* Makes the axis of edges from, from + factor, ... to, with the distribution of the whole axis. An end inside the whole
 * axis keeps the rule of its bin. */
static uh_status part_of_axis(const char *call, const uh_axis *axis, const struct view *view, uh_axis **made) {
    const struct uhi_edges *edges = &axis->edges; /* 8 bytes each */
    if (edges->order)
        return part_of_categories(call, edges, view, made);
    const size_t end = view->to - 1, count = target_bin(view, end) + 2;
    const int below = edges->below && view->from == 0, above = edges->above && view->to == edges->count - 1;
    uint64_t *kept = malloc(count * sizeof *kept);
    if (!kept)
        return uhi_fail_memory(call, "no memory for %zu edges", count);
    for (size_t i = 0, j = view->from; i < count; i++) {
        memcpy(kept + i, (const char *)edges->values + j * sizeof *kept, sizeof *kept);
        j += i < view->alone ? 1 : view->factor;
        j = j < view->to ? j : view->to;
    }
    uh_axis *part = NULL;
    uh_status status = uhi_axis_make(call, "edges", edges->dtype, kept, count, 2, closed_ends(edges, view), &part);
    free(kept);
    return status ? status : uhi_axis_complete(call, part, below, above, edges->distribution, made);
}

/* Makes a histogram with the same axes, except one changed by its view. */
static uh_status change_axis(struct part *part, size_t axis, uh_histogram **made) {
    uh_axis *changed = NULL;
    const uh_axis *whole = uhi_histogram_get_axis(part->call, part->old, axis);
    uh_status status = whole ? part_of_axis(part->call, whole, &part->view[axis], &changed) : UH_ERROR_OUT_OF_MEMORY;
    part->axes[axis] = changed;
    if (!status)
        status = make(part, made);
    uh_axis_destroy(changed);
    return status;
}

uh_status uh_histogram_crop(uh_histogram *histogram, size_t axis, size_t from, size_t to, uh_histogram **cropped) {
    struct part part;
    UHI_TRY(begin(&part, __func__, histogram, "cropped", cropped));
    UHI_TRY(uhi_histogram_check_axis(__func__, histogram, axis));
    struct view *view = &part.view[axis];
    if (from >= to || to > view->to)
        return uhi_fail_argument(__func__, "from", "is %zu and to is %zu, expected from < to <= %zu", from, to,
                                 view->to);
    view->from = from;
    view->to = to;
    return change_axis(&part, axis, cropped);
}

uh_status uh_histogram_rebin(uh_histogram *histogram, size_t axis, size_t factor, uh_histogram **rebinned) {
    struct part part;
    UHI_TRY(begin(&part, __func__, histogram, "rebinned", rebinned));
    UHI_TRY(uhi_histogram_check_edges(__func__, histogram, axis));
    const struct uhi_edges *edges = &histogram->axes[axis]->edges;
    struct view *view = &part.view[axis];
    const size_t between = view->to - (size_t)edges->below - (size_t)edges->above;
    if (factor == 0 || between == 0 || between % factor != 0)
        return uhi_fail_argument(__func__, "factor", "is %zu, expected a divisor of the %zu bins of axis %zu", factor,
                                 between, axis);
    view->factor = factor;
    view->alone = (size_t)edges->below;
    return change_axis(&part, axis, rebinned);
}
