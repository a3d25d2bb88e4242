/* SPDX-License-Identifier: Apache-2.0 */
/* What is made of a histogram over several axes: projections, slices, ranges and coarser bins. All are one walk over
 * the cells, each of which is added to the cell of the new histogram where its bins go. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/histogramdd.h"
#include "runtime/status.h"

/* Where the bins of an axis go: those in [from, to) to bin (j - from) / factor of the new axis, the others outside. */
struct view {
    size_t from, to, factor;
    size_t stride; /* cells from one bin of the new axis to the next; 0 where the axis is summed over */
};

static uh_status begin(const char *call, uh_histogramdd *histogram, uh_histogramdd **made, struct view *view) {
    if (!histogram)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: histogram is NULL", call);
    if (!made)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: where to store the new histogram is NULL", call);
    for (size_t a = 0; a < histogram->naxes; a++)
        view[a] = (struct view){.to = uh_axis_bins(histogram->axes[a]), .factor = 1};
    return uhi_histogramdd_bring(call, histogram);
}

/* ---- the walk ---- */

/* Whether the storage knows how many points a cell has. */
static int counts_points(const uh_histogramdd *histogram) {
    const uh_storage storage = uhi_store_storage(histogram->store);
    return storage == UH_STORAGE_COUNT || storage == UH_STORAGE_MEAN;
}

/* Counts points of a cell that lies out of the view: outside, and below or above on the axes that are kept. `kept`
 * tells an old axis's number in the new histogram, naxes for none. */
static void move_outside(const uh_histogramdd *old, uh_histogramdd *made, const struct view *view, const size_t *bin,
                         const size_t *kept, uint64_t points) {
    made->counters.outside += points;
    for (size_t a = 0; a < old->naxes; a++) {
        if (kept[a] == made->naxes)
            continue;
        if (bin[a] < view[a].from)
            made->counters.flow[kept[a]][0] += points;
        else if (bin[a] >= view[a].to)
            made->counters.flow[kept[a]][1] += points;
    }
}

static void fold_all(const uh_histogramdd *old, uh_histogramdd *made, const struct view *view, const size_t *kept) {
    size_t bin[UH_MAX_AXES] = {0};
    for (size_t cell = 0; cell < old->cells; cell++) {
        size_t target = 0;
        int inside = 1;
        for (size_t a = 0; a < old->naxes; a++) {
            inside &= bin[a] >= view[a].from && bin[a] < view[a].to;
            target += inside ? (bin[a] - view[a].from) / view[a].factor * view[a].stride : 0;
        }
        uhi_store_fold(made->store, inside ? target : made->cells, old->store, cell);
        if (!inside && counts_points(old)) {
            uint64_t points;
            uhi_store_counts(old->store, cell, 1, &points);
            move_outside(old, made, view, bin, kept, points);
        }
        for (size_t a = old->naxes; a-- > 0;) { /* the next cell */
            if (++bin[a] < uh_axis_bins(old->axes[a]))
                break;
            bin[a] = 0;
        }
    }
    uhi_store_fold(made->store, made->cells, old->store, old->cells);
}

/* Makes a histogram over the `naxes` given axes, of which axis i is the old one's number from_axis[i], seen through
 * `view`, whose strides are set here. */
static uh_status make(const char *call, uh_histogramdd *old, const uh_axis *const *axes, const size_t *from_axis,
                      size_t naxes, struct view *view, uh_histogramdd **made) {
    uh_method methods[UH_MAX_AXES];
    size_t kept[UH_MAX_AXES], stride = 1;
    const uh_histogramdd_options options = {.struct_size = sizeof options,
                                            .storage = uhi_store_storage(old->store),
                                            .sum = uhi_store_sum(old->store),
                                            .methods = methods};
    uh_histogramdd *histogram = NULL;
    for (size_t a = 0; a < old->naxes; a++)
        kept[a] = naxes;
    for (size_t i = naxes; i-- > 0;) {
        kept[from_axis[i]] = i;
        view[from_axis[i]].stride = stride;
        stride *= uh_axis_bins(axes[i]);
        methods[i] = old->options[from_axis[i]].method;
    }
    uh_status status = uhi_histogramdd_make(call, old->queue, axes, naxes, &options, &histogram);
    if (!status)
        status = uhi_store_reserve(call, histogram->store, old->store);
    if (status) {
        (void)uh_histogramdd_destroy(histogram);
        return status;
    }
    histogram->counters.points = old->counters.points;
    histogram->counters.outside = old->counters.outside;
    for (size_t i = 0; i < naxes; i++) {
        memcpy(histogram->counters.flow[i], old->counters.flow[from_axis[i]], sizeof histogram->counters.flow[i]);
        histogram->options[i].table_bytes = old->options[from_axis[i]].table_bytes;
    }
    fold_all(old, histogram, view, kept);
    *made = histogram;
    return UH_SUCCESS;
}

/* ---- fewer axes ---- */

uh_status uh_histogramdd_project(uh_histogramdd *histogram, const size_t *axes, size_t naxes,
                                 uh_histogramdd **projected) {
    struct view view[UH_MAX_AXES];
    const uh_axis *kept[UH_MAX_AXES];
    uh_status status = begin(__func__, histogram, projected, view);
    if (status)
        return status;
    if (!axes)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: axes is NULL, expected the numbers of the axes to keep",
                        __func__);
    if (naxes < 1 || naxes > histogram->naxes)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: naxes is %zu, expected 1 to %zu", __func__, naxes,
                        histogram->naxes);
    for (size_t i = 0; i < naxes; i++) {
        if (axes[i] >= histogram->naxes)
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: axes[%zu] is %zu, expected 0 to %zu", __func__, i, axes[i],
                            histogram->naxes - 1);
        for (size_t j = 0; j < i; j++)
            if (axes[j] == axes[i])
                return uhi_fail(UH_ERROR_INVALID_ARGUMENT,
                                "%s: axes[%zu] and axes[%zu] are both %zu, expected each once", __func__, j, i,
                                axes[i]);
        kept[i] = histogram->axes[axes[i]];
    }
    return make(__func__, histogram, kept, axes, naxes, view, projected);
}

uh_status uh_histogramdd_slice(uh_histogramdd *histogram, size_t axis, size_t bin, uh_histogramdd **slice) {
    struct view view[UH_MAX_AXES];
    const uh_axis *axes[UH_MAX_AXES];
    size_t from_axis[UH_MAX_AXES], naxes = 0;
    uh_status status = begin(__func__, histogram, slice, view);
    if (!status)
        status = uhi_histogramdd_check_axis(__func__, histogram, axis);
    if (status)
        return status;
    if (histogram->naxes < 2)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: the histogram has 1 axis, expected 2 or more", __func__);
    if (bin >= view[axis].to)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: bin is %zu, expected 0 to %zu", __func__, bin,
                        view[axis].to - 1);
    view[axis].from = bin;
    view[axis].to = bin + 1;
    for (size_t a = 0; a < histogram->naxes; a++)
        if (a != axis) {
            axes[naxes] = histogram->axes[a];
            from_axis[naxes++] = a;
        }
    return make(__func__, histogram, axes, from_axis, naxes, view, slice);
}

/* ---- other bins ---- */

/* Makes the axis of edges from, from + factor, ... to, which carries the distribution that the whole one does. An end
 * that was within the axis keeps the rule of its bin. */
static uh_status part_of_axis(const char *call, const uh_axis *axis, const struct view *view, uh_axis **made) {
    const struct uhi_edges *edges = &axis->edges; /* of 8 bytes each */
    const size_t count = (view->to - view->from) / view->factor + 1;
    uh_closed closed = edges->closed;
    uint64_t *kept = malloc(count * sizeof *kept);
    if (!kept)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu edges", call, count);
    for (size_t j = 0; j < count; j++)
        memcpy(kept + j, (const char *)edges->values + (view->from + j * view->factor) * sizeof *kept, sizeof *kept);
    if (closed == UH_CLOSED_LEFT && view->to < edges->count - 1)
        closed = UH_HALF_OPEN_LEFT;
    if (closed == UH_CLOSED_RIGHT && view->from > 0)
        closed = UH_HALF_OPEN_RIGHT;
    uh_axis *plain = NULL;
    uh_status status = uhi_axis_make(call, "edges", edges->dtype, kept, count, 2, closed, &plain);
    free(kept);
    if (status || !edges->distribution) {
        *made = plain;
        return status;
    }
    status = uhi_axis_carry(call, plain, edges->distribution, made);
    uhi_axis_release(plain); /* whose edges the new one borrows and keeps alive */
    return status;
}

/* The same axes, but one seen through its view. */
static uh_status change_axis(const char *call, uh_histogramdd *histogram, size_t axis, struct view *view,
                             uh_histogramdd **made) {
    const uh_axis *axes[UH_MAX_AXES];
    size_t from_axis[UH_MAX_AXES];
    uh_axis *changed = NULL;
    uh_status status = part_of_axis(call, histogram->axes[axis], &view[axis], &changed);
    if (status)
        return status;
    for (size_t a = 0; a < histogram->naxes; a++) {
        axes[a] = a == axis ? changed : histogram->axes[a];
        from_axis[a] = a;
    }
    status = make(call, histogram, axes, from_axis, histogram->naxes, view, made);
    (void)uh_axis_destroy(changed);
    return status;
}

uh_status uh_histogramdd_crop(uh_histogramdd *histogram, size_t axis, size_t from, size_t to,
                              uh_histogramdd **cropped) {
    struct view view[UH_MAX_AXES];
    uh_status status = begin(__func__, histogram, cropped, view);
    if (!status)
        status = uhi_histogramdd_check_axis(__func__, histogram, axis);
    if (status)
        return status;
    if (from >= to || to > view[axis].to)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: from is %zu and to is %zu, expected from < to <= %zu", __func__,
                        from, to, view[axis].to);
    view[axis].from = from;
    view[axis].to = to;
    return change_axis(__func__, histogram, axis, view, cropped);
}

uh_status uh_histogramdd_rebin(uh_histogramdd *histogram, size_t axis, size_t factor, uh_histogramdd **rebinned) {
    struct view view[UH_MAX_AXES];
    uh_status status = begin(__func__, histogram, rebinned, view);
    if (!status)
        status = uhi_histogramdd_check_axis(__func__, histogram, axis);
    if (status)
        return status;
    if (factor == 0 || view[axis].to % factor != 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: factor is %zu, expected a divisor of the %zu bins of axis %zu",
                        __func__, factor, view[axis].to, axis);
    view[axis].factor = factor;
    return change_axis(__func__, histogram, axis, view, rebinned);
}
