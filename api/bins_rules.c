/* SPDX-License-Identifier: Apache-2.0 */
/* Axes that the data choose: checks, rules of equal bins, and Denby's and Mallows' bins. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "api/bins_values.h"
#include "runtime/status.h"

enum { USUAL_BINS = 65536, MAX_BINS = 1 << 20, MIN_TRIED = 100, MAX_CELLS = 1 << 22, KNOWN_GAMMAS = 4096 };

/* ---- numbers of equal bins ---- */

/* The values by cells of equal width, to find those below an edge. */
struct cells {
    const struct uhi_counted *values;
    double lo, scale;
    size_t n;
    uint32_t *first; /* value of each cell or of the next one that has any */
};

static size_t cell_of(const struct cells *cells, double x) {
    const double at = (x - cells->lo) * cells->scale;
    return !(at > 0) ? 0 : at < (double)(cells->n - 1) ? (size_t)at : cells->n - 1;
}

static uh_status make_cells(const struct uhi_choosing *c, struct cells *cells) {
    const struct uhi_counted *values = c->values;
    const size_t n = values->n < MAX_CELLS / 2 ? 2 * values->n : MAX_CELLS;
    *cells =
        (struct cells){.values = values, .lo = c->range[0], .scale = (double)n / (c->range[1] - c->range[0]), .n = n};
    cells->first = malloc(n * sizeof *cells->first);
    if (!cells->first)
        return uhi_fail_memory(c->call, "no memory for %zu cells", n);
    for (size_t i = 0, cell = 0; i < values->n; i++)
        for (const size_t last = cell_of(cells, values->x[i]); cell <= last; cell++)
            cells->first[cell] = (uint32_t)i;
    for (size_t cell = cell_of(cells, values->x[values->n - 1]) + 1; cell < n; cell++)
        cells->first[cell] = (uint32_t)values->n;
    return UH_SUCCESS;
}

/* Returns how many values lie below an edge. */
static uint64_t below(const struct cells *cells, double edge) {
    size_t i = cells->first[cell_of(cells, edge)];
    while (i < cells->values->n && cells->values->x[i] < edge)
        i++;
    return cells->values->before[i];
}

/* Stirling's series of log gamma(z), z > 0; 1e-14 of its size. */
static double log_gamma(double z) {
    double shift = 0;
    while (z < 10)
        shift += log(z++);
    const double inverse = 1 / z, square = inverse * inverse;
    const double series =
        inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680 - square / 1188))));
    return (z - 0.5) * log(z) - z + 0.91893853320467274178 + series - shift;
}

/* What a number of bins is judged by. */
struct judge {
    uh_rule rule;
    double n;                   /* values */
    double gamma[KNOWN_GAMMAS]; /* log gamma(count + 1/2) */
};

static double add_count(const struct judge *judge, uint64_t count, double mean) {
    if (judge->rule == UH_RULE_KNUTH)
        return count < KNOWN_GAMMAS ? judge->gamma[count] : log_gamma((double)count + 0.5);
    return ((double)count - mean) * ((double)count - mean);
}

/* Returns Knuth's log posterior, without what is common to all numbers, or minus Shimazaki's and Shinomoto's cost. */
static double judge_bins(const struct judge *judge, const struct cells *cells, const double range[2], size_t bins) {
    const double m = (double)bins, mean = judge->n / m, step = (range[1] - range[0]) / m;
    const uint64_t all = cells->values->before[cells->values->n];
    uint64_t before = 0;
    double sum = 0;
    for (size_t j = 1; j <= bins; j++) {
        const uint64_t here = j == bins ? all : below(cells, (double)j * step + range[0]);
        sum += add_count(judge, here > before ? here - before : 0, mean);
        before = here > before ? here : before;
    }
    if (judge->rule == UH_RULE_KNUTH)
        return judge->n * log(m) + log_gamma(m / 2) - m * log_gamma(0.5) - log_gamma(judge->n + m / 2) + sum;
    return -(2 * mean - sum / m) / (step * step);
}

uh_status uhi_choose_equal(struct uhi_choosing *c, uh_rule rule) {
    const struct uhi_counted *values = c->values;
    const uint64_t n = values->before[values->n];
    const size_t root = (size_t)sqrt((double)n), usual = root > MIN_TRIED ? root : MIN_TRIED;
    const size_t most = c->max_is_given || c->options.max_bins < usual ? c->options.max_bins : usual;
    struct judge judge = {.rule = rule, .n = (double)n};
    struct cells cells;
    UHI_TRY(make_cells(c, &cells));
    for (size_t i = 0; i < KNOWN_GAMMAS; i++)
        judge.gamma[i] = log_gamma((double)i + 0.5);
    c->result.tried = most < values->n ? most : values->n;
    c->result.score = -INFINITY;
    for (size_t bins = 1; bins <= c->result.tried; bins++) {
        const double score = judge_bins(&judge, &cells, c->range, bins);
        if (score > c->result.score) {
            c->result.score = score;
            c->result.bins = bins;
        }
    }
    c->result.limited = c->result.bins == c->result.tried && c->result.tried < values->n;
    c->result.score = rule == UH_RULE_KNUTH ? c->result.score : -c->result.score;
    free(cells.first);
    return UH_SUCCESS;
}

/* ---- Denby's and Mallows' bins ---- */

/* numpy.quantile of the values. */
static double quantile(const struct uhi_counted *values, double q) {
    const double at = (double)(values->before[values->n] - 1) * q, below_at = floor(at);
    size_t i = 0;
    while ((double)values->before[i + 1] <= below_at)
        i++;
    const double next =
        (double)values->before[i + 1] > below_at + 1 || i + 1 == values->n ? values->x[i] : values->x[i + 1];
    return values->x[i] + (next - values->x[i]) * (at - below_at);
}

/* Edges at equal steps of x + slant F(x): its inverse, along the values, between which F is constant. */
static void choose_slanted(struct uhi_choosing *c) {
    const struct uhi_counted *values = c->values;
    const double n = (double)values->before[values->n], lo = values->x[0], hi = values->x[values->n - 1];
    const double slant =
        c->options.slant > 0 ? c->options.slant : 5 * (quantile(values, 0.75) - quantile(values, 0.25));
    const int by_content = isinf(slant) != 0;
    const double per_value = by_content ? 1 / n : slant / n,
                 step = (by_content ? 1 : hi - lo + slant) / (double)c->options.bins;
    size_t made = 1, i = 0; /* the last value at or below the edge */
    c->edges[0] = lo;
    for (size_t j = 1; j < c->options.bins; j++) {
        const double level = (double)j * step;
        while (i + 1 < values->n &&
               (by_content ? 0 : values->x[i + 1] - lo) + per_value * (double)values->before[i + 1] <= level)
            i++;
        const double flat = lo + (level - per_value * (double)values->before[i + 1]);
        const double edge = by_content || flat < values->x[i] ? values->x[i] : flat;
        if (edge > c->edges[made - 1] && edge < hi)
            c->edges[made++] = edge;
    }
    c->edges[made] = hi;
    c->result.bins = made;
}

/* ---- the call ---- */

static uh_status check_options(const char *call, uh_rule rule, uh_rule_options *o) {
    const int counts = rule == UH_RULE_CLUSTERS || rule == UH_RULE_DENBY_MALLOWS, blocks = rule == UH_RULE_BLOCKS;
    const char *name = uh_enum_name(UH_ENUM_RULE, rule);
    o->max_bins = o->max_bins ? o->max_bins : USUAL_BINS;
    UHI_TRY(uhi_check_between(call, "options->max_bins", UH_NO_INDEX, o->max_bins, 1, MAX_BINS));
    if (counts)
        UHI_TRY(uhi_check_between(call, "options->bins", UH_NO_INDEX, o->bins, 1, o->max_bins));
    else if (o->bins)
        return uhi_fail_argument(call, "options->bins", "is %zu, expected 0: the rule %s finds it", o->bins, name);
    if (!blocks && (o->p0 != 0 || o->gamma != 0 || o->ncp_prior != 0))
        return uhi_fail_argument(call, "options->p0", "is given, or gamma or ncp_prior, expected 0 with the rule %s",
                                 name);
    if ((o->p0 != 0) + (o->gamma != 0) + (o->ncp_prior != 0) > 1)
        return uhi_fail_argument(call, "options->p0", "is given with gamma or ncp_prior, expected one of them");
    UHI_TRY(uhi_check_number(call, "options->p0", o->p0, 0, 1, "0 to 1"));
    UHI_TRY(uhi_check_number(call, "options->gamma", o->gamma, 0, 1, "0 to 1"));
    UHI_TRY(uhi_check_number(call, "options->ncp_prior", o->ncp_prior, 0, DBL_MAX, "a number above 0"));
    UHI_TRY(uhi_check_number(call, "options->slant", o->slant, 0, INFINITY, "a number above 0"));
    if (o->slant != 0 && rule != UH_RULE_DENBY_MALLOWS)
        return uhi_fail_argument(call, "options->slant", "is %g, expected 0 with the rule %s", o->slant, name);
    return UH_SUCCESS;
}

static uh_status choose(struct uhi_choosing *c, uh_rule rule, uh_axis **axis) {
    const struct uhi_counted *values = c->values;
    const double x = values->x[0];
    const int equal = rule == UH_RULE_KNUTH || rule == UH_RULE_SHIMAZAKI;
    if (!isfinite(c->range[1] - c->range[0]))
        return uhi_fail_argument(c->call, "bins", "reaches from %g to %g, expected a difference that float64 can hold",
                                 c->range[0], c->range[1]);
    if (c->options.bins > values->n)
        return uhi_fail_argument(c->call, "options->bins",
                                 "is %zu, expected at most %zu, the number of different values", c->options.bins,
                                 values->n);
    if (values->n == 1 && !(equal && c->range[0] < c->range[1])) {
        c->result.bins = 1;
        return uhi_axis_make_range(c->call, 0, 1, fmin(x - 0.5, nextafter(x, -INFINITY)),
                                   fmax(x + 0.5, nextafter(x, INFINITY)), c->options.closed, axis);
    }
    c->edges =
        equal ? NULL : malloc(((c->options.bins ? c->options.bins : c->options.max_bins) + 1) * sizeof *c->edges);
    if (!equal && !c->edges)
        return uhi_fail_memory(c->call, "no memory for edges");
    if (rule == UH_RULE_DENBY_MALLOWS)
        choose_slanted(c);
    else
        UHI_TRY(equal                      ? uhi_choose_equal(c, rule)
                : rule == UH_RULE_CLUSTERS ? uhi_choose_clusters(c)
                                           : uhi_choose_blocks(c));
    return equal ? uhi_axis_make_range(c->call, 0, c->result.bins, c->range[0], c->range[1], c->options.closed, axis)
                 : uhi_axis_make(c->call, "edges", UH_F64, c->edges, c->result.bins + 1, 2, c->options.closed, axis);
}

uh_status uh_bins_axis(uh_bins *bins, uh_rule rule, const uh_rule_options *options, uh_axis **axis,
                       uh_rule_result *result) {
    struct uhi_counted values;
    struct uhi_choosing c = {.call = __func__, .values = &values, .result = {.struct_size = sizeof c.result}};
    UHI_NEED(__func__, bins, "bins");
    UHI_NEED(__func__, axis, "where to store the axis");
    UHI_TRY(uhi_check_enum(__func__, "rule", UH_NO_INDEX, UH_ENUM_RULE, rule));
    UHI_TRY(uhi_sized_read(__func__, "options", options, &c.options, sizeof c.options));
    UHI_TRY(result ? uhi_sized_check(__func__, "result", result, sizeof *result) : UH_SUCCESS);
    c.max_is_given = c.options.max_bins > 0;
    UHI_TRY(check_options(__func__, rule, &c.options));
    UHI_TRY(uhi_bins_count(__func__, bins, &values));
    c.range[0] = bins->ranged ? bins->range[0] : bins->min;
    c.range[1] = bins->ranged ? bins->range[1] : bins->max;
    const uh_status status = choose(&c, rule, axis);
    if (!status && result)
        uhi_sized_write(result, &c.result);
    free(c.edges);
    uhi_counted_free(&values);
    return status;
}
