/* SPDX-License-Identifier: Apache-2.0 */
/* unihist histogram: counts the inputs' values in bins. */
#include "api/cli/count.h"
#include "api/cli/options.h"
#include "api/cli/publish.h"
#include "api/cli/stats.h"

static const enum cli_option_id options[] = {
    CLI_OPTION_EDGES,   CLI_OPTION_BINS,       CLI_OPTION_RANGE,   CLI_OPTION_DISTRIBUTION, CLI_OPTION_RIGHT,
    CLI_OPTION_DENSITY, CLI_OPTION_CUMULATIVE, CLI_OPTION_WEIGHTS, CLI_OPTION_VALUE_DTYPE,  CLI_OPTION_FAST,
    CLI_OPTION_COLUMN,  CLI_OPTION_DTYPE,      CLI_OPTION_METHOD,  CLI_OPTION_LEAF,         CLI_OPTION_DEVICE,
    CLI_OPTION_THREADS, CLI_OPTION_OUTPUT,     CLI_OPTION_PLOT,    CLI_OPTION_STATS,        CLI_OPTION_HELP,
    CLI_OPTION_END};

static int run_job(struct cli_job *job, struct cli_error *error) {
    struct cli_count count = {.job = job, .start = cli_stats_clock(), .flat = 1};
    if (cli_publish_check(job->output, 1, job->plot, error))
        return -1;
    const int status = cli_job_open(job, job->right ? UH_CLOSED_RIGHT : UH_CLOSED_LEFT, 2, error);
    if (status)
        return status;
    const struct cli_points points = {.naxes = 1, .axis = {{job->inputs, 0}}, .values = job->value_inputs};
    count.points = &points;
    count.axis[0].method = uh_method_name(job->method);
    count.axis[0].log = job->bins.kind == CLI_BINS_LOG;
    return cli_count(&count, error);
}

static int run(int argc, char **argv, struct cli_error *error) {
    return cli_job_run(&cli_histogram_command, argc, argv, run_job, error);
}

const struct cli_command cli_histogram_command = {
    "histogram",
    "INPUT...",
    "*",
    "Count values in bins of any widths, exactly",
    "INPUT is a .npy file, text (CSV), raw binary (with --dtype), or '-' for standard\n"
    "input; several are counted together. Bin j holds edge[j] <= x < edge[j+1], the last\n"
    "one its right edge too. A bar chart is printed, unless -o is given and standard\n"
    "output is no terminal.\n",
    options,
    run,
};
