/* SPDX-License-Identifier: Apache-2.0 */
/* Points sorted by cells, at least as wide as the radius, over the up to three axes that have the most of them: what is
 * within the radius of a place lies in its cell and those around. Cells along the last axis lie one behind the other,
 * so that three of them are one run of candidates. Cells that hold nothing take no memory. */
#ifndef UHI_MEANSHIFT_CELLS_H
#define UHI_MEANSHIFT_CELLS_H

#include <unihist/base.h>

#include "kernels/meanshift/meanshift.h"

enum { UHI_CELL_AXES = 3 };

/* Coordinates, axis by axis. */
struct uhi_coordinates {
    size_t size; /* bytes of one: float32 or float64 */
    size_t dims;
    size_t count;  /* points */
    size_t stride; /* elements from one axis to the next */
    void *x;
};

/* Coordinate `i` of an axis. */
static inline double uhi_coordinate(const struct uhi_coordinates *points, size_t axis, size_t i) {
    const size_t at = axis * points->stride + i;
    return points->size == sizeof(float) ? (double)((const float *)points->x)[at] : ((const double *)points->x)[at];
}

/* Stores it, rounded to the type. */
static inline void uhi_coordinate_set(const struct uhi_coordinates *points, size_t axis, size_t i, double x) {
    const size_t at = axis * points->stride + i;
    if (points->size == sizeof(float))
        ((float *)points->x)[at] = (float)x;
    else
        ((double *)points->x)[at] = x;
}

/* Makes room for `count` points; UHI_MEANSHIFT_PAD elements lie behind each axis. 0 where there is no memory. */
int uhi_coordinates_make(struct uhi_coordinates *points, size_t size, size_t dims, size_t count);

/* A sequence of points by number, sorted by cells. */
struct uhi_order {
    size_t count;
    uint32_t *id, *other_id;
    uint64_t *key, *other_key; /* of the cell; `other` are for sorting */
};

/* Makes room for up to `count`, 0 where there is no memory; uhi_order_free takes a zeroed one, too, and leaves one. */
int uhi_order_make(struct uhi_order *order, size_t count);
void uhi_order_free(struct uhi_order *order);

struct uhi_cells {
    size_t axes, axis[UHI_CELL_AXES]; /* of the points, the last one along which cells lie one behind the other */
    uint64_t count[UHI_CELL_AXES];
    double lower[UHI_CELL_AXES], scale[UHI_CELL_AXES]; /* cells a unit */
    struct uhi_order order;                            /* of the points */
    struct uhi_coordinates sorted;                     /* theirs, in that order */
    size_t cells;                                      /* that hold points: */
    uint64_t *key;                                     /* ascending */
    uint32_t *start;                                   /* first points of cells, and the number of points */
};

/* Makes room for as many points as there are. 0 where there is no memory; free it in any case. What has been chosen
 * stays, and another room may be made. */
int uhi_cells_make(struct uhi_cells *cells, const struct uhi_coordinates *points);
void uhi_cells_free(struct uhi_cells *cells);

/* From where to where points lie along an axis; of none, from infinity to -infinity. */
struct uhi_span {
    double lower, upper;
};
struct uhi_span uhi_coordinates_span(const struct uhi_coordinates *points, size_t axis);

/* Chooses axes and their cells by the spans of all; none where `whole` is not 0. Points may move within their box:
 * the cells stay as they are. */
void uhi_cells_choose(struct uhi_cells *cells, const struct uhi_span *spans, size_t dims, double radius, int whole);

/* Chooses those of others. */
void uhi_cells_choose_as(struct uhi_cells *cells, const struct uhi_cells *others);

/* Sorts points. */
void uhi_cells_sort(struct uhi_cells *cells, const struct uhi_coordinates *points);

/* Sorts `order->count` places, of which `order->id` has the numbers, by cells. */
void uhi_cells_order(const struct uhi_cells *cells, const struct uhi_coordinates *places, struct uhi_order *order);

/* How far the cell of a neighbour can be from a place's, in keys. */
uint64_t uhi_cells_reach(const struct uhi_cells *cells);

/* The first of n ascending keys from number `from` on that is at least `key`: what is asked for is often near. */
size_t uhi_cells_find(const uint64_t *keys, size_t n, size_t from, uint64_t key);

/* Sorts n keys and leaves one of each; returns how many. */
size_t uhi_keys_unique(uint64_t *keys, size_t n);

/* Runs of candidates that each group of places has. */
size_t uhi_cells_runs(const struct uhi_cells *cells);

/* Numbers the groups of sorted places that share a cell; returns how many there are. */
size_t uhi_cells_groups(const struct uhi_order *order, uint32_t *group);

/* Stores the runs of candidates of each group. */
void uhi_cells_candidates(const struct uhi_cells *cells, const struct uhi_order *order, const uint32_t *group,
                          struct uhi_candidates *candidates);

/* Cells by their keys, ascending. */
struct uhi_cell_list {
    size_t count;
    uint64_t *key;
};

/* Lists the cells that hold points with a flag, of points in their order. The list has room for all of them. */
void uhi_cells_list(const struct uhi_order *order, const uint8_t *flag, struct uhi_cell_list *list);

/* Stores the points, sorted, in whose cells or beside them some of either list are. */
void uhi_cells_order_near(const struct uhi_cells *cells, const struct uhi_cell_list *one,
                          const struct uhi_cell_list *other, struct uhi_order *order);

/* Stores the coordinates of places in their order. */
void uhi_coordinates_gather(const struct uhi_coordinates *from, const struct uhi_order *order,
                            struct uhi_coordinates *to);

#endif
