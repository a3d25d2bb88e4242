/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/bins.h"

#include <unihist/bins.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the argument of --bins, except file names. */
static int read_kind(const char *text, struct cli_bins *bins) {
    static const struct {
        const char *prefix;
        enum cli_bins_kind kind;
        uint64_t max;
    } kinds[] = {{"log:", CLI_BINS_LOG, UH_MAX_BINS},
                 {"cdf:", CLI_BINS_CDF, UH_MAX_BINS},
                 {"base2:", CLI_BINS_BASE2, 1 << 20},
                 {"", CLI_BINS_EQUAL, UH_MAX_BINS}};
    uint64_t count;
    size_t i = 0;
    const int rule = cli_bins_read_rule(text, bins);
    if (rule <= 0)
        return rule;
    if (strcmp(text, "integers") == 0) {
        bins->kind = CLI_BINS_INTEGERS;
        return 0;
    }
    bins->step = cli_step_named(text);
    if (bins->step.months || bins->step.seconds > 0) {
        bins->kind = CLI_BINS_CALENDAR;
        bins->step_name = text;
        bins->times = 1;
        return 0;
    }
    if (strcmp(text, "base2") == 0) {
        bins->kind = CLI_BINS_BASE2;
        return 0;
    }
    while (strncmp(text, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
        i++;
    bins->kind = kinds[i].kind;
    if (cli_parse_u64(text + strlen(kinds[i].prefix), 1, kinds[i].max, &count))
        return cli_usage(
            "--bins '%s': expected N, log:N, cdf:N or base2:N with N from 1 to %llu, integers, minute, hour, day, "
            "week, "
            "month, year, one of sqrt, rice, sturges, doane, scott, fd, stone, auto, knuth, shimazaki, "
            "nice, blocks, base2, quantile:N, clusters:N, denby_mallows:N, equal_probability:DISTRIBUTION, or a "
            "file of edges",
            text, (unsigned long long)kinds[i].max);
    bins->count = (size_t)count;
    return 0;
}

/* The library validates the distribution. */
static int check_distribution(const char *text, const uh_distribution *distribution) {
    double v;
    if (!uh_distribution_cdf(distribution, 0, &v))
        return 0;
    return cli_fail("--distribution '%.200s': %s", text, uh_last_error_info()->text);
}

static int read_table(const char *path, const char *text, struct cli_distribution *made) {
    struct cli_numbers numbers;
    int result = -1;
    if (cli_inputs_read_file(path, &numbers))
        return cli_fail("--distribution: %.900s", cli_error.text);
    const size_t n = numbers.n;
    if (n % 2 || n == 0 || (numbers.dtype != UH_F64 && numbers.dtype != UH_F32)) {
        cli_fail("--distribution '%.200s': expected pairs of floating-point numbers, x and F(x); there are %zu "
                 "numbers of type %s",
                 text, n, uh_enum_name(UH_ENUM_DTYPE, numbers.dtype));
        goto out;
    }
    made->numbers = cli_have(malloc(n * sizeof *made->numbers));
    for (size_t i = 0; i < n; i++)
        made->numbers[i % 2 * (n / 2) + i / 2] =
            numbers.dtype == UH_F64 ? ((const double *)numbers.data)[i] : (double)((const float *)numbers.data)[i];
    made->distribution.x = made->numbers;
    made->distribution.f = made->numbers + n / 2;
    made->distribution.points = n / 2;
    result = check_distribution(text, &made->distribution);
out:
    cli_numbers_free(&numbers);
    return result;
}

static int read_distribution(const char *text, struct cli_distribution *made) {
    static const struct {
        const char *prefix;
        uh_distribution_kind kind;
    } kinds[] = {{"exponential:", UH_DISTRIBUTION_EXPONENTIAL},
                 {"normal:", UH_DISTRIBUTION_NORMAL},
                 {"lognormal:", UH_DISTRIBUTION_LOGNORMAL},
                 {"table:", UH_DISTRIBUTION_TABLE}};
    uh_distribution *d = &made->distribution;
    made->given = 1;
    *d = (uh_distribution){.struct_size = sizeof *d};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i].prefix);
        if (strncmp(text, kinds[i].prefix, length) != 0 || !text[length])
            continue;
        d->kind = kinds[i].kind;
        if (d->kind == UH_DISTRIBUTION_TABLE)
            return read_table(text + length, text, made);
        if (cli_parameters_read(text + length, "dd", (void *[]){&d->location, &d->scale}))
            break;
        return check_distribution(text, d) ? cli_as_usage() : 0;
    }
    return cli_usage("--distribution '%.200s': expected exponential:LOCATION,SCALE, normal:MEAN,SD, "
                     "lognormal:MU,SIGMA or table:FILE",
                     text);
}

static const char *word_of(const struct cli_arguments *arguments, enum cli_axis_option option, size_t axis) {
    const struct cli_words *words = &arguments->axis[option];
    return words->n == 0 ? NULL : words->word[axis < words->n ? axis : words->n - 1];
}

int cli_bins_read(const struct cli_arguments *arguments, size_t axis, size_t min_edges, struct cli_bins *bins) {
    const char *edges = word_of(arguments, CLI_EDGES, axis), *text = word_of(arguments, CLI_BINS, axis);
    const char *range = word_of(arguments, CLI_RANGE, axis), *method = word_of(arguments, CLI_METHOD, axis);
    const char *distribution = word_of(arguments, CLI_DISTRIBUTION, axis);
    const char *flow_bins = word_of(arguments, CLI_FLOW_BINS, axis);
    unsigned flow = UH_FLOW_BINS_NONE, way = UH_METHOD_AUTO;
    bins->kind = CLI_BINS_RULE;
    bins->rule = UH_RULE_AUTO;
    bins->categories = arguments->categories;
    if ((flow_bins && uh_enum_from_name(UH_ENUM_FLOW_BINS, flow_bins, &flow)) ||
        (method && uh_enum_from_name(UH_ENUM_METHOD, method, &way)))
        return cli_fail_library();
    bins->flow_bins = (uh_flow_bins)flow;
    bins->method = (uh_method)way;
    bins->unit = cli_bins_unit(arguments, axis);
    if (axis > 0 && edges && strcmp(edges, "-") == 0)
        return cli_usage("--edges '-' is read once, and other options are given per axis; give a file");
    if (edges && cli_bins_read_edges(arguments, "edges", edges, bins->categories ? 1 : min_edges, bins))
        return -1;
    /* An argument that is not a kind of bins may name a file of edges. */
    if (!edges && text && read_kind(text, bins)) {
        uint64_t ignored;
        char *file = cli_file_of(text, &ignored);
        free(file);
        if (!file || cli_bins_read_edges(arguments, "bins", text, min_edges, bins))
            return -1;
    }
    if (range && bins->kind < CLI_BINS_EDGES && cli_bins_range(range, bins))
        return -1;
    if (bins->kind == CLI_BINS_BASE2 && (bins->ranged || bins->strict))
        return cli_usage("--bins %s: it takes all finite values; --range does not go with it", text);
    if (bins->kind == CLI_BINS_INTEGERS && arguments->right)
        return cli_usage("--bins integers: the bin of n holds n and not n + 1; --right does not go with it");
    if (bins->kind == CLI_BINS_CALENDAR && arguments->right)
        return cli_usage("--bins %s: it holds its begin and not its end; --right does not go with it", text);
    if (bins->kind != CLI_BINS_CDF && bins->method != UH_METHOD_CDF)
        return 0;
    if (!distribution)
        return cli_usage("%s requires --distribution", bins->kind == CLI_BINS_CDF ? "--bins cdf:N" : "--method cdf");
    return read_distribution(distribution, &bins->distribution);
}

void cli_bins_free(struct cli_bins *bins) {
    free(bins->distribution.numbers);
    cli_numbers_free(&bins->edges);
    while (bins->earlier.naxes)
        uh_axis_destroy(bins->earlier.axis[--bins->earlier.naxes]);
}

int cli_bins_need_data(const struct cli_bins *bins) {
    if (bins->kind == CLI_BINS_RULE || bins->kind == CLI_BINS_BASE2)
        return 1;
    return bins->kind < CLI_BINS_EDGES && bins->kind != CLI_BINS_CDF && !bins->ranged;
}

/* Replaces an axis by `*made`, made for an option, unless `status` is a failure. */
static int replace_axis(uh_axis **axis, uh_status status, uh_axis **made, const char *option) {
    if (status)
        return cli_fail("%s: %s", option, uh_last_error_info()->text);
    uh_axis_destroy(*axis);
    *axis = *made;
    return 0;
}

/* Replaces the first and last edge by the ends of the range, because rounding may have moved them. */
static int set_ends(const double *range, uh_closed closed, uh_axis **axis) {
    uh_axis_properties properties = {.struct_size = sizeof properties};
    uh_axis *made = NULL;
    if (uh_axis_get_properties(*axis, &properties))
        return cli_fail_library();
    const size_t n = properties.bins + 1;
    double *edges = cli_have(malloc(n * sizeof *edges));
    memcpy(edges, properties.edges, n * sizeof *edges);
    for (size_t j = 0; j < n; j++)
        edges[j] = j == 0 || edges[j] < range[0] ? range[0] : j == n - 1 || edges[j] > range[1] ? range[1] : edges[j];
    const uh_status status = uh_axis_create_edges(UH_F64, edges, n, closed, &made);
    free(edges);
    return replace_axis(axis, status, &made, "--range");
}

/* Axis of bins of equal probability, over the whole distribution or the range, whose ends become edges. */
static int distribution_axis(const struct cli_distribution *made, size_t bins, const double *range, uh_closed closed,
                             uh_axis **axis) {
    double v[2] = {0, 1};
    if (range && (uh_distribution_cdf(&made->distribution, range[0], &v[0]) ||
                  uh_distribution_cdf(&made->distribution, range[1], &v[1])))
        return cli_fail_library();
    if (range && !(v[0] < v[1]))
        return cli_fail("--range %g,%g: the distribution has nothing there, F is %g at both ends", range[0], range[1],
                        v[0]);
    if (uh_axis_create_distribution(&made->distribution, bins, v[0], v[1], closed, axis))
        return cli_fail_library();
    return range ? set_ends(range, closed, axis) : 0;
}

static int find_range(const struct cli_bins *bins, struct cli_inputs *inputs, uh_queue *queue, double range[2]) {
    const double positive[] = {DBL_TRUE_MIN, bins->strict ? INFINITY : DBL_MAX};
    struct cli_extent extent;
    const int log = bins->kind == CLI_BINS_LOG;
    memcpy(range, bins->range, sizeof bins->range);
    if (bins->ranged)
        return 0;
    if (cli_extent_read(inputs, queue, log ? positive : NULL, &extent))
        return -1;
    if (!log)
        return cli_extent_range(&extent, &range[0], &range[1]);
    if (isinf(extent.min))
        return cli_fail("--bins log:%zu: no value is positive and finite; give --range LO,HI", bins->count);
    if (isinf(extent.max))
        return cli_fail("--bins log:%zu: the largest value is infinite; give --range LO,HI", bins->count);
    range[0] = extent.min;
    range[1] = extent.max;
    if (range[0] >= range[1]) {
        range[0] /= 2;
        range[1] = range[1] > DBL_MAX / 2 ? DBL_MAX : range[1] * 2;
    }
    return 0;
}

/* Axis of the integers of the range or of the values; only 0 if there are no values. */
static int integer_axis(const struct cli_bins *bins, struct cli_inputs *inputs, uh_queue *queue, uh_axis **axis) {
    double range[2];
    if (cli_bins_extent(bins, inputs, queue, range))
        return -1;
    const double lo = floor(range[0]), hi = floor(range[1]); /* those of --range are whole */
    if (!(hi - lo < (double)UH_MAX_BINS) || lo < -0x1p63 || hi >= 0x1p63)
        return cli_fail("--bins integers: the values run from %.17g to %.17g, expected 64-bit integers, and no "
                        "more than %zu; give --range LO,HI",
                        lo, hi, UH_MAX_BINS);
    return uh_axis_create_integer((int64_t)lo, (int64_t)hi, axis) ? cli_fail_library() : 0;
}

static int make_axis(const struct cli_bins *bins, size_t number, struct cli_inputs *inputs, uh_queue *queue,
                     uh_closed closed, uh_axis **axis) {
    const double *given = bins->ranged ? bins->range : NULL;
    double range[2];
    const size_t count = bins->count;
    uh_status status = UH_SUCCESS;
    switch (bins->kind) {
    case CLI_BINS_CDF: return distribution_axis(&bins->distribution, count, given, closed, axis);
    case CLI_BINS_CALENDAR:
        return cli_bins_extent(bins, inputs, queue, range) ? -1 : cli_bins_steps(bins, &bins->step, range, axis);
    case CLI_BINS_INTEGERS: return integer_axis(bins, inputs, queue, axis);
    case CLI_BINS_RULE: return cli_bins_chosen(bins, inputs, closed, axis);
    case CLI_BINS_BASE2: return cli_bins_base2(bins, inputs, queue, axis);
    case CLI_BINS_EDGES: status = cli_bins_create(bins, closed, axis); break;
    case CLI_BINS_EARLIER:
        status = cli_earlier_copy(bins->earlier.axis[bins->earlier.naxes == 1 ? 0 : number], axis);
        break;
    case CLI_BINS_LOG:
    case CLI_BINS_EQUAL:
        if (find_range(bins, inputs, queue, range))
            return -1;
        status = uh_axis_create_regular(bins->kind == CLI_BINS_LOG ? UH_SPACING_LOG : UH_SPACING_EQUAL, count, range[0],
                                        range[1], closed, axis);
    }
    return status ? cli_fail_library() : 0;
}

int cli_bins_axis(const struct cli_bins *bins, size_t number, struct cli_inputs *inputs, uh_queue *queue,
                  uh_closed closed, uh_axis **axis) {
    uh_axis_properties known = {.struct_size = sizeof known};
    const struct cli_distribution *carried = &bins->distribution;
    uh_axis *made = NULL, *next;
    inputs->strict = bins->strict;
    if (make_axis(bins, number, inputs, queue, closed, &made) || uh_axis_get_properties(made, &known) ||
        cli_bins_are_times(bins, inputs, inputs->element) < 0 ||
        (carried->given && replace_axis(&made, uh_axis_create_with_distribution(made, &carried->distribution, &next),
                                        &next, "--distribution")) ||
        (bins->flow_bins != known.flow_bins && bins->flow_bins != UH_FLOW_BINS_NONE &&
         replace_axis(&made, uh_axis_create_with_flow_bins(made, bins->flow_bins, &next), &next, "--flow-bins"))) {
        uh_axis_destroy(made);
        return -1;
    }
    *axis = made;
    return 0;
}
