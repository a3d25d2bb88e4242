/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidths: the mean distance of samples to their k-th nearest point. */
#ifndef UHI_MEANSHIFT_BANDWIDTH_H
#define UHI_MEANSHIFT_BANDWIDTH_H

#include <string.h>

#include "kernels/common/together.h"
#include "kernels/meanshift/cells.h"

/* Of `samples` of the points, 0 for all; k is that of a quantile. Of several processes each has a part of the points,
 * or none, those of rank 0 first. */
uh_status uhi_estimate_bandwidth(uh_queue *queue, struct uhi_together *together, const struct uhi_coordinates *points,
                                 double quantile, size_t samples, double *bandwidth);

/* ---- what processes have together (bandwidth_ranks.c) ---- */

struct uhi_bandwidth_points {
    size_t from; /* number of this process's first point */
    size_t n;    /* of all points */
    size_t most; /* that a process has */
};

/* Compares what all want, which is to be the same on all, and counts the points of all. */
uh_status uhi_bandwidth_meet(struct uhi_together *together, const struct uhi_coordinates *points, double quantile,
                             size_t samples, struct uhi_bandwidth_points *all);

/* Finds a squared distance than which, as computed, none is larger. `mine` is what has come of this process's work. */
uh_status uhi_bandwidth_largest(struct uhi_together *together, uh_status mine, const struct uhi_coordinates *points,
                                double *squared);

/* The bits of a number: of numbers that are not negative they are in the same order. */
static inline uint64_t uhi_bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

#endif
