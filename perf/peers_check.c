/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/peers_check.h"

#include "perf/frequencies.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The peers have one thread; so has the counting of what they count. */
static int count_right(const void *x, uh_dtype dtype, size_t n, const double *edges, size_t k,
                       struct oracle_counts *counts, struct perf_error *error) {
    return oracle_count(x, dtype, n, edges, k, 1, counts)
               ? perf_fail(error, "out of memory for the counts of %zu bins", k)
               : PERF_OK;
}

static int make_room(struct oracle_counts *counts, size_t k, struct perf_error *error) {
    uint64_t *bins = realloc(counts->bins, (k + 1) * sizeof *bins);
    if (!bins)
        return perf_fail(error, "out of memory for the counts of %zu bins", k);
    counts->bins = bins;
    return PERF_OK;
}

int peers_right_find(struct peers_right *right, const void *x, uh_dtype dtype, size_t n, const double *edges, size_t k,
                     struct perf_error *error) {
    const double last[2] = {edges[k], edges[k]};
    struct oracle_counts at_last_edge = {.bins = &right->at_last_edge};
    right->k = k;
    right->edges = edges;
    int status = make_room(&right->closed, k, error);
    if (status == PERF_OK)
        status = count_right(x, dtype, n, edges, k, &right->closed, error);
    return status == PERF_OK ? count_right(x, dtype, n, last, 1, &at_last_edge, error) : status;
}

static int count_moved(const struct peers_right *right, const void *x, uh_dtype dtype, size_t n, double by,
                       struct oracle_counts *counts, struct perf_error *error) {
    size_t k = right->k;
    double *edges = malloc((k + 1) * sizeof *edges);
    if (!edges)
        return perf_fail(error, "out of memory for %zu edges", k + 1);
    for (size_t i = 0; i <= k; i++)
        edges[i] = right->edges[i] + by;
    int status = make_room(counts, k, error);
    if (status == PERF_OK)
        status = count_right(x, dtype, n, edges, k, counts, error);
    free(edges);
    return status;
}

int peers_right_find_bounds(struct peers_right *right, const void *x, uh_dtype dtype, size_t n,
                            struct perf_error *error) {
    /* Arithmetic that finds a bin rounds two or three times, and so do the edges. */
    double by = 4 * DBL_EPSILON * fmax(fabs(right->edges[0]), fabs(right->edges[right->k]));
    int status = count_moved(right, x, dtype, n, -by, &right->low, error);
    return status == PERF_OK ? count_moved(right, x, dtype, n, by, &right->high, error) : status;
}

/* A value that is not close to an edge is on its right side: so the values up to each edge are at least those below the
 * lowered one, and at most those below the raised one. */
static int check_rounded(const struct peers_right *right, const uint64_t *counts, struct perf_error *error) {
    uint64_t sum = 0, low = right->low.below, high = right->high.below;
    for (size_t bin = 0; bin < right->k; bin++) {
        sum += counts[bin];
        low += right->low.bins[bin];
        high += right->high.bins[bin];
        uint64_t min = low > right->high.below ? low - right->high.below : 0, max = high - right->low.below;
        if (counts[bin] > max || sum < min || sum > max)
            return perf_fail(error,
                             "wrong: bins 0 to %zu, up to %.17g, count %" PRIu64 ", expected %" PRIu64 " to %" PRIu64,
                             bin, right->edges[bin + 1], sum, min, max);
    }
    return PERF_OK;
}

void peers_right_draw(struct peers_right *right, const float *weights, size_t k, uint64_t draws) {
    right->k = k;
    right->weights = weights;
    right->draws = draws;
}

int peers_right_check(const struct peers_right *right, enum peer_rule rule, const uint64_t *counts,
                      struct perf_error *error) {
    if (rule == PEER_DRAWN)
        return perf_frequencies_check(right->weights, right->k, counts, right->draws, error);
    if (rule == PEER_ROUNDED)
        return check_rounded(right, counts, error);
    for (size_t bin = 0; bin < right->k; bin++) {
        uint64_t expected = right->closed.bins[bin];
        if (rule == PEER_OPEN && bin + 1 == right->k)
            expected -= right->at_last_edge;
        if (counts[bin] != expected)
            return perf_fail(error, "wrong: bin %zu [%.17g, %.17g%s counts %" PRIu64 ", expected %" PRIu64, bin,
                             right->edges[bin], right->edges[bin + 1],
                             rule == PEER_CLOSED && bin + 1 == right->k ? "]" : ")", counts[bin], expected);
    }
    return PERF_OK;
}

void peers_right_free(struct peers_right *right) {
    free(right->closed.bins);
    free(right->low.bins);
    free(right->high.bins);
}
