/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "api/cli/histogramdd_job.h"

/* About how much of one input is read at a time, of several. */
#define CHUNK_BYTES (4 << 20)

static int need_data(const struct cli_jobdd *jobdd) {
    /* Bins are settled once the number of axes is known; until then, what is not edges may need a look at the data. */
    return jobdd->edges.n == 0;
}

static int open_source(struct cli_jobdd *jobdd, char **path, const struct cli_input_options *options,
                       struct cli_error *error) {
    struct cli_input_options *kept = &jobdd->input[jobdd->nsources];
    *kept = *options;
    if (cli_inputs_open(path, 1, kept, need_data(jobdd), &jobdd->sources[jobdd->nsources], error))
        return -1;
    jobdd->nsources++;
    return 0;
}

static void add_axis(struct cli_jobdd *jobdd, struct cli_inputs *inputs, size_t element) {
    struct cli_points *points = &jobdd->points;
    points->axis[points->naxes].inputs = inputs;
    points->axis[points->naxes].element = element;
    points->naxes++;
}

/* What the axis is called where it is shown: a file's name without its folder. */
static const char *short_name(const struct cli_inputs *inputs) {
    const char *name = cli_inputs_name(inputs), *slash = strrchr(name, '/');
    return slash && slash[1] ? slash + 1 : name;
}

/* ---- one input an axis ------------------------------------------------------------------------------------------ */

static int open_several(struct cli_jobdd *jobdd, struct cli_error *error) {
    struct cli_job *job = &jobdd->job;
    size_t pipes = 0;
    for (size_t i = 0; i < job->npaths; i++)
        pipes += strcmp(job->paths[i], "-") == 0;
    if (pipes > 1)
        return cli_fail(error, "standard input ('-') is given %zu times, but can be read once", pipes);
    for (size_t i = 0; i < job->npaths; i++) {
        struct cli_input_options options = {.dtype = job->input.dtype, .chunk_bytes = CHUNK_BYTES};
        options.column = jobdd->columns.n ? jobdd->columns.word[i] : NULL;
        if (open_source(jobdd, &job->paths[i], &options, error))
            return -1;
        add_axis(jobdd, jobdd->sources[i], 0);
        snprintf(jobdd->names[i], sizeof jobdd->names[i], "%.120s%s%.120s", short_name(jobdd->sources[i]),
                 options.column ? ":" : "", options.column ? options.column : "");
    }
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* Finds the elements of the rows that are axes: those that are named by number, or all. */
static int find_elements(const struct cli_jobdd *jobdd, size_t width, size_t *elements, size_t *n,
                         struct cli_error *error) {
    const char *name = cli_inputs_name(jobdd->sources[0]);
    *n = jobdd->columns.n ? jobdd->columns.n : width;
    if (*n > UH_MAX_AXES)
        return cli_fail(error, "%.300s: rows of %zu values are more than %d axes; name some by --columns", name, width,
                        UH_MAX_AXES);
    for (size_t i = 0; i < *n; i++) {
        uint64_t element = i;
        if (jobdd->columns.n && cli_parse_u64(jobdd->columns.word[i], 0, width - 1, &element))
            return cli_fail(error, "%.300s: --columns '%.200s': expected a number from 0 to %zu", name,
                            jobdd->columns.word[i], width - 1);
        elements[i] = (size_t)element;
    }
    return 0;
}

/* An array in Fortran's order holds one column after the other: each is an input of its own. */
static int open_fortran(struct cli_jobdd *jobdd, const size_t *elements, size_t n, struct cli_error *error) {
    struct cli_input_options options = jobdd->input[0];
    const char *path = jobdd->job.paths[0];
    struct stat status;
    if (strcmp(path, "-") == 0 || stat(path, &status) || !S_ISREG(status.st_mode))
        return cli_fail(error,
                        "%.300s: the array is in Fortran's order, column after column, which a pipe cannot give as "
                        "rows; give a file, or numpy.ascontiguousarray",
                        cli_inputs_name(jobdd->sources[0]));
    cli_inputs_close(jobdd->sources[0]);
    jobdd->sources[0] = NULL;
    jobdd->nsources = 0;
    for (size_t i = 0; i < n; i++) {
        options.part = elements[i] + 1;
        if (open_source(jobdd, &jobdd->job.paths[0], &options, error))
            return -1;
        add_axis(jobdd, jobdd->sources[i], 0);
    }
    return 0;
}

static int open_rows(struct cli_jobdd *jobdd, struct cli_error *error) {
    struct cli_job *job = &jobdd->job;
    struct cli_input_options options = {.dtype = job->input.dtype,
                                        .rows = 1,
                                        .row = jobdd->row,
                                        .columns = (const char *const *)jobdd->columns.word,
                                        .ncolumns = jobdd->columns.n};
    size_t elements[UH_MAX_AXES], n;
    if (open_source(jobdd, &job->paths[0], &options, error))
        return -1;
    size_t width = cli_inputs_width(jobdd->sources[0]);
    int text = cli_inputs_are_text(jobdd->sources[0]);
    if (text)
        for (n = 0; n < width; n++)
            elements[n] = n;
    else if (find_elements(jobdd, width, elements, &n, error))
        return -1;
    if (cli_inputs_are_fortran(jobdd->sources[0])) {
        if (open_fortran(jobdd, elements, n, error))
            return -1;
    } else {
        for (size_t i = 0; i < n; i++)
            add_axis(jobdd, jobdd->sources[0], elements[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const char *word = jobdd->columns.n ? jobdd->columns.word[i] : NULL;
        if (width == 1 && !word)
            snprintf(jobdd->names[i], sizeof jobdd->names[i], "%.200s", short_name(jobdd->sources[0]));
        else if (word && strspn(word, "0123456789") < strlen(word))
            snprintf(jobdd->names[i], sizeof jobdd->names[i], "%.200s", word);
        else
            snprintf(jobdd->names[i], sizeof jobdd->names[i], "column %.200s",
                     word ? word : (const char[]){(char)('0' + i), 0});
    }
    return 0;
}

/* Opens the inputs, as rows or one an axis, and tells how many axes there are: `points` is ready but for the values. 0,
 * -1 or CLI_USAGE with a message. */
static int open_inputs(struct cli_jobdd *jobdd, struct cli_error *error) {
    int result = jobdd->job.npaths > 1 ? open_several(jobdd, error) : open_rows(jobdd, error);
    return result ? result : cli_jobdd_settle(jobdd, jobdd->points.naxes, error);
}

/* ---- everything ------------------------------------------------------------------------------------------------- */

static uh_status make(struct cli_job *job) {
    struct cli_jobdd *jobdd = (struct cli_jobdd *)job;
    const uh_histogram_options options = {
        .struct_size = sizeof options, .storage = jobdd->storage, .sum = job->sum, .methods = jobdd->axis_methods};
    uh_dtype dtypes[UH_MAX_AXES];
    size_t naxes = jobdd->points.naxes;
    for (size_t a = 0; a < naxes; a++)
        dtypes[a] = cli_inputs_dtype(jobdd->points.axis[a].inputs);
    uh_status status = uh_histogram_create(job->queue, jobdd->axes, naxes, &options, &job->histogram);
    return status ? status : uh_histogram_prepare(job->histogram, dtypes);
}

int cli_jobdd_open(struct cli_jobdd *jobdd, struct cli_error *error) {
    struct cli_job *job = &jobdd->job;
    struct cli_points *points = &jobdd->points;
    job->make = make;
    int result = open_inputs(jobdd, error);
    if (result)
        return result;
    if (cli_job_open_queue(job, error) || cli_job_open_values(job, error))
        return -1;
    points->values = job->value_inputs;
    if (cli_points_check(points, error))
        return -1;
    for (size_t a = 0; a < points->naxes; a++) {
        struct cli_error reason;
        cli_inputs_choose(points->axis[a].inputs, points->axis[a].element);
        if (cli_job_axis(job, &jobdd->axis_bins[a], points->axis[a].inputs,
                         job->right ? UH_CLOSED_RIGHT : UH_CLOSED_LEFT, &jobdd->axes[a], &reason))
            return cli_fail(error, "axis %zu (%.200s): %.700s", a, jobdd->names[a], reason.text);
    }
    return cli_job_make(job, error);
}
