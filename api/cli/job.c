/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "api/cli/input/number.h"

static int set_dtype(const char *name, const char *value, int integers, const char **out, struct cli_error *error) {
    uh_dtype dtype;
    if (uh_dtype_from_name(value, &dtype) || (integers && (dtype == UH_F32 || dtype == UH_F64)))
        return cli_usage(error, "--%s '%.200s': expected %si8 to i64, u8 to u64, or NumPy's name of one", name, value,
                         integers ? "" : "f32, f64, ");
    *out = value;
    return 0;
}

int cli_job_set(void *context, enum cli_option_id id, const char *value, struct cli_error *error) {
    struct cli_job *job = context;
    uint64_t threads = 0;
    int result;
    switch (id) {
    case CLI_OPTION_EDGES:
    case CLI_OPTION_BINS:
    case CLI_OPTION_RANGE:
    case CLI_OPTION_DISTRIBUTION:
    case CLI_OPTION_METHOD:
    case CLI_OPTION_LEAF: return cli_axes_set(&job->axes, id, value, error);
    case CLI_OPTION_RIGHT: job->right = 1; return 0;
    case CLI_OPTION_DENSITY: job->density = 1; return 0;
    case CLI_OPTION_CUMULATIVE: job->cumulative = 1; return 0;
    case CLI_OPTION_COLUMN: job->input.column = value; return 0;
    case CLI_OPTION_INTEGER_DTYPE:
    case CLI_OPTION_DTYPE: return set_dtype("dtype", value, id == CLI_OPTION_INTEGER_DTYPE, &job->input.dtype, error);
    case CLI_OPTION_DRAW_VALUE_DTYPE:
    case CLI_OPTION_VALUE_DTYPE: return set_dtype("vtype", value, 0, &job->values_input.dtype, error);
    case CLI_OPTION_DRAW_WEIGHTS:
    case CLI_OPTION_WEIGHTS: job->values = value; return 0;
    case CLI_OPTION_FAST: job->sum = UH_SUM_FAST; return 0;
    case CLI_OPTION_DEVICE: job->device = value; return 0;
    case CLI_OPTION_THREADS:
        result = cli_usage_number("threads", value, 1, 4096, &threads, error);
        job->threads = (uint32_t)threads;
        return result;
    case CLI_OPTION_OUTPUT:
    case CLI_OPTION_DRAW_OUTPUT:
    case CLI_OPTION_OUTPUT_INDICES: job->output = value; return 0;
    case CLI_OPTION_PLOT:
    case CLI_OPTION_DRAW_PLOT: job->plot = value; return 0;
    case CLI_OPTION_STATS: job->stats = 1; return 0;
    default: return cli_fail(error, "option %d is not handled", (int)id);
    }
}

int cli_job_operands(struct cli_job *job, int argc, char **argv, int first, struct cli_error *error) {
    job->paths = argv + first;
    job->npaths = (size_t)(argc - first);
    if (job->npaths == 0)
        return cli_usage(error, "no input; give a file, or '-' for standard input (see 'unihist %s --help')",
                         job->command->name);
    if (job->values_input.dtype && !job->values)
        return cli_usage(error, "--vtype is the type of weights or samples, and there are none");
    if (job->sum == UH_SUM_FAST && !job->values)
        return cli_usage(error, "--fast is a way to add weights or samples, and there are none");
    return 0;
}

static int is_auto(const struct cli_job *job) {
    return !job->device || strcasecmp(job->device, "auto") == 0;
}

int cli_job_is_on_host(const struct cli_job *job) {
    return strcmp(job->properties.backend, "host") == 0;
}

int cli_job_fail(const struct cli_job *job, struct cli_error *error) {
    if (cli_job_is_on_host(job))
        return cli_fail_library(error);
    return cli_fail(error, "%s: %s; --device cpu counts on the host", job->device_text, uh_last_error_info()->text);
}

static int find_device(struct cli_job *job, const char *selector, uh_device **device, struct cli_error *error) {
    if (uh_device_select(selector, device))
        return cli_fail(error, "--device '%.100s': %s", selector ? selector : "auto", uh_last_error_info()->text);
    job->properties.struct_size = sizeof job->properties;
    if (uh_device_get_properties(*device, &job->properties))
        return cli_fail_library(error);
    snprintf(job->device_text, sizeof job->device_text, "%s (%s)", job->properties.selector, job->properties.name);
    return 0;
}

static uh_status make_queue(const struct cli_job *job, uh_device *device, uh_queue **queue) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = job->threads};
    return uh_queue_create(device, &options, queue);
}

int cli_job_open_queue(struct cli_job *job, struct cli_error *error) {
    uh_device *device, *gpu;
    if (find_device(job, job->device, &device, error))
        return -1;
    if (make_queue(job, device, &job->queue))
        return cli_job_recover(job, 0, error);
    if (is_auto(job) && cli_job_is_on_host(job) && uh_device_select("gpu", &gpu))
        snprintf(job->why_host, sizeof job->why_host, "%s", uh_last_error_info()->text);
    return 0;
}

/* What looks at the values does so on the host: they lie there, and any host can. */
int cli_job_make_axis(struct cli_job *job, size_t axis, struct cli_inputs *inputs, uh_closed closed,
                      struct cli_error *error) {
    const struct cli_bins *bins = &job->axes.bins[axis];
    uh_axis **made = &job->axes.axis[axis];
    const char *warning = NULL;
    uh_queue *queue = NULL;
    uh_device *host;
    int result = -1;
    if (cli_job_is_on_host(job) || !cli_bins_need_data(bins))
        result = cli_bins_axis(bins, inputs, job->queue, closed, made, &warning, error);
    else if (uh_device_select("host", &host) || make_queue(job, host, &queue))
        cli_fail_library(error);
    else
        result = cli_bins_axis(bins, inputs, queue, closed, made, &warning, error);
    uh_queue_destroy(queue);
    if (result == 0 && warning)
        cli_job_warn(job, warning);
    return result;
}

uh_status cli_job_make_histogram(struct cli_job *job, const struct cli_points *points, uh_storage storage) {
    const uh_histogram_options options = {.struct_size = sizeof options,
                                          .storage = storage,
                                          .sum = job->sum,
                                          .methods = job->axes.methods,
                                          .leaf_bins = job->axes.leaf_bins};
    uh_dtype dtypes[UH_MAX_AXES];
    uh_status status = uh_histogram_create(job->queue, job->axes.axis, points->naxes, &options, &job->histogram);
    for (size_t a = 0; a < points->naxes; a++)
        dtypes[a] = cli_inputs_facts(points->axis[a].inputs)->dtype;
    if (points->naxes > 1)
        return status ? status : uh_histogram_prepare(job->histogram, dtypes);
    /* One axis may be of several inputs, each of its type. */
    for (int i = 0; i < UH_DTYPE_COUNT && !status; i++)
        if (cli_inputs_have_dtype(points->axis[0].inputs, (uh_dtype)i))
            status = uh_histogram_prepare(job->histogram, &(uh_dtype){(uh_dtype)i});
    return status;
}

static void drop(struct cli_job *job) {
    if (job->drop)
        job->drop(job);
    uh_histogram_destroy(job->histogram);
    job->histogram = NULL;
}

int cli_job_recover(struct cli_job *job, int begun, struct cli_error *error) {
    uh_device *device;
    if (begun || !is_auto(job) || cli_job_is_on_host(job))
        return cli_job_fail(job, error);
    snprintf(job->why_host, sizeof job->why_host, "%s", uh_last_error_info()->text);
    drop(job);
    uh_queue_destroy(job->queue);
    job->queue = NULL;
    if (find_device(job, "host", &device, error))
        return -1;
    if (make_queue(job, device, &job->queue) || (job->makes && job->make(job)))
        return cli_job_fail(job, error);
    return 0;
}

int cli_job_make(struct cli_job *job, struct cli_error *error) {
    job->makes = 1;
    return job->make(job) ? cli_job_recover(job, 0, error) : 0;
}

/* FILE, or FILE:COLUMN where no file of the whole name is there; without FILE a column of the input. */
int cli_job_open_values(struct cli_job *job, struct cli_error *error) {
    if (!job->values)
        return 0;
    if (!(job->values_copy = strdup(job->values)))
        return cli_fail(error, "out of memory");
    job->values_path = job->values_copy;
    char *colon = strrchr(job->values_copy, ':');
    if (colon && colon[1] && access(job->values, F_OK) != 0) {
        *colon = 0;
        job->values_input.column = colon + 1;
        if (colon == job->values_copy && (job->npaths > 1 || strcmp(job->paths[0], "-") == 0))
            return cli_fail(error, "':%.200s' is a column of the input, expected one file there, or FILE:COLUMN",
                            colon + 1);
        if (colon == job->values_copy)
            job->values_path = job->paths[0];
    }
    for (size_t i = 0; i < job->npaths; i++)
        if (strcmp(job->values_path, "-") == 0 && strcmp(job->paths[i], "-") == 0)
            return cli_fail(error, "standard input ('-') is given 2 times, but can be read once");
    return cli_inputs_open(&job->values_path, 1, &job->values_input, &job->value_inputs, error);
}

void cli_job_close(struct cli_job *job) {
    drop(job);
    cli_inputs_close(job->inputs);
    cli_inputs_close(job->value_inputs);
    uh_queue_destroy(job->queue);
    cli_axes_free(&job->axes);
    free(job->values_copy);
}

void cli_job_warn(const struct cli_job *job, const char *text) {
    fprintf(stderr, "unihist %s: warning: %s\n", job->command->name, text);
}
