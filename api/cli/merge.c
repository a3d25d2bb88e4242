/* SPDX-License-Identifier: Apache-2.0 */
/* unihist merge: adds saved histograms, shows them and writes them in other forms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/save.h>

#include "api/cli/collect.h"
#include "api/cli/job.h"
#include "api/cli/options.h"
#include "api/cli/publish.h"
#include "api/cli/stats.h"

static const enum cli_option_id options[] = {CLI_OPTION_DENSITY, CLI_OPTION_CUMULATIVE, CLI_OPTION_OUTPUT,
                                             CLI_OPTION_PLOT,    CLI_OPTION_HELP,       CLI_OPTION_END};

/* Returns whether an axis has logarithmic bins, as --bins log:N makes them: each edge is a constant factor above the
 * one before, to what rounding leaves. Equal bins between numbers that are close together look like it, so a factor of
 * two is asked for in all. */
static int is_log(const double *edges, size_t bins) {
    if (bins < 2 || !(edges[0] > 0) || !isfinite(edges[bins]) || edges[bins] < 2 * edges[0])
        return 0;
    double step = log(edges[bins] / edges[0]) / (double)bins;
    for (size_t j = 0; j < bins; j++)
        if (!(fabs(log(edges[j + 1] / edges[j]) - step) <= 1e-6 * step + 1e-13))
            return 0;
    return 1;
}

/* Loads a file and adds it to the job's histogram. */
static int add_file(const struct cli_job *job, const char *path, struct cli_error *error) {
    uh_histogram *next = NULL;
    int result = 0;
    if (uh_histogram_load(job->queue, path, &next))
        return cli_fail_library(error);
    if (uh_histogram_merge(job->histogram, next))
        result = cli_fail(error, "'%.300s' and '%.300s': %s", job->paths[0], path, uh_last_error_info()->text);
    uh_histogram_destroy(next);
    return result;
}

/* Makes the job's histogram of all files. */
static int add_files(struct cli_job *job, struct cli_error *error) {
    char subject[320];
    uh_histogram_properties properties = {.struct_size = sizeof properties};
    snprintf(subject, sizeof subject, "'%.300s' has", job->paths[0]);
    if (cli_job_open_queue(job, error))
        return -1;
    if (uh_histogram_load(job->queue, job->paths[0], &job->histogram))
        return cli_fail_library(error);
    if (uh_histogram_get_properties(job->histogram, &properties))
        return cli_fail_library(error);
    int result = cli_collect_check(properties.naxes, properties.storage, job->cumulative, job->plot, subject, error);
    for (size_t i = 1; i < job->npaths && !result; i++)
        result = add_file(job, job->paths[i], error);
    return result;
}

static int show(const struct cli_job *job, double start, struct cli_error *error) {
    struct cli_cells cells = {.counts = NULL};
    struct cli_result result = {.histogram = job->histogram};
    char *title = cli_publish_title(job->paths, job->npaths, NULL);
    int status =
        title ? cli_collect(job->histogram, job->density, &cells, &result, error) : cli_fail(error, "out of memory");
    if (!status && job->cumulative)
        status = cli_collect_running(&cells, &result, error);
    for (size_t axis = 0; axis < result.naxes && !status; axis++)
        result.axis[axis].log = is_log(result.axis[axis].edges, result.axis[axis].bins);
    result.title = title;
    result.seconds = cli_stats_clock() - start;
    if (!status)
        status = cli_publish(job->output, job->plot, CLI_HEAT_AUTO, &result, error);
    cli_cells_free(&cells);
    free(title);
    return status;
}

static int run(int argc, char **argv, struct cli_error *error) {
    struct cli_job job = {.command = &cli_merge_command, .device = "host"};
    const double start = cli_stats_clock();
    int first, result = cli_options_parse(job.command, argc, argv, cli_job_set, &job, &first, error);
    if (result)
        return result;
    job.paths = argv + first;
    job.npaths = (size_t)(argc - first);
    if (job.npaths == 0)
        return cli_usage(error, "no input; give files that 'unihist histogram -o FILE.uh' wrote (see 'unihist merge "
                                "--help')");
    for (size_t i = 0; i < job.npaths; i++)
        if (strcmp(job.paths[i], "-") == 0)
            return cli_usage(error, "'-': saved histograms are files, and not read from standard input");
    result = cli_publish_check(job.output, 1, job.plot, error);
    if (!result)
        result = add_files(&job, error);
    if (!result)
        result = show(&job, start, error);
    cli_job_close(&job);
    return result;
}

const struct cli_command cli_merge_command = {
    "merge",
    "FILE.uh...",
    "*.uh",
    "Add saved histograms, show them and write them in other forms",
    "The files were written by 'unihist histogram -o FILE.uh', 'unihist bincount' or this\n"
    "command, and have the same bins. Their sum is what one run over all the inputs gives,\n"
    "to the bit. A single file is shown or converted. A bar chart is printed, unless -o is\n"
    "given and standard output is no terminal.\n",
    options,
    run,
};
