/* SPDX-License-Identifier: Apache-2.0 */
/* unihist histogramdd: counts points, or adds up what belongs to them, in cells over 1 to 8 axes. */
#include <stdio.h>
#include <stdlib.h>

#include "api/cli/collect_dd.h"
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

/* The counting pass. */
struct counting {
    struct cli_jobdd *jobdd;
    struct cli_stats stats[UH_MAX_AXES]; /* of each axis; times and bytes are in the first */
};

static int count_points(void *context, const uh_array *coordinates, const uh_array *values, struct cli_error *error) {
    struct counting *counting = context;
    struct cli_jobdd *jobdd = counting->jobdd;
    struct cli_stats *stats = &counting->stats[0];
    const uint64_t n = coordinates->count;
    double start = cli_stats_clock();
    while (uh_histogram_fill(jobdd->histogram, coordinates, values))
        if (cli_job_recover(&jobdd->job, stats->bytes > 0, error))
            return -1;
    stats->counting += cli_stats_clock() - start;
    for (size_t a = 0; a < jobdd->points.naxes; a++) {
        stats->bytes += n * uh_dtype_size(coordinates[a].dtype);
        if (jobdd->job.stats)
            cli_stats_add_array(&counting->stats[a], &coordinates[a]);
    }
    stats->bytes += values ? n * uh_dtype_size(values->dtype) : 0;
    return 0;
}

/* Everything that a result lends. */
struct lent {
    struct cli_cells cells;
    char *plan[UH_MAX_AXES], *title;
    char device[256];
};

static int get_plan(struct cli_jobdd *jobdd, size_t axis, char **plan, struct cli_error *error) {
    uh_dtype dtype = cli_inputs_dtype(jobdd->points.axis[axis].inputs);
    size_t length;
    if (uh_histogram_plan_text(jobdd->histogram, axis, dtype, NULL, 0, &length))
        return cli_job_fail(&jobdd->job, error);
    if (!(*plan = malloc(length + 1)))
        return cli_fail(error, "out of memory");
    return uh_histogram_plan_text(jobdd->histogram, axis, dtype, *plan, length + 1, NULL)
               ? cli_job_fail(&jobdd->job, error)
               : 0;
}

static int collect(struct cli_jobdd *jobdd, struct lent *lent, struct cli_result *result, struct cli_error *error) {
    const struct cli_job *job = &jobdd->job;
    int collected = cli_collect_dd(jobdd->histogram, job->density, &lent->cells, result, error);
    if (collected)
        return collected > 0 ? cli_job_fail(job, error) : -1;
    for (size_t a = 0; a < result->naxes; a++) {
        struct cli_axis *axis = &result->axis[a];
        if (get_plan(jobdd, a, &lent->plan[a], error))
            return -1;
        axis->name = jobdd->names[a];
        axis->dtype = cli_inputs_dtypes(jobdd->points.axis[a].inputs);
        axis->method = uh_method_name(jobdd->axis_methods[a]);
        axis->plan = lent->plan[a];
        axis->log = jobdd->axis_bins[a].kind == CLI_BINS_LOG;
    }
    if (!(lent->title = cli_publish_title(job->paths, job->npaths, job->values)))
        return cli_fail(error, "out of memory");
    snprintf(lent->device, sizeof lent->device, "%s (%s)", job->properties.selector, job->properties.name);
    result->device = lent->device;
    result->values = job->value_inputs ? job->values : NULL;
    result->values_dtype = job->value_inputs ? cli_inputs_dtypes(job->value_inputs) : NULL;
    result->title = lent->title;
    result->histogram = jobdd->histogram;
    return 0;
}

static int publish(const struct cli_jobdd *jobdd, const struct cli_stats *stats, const struct cli_result *result,
                   struct cli_error *error) {
    const struct cli_job *job = &jobdd->job;
    if (cli_publish(job->output, job->plot, jobdd->scale, result, error))
        return -1;
    if (job->stats)
        cli_stats_print(stdout, stats, result, uh_queue_threads(job->queue), job->why_host);
    return 0;
}

static int run_job(struct cli_jobdd *jobdd, struct cli_error *error) {
    const struct cli_job *job = &jobdd->job;
    struct counting counting = {.jobdd = jobdd};
    struct cli_result result = {.naxes = 0};
    struct lent lent = {.title = NULL};
    double start = cli_stats_clock();
    int status;
    if (cli_publish_check(job->output, 1, job->plot, error))
        return -1;
    for (size_t a = 0; a < UH_MAX_AXES; a++)
        cli_stats_start(&counting.stats[a]);
    status = cli_jobdd_open(jobdd, error);
    if (status)
        return status;
    status = -1;
    counting.stats[0].preparing = cli_stats_clock() - start;
    if (cli_points_pass(&jobdd->points, "counting", count_points, &counting, error))
        goto out;
    result.seconds = cli_stats_clock() - start;
    if (collect(jobdd, &lent, &result, error) || publish(jobdd, counting.stats, &result, error))
        goto out;
    status = 0;
out:
    cli_cells_free(&lent.cells);
    for (size_t a = 0; a < UH_MAX_AXES; a++)
        free(lent.plan[a]);
    free(lent.title);
    return status;
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
