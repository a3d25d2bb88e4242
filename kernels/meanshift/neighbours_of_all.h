/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over neighbours among the points of all processes, of which each has some, for places that each has: of one
 * process those of neighbours.h. */
#ifndef UHI_MEANSHIFT_NEIGHBOURS_OF_ALL_H
#define UHI_MEANSHIFT_NEIGHBOURS_OF_ALL_H

#include "kernels/meanshift/neighbours.h"
#include "kernels/meanshift/slabs.h"

/* Zero it, set window, method and progress of `here` and whether places are the points, make it, sum, close it at any
 * stage. */
struct uhi_neighbours_of_all {
    struct uhi_together *together;
    struct uhi_neighbours here; /* which sums: of several processes for the places that this one has got */
    struct uhi_order *order;    /* of own places, */
    int64_t *sums;              /* and in that order rows of dims + 1 */
    uh_mean_shift_method chosen;
    uint64_t interactions; /* of all processes in the last sums, */
    uint64_t kernel_ns;    /* and the time of this one */

    /* of several processes */
    struct uhi_slab slab;         /* of the points */
    struct uhi_deal deal;         /* of the places, */
    struct uhi_coordinates place; /* those that this process has got, */
    int64_t *got;                 /* and theirs: rows of dims + 1 and their interactions, as they came */
    struct uhi_order own;
    int are_points;  /* places are the points, by the same numbers */
    uint32_t *worth; /* of own places, by number: their interactions in the last sums, or what they may be */
};

/* As the functions of neighbours.h. Processes agree on what has come of making it before they go on; of what follows,
 * all fail or none. */
uh_status uhi_of_all_make(struct uhi_neighbours_of_all *all, struct uhi_together *together, uh_queue *queue,
                          const struct uhi_coordinates *points, size_t places);
void uhi_of_all_close(struct uhi_neighbours_of_all *all);
uh_status uhi_of_all_take(struct uhi_neighbours_of_all *all, const struct uhi_coordinates *points);
uh_status uhi_of_all_take_moved(struct uhi_neighbours_of_all *all, const struct uhi_coordinates *points,
                                const uint8_t *moved);
uh_status uhi_of_all_sum(struct uhi_neighbours_of_all *all, const struct uhi_coordinates *places, int *stopped);
int uhi_of_all_text(const struct uhi_neighbours_of_all *all, char *text, size_t size);

/* What a mean difference is in units of, after sums. */
double uhi_of_all_unit(const struct uhi_neighbours_of_all *all, size_t size);

#endif
