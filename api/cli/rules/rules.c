/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/rules/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/group.h"
#include "api/cli/interrupt.h"

static const char *const names[] = {"sqrt", "rice", "sturges", "doane", "scott", "fd", "stone", "auto"};

int cli_rule_from_name(const char *name, enum cli_rule *rule) {
    size_t i = 0;
    while (i <= CLI_RULE_AUTO && strcmp(name, names[i]) != 0)
        i++;
    *rule = (enum cli_rule)i;
    return i <= CLI_RULE_AUTO ? 0 : -1;
}

struct batch {
    uint64_t first, end; /* first <= number of bins < end */
    double lo, hi;
    double *edges; /* of all candidates, sorted, distinct */
    size_t nedges;
    uint64_t *below; /* below[i]: values smaller than edges[i]; the last includes those equal to it */
    uh_queue *queue;
    uh_histogram *histogram;
};

/* Returns the largest number of bins tried for n values. */
static uint64_t stone_limit(uint64_t n) {
    uint64_t root = (uint64_t)sqrt((double)n);
    return root > 100 ? root : 100;
}

/* Returns edge i of m equal bins, as numpy.linspace computes it. */
static double edge_of(const struct batch *batch, uint64_t m, uint64_t i) {
    return i == m ? batch->hi : (double)i * ((batch->hi - batch->lo) / (double)m) + batch->lo;
}

static void make_edges(struct batch *batch) {
    size_t n = (size_t)((batch->end - batch->first) * (batch->end + batch->first + 1) / 2);
    batch->edges = cli_have(malloc((n + 1) * sizeof *batch->edges));
    batch->below = cli_have(malloc((n + 1) * sizeof *batch->below));
    n = 0;
    for (uint64_t m = batch->first; m < batch->end; m++)
        for (uint64_t i = 0; i <= m; i++)
            batch->edges[n++] = edge_of(batch, m, i);
    qsort(batch->edges, n, sizeof *batch->edges, cli_values_compare);
    batch->nedges = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || batch->edges[i] > batch->edges[batch->nedges - 1])
            batch->edges[batch->nedges++] = batch->edges[i];
}

static int fill_sample(void *context, const uh_array *x) {
    struct batch *batch = context;
    return CLI_INTERRUPTIBLE(batch->queue, uh_histogram_fill(batch->histogram, x, NULL)) ? cli_fail_library() : 0;
}

static int count(struct batch *batch, struct cli_inputs *inputs) {
    uh_axis *axis = NULL;
    int result = -1;
    batch->below[0] = 0;
    if (uh_axis_create_edges(UH_F64, batch->edges, batch->nedges, UH_CLOSED_LEFT, &axis) ||
        uh_histogram_create(batch->queue, &axis, 1, NULL, &batch->histogram))
        cli_fail_library();
    else if (cli_inputs_pass(inputs, "trying bin counts", fill_sample, batch) == 0 &&
             cli_group_sum(batch->histogram) == 0)
        result = uh_histogram_counts(batch->histogram, batch->below + 1) ? cli_fail_library() : 0;
    for (size_t i = 1; i < batch->nedges && result == 0; i++)
        batch->below[i] += batch->below[i - 1];
    uh_histogram_destroy(batch->histogram);
    uh_axis_destroy(axis);
    return result;
}

/* Returns the estimated error of m bins, up to parts common to all candidates: (2 - (n + 1) sum of p^2) / h, p = count
 * / n. */
static long double risk(const struct batch *batch, uint64_t m, double spread, uint64_t n) {
    long double squares = 0, total = (long double)n;
    uint64_t before = 0;
    for (uint64_t i = 1; i <= m; i++) {
        double edge = edge_of(batch, m, i);
        const double *found = bsearch(&edge, batch->edges, batch->nedges, sizeof edge, cli_values_compare);
        uint64_t below = batch->below[found - batch->edges];
        long double share = below > before ? (long double)(below - before) / total : 0;
        squares += share * share;
        before = below;
    }
    return (2 - (total + 1) * squares) / ((long double)spread / (long double)m);
}

int cli_stone_bins(struct cli_inputs *inputs, uh_queue *queue, double lo, double hi, double spread, uint64_t n,
                   uint64_t max_edges, uint64_t *bins) {
    uint64_t end = stone_limit(n) + 1, best = 1;
    long double min = INFINITY;
    int result = 0;
    if (!max_edges)
        max_edges = CLI_STONE_EDGES;
    for (uint64_t first = 1; first < end && result == 0;) {
        struct batch batch = {.first = first, .lo = lo, .hi = hi, .queue = queue};
        uint64_t edges = 0;
        for (batch.end = first; batch.end < end; batch.end++) {
            edges += batch.end + 1;
            if (edges > max_edges && batch.end > first)
                break;
        }
        make_edges(&batch);
        result = count(&batch, inputs);
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

/* Sums of powers of the distance to the first value, in long double: it is among the values, so at most the digits of
 * their number are lost when the sums are moved to the mean. */
struct moments {
    uint64_t n;
    long double first, sum, squares, cubes;
};

static int take_moments(void *context, const double *x, size_t n) {
    struct moments *moments = context;
    if (moments->n == 0 && n)
        moments->first = x[0];
    for (size_t i = 0; i < n; i++) {
        const long double d = x[i] - moments->first;
        moments->sum += d;
        moments->squares += d * d;
        moments->cubes += d * d * d;
    }
    moments->n += n;
    return 0;
}

static long double variance(const struct moments *moments) {
    const long double n = (long double)moments->n, mean = moments->sum / n;
    return fmaxl(moments->squares / n - mean * mean, 0);
}

/* Returns the standard deviation of the population (numpy.std), 0 without values. */
static double deviation_of(const struct moments *moments) { return moments->n ? (double)sqrtl(variance(moments)) : 0; }

/* Returns the mean of ((x - mean) / std)^3, 0 if the deviation is 0. */
static double skewness_of(const struct moments *moments) {
    if (moments->n == 0 || !(variance(moments) > 0))
        return 0;
    const long double n = (long double)moments->n, mean = moments->sum / n, std = sqrtl(variance(moments));
    const long double cubes = moments->cubes / n - 3 * mean * (moments->squares / n) + 2 * mean * mean * mean;
    return (double)(cubes / std / std / std);
}

struct sample {
    struct cli_extent extent;
    struct moments moments; /* scott, doane */
    double iqr;             /* fd, auto */
    uint64_t best_bins;     /* stone: the candidate with the smallest estimated error */
};

static double doane_width(const struct sample *sample, double spread) {
    const double n = (double)sample->extent.n, skewness = skewness_of(&sample->moments);
    if (sample->extent.n <= 2 || !(deviation_of(&sample->moments) > 0))
        return 0;
    double deviation = sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)));
    return spread / (1.0 + log2(n) + log2(1.0 + fabs(skewness) / deviation));
}

/* Returns the bin width of the rule, 0 if it has none: then there is one bin. */
static double width_of(enum cli_rule rule, const struct sample *sample) {
    const double n = (double)sample->extent.n, spread = sample->extent.max - sample->extent.min;
    if (sample->extent.n == 0 || !(spread > 0))
        return 0;
    double fd = 2.0 * sample->iqr * pow(n, -1.0 / 3.0);
    double sturges = spread / (log2(n) + 1.0), root = spread / sqrt(n);
    switch (rule) {
    case CLI_RULE_SQRT: return root;
    case CLI_RULE_RICE: return spread / (2.0 * pow(n, 1.0 / 3.0));
    case CLI_RULE_STURGES: return sturges;
    case CLI_RULE_DOANE: return doane_width(sample, spread);
    case CLI_RULE_SCOTT:
        return pow(24.0 * sqrt(3.14159265358979323846) / n, 1.0 / 3.0) * deviation_of(&sample->moments);
    case CLI_RULE_FD: return fd;
    case CLI_RULE_STONE: return spread / (double)sample->best_bins;
    case CLI_RULE_AUTO: return fmin(fmax(fd, root / 2), sturges); /* NumPy 2: at most twice sqrt's bins by fd */
    }
    return 0;
}

/* Computes how many bins of about `width` fill [lo, hi], at least 1. Returns 0, or -1 with a message if they are too
 * many. */
static int count_bins(enum cli_rule rule, double lo, double hi, double width, size_t *bins) {
    double count = width > 0 ? ceil((hi - lo) / width) : 1;
    if (!(count <= (double)UH_MAX_BINS))
        return cli_fail("the rule '%s' asks for %g bins from %g to %g, more than %zu; give --bins N or --range LO,HI",
                        names[rule], count, lo, hi, UH_MAX_BINS);
    *bins = count < 1 ? 1 : (size_t)count;
    return 0;
}

static int try_stone(struct cli_inputs *inputs, uh_queue *queue, const double range[2], struct sample *sample) {
    const struct cli_extent *extent = &sample->extent;
    if (extent->n <= 1 || !(extent->max > extent->min))
        return 0;
    if (cli_stone_bins(inputs, queue, range[0], range[1], extent->max - extent->min, extent->n, 0, &sample->best_bins))
        return -1;
    if (sample->best_bins == stone_limit(extent->n))
        cli_warn("the number of bins that the rule 'stone' found is the largest it tried, and may be too small");
    return 0;
}

int cli_rule_apply(enum cli_rule rule, struct cli_inputs *inputs, uh_queue *queue, const double *range, size_t *bins,
                   double *lo, double *hi) {
    const int moments = rule == CLI_RULE_SCOTT || rule == CLI_RULE_DOANE;
    struct sample sample = {.best_bins = 1};
    int result;
    inputs->whole = moments; /* these are rounded in the order of all values */
    if (rule == CLI_RULE_FD || rule == CLI_RULE_AUTO) {
        struct cli_selection of = {.inputs = inputs, .queue = queue, .range = range};
        double quartiles[2] = {0.25, 0.75};
        result = cli_select_quantiles(&of, quartiles, 2, quartiles);
        sample.extent = of.extent;
        sample.iqr = quartiles[1] - quartiles[0];
    } else {
        result = cli_extent_read(inputs, queue, range, moments ? take_moments : NULL, &sample.moments, &sample.extent);
    }
    inputs->whole = 0;
    if (result || (!range && cli_extent_range(&sample.extent, lo, hi)))
        return -1;
    *lo = range ? range[0] : *lo;
    *hi = range ? range[1] : *hi;
    if (rule == CLI_RULE_STONE && try_stone(inputs, queue, (const double[2]){*lo, *hi}, &sample))
        return -1;
    return count_bins(rule, *lo, *hi, width_of(rule, &sample), bins);
}
