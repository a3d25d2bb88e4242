/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters of points that are divided among processes (kernels/common/collective.h). */
#ifndef UHI_MEANSHIFT_CLUSTERS_RANKS_H
#define UHI_MEANSHIFT_CLUSTERS_RANKS_H

#include "kernels/common/collective.h"
#include "kernels/meanshift/cells.h"

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

#endif
