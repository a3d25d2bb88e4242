/* SPDX-License-Identifier: Apache-2.0 */
/* unihist histogram: counts the inputs' values in bins. */
#include <stdio.h>
#include <stdlib.h>

#include "api/cli/collect_dd.h"
#include "api/cli/input/inputs.h"
#include "api/cli/job.h"
#include "api/cli/options.h"
#include "api/cli/publish.h"
#include "api/cli/stats.h"

static const enum cli_option_id options[] = {
    CLI_OPTION_EDGES,   CLI_OPTION_BINS,       CLI_OPTION_RANGE,   CLI_OPTION_DISTRIBUTION, CLI_OPTION_RIGHT,
    CLI_OPTION_DENSITY, CLI_OPTION_CUMULATIVE, CLI_OPTION_WEIGHTS, CLI_OPTION_VALUE_DTYPE,  CLI_OPTION_FAST,
    CLI_OPTION_COLUMN,  CLI_OPTION_DTYPE,      CLI_OPTION_METHOD,  CLI_OPTION_LEAF,         CLI_OPTION_DEVICE,
    CLI_OPTION_THREADS, CLI_OPTION_OUTPUT,     CLI_OPTION_PLOT,    CLI_OPTION_STATS,        CLI_OPTION_HELP,
    CLI_OPTION_END};

/* The counting pass. */
struct counting {
    struct cli_job *job;
    struct cli_stats stats;
};

static int add_points(void *context, const uh_array *x, const uh_array *weights, struct cli_error *error) {
    struct counting *counting = context;
    struct cli_job *job = counting->job;
    double start = cli_stats_clock();
    while (uh_histogram_fill(job->histogram, x, weights))
        if (cli_job_recover(job, counting->stats.bytes > 0, error))
            return -1;
    counting->stats.counting += cli_stats_clock() - start;
    counting->stats.bytes += x->count * (uh_dtype_size(x->dtype) + (weights ? uh_dtype_size(weights->dtype) : 0));
    if (job->stats)
        cli_stats_add_array(&counting->stats, x);
    return 0;
}

static int count_chunk(void *context, uh_dtype dtype, const void *data, size_t n, struct cli_error *error) {
    const uh_array x = uh_array_of(dtype, data, n);
    return add_points(context, &x, NULL, error);
}

/* Everything that a result lends. */
struct lent {
    struct cli_cells cells;
    char *plan, *title;
    char device[256];
};

static int get_plan(const struct cli_job *job, char **plan, struct cli_error *error) {
    const uh_dtype dtype = cli_inputs_dtype(job->inputs);
    size_t length;
    if (uh_histogram_plan_text(job->histogram, 0, dtype, NULL, 0, &length))
        return cli_job_fail(job, error);
    if (!(*plan = malloc(length + 1)))
        return cli_fail(error, "out of memory");
    return uh_histogram_plan_text(job->histogram, 0, dtype, *plan, length + 1, NULL) ? cli_job_fail(job, error) : 0;
}

static int collect(const struct cli_job *job, struct lent *lent, struct cli_result *result, struct cli_error *error) {
    const int collected = cli_collect_dd(job->histogram, job->density, &lent->cells, result, error);
    if (collected)
        return collected > 0 ? cli_job_fail(job, error) : -1;
    if ((job->cumulative && cli_collect_running(&lent->cells, result, error)) || get_plan(job, &lent->plan, error))
        return -1;
    if (!(lent->title = cli_publish_title(job->paths, job->npaths, job->values)))
        return cli_fail(error, "out of memory");
    snprintf(lent->device, sizeof lent->device, "%s (%s)", job->properties.selector, job->properties.name);
    result->flat = 1;
    result->axis[0].method = uh_method_name(job->method);
    result->axis[0].plan = lent->plan;
    result->axis[0].dtype = cli_inputs_dtypes(job->inputs);
    result->axis[0].log = job->bins.kind == CLI_BINS_LOG;
    result->device = lent->device;
    result->title = lent->title;
    result->histogram = job->histogram;
    return 0;
}

static int publish(const struct cli_job *job, const struct cli_stats *stats, const struct cli_result *result,
                   struct cli_error *error) {
    if (cli_publish(job->output, job->plot, CLI_HEAT_AUTO, result, error))
        return -1;
    if (job->stats)
        cli_stats_print(stdout, stats, result, uh_queue_threads(job->queue), job->why_host);
    return 0;
}

static int count(struct counting *counting, struct cli_error *error) {
    const struct cli_job *job = counting->job;
    const struct cli_points points = {
        .naxes = 1, .axis = {{.inputs = job->inputs, .element = 0}}, .values = job->value_inputs};
    if (!job->value_inputs)
        return cli_inputs_pass(job->inputs, "counting", count_chunk, counting, error);
    return cli_points_check(&points, error) || cli_points_pass(&points, "counting", add_points, counting, error);
}

static int run_job(struct cli_job *job, struct cli_error *error) {
    struct counting counting = {.job = job};
    struct cli_result result = {0};
    struct lent lent = {.title = NULL};
    double start = cli_stats_clock();
    int status;
    if (cli_publish_check(job->output, 1, job->plot, error))
        return -1;
    cli_stats_start(&counting.stats);
    status = cli_job_open(job, job->right ? UH_CLOSED_RIGHT : UH_CLOSED_LEFT, 2, error);
    if (status)
        return status;
    status = -1;
    counting.stats.preparing = cli_stats_clock() - start;
    if (count(&counting, error))
        goto out;
    result.seconds = cli_stats_clock() - start;
    if (collect(job, &lent, &result, error) || publish(job, &counting.stats, &result, error))
        goto out;
    status = 0;
out:
    cli_cells_free(&lent.cells);
    free(lent.plan);
    free(lent.title);
    return status;
}

static int run(int argc, char **argv, struct cli_error *error) {
    struct cli_job job = {0};
    int result = cli_job_parse(&job, &cli_histogram_command, argc, argv, error);
    if (result == 0)
        result = run_job(&job, error);
    cli_job_close(&job);
    return result;
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
