/* SPDX-License-Identifier: Apache-2.0 */
/* unihist bincount: counts how often each integer occurs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unihist/bincount.h>

#include "api/cli/commands.h"
#include "api/cli/display/bars.h"
#include "api/cli/display/plot.h"
#include "api/cli/display/terminal.h"
#include "api/cli/input/inputs.h"
#include "api/cli/input/weights.h"
#include "api/cli/library.h"
#include "api/cli/numbers.h"
#include "api/cli/output/output_bins.h"
#include "api/cli/stats.h"

static const enum cli_option_id options[] = {CLI_OPTION_BIN_WEIGHTS, CLI_OPTION_WEIGHT_DTYPE, CLI_OPTION_MINLENGTH,
                                             CLI_OPTION_MAX,         CLI_OPTION_COLUMN,       CLI_OPTION_INTEGER_DTYPE,
                                             CLI_OPTION_DEVICE,      CLI_OPTION_THREADS,      CLI_OPTION_OUTPUT,
                                             CLI_OPTION_PLOT,        CLI_OPTION_HELP,         CLI_OPTION_END};

/* How many sums are shown. */
enum { SUMS_SHOWN = 20 };

/* Edges of 2^53 and more are no longer all float64. */
#define MOST_DRAWN ((size_t)1 << 53)

struct job {
    struct cli_input_options input;
    uh_counter_options counting;
    uint32_t threads;
    const char *device, *output, *plot, *weights_text, *weights_dtype;
    char **paths;
    size_t npaths;

    uh_device_properties properties;
    uh_queue *queue;
    uh_counter *counter;
    struct cli_inputs *inputs;
    struct cli_weights *weights;
    uint64_t n; /* values counted */

    uint64_t *counts;
    double *sums, *edges;
};

/* ---- options ---- */

static int set_integer_dtype(struct job *job, const char *value, struct cli_error *error) {
    uh_dtype dtype;
    if (uh_dtype_from_name(value, &dtype) || dtype == UH_F32 || dtype == UH_F64)
        return cli_usage(error, "--dtype '%.200s': expected i8 to i64, u8 to u64, or NumPy's name of one", value);
    job->input.dtype = value;
    return 0;
}

static int set_number(const char *name, const char *value, uint64_t least, uint64_t most, uint64_t *number,
                      struct cli_error *error) {
    if (cli_parse_u64(value, least, most, number))
        return cli_usage(error, "--%s '%.200s': expected a whole number from %" PRIu64 " to %" PRIu64, name, value,
                         least, most);
    return 0;
}

static int set_option(void *context, enum cli_option_id id, const char *value, struct cli_error *error) {
    struct job *job = context;
    uint64_t number = 0;
    uh_dtype dtype;
    int result = 0;
    if (value && !*value)
        return cli_usage(error, "an option's value is empty; see 'unihist bincount --help'");
    switch (id) {
    case CLI_OPTION_BIN_WEIGHTS: job->weights_text = value; break;
    case CLI_OPTION_WEIGHT_DTYPE:
        if (uh_dtype_from_name(value, &dtype))
            return cli_usage(error, "--vtype '%.200s': expected f32, f64, i8 to i64, u8 to u64, or NumPy's name of one",
                             value);
        job->weights_dtype = value;
        break;
    case CLI_OPTION_MINLENGTH:
        result = set_number("minlength", value, 0, SIZE_MAX, &number, error);
        job->counting.minlength = (size_t)number;
        break;
    case CLI_OPTION_MAX:
        result = set_number("max", value, 0, UINT64_MAX, &job->counting.max, error);
        job->counting.has_max = 1;
        break;
    case CLI_OPTION_COLUMN: job->input.column = value; break;
    case CLI_OPTION_INTEGER_DTYPE: return set_integer_dtype(job, value, error);
    case CLI_OPTION_DEVICE: job->device = value; break;
    case CLI_OPTION_THREADS:
        result = set_number("threads", value, 1, 4096, &number, error);
        job->threads = (uint32_t)number;
        break;
    case CLI_OPTION_OUTPUT: job->output = value; break;
    case CLI_OPTION_PLOT: job->plot = value; break;
    default: return cli_fail(error, "option %d is not handled", (int)id);
    }
    return result;
}

static int parse(struct job *job, int argc, char **argv, struct cli_error *error) {
    int first;
    job->input.integers = 1;
    job->counting.struct_size = sizeof job->counting;
    int result = cli_options_parse(&cli_bincount_command, argc, argv, set_option, job, &first, error);
    if (result)
        return result;
    job->paths = argv + first;
    job->npaths = (size_t)(argc - first);
    if (job->npaths == 0)
        return cli_usage(error, "no input; give a file, or '-' for standard input (see 'unihist bincount --help')");
    if (job->weights_dtype && !job->weights_text)
        return cli_usage(error, "--vtype goes with --weights");
    if (job->plot && job->weights_text)
        return cli_usage(error, "--plot draws counts; it does not go with --weights");
    job->counting.storage = job->weights_text ? UH_STORAGE_SUM : UH_STORAGE_COUNT;
    return 0;
}

/* ---- the device ---- */

static int is_auto(const struct job *job) {
    return !job->device || strcasecmp(job->device, "auto") == 0;
}

static int is_on_host(const struct job *job) {
    return strcmp(job->properties.backend, "host") == 0;
}

/* Stores what the library said. Values are numbered from the first one of all. */
static int fail_library(const struct job *job, struct cli_error *error) {
    const char *message = cli_library_message();
    unsigned long long at;
    int used = 0;
    if (sscanf(message, "x[%llu]%n", &at, &used) == 1 && used > 0)
        return cli_fail(error, "value number %llu%s", at + (unsigned long long)job->n, message + used);
    if (is_on_host(job))
        return cli_fail_library(error);
    return cli_fail(error, "%s (%s): %s; --device cpu counts on the host", job->properties.selector,
                    job->properties.name, message);
}

static int open_on(struct job *job, const char *selector, struct cli_error *error) {
    const uh_queue_options queue_options = {.struct_size = sizeof queue_options, .threads = job->threads};
    uh_device *device;
    if (uh_device_select(selector, &device))
        return cli_fail(error, "--device '%.100s': %s", selector ? selector : "auto", cli_library_message());
    job->properties.struct_size = sizeof job->properties;
    if (uh_device_get_properties(device, &job->properties))
        return cli_fail_library(error);
    if (uh_queue_create(device, &queue_options, &job->queue) ||
        uh_counter_create(job->queue, &job->counting, &job->counter))
        return fail_library(job, error);
    return 0;
}

/* Where no device was asked for and the fastest fails before it has counted any, the host counts. */
static int turn_to_host(struct job *job, struct cli_error *error) {
    if (!is_auto(job) || is_on_host(job) || job->n > 0)
        return -1;
    uh_counter_destroy(job->counter);
    uh_queue_destroy(job->queue);
    job->counter = NULL;
    job->queue = NULL;
    return open_on(job, "host", error);
}

/* ---- counting ---- */

static uh_status fill(struct job *job, uh_dtype dtype, const void *data, size_t n, uh_dtype weight_dtype,
                      const void *weights) {
    return weights ? uh_counter_fill_weighted(job->counter, dtype, data, n, weight_dtype, weights, n)
                   : uh_counter_fill(job->counter, dtype, data, n);
}

static int count_chunk(void *context, uh_dtype dtype, const void *data, size_t n, struct cli_error *error) {
    struct job *job = context;
    const char *x = data;
    while (n > 0) {
        uh_dtype weight_dtype = UH_F64;
        const void *weights = NULL;
        size_t part = n;
        if (job->weights && cli_weights_next(job->weights, n, &weight_dtype, &weights, &part, error))
            return -1;
        if (fill(job, dtype, x, part, weight_dtype, weights)) {
            fail_library(job, error);
            if (turn_to_host(job, error))
                return -1;
            if (fill(job, dtype, x, part, weight_dtype, weights))
                return fail_library(job, error);
        }
        x += part * uh_dtype_size(dtype);
        n -= part;
        job->n += part;
    }
    return 0;
}

static int open_inputs(struct job *job, struct cli_error *error) {
    uint64_t values, weights;
    if (cli_inputs_open(job->paths, job->npaths, &job->input, 0, &job->inputs, error) ||
        (job->weights_text && cli_weights_open(job->weights_text, job->weights_dtype, &job->weights, error)))
        return -1;
    for (int d = UH_F32; d <= UH_F64; d++)
        if (cli_inputs_have_dtype(job->inputs, (uh_dtype)d))
            return cli_fail(error, "the values are %s, expected integers, int8 to uint64", uh_dtype_name((uh_dtype)d));
    if (job->weights && cli_inputs_count(job->inputs, &values) && cli_weights_count(job->weights, &weights) &&
        values != weights)
        return cli_fail(error, "%s: holds %" PRIu64 " weights, expected %" PRIu64 ", one for each value",
                        cli_weights_name(job->weights), weights, values);
    return 0;
}

/* ---- results ---- */

static int collect(struct job *job, struct cli_bins_result *result, struct cli_error *error) {
    const size_t length = uh_counter_length(job->counter), room = length ? length : 1;
    result->length = length;
    result->n = job->n;
    result->weights = job->weights ? cli_weights_name(job->weights) : NULL;
    result->dtype = cli_inputs_dtypes(job->inputs);
    if (job->weights)
        job->sums = malloc(room * sizeof *job->sums);
    else
        job->counts = malloc(room * sizeof *job->counts);
    if (!job->sums && !job->counts)
        return cli_fail(error, "out of memory for %zu bins", length);
    if (job->sums ? uh_counter_sums(job->counter, job->sums) : uh_counter_counts(job->counter, job->counts))
        return fail_library(job, error);
    result->sums = job->sums;
    result->counts = job->counts;
    return 0;
}

/* The sums that are largest in magnitude; NaN comes first. */
static void print_sums(FILE *out, const struct cli_bins_result *result) {
    double before = INFINITY;
    size_t shown = 0, at = 0;
    fprintf(out, "%20s  %s\n", "value", "sum");
    for (size_t v = 0; v < result->length && shown < SUMS_SHOWN; v++)
        if (isnan(result->sums[v])) {
            fprintf(out, "%20zu  nan\n", v);
            shown++;
        }
    while (shown < SUMS_SHOWN) {
        /* The largest that has not been shown: below `before`, or as large and behind number `at`. */
        size_t best = result->length;
        for (size_t v = 0; v < result->length; v++) {
            const double size = fabs(result->sums[v]);
            if ((size < before || (size == before && v >= at)) &&
                (best == result->length || size > fabs(result->sums[best])))
                best = v;
        }
        if (best == result->length || result->sums[best] == 0)
            break;
        fprintf(out, "%20zu  %.17g\n", best, result->sums[best]);
        before = fabs(result->sums[best]);
        at = best + 1;
        shown++;
    }
    fprintf(out, "n %" PRIu64 ", %zu bins, %zu shown\n", result->n, result->length, shown);
}

/* Bin v lies from v to v + 1. */
static int draw(struct job *job, const struct cli_bins_result *result, int chart, struct cli_error *error) {
    const struct cli_terminal terminal = cli_terminal_look();
    if (result->length == 0 || result->length >= MOST_DRAWN) {
        if (chart)
            printf("no values\n");
        return job->plot ? cli_fail(error, "there are no bins to draw to '%.200s'", job->plot) : 0;
    }
    job->edges = malloc((result->length + 1) * sizeof *job->edges);
    if (!job->edges)
        return cli_fail(error, "out of memory for a chart of %zu bins", result->length);
    for (size_t v = 0; v <= result->length; v++)
        job->edges[v] = (double)v;
    const struct cli_result drawn = {.bins = result->length,
                                     .edges = job->edges,
                                     .counts = result->counts,
                                     .n = result->n,
                                     .title = job->npaths == 1 && strcmp(job->paths[0], "-") != 0 ? job->paths[0]
                                                                                                  : "values"};
    if (job->plot && cli_plot_write(job->plot, &drawn, error))
        return -1;
    if (chart && cli_bars_print(stdout, terminal.width, terminal.utf8, terminal.colour, &drawn))
        return cli_fail(error, "cannot print the chart to standard output");
    return 0;
}

/* Files first: where one cannot be written, nothing has been shown yet. */
static int publish(struct job *job, const struct cli_bins_result *result, struct cli_error *error) {
    const int chart = cli_terminal_look().is_terminal || !job->output;
    if (job->output && cli_output_bins_write(job->output, result, error))
        return -1;
    if (result->sums && chart)
        print_sums(stdout, result);
    else if (!result->sums && (chart || job->plot))
        return draw(job, result, chart, error);
    return 0;
}

static int run_job(struct job *job, struct cli_error *error) {
    struct cli_bins_result result = {0};
    char device[256];
    const double start = cli_stats_clock();
    if ((job->output && cli_output_bins_check(job->output, error)) || (job->plot && cli_plot_check(job->plot, error)))
        return -1;
    if (open_on(job, job->device, error) && turn_to_host(job, error))
        return -1;
    if (open_inputs(job, error) || cli_inputs_pass(job->inputs, "counting", count_chunk, job, error) ||
        (job->weights && cli_weights_finish(job->weights, error)))
        return -1;
    result.seconds = cli_stats_clock() - start;
    snprintf(device, sizeof device, "%s (%s)", job->properties.selector, job->properties.name);
    result.device = device;
    return collect(job, &result, error) || publish(job, &result, error) ? -1 : 0;
}

static int run(int argc, char **argv, struct cli_error *error) {
    struct job job = {0};
    int result = parse(&job, argc, argv, error);
    if (result == 0)
        result = run_job(&job, error);
    cli_weights_close(job.weights);
    cli_inputs_close(job.inputs);
    uh_counter_destroy(job.counter);
    uh_queue_destroy(job.queue);
    free(job.counts);
    free(job.sums);
    free(job.edges);
    return result;
}

const struct cli_command cli_bincount_command = {
    "bincount",
    "INPUT...",
    "Count how often each integer occurs, as numpy.bincount",
    "INPUT is a .npy file, text (CSV), raw binary (with --dtype), or '-' for standard\n"
    "input; several are counted together. Value v is counted in bin v; negative values\n"
    "are an error. A bar chart is printed, or the largest sums with --weights, unless -o\n"
    "is given and standard output is no terminal.\n",
    options,
    run,
};
