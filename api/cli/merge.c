/* SPDX-License-Identifier: Apache-2.0 */
/* unihist merge: adds saved histograms, shows them and writes them in other forms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/save.h>

#include "api/cli/collect.h"
#include "api/cli/options.h"
#include "api/cli/output/output.h"
#include "api/cli/publish.h"
#include "api/cli/stats.h"

struct merge {
    int density, cumulative;
    const char *output, *plot; /* or NULL */
    char **paths;              /* of saved histograms */
    size_t npaths;
    uh_queue *queue; /* of the host */
    double start;    /* of the clock */
};

static const enum cli_option_id options[] = {CLI_OPTION_DENSITY, CLI_OPTION_CUMULATIVE, CLI_OPTION_OUTPUT,
                                             CLI_OPTION_PLOT,    CLI_OPTION_HELP,       CLI_OPTION_END};

static int set_option(void *context, enum cli_option_id id, const char *value, struct cli_error *error) {
    struct merge *merge = context;
    switch (id) {
    case CLI_OPTION_DENSITY: merge->density = 1; return 0;
    case CLI_OPTION_CUMULATIVE: merge->cumulative = 1; return 0;
    case CLI_OPTION_OUTPUT: merge->output = value; return 0;
    case CLI_OPTION_PLOT: merge->plot = value; return 0;
    default: return cli_fail(error, "option %d is not handled", (int)id);
    }
}

/* Returns whether an axis has logarithmic bins, as --bins log:N makes them: each edge is a constant factor above the
 * one before, to what rounding leaves. Equal bins between numbers that are close together look like it, so a factor of
 * two is asked for in all. */
static int is_log(const uh_axis *axis) {
    const double *edges = uh_axis_edges(axis);
    size_t bins = uh_axis_bins(axis);
    if (bins < 2 || !(edges[0] > 0) || !isfinite(edges[bins]) || edges[bins] < 2 * edges[0])
        return 0;
    double step = log(edges[bins] / edges[0]) / (double)bins;
    for (size_t j = 0; j < bins; j++)
        if (!(fabs(log(edges[j + 1] / edges[j]) - step) <= 1e-6 * step + 1e-13))
            return 0;
    return 1;
}

/* Loads a file and adds it to `sum`. */
static int add_file(const struct merge *merge, const char *path, uh_histogram *sum, struct cli_error *error) {
    uh_histogram *next = NULL;
    if (uh_histogram_load(merge->queue, path, &next))
        return cli_fail_library(error);
    int result = 0;
    if (uh_histogram_merge(sum, next))
        result = cli_fail(error, "'%.300s' and '%.300s': %s", merge->paths[0], path, cli_library_message());
    uh_histogram_destroy(next);
    return result;
}

static int check_usage(const struct merge *merge, const uh_histogram *sum, struct cli_error *error) {
    char subject[320];
    snprintf(subject, sizeof subject, "'%.300s' has", merge->paths[0]);
    return cli_collect_check(uh_histogram_naxes(sum), uh_histogram_storage(sum), merge->cumulative, merge->plot,
                             subject, error);
}

static int merge_histograms(const struct merge *merge, struct cli_error *error) {
    struct cli_cells cells = {.counts = NULL};
    struct cli_result result = {.naxes = 0};
    uh_histogram *sum = NULL;
    char *title = cli_publish_title(merge->paths, merge->npaths, NULL);
    int status = !title ? cli_fail(error, "out of memory") : 0;
    if (!status && uh_histogram_load(merge->queue, merge->paths[0], &sum))
        status = cli_fail_library(error);
    if (!status)
        status = check_usage(merge, sum, error);
    for (size_t i = 1; i < merge->npaths && !status; i++)
        status = add_file(merge, merge->paths[i], sum, error);
    if (!status)
        status = cli_collect(sum, merge->density, &cells, &result, error);
    if (status)
        goto out;
    result.title = title;
    result.histogram = sum;
    result.seconds = cli_stats_clock() - merge->start;
    for (size_t axis = 0; axis < result.naxes; axis++)
        result.axis[axis].log = is_log(uh_histogram_axis(sum, axis));
    if (merge->cumulative)
        status = cli_collect_running(&cells, &result, error);
    if (!status)
        status = cli_publish(merge->output, merge->plot, CLI_HEAT_AUTO, &result, error);
out:
    cli_cells_free(&cells);
    uh_histogram_destroy(sum);
    free(title);
    return status;
}

static int merge_files(struct merge *merge, struct cli_error *error) {
    uh_device *host;
    if (cli_publish_check(merge->output, 1, merge->plot, error))
        return -1;
    if (uh_device_select("host", &host) || uh_queue_create(host, NULL, &merge->queue))
        return cli_fail_library(error);
    int result = merge_histograms(merge, error);
    uh_queue_destroy(merge->queue);
    return result;
}

static int run(int argc, char **argv, struct cli_error *error) {
    struct merge merge = {.start = cli_stats_clock()};
    int first;
    int result = cli_options_parse(&cli_merge_command, argc, argv, set_option, &merge, &first, error);
    if (result)
        return result;
    merge.paths = argv + first;
    merge.npaths = (size_t)(argc - first);
    if (merge.npaths == 0)
        return cli_usage(error, "no input; give files that 'unihist histogram -o FILE.uh' wrote (see 'unihist merge "
                                "--help')");
    for (size_t i = 0; i < merge.npaths; i++)
        if (strcmp(merge.paths[i], "-") == 0)
            return cli_usage(error, "'-': saved histograms are files, and not read from standard input");
    return merge_files(&merge, error);
}

const struct cli_command cli_merge_command = {
    "merge",
    "FILE.uh...",
    "*.uh",
    "Add saved histograms, show them and write them in other forms",
    "The files were written by 'unihist histogram -o FILE.uh' or by this command, and have\n"
    "the same bins. Their sum is what one run over all the inputs gives, to the bit. A\n"
    "single file is shown or converted. A bar chart is printed, unless -o is given and\n"
    "standard output is no terminal.\n",
    options,
    run,
};
