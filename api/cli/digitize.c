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

struct digitizing {
    struct cli_job *job;
    struct cli_output_integers *file;
    int64_t *index;
    int begun; /* some are made */
};

static int make_indices(struct digitizing *digitizing, uh_dtype dtype, const void *data, size_t n) {
    const struct cli_job *job = digitizing->job;
    const struct cli_numbers *edges = &job->bins.edges;
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
            if (cli_job_recover(digitizing->job, digitizing->begun, error))
                return -1;
        digitizing->begun = 1;
        if (cli_output_integers_append(digitizing->file, digitizing->index, part, error))
            return -1;
    }
    return 0;
}

static int run_job(struct cli_job *job, struct cli_error *error) {
    struct digitizing digitizing = {.job = job};
    int result;
    if (job->output && cli_output_integers_check(job->output, error))
        return -1;
    result = cli_job_open(job, job->right ? UH_HALF_OPEN_RIGHT : UH_HALF_OPEN_LEFT, 1, error);
    if (result)
        return result;
    result = -1;
    digitizing.index = malloc(PIECE * sizeof *digitizing.index);
    if (!digitizing.index) {
        cli_fail(error, "out of memory");
        goto out;
    }
    if (!(digitizing.file = cli_output_integers_open(job->output, UH_I64, error)) ||
        cli_inputs_pass(job->inputs, "digitizing", take_chunk, &digitizing, error))
        goto out;
    result = cli_output_integers_commit(digitizing.file, error);
    digitizing.file = NULL;
out:
    cli_output_integers_abort(digitizing.file);
    free(digitizing.index);
    return result;
}

static int run(int argc, char **argv, struct cli_error *error) {
    return cli_job_run(&cli_digitize_command, argc, argv, run_job, error);
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
