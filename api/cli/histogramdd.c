/* SPDX-License-Identifier: Apache-2.0 */
/* unihist histogramdd: counts points, or adds up what belongs to them, in cells over 1 to 8 axes. */
#include "api/cli/count.h"
#include "api/cli/histogramdd_job.h"
#include "api/cli/options.h"
#include "api/cli/publish.h"
#include "api/cli/stats.h"

static const enum cli_option_id options[] = {
    CLI_OPTION_AXES_EDGES, CLI_OPTION_AXES_BINS,   CLI_OPTION_AXES_RANGE,  CLI_OPTION_AXES_DISTRIBUTION,
    CLI_OPTION_RIGHT,      CLI_OPTION_WEIGHTS,     CLI_OPTION_SAMPLE,      CLI_OPTION_STORAGE,
    CLI_OPTION_FAST,       CLI_OPTION_DENSITY,     CLI_OPTION_COLUMNS,     CLI_OPTION_DTYPE,
    CLI_OPTION_ROW,        CLI_OPTION_VALUE_DTYPE, CLI_OPTION_AXES_METHOD, CLI_OPTION_DEVICE,
    CLI_OPTION_THREADS,    CLI_OPTION_OUTPUT,      CLI_OPTION_HEAT,        CLI_OPTION_COLOUR,
    CLI_OPTION_STATS,      CLI_OPTION_HELP,        CLI_OPTION_END};

static int run_job(struct cli_jobdd *jobdd, struct cli_error *error) {
    const struct cli_job *job = &jobdd->job;
    struct cli_count count = {
        .job = &jobdd->job, .points = &jobdd->points, .start = cli_stats_clock(), .scale = jobdd->scale};
    if (cli_publish_check(job->output, 1, job->plot, error))
        return -1;
    const int status = cli_jobdd_open(jobdd, error);
    if (status)
        return status;
    for (size_t a = 0; a < jobdd->points.naxes; a++) {
        count.axis[a].name = jobdd->names[a];
        count.axis[a].method = uh_method_name(jobdd->axis_methods[a]);
        count.axis[a].log = jobdd->axis_bins[a].kind == CLI_BINS_LOG;
    }
    return cli_count(&count, error);
}

static int run(int argc, char **argv, struct cli_error *error) {
    struct cli_jobdd jobdd = {.row = 0};
    int result = cli_jobdd_parse(&jobdd, &cli_histogramdd_command, argc, argv, error);
    if (result == 0)
        result = run_job(&jobdd, error);
    cli_jobdd_close(&jobdd);
    return result;
}

const struct cli_command cli_histogramdd_command = {
    "histogramdd",
    "X [Y...]",
    "*",
    "Count points in cells over 1 to 8 axes, or sum weights",
    "Each of X, Y, ... is one axis: .npy of any shape, text, raw (with --dtype) or '-'.\n"
    "One input alone is rows, a point each: .npy of two dimensions, text with --columns,\n"
    "raw binary with --row. Two axes are shown as a heat map, other numbers as a summary,\n"
    "unless -o is given and standard output is no terminal.\n",
    options,
    run,
};
