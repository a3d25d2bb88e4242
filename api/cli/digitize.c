/* SPDX-License-Identifier: Apache-2.0 */
/* unihist digitize: tells the bin of each value. */
#include <stdlib.h>

#include "api/cli/job.h"
#include "api/cli/options.h"
#include "api/cli/output/output.h"

static const enum cli_option_id options[] = {
    CLI_OPTION_EDGES,   CLI_OPTION_BINS,           CLI_OPTION_RANGE,  CLI_OPTION_DISTRIBUTION, CLI_OPTION_RIGHT,
    CLI_OPTION_COLUMN,  CLI_OPTION_DTYPE,          CLI_OPTION_METHOD, CLI_OPTION_LEAF,         CLI_OPTION_DEVICE,
    CLI_OPTION_THREADS, CLI_OPTION_OUTPUT_INDICES, CLI_OPTION_HELP,   CLI_OPTION_END};

/* How many indices are made at a time. */
enum { PIECE = 1 << 20 };

/* `job` comes first: its call back finds the rest by it. */
struct digitizing {
    struct cli_job job;
    struct cli_output_integers *file;
    int64_t *index;
    int begun; /* some are made */
};

static int make_indices(struct digitizing *digitizing, uh_dtype dtype, const void *data, size_t n) {
    const struct cli_job *job = &digitizing->job;
    const struct cli_numbers *edges = &job->axes.bins[0].edges;
    const uh_array x = uh_array_of(dtype, data, n);
    if (job->histogram)
        return uh_histogram_digitize(job->histogram, &x, digitizing->index) != UH_SUCCESS;
    return uh_digitize(job->queue, &x, edges->dtype, edges->data, edges->n, job->right, digitizing->index) !=
           UH_SUCCESS;
}

static int take_chunk(void *context, uh_dtype dtype, const void *data, size_t n, struct cli_error *error) {
    struct digitizing *digitizing = context;
    for (size_t i = 0; i < n; i += PIECE) {
        size_t part = n - i < PIECE ? n - i : PIECE;
        const void *values = (const char *)data + i * uh_dtype_size(dtype);
        while (make_indices(digitizing, dtype, values, part))
            if (cli_job_recover(&digitizing->job, digitizing->begun, error))
                return -1;
        digitizing->begun = 1;
        if (cli_output_integers_append(digitizing->file, digitizing->index, part, error))
            return -1;
    }
    return 0;
}

/* A single edge, for which there is no axis and no histogram. */
static int is_single(const struct cli_bins *bins) {
    return bins->kind == CLI_BINS_EDGES && bins->edges.n == 1;
}

/* Tries the queue on a single edge. */
static uh_status try_single(struct cli_job *job) {
    static const uint64_t zero;
    const struct cli_numbers *edges = &job->axes.bins[0].edges;
    uh_status status = UH_SUCCESS;
    int64_t index;
    for (int i = 0; i < UH_DTYPE_COUNT && !status; i++) {
        const uh_array x = uh_array_of((uh_dtype)i, &zero, 1);
        if (cli_inputs_have_dtype(job->inputs, x.dtype))
            status = uh_digitize(job->queue, &x, edges->dtype, edges->data, 1, job->right, &index);
    }
    return status;
}

static uh_status make(struct cli_job *job) {
    const struct cli_points points = {.naxes = 1, .axis = {{job->inputs, 0}}};
    return is_single(&job->axes.bins[0]) ? try_single(job) : cli_job_make_histogram(job, &points, UH_STORAGE_COUNT);
}

static int open_job(struct cli_job *job, struct cli_error *error) {
    const struct cli_bins *bins = &job->axes.bins[0];
    const uh_closed closed = job->right ? UH_HALF_OPEN_RIGHT : UH_HALF_OPEN_LEFT;
    if (job->output && cli_output_integers_check(job->output, error))
        return -1;
    const int result = cli_axes_settle(&job->axes, 1, 1, job->right, error);
    if (result)
        return result;
    job->input.several_passes = cli_bins_need_data(bins);
    if (cli_inputs_open(job->paths, job->npaths, &job->input, &job->inputs, error) || cli_job_open_queue(job, error) ||
        (!is_single(bins) && cli_job_make_axis(job, 0, job->inputs, closed, error)))
        return -1;
    return cli_job_make(job, error);
}

static int work(struct digitizing *digitizing, struct cli_error *error) {
    struct cli_job *job = &digitizing->job;
    int result = open_job(job, error);
    if (result)
        return result;
    result = -1;
    digitizing->index = malloc(PIECE * sizeof *digitizing->index);
    if (!digitizing->index) {
        cli_fail(error, "out of memory");
        goto out;
    }
    if (!(digitizing->file = cli_output_integers_open(job->output, UH_I64, error)) ||
        cli_inputs_pass(job->inputs, "digitizing", take_chunk, digitizing, error))
        goto out;
    result = cli_output_integers_commit(digitizing->file, error);
    digitizing->file = NULL;
out:
    cli_output_integers_abort(digitizing->file);
    free(digitizing->index);
    return result;
}

static int run(int argc, char **argv, struct cli_error *error) {
    struct digitizing digitizing = {.job = {.command = &cli_digitize_command, .make = make}};
    struct cli_job *job = &digitizing.job;
    int first, result = cli_options_parse(job->command, argc, argv, cli_job_set, job, &first, error);
    if (result == 0)
        result = cli_job_operands(job, argc, argv, first, error);
    if (result == 0)
        result = work(&digitizing, error);
    cli_job_close(job);
    return result;
}

const struct cli_command cli_digitize_command = {
    "digitize",
    "INPUT...",
    "*",
    "Print the number of each value's bin, as numpy.digitize",
    "The number is 0 below the first edge, j + 1 for edge[j] <= x < edge[j+1], and the\n"
    "number of edges from the last edge on and for NaN. With --right, the rule is\n"
    "edge[j] < x <= edge[j+1].\n",
    options,
    run,
};
