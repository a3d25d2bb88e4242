/* SPDX-License-Identifier: Apache-2.0 */
/* Bayesian blocks. With N events in a time T a block has the fitness N log(N / T), the maximum over rates r of N (1 +
 * log r) - r T; one of measures has the maximum over means m of B m - A m^2 / 2, with the sums A of 1 / sigma^2 and B
 * of x / sigma^2. best(R) is the best fitness of the first R values, less a prior per block; the last block begins at
 * the value that maximises best(before it) + fitness - prior. For each rate the beginning that is best at that rate
 * stays so, however many events follow, until a later one exceeds it: so only beginnings that are best at some rate are
 * kept, with the range of these rates (Rigaill 2015, Maidstone et al. 2017: functional pruning). They are few, and the
 * result is that of trying all. */
#include <math.h>
#include <stdlib.h>

#include "api/bins_values.h"
#include "runtime/grow.h"
#include "runtime/status.h"

/* The beginning that is best for log rates up to `end`, from the piece before on. */
struct piece {
    double end, rate; /* and that rate */
    size_t start;
};

struct blocks {
    struct uhi_blocks of;
    double *best;  /* of the first R values */
    size_t *start; /* of the last block of these */
    struct piece *pieces, *next;
    size_t npieces, room;
};

/* A block from a beginning up to the present value. */
struct block {
    double n, length, before; /* events and time, or B and A; fitness before it */
};

/* The fitness of the block alone. */
static double fitness_of(const struct blocks *b, const struct block *block) {
    return b->of.measures ? block->n / block->length * block->n / 2 : block->n * (log(block->n) - log(block->length));
}

static struct block block_of(const struct blocks *b, size_t start, size_t end) {
    return (struct block){b->of.p[end] - b->of.p[start], b->of.q[end] - b->of.q[start],
                          start > 0 ? b->best[start - 1] : 0};
}

/* Finds the best beginning of the last block of values up to `end`, the first of several. */
static void find_best(struct blocks *b, size_t end) {
    double best = -INFINITY;
    size_t start = 0;
    for (size_t p = 0; p < b->npieces; p++) {
        const struct block block = block_of(b, b->pieces[p].start, end);
        const double fitness = block.before + (fitness_of(b, &block) - b->of.prior);
        if (fitness > best || (fitness == best && b->pieces[p].start < start)) {
            best = fitness;
            start = b->pieces[p].start;
        }
    }
    b->best[end - 1] = best;
    b->start[end - 1] = start;
}

/* Solves u - 1 - log(u) = rest for log(u), below or above 0: the function is convex in log(u). */
static double root_of(double rest, int above) {
    const double near = sqrt(2 * rest), far = above ? log1p(rest) + 2 : -rest - 1;
    double t = rest > 1 ? far : (above ? near : -near) + rest / 3;
    for (int i = 0; i < 60; i++) {
        const double u = exp(t), step = (u - 1 - t - rest) / (u - 1);
        if (!isfinite(step))
            break;
        t -= step;
        if (fabs(step) <= 1e-14 * fabs(t))
            break;
    }
    return t;
}

static void add_piece(struct blocks *b, size_t *n, double end, double rate, size_t start) {
    const struct piece piece = {end, rate, start};
    if (*n > 0 && b->next[*n - 1].start == start)
        b->next[*n - 1] = piece;
    else if (*n == 0 || end > b->next[*n - 1].end)
        b->next[(*n)++] = piece;
}

/* The block's fitness at a rate or mean, instead of the best one. */
static double at_rate(const struct blocks *b, const struct block *block, double log_rate, double rate) {
    if (b->of.measures)
        return isinf(log_rate) ? -(double)INFINITY
                               : block->before + (block->n - block->length * log_rate / 2) * log_rate;
    return block->before + (block->n * (1 + log_rate) - block->length * rate);
}

/* Divides a piece: outside the two rates at which the block reaches the fitness without it, the next one is better. */
static void divide(struct blocks *b, size_t *n, const struct block *block, const struct piece *piece, double left,
                   double from_here, size_t end) {
    const double right = piece->end, above = block->before + fitness_of(b, block) - from_here;
    double low = INFINITY, high = INFINITY;
    if (above > 0 && b->of.measures) {
        low = block->n / block->length - sqrt(2 * above / block->length);
        high = block->n / block->length + sqrt(2 * above / block->length);
    } else if (above > 0) {
        const double peak = log(block->n) - log(block->length);
        low = peak + root_of(above / block->n, 0);
        high = peak + root_of(above / block->n, 1);
    }
    if (low > left)
        add_piece(b, n, fmin(low, right), low < right ? exp(low) : piece->rate, end);
    if (high > left && low < right)
        add_piece(b, n, fmin(high, right), high < right ? exp(high) : piece->rate, piece->start);
    if (high < right)
        add_piece(b, n, right, piece->rate, end);
}

/* Lets a block that begins after value `end` take the rates at which it exceeds the others. */
static int begin_next(struct blocks *b, size_t end) {
    const double from_here = b->best[end - 1];
    double left = -INFINITY, left_rate = 0;
    size_t n = 0, room = b->room;
    if (!uhi_grow(&b->pieces, &room, 3 * b->npieces + 1, sizeof *b->pieces) ||
        !uhi_grow(&b->next, &b->room, 3 * b->npieces + 1, sizeof *b->next))
        return -1;
    for (size_t p = 0; p < b->npieces; p++) {
        const struct piece *piece = &b->pieces[p];
        const struct block block = block_of(b, piece->start, end);
        if (at_rate(b, &block, left, left_rate) >= from_here &&
            at_rate(b, &block, piece->end, piece->rate) >= from_here)
            add_piece(b, &n, piece->end, piece->rate, piece->start); /* and between: it is concave */
        else
            divide(b, &n, &block, piece, left, from_here, end);
        left = piece->end;
        left_rate = piece->rate;
    }
    struct piece *old = b->pieces;
    b->pieces = b->next;
    b->next = old;
    b->npieces = n;
    return 0;
}

/* Stores the edges, last to first. If there are too many blocks, the last one allowed extends to the end. */
static void store_edges(const struct blocks *b, size_t max, double *edges, uh_rule_result *result) {
    const size_t n = b->of.n;
    size_t blocks = 0;
    for (size_t end = n; end > 0; end = b->start[end - 1])
        blocks++;
    result->score = b->best[n - 1];
    result->bins = blocks < max ? blocks : max;
    result->limited = blocks > max;
    for (size_t end = n, at = blocks; end > 0; end = b->start[end - 1], at--)
        if (at <= max)
            edges[at] = at == max ? b->of.cell[n] : b->of.cell[end];
    edges[0] = b->of.cell[0];
}

double uhi_blocks_prior(const uh_rule_options *o, size_t n) {
    const double p0 = o->p0 > 0 ? o->p0 : 0.05;
    return o->ncp_prior > 0 ? o->ncp_prior
           : o->gamma > 0   ? -log(o->gamma)
                            : 4 - log(73.53 * p0 * pow((double)n, -0.478));
}

uh_status uhi_find_blocks(const char *call, const struct uhi_blocks *of, size_t max, double *edges,
                          uh_rule_result *result) {
    const size_t n = of->n;
    struct blocks b = {.of = *of,
                       .best = calloc(n + 1, sizeof *b.best),
                       .start = malloc((n + 1) * sizeof *b.start),
                       .pieces = malloc(64 * sizeof *b.pieces),
                       .next = malloc(64 * sizeof *b.next),
                       .npieces = 1,
                       .room = 64};
    int failed = !b.best || !b.start || !b.pieces || !b.next;
    if (!failed)
        b.pieces[0] = (struct piece){INFINITY, INFINITY, 0};
    for (size_t end = 1; end <= n && !failed; end++) {
        find_best(&b, end);
        failed = begin_next(&b, end);
    }
    if (!failed)
        store_edges(&b, max, edges, result);
    free(b.best);
    free(b.start);
    free(b.pieces);
    free(b.next);
    return failed ? uhi_fail_memory(call, "no memory for the blocks of %zu values", n) : UH_SUCCESS;
}

void uhi_make_cells(const double *x, size_t n, double *cell) {
    for (size_t i = 0; i <= n; i++)
        cell[i] = i == 0 ? x[0] : i == n ? x[n - 1] : 0.5 * (x[i - 1] + x[i]);
}

uh_status uhi_choose_blocks(struct uhi_choosing *c) {
    const struct uhi_counted *v = c->values;
    double *cell = malloc((v->n + 1) * sizeof *cell);
    if (!cell)
        return uhi_fail_memory(c->call, "no memory for the blocks of %zu values", v->n);
    uhi_make_cells(v->x, v->n, cell);
    const struct uhi_blocks of = {v->n, v->before, cell, cell, uhi_blocks_prior(&c->options, v->n), 0};
    const uh_status status = uhi_find_blocks(c->call, &of, c->options.max_bins, c->edges, &c->result);
    free(cell);
    return status;
}
