/* SPDX-License-Identifier: Apache-2.0 */
/* From moved points to clusters: the reductions of meanshift.h. */
#pragma once

#include <unihist/meanshift.h>

#include "kernels/common/collective.h"
#include "kernels/meanshift/cells.h"

enum { UHI_PLAN_TEXT = 256 };

/* Contents as in uh_clusters_properties; all other members are owned. */
struct uh_clusters {
    uh_clusters_properties properties;
    double *centroids;
    uint64_t *counts;
    uint32_t *labels;
    void *shifted;
    char plan[UHI_PLAN_TEXT];
};

struct uhi_reducing {
    const uh_queue *queue;             /* its threads label points */
    struct uhi_collective *collective; /* each process has its own points and moved points */
    uh_mean_shift_reduction reduction;
    double squared;                       /* the square of delta */
    const struct uhi_coordinates *points; /* original ones */
    const struct uhi_coordinates *moved;  /* the same, or seeds */
    int seeded;
    uint64_t *neighbours; /* per moved point, for `densest` */
};

/* Finds centroids, counts and labels. The clusters own the results, also on failure. */
uh_status uhi_clusters_reduce(const struct uhi_reducing *reducing, struct uh_clusters *clusters);

/* ---- points divided among processes (clusters_ranks.c) ---- */

/* Stores the number of each own point's component, where steps of at most a squared distance connect points, and the
 * number of components. They are numbered by their first points, in the order of ranks. */
uh_status uhi_components_together(struct uhi_collective *collective, const struct uhi_coordinates *points,
                                  double squared, uint32_t *number, size_t *found);

/* Points with their densities. */
struct uhi_dense {
    size_t count, dims;
    double *rows;
    uint64_t *density;
};

/* Distributes points, given in the order of density (clusters.c), so that those of lower ranks come before those of
 * higher ones; duplicates may be reduced to one. The caller frees the arrays of `redistributed` in any case. */
uh_status uhi_dense_redistribute(struct uhi_collective *collective, const struct uhi_dense *points,
                                 const uint32_t *order, struct uhi_dense *redistributed);
