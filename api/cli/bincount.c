/* SPDX-License-Identifier: Apache-2.0 */
/* unihist bincount: counts how often each integer occurs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogram.h>

#include "api/cli/input/inputs.h"
#include "api/cli/job.h"
#include "api/cli/options.h"
#include "api/cli/output/output.h"
#include "api/cli/publish.h"
#include "api/cli/stats.h"

static const enum cli_option_id options[] = {
    CLI_OPTION_WEIGHTS, CLI_OPTION_VALUE_DTYPE,   CLI_OPTION_FAST,   CLI_OPTION_MINLENGTH, CLI_OPTION_MAX,
    CLI_OPTION_COLUMN,  CLI_OPTION_INTEGER_DTYPE, CLI_OPTION_DEVICE, CLI_OPTION_THREADS,   CLI_OPTION_OUTPUT,
    CLI_OPTION_PLOT,    CLI_OPTION_HELP,          CLI_OPTION_END};

/* How many sums are shown. */
enum { SUMS_SHOWN = 20 };

/* `job` comes first: its calls back find the rest by it. */
struct bincount {
    struct cli_job job;
    uh_histogram_options counting;
    uint64_t n; /* values counted */

    uint64_t *counts;
    double *sums;
    char *title;
};

/* ---- options ---- */

static int set_option(void *context, enum cli_option_id id, const char *value, struct cli_error *error) {
    struct bincount *bincount = context;
    uint64_t number = 0;
    int result;
    switch (id) {
    case CLI_OPTION_MINLENGTH:
        result = cli_usage_number("minlength", value, 0, SIZE_MAX, &number, error);
        bincount->counting.minlength = (size_t)number;
        return result;
    case CLI_OPTION_MAX:
        result = cli_usage_number("max", value, 0, SIZE_MAX - 1, &number, error);
        bincount->counting.maxlength = (size_t)number + 1;
        return result;
    default: return cli_job_set(&bincount->job, id, value, error);
    }
}

static int parse(struct bincount *bincount, int argc, char **argv, struct cli_error *error) {
    struct cli_job *job = &bincount->job;
    int first, result;
    job->command = &cli_bincount_command;
    job->input.integers = 1;
    if ((result = cli_options_parse(&cli_bincount_command, argc, argv, set_option, bincount, &first, error)) ||
        (result = cli_job_operands(job, argc, argv, first, error)))
        return result;
    if (job->plot && job->values)
        return cli_usage(error, "--plot draws counts; it does not go with --weights");
    bincount->counting.storage = job->values ? UH_STORAGE_SUM : UH_STORAGE_COUNT;
    bincount->counting.sum = job->sum;
    return 0;
}

/* ---- counting ---- */

static uh_status make(struct cli_job *job) {
    struct bincount *bincount = (struct bincount *)job;
    uh_axis *axis = NULL;
    bincount->counting.struct_size = sizeof bincount->counting;
    uh_status status = uh_axis_create_growing(&axis);
    if (!status)
        status = uh_histogram_create(job->queue, &axis, 1, &bincount->counting, &job->histogram);
    uh_axis_destroy(axis);
    return status;
}

/* Stores what the library said of a value, numbered from the first one of all. Returns -1. */
static int fail_value(const struct bincount *bincount, struct cli_error *error) {
    const uh_error_info *info = uh_last_error_info();
    if (strcmp(info->argument, "arrays[0]") != 0 || info->index == UH_NO_INDEX)
        return -1;
    const int named = snprintf(NULL, 0, "%s[%zu]", info->argument, info->index);
    return cli_fail(error, "value number %llu%s", (unsigned long long)bincount->n + info->index, info->text + named);
}

static int count_points(void *context, const uh_array *x, const uh_array *weights, struct cli_error *error) {
    struct bincount *bincount = context;
    while (uh_histogram_fill(bincount->job.histogram, x, weights))
        if (cli_job_recover(&bincount->job, bincount->n > 0, error)) {
            fail_value(bincount, error);
            return -1;
        }
    bincount->n += x->count;
    return 0;
}

/* Opens everything; the inputs must be integers. */
static int open_job(struct bincount *bincount, struct cli_points *points, struct cli_error *error) {
    struct cli_job *job = &bincount->job;
    job->make = make;
    if (cli_job_open_queue(job, error) || cli_inputs_open(job->paths, job->npaths, &job->input, &job->inputs, error))
        return -1;
    for (int d = UH_F32; d <= UH_F64; d++)
        if (cli_inputs_have_dtype(job->inputs, (uh_dtype)d))
            return cli_fail(error, "the values are %s, expected integers, int8 to uint64", uh_dtype_name((uh_dtype)d));
    if (cli_job_open_values(job, error))
        return -1;
    *points = (struct cli_points){.naxes = 1, .axis = {{job->inputs, 0}}, .values = job->value_inputs};
    return cli_points_check(points, error) || cli_job_make(job, error) ? -1 : 0;
}

/* ---- results ---- */

static int collect(struct bincount *bincount, struct cli_result *result, struct cli_error *error) {
    const struct cli_job *job = &bincount->job;
    uh_histogram *histogram = job->histogram;
    const size_t length = uh_histogram_cells(histogram), room = length ? length : 1;
    if (job->values)
        bincount->sums = malloc(room * sizeof *bincount->sums);
    else
        bincount->counts = malloc(room * sizeof *bincount->counts);
    bincount->title = cli_publish_title(job->paths, job->npaths, job->values);
    if ((!bincount->sums && !bincount->counts) || !bincount->title)
        return cli_fail(error, "out of memory for %zu bins", length);
    if (bincount->sums ? uh_histogram_sums(histogram, UH_F64, bincount->sums, NULL)
                       : uh_histogram_counts(histogram, bincount->counts))
        return cli_job_fail(job, error);
    result->naxes = 1;
    result->flat = 1;
    result->axis[0].bins = length;
    result->axis[0].name = "value";
    result->sums = bincount->sums;
    result->counts = bincount->counts;
    result->n = bincount->n;
    result->title = bincount->title;
    result->histogram = histogram;
    return 0;
}

/* Writes the file; its JSON says this of all. */
static int write_file(const struct bincount *bincount, struct cli_result result, double seconds,
                      struct cli_error *error) {
    const struct cli_job *job = &bincount->job;
    const struct cli_fact facts[] = {
        CLI_INTEGER("length", result.axis[0].bins),
        CLI_INTEGER("n", result.n),
        CLI_TEXT("weights", job->value_inputs ? cli_inputs_name(job->value_inputs) : NULL),
        CLI_TRUTH("exact", job->sum != UH_SUM_FAST),
        CLI_TEXT("device", job->device_text),
        CLI_TEXT("dtype", cli_inputs_dtypes(job->inputs)),
        CLI_NUMBER("seconds", seconds),
    };
    result.facts = facts;
    result.nfacts = sizeof facts / sizeof *facts;
    return cli_output_write(job->output, &result, error);
}

/* The sums that are largest in magnitude; NaN comes first. */
static void print_sums(FILE *out, const struct cli_result *result) {
    const size_t length = result->axis[0].bins;
    double before = INFINITY;
    size_t shown = 0, at = 0;
    fprintf(out, "%20s  %s\n", "value", "sum");
    for (size_t v = 0; v < length && shown < SUMS_SHOWN; v++)
        if (isnan(result->sums[v])) {
            fprintf(out, "%20zu  nan\n", v);
            shown++;
        }
    while (shown < SUMS_SHOWN) {
        /* The largest that has not been shown: below `before`, or as large and behind number `at`. */
        size_t best = length;
        for (size_t v = 0; v < length; v++) {
            const double size = fabs(result->sums[v]);
            if ((size < before || (size == before && v >= at)) && (best == length || size > fabs(result->sums[best])))
                best = v;
        }
        if (best == length || result->sums[best] == 0)
            break;
        fprintf(out, "%20zu  %.17g\n", best, result->sums[best]);
        before = fabs(result->sums[best]);
        at = best + 1;
        shown++;
    }
    fprintf(out, "n %" PRIu64 ", %zu bins, %zu shown\n", result->n, length, shown);
}

/* Files first: where one cannot be written, nothing has been shown yet. */
static int publish(struct bincount *bincount, struct cli_result *result, double seconds, struct cli_error *error) {
    const struct cli_job *job = &bincount->job;
    const int prints = cli_publish_prints(job->output);
    if (job->output && write_file(bincount, *result, seconds, error))
        return -1;
    if (result->sums && prints)
        print_sums(stdout, result);
    else if (!result->sums && (prints || job->plot))
        return cli_publish_integers(job->plot, prints, result, "no values", error);
    return 0;
}

static int run_job(struct bincount *bincount, struct cli_error *error) {
    const struct cli_job *job = &bincount->job;
    struct cli_result result = {.naxes = 1};
    struct cli_points points;
    const double start = cli_stats_clock();
    if (cli_publish_check(job->output, 1, job->plot, error) || open_job(bincount, &points, error) ||
        cli_points_pass(&points, "counting", count_points, bincount, error))
        return -1;
    const double seconds = cli_stats_clock() - start;
    return collect(bincount, &result, error) || publish(bincount, &result, seconds, error) ? -1 : 0;
}

static int run(int argc, char **argv, struct cli_error *error) {
    struct bincount bincount = {.n = 0};
    int result = parse(&bincount, argc, argv, error);
    if (result == 0)
        result = run_job(&bincount, error);
    cli_job_close(&bincount.job);
    free(bincount.counts);
    free(bincount.sums);
    free(bincount.title);
    return result;
}

const struct cli_command cli_bincount_command = {
    "bincount",
    "INPUT...",
    "*",
    "Count how often each integer occurs, as numpy.bincount",
    "INPUT is a .npy file, text (CSV), raw binary (with --dtype), or '-' for standard\n"
    "input; several are counted together. Value v is counted in bin v; negative values\n"
    "are an error. A bar chart is printed, or the largest sums with --weights, unless -o\n"
    "is given and standard output is no terminal.\n",
    options,
    run,
};
