/* SPDX-License-Identifier: Apache-2.0 */
/* Option --range, and axes of time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/bins.h"

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
    if (!bins->ranged && (cli_extent_read(inputs, queue, NULL, NULL, NULL, &extent) ||
                          cli_extent_range(&extent, &ignored[0], &ignored[1])))
        return -1;
    range[0] = extent.n ? extent.min : 0;
    range[1] = extent.n ? extent.max : 0;
    return 0;
}

int cli_bins_calendar(const struct cli_bins *bins, struct cli_inputs *inputs, uh_queue *queue, uh_axis **axis) {
    double range[2];
    if (cli_bins_extent(bins, inputs, queue, range))
        return -1;
    if (!(fabs(range[0]) < CLI_TIME_LIMIT && fabs(range[1]) < CLI_TIME_LIMIT))
        return cli_fail("--bins %s: the values run from %g to %g, expected " CLI_TIME_UNIT " up to 2^53",
                        bins->step_name, range[0], range[1]);
    const int64_t first = cli_step_number(&bins->step, range[0]);
    int64_t last = cli_step_number(&bins->step, range[1]);
    last += !bins->ranged || cli_step_begin(&bins->step, last) < range[1];
    if (last - first > CLI_MAX_QUANTILES) {
        char begin[CLI_TIME_SIZE], end[CLI_TIME_SIZE];
        cli_time_write(begin, range[0], 60);
        cli_time_write(end, range[1], 60);
        return cli_fail("--bins %s: %lld bins from %s to %s, expected at most %d; give longer ones, or --range LO,HI",
                        bins->step_name, (long long)(last - first), begin, end, CLI_MAX_QUANTILES);
    }
    const size_t n = (size_t)(last - first) + 1;
    double *edges = cli_have(malloc(n * sizeof *edges));
    for (size_t j = 0; j < n; j++)
        edges[j] = cli_step_begin(&bins->step, first + (int64_t)j);
    const uh_status status = uh_axis_create_edges(UH_F64, edges, n, UH_CLOSED_LEFT, axis);
    free(edges);
    return status ? cli_fail_library() : 0;
}
