/* SPDX-License-Identifier: Apache-2.0 */
/* unihist histogram: counts the inputs' values in bins. */
#include <stdio.h>
#include <stdlib.h>

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

static int add_points(void *context, const uh_array *x, size_t n, const uh_array *weights, struct cli_error *error) {
    struct counting *counting = context;
    struct cli_job *job = counting->job;
    double start = cli_stats_clock();
    while (uh_histogramdd_fill(job->weighted, x, n, weights))
        if (cli_job_recover(job, counting->stats.bytes > 0, error))
            return -1;
    counting->stats.counting += cli_stats_clock() - start;
    counting->stats.bytes += (uint64_t)n * (uh_dtype_size(x->dtype) + uh_dtype_size(weights->dtype));
    if (job->stats)
        cli_stats_add_array(&counting->stats, x, n);
    return 0;
}

static int count_chunk(void *context, uh_dtype dtype, const void *data, size_t n, struct cli_error *error) {
    struct counting *counting = context;
    struct cli_job *job = counting->job;
    double start = cli_stats_clock();
    while (uh_histogram_fill(job->histogram, dtype, data, n))
        if (cli_job_recover(job, counting->stats.bytes > 0, error))
            return -1;
    counting->stats.counting += cli_stats_clock() - start;
    counting->stats.bytes += (uint64_t)n * uh_dtype_size(dtype);
    if (job->stats)
        cli_stats_add(&counting->stats, dtype, data, n);
    return 0;
}

/* Everything that a result lends. */
struct arrays {
    uint64_t *counts, *cumulative;
    double *sums, *running;
    double *density;
    char *plan, *title;
    char device[256];
};

static uh_status write_plan(const struct cli_job *job, char *text, size_t size, size_t *length) {
    uh_dtype dtype = cli_inputs_dtype(job->inputs);
    return job->weighted ? uh_histogramdd_plan_text(job->weighted, 0, dtype, text, size, length)
                         : uh_histogram_plan_text(job->histogram, dtype, text, size, length);
}

static int get_plan(const struct cli_job *job, char **plan, struct cli_error *error) {
    size_t length;
    if (write_plan(job, NULL, 0, &length))
        return cli_job_fail(job, error);
    if (!(*plan = malloc(length + 1)))
        return cli_fail(error, "out of memory");
    return write_plan(job, *plan, length + 1, NULL) ? cli_job_fail(job, error) : 0;
}

static void *make_room(int wanted, size_t bins, int *missing) {
    void *room = wanted ? malloc(bins * sizeof(uint64_t)) : NULL;
    *missing |= wanted && !room;
    return room;
}

static int read_counts(const struct cli_job *job, const struct arrays *arrays, struct cli_result *result) {
    uh_histogram *histogram = job->histogram;
    return uh_histogram_counts(histogram, arrays->counts) || uh_histogram_flow(histogram, &result->axis[0].flow) ||
           uh_histogram_total(histogram, &result->n) ||
           (job->cumulative && uh_histogram_cumulative(histogram, arrays->cumulative)) ||
           (job->density && uh_histogram_density(histogram, arrays->density));
}

static int read_sums(const struct cli_job *job, const struct arrays *arrays, struct cli_result *result) {
    uh_histogramdd *histogram = job->weighted;
    uint64_t inside;
    if (uh_histogramdd_sums(histogram, arrays->sums, NULL) ||
        uh_histogramdd_flow(histogram, 0, &result->axis[0].flow) ||
        uh_histogramdd_total(histogram, &inside, &result->outside) ||
        uh_histogramdd_outside(histogram, &result->outside_sum, NULL) ||
        (job->density && uh_histogramdd_density(histogram, arrays->density)))
        return -1;
    result->n = inside + result->outside;
    double running = 0;
    for (size_t i = 0; i < result->axis[0].bins && job->cumulative; i++)
        arrays->running[i] = running += arrays->sums[i];
    return 0;
}

static int collect(struct cli_job *job, struct arrays *arrays, struct cli_result *result, struct cli_error *error) {
    const uh_axis *axis = job->weighted ? uh_histogramdd_axis(job->weighted, 0) : uh_histogram_axis(job->histogram);
    const size_t bins = uh_axis_bins(axis);
    int missing = 0, sums = job->weighted != NULL;
    result->naxes = 1;
    result->flat = 1;
    result->storage = sums ? UH_STORAGE_SUM : UH_STORAGE_COUNT;
    result->axis[0].bins = bins;
    result->axis[0].edges = uh_axis_edges(axis);
    arrays->counts = make_room(!sums, bins, &missing);
    arrays->cumulative = make_room(!sums && job->cumulative, bins, &missing);
    arrays->sums = make_room(sums, bins, &missing);
    arrays->running = make_room(sums && job->cumulative, bins, &missing);
    arrays->density = make_room(job->density, bins, &missing);
    arrays->title = cli_publish_title(job->paths, job->npaths, job->values);
    if (missing || !arrays->title)
        return cli_fail(error, "out of memory for the counts of %zu bins", bins);
    if ((sums ? read_sums : read_counts)(job, arrays, result))
        return cli_job_fail(job, error);
    if (get_plan(job, &arrays->plan, error))
        return -1;
    snprintf(arrays->device, sizeof arrays->device, "%s (%s)", job->properties.selector, job->properties.name);
    result->counts = arrays->counts;
    result->cumulative = arrays->cumulative;
    result->sums = arrays->sums;
    result->running = arrays->running;
    result->density = arrays->density;
    result->axis[0].method = uh_method_name(job->histogram_options.method);
    result->axis[0].plan = arrays->plan;
    result->axis[0].dtype = cli_inputs_dtypes(job->inputs);
    result->axis[0].log = job->bins.kind == CLI_BINS_LOG;
    result->device = arrays->device;
    result->title = arrays->title;
    result->histogram = job->histogram;
    result->weighted = job->weighted;
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
    struct arrays arrays = {0};
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
    if (collect(job, &arrays, &result, error) || publish(job, &counting.stats, &result, error))
        goto out;
    status = 0;
out:
    free(arrays.counts);
    free(arrays.cumulative);
    free(arrays.sums);
    free(arrays.running);
    free(arrays.density);
    free(arrays.plan);
    free(arrays.title);
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
