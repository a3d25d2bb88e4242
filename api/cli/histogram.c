/* SPDX-License-Identifier: Apache-2.0 */
/* unihist histogram: counts the inputs' values, or points over several axes, in bins, or sums values given with them;
 * unihist bincount: the same over a growing axis of integers. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/cli/display/display.h"
#include "api/cli/display/progress.h"
#include "api/cli/group.h"
#include "api/cli/interrupt.h"
#include "api/cli/publish.h"

struct stats {
    uint64_t n; /* values that are not NaN */
    double min, max;
    long double sum;
    uint64_t bytes;   /* of the values, as counted */
    double preparing; /* seconds until the axis was made */
    double counting;  /* seconds in the library's fill */
};

static void add_block(void *context, const double *x, size_t n) {
    struct stats *stats = context;
    for (size_t i = 0; i < n; i++) {
        stats->sum += (long double)x[i];
        stats->min = x[i] < stats->min ? x[i] : stats->min;
        stats->max = x[i] > stats->max ? x[i] : stats->max;
    }
    stats->n += n;
}

static int join_stats(struct stats *stats) {
    enum { HIGH, LOW, SUMS };
    uint64_t counts[] = {stats->n, stats->bytes};
    double sums[SUMS] = {(double)stats->sum};
    uint64_t bits[SUMS];
    sums[LOW] = (double)(stats->sum - (long double)sums[HIGH]);
    memcpy(bits, sums, sizeof bits);
    if (cli_group_add(counts, 2) || cli_extremes_join(&stats->min, &stats->max) || cli_group_add_f64(bits, SUMS))
        return -1;
    memcpy(sums, bits, sizeof bits);
    stats->n = counts[0];
    stats->bytes = counts[1];
    stats->sum = (long double)sums[HIGH] + (long double)sums[LOW];
    return 0;
}

static const char *write_number(char text[CLI_TIME_SIZE], double value, int time) {
    if (time)
        cli_time_write(text, value, cli_time_resolution(&value, 1));
    else
        cli_output_number(text, value);
    return text;
}

static void print_number(const char *name, double value, int time) {
    char text[CLI_TIME_SIZE];
    printf("%-10s %s\n", name, write_number(text, value, time));
}

static void print_time(const char *name, double seconds, uint64_t n, const struct stats *stats) {
    const double rate = seconds > 0 ? 1 / seconds : 0;
    printf("%-10s %.6f s, %.1f Mpts/s, %.2f GB/s\n", name, seconds, (double)n * rate * 1e-6,
           (double)stats->bytes * rate * 1e-9);
}

static void print_cells(const struct cli_result *result) {
    printf("%-10s %" PRIu64 "\n", "inside", result->n - result->outside);
    printf("%-10s %" PRIu64 "\n", "outside", result->outside);
    printf("%-10s %zu\n", "cells", cli_result_cells(result));
    printf("%-10s %s\n", "storage", uh_enum_name(UH_ENUM_STORAGE, result->storage));
    if (result->values)
        printf("%-10s %s, %s, %s\n", "values", result->values, result->values_dtype,
               result->sum == UH_SUM_FAST ? "fast" : "exact");
}

static void print_range(const struct cli_axis *axis, const struct cli_bins *bins) {
    char low[CLI_TIME_SIZE], high[CLI_TIME_SIZE];
    if (!axis->edges)
        return;
    printf("%-10s %s to %s, %s\n", "range", write_number(low, axis->edges[0], axis->time),
           write_number(high, axis->edges[axis->bins], axis->time),
           bins->ranged                      ? "given"
           : bins->kind == CLI_BINS_EDGES    ? "of the edges"
           : bins->kind == CLI_BINS_EARLIER  ? "of an earlier result"
           : bins->kind == CLI_BINS_CDF      ? "of the distribution"
           : bins->kind == CLI_BINS_CALENDAR ? "found: the steps of the calendar around the finite values"
           : bins->kind == CLI_BINS_INTEGERS ? "found: the integers around the finite values"
                                             : "found: the finite values");
}

static void print_axis(const struct stats *stats, const struct cli_axis *axis, const struct cli_bins *bins, int plan) {
    printf("%-10s %s\n", "dtype", axis->dtype);
    printf("%-10s %" PRIu64 "\n", "below", axis->flow.below);
    printf("%-10s %" PRIu64 "\n", "above", axis->flow.above);
    printf("%-10s %" PRIu64 "\n", "nan", axis->flow.nan);
    print_number("min", stats->n ? stats->min : NAN, axis->time);
    print_number("max", stats->n ? stats->max : NAN, axis->time);
    print_number("mean", stats->n ? (double)(stats->sum / (long double)stats->n) : NAN, axis->time);
    printf("%-10s %zu\n", "bins", axis->bins);
    print_range(axis, bins);
    if (plan)
        printf("%-10s %s\n%-10s %s\n", "method", axis->method, "plan", axis->plan);
}

static void print_stats(const struct stats *stats, const struct cli_result *result, const struct cli_job *job) {
    const int plan = job->arguments->stats == CLI_STATS_PLAN;
    printf("%-10s %" PRIu64 "\n", "n", result->n);
    if (result->naxes > 1)
        print_cells(result);
    for (size_t a = 0; a < result->naxes; a++) {
        if (result->naxes > 1)
            printf("%-10s %zu\n%-10s %s\n", "axis", a, "name", result->axis[a].name);
        print_axis(&stats[a], &result->axis[a], cli_job_bins(job, a), plan);
    }
    char text[CLI_REPORT_TEXT];
    if (result->text && *cli_text_describe(result->text, text))
        printf("%-10s %s\n", "text", text);
    printf("%-10s %s\n", "device", result->device);
    printf("%-10s %" PRIu32 "\n", "threads", cli_job_queue(job).threads);
    if (plan && job->why_host[0])
        printf("%-10s %s\n", "no gpu", job->why_host);
    if (plan) {
        cli_stats_print_shares(job->queue);
        printf("%-10s %.6f s\n", "preparing", stats->preparing);
    }
    print_time("counting", stats->counting, result->n, stats);
    print_time("in all", result->seconds, result->n, stats);
}

struct counting {
    struct cli_job job;
    uint64_t n;                      /* points counted */
    struct stats stats[UH_MAX_AXES]; /* per axis; times and bytes are in the first */
};

/* Prints the edges, which are text that can be read again, and why they were chosen as its comments; draws the values'
 * density in these bins. */
static int print_edges(const struct cli_job *job, const struct cli_result *result) {
    const struct cli_axis *axis = &result->axis[0];
    const struct cli_bins *bins = cli_job_bins(job, 0);
    const struct cli_why *why = bins->why;
    char text[CLI_TIME_SIZE];
    if (axis->categories || !axis->edges)
        return cli_fail("there are categories, expected bins between edges");
    if (job->arguments->plot && cli_display_write(job->arguments->plot, result, CLI_HEAT_AUTO))
        return -1;
    printf("# %-10s %zu\n", "bins", axis->bins);
    if (bins->kind == CLI_BINS_RULE && why->values.n > 0) {
        printf("# %-10s %s\n# %-10s %" PRIu64, "rule", uh_enum_name(UH_ENUM_RULE, bins->rule), "values", why->values.n);
        printf(job->arguments->weights ? ", of the weight %.17g, as %.17g effective ones\n" : "\n", why->values.weight,
               why->values.effective);
        if (why->result.wanted > 0)
            printf("# %-10s %.17g bins%s\n", "formula", why->result.wanted, why->result.limited ? ", limited" : "");
        else if (why->result.tried)
            printf("# %-10s 1 to %zu bins%s\n", "tried", why->result.tried, why->result.limited ? ", limited" : "");
        if (why->result.score != 0)
            printf("# %-10s %.17g\n", "score", why->result.score);
        if (bins->rule == UH_RULE_EQUAL_PROBABILITY)
            printf("# %-10s location %.17g, scale %.17g\n", "fit", why->fit.location, why->fit.scale);
    }
    for (size_t j = 0; j <= axis->bins; j++)
        printf("%s\n", write_number(text, axis->edges[j], axis->time));
    return 0;
}

static int is_bincount(const struct counting *counting) {
    return counting->job.arguments->command->which == CLI_BINCOUNT;
}

static int choose_storage(const struct cli_arguments *arguments, uh_storage *storage) {
    *storage = arguments->weights ? UH_STORAGE_SUM : arguments->sample ? UH_STORAGE_MEAN : UH_STORAGE_COUNT;
    if (arguments->storage)
        *storage = (uh_storage)(arguments->storage - 1);
    const char *name = uh_enum_name(UH_ENUM_STORAGE, *storage);
    if (arguments->weights && arguments->sample)
        return cli_usage("--weights and --sample both select summands; give one");
    if (*storage == UH_STORAGE_MEAN && !arguments->sample)
        return cli_usage("--storage mean requires --sample, the averaged numbers");
    if (arguments->sample && *storage != UH_STORAGE_MEAN)
        return cli_usage("--storage %s cannot be used with --sample, which requires mean", name);
    if (arguments->weights && *storage != UH_STORAGE_SUM && *storage != UH_STORAGE_WEIGHTED)
        return cli_usage("--storage %s cannot be used with --weights, which require sum or weighted", name);
    if (arguments->density && *storage == UH_STORAGE_MEAN)
        return cli_usage("--density requires counts or sums, not means");
    return 0;
}

static uh_status make_growing(struct cli_job *job) {
    const struct cli_arguments *arguments = job->arguments;
    const uh_histogram_options options = {.struct_size = sizeof options,
                                          .storage = job->storage,
                                          .sum = arguments->fast ? UH_SUM_FAST : UH_SUM_EXACT,
                                          .minlength = (size_t)arguments->minlength.value,
                                          .maxlength = (size_t)arguments->max.value + (arguments->max.given != 0)};
    uh_axis *axis = NULL;
    uh_status status = uh_axis_create_growing(&axis);
    if (!status)
        status = uh_histogram_create(job->queue, &axis, 1, &options, &job->histogram);
    uh_axis_destroy(axis);
    return status;
}

static int check_integers(const struct cli_inputs *inputs) {
    if (inputs->kinds[1])
        return cli_fail("the values are dates, expected integers; unihist histogram counts them");
    for (int d = UH_F32; d <= UH_F64; d++)
        if (cli_inputs_have_dtype(inputs, (uh_dtype)d))
            return cli_fail("the values are %s, expected integers, int8 to uint64",
                            uh_enum_name(UH_ENUM_DTYPE, (unsigned)d));
    return 0;
}

static int open_job(struct counting *counting) {
    struct cli_job *job = &counting->job;
    const struct cli_arguments *arguments = job->arguments;
    struct cli_points *points = &job->points;
    const int grows = is_bincount(counting);
    job->make = grows ? make_growing : cli_job_make_histogram;
    if (cli_job_check(arguments) || choose_storage(arguments, &job->storage) ||
        cli_publish_check_files(arguments, CLI_OUTPUT_HISTOGRAM) ||
        (grows ? cli_coordinates_open(&job->points, arguments, 1, 0) : cli_job_open_inputs(job, 2)) ||
        cli_publish_check(arguments, points->naxes, job->storage, "the inputs have") ||
        (grows && check_integers(points->axis[0].inputs)) || cli_job_open_queue(job) ||
        cli_job_open_values(job, arguments->weights ? arguments->weights : arguments->sample))
        return -1;
    return cli_points_check(points) || (!grows && cli_job_make_axes(job)) || cli_job_make(job);
}

static void number_value(const struct counting *counting) {
    const uh_error_info *info = uh_last_error_info();
    const struct cli_inputs *inputs = counting->job.points.axis[0].inputs;
    if (strcmp(info->argument, "arrays[0]") != 0 || info->index == UH_NO_INDEX)
        return;
    const int named = snprintf(NULL, 0, "%s[%zu]", info->argument, info->index);
    if (inputs->numbered)
        cli_fail("value number %llu%s", (unsigned long long)inputs->number + info->index, info->text + named);
    else
        cli_fail("a value%s", info->text + named);
}

static int count_points(void *context, const uh_array *coordinates) {
    struct counting *counting = context;
    struct cli_job *job = &counting->job;
    struct stats *stats = &counting->stats[0];
    const uint64_t n = coordinates->count;
    const uh_array *values = job->points.values ? &coordinates[job->points.naxes] : NULL;
    const double start = cli_clock();
    uint64_t nan = 0;
    while (CLI_INTERRUPTIBLE(job->queue, uh_histogram_fill(job->histogram, coordinates, values)))
        if (cli_job_recover(job, counting->n > 0)) {
            number_value(counting);
            return -1;
        }
    stats->counting += cli_clock() - start;
    counting->n += n;
    for (size_t a = 0; a < job->points.naxes; a++) {
        stats->bytes += n * uh_dtype_size(coordinates[a].dtype);
        if (job->arguments->stats)
            cli_values_for_each(&coordinates[a], NULL, &nan, add_block, &counting->stats[a]);
    }
    stats->bytes += values ? n * uh_dtype_size(values->dtype) : 0;
    return 0;
}

static int join_ranks(struct counting *counting) {
    const struct cli_job *job = &counting->job;
    for (size_t a = 0; a < job->points.naxes && cli_group && job->arguments->stats; a++)
        if (join_stats(&counting->stats[a]))
            return -1;
    struct cli_csv_facts *facts = &job->points.axis[0].inputs->text.facts;
    uint64_t sums[] = {facts->rows, facts->skipped, facts->blank, facts->comments, facts->missing};
    if (cli_inputs_are_divided(job->points.axis[0].inputs) && cli_group_add(sums, sizeof sums / sizeof *sums))
        return -1;
    *facts = (struct cli_csv_facts){sums[0], facts->header, sums[1], sums[2], sums[3], sums[4]};
    return cli_group_sum(job->histogram);
}

static int collect(const struct counting *counting, struct cli_contents *contents, struct cli_result *result) {
    const struct cli_job *job = &counting->job;
    if (cli_publish_collect(job, contents, result))
        return -1;
    for (size_t a = 0; a < result->naxes; a++) {
        struct cli_axis *axis = &result->axis[a];
        axis->integers = is_bincount(counting);
        axis->name = axis->integers ? "value" : job->points.axis[a].name;
        struct cli_inputs *inputs = job->points.axis[a].inputs;
        axis->dtype = inputs->dtypes;
        if (axis->integers)
            continue;
        if (uh_histogram_plan_text(job->histogram, a, cli_inputs_facts(inputs)->dtype, contents->plan[a],
                                   sizeof contents->plan[a], NULL))
            return cli_job_fail(job);
        axis->method = uh_enum_name(UH_ENUM_METHOD, cli_job_bins(job, a)->method);
        axis->plan = contents->plan[a];
        axis->log = cli_job_bins(job, a)->kind == CLI_BINS_LOG ||
                    (cli_job_bins(job, a)->kind == CLI_BINS_BASE2 && axis->edges[0] > 0);
        axis->time = cli_bins_are_times(cli_job_bins(job, a), inputs, job->points.axis[a].element);
        if (axis->time < 0)
            return -1;
    }
    result->device = job->device_text;
    result->text = &job->points.axis[0].inputs->text;
    result->values = job->arguments->weights ? job->arguments->weights : job->arguments->sample;
    result->values_dtype = job->points.values ? job->points.values->dtypes : NULL;
    return 0;
}

static int count_inputs(struct counting *counting) {
    const struct cli_job *job = &counting->job;
    const double start = cli_clock();
    struct cli_result result = {.naxes = 0};
    struct cli_contents contents = {.cells = NULL};
    if (open_job(counting))
        return -1;
    for (size_t a = 0; a < UH_MAX_AXES; a++)
        counting->stats[a] = (struct stats){.min = INFINITY, .max = -INFINITY};
    counting->stats[0].preparing = cli_clock() - start;
    if (cli_points_pass(&job->points, "counting", count_points, counting))
        return -1;
    if (join_ranks(counting))
        return -1;
    result.seconds = cli_clock() - start;
    if (!cli_group_is_first())
        return 0;
    const int chooses = job->arguments->command->which == CLI_CHOOSE;
    const int failed = collect(counting, &contents, &result) ||
                       (chooses ? print_edges(job, &result) : cli_publish(job->arguments, &result));
    if (!failed && job->arguments->stats)
        print_stats(counting->stats, &result, job);
    cli_contents_free(&contents);
    return failed ? -1 : 0;
}

static int run_counting(struct cli_arguments *arguments) {
    struct cli_why why = {.values = {.n = 0}};
    struct counting counting = {.job = {.arguments = arguments, .bins[0].why = &why}};
    arguments->density |= arguments->command->which == CLI_CHOOSE; /* of the picture */
    const int result = count_inputs(&counting);
    cli_job_close(&counting.job);
    return result;
}

const struct cli_command cli_bins_command = {
    CLI_CHOOSE,
    "bins",
    "INPUT...",
    "*",
    "Choose bins for values, and print their edges and why",
    "INPUT is a .npy file, text (CSV), raw binary (with --dtype), or '-' for standard\n"
    "input; several are one sample. The edges, one per line, follow comments with the\n"
    "reasons; 'unihist histogram --edges' reads both. -p draws the density in these bins.\n",
    run_counting,
};

const struct cli_command cli_histogram_command = {
    CLI_HISTOGRAM,
    "histogram",
    "INPUT...",
    "*",
    "Count values or points in bins of any widths, exactly, or sum weights",
    "INPUT is a .npy file, text (CSV), raw binary (with --dtype), or '-' for standard\n"
    "input; several are counted together, as one axis. With --axes each input is an axis,\n"
    "with --columns or --row each column of the rows; options of bins are then given once\n"
    "for all axes or once per axis, comma-separated (--bins 10,log:5) or one by one.\n"
    "Bin j holds edge[j] <= x < edge[j+1], the last one also its right edge. A bar chart, a\n"
    "heat map of two axes or a summary of more is printed, unless -o is given and standard\n"
    "output is no terminal.\n",
    run_counting,
};

const struct cli_command cli_bincount_command = {
    CLI_BINCOUNT,
    "bincount",
    "INPUT...",
    "*",
    "Count how often each integer occurs, as numpy.bincount",
    "INPUT is a .npy file, text (CSV), raw binary (with --dtype), or '-' for standard\n"
    "input; several are counted together. Value v is counted in bin v; negative values\n"
    "are an error. A bar chart is printed, unless -o is given and standard output is no\n"
    "terminal.\n",
    run_counting,
};
