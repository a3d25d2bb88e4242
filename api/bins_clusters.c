/* SPDX-License-Identifier: Apache-2.0 */
/* Natural breaks: the partition of sorted values into clusters with the smallest sum of squared distances to their
 * means. The best beginning of the last cluster does not descend with its end, so the best ones of a row are found by
 * halves (Wang and Song 2011, Groenlund et al. 2017). */
#include <math.h>
#include <stdlib.h>

#include "api/bins_values.h"
#include "runtime/status.h"

struct clusters {
    const struct uhi_counted *values;
    long double *sum, *square; /* of the values before each, from their middle */
    double *before, *here;     /* smallest sums with one cluster less, and with this number */
    uint32_t *start;           /* of the last cluster, in rows by the number of clusters */
};

/* The sum of squared distances of values [from, to) to their mean. */
static double spread_of(const struct clusters *c, size_t from, size_t to) {
    const long double n = c->values->before[to] - c->values->before[from];
    const long double sum = c->sum[to] - c->sum[from], all = c->square[to] - c->square[from] - sum * sum / n;
    return all > 0 ? (double)all : 0;
}

/* Finds the last cluster's start for ends [low, high], which lies in [from, to]. */
static void find_starts(struct clusters *c, size_t low, size_t high, size_t from, size_t to, uint32_t *start) {
    while (low <= high) {
        const size_t end = low + (high - low) / 2, last = to < end - 1 ? to : end - 1;
        double best = INFINITY;
        size_t at = from;
        for (size_t i = from; i <= last; i++) {
            const double sum = c->before[i] + spread_of(c, i, end);
            at = sum < best ? i : at;
            best = sum < best ? sum : best;
        }
        c->here[end] = best;
        start[end] = (uint32_t)at;
        if (end > low)
            find_starts(c, low, end - 1, from, at, start);
        low = end + 1;
        from = at;
    }
}

static void find_clusters(struct clusters *c, size_t count) {
    const struct uhi_counted *v = c->values;
    const double middle = v->x[v->n / 2];
    c->sum[0] = c->square[0] = 0;
    for (size_t i = 0; i < v->n; i++) {
        const long double d = (long double)v->x[i] - middle, n = v->before[i + 1] - v->before[i];
        c->sum[i + 1] = c->sum[i] + n * d;
        c->square[i + 1] = c->square[i] + n * d * d;
    }
    for (size_t end = 1; end <= v->n; end++)
        c->here[end] = spread_of(c, 0, end);
    for (size_t k = 2; k <= count; k++) {
        double *swap = c->before;
        c->before = c->here;
        c->here = swap;
        find_starts(c, k, v->n, k - 1, v->n - 1, c->start + k * (v->n + 1));
    }
}

uh_status uhi_choose_clusters(struct uhi_choosing *choosing) {
    const struct uhi_counted *v = choosing->values;
    const size_t room = v->n + 1, count = choosing->options.bins;
    struct clusters c = {.values = v,
                         .sum = malloc(room * sizeof *c.sum),
                         .square = malloc(room * sizeof *c.square),
                         .before = calloc(room, sizeof *c.before),
                         .here = calloc(room, sizeof *c.here),
                         .start = calloc(count + 1, room * sizeof *c.start)};
    const int made = c.sum && c.square && c.before && c.here && c.start;
    if (made) {
        find_clusters(&c, count);
        choosing->result.score = c.here[v->n];
        choosing->result.bins = count;
        choosing->edges[0] = v->x[0];
        choosing->edges[count] = v->x[v->n - 1];
        for (size_t k = count, end = v->n; k > 1; k--) {
            end = c.start[k * room + end];
            choosing->edges[k - 1] = v->x[end - 1] + (v->x[end] - v->x[end - 1]) / 2;
        }
    }
    free(c.sum);
    free(c.square);
    free(c.before);
    free(c.here);
    free(c.start);
    return made ? UH_SUCCESS : uhi_fail_memory(choosing->call, "no memory for %zu clusters of %zu values", count, v->n);
}
