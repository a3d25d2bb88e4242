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

/* Makes room for up to `count`, 0 where there is no memory; uhi_order_free takes a zeroed one, too. */
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

/* Makes room for as many points as there are. 0 where there is no memory; free it in any case. */
int uhi_cells_make(struct uhi_cells *cells, const struct uhi_coordinates *points);
void uhi_cells_free(struct uhi_cells *cells);

/* Chooses axes and their cells by where points lie; none where `whole` is not 0. Points may move within the box that
 * they lie in: the cells stay as they are. */
void uhi_cells_choose(struct uhi_cells *cells, const struct uhi_coordinates *points, double radius, int whole);

/* Sorts points. */
void uhi_cells_sort(struct uhi_cells *cells, const struct uhi_coordinates *points);

/* Sorts `order->count` places, of which `order->id` has the numbers, by cells. */
void uhi_cells_order(const struct uhi_cells *cells, const struct uhi_coordinates *places, struct uhi_order *order);

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

/* Lists the cells that hold points with a flag. The list has room for all points. */
void uhi_cells_list(const struct uhi_cells *cells, const uint8_t *flag, struct uhi_cell_list *list);

/* Stores the points, sorted, in whose cells or beside them some of either list are. */
void uhi_cells_order_near(const struct uhi_cells *cells, const struct uhi_cell_list *one,
                          const struct uhi_cell_list *other, struct uhi_order *order);

/* Stores the coordinates of places in their order. */
void uhi_coordinates_gather(const struct uhi_coordinates *from, const struct uhi_order *order,
                            struct uhi_coordinates *to);

#endif
