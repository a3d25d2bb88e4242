/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/job.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "api/cli/group.h"
#include "api/cli/input/container.h"
#include "api/cli/interrupt.h"

int cli_job_check(const struct cli_arguments *arguments) {
    const char *values = arguments->weights ? arguments->weights : arguments->sample;
    if (arguments->npaths == 0)
        return cli_usage("no input; give a file, or '-' for standard input (see 'unihist %s --help')",
                         arguments->command->name);
    size_t pipes = values && strcmp(values, "-") == 0;
    for (size_t i = 0; i < arguments->npaths; i++)
        pipes += strcmp(arguments->paths[i], "-") == 0;
    for (int option = CLI_EDGES; option <= CLI_BINS; option++)
        for (size_t i = 0; i < arguments->axis[option].n; i++)
            pipes += strcmp(arguments->axis[option].word[i], "-") == 0;
    if (pipes > 1)
        return cli_fail("standard input ('-') is given %zu times, but can be read once", pipes);
    if (arguments->vtype && !values)
        return cli_usage("--vtype requires --weights or --sample");
    if (arguments->fast && !values)
        return cli_usage("--fast requires --weights or --sample");
    return 0;
}

static int is_auto(const struct cli_job *job) {
    return !job->arguments->device || strcasecmp(job->arguments->device, "auto") == 0;
}

uh_queue_properties cli_job_queue(const struct cli_job *job) {
    uh_queue_properties queue = {.struct_size = sizeof queue};
    (void)uh_queue_get_properties(job->queue, &queue);
    return queue;
}

int cli_job_is_on_host(const struct cli_job *job) { return strcmp(job->properties.backend, "host") == 0; }

static int fail_on_device(const struct cli_job *job, const char *why) {
    return cli_fail("%s: %s; --device cpu %s on the host", job->device_text, why,
                    job->arguments->command->which == CLI_INTEGRATE   ? "integrates"
                    : job->arguments->command->which == CLI_MEANSHIFT ? "moves the points"
                                                                      : "counts");
}

int cli_job_fail(const struct cli_job *job) {
    return cli_job_is_on_host(job) ? cli_fail_library() : fail_on_device(job, uh_last_error_info()->text);
}

static int find_device(struct cli_job *job, const char *selector, uh_device **device) {
    if (uh_device_select(selector, device))
        return cli_fail("--device '%.100s': %s", selector ? selector : "auto", uh_last_error_info()->text);
    job->properties.struct_size = sizeof job->properties;
    if (uh_device_get_properties(*device, &job->properties))
        return cli_fail_library();
    snprintf(job->device_text, sizeof job->device_text, "%s (%s)", job->properties.selector, job->properties.name);
    return 0;
}

static uh_status make_queue(const struct cli_job *job, uh_device *device, uh_queue **queue) {
    const uint32_t given = (uint32_t)job->arguments->threads.value,
                   threads = given || !cli_group ? given : cli_group->threads;
    const uh_queue_options options = {.struct_size = sizeof options,
                                      .threads = threads,
                                      .profiling = job->profiling,
                                      .cancelled = cli_interrupt_cancels};
    cli_interrupt_watch();
    return uh_queue_create(device, &options, queue);
}

int cli_job_open_queue(struct cli_job *job) {
    uh_device *device, *gpu;
    if (find_device(job, is_auto(job) && cli_group ? cli_group->device : job->arguments->device, &device))
        return -1;
    if (make_queue(job, device, &job->queue))
        return cli_job_recover(job, 0);
    const uh_status status = is_auto(job) && cli_job_is_on_host(job) ? uh_device_select("gpu", &gpu) : UH_SUCCESS;
    if (status)
        snprintf(job->why_host, sizeof job->why_host, "%s", uh_last_error_info()->text);
    if (status == UH_ERROR_DRIVER) /* there may be an undetected GPU */
        cli_warn("%s", job->why_host);
    return 0;
}

static void drop_result(struct cli_job *job) {
    if (job->drop)
        job->drop(job);
    uh_histogram_destroy(job->histogram);
    job->histogram = NULL;
}

int cli_job_use_host(struct cli_job *job, const char *why) {
    uh_device *device;
    if (!is_auto(job))
        return fail_on_device(job, why);
    snprintf(job->why_host, sizeof job->why_host, "%s", why);
    drop_result(job);
    uh_queue_destroy(job->queue);
    job->queue = NULL;
    if (find_device(job, "host", &device))
        return -1;
    if (make_queue(job, device, &job->queue) || (job->makes && job->make(job)))
        return cli_job_fail(job);
    return 0;
}

int cli_job_recover(struct cli_job *job, int started) {
    return started || cli_job_is_on_host(job) ? cli_job_fail(job) : cli_job_use_host(job, uh_last_error_info()->text);
}

int cli_job_make(struct cli_job *job) {
    job->makes = 1;
    return job->make(job) ? cli_job_recover(job, 0) : 0;
}

const struct cli_bins *cli_job_bins(const struct cli_job *job, size_t axis) {
    return &job->bins[axis < job->nbins ? axis : job->nbins - 1];
}

/* Rejects options that no axis uses. */
static int check_use(const struct cli_job *job) {
    const struct cli_words *words = job->arguments->axis;
    int ranged = 0, distributed = 0;
    if (words[CLI_EDGES].n && words[CLI_BINS].n)
        return cli_usage("--edges and --bins both define the bins; give one (--bins accepts files of edges)");
    if (job->arguments->categories && (!words[CLI_EDGES].n || job->arguments->right))
        return cli_usage("--categories requires --edges, and excludes --right");
    for (size_t a = 0; a < job->nbins; a++) {
        ranged |= job->bins[a].kind < CLI_BINS_EDGES;
        distributed |= job->bins[a].distribution.given;
    }
    if (words[CLI_RANGE].n && !ranged)
        return cli_usage("--range requires --bins; --edges and files of edges define the range");
    if (words[CLI_DISTRIBUTION].n && !distributed)
        return cli_usage("--distribution requires --bins cdf:N or --method cdf");
    return 0;
}

int cli_job_open_inputs(struct cli_job *job, size_t min_edges) {
    static const char *const names[CLI_AXIS_OPTIONS] = {"edges",  "bins",      "range", "distribution",
                                                        "method", "flow-bins", "unit"};
    const struct cli_arguments *arguments = job->arguments;
    const struct cli_words *words = arguments->axis;
    const size_t *naxes = &job->points.naxes;
    size_t said = 1;
    int looked_at = 0;
    for (size_t i = 0; i < CLI_AXIS_OPTIONS; i++)
        said = words[i].n > said ? words[i].n : said;
    for (size_t a = 0; a < said; a++) {
        job->nbins = a + 1;
        if (cli_bins_read(arguments, a, min_edges, &job->bins[a]))
            return -1;
        looked_at |= cli_bins_need_data(&job->bins[a]);
    }
    if (check_use(job) || cli_coordinates_open(&job->points, arguments, 0, looked_at))
        return -1;
    for (size_t i = 0; i < CLI_AXIS_OPTIONS; i++)
        if (words[i].n > 1 && words[i].n != *naxes)
            return cli_usage("--%s is given for %zu axes, but there %s %zu", names[i], words[i].n,
                             *naxes == 1 ? "is" : "are", *naxes);
    for (size_t a = 0; a < job->nbins; a++)
        if (job->bins[a].earlier.naxes > 1 && job->bins[a].earlier.naxes != *naxes)
            return cli_usage("%.300s has %zu axes, and there %s %zu; give one of them as FILE:AXIS",
                             job->bins[a].source, job->bins[a].earlier.naxes, *naxes == 1 ? "is" : "are", *naxes);
    return 0;
}

/* Axes that depend on values are made on the host, which has the values and can always do it. */
static int make_axis(struct cli_job *job, size_t axis) {
    const struct cli_bins *bins = cli_job_bins(job, axis);
    struct cli_inputs *inputs = job->points.axis[axis].inputs;
    const int own = !cli_job_is_on_host(job) && cli_bins_need_data(bins);
    uh_queue *queue = NULL;
    uh_device *host;
    int result = -1;
    inputs->element = job->points.axis[axis].element;
    inputs->weights = job->arguments->weights ? job->points.values : NULL;
    if (own && (uh_device_select("host", &host) || make_queue(job, host, &queue)))
        cli_fail_library();
    else
        result = cli_bins_axis(bins, axis, inputs, own ? queue : job->queue, cli_bins_closed(job->arguments),
                               &job->axis[axis]);
    uh_queue_destroy(queue);
    return result;
}

int cli_job_make_axes(struct cli_job *job) {
    const size_t naxes = job->points.naxes;
    for (size_t a = 0; a < naxes; a++) {
        if (!make_axis(job, a))
            continue;
        if (naxes == 1 || job->points.axis[a].inputs->failed)
            return -1;
        return cli_fail("axis %zu (%.200s): %.700s", a, job->points.axis[a].name, cli_error.text);
    }
    return 0;
}

uh_status cli_job_make_histogram(struct cli_job *job) {
    const struct cli_points *points = &job->points;
    uh_method methods[UH_MAX_AXES];
    uh_dtype dtypes[UH_MAX_AXES];
    const uh_histogram_options options = {.struct_size = sizeof options,
                                          .storage = job->storage,
                                          .sum = job->arguments->fast ? UH_SUM_FAST : UH_SUM_EXACT,
                                          .methods = methods};
    for (size_t a = 0; a < points->naxes; a++) {
        methods[a] = cli_job_bins(job, a)->method;
        dtypes[a] = cli_inputs_facts(points->axis[a].inputs)->dtype;
    }
    uh_status status = uh_histogram_create(job->queue, job->axis, points->naxes, &options, &job->histogram);
    if (points->naxes > 1)
        return status ? status : uh_histogram_prepare(job->histogram, dtypes);
    /* One axis may have several inputs, each of its own type. */
    for (int i = 0; i < UH_DTYPE_COUNT && !status; i++)
        if (cli_inputs_have_dtype(points->axis[0].inputs, (uh_dtype)i))
            status = uh_histogram_prepare(job->histogram, &(uh_dtype){(uh_dtype)i});
    return status;
}

/* Returns the colon before the column: after the longest part that is a file's name, the first one if it comes first,
 * or the last one; NULL without one. A colon before a member does not count. */
static char *find_colon(char *text) {
    char *found = NULL;
    const char *member = cli_container_colon(text);
    if (member)
        return strrchr(text + (member + 1 - text), ':');
    if (access(text, F_OK) == 0)
        return NULL;
    for (char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        *colon = 0;
        found = colon[1] && (colon == text || access(text, F_OK) == 0) ? colon : found;
        *colon = ':';
    }
    return found ? found : strrchr(text, ':');
}

/* FILE, or FILE:COLUMN if no file has the whole name; without FILE, a column of the inputs. */
int cli_job_open_values(struct cli_job *job, const char *text) {
    const struct cli_arguments *arguments = job->arguments;
    if (!text)
        return 0;
    job->values_path = cli_have(strdup(text));
    char **path = &job->values_path, *colon = find_colon(job->values_path);
    size_t npaths = 1;
    job->values_input.dialect = &arguments->dialect;
    job->values_input.no_times = 1;
    for (size_t a = 0; a < job->nbins; a++) /* rules take weights */
        job->values_input.several_passes |= job->bins[a].kind == CLI_BINS_RULE;
    job->values_input.dtype = arguments->vtype;
    if (colon && colon[1]) {
        *colon = 0;
        job->values_column = colon + 1;
        job->values_input.columns = &job->values_column;
        job->values_input.ncolumns = 1;
    }
    if (colon && colon == job->values_path && colon[1]) {
        path = arguments->paths;
        npaths = arguments->npaths;
        int pipes = npaths == 0 || (arguments->axes && npaths > 1);
        for (size_t i = 0; i < npaths; i++)
            pipes |= strcmp(path[i], "-") == 0;
        if (pipes)
            return cli_fail("':%.200s' is a column of the input, expected files there, one file with --axes, or "
                            "FILE:COLUMN",
                            colon + 1);
    }
    if (cli_inputs_open(path, npaths, &job->values_input, &job->points.values))
        return -1;
    job->points.sources[job->points.nsources++] = job->points.values;
    return 0;
}

void cli_job_close(struct cli_job *job) {
    drop_result(job);
    for (size_t i = 0; i < job->points.nsources; i++)
        cli_inputs_close(job->points.sources[i]);
    uh_queue_destroy(job->queue);
    for (size_t a = 0; a < UH_MAX_AXES; a++)
        uh_axis_destroy(job->axis[a]);
    for (size_t a = 0; a < job->nbins; a++)
        cli_bins_free(&job->bins[a]);
    free(job->values_path);
}
