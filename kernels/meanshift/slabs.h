/* SPDX-License-Identifier: Apache-2.0 */
/* Points that are divided among processes by cells: each has those of a range of cells, a slab, and ranges ascend with
 * ranks. What lies beside it, its halo, is visited, one process's part of it at a time. */
#ifndef UHI_MEANSHIFT_SLABS_H
#define UHI_MEANSHIFT_SLABS_H

#include "kernels/common/deal.h"
#include "kernels/meanshift/cells.h"

/* Zero it, make it, free it at any stage. */
struct uhi_slab {
    struct uhi_together *together;
    struct uhi_cells cells; /* chosen by the points of all; sorted are those of the slab, */
    size_t room;            /* for which there is this much */
    struct uhi_order home;  /* this process's own points by cells, as which they were dealt out */
    struct uhi_deal deal;
    uint64_t *first, *last; /* cells of each slab: their keys and 1; they ascend */
    uint64_t total;         /* points of all */
};

/* Makes room for so many own points. */
uh_status uhi_slab_make(struct uhi_slab *slab, struct uhi_together *together, size_t count);
void uhi_slab_free(struct uhi_slab *slab);

/* Chooses cells by the points of all. */
uh_status uhi_slab_choose(struct uhi_slab *slab, const struct uhi_coordinates *points, double radius, int whole);

/* Deals out the points of all to the slabs, where they are sorted. */
uh_status uhi_slab_take(struct uhi_slab *slab, const struct uhi_coordinates *points);

/* Deals out places that are sorted by cells; `worth` is by their numbers, or NULL. */
uh_status uhi_slab_deal(struct uhi_deal *deal, const struct uhi_order *order, const uint32_t *worth);

/* Brings coordinates, in the order in which they were dealt out, to those that have got them. `to` is made, and the
 * caller frees to->x in any case. */
uh_status uhi_slab_bring(struct uhi_deal *deal, const struct uhi_coordinates *from, const struct uhi_order *order,
                         struct uhi_coordinates *to);

/* The cells from the first to the last of an order, and as far as neighbours can be; none of an empty order. */
struct uhi_keys {
    uint64_t first, last; /* and 1; none where the first is more than the last */
};
struct uhi_keys uhi_slab_around(const struct uhi_slab *slab, const struct uhi_order *order);

/* What a process takes of a slab: points, and their numbers where there are numbers. */
typedef uh_status (*uhi_take_block)(void *context, const struct uhi_coordinates *block, const uint32_t *number,
                                    int *stopped);

struct uhi_visit {
    struct uhi_keys around; /* the cells whose points are wanted */
    int before;             /* of slabs before the own one alone */
    const uint32_t *number; /* of the points of the own slab, sorted; or NULL */
    uhi_take_block take;
    void *context;
};

/* Visits the points of slabs, each process those that it wants; one that is stopped stops all. */
uh_status uhi_slab_visit(const struct uhi_slab *slab, const struct uhi_visit *visit, int *stopped);

#endif
