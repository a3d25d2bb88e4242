/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/bins.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/options.h"
#include "api/cli/rules/select.h"
#include "api/cli/rules/values.h"

int cli_bins_parse(const char *text, struct cli_bins *bins, struct cli_error *error) {
    const char *number = text;
    uint64_t max = UH_MAX_BINS, count;
    bins->kind = CLI_BINS_EQUAL;
    if (cli_rule_from_name(text, &bins->rule) == 0) {
        bins->kind = CLI_BINS_RULE;
        return 0;
    }
    if (strcmp(text, "integers") == 0) {
        bins->kind = CLI_BINS_INTEGERS;
        return 0;
    }
    if (strncmp(text, "log:", 4) == 0) {
        bins->kind = CLI_BINS_LOG;
        number = text + 4;
    } else if (strncmp(text, "quantile:", 9) == 0) {
        bins->kind = CLI_BINS_QUANTILE;
        number = text + 9;
        max = CLI_MAX_QUANTILES;
    } else if (strncmp(text, "cdf:", 4) == 0) {
        bins->kind = CLI_BINS_CDF;
        number = text + 4;
    }
    if (cli_parse_u64(number, 1, max, &count))
        return cli_usage(error,
                         "--bins '%s': expected N, log:N, quantile:N or cdf:N with N from 1 to %llu, integers, one of "
                         "sqrt, rice, sturges, doane, scott, fd, stone, auto, or a file of edges",
                         text, (unsigned long long)max);
    bins->count = (size_t)count;
    return 0;
}

int cli_bins_parse_range(const char *text, struct cli_bins *bins, struct cli_error *error) {
    const char *comma = strchr(text, ',');
    double lo, hi;
    if (!comma || strchr(comma + 1, ',') || cli_parse_double(text, (size_t)(comma - text), &lo) ||
        cli_parse_double(comma + 1, strlen(comma + 1), &hi))
        return cli_usage(error, "--range '%s': expected two numbers, LO,HI", text);
    if (!isfinite(lo) || !isfinite(hi))
        return cli_usage(error, "--range '%s': both ends must be finite", text);
    if (lo >= hi)
        return cli_usage(error, "--range '%s': LO must be smaller than HI", text);
    if (!isfinite(hi - lo))
        return cli_usage(error, "--range '%s': HI - LO is more than float64 can tell", text);
    bins->ranged = 1;
    bins->range[0] = lo;
    bins->range[1] = hi;
    return 0;
}

/* Lets the library judge the edges, so that a bad one is told of before anything is read. */
static int check_edges(const char *option, const char *text, size_t min_edges, const struct cli_bins *bins,
                       struct cli_error *error) {
    const struct cli_numbers *edges = &bins->edges;
    uh_axis *axis = NULL;
    if (edges->n < min_edges)
        return cli_fail(error, "--%s '%.200s': expected at least %zu edge%s, there %s %zu", option, text, min_edges,
                        min_edges == 1 ? "" : "s", edges->n == 1 ? "is" : "are", edges->n);
    if (edges->n == 1) {
        double edge = 0;
        if (edges->dtype == UH_F64)
            memcpy(&edge, edges->data, sizeof edge);
        else if (edges->dtype == UH_F32)
            edge = (double)*(const float *)edges->data;
        return isnan(edge) ? cli_fail(error, "--%s '%.200s': the edge is NaN", option, text) : 0;
    }
    if (uh_axis_create_edges(edges->dtype, edges->data, edges->n, UH_CLOSED_LEFT, &axis))
        return cli_fail(error, "--%s '%.200s': %s", option, text, uh_last_error_info()->text);
    uh_axis_destroy(axis);
    return 0;
}

int cli_bins_read_edges(const char *option, const char *text, size_t min_edges, struct cli_bins *bins,
                        struct cli_error *error) {
    struct cli_error reason;
    double first;
    bins->kind = CLI_BINS_EDGES;
    if (access(text, F_OK) == 0) {
        if (cli_input_read_all(text, &bins->edges.dtype, &bins->edges.data, &bins->edges.n, &reason))
            return cli_fail(error, "--%s: %.900s", option, reason.text);
        return check_edges(option, text, min_edges, bins, error);
    }
    if (cli_parse_list(text, &bins->edges, &reason)) {
        if (cli_parse_double(text, strcspn(text, ","), &first))
            return cli_fail(error, "--%s '%.200s': no such file, and no list of numbers", option, text);
        return cli_usage(error, "--%s: %.900s", option, reason.text);
    }
    return check_edges(option, text, min_edges, bins, error) ? CLI_USAGE : 0;
}

/* What integer bins cannot have. */
static int check_integers(const struct cli_bins *bins, const char *range_text, int right, struct cli_error *error) {
    const double *range = bins->range;
    if (right)
        return cli_usage(error, "--bins integers: the bin of n holds n and not n + 1; --right does not go with it");
    if (bins->ranged &&
        (floor(range[0]) != range[0] || floor(range[1]) != range[1] || range[0] < -0x1p53 || range[1] > 0x1p53))
        return cli_usage(error, "--range '%.200s': LO and HI must be whole numbers up to 2^53 for integer bins",
                         range_text);
    return 0;
}

int cli_bins_check(const struct cli_bins *bins, const char *range_text, int right, uh_method method,
                   struct cli_error *error) {
    if (bins->kind == CLI_BINS_LOG && bins->ranged && !(bins->range[0] > 0))
        return cli_usage(error, "--range '%.200s': LO must be above 0 for logarithmic bins", range_text);
    if ((bins->kind == CLI_BINS_CDF || method == UH_METHOD_CDF) && !bins->distribution.given)
        return cli_usage(error, "%s goes by a distribution; give --distribution",
                         bins->kind == CLI_BINS_CDF ? "--bins cdf:N" : "--method cdf");
    return bins->kind == CLI_BINS_INTEGERS ? check_integers(bins, range_text, right, error) : 0;
}

int cli_bins_need_data(const struct cli_bins *bins) {
    switch (bins->kind) {
    case CLI_BINS_CDF:
    case CLI_BINS_EDGES: return 0;
    case CLI_BINS_INTEGERS:
    case CLI_BINS_EQUAL:
    case CLI_BINS_LOG: return !bins->ranged;
    default: return 1;
    }
}

static int equal_axis(size_t count, const double *range, uh_closed closed, uh_axis **axis, struct cli_error *error) {
    return uh_axis_create_equal(count, range[0], range[1], closed, axis) ? cli_fail_library(error) : 0;
}

static int log_axis(const struct cli_bins *bins, struct cli_inputs *inputs, uh_queue *queue, uh_closed closed,
                    uh_axis **axis, struct cli_error *error) {
    double lo = bins->range[0], hi = bins->range[1];
    if (bins->ranged && !(lo > 0))
        return cli_fail(error, "--range %g,%g: logarithmic bins need LO above 0", lo, hi);
    if (!bins->ranged) {
        struct cli_extent extent;
        if (cli_extent_read(inputs, queue, 1, &extent, error))
            return -1;
        lo = extent.min_above_0;
        hi = extent.max;
        if (extent.n == 0 || isinf(lo))
            return cli_fail(error, "--bins log:%zu: no value is positive and finite; give --range LO,HI", bins->count);
        if (isinf(hi))
            return cli_fail(error, "--bins log:%zu: the largest value is infinite; give --range LO,HI", bins->count);
        if (lo >= hi) {
            lo /= 2;
            hi = hi > DBL_MAX / 2 ? DBL_MAX : hi * 2;
        }
    }
    return uh_axis_create_log(bins->count, lo, hi, closed, axis) ? cli_fail_library(error) : 0;
}

/* Puts the edges of bins of equal content into `edges`, and what lies between into order: rounding may exchange two. */
static int quantile_edges(const struct cli_bins *bins, struct cli_select *select, double *edges,
                          struct cli_error *error) {
    size_t n = bins->count;
    double step = 1.0 / (double)n;
    int result = -1;
    double *q = malloc((n + 1) * sizeof *q);
    if (!q) {
        cli_fail(error, "out of memory for %zu quantiles", n);
        goto out;
    }
    for (size_t j = 0; j <= n; j++)
        q[j] = j == n ? 1.0 : (double)j * step;
    if (cli_select_quantiles(select, q, n + 1, edges, error))
        goto out;
    edges[0] = cli_select_extent(select)->min;
    for (size_t j = 1; j < n; j++)
        edges[j] = fmin(fmax(edges[j], edges[j - 1]), cli_select_extent(select)->max);
    edges[n] = cli_select_extent(select)->max;
    result = 0;
out:
    free(q);
    return result;
}

static int quantile_axis(const struct cli_bins *bins, struct cli_inputs *inputs, uh_queue *queue, uh_closed closed,
                         uh_axis **axis, struct cli_error *error) {
    struct cli_select *select = NULL;
    struct cli_extent extent = {0};
    double *edges = malloc((bins->count + 1) * sizeof *edges), lo, hi;
    int result = -1;
    if (!edges) {
        cli_fail(error, "out of memory for %zu quantiles", bins->count);
        goto out;
    }
    if (cli_select_open(inputs, queue, bins->ranged ? bins->range : NULL, 0, &select, error))
        goto out;
    extent = *cli_select_extent(select);
    if (extent.n == 0) {
        cli_fail(error, "--bins quantile:%zu: there are no values%s", bins->count, bins->ranged ? " in the range" : "");
        goto out;
    }
    extent.nan = bins->ranged ? 0 : extent.nan;
    if (cli_extent_range(&extent, &lo, &hi, error) || quantile_edges(bins, select, edges, error))
        goto out;
    if (uh_axis_create_edges(UH_F64, edges, bins->count + 1, closed, axis)) {
        cli_fail_library(error);
        goto out;
    }
    result = 0;
out:
    cli_select_close(select);
    free(edges);
    return result;
}

/* The integers of the range, or of the values; of none, 0 alone. */
static int integer_axis(const struct cli_bins *bins, struct cli_inputs *inputs, uh_queue *queue, uh_axis **axis,
                        struct cli_error *error) {
    double lo = bins->range[0], hi = bins->range[1], ignored[2];
    if (!bins->ranged) {
        struct cli_extent extent;
        if (cli_extent_read(inputs, queue, 0, &extent, error) ||
            cli_extent_range(&extent, &ignored[0], &ignored[1], error))
            return -1;
        lo = extent.n ? floor(extent.min) : 0;
        hi = extent.n ? floor(extent.max) : 0;
    }
    if (!(hi - lo < (double)UH_MAX_BINS) || lo < -0x1p63 || hi >= 0x1p63)
        return cli_fail(error,
                        "--bins integers: the values run from %.17g to %.17g, expected 64-bit integers, and no "
                        "more than %zu; give --range LO,HI",
                        lo, hi, UH_MAX_BINS);
    return uh_axis_create_integer((int64_t)lo, (int64_t)hi, axis) ? cli_fail_library(error) : 0;
}

static int make_axis(const struct cli_bins *bins, struct cli_inputs *inputs, uh_queue *queue, uh_closed closed,
                     uh_axis **axis, const char **warning, struct cli_error *error) {
    struct cli_extent extent;
    const double *range = bins->ranged ? bins->range : NULL;
    double found[2];
    size_t count;
    *warning = NULL;
    switch (bins->kind) {
    case CLI_BINS_EDGES:
        if (uh_axis_create_edges(bins->edges.dtype, bins->edges.data, bins->edges.n, closed, axis))
            return cli_fail_library(error);
        return 0;
    case CLI_BINS_LOG: return log_axis(bins, inputs, queue, closed, axis, error);
    case CLI_BINS_CDF: return cli_distribution_axis(&bins->distribution, bins->count, range, closed, axis, error);
    case CLI_BINS_INTEGERS: return integer_axis(bins, inputs, queue, axis, error);
    case CLI_BINS_QUANTILE: return quantile_axis(bins, inputs, queue, closed, axis, error);
    case CLI_BINS_EQUAL:
        if (range)
            return equal_axis(bins->count, range, closed, axis, error);
        if (cli_extent_read(inputs, queue, 0, &extent, error) || cli_extent_range(&extent, &found[0], &found[1], error))
            return -1;
        return equal_axis(bins->count, found, closed, axis, error);
    case CLI_BINS_RULE:
        if (cli_rule_apply(bins->rule, inputs, queue, range, &count, &found[0], &found[1], warning, error))
            return -1;
        return equal_axis(count, found, closed, axis, error);
    }
    return cli_fail(error, "unknown kind of bins");
}

int cli_bins_axis(const struct cli_bins *bins, struct cli_inputs *inputs, uh_queue *queue, uh_closed closed,
                  uh_axis **axis, const char **warning, struct cli_error *error) {
    uh_axis *made = NULL;
    int result = make_axis(bins, inputs, queue, closed, &made, warning, error);
    if (!result)
        result = cli_distribution_carry(&bins->distribution, &made, error);
    if (result)
        uh_axis_destroy(made);
    else
        *axis = made;
    return result;
}

void cli_bins_free(struct cli_bins *bins) {
    cli_distribution_free(&bins->distribution);
    cli_numbers_free(&bins->edges);
}
