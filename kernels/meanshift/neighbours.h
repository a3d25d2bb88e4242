/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the neighbours of places, on the queue's device: the basis of mean shift and densities. */
#pragma once

#include <unihist/meanshift.h>

#include "kernels/common/frame.h"
#include "kernels/meanshift/cells.h"
#include "kernels/meanshift/slabs.h"

/* A density kernel with its parameters. */
struct uhi_window {
    uh_density_kernel kernel;
    double radius, sigma;  /* distances; sigma of the Gaussian kernel */
    double radius_squared; /* as given, or the square of the radius */
};

/* Returns the parameters for sums over n points with coordinates of `size` bytes. */
struct uhi_rule uhi_rule_of(const struct uhi_window *window, size_t size, uint64_t n);

/* End of all candidates of a place; there are always fewer points. */
#define UHI_ALL_CANDIDATES UINT32_MAX

struct uhi_neighbours_shares;

/* Usage: zero it, make it, sum, close it at any point. */
struct uhi_neighbours {
    struct uhi_frame frame;
    uh_queue *queue;
    struct uhi_neighbours_shares *shares; /* of a combined device's parts, or NULL */
    const char *call;                     /* for messages */
    struct uhi_window window;
    uh_mean_shift_method method; /* as requested */
    int (*progress)(uint64_t done, uint64_t interactions, void *context);
    void *progress_context;
    uint64_t earlier, expected; /* interactions of earlier sums, also reported; and the expected total */

    struct uhi_order order; /* of the places, */
    int64_t *sums;          /* rows of dims + 1 in that order */

    struct uhi_cells cells;       /* of the points whose density is summed */
    uint64_t all;                 /* points: these and others whose sums are added */
    struct uhi_coordinates place; /* the places, in their order, */
    uint32_t *group;              /* and their groups */
    struct uhi_candidates *candidates;
    size_t candidate_room;
    uint64_t *before; /* interactions of the places before each; then the total */
    size_t point_room, place_room;

    uh_mean_shift_method chosen;      /* for the last sums, */
    uint64_t pairs, around;           /* interactions of all pairs, and with candidates in cells */
    uint64_t interactions, kernel_ns; /* of the last sums */
    struct uhi_summing summing;
    size_t from, to;      /* current places, */
    uint32_t first, last; /* and numbers of their candidates; UHI_ALL_CANDIDATES: to the last one */
    int is_sent, is_cut;  /* the input is on the device; with cut runs */
};

/* Makes room for points and `places` places; does not sort yet. */
uh_status uhi_neighbours_make(struct uhi_neighbours *neighbours, uh_queue *queue, const char *call,
                              const struct uhi_coordinates *points, size_t places);
void uhi_neighbours_close(struct uhi_neighbours *neighbours);

/* Enlarges the room if needed. */
uh_status uhi_neighbours_reserve(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points,
                                 size_t places);

/* Sets the points whose density is summed; their box is that of the cells from now on. */
void uhi_neighbours_take(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points);

/* Sets the same points after the flagged ones have moved within the box of all. The next sums are for the points whose
 * sums may have changed. */
uh_status uhi_neighbours_take_moved(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points,
                                    const uint8_t *moved);

/* Finds the candidates of the `order.count` places whose numbers are in `order.id`: sets `interactions`, and
 * `before`. */
uh_status uhi_neighbours_find(struct uhi_neighbours *neighbours, const struct uhi_coordinates *places);

/* Sums over the neighbours of the `order.count` places whose numbers are in `order.id`. Afterwards `order` and `sums`
 * correspond. *stopped becomes 1 if `progress` ended it. */
uh_status uhi_neighbours_sum(struct uhi_neighbours *neighbours, const struct uhi_coordinates *places, int *stopped);

/* ---- for places whose candidates have been found (neighbours_sums.c) ---- */

uh_status uhi_neighbours_share(struct uhi_neighbours *neighbours); /* if the queue's device is a combined one */
void uhi_neighbours_shares_close(struct uhi_neighbours *neighbours);
uh_status uhi_neighbours_sum_found(struct uhi_neighbours *neighbours, int *stopped);

/* Describes how places find their neighbours, like snprintf; returns the full length. */
int uhi_neighbours_text(const struct uhi_neighbours *neighbours, char *text, size_t size);

/* The stage's body for devices (meanshift_device.c); `context` is the neighbours. */
uh_status uhi_meanshift_sum_on_device(struct uhi_frame *frame, void *context);

/* ---- sums over the points of all processes, for the places of each (neighbours_of_all.c) ---- */

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

/* As the functions above. Processes agree on the status of uhi_of_all_make before they continue; the others
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
