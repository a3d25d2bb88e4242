/* SPDX-License-Identifier: Apache-2.0 */
/* Mean shift and densities; the caller has checked the arguments. `call` is for messages. */
#pragma once

#include "kernels/meanshift/neighbours.h"

/* Contents as in uh_clusters_properties; all other members are owned. */
struct uh_clusters {
    uh_clusters_properties properties;
    double *centroids;
    uint64_t *counts;
    uint32_t *labels;
    void *shifted;
    char plan[256];
};

/* Moves points, or these seeds, and finds the clusters; options may not contain defaults. With several processes each
 * has its own points or none. */
uh_status uhi_mean_shift(uh_queue *queue, const char *call, const struct uhi_coordinates *points,
                         const struct uhi_coordinates *seeds, const struct uhi_window *window,
                         const uh_mean_shift_options *options, double delta_squared, struct uh_clusters *clusters);
void uhi_clusters_free(struct uh_clusters *clusters);

/* Stores the density at places. */
uh_status uhi_kde(uh_queue *queue, const char *call, const struct uhi_coordinates *points,
                  const struct uhi_window *window, uh_mean_shift_method method, const struct uhi_coordinates *places,
                  double *density);

/* Estimates a bandwidth, the mean distance of points to their k-th nearest, by `samples` of them, 0 for all; k is that
 * of a quantile. With several processes each has a part of the points, or none, in the order of ranks. */
uh_status uhi_estimate_bandwidth(uh_queue *queue, struct uhi_collective *collective,
                                 const struct uhi_coordinates *points, double quantile, size_t samples,
                                 double *bandwidth);

/* Makes seeds of bins with at least `minimum` points of all processes, in the order of bins: every process gets all
 * seeds. The caller frees seeds->x. If no bin has that many, seeds->count is 0. */
uh_status uhi_mean_shift_seeds(struct uhi_collective *collective, const struct uhi_coordinates *points, double width,
                               size_t minimum, struct uhi_coordinates *seeds);

/* ---- from moved points to clusters: the reductions of unihist/meanshift.h (clusters.c) ---- */

struct uhi_reducing {
    const uh_queue *queue;             /* its threads label points */
    struct uhi_collective *collective; /* each process has its own points and moved points */
    uh_mean_shift_reduction reduction;
    double squared;                       /* the square of delta */
    const struct uhi_coordinates *points; /* original ones */
    const struct uhi_coordinates *moved;  /* the same, or seeds */
    int seeded;
    uint64_t *densities; /* per moved point, for `densest` */
};

/* Finds centroids, counts and labels. The clusters own the results, also on failure. */
uh_status uhi_clusters_reduce(const struct uhi_reducing *reducing, struct uh_clusters *clusters);

/* ---- points divided among processes (clusters_ranks.c) ---- */

/* Stores the number of each own point's component, where steps of at most a squared distance connect points, and the
 * number of components. They are numbered by their first points, in the order of ranks. */
uh_status uhi_components_together(struct uhi_collective *collective, const struct uhi_coordinates *points,
                                  double squared, uint32_t *number, size_t *found);

struct uhi_dense {
    size_t count, dims;
    double *rows;
    uint64_t *density;
};

/* Distributes points, given in the order of density (clusters.c), so that those of lower ranks come before those of
 * higher ones; duplicates may be reduced to one. The caller frees the arrays of `redistributed` in any case. */
uh_status uhi_dense_redistribute(struct uhi_collective *collective, const struct uhi_dense *points,
                                 const uint32_t *order, struct uhi_dense *redistributed);
