/* SPDX-License-Identifier: Apache-2.0 */
/* unihist digitize: tells the bin of each value. */
#include <stdlib.h>

#include "api/cli/job.h"
#include "api/cli/options.h"
#include "api/cli/output/output.h"

/* How many indices are made at a time. */
enum { PIECE = 1 << 20 };

/* `job` comes first: its call back finds the rest by it. */
struct digitizing {
    struct cli_job job;
    struct cli_output_integers *file;
    int64_t *index;
    int begun; /* some are made */
};

static uh_status make_indices(struct digitizing *digitizing, const uh_array *x) {
    const struct cli_job *job = &digitizing->job;
    const struct cli_numbers *edges = &job->bins[0].edges;
    if (job->histogram)
        return uh_histogram_digitize(job->histogram, x, digitizing->index);
    return uh_digitize(job->queue, x, edges->dtype, edges->data, edges->n, job->arguments->right, digitizing->index);
}

static int take_points(void *context, const uh_array *x, const uh_array *values, struct cli_error *error) {
    struct digitizing *digitizing = context;
    (void)values;
    for (size_t i = 0; i < x->count; i += PIECE) {
        uh_array piece = *x;
        piece.data = (const char *)x->data + (ptrdiff_t)i * x->stride;
        piece.count = x->count - i < PIECE ? x->count - i : PIECE;
        while (make_indices(digitizing, &piece))
            if (cli_job_recover(&digitizing->job, digitizing->begun, error))
                return -1;
        digitizing->begun = 1;
        if (cli_output_integers_append(digitizing->file, digitizing->index, piece.count, error))
            return -1;
    }
    return 0;
}

/* A single edge has no axis and no histogram. */
static int is_single(const struct cli_job *job) {
    return job->bins[0].kind == CLI_BINS_EDGES && job->bins[0].edges.n == 1;
}

/* Tries the queue on a single edge, with a value of each type: a device may lack one of them. */
static uh_status try_single(struct cli_job *job) {
    static const uint64_t zero;
    const struct cli_numbers *edges = &job->bins[0].edges;
    uh_status status = UH_SUCCESS;
    int64_t index;
    for (int i = 0; i < UH_DTYPE_COUNT && !status; i++) {
        const uh_array x = uh_array_of((uh_dtype)i, &zero, 1);
        if (cli_inputs_have_dtype(job->coordinates.points.axis[0].inputs, x.dtype))
            status = uh_digitize(job->queue, &x, edges->dtype, edges->data, 1, job->arguments->right, &index);
    }
    return status;
}

static uh_status make(struct cli_job *job) {
    return is_single(job) ? try_single(job) : cli_job_make_histogram(job, UH_STORAGE_COUNT);
}

static int open_job(struct cli_job *job, struct cli_error *error) {
    const struct cli_arguments *arguments = job->arguments;
    const uh_closed closed = arguments->right ? UH_HALF_OPEN_RIGHT : UH_HALF_OPEN_LEFT;
    int result = cli_job_check(arguments, error);
    if (!result && arguments->output)
        result = cli_output_check(arguments->output, CLI_OUTPUT_INTEGERS, error);
    if (!result)
        result = cli_job_open_inputs(job, 1, error);
    if (result)
        return result;
    return cli_job_open_queue(job, error) || (!is_single(job) && cli_job_make_axes(job, closed, error)) ||
                   cli_job_make(job, error)
               ? -1
               : 0;
}

static int digitize(struct digitizing *digitizing, struct cli_error *error) {
    const struct cli_job *job = &digitizing->job;
    int result = -1;
    digitizing->index = malloc(PIECE * sizeof *digitizing->index);
    if (!digitizing->index) {
        cli_fail(error, "out of memory");
        goto out;
    }
    if (!(digitizing->file = cli_output_integers_open(job->arguments->output, UH_I64, error)) ||
        cli_points_pass(&job->coordinates.points, "digitizing", take_points, digitizing, error))
        goto out;
    result = cli_output_integers_commit(digitizing->file, error);
    digitizing->file = NULL;
out:
    cli_output_integers_abort(digitizing->file);
    free(digitizing->index);
    return result;
}

static int run(const struct cli_arguments *arguments, struct cli_error *error) {
    struct digitizing digitizing = {.job = {.arguments = arguments, .make = make}};
    int result = open_job(&digitizing.job, error);
    if (result == 0)
        result = digitize(&digitizing, error);
    cli_job_close(&digitizing.job);
    return result;
}

const struct cli_command cli_digitize_command = {
    CLI_DIGITIZE,
    "digitize",
    "INPUT...",
    "*",
    "Print the number of each value's bin, as numpy.digitize",
    "The number is 0 below the first edge, j + 1 for edge[j] <= x < edge[j+1], and the\n"
    "number of edges from the last edge on and for NaN. With --right, the rule is\n"
    "edge[j] < x <= edge[j+1].\n",
    run,
};
