/* SPDX-License-Identifier: Apache-2.0 */
/* From moved points to clusters: the reductions of meanshift.h. */
#ifndef UHI_MEANSHIFT_CLUSTERS_H
#define UHI_MEANSHIFT_CLUSTERS_H

#include <unihist/meanshift.h>

#include "kernels/common/together.h"
#include "kernels/meanshift/cells.h"

enum { UHI_PLAN_TEXT = 256 };

/* As uh_clusters_properties has them; what is not `properties` is owned. */
struct uh_clusters {
    uh_clusters_properties properties;
    double *centroids;
    uint64_t *counts;
    uint32_t *labels;
    void *shifted;
    char plan[UHI_PLAN_TEXT];
};

struct uhi_reducing {
    const uh_queue *queue;         /* whose threads label */
    struct uhi_together *together; /* each with its own points and moved ones */
    uh_mean_shift_reduction reduction;
    double squared;                       /* the square of delta */
    const struct uhi_coordinates *points; /* as they were */
    const struct uhi_coordinates *moved;  /* they, or seeds */
    int seeded;
    uint64_t *neighbours; /* of moved ones, for `densest` */
};

/* Finds centroids, counts and labels. What it makes belongs to the clusters, also where it fails. */
uh_status uhi_clusters_reduce(const struct uhi_reducing *reducing, struct uh_clusters *clusters);

#endif
