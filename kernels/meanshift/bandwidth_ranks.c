/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidths of points divided among processes: exchanges between these (exchange.h). */
#include <stdlib.h>

#include "kernels/meanshift/bandwidth.h"
#include "kernels/meanshift/points.h"
#include "runtime/status.h"

/* Compares the arguments; `counts` has room for the numbers of all processes' points, or is NULL if out of memory. */
static uh_status compare(struct uhi_collective *collective, const struct uhi_coordinates *points, double quantile,
                         size_t samples, const uint64_t *counts) {
    const uint64_t words[] = {points->dims, points->size, uhi_bits_of(quantile), samples};
    const uh_status mine = counts ? UH_SUCCESS
                                  : uhi_fail(UH_ERROR_OUT_OF_MEMORY, collective->call, NULL,
                                             "no memory for numbers of %zu ranks", uhi_collective_ranks(collective));
    return uhi_collective_compare(collective, mine, words, sizeof words / sizeof *words,
                                  "dims, the points' type, quantile or samples differ between processes, expected the "
                                  "same on all");
}

uh_status uhi_bandwidth_gather(struct uhi_collective *collective, const struct uhi_coordinates *points, double quantile,
                               size_t samples, struct uhi_bandwidth_points *all) {
    const size_t ranks = uhi_collective_ranks(collective), local = uhi_collective_rank(collective);
    uint64_t *counts = calloc(ranks, sizeof *counts);
    uh_status status = compare(collective, points, quantile, samples, counts);
    *all = (struct uhi_bandwidth_points){0, 0, 0};
    if (!status && counts) {
        counts[local] = points->count;
        status = uhi_collective_add(collective, counts, ranks);
    }
    for (size_t rank = 0; rank < ranks && counts && !status; rank++) {
        if (rank == local)
            all->from = all->n;
        all->n += counts[rank];
        all->maximum = counts[rank] > all->maximum ? counts[rank] : all->maximum;
    }
    free(counts);
    if (status || all->n > 0)
        return status;
    return uhi_collective_fail(collective, uhi_fail(UH_ERROR_INVALID_ARGUMENT, collective->call, "points",
                                                    "has none on any process, expected 1 at least on one"));
}

/* The distance across all points is computed like the others, so that it is the largest even after rounding. */
uh_status uhi_bandwidth_largest(struct uhi_collective *collective, uh_status mine, const struct uhi_coordinates *points,
                                double *squared) {
    struct uhi_span spans[UH_MEAN_SHIFT_MAX_DIMS];
    const uh_status status = uhi_points_span(collective, mine, points, spans);
    *squared = 0;
    for (size_t a = 0; a < points->dims && !status; a++)
        *squared += (spans[a].upper - spans[a].lower) * (spans[a].upper - spans[a].lower);
    return status;
}
