/* SPDX-License-Identifier: Apache-2.0 */
/* Options --edges, --range and --unit, and axes of time. */
#include "api/cli/bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uh_status cli_bins_create(const struct cli_bins *bins, uh_closed closed, uh_axis **axis) {
    const struct cli_numbers *edges = &bins->edges;
    if (bins->categories)
        return uh_axis_create_categories(edges->dtype, edges->data, edges->n, axis);
    if (edges->n > 1)
        return uh_axis_create_edges(edges->dtype, edges->data, edges->n, closed, axis);
    char twice[2 * sizeof(uint64_t)];
    const size_t size = uh_dtype_size(edges->dtype);
    memcpy(twice, edges->data, size);
    memcpy(twice + size, edges->data, size);
    return uh_axis_create_edges(edges->dtype, twice, 2, closed, axis);
}

/* Makes a trial axis so that invalid edges are reported before any input is read. */
static int check_edges(const char *option, const char *text, size_t min_edges, const struct cli_bins *bins) {
    const struct cli_numbers *edges = &bins->edges;
    uh_axis *axis = NULL;
    if (edges->n < min_edges)
        return cli_fail("--%s '%.200s': expected at least %zu edge%s, there %s %zu", option, text, min_edges,
                        min_edges == 1 ? "" : "s", edges->n == 1 ? "is" : "are", edges->n);
    if (cli_bins_create(bins, UH_CLOSED_LEFT, &axis))
        return cli_fail("--%s '%.200s': %s", option, text, uh_last_error_info()->text);
    uh_axis_destroy(axis);
    return 0;
}

uh_closed cli_bins_closed(const struct cli_arguments *arguments) {
    if (arguments->command->which == CLI_DIGITIZE)
        return arguments->right ? UH_HALF_OPEN_RIGHT : UH_HALF_OPEN_LEFT;
    return arguments->right ? UH_CLOSED_RIGHT : UH_CLOSED_LEFT;
}

/* Checks the axes of an earlier result against the options, and keeps the one that is named. */
static int check_earlier(const struct cli_arguments *arguments, uint64_t axis, struct cli_earlier *earlier) {
    uh_axis_properties known = {.struct_size = sizeof known};
    if (axis != UINT64_MAX && axis >= earlier->naxes)
        return cli_fail("it has no axis %d, expected 0 to %zu", (int)axis, earlier->naxes - 1);
    for (size_t a = 0; a < earlier->naxes; a++) {
        if (uh_axis_get_properties(earlier->axis[a], &known))
            return cli_fail_library();
        const int right = known.closed == UH_CLOSED_RIGHT || known.closed == UH_HALF_OPEN_RIGHT;
        if (arguments->right && !right)
            return cli_usage("--right does not go with it, as its bins hold their left edges");
        if (arguments->categories && !known.categories)
            return cli_usage("--categories does not go with it, as it has bins between edges");
    }
    for (size_t a = 0; a < earlier->naxes && axis != UINT64_MAX; a++)
        if (a != axis)
            uh_axis_destroy(earlier->axis[a]);
    earlier->axis[0] = earlier->axis[axis == UINT64_MAX ? 0 : axis];
    earlier->naxes = axis == UINT64_MAX ? earlier->naxes : 1;
    return 0;
}

static int read_file(const struct cli_arguments *arguments, const char *option, const char *path, uint64_t axis,
                     struct cli_bins *bins) {
    int bytes, found = 0;
    if (cli_inputs_read_bytes(path, &bins->edges, &bytes))
        return cli_fail("--%s: %.900s", option, cli_error.text);
    if (bytes)
        found = cli_bins_earlier(path, cli_bins_closed(arguments), bins);
    if (found == 0 && axis == UINT64_MAX)
        return bytes && cli_inputs_convert(path, &bins->edges) ? cli_fail("--%s: %.900s", option, cli_error.text) : 0;
    cli_numbers_free(&bins->edges);
    bins->kind = CLI_BINS_EARLIER;
    if (found == 0)
        return cli_fail("--%s '%.300s:%d': expected a result of 'unihist', which has axes", option, path, (int)axis);
    if (found > 0 && check_earlier(arguments, axis, &bins->earlier) == 0)
        return 0;
    const int usage = cli_error.usage;
    cli_fail("--%s '%.300s': %.600s", option, path, cli_error.text);
    cli_error.usage = usage;
    return -1;
}

int cli_bins_read_edges(const struct cli_arguments *arguments, const char *option, const char *text, size_t min_edges,
                        struct cli_bins *bins) {
    uint64_t axis;
    double first;
    char *path = cli_file_of(text, &axis);
    bins->kind = CLI_BINS_EDGES;
    bins->source = text;
    if (path) {
        const int failed = read_file(arguments, option, path, axis, bins);
        free(path);
        bins->times = bins->edges.times;
        return failed || bins->kind == CLI_BINS_EARLIER ? failed : check_edges(option, text, min_edges, bins);
    }
    if (cli_parse_list(text, &bins->edges)) {
        if (cli_parse_double(text, strcspn(text, ","), &first) && (*text < '0' || *text > '9'))
            return cli_fail("--%s '%.200s': no such file, and no list of numbers", option, text);
        return cli_usage("--%s: %.900s", option, cli_error.text);
    }
    bins->times = bins->edges.times;
    return check_edges(option, text, min_edges, bins) ? cli_as_usage() : 0;
}

int cli_bins_range(const char *text, struct cli_bins *bins) {
    double lo, hi;
    bins->strict = strcmp(text, "strict") == 0;
    if (bins->strict || strcmp(text, "data") == 0)
        return 0;
    const int times = cli_parameters_read(text, "tt", (void *[]){&lo, &hi});
    if (times < 0 || times == 1)
        return cli_usage("--range '%s': expected two numbers, or two dates such as 2026-11-28, LO,HI", text);
    bins->times |= times > 0;
    if (!isfinite(lo) || !isfinite(hi))
        return cli_usage("--range '%s': both ends must be finite", text);
    if (lo >= hi)
        return cli_usage("--range '%s': LO must be smaller than HI", text);
    if (!isfinite(hi - lo))
        return cli_usage("--range '%s': HI - LO exceeds the range of float64", text);
    if (bins->kind == CLI_BINS_LOG && !(lo > 0))
        return cli_usage("--range '%s': LO must be above 0 for logarithmic bins", text);
    if (bins->kind == CLI_BINS_INTEGERS && (floor(lo) != lo || floor(hi) != hi || lo < -0x1p53 || hi > 0x1p53))
        return cli_usage("--range '%s': LO and HI must be whole numbers up to 2^53 for integer bins", text);
    bins->ranged = 1;
    bins->range[0] = lo;
    bins->range[1] = hi;
    return 0;
}

int cli_bins_unit(const struct cli_arguments *arguments, size_t axis) {
    const struct cli_words *words = &arguments->axis[CLI_UNIT];
    return words->n && strcmp(words->word[axis < words->n ? axis : words->n - 1], "time") == 0;
}

int cli_bins_are_times(const struct cli_bins *bins, const struct cli_inputs *inputs, size_t element) {
    const size_t column = element < 31 ? element : 31;
    if (bins->times && !bins->unit && inputs->kinds[0] >> column & 1)
        return cli_fail("%.300s: the values are numbers, and the bins of dates; --unit time reads numbers as seconds "
                        "since 1970",
                        cli_inputs_name(inputs));
    return bins->times || bins->unit || (inputs->kinds[1] >> column & 1);
}

int cli_bins_extent(const struct cli_bins *bins, struct cli_inputs *inputs, uh_queue *queue, double range[2]) {
    struct cli_extent extent = {.n = 1, .min = bins->range[0], .max = bins->range[1]};
    double ignored[2];
    if (!bins->ranged &&
        (cli_extent_read(inputs, queue, NULL, &extent) || cli_extent_range(&extent, &ignored[0], &ignored[1])))
        return -1;
    range[0] = extent.n ? extent.min : 0;
    range[1] = extent.n ? extent.max : 0;
    return 0;
}

int cli_bins_steps(const struct cli_bins *bins, const struct cli_step *step, const double range[2], uh_axis **axis) {
    if (!(fabs(range[0]) < CLI_TIME_LIMIT && fabs(range[1]) < CLI_TIME_LIMIT))
        return cli_fail("--bins %s: the values run from %g to %g, expected " CLI_TIME_UNIT " up to 2^53",
                        bins->step_name, range[0], range[1]);
    const int64_t first = cli_step_number(step, range[0]);
    int64_t last = cli_step_number(step, range[1]);
    last += !bins->ranged || cli_step_begin(step, last) < range[1];
    if (last - first > CLI_MAX_CHOSEN) {
        char begin[CLI_TIME_SIZE], end[CLI_TIME_SIZE];
        cli_time_write(begin, range[0], 60);
        cli_time_write(end, range[1], 60);
        return cli_fail("--bins %s: %lld bins from %s to %s, expected at most %d; give longer ones, or --range LO,HI",
                        bins->step_name, (long long)(last - first), begin, end, CLI_MAX_CHOSEN);
    }
    const size_t n = (size_t)(last - first) + 1;
    double *edges = cli_have(malloc(n * sizeof *edges));
    for (size_t j = 0; j < n; j++)
        edges[j] = cli_step_begin(step, first + (int64_t)j);
    const uh_status status = uh_axis_create_edges(UH_F64, edges, n, UH_CLOSED_LEFT, axis);
    free(edges);
    return status ? cli_fail_library() : 0;
}

int cli_bins_nice_times(const struct cli_bins *bins, double wanted, const double range[2], uh_axis **axis) {
    enum { MINUTE = 60, HOUR = 3600, DAY = 86400, MONTH = 2629746 };
    static const struct cli_step steps[] = {
        {0, 1},       {0, 2},          {0, 5},          {0, 10},          {0, 15},          {0, 30},
        {0, MINUTE},  {0, 2 * MINUTE}, {0, 5 * MINUTE}, {0, 10 * MINUTE}, {0, 15 * MINUTE}, {0, 30 * MINUTE},
        {0, HOUR},    {0, 2 * HOUR},   {0, 3 * HOUR},   {0, 6 * HOUR},    {0, 12 * HOUR},   {0, DAY},
        {0, 7 * DAY}, {1, 0},          {3, 0},          {12, 0},          {24, 0},          {60, 0},
        {120, 0},     {240, 0},        {600, 0},        {1200, 0}};
    double nearest = INFINITY;
    size_t at = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const double length = steps[i].months ? (double)steps[i].months * MONTH : steps[i].seconds;
        const double ratio = fabs(log(fmax(range[1] - range[0], 1) / length / wanted));
        at = ratio < nearest ? i : at;
        nearest = fmin(ratio, nearest);
    }
    return cli_bins_steps(bins, &steps[at], range, axis);
}
