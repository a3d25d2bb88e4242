/* SPDX-License-Identifier: Apache-2.0 */
/* Points divided among processes by cells: each has those of a range of cells, a slab, and ranges ascend with ranks.
 * The surroundings of a slab, its halo, are visited, one process's part at a time. */
#pragma once

#include "kernels/common/collective.h"
#include "kernels/meanshift/cells.h"

/* Usage: zero it, make it, free it at any point. */
struct uhi_slab {
    struct uhi_collective *collective;
    struct uhi_cells cells; /* chosen by the points of all; `sorted` has those of the slab, */
    size_t room;            /* with room for this many */
    struct uhi_order home;  /* this process's own points by cells, in the order dealt out */
    struct uhi_routes routes;
    uint64_t *first, *last; /* cells of each slab: their keys plus 1; ascending */
    uint64_t total;         /* number of points of all */
};

/* Makes room for `count` own points. */
uh_status uhi_slab_make(struct uhi_slab *slab, struct uhi_collective *collective, size_t count);
void uhi_slab_free(struct uhi_slab *slab);

/* Chooses cells by the points of all. */
uh_status uhi_slab_choose(struct uhi_slab *slab, const struct uhi_coordinates *points, double radius, int whole);

/* Distributes the points of all to the slabs, where they are sorted. */
uh_status uhi_slab_take(struct uhi_slab *slab, const struct uhi_coordinates *points);

/* Distributes places that are sorted by cells; `worth` is indexed by their numbers, or NULL. */
uh_status uhi_slab_divide(struct uhi_routes *routes, const struct uhi_order *order, const uint32_t *worth);

/* Sends coordinates, in the order dealt out, to the processes that received the points. Creates `to`; the caller frees
 * to->x in any case. */
uh_status uhi_slab_send(struct uhi_routes *routes, const struct uhi_coordinates *from, const struct uhi_order *order,
                        struct uhi_coordinates *to);

/* The cells from the first to the last of an order, extended by the reach of neighbours; none for an empty order. */
struct uhi_keys {
    uint64_t first, last; /* plus 1; none if first > last */
};
struct uhi_keys uhi_slab_around(const struct uhi_slab *slab, const struct uhi_order *order);

/* Processes a block of a slab: points, and their numbers if there are any. */
typedef uh_status (*uhi_take_block)(void *context, const struct uhi_coordinates *block, const uint32_t *number,
                                    int *stopped);

struct uhi_visit {
    struct uhi_keys around; /* the cells whose points are requested */
    int before;             /* only slabs before the own one */
    const uint32_t *number; /* of the sorted points of the own slab; or NULL */
    uhi_take_block take;
    void *context;
};

/* Visits the points of slabs, each process those that it requests; if one stops, all stop. */
uh_status uhi_slab_visit(const struct uhi_slab *slab, const struct uhi_visit *visit, int *stopped);
