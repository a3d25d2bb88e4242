/* SPDX-License-Identifier: Apache-2.0 */
/* unihist histogram: counts the inputs' values, or points over several axes, in bins, or adds up what belongs to them.
 */
#include "api/cli/collect.h"
#include "api/cli/coordinates.h"
#include "api/cli/count.h"
#include "api/cli/options.h"
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
    const int looked_at = decide ? job->axes.words[CLI_AXES_EDGES].n == 0 : cli_bins_need_data(&job->axes.bins[0]);
    if (cli_coordinates_open(coordinates, job->paths, job->npaths, &job->input, looked_at, error))
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

static int work(struct histogram *histogram, struct cli_error *error) {
    struct cli_job *job = &histogram->job;
    struct cli_points *points = &histogram->coordinates.points;
    struct cli_count count = {.job = job, .points = points, .start = cli_stats_clock(), .scale = histogram->scale};
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
    return cli_count(&count, error);
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
