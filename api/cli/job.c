/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "api/cli/library.h"
#include "api/cli/numbers.h"

static int set_dtype(struct cli_job *job, const char *value, struct cli_error *error) {
    uh_dtype dtype;
    if (uh_dtype_from_name(value, &dtype))
        return cli_usage(error, "--dtype '%.200s': expected f32, f64, i8 to i64, u8 to u64, or NumPy's name of one",
                         value);
    job->input.dtype = value;
    return 0;
}

static int set_number(const char *name, const char *value, uint32_t max, uint32_t *out, struct cli_error *error) {
    uint64_t number;
    if (cli_parse_u64(value, 1, max, &number))
        return cli_usage(error, "--%s '%.200s': expected a number from 1 to %u", name, value, (unsigned)max);
    *out = (uint32_t)number;
    return 0;
}

static int set_method(struct cli_job *job, const char *value, struct cli_error *error) {
    if (uh_method_from_name(value, &job->histogram_options.method))
        return cli_usage(error,
                         "--method '%.200s': expected auto, mesh, binary, uniform, logarithm, piecewise, "
                         "compare, packed or cdf",
                         value);
    return 0;
}

static int set_option(void *context, enum cli_option_id id, const char *value, struct cli_error *error) {
    struct cli_job *job = context;
    if (value && !*value)
        return cli_usage(error, "an option's value is empty; see 'unihist %s --help'", job->command->name);
    switch (id) {
    case CLI_OPTION_EDGES: job->edges = value; return 0;
    case CLI_OPTION_BINS: job->bins_text = value; return cli_bins_parse(value, &job->bins, error);
    case CLI_OPTION_RANGE: job->range_text = value; return cli_bins_parse_range(value, &job->bins, error);
    case CLI_OPTION_DISTRIBUTION:
        job->distribution_text = value;
        return cli_distribution_parse(value, &job->bins.distribution, error);
    case CLI_OPTION_RIGHT: job->right = 1; return 0;
    case CLI_OPTION_DENSITY: job->density = 1; return 0;
    case CLI_OPTION_CUMULATIVE: job->cumulative = 1; return 0;
    case CLI_OPTION_COLUMN: job->input.column = value; return 0;
    case CLI_OPTION_DTYPE: return set_dtype(job, value, error);
    case CLI_OPTION_METHOD: return set_method(job, value, error);
    case CLI_OPTION_LEAF:
        job->leaf_text = value;
        return set_number("leaf", value, 64, &job->histogram_options.leaf_bins, error);
    case CLI_OPTION_DEVICE: job->device = value; return 0;
    case CLI_OPTION_THREADS: return set_number("threads", value, 4096, &job->threads, error);
    case CLI_OPTION_OUTPUT:
    case CLI_OPTION_OUTPUT_INDICES: job->output = value; return 0;
    case CLI_OPTION_PLOT: job->plot = value; return 0;
    case CLI_OPTION_STATS: job->stats = 1; return 0;
    default: return cli_fail(error, "option %d is not handled", (int)id);
    }
}

/* Whether --distribution is there where it is needed, and not where it is of no use. */
static int check_distribution(const struct cli_job *job, struct cli_error *error) {
    const int cdf_bins = job->bins.kind == CLI_BINS_CDF && !job->edges;
    const int cdf_method = job->histogram_options.method == UH_METHOD_CDF;
    if ((cdf_bins || cdf_method) && !job->distribution_text)
        return cli_usage(error, "%s goes by a distribution; give --distribution",
                         cdf_bins ? "--bins cdf:N" : "--method cdf");
    if (job->distribution_text && !cdf_bins && !cdf_method)
        return cli_usage(error, "--distribution goes with --bins cdf:N or --method cdf");
    return 0;
}

/* What integer bins cannot have. */
static int check_integers(const struct cli_job *job, struct cli_error *error) {
    const double *range = job->bins.range;
    if (job->bins.kind != CLI_BINS_INTEGERS || job->edges)
        return 0;
    if (job->right)
        return cli_usage(error, "--bins integers: the bin of n holds n and not n + 1; --right does not go with it");
    if (job->bins.ranged &&
        (floor(range[0]) != range[0] || floor(range[1]) != range[1] || range[0] < -0x1p53 || range[1] > 0x1p53))
        return cli_usage(error, "--range '%.200s': LO and HI must be whole numbers up to 2^53 for integer bins",
                         job->range_text);
    return 0;
}

int cli_job_parse(struct cli_job *job, const struct cli_command *command, int argc, char **argv,
                  struct cli_error *error) {
    int first, result;
    job->command = command;
    job->histogram_options.struct_size = sizeof job->histogram_options;
    job->bins.kind = CLI_BINS_RULE;
    job->bins.rule = CLI_RULE_auto;
    result = cli_options_parse(command, argc, argv, set_option, job, &first, error);
    if (result)
        return result;
    job->paths = argv + first;
    job->npaths = (size_t)(argc - first);
    if (job->npaths == 0)
        return cli_usage(error, "no input; give a file, or '-' for standard input (see 'unihist %s --help')",
                         command->name);
    if (job->edges && job->bins_text)
        return cli_usage(error, "--edges and --bins both say what the bins are; give one");
    if (job->edges && job->range_text)
        return cli_usage(error, "--range goes with --bins; --edges say their range themselves");
    if (job->leaf_text && job->histogram_options.method != UH_METHOD_MESH)
        return cli_usage(error, "--leaf goes with --method mesh");
    if (job->bins.kind == CLI_BINS_LOG && job->bins.ranged && !(job->bins.range[0] > 0))
        return cli_usage(error, "--range '%.200s': LO must be above 0 for logarithmic bins", job->range_text);
    result = check_integers(job, error);
    return result ? result : check_distribution(job, error);
}

static int is_auto(const struct cli_job *job) {
    return !job->device || strcasecmp(job->device, "auto") == 0;
}

static int is_on_host(const struct cli_job *job) {
    return strcmp(job->properties.backend, "host") == 0;
}

int cli_job_fail(const struct cli_job *job, struct cli_error *error) {
    const uh_device_properties *p = &job->properties;
    const char *message = cli_library_message();
    if (is_on_host(job))
        return cli_fail_library(error);
    if (strstr(message, p->selector))
        return cli_fail(error, "%s; --device cpu counts on the host", message);
    return cli_fail(error, "%s (%s): %s; --device cpu counts on the host", p->selector, p->name, message);
}

static int find_device(struct cli_job *job, const char *selector, uh_device **device, struct cli_error *error) {
    if (uh_device_select(selector, device))
        return cli_fail(error, "--device '%.100s': %s", selector ? selector : "auto", cli_library_message());
    job->properties.struct_size = sizeof job->properties;
    return uh_device_get_properties(*device, &job->properties) ? cli_fail_library(error) : 0;
}

static uh_status make_queue(const struct cli_job *job, uh_device *device, uh_queue **queue) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = job->threads};
    return uh_queue_create(device, &options, queue);
}

/* Finds the device and makes the queue on it. */
static int open_queue(struct cli_job *job, struct cli_error *error) {
    uh_device *device, *gpu;
    if (find_device(job, job->device, &device, error))
        return -1;
    if (make_queue(job, device, &job->queue))
        return cli_job_turn_to_host(job, error);
    if (is_auto(job) && is_on_host(job) && uh_device_select("gpu", &gpu))
        snprintf(job->why_host, sizeof job->why_host, "%s", cli_library_message());
    return 0;
}

/* Makes the axis. What looks at the values for it does so on the host: they lie there, and any host can. */
static int make_axis(struct cli_job *job, uh_closed closed, const char **warning, struct cli_error *error) {
    uh_queue *queue = NULL;
    uh_device *host;
    int result = -1;
    if (is_on_host(job) || !cli_bins_need_data(&job->bins))
        return cli_bins_axis(&job->bins, job->inputs, job->queue, closed, &job->axis, warning, error);
    if (uh_device_select("host", &host) || make_queue(job, host, &queue))
        cli_fail_library(error);
    else
        result = cli_bins_axis(&job->bins, job->inputs, queue, closed, &job->axis, warning, error);
    uh_queue_destroy(queue);
    return result;
}

/* Tries the queue on a single edge, for which there is no histogram. */
static uh_status try_single_edge(struct cli_job *job, uh_dtype dtype) {
    static const uint64_t zero;
    const struct cli_numbers *edges = &job->bins.edges;
    int64_t index;
    return uh_digitize(job->queue, dtype, &zero, 1, edges->dtype, edges->data, 1, job->right, &index);
}

/* Makes the histogram on the queue, ready for values of all the inputs' types. */
static uh_status make_histogram(struct cli_job *job) {
    uh_status status = UH_SUCCESS;
    if (job->axis)
        status = uh_histogram_create(job->queue, job->axis, &job->histogram_options, &job->histogram);
    for (int i = 0; i < UH_DTYPE_COUNT && !status; i++)
        if (cli_inputs_have_dtype(job->inputs, (uh_dtype)i))
            status = job->axis ? uh_histogram_prepare(job->histogram, (uh_dtype)i) : try_single_edge(job, (uh_dtype)i);
    return status;
}

int cli_job_turn_to_host(struct cli_job *job, struct cli_error *error) {
    uh_device *device;
    if (!is_auto(job) || is_on_host(job))
        return cli_job_fail(job, error);
    snprintf(job->why_host, sizeof job->why_host, "%s", cli_library_message());
    uh_histogram_destroy(job->histogram);
    uh_queue_destroy(job->queue);
    job->histogram = NULL;
    job->queue = NULL;
    if (find_device(job, "host", &device, error))
        return -1;
    if (make_queue(job, device, &job->queue) || (job->inputs && make_histogram(job)))
        return cli_job_fail(job, error);
    return 0;
}

int cli_job_open(struct cli_job *job, uh_closed closed, size_t least, struct cli_error *error) {
    const char *warning = NULL;
    int result = job->edges ? cli_bins_read_edges(job->edges, least, &job->bins, error) : 0;
    if (result)
        return result;
    if (open_queue(job, error) ||
        cli_inputs_open(job->paths, job->npaths, &job->input, cli_bins_need_data(&job->bins), &job->inputs, error))
        return -1;
    int single = job->bins.kind == CLI_BINS_EDGES && job->bins.edges.n == 1;
    if ((!single && make_axis(job, closed, &warning, error)) ||
        (make_histogram(job) && cli_job_turn_to_host(job, error)))
        return -1;
    if (warning)
        cli_job_warn(job, warning);
    return 0;
}

void cli_job_close(struct cli_job *job) {
    uh_histogram_destroy(job->histogram);
    uh_axis_destroy(job->axis);
    cli_inputs_close(job->inputs);
    uh_queue_destroy(job->queue);
    cli_bins_free(&job->bins);
}

void cli_job_warn(const struct cli_job *job, const char *text) {
    fprintf(stderr, "unihist %s: warning: %s\n", job->command->name, text);
}
