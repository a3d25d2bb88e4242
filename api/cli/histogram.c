/* SPDX-License-Identifier: Apache-2.0 */
/* unihist histogram: counts the inputs' values, or points over several axes, in bins, or adds up what belongs to them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "api/cli/collect.h"
#include "api/cli/coordinates.h"
#include "api/cli/display/display.h"
#include "api/cli/job.h"
#include "api/cli/options.h"
#include "api/cli/output/result.h"
#include "api/cli/publish.h"
#include "api/cli/stats.h"

static const enum cli_option_id options[] = {
    CLI_OPTION_EDGES,   CLI_OPTION_BINS,       CLI_OPTION_RANGE,       CLI_OPTION_DISTRIBUTION, CLI_OPTION_RIGHT,
    CLI_OPTION_DENSITY, CLI_OPTION_CUMULATIVE, CLI_OPTION_AXES,        CLI_OPTION_COLUMNS,      CLI_OPTION_ROW,
    CLI_OPTION_WEIGHTS, CLI_OPTION_SAMPLE,     CLI_OPTION_VALUE_DTYPE, CLI_OPTION_STORAGE,      CLI_OPTION_FAST,
    CLI_OPTION_COLUMN,  CLI_OPTION_DTYPE,      CLI_OPTION_METHOD,      CLI_OPTION_LEAF,         CLI_OPTION_DEVICE,
    CLI_OPTION_THREADS, CLI_OPTION_OUTPUT,     CLI_OPTION_PLOT,        CLI_OPTION_COLOUR,       CLI_OPTION_STATS,
    CLI_OPTION_HELP,    CLI_OPTION_END};

/* `job` comes first: its call back finds the rest by it. */
struct histogram {
    struct cli_job job;
    struct cli_coordinates coordinates;
    int sampled, stored, coloured; /* --sample, --storage and --colour are given */
    uh_storage storage;
    enum cli_heat_scale scale;
};

/* ---- options ---------------------------------------------------------------------------------------------------- */

static int set_values(struct histogram *histogram, int sampled, const char *value, struct cli_error *error) {
    if (histogram->job.values && histogram->sampled != sampled)
        return cli_usage(error, "--weights and --sample both say what is added up; give one");
    histogram->sampled = sampled;
    histogram->job.values = value;
    return 0;
}

static int set_option(void *context, enum cli_option_id id, const char *value, struct cli_error *error) {
    struct histogram *histogram = context;
    uint64_t row = 0;
    int result;
    switch (id) {
    case CLI_OPTION_AXES: histogram->coordinates.axes = 1; return 0;
    case CLI_OPTION_COLUMNS: return cli_words_add(&histogram->coordinates.columns, "columns", value, error);
    case CLI_OPTION_ROW:
        result = cli_usage_number("row", value, 1, 1 << 20, &row, error);
        histogram->coordinates.row = (size_t)row;
        return result;
    case CLI_OPTION_WEIGHTS: return set_values(histogram, 0, value, error);
    case CLI_OPTION_SAMPLE: return set_values(histogram, 1, value, error);
    case CLI_OPTION_STORAGE:
        histogram->stored = 1;
        return uh_storage_from_name(value, &histogram->storage)
                   ? cli_usage(error, "--storage '%.200s': expected count, sum, weighted, mean, u8 or u16", value)
                   : 0;
    case CLI_OPTION_COLOUR:
        histogram->coloured = 1;
        return cli_heat_scale_from_name(value, &histogram->scale)
                   ? cli_usage(error, "--colour '%.200s': expected auto, linear or log", value)
                   : 0;
    default: return cli_job_set(&histogram->job, id, value, error);
    }
}

/* What cells keep suits what there is. */
static int check_storage(struct histogram *histogram, struct cli_error *error) {
    const struct cli_job *job = &histogram->job;
    if (!histogram->stored)
        histogram->storage = !job->values ? UH_STORAGE_COUNT : histogram->sampled ? UH_STORAGE_MEAN : UH_STORAGE_SUM;
    uh_storage storage = histogram->storage;
    const char *name = uh_storage_name(storage);
    int sums = storage == UH_STORAGE_SUM || storage == UH_STORAGE_WEIGHTED;
    if (storage == UH_STORAGE_MEAN && !histogram->sampled)
        return cli_usage(error, "--storage mean needs --sample, the numbers to take the mean of");
    if (job->values && histogram->sampled && storage != UH_STORAGE_MEAN)
        return cli_usage(error, "--storage %s does not go with --sample, which is for mean", name);
    if (job->values && !histogram->sampled && !sums)
        return cli_usage(error, "--storage %s does not go with --weights, which are for sum and weighted", name);
    if (job->density && storage == UH_STORAGE_MEAN)
        return cli_usage(error, "--density is of counts or sums; means have none");
    if (job->axes.leaf_bins && job->values)
        return cli_usage(error, "--leaf does not go with --%s", histogram->sampled ? "sample" : "weights");
    return 0;
}

static int parse(struct histogram *histogram, int argc, char **argv, struct cli_error *error) {
    struct cli_job *job = &histogram->job;
    int first, result;
    job->command = &cli_histogram_command;
    if ((result = cli_options_parse(job->command, argc, argv, set_option, histogram, &first, error)) ||
        (result = cli_job_operands(job, argc, argv, first, error)) || (result = check_storage(histogram, error)) ||
        (result = cli_coordinates_check(&histogram->coordinates, job->input.column, job->npaths, error)))
        return result;
    return 0;
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

static int settle(struct histogram *histogram, size_t naxes, struct cli_error *error) {
    struct cli_job *job = &histogram->job;
    int result = cli_axes_settle(&job->axes, naxes, 2, job->right, error);
    if (result)
        return result;
    if (histogram->coloured && naxes != 2)
        return cli_usage(error, "--colour is for the map of two axes, there %s %zu", naxes == 1 ? "is" : "are", naxes);
    return cli_collect_check(naxes, histogram->storage, job->cumulative, job->plot, "the inputs have", error);
}

/* Opens the inputs, and settles the axes: where the inputs decide how many there are, afterwards; until then, what is
 * not edges may need a look at the data. */
static int open_inputs(struct histogram *histogram, struct cli_error *error) {
    struct cli_job *job = &histogram->job;
    struct cli_coordinates *coordinates = &histogram->coordinates;
    const int decide = cli_coordinates_decide(coordinates);
    int result = decide ? 0 : settle(histogram, 1, error);
    if (result)
        return result;
    job->input.several_passes =
        decide ? job->axes.words[CLI_AXES_EDGES].n == 0 : cli_bins_need_data(&job->axes.bins[0]);
    if (cli_coordinates_open(coordinates, job->paths, job->npaths, &job->input, error))
        return -1;
    return decide ? settle(histogram, coordinates->points.naxes, error) : 0;
}

static int make_axes(struct histogram *histogram, struct cli_error *error) {
    struct cli_job *job = &histogram->job;
    const struct cli_points *points = &histogram->coordinates.points;
    for (size_t a = 0; a < points->naxes; a++) {
        struct cli_error reason;
        cli_inputs_choose(points->axis[a].inputs, points->axis[a].element);
        if (!cli_job_make_axis(job, a, points->axis[a].inputs, job->right ? UH_CLOSED_RIGHT : UH_CLOSED_LEFT, &reason))
            continue;
        if (points->naxes == 1)
            return cli_fail(error, "%s", reason.text);
        return cli_fail(error, "axis %zu (%.200s): %.700s", a, histogram->coordinates.names[a], reason.text);
    }
    return 0;
}

static uh_status make(struct cli_job *job) {
    const struct histogram *histogram = (struct histogram *)job;
    return cli_job_make_histogram(job, &histogram->coordinates.points, histogram->storage);
}

/* ---- counting --------------------------------------------------------------------------------------------------- */

/* A run: the pass over the points, and what becomes of the result. */
struct count {
    struct cli_job *job; /* open, with the histogram that counts */
    const struct cli_points *points;
    double start;                      /* of the clock */
    struct cli_axis axis[UH_MAX_AXES]; /* what is told of the axes, but for what the histogram and the inputs know */
    enum cli_heat_scale scale;
};

/* The pass. */
struct counting {
    const struct count *count;
    struct cli_stats stats[UH_MAX_AXES]; /* of each axis; times and bytes are in the first */
};

static int count_points(void *context, const uh_array *coordinates, const uh_array *values, struct cli_error *error) {
    struct counting *counting = context;
    struct cli_job *job = counting->count->job;
    struct cli_stats *stats = &counting->stats[0];
    const uint64_t n = coordinates->count;
    const double start = cli_stats_clock();
    while (uh_histogram_fill(job->histogram, coordinates, values))
        if (cli_job_recover(job, stats->bytes > 0, error))
            return -1;
    stats->counting += cli_stats_clock() - start;
    for (size_t a = 0; a < counting->count->points->naxes; a++) {
        stats->bytes += n * uh_dtype_size(coordinates[a].dtype);
        if (job->stats)
            cli_stats_add(&counting->stats[a], &coordinates[a]);
    }
    stats->bytes += values ? n * uh_dtype_size(values->dtype) : 0;
    return 0;
}

/* Everything that a result lends. */
struct lent {
    struct cli_cells cells;
    char *plan[UH_MAX_AXES], *title;
};

static int get_plan(const struct count *count, size_t axis, char **plan, struct cli_error *error) {
    uh_histogram *histogram = count->job->histogram;
    const uh_dtype dtype = cli_inputs_facts(count->points->axis[axis].inputs)->dtype;
    size_t length;
    if (uh_histogram_plan_text(histogram, axis, dtype, NULL, 0, &length))
        return cli_job_fail(count->job, error);
    if (!(*plan = malloc(length + 1)))
        return cli_fail(error, "out of memory");
    return uh_histogram_plan_text(histogram, axis, dtype, *plan, length + 1, NULL) ? cli_job_fail(count->job, error)
                                                                                   : 0;
}

static int collect(const struct count *count, struct lent *lent, struct cli_result *result, struct cli_error *error) {
    const struct cli_job *job = count->job;
    const int collected = cli_collect(job->histogram, job->density, &lent->cells, result, error);
    if (collected)
        return collected > 0 ? cli_job_fail(job, error) : -1;
    if (job->cumulative && cli_collect_running(&lent->cells, result, error))
        return -1;
    for (size_t a = 0; a < result->naxes; a++) {
        struct cli_axis *axis = &result->axis[a];
        if (get_plan(count, a, &lent->plan[a], error))
            return -1;
        axis->name = count->axis[a].name;
        axis->dtype = cli_inputs_dtypes(count->points->axis[a].inputs);
        axis->method = count->axis[a].method;
        axis->plan = lent->plan[a];
        axis->log = count->axis[a].log;
    }
    if (!(lent->title = cli_publish_title(job->paths, job->npaths, job->values)))
        return cli_fail(error, "out of memory");
    result->device = job->device_text;
    result->values = job->value_inputs ? job->values : NULL;
    result->values_dtype = job->value_inputs ? cli_inputs_dtypes(job->value_inputs) : NULL;
    result->title = lent->title;
    result->histogram = job->histogram;
    return 0;
}

/* Counts all points; writes, draws and prints what comes of it. 0, or -1 with a message. */
static int count_all(const struct count *count, struct cli_error *error) {
    const struct cli_job *job = count->job;
    struct counting counting = {.count = count};
    struct cli_result result = {.naxes = 0};
    struct lent lent = {.title = NULL};
    int status = -1;
    for (size_t a = 0; a < UH_MAX_AXES; a++)
        cli_stats_start(&counting.stats[a]);
    counting.stats[0].preparing = cli_stats_clock() - count->start;
    if (cli_points_check(count->points, error) ||
        cli_points_pass(count->points, "counting", count_points, &counting, error))
        return -1;
    result.seconds = cli_stats_clock() - count->start;
    if (collect(count, &lent, &result, error) || cli_publish(job->output, job->plot, count->scale, &result, error))
        goto out;
    if (job->stats)
        cli_stats_print(stdout, counting.stats, &result, uh_queue_threads(job->queue), job->why_host);
    status = 0;
out:
    cli_cells_free(&lent.cells);
    for (size_t a = 0; a < UH_MAX_AXES; a++)
        free(lent.plan[a]);
    free(lent.title);
    return status;
}

/* ---- the subcommand ---------------------------------------------------------------------------------------------- */

static int work(struct histogram *histogram, struct cli_error *error) {
    struct cli_job *job = &histogram->job;
    struct cli_points *points = &histogram->coordinates.points;
    struct count count = {.job = job, .points = points, .start = cli_stats_clock(), .scale = histogram->scale};
    job->make = make;
    if (cli_publish_check(job->output, 1, job->plot, error))
        return -1;
    const int result = open_inputs(histogram, error);
    if (result)
        return result;
    if (cli_job_open_queue(job, error) || cli_job_open_values(job, error))
        return -1;
    points->values = job->value_inputs;
    if (cli_points_check(points, error) || make_axes(histogram, error) || cli_job_make(job, error))
        return -1;
    for (size_t a = 0; a < points->naxes; a++) {
        count.axis[a].name = histogram->coordinates.names[a];
        count.axis[a].method = uh_method_name(job->axes.methods[a]);
        count.axis[a].log = job->axes.bins[a].kind == CLI_BINS_LOG;
    }
    return count_all(&count, error);
}

static int run(int argc, char **argv, struct cli_error *error) {
    struct histogram histogram = {.storage = UH_STORAGE_COUNT};
    int result = parse(&histogram, argc, argv, error);
    if (result == 0)
        result = work(&histogram, error);
    cli_job_close(&histogram.job);
    cli_coordinates_close(&histogram.coordinates);
    return result;
}

const struct cli_command cli_histogram_command = {
    "histogram",
    "INPUT...",
    "*",
    "Count values or points in bins of any widths, exactly, or sum weights",
    "INPUT is a .npy file, text (CSV), raw binary (with --dtype), or '-' for standard\n"
    "input; several are counted together, as one axis. With --axes each is an axis, with\n"
    "--columns or --row the columns of one input are; options of bins are then given once\n"
    "for all axes or once an axis, with commas between (--bins 10,log:5) or one by one.\n"
    "Bin j holds edge[j] <= x < edge[j+1], the last one its right edge too. A bar chart, a\n"
    "heat map of two axes or a summary of more is printed, unless -o is given and standard\n"
    "output is no terminal.\n",
    options,
    run,
};
