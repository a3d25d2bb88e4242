/* SPDX-License-Identifier: Apache-2.0 */
/* What finds clusters of points that are divided among processes (kernels/common/together.h). */
#ifndef UHI_MEANSHIFT_CLUSTERS_RANKS_H
#define UHI_MEANSHIFT_CLUSTERS_RANKS_H

#include "kernels/common/together.h"
#include "kernels/meanshift/cells.h"

/* Stores the number of each own point's component, of points that steps of at most a squared distance connect, and how
 * many there are. They are numbered by their first points, those of rank 0 being the first. */
uh_status uhi_components_together(struct uhi_together *together, const struct uhi_coordinates *points, double squared,
                                  uint32_t *number, size_t *found);

/* Points with their densities. */
struct uhi_dense {
    size_t count, dims;
    double *rows;
    uint64_t *density;
};

/* Deals out points, which are given in the order of density (clusters.c), so that those of lower ranks come before
 * those of higher ones; of points alike one may be left. What `dealt` has is the caller's to free, in any case. */
uh_status uhi_dense_deal(struct uhi_together *together, const struct uhi_dense *points, const uint32_t *order,
                         struct uhi_dense *dealt);

#endif
