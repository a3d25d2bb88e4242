/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over neighbours among the points of all processes, for the places of each. With a single process the same as
 * neighbours.h. */
#pragma once

#include "kernels/meanshift/neighbours.h"
#include "kernels/meanshift/slabs.h"

/* Usage: zero it, set window, method and progress of `here` and whether places are the points, make it, sum, close it
 * at any point. */
struct uhi_neighbours_of_all {
    struct uhi_collective *collective;
    struct uhi_neighbours here; /* computes the sums; of several processes for the places dealt to this one */
    struct uhi_order *order;    /* of own places, */
    int64_t *sums;              /* rows of dims + 1 in that order */
    uh_mean_shift_method chosen;
    uint64_t interactions; /* of all processes in the last sums, */
    uint64_t kernel_ns;    /* and kernel time of this one */

    /* with several processes: */
    struct uhi_slab slab;         /* of the points */
    struct uhi_routes routes;     /* of the places, */
    struct uhi_coordinates place; /* those dealt to this process, */
    int64_t *got;                 /* and theirs: rows of dims + 1 and their interactions, in order of arrival */
    struct uhi_order local;
    int are_points;  /* places are the points, with the same numbers */
    uint32_t *worth; /* of own places, by number: their interactions in the last sums, or an estimate */
};

/* As the functions of neighbours.h. Processes agree on the status of uhi_of_all_make before they continue; the others
 * fail on all processes or on none. */
uh_status uhi_of_all_make(struct uhi_neighbours_of_all *all, struct uhi_collective *collective, uh_queue *queue,
                          const struct uhi_coordinates *points, size_t places);
void uhi_of_all_close(struct uhi_neighbours_of_all *all);
uh_status uhi_of_all_take(struct uhi_neighbours_of_all *all, const struct uhi_coordinates *points);
uh_status uhi_of_all_take_moved(struct uhi_neighbours_of_all *all, const struct uhi_coordinates *points,
                                const uint8_t *moved);
uh_status uhi_of_all_sum(struct uhi_neighbours_of_all *all, const struct uhi_coordinates *places, int *stopped);
int uhi_of_all_text(const struct uhi_neighbours_of_all *all, char *text, size_t size);

/* Returns the unit of mean differences, after sums. */
double uhi_of_all_unit(const struct uhi_neighbours_of_all *all, size_t size);
