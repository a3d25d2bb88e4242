/* SPDX-License-Identifier: Apache-2.0 */
/* unihist merge: adds saved histograms, shows them and writes them in other forms. */
#include <math.h>
#include <string.h>

#include <unihist/save.h>

#include "api/cli/display/progress.h"
#include "api/cli/publish.h"

/* Returns whether an axis has logarithmic bins, as from --bins log:N: each edge is a constant factor above the one
 * before, except for rounding. Equal bins between numbers close together look the same, so the whole range must span a
 * factor of two. */
static int is_log(const double *edges, size_t bins) {
    if (bins < 2 || !edges || !(edges[0] > 0) || !isfinite(edges[bins]) || edges[bins] < 2 * edges[0])
        return 0;
    double step = log(edges[bins] / edges[0]) / (double)bins;
    for (size_t j = 0; j < bins; j++)
        if (!(fabs(log(edges[j + 1] / edges[j]) - step) <= 1e-6 * step + 1e-13))
            return 0;
    return 1;
}

static int add_file(const struct cli_job *job, const char *path) {
    uh_histogram *next = NULL;
    if (uh_histogram_load(job->queue, path, &next))
        return cli_fail_library();
    const uh_status status = uh_histogram_merge(job->histogram, next);
    uh_histogram_destroy(next);
    return status ? cli_fail("'%.300s' and '%.300s': %s", job->arguments->paths[0], path, uh_last_error_info()->text)
                  : 0;
}

static int add_files(struct cli_job *job) {
    const struct cli_arguments *arguments = job->arguments;
    uh_histogram_properties properties = {.struct_size = sizeof properties};
    char subject[320];
    snprintf(subject, sizeof subject, "'%.300s' has", arguments->paths[0]);
    if (cli_job_open_queue(job))
        return -1;
    if (uh_histogram_load(job->queue, arguments->paths[0], &job->histogram) ||
        uh_histogram_get_properties(job->histogram, &properties))
        return cli_fail_library();
    const size_t units = arguments->axis[CLI_UNIT].n;
    if (units > 1 && units != properties.naxes)
        return cli_usage("--unit is given for %zu axes, but %s %zu", units, subject, properties.naxes);
    int result = cli_publish_check(arguments, properties.naxes, properties.storage, subject);
    for (size_t i = 1; i < arguments->npaths && !result; i++)
        result = add_file(job, arguments->paths[i]);
    return result;
}

static int show_merged(const struct cli_job *job, double start) {
    struct cli_contents contents = {.cells = NULL};
    struct cli_result result = {.naxes = 0};
    int status = cli_publish_collect(job, &contents, &result);
    for (size_t axis = 0; axis < result.naxes && !status; axis++)
        result.axis[axis].log = is_log(result.axis[axis].edges, result.axis[axis].bins);
    for (size_t axis = 0; axis < result.naxes; axis++)
        result.axis[axis].time = cli_bins_unit(job->arguments, axis);
    result.seconds = cli_clock() - start;
    if (!status)
        status = cli_publish(job->arguments, &result);
    cli_contents_free(&contents);
    return status;
}

static int run_merge(struct cli_arguments *arguments) {
    struct cli_job job = {.arguments = arguments};
    const double start = cli_clock();
    arguments->device = "host";
    if (arguments->npaths == 0)
        return cli_usage("no input; give files that 'unihist histogram -o FILE.uh' wrote (see 'unihist merge "
                         "--help')");
    for (size_t i = 0; i < arguments->npaths; i++)
        if (strcmp(arguments->paths[i], "-") == 0)
            return cli_usage("'-': saved histograms are files, and not read from standard input");
    const int failed =
        cli_publish_check_files(arguments, CLI_OUTPUT_HISTOGRAM) || add_files(&job) || show_merged(&job, start);
    cli_job_close(&job);
    return failed ? -1 : 0;
}

const struct cli_command cli_merge_command = {
    CLI_MERGE,
    "merge",
    "FILE.uh...",
    "*.uh",
    "Add saved histograms, show them and write them in other forms",
    "The files were written with -o FILE.uh, and have the same bins. The result is that of\n"
    "one run over all the inputs, to the bit. A single file is shown or converted. A bar\n"
    "chart is printed, unless -o is given and standard output is no terminal.\n",
    run_merge,
};
