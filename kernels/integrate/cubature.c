/* SPDX-License-Identifier: Apache-2.0 */
/* Cubature, breadth first (I. Sakiotis et al., "PAGANI: a parallel adaptive GPU algorithm for numerical integration",
 * 2021, arXiv 2104.06494): a pass halves all regions whose errors are too large, and evaluates both halves of each. */
#include "kernels/integrate/cubature.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/integrate/integrate_samples.h"
#include "kernels/integrate/sides.h"
#include "runtime/host.h"
#include "runtime/status.h"

enum {
    PIECE = 1 << 14, /* regions that are evaluated at once, at most; even */
    MAX_REGIONS = 1 << 20,
    MAX_NUMBERS = 1 << 26, /* of all regions */
    FIRST_REGIONS = 64,    /* and in one dimension */
    FIRST_INTERVALS = 16,
    BINS = 1 << 16 /* of errors: by sign, exponent and four further bits */
};

/* Inner boundaries of the first regions are moved by this part of a width, because steps and peaks are often at
 * halves. */
#define MOVED 0.07

/* The share of the tolerated error that regions may have which are not halved. */
#define RESTING 0.5

/* A region's error: FACTOR times what the null rules say, if they fall by RATIO from degree to degree; the part of a
 * parent's disagreement with its halves; and the relative rounding error. */
#define FACTOR   4.0
#define RATIO    0.25
#define PARENTS  0.5
#define ROUNDING 0x1p-50

struct cubature {
    struct uhi_samples samples;
    struct uhi_cubing cubing;
    const uh_integrate_options *options;
    size_t dims, values, nodes, stride;
    double first[UHI_CUBATURE_DIMS]; /* the box's halves of widths */
    double *piece;                   /* regions that are evaluated */
    double *leaf;                    /* of each region: centre, halves of widths, integrals, errors, axis to halve */
    size_t count, room;              /* regions, and the maximum that memory holds */
    uint32_t *chosen;                /* regions to halve, in ascending order, */
    double *parent;                  /* and their integrals */
    size_t pairs;                    /* number of them; 0: the regions are new */
    size_t most;                     /* regions that are evaluated at once, even */
    struct {
        size_t n;
        double error;
    } * bins;
    double total[2 * UH_INTEGRATE_MAX_VALUES]; /* integrals, then errors */
    uint64_t calls, budget, not_finite, started;
};

static double *leaf_of(const struct cubature *c, size_t i) { return c->leaf + i * c->stride; }
static double *totals_of(const struct cubature *c, size_t i) { return leaf_of(c, i) + 2 * c->dims; }
static double *errors_of(const struct cubature *c, size_t i) { return totals_of(c, i) + c->values; }
static size_t axis_of(const struct cubature *c, size_t i) { return (size_t)errors_of(c, i)[c->values]; }

/* Returns whether float64 has room for the nodes of a region's halves. */
static int can_halve(const struct cubature *c, size_t i, size_t axis) {
    const double half = leaf_of(c, i)[c->dims + axis];
    return half > fabs(leaf_of(c, i)[axis]) * 0x1p-42 && half > 0x1p-1000;
}

/* ---- errors ---- */

/* Chooses the axis of the largest fourth difference, or the widest if differences are rounding errors. */
static size_t choose_axis(const struct cubature *c, size_t i, const union uhi_word *difference, double size) {
    const double *half = leaf_of(c, i) + c->dims;
    size_t axis = 0, widest = 0;
    double volume = 1;
    for (size_t d = 0; d < c->dims; d++) {
        axis = difference[d].f > difference[axis].f ? d : axis;
        widest = half[d] / c->first[d] > half[widest] / c->first[widest] ? d : widest;
        volume *= 2 * half[d];
    }
    return difference[axis].f * volume > size * 0x1p-40 && can_halve(c, i, axis) ? axis : widest;
}

static double pair_of(const union uhi_word *rules, size_t i) { return fabs(rules[i].f) + fabs(rules[i + 1].f); }

/* The null rules' values fall from degree to degree where the integrand is smooth, and so does the error. */
static double error_of(const struct cubature *c, const union uhi_word *rules, double size) {
    const double a = pair_of(rules, 1), b = pair_of(rules, 3), e = pair_of(rules, 5);
    const double ratio = a == 0 ? 0 : fmax(a / b, b / e) / RATIO;
    double error = ratio > 4 ? fmax(fmax(a, b), e) : a;
    for (int i = 0; i < (c->dims <= 4 ? 2 : 1) && ratio < 1; i++)
        error *= ratio;
    return FACTOR * error + ROUNDING * size;
}

/* Stores what a row says of a region. */
static void store(const struct cubature *c, const union uhi_word *row, size_t i) {
    for (size_t k = c->values; k-- > 0;) {
        const union uhi_word *rules = row + UHI_REGION_RULES(c->dims, k);
        const double size = rules[UHI_CUBATURE_RULES].f / (double)c->nodes;
        totals_of(c, i)[k] = rules[0].f;
        errors_of(c, i)[k] = error_of(c, rules, size);
        if (k == 0)
            errors_of(c, i)[c->values] = (double)choose_axis(c, i, row + UHI_REGION_DIFFERENCES, size);
    }
}

/* Adds what a parent's integrals differ by from its halves' to their errors. */
static void compare(const struct cubature *c, const double *parent, size_t left, size_t right) {
    for (size_t k = 0; k < c->values; k++) {
        const double differs = fabs(parent[k] - (totals_of(c, left)[k] + totals_of(c, right)[k])) * PARENTS;
        double *a = &errors_of(c, left)[k], *b = &errors_of(c, right)[k];
        const double part = *a + *b > 0 ? *a / (*a + *b) : 0.5;
        *a += differs * part;
        *b += differs * (1 - part);
    }
}

/* ---- evaluation ---- */

/* The index of region number i of those to evaluate: halves alternate. */
static size_t active(const struct cubature *c, size_t i) {
    const size_t pair = i / 2;
    return pair >= c->pairs ? i : i % 2 ? c->count - c->pairs + pair : c->chosen[pair];
}

static uh_status fail_not_finite(const struct cubature *c, const union uhi_word *row, size_t region, uint64_t n) {
    char point[UHI_CUBATURE_DIMS * 25 + 1];
    size_t used = 0;
    const unsigned char *at = c->cubing.rule.at[row[UHI_REGION_NODE].i % c->nodes];
    const double *leaf = leaf_of(c, region);
    for (size_t d = 0; d < c->dims; d++) {
        double x[UH_INTEGRATE_BATCH], weight[UH_INTEGRATE_BATCH] = {0};
        for (size_t i = 0; i < UH_INTEGRATE_BATCH; i++)
            x[i] = leaf[d] + c->cubing.rule.place[at[d]] * leaf[c->dims + d];
        if (c->samples.sampling.field.sides[d].kind != UHI_SIDES_FINITE)
            uhi_map_sides(&c->samples.sampling.field.sides[d], x, weight);
        used += (size_t)snprintf(point + used, sizeof point - used, "%s%.10g", d ? ", " : "", x[0]);
    }
    return uhi_fail_argument(c->samples.frame.call, "integrand",
                             "is %g at (%s), expected finite values; %" PRIu64 " values at nodes of its region are not",
                             row[UHI_REGION_VALUE].f, point, n);
}

/* Checks the row of a region, and stores it. */
static uh_status take_row(struct cubature *c, const union uhi_word *row, size_t region) {
    const uint64_t found = row[UHI_REGION_NOT_FINITE].i;
    if (found > 0 && !c->options->zero_not_finite)
        return fail_not_finite(c, row, region, found);
    for (size_t k = 0; k < c->values; k++)
        if (!isfinite(row[UHI_REGION_RULES(c->dims, k)].f))
            return uhi_fail_argument(c->samples.frame.call, "integrand",
                                     "has values whose sum is %g, expected sums that float64 can hold",
                                     row[UHI_REGION_RULES(c->dims, k)].f);
    c->not_finite += found;
    store(c, row, region);
    return UH_SUCCESS;
}

static void fill_piece(struct cubature *c, size_t first, size_t n) {
    struct uhi_sampling *s = &c->samples.sampling;
    for (size_t i = 0; i < n; i++)
        memcpy(c->piece + i * 2 * c->dims, leaf_of(c, active(c, first + i)), 2 * c->dims * sizeof *c->piece);
    s->cubes = n;
    s->samples = n * UHI_UNIT;
}

/* Evaluates n of the regions to evaluate, from number `first` on. */
static uh_status evaluate_piece(struct cubature *c, size_t first, size_t n, uh_integrate_end *end) {
    const size_t words = uhi_row_words(&c->samples.sampling);
    fill_piece(c, first, n);
    UHI_TRY(uhi_samples_draw_rows(&c->samples, n, end));
    for (size_t i = 0; i < n && *end == UH_INTEGRATE_ITERATIONS; i++)
        UHI_TRY(take_row(c, c->samples.sampling.rows + i * words, active(c, first + i)));
    for (size_t i = 0; i < n && c->pairs > 0; i += 2)
        compare(c, c->parent + (first + i) / 2 * c->values, active(c, first + i), active(c, first + i + 1));
    c->calls += (uint64_t)n * c->nodes;
    return UH_SUCCESS;
}

static uh_status evaluate(struct cubature *c, size_t n, int may_end, uh_integrate_end *end) {
    const uh_integrate_options *o = c->options;
    for (size_t first = 0, piece; first < n && *end == UH_INTEGRATE_ITERATIONS; first += piece) {
        piece = n - first < c->most ? n - first : c->most;
        UHI_TRY(evaluate_piece(c, first, piece, end));
        if (may_end && o->time_limit_ns && uhi_host_now() > c->started + o->time_limit_ns)
            *end = UH_INTEGRATE_TIME;
        else if (first + piece < n && o->progress &&
                 o->progress((first + piece) * c->nodes, n * c->nodes, o->progress_context))
            *end = UH_INTEGRATE_STOPPED;
        UHI_TRY(uhi_samples_agree(&c->samples, end));
    }
    return UH_SUCCESS;
}

/* ---- regions ---- */

/* Divides the box into the first regions: axes in turn, as many as the budget allows. */
static void divide(struct cubature *c, const uh_grid *grid) {
    const size_t wanted = c->dims == 1 ? FIRST_INTERVALS : FIRST_REGIONS;
    size_t parts[UHI_CUBATURE_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    c->count = 1;
    for (size_t d = 0; c->count < wanted && 8 * c->count * c->nodes <= c->budget; d = d + 1 < c->dims ? d + 1 : 0) {
        parts[d] *= 2;
        c->count *= 2;
    }
    for (size_t i = 0; i < c->count; i++)
        for (size_t d = 0, rest = i; d < c->dims; rest /= parts[d], d++) {
            const int finite = grid->sides[d].kind == UHI_SIDES_FINITE;
            const double lower = finite ? grid->lower[d] : 0, upper = finite ? grid->upper[d] : 1,
                         number = (double)(rest % parts[d]), n = (double)parts[d], width = upper - lower,
                         from = number == 0 ? lower : lower + width * ((number + MOVED) / n),
                         to = number + 1 == n ? upper : lower + width * ((number + 1 + MOVED) / n);
            leaf_of(c, i)[d] = from + (to - from) / 2;
            leaf_of(c, i)[c->dims + d] = (to - from) / 2;
            c->first[d] = width / 2;
        }
}

static void add_up(struct cubature *c) {
    for (size_t j = 0; j < 2 * c->values; j++) {
        struct uhi_sum sum = {0, 0};
        for (size_t i = 0; i < c->count; i++)
            uhi_sum_add(&sum, totals_of(c, i)[j]);
        c->total[j] = sum.high + sum.low;
    }
}

static size_t bin_of(double error) {
    uint64_t bits;
    memcpy(&bits, &error, sizeof bits);
    return (size_t)(bits >> 48);
}

/* Chooses regions to halve, at most `maximum`: all but those of the smallest errors, which together have at most
 * `resting`, and none without an error; or all. */
static void choose(struct cubature *c, double resting, size_t maximum, int all) {
    double error = 0;
    size_t lowest = all ? 0 : 1, n = 0, from = BINS;
    memset(c->bins, 0, BINS * sizeof *c->bins);
    for (size_t i = 0; i < c->count; i++) {
        const double own = *errors_of(c, i);
        if (can_halve(c, i, axis_of(c, i)))
            c->bins[bin_of(own)].n++;
        *(can_halve(c, i, axis_of(c, i)) ? &c->bins[bin_of(own)].error : &error) += own;
    }
    while (!all && lowest < BINS && error + c->bins[lowest].error <= resting)
        error += c->bins[lowest++].error;
    while (from > lowest && n + c->bins[from - 1].n <= maximum)
        n += c->bins[--from].n;
    size_t left = from > lowest ? maximum - n : 0; /* of bin from - 1 */
    c->pairs = 0;
    for (size_t i = 0; i < c->count; i++) {
        const size_t bin = bin_of(*errors_of(c, i));
        if (bin + 1 < from || !can_halve(c, i, axis_of(c, i)) || (bin + 1 == from && left == 0))
            continue;
        left -= bin + 1 == from ? 1 : 0;
        c->chosen[c->pairs++] = (uint32_t)i;
    }
}

static void halve(struct cubature *c) {
    for (size_t p = 0; p < c->pairs; p++) {
        double *left = leaf_of(c, c->chosen[p]), *right = leaf_of(c, c->count + p);
        const size_t axis = axis_of(c, c->chosen[p]);
        memcpy(c->parent + p * c->values, left + 2 * c->dims, c->values * sizeof *c->parent);
        memcpy(right, left, c->stride * sizeof *left);
        left[c->dims + axis] = right[c->dims + axis] = left[c->dims + axis] / 2;
        left[axis] -= left[c->dims + axis];
        right[axis] += right[c->dims + axis];
    }
    c->count += c->pairs;
}

/* ---- passes ---- */

static double tolerated(const struct cubature *c) {
    return fmax(c->options->absolute_error, c->options->relative_error * fabs(c->total[0]));
}

/* Chooses and halves regions, and returns how many. Those of the first pass are all halved: their errors are not to be
 * trusted yet. */
static size_t begin_pass(struct cubature *c, size_t pass) {
    const uint64_t affordable = (c->budget - c->calls) / (2 * c->nodes), room = c->room - c->count;
    choose(c, RESTING * tolerated(c), (size_t)(affordable < room ? affordable : room),
           pass == 1 || c->total[c->values] == 0);
    halve(c);
    return c->pairs;
}

static void store_result(const struct cubature *c, uh_integral *to) {
    const double *error = c->total + c->values;
    to->value = c->total[0];
    to->error = error[0];
    to->cubes = c->count;
    for (size_t k = 0; k < c->values; k++) {
        if (to->values)
            to->values[k] = c->total[k];
        for (size_t l = 0; l < c->values && to->covariance; l++)
            to->covariance[k * c->values + l] = k == l ? error[k] * error[k] : 0;
    }
}

static int report_pass(const struct cubature *c, size_t pass, uint64_t begin, uint64_t kernel_ns, uint64_t calls) {
    const uh_iteration iteration = {.struct_size = sizeof iteration,
                                    .number = pass,
                                    .counts = 1,
                                    .estimate = c->total[0],
                                    .deviation = c->total[c->values],
                                    .integral = c->total[0],
                                    .error = c->total[c->values],
                                    .calls = c->calls - calls,
                                    .kernel_ns = c->samples.kernel_ns - kernel_ns,
                                    .total_ns = uhi_host_now() - begin};
    return c->options->report ? c->options->report(&iteration, c->options->report_context) : 0;
}

static uh_status run_passes(struct cubature *c, uh_integral *integral) {
    const double *error = &c->total[c->values];
    integral->end = UH_INTEGRATE_ITERATIONS;
    for (size_t pass = 0; pass < UH_INTEGRATE_PASSES && integral->end == UH_INTEGRATE_ITERATIONS; pass++) {
        const uint64_t begin = uhi_host_now(), kernel_ns = c->samples.kernel_ns, calls = c->calls;
        if (pass > 0 && begin_pass(c, pass) == 0)
            break;
        UHI_TRY(evaluate(c, pass > 0 ? 2 * c->pairs : c->count, pass > 0, &integral->end));
        if (integral->end != UH_INTEGRATE_ITERATIONS)
            return UH_SUCCESS;
        add_up(c);
        store_result(c, integral);
        integral->iterations++;
        integral->warning = *error > 0 ? UH_INTEGRATE_NO_WARNING : UH_INTEGRATE_ALL_ZERO;
        if (pass > 0 && *error > 0 && *error <= tolerated(c))
            integral->end = UH_INTEGRATE_CONVERGED;
        if (report_pass(c, pass, begin, kernel_ns, calls) && integral->end != UH_INTEGRATE_CONVERGED)
            integral->end = UH_INTEGRATE_STOPPED;
        UHI_TRY(uhi_samples_agree(&c->samples, &integral->end));
    }
    return UH_SUCCESS;
}

/* Makes room for all regions that the budget allows, and the first of them. */
static uh_status open_regions(struct cubature *c, uh_queue *queue, const char *call, const uh_grid *grid) {
    const uh_integrate_options *o = c->options;
    c->budget = o->max_calls * o->iterations;
    if (c->budget < 8 * c->nodes)
        return uhi_fail_argument(call, "options->max_calls",
                                 "is %" PRIu64 " with %zu iterations, expected at least %zu evaluations in all",
                                 o->max_calls, o->iterations, 8 * c->nodes);
    const uint64_t most = FIRST_REGIONS + c->budget / (2 * c->nodes);
    const size_t each = c->stride + c->values,
                 fit = MAX_NUMBERS / each < MAX_REGIONS ? MAX_NUMBERS / each : MAX_REGIONS;
    c->room = most < fit ? (size_t)most : fit;
    c->most = uhi_samples_units(&c->samples.sampling, (uint64_t)(PIECE - 1) * UHI_UNIT, 1) / 2 * 2;
    c->leaf = malloc((c->room * each + 2 * c->dims * c->most) * sizeof *c->leaf);
    c->chosen = calloc(c->room, sizeof *c->chosen);
    c->bins = malloc(BINS * sizeof *c->bins);
    if (!c->leaf || !c->chosen || !c->bins)
        return uhi_fail_memory(call, "no memory for %zu regions", c->room);
    c->parent = leaf_of(c, c->room);
    c->cubing.region = c->piece = c->parent + c->room * c->values;
    divide(c, grid);
    fill_piece(c, 0, c->count); /* for the kernel's trial */
    return uhi_samples_open(&c->samples, queue, call, (uint64_t)(c->most - 1) * UHI_UNIT, 0);
}

uh_status uhi_cubature(uh_queue *queue, const char *call, const uh_integrand *integrand,
                       const uh_integrate_options *options, uh_grid *grid, uh_integral *integral) {
    uh_integrate_options quiet = *options; /* for pieces, whose regions are not calls */
    struct cubature c = {.samples = {.sampling = {.integrand = integrand, .each = UHI_UNIT, .report = UINT64_MAX},
                                     .grid = grid,
                                     .options = &quiet,
                                     .trial = uhi_cubature_try},
                         .options = options,
                         .dims = grid->dims,
                         .values = integrand->values,
                         .stride = 2 * (grid->dims + integrand->values) + 1,
                         .started = uhi_host_now()};
    struct uhi_sampling *s = &c.samples.sampling;
    quiet.progress = NULL;
    uhi_rule_make(c.dims, &c.cubing.rule);
    c.nodes = c.cubing.rule.first[c.cubing.rule.orbits];
    s->cubing = &c.cubing;
    s->field.dims = grid->dims;
    s->field.bins = grid->bins;
    memcpy(s->field.sides, grid->sides, sizeof s->field.sides);
    for (size_t d = 0; d < c.dims; d++) {
        c.cubing.rule.sides[d][0] = grid->sides[d].kind;
        c.cubing.rule.sides[d][1] = grid->sides[d].at;
    }
    uh_status status = open_regions(&c, queue, call, grid);
    status = uhi_samples_open_ranks(&c.samples, call, (uint64_t)(c.most - 1) * UHI_UNIT, status);
    if (!status)
        status = run_passes(&c, integral);
    integral->variant = UH_INTEGRATE_CUBATURE;
    integral->calls = c.calls;
    integral->not_finite = c.not_finite;
    integral->kernel_ns = c.samples.kernel_ns;
    integral->total_ns = uhi_host_now() - c.started;
    integral->dtype = UH_F64;
    uhi_samples_close(&c.samples);
    free(c.leaf);
    free(c.chosen);
    free(c.bins);
    return status;
}
