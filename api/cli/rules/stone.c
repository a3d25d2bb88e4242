/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/rules/stone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The candidates of one pass. */
struct batch {
    uint64_t first, end; /* first <= number of bins < end */
    double lo, hi;
    double *edges; /* of all candidates, sorted, each once */
    size_t nedges;
    uint64_t *below; /* below[i]: values smaller than edges[i]; the last one counts those equal to it too */
    uh_histogram *histogram;
};

uint64_t cli_stone_limit(uint64_t n) {
    uint64_t root = (uint64_t)sqrt((double)n);
    return root > 100 ? root : 100;
}

/* Edge i of m equal bins, as numpy.linspace computes it. */
static double edge_of(const struct batch *batch, uint64_t m, uint64_t i) {
    return i == m ? batch->hi : (double)i * ((batch->hi - batch->lo) / (double)m) + batch->lo;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int make_edges(struct batch *batch, struct cli_error *error) {
    size_t n = 0;
    for (uint64_t m = batch->first; m < batch->end; m++)
        n += (size_t)m + 1;
    batch->edges = malloc(n * sizeof *batch->edges);
    batch->below = malloc(n * sizeof *batch->below);
    if (!batch->edges || !batch->below)
        return cli_fail(error, "out of memory for %zu edges of the rule 'stone'", n);
    n = 0;
    for (uint64_t m = batch->first; m < batch->end; m++)
        for (uint64_t i = 0; i <= m; i++)
            batch->edges[n++] = edge_of(batch, m, i);
    qsort(batch->edges, n, sizeof *batch->edges, compare);
    batch->nedges = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || batch->edges[i] > batch->edges[batch->nedges - 1])
            batch->edges[batch->nedges++] = batch->edges[i];
    return 0;
}

static int fill(void *context, uh_dtype dtype, const void *data, size_t n, struct cli_error *error) {
    struct batch *batch = context;
    return uh_histogram_fill(batch->histogram, dtype, data, n) ? cli_fail_library(error) : 0;
}

static int count(struct batch *batch, struct cli_inputs *inputs, uh_queue *queue, struct cli_error *error) {
    uh_axis *axis = NULL;
    int result = -1;
    if (uh_axis_create_edges(UH_F64, batch->edges, batch->nedges, UH_CLOSED_LEFT, &axis) ||
        uh_histogram_create(queue, axis, NULL, &batch->histogram)) {
        cli_fail_library(error);
        goto out;
    }
    if (cli_inputs_pass(inputs, "trying bin counts", fill, batch, error))
        goto out;
    batch->below[0] = 0;
    if (uh_histogram_cumulative(batch->histogram, batch->below + 1)) {
        cli_fail_library(error);
        goto out;
    }
    result = 0;
out:
    uh_histogram_destroy(batch->histogram);
    batch->histogram = NULL;
    uh_axis_destroy(axis);
    return result;
}

/* The estimated error of m bins, up to what all candidates share: (2 - (n + 1) sum of p^2) / h, p = count / n. */
static long double risk(const struct batch *batch, uint64_t m, double spread, uint64_t n) {
    long double squares = 0, total = (long double)n;
    uint64_t before = 0;
    for (uint64_t i = 1; i <= m; i++) {
        double edge = edge_of(batch, m, i);
        const double *found = bsearch(&edge, batch->edges, batch->nedges, sizeof edge, compare);
        uint64_t below = batch->below[found - batch->edges];
        long double share = below > before ? (long double)(below - before) / total : 0;
        squares += share * share;
        before = below;
    }
    return (2 - (total + 1) * squares) / ((long double)spread / (long double)m);
}

int cli_stone_bins(struct cli_inputs *inputs, uh_queue *queue, double lo, double hi, double spread, uint64_t n,
                   uint64_t max_edges, uint64_t *bins, struct cli_error *error) {
    uint64_t end = cli_stone_limit(n) + 1, best = 1;
    long double min = INFINITY;
    int result = 0;
    if (!max_edges)
        max_edges = CLI_STONE_EDGES;
    for (uint64_t first = 1; first < end && result == 0;) {
        struct batch batch = {.first = first, .lo = lo, .hi = hi};
        uint64_t edges = 0;
        for (batch.end = first; batch.end < end; batch.end++) {
            edges += batch.end + 1;
            if (edges > max_edges && batch.end > first)
                break;
        }
        result = make_edges(&batch, error) || count(&batch, inputs, queue, error) ? -1 : 0;
        for (uint64_t m = batch.first; m < batch.end && result == 0; m++) {
            long double estimate = risk(&batch, m, spread, n);
            if (estimate < min) {
                min = estimate;
                best = m;
            }
        }
        free(batch.edges);
        free(batch.below);
        first = batch.end;
    }
    if (result == 0)
        *bins = best;
    return result;
}
