/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the neighbours of places, on the queue's device: what mean shift and densities are made of. */
#ifndef UHI_MEANSHIFT_NEIGHBOURS_H
#define UHI_MEANSHIFT_NEIGHBOURS_H

#include <unihist/meanshift.h>

#include "kernels/common/frame.h"
#include "kernels/meanshift/cells.h"

/* A kernel with its numbers. */
struct uhi_window {
    uh_density_kernel kernel;
    double radius, sigma;  /* distances; sigma of the Gaussian kernel */
    double radius_squared; /* as it was given, or the radius times itself */
};

/* The numbers by which n points of a coordinate's size are summed. */
struct uhi_rule uhi_rule_of(const struct uhi_window *window, size_t size, uint64_t n);

/* The end of what a place has, as there are fewer points. */
#define UHI_ALL_CANDIDATES UINT32_MAX

struct uhi_neighbours_shares;

/* Zero it, make it, sum, close it at any stage. */
struct uhi_neighbours {
    struct uhi_frame frame;
    uh_queue *queue;
    struct uhi_neighbours_shares *shares; /* of a combined device's parts, or NULL */
    const char *call;                     /* for messages */
    struct uhi_window window;
    uh_mean_shift_method method; /* asked for */
    int (*progress)(uint64_t done, uint64_t interactions, void *context);
    void *progress_context;
    uint64_t earlier, expected; /* interactions of earlier sums that are told, too; and of all that there may be */

    struct uhi_order order; /* of the places, */
    int64_t *sums;          /* and in that order rows of dims + 1 */

    struct uhi_cells cells;             /* of the points whose density is summed */
    uint64_t all;                       /* points: these and those whose sums are added to theirs */
    struct uhi_cell_list left, reached; /* by points that have moved; made when they are needed */
    struct uhi_coordinates place;       /* the places, in their order, */
    uint32_t *group;                    /* and their groups */
    struct uhi_candidates *candidates;
    size_t candidate_room;
    uint64_t *before; /* interactions of the places before each, and of all */
    size_t point_room, place_room;

    uh_mean_shift_method chosen;      /* for the last sums, */
    uint64_t pairs, around;           /* the interactions of all with all, and with candidates in cells */
    uint64_t interactions, kernel_ns; /* of the last sums */
    struct uhi_summing summing;
    size_t from, to;      /* the places at work, */
    uint32_t first, last; /* and numbers of each one's candidates; UHI_ALL_CANDIDATES: to its last */
    int is_sent, is_cut;  /* what is summed is on the device */
};

/* Makes room for points and `places` places. Nothing is sorted yet. */
uh_status uhi_neighbours_make(struct uhi_neighbours *neighbours, uh_queue *queue, const char *call,
                              const struct uhi_coordinates *points, size_t places);
void uhi_neighbours_close(struct uhi_neighbours *neighbours);

/* Makes room for more. */
uh_status uhi_neighbours_reserve(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points,
                                 size_t places);

/* Takes these points as those whose density is summed; their box is that of the cells from now on. */
void uhi_neighbours_take(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points);

/* Takes the same points where some have moved, those with a flag, within the box of all. The places of the next sums
 * become the points whose sums may have changed. */
uh_status uhi_neighbours_take_moved(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points,
                                    const uint8_t *moved);

/* Finds the candidates of `order.count` places that `order.id` has the numbers of: `interactions`, and those before
 * each place. */
uh_status uhi_neighbours_find(struct uhi_neighbours *neighbours, const struct uhi_coordinates *places);

/* Sums over the neighbours of `order.count` places that `order.id` has the numbers of. After it `order` and `sums`
 * belong together. `stopped` becomes 1 where `progress` has ended it. */
uh_status uhi_neighbours_sum(struct uhi_neighbours *neighbours, const struct uhi_coordinates *places, int *stopped);

/* ---- of places whose candidates have been found (neighbours_sums.c) ---- */

uh_status uhi_neighbours_share(struct uhi_neighbours *neighbours); /* where the queue's device is a combined one */
void uhi_neighbours_shares_close(struct uhi_neighbours *neighbours);
uh_status uhi_neighbours_sum_found(struct uhi_neighbours *neighbours, int *stopped);

/* How places find their neighbours, as snprintf tells it; returns the whole length. */
int uhi_neighbours_text(const struct uhi_neighbours *neighbours, char *text, size_t size);

/* The stage's body for devices (meanshift_device.c); `context` is the neighbours. */
uh_status uhi_meanshift_sum_on_device(struct uhi_frame *frame, void *context);

#endif
