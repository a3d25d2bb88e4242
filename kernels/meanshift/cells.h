/* SPDX-License-Identifier: Apache-2.0 */
/* Points sorted by cells, at least as wide as the radius, over the up to three axes with the most cells: points within
 * the radius of a place lie in its cell and those around. Cells along the last axis are consecutive, so that three of
 * them are one run of candidates. Empty cells take no memory. */
#pragma once

#include <unihist/base.h>
#include <unihist/device.h>

#include "kernels/common/collective.h"
#include "kernels/meanshift/meanshift.h"

enum { UHI_CELL_AXES = 3 };

/* Coordinates, axis by axis. */
struct uhi_coordinates {
    size_t size; /* bytes per coordinate: float32 or float64 */
    size_t dims;
    size_t count;  /* points */
    size_t stride; /* elements from one axis to the next */
    void *x;
};

static inline double uhi_coordinate(const struct uhi_coordinates *points, size_t axis, size_t i) {
    const size_t at = axis * points->stride + i;
    return points->size == sizeof(float) ? (double)((const float *)points->x)[at] : ((const double *)points->x)[at];
}

/* Stores coordinate `i`, rounded to the type. */
static inline void uhi_coordinate_set(const struct uhi_coordinates *points, size_t axis, size_t i, double x) {
    const size_t at = axis * points->stride + i;
    if (points->size == sizeof(float))
        ((float *)points->x)[at] = (float)x;
    else
        ((double *)points->x)[at] = x;
}

static inline void uhi_coordinates_rows(const struct uhi_coordinates *points, size_t from, size_t n, double *rows) {
    for (size_t i = from; i < from + n; i++)
        for (size_t a = 0; a < points->dims; a++)
            *rows++ = uhi_coordinate(points, a, i);
}

/* Allocates `count` points, with UHI_MEANSHIFT_PAD elements after each axis. Returns 0 if out of memory. */
int uhi_coordinates_make(struct uhi_coordinates *points, size_t size, size_t dims, size_t count);

/* Numbers of points, sorted by cells. */
struct uhi_order {
    size_t count;
    uint32_t *id, *other_id;
    uint64_t *key, *other_key; /* of the cell; `other` are for sorting */
};

/* Allocates room for up to `count` numbers; returns 0 if out of memory. uhi_order_free accepts a zeroed order and
 * leaves one. */
int uhi_order_make(struct uhi_order *order, size_t count);
void uhi_order_free(struct uhi_order *order);

/* Stores the numbers 0 to count - 1. */
static inline void uhi_order_all(struct uhi_order *order, size_t count) {
    order->count = count;
    for (size_t i = 0; i < count; i++)
        order->id[i] = (uint32_t)i;
}

struct uhi_cells {
    size_t axes;
    struct uhi_cell_line {
        size_t axis; /* of the points */
        uint64_t count;
        double lower, scale;       /* cells per unit */
    } line[UHI_CELL_AXES];         /* cells along the last axis are consecutive */
    struct uhi_order order;        /* of the points */
    struct uhi_coordinates sorted; /* their coordinates, in that order */
    size_t cells;                  /* number of cells with points: */
    uint64_t *key;                 /* ascending */
    uint32_t *start;               /* first points of cells, then the number of points */
};

/* Makes room for as many points. Returns 0 if out of memory; uhi_cells_free must be called in any case. It keeps the
 * choice of cells, and room may be made again. */
int uhi_cells_make(struct uhi_cells *cells, const struct uhi_coordinates *points);
void uhi_cells_free(struct uhi_cells *cells);

/* Extent of points along an axis; without points, from infinity to -infinity. */
struct uhi_span {
    double lower, upper;
};
struct uhi_span uhi_coordinates_span(const struct uhi_coordinates *points, size_t axis);

/* Chooses axes and their cells by the extents of all axes; no axes if `whole` is not 0. Points may move within their
 * box: the cells stay as they are. */
void uhi_cells_choose(struct uhi_cells *cells, const struct uhi_span *spans, size_t dims, double radius, int whole);

/* Copies the choice of others. */
void uhi_cells_choose_as(struct uhi_cells *cells, const struct uhi_cells *others);

void uhi_cells_sort(struct uhi_cells *cells, const struct uhi_coordinates *points);

/* Sorts by cells the `order->count` places whose numbers are in `order->id`. */
void uhi_cells_order(const struct uhi_cells *cells, const struct uhi_coordinates *places, struct uhi_order *order);

/* Returns the maximum difference between the keys of a place's cell and a neighbour's. */
uint64_t uhi_cells_reach(const struct uhi_cells *cells);

/* Returns the index of the first of n ascending keys, from index `from` on, that is at least `key`; fast if it is
 * near. */
size_t uhi_cells_find(const uint64_t *keys, size_t n, size_t from, uint64_t key);

/* Sorts n keys and removes duplicates; returns the remaining number. */
size_t uhi_keys_unique(uint64_t *keys, size_t n);

/* Returns the number of runs of candidates per group of places. */
size_t uhi_cells_runs(const struct uhi_cells *cells);

/* Numbers the groups of sorted places that share a cell; returns the number of groups. */
size_t uhi_cells_groups(const struct uhi_order *order, uint32_t *group);

/* Stores the runs of candidates of each group. */
void uhi_cells_candidates(const struct uhi_cells *cells, const struct uhi_order *order, const uint32_t *group,
                          struct uhi_candidates *candidates);

/* Cells by their keys. */
struct uhi_cell_list {
    size_t count;
    uint64_t *key;
};

/* Adds the cells that contain flagged points, in ascending order, to a list that has room for one per point; the flags
 * are indexed by point number. */
void uhi_cells_list(const struct uhi_order *order, const uint8_t *flag, struct uhi_cell_list *list);

/* Stores the sorted points that are in a cell of the list or next to one. Sorts the list. */
void uhi_cells_order_adjacent(const struct uhi_cells *cells, struct uhi_cell_list *list, struct uhi_order *order);

/* Stores the coordinates of places in the given order. */
void uhi_coordinates_gather(const struct uhi_coordinates *from, const struct uhi_order *order,
                            struct uhi_coordinates *to);

/* ---- points from callers (points.c) ---- */

/* Reads checked arrays, also without points, from any memory that the queue's device can access.
 * UH_ERROR_INVALID_ARGUMENT for a coordinate that is not finite, naming its row, and for an axis whose squared extent
 * does not fit the type. The caller frees points->x in any case. */
uh_status uhi_points_read(uh_queue *queue, const char *call, const char *argument, const uh_array *arrays, size_t dims,
                          struct uhi_coordinates *points);

/* Stores the extents of all processes' points along each axis; fails if the square of one does not fit the type. `mine`
 * is this process's status. */
uh_status uhi_points_span(struct uhi_collective *collective, uh_status mine, const struct uhi_coordinates *points,
                          struct uhi_span *spans);
