/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidths of points that processes have parts of: what these have together (exchange.h). */
#include <stdlib.h>

#include "kernels/bincount/extent.h"
#include "kernels/common/exchange.h"
#include "kernels/meanshift/bandwidth.h"
#include "kernels/meanshift/points.h"
#include "runtime/status.h"

/* Compares; `counts` is room for the numbers of all processes' points, or NULL where there is none. */
static uh_status compare(const char *call, const uh_exchange *exchange, const struct uhi_coordinates *points,
                         double quantile, size_t samples, const uint64_t *counts) {
    const uint64_t words[] = {points->dims, points->size, uhi_bits_of(quantile), samples};
    const uint64_t hash = uhi_exchange_hash(0, words, sizeof words / sizeof *words);
    uint64_t said[] = {0, hash, ~hash};
    const uh_status mine =
        counts ? UH_SUCCESS
               : uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory for numbers of %zu ranks", exchange->ranks);
    const uh_status status = uhi_exchange_maximum(call, exchange, mine, said, sizeof said / sizeof *said);
    if (!status && said[1] != ~said[2])
        return uhi_fail(UH_ERROR_INCOMPATIBLE, call, NULL,
                        "dims, the points' type, quantile or samples differ between processes, expected the same on "
                        "all");
    return status;
}

uh_status uhi_bandwidth_meet(const char *call, const uh_exchange *exchange, const struct uhi_coordinates *points,
                             double quantile, size_t samples, struct uhi_bandwidth_points *all) {
    *all = (struct uhi_bandwidth_points){0, points->count, points->count};
    if (!exchange)
        return UH_SUCCESS;
    uint64_t *counts = calloc(exchange->ranks, sizeof *counts);
    uh_status status = compare(call, exchange, points, quantile, samples, counts);
    if (!status && counts) {
        counts[exchange->rank] = points->count;
        status = exchange->combine(exchange->context, UH_COMBINE_ADD, counts, exchange->ranks);
    }
    all->n = 0;
    for (size_t rank = 0; rank < exchange->ranks && counts && !status; rank++) {
        if (rank == exchange->rank)
            all->from = all->n;
        all->n += counts[rank];
        all->most = counts[rank] > all->most ? counts[rank] : all->most;
    }
    free(counts);
    if (!status && all->n == 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "points", "are none on any process");
    return status;
}

/* Distances are computed as the one across all points, which rounding, too, leaves the largest. */
uh_status uhi_bandwidth_largest(const char *call, const uh_exchange *exchange, uh_status mine,
                                const struct uhi_coordinates *points, double *squared) {
    uint64_t said[1 + 2 * UH_MEAN_SHIFT_MAX_DIMS];
    double lower, upper;
    for (size_t axis = 0; axis < points->dims; axis++) {
        uhi_points_extent(points, axis, &lower, &upper);
        said[1 + 2 * axis] = uhi_key_of_f64(-lower);
        said[2 + 2 * axis] = uhi_key_of_f64(upper);
    }
    uh_status status = exchange ? uhi_exchange_maximum(call, exchange, mine, said, 1 + 2 * points->dims) : mine;
    *squared = 0;
    for (size_t axis = 0; axis < points->dims && !status; axis++) {
        lower = -uhi_f64_of_key(said[1 + 2 * axis]);
        upper = uhi_f64_of_key(said[2 + 2 * axis]);
        status = uhi_points_check_extent(call, "points", axis, points->size, lower, upper);
        *squared += (upper - lower) * (upper - lower);
    }
    return status;
}
