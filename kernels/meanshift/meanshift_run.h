/* SPDX-License-Identifier: Apache-2.0 */
/* Mean shift and densities; the caller has checked the arguments. `call` is for messages. */
#pragma once

#include "kernels/meanshift/clusters.h"
#include "kernels/meanshift/neighbours.h"

/* Moves points and finds the clusters; options may not contain defaults. With several processes each has its
 * own points or none. */
uh_status uhi_mean_shift(uh_queue *queue, const char *call, const struct uhi_coordinates *points,
                         const struct uhi_window *window, const uh_mean_shift_options *options, double delta_squared,
                         struct uh_clusters *clusters);
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
