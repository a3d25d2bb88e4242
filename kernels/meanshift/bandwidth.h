/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidths: the mean distance of samples to their k-th nearest point. */
#ifndef UHI_MEANSHIFT_BANDWIDTH_H
#define UHI_MEANSHIFT_BANDWIDTH_H

#include <string.h>

#include <unihist/meanshift.h>

#include "kernels/common/collective.h"
#include "kernels/meanshift/cells.h"

/* Uses `samples` of the points, 0 for all; k is that of a quantile. With several processes each has a part of the
 * points, or none, in the order of ranks. */
uh_status uhi_estimate_bandwidth(uh_queue *queue, struct uhi_collective *collective,
                                 const struct uhi_coordinates *points, double quantile, size_t samples,
                                 double *bandwidth);

/* ---- exchanges between processes (bandwidth_ranks.c) ---- */

struct uhi_bandwidth_points {
    size_t from;    /* number of this process's first point */
    size_t n;       /* total number of points */
    size_t maximum; /* maximum per process */
};

/* Checks that all processes have the same arguments, and counts the points of all. */
uh_status uhi_bandwidth_gather(struct uhi_collective *collective, const struct uhi_coordinates *points, double quantile,
                               size_t samples, struct uhi_bandwidth_points *all);

/* Finds an upper bound of all squared distances as computed. `mine` is this process's status. */
uh_status uhi_bandwidth_largest(struct uhi_collective *collective, uh_status mine, const struct uhi_coordinates *points,
                                double *squared);

/* Returns the bits of a number; for nonnegative numbers they are in the same order. */
static inline uint64_t uhi_bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

#endif
