/* SPDX-License-Identifier: Apache-2.0 */
/* From moved points to clusters: the reductions of meanshift.h. */
#ifndef UHI_MEANSHIFT_CLUSTERS_H
#define UHI_MEANSHIFT_CLUSTERS_H

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

#endif
