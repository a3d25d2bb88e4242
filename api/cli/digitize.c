/* SPDX-License-Identifier: Apache-2.0 */
/* unihist digitize: prints the bin of each value. */
#include <stdlib.h>

#include "api/cli/interrupt.h"
#include "api/cli/publish.h"

enum { PIECE = 1 << 20 };

struct digitizing {
    struct cli_job job;
    struct cli_output_integers file;
    int64_t *index;
    int started; /* some indices are made */
};

static int take_points(void *context, const uh_array *x) {
    struct digitizing *digitizing = context;
    const struct cli_bins *bins = &digitizing->job.bins[0];
    /* The axis has a single edge twice, so values that are not below it have index 2. */
    const int is_single = bins->kind == CLI_BINS_EDGES && bins->edges.n == 1;
    for (size_t i = 0; i < x->count; i += PIECE) {
        uh_array piece = *x;
        piece.data = (const char *)x->data + (ptrdiff_t)i * x->stride;
        piece.count = x->count - i < PIECE ? x->count - i : PIECE;
        while (CLI_INTERRUPTIBLE(digitizing->job.queue,
                                 uh_histogram_digitize(digitizing->job.histogram, &piece, UH_I64, digitizing->index)))
            if (cli_job_recover(&digitizing->job, digitizing->started))
                return -1;
        digitizing->started = 1;
        for (size_t j = 0; j < piece.count && is_single; j++)
            digitizing->index[j] = digitizing->index[j] > 0;
        if (cli_output_integers_append(&digitizing->file, digitizing->index, piece.count))
            return -1;
    }
    return 0;
}

static int digitize(struct digitizing *digitizing) {
    struct cli_job *job = &digitizing->job;
    const struct cli_arguments *arguments = job->arguments;
    if (cli_job_check(arguments) || cli_publish_check_files(arguments, CLI_OUTPUT_INTEGERS) ||
        cli_job_open_inputs(job, 1) || cli_job_open_queue(job) || cli_job_make_axes(job) || cli_job_make(job))
        return -1;
    digitizing->index = cli_have(malloc(PIECE * sizeof *digitizing->index));
    if (cli_output_integers_open(&digitizing->file, arguments->output ? arguments->output : "-", arguments->format,
                                 UH_I64, NULL))
        return -1;
    const struct cli_input_facts *facts = cli_inputs_facts(job->points.sources[0]);
    digitizing->file.shape = arguments->npaths == 1 && *facts->shape ? facts->shape : NULL;
    digitizing->file.is_column_major = facts->is_column_major;
    if (cli_points_pass(&job->points, "digitizing", take_points, digitizing))
        return -1;
    return cli_output_integers_commit(&digitizing->file);
}

static int run_digitize(struct cli_arguments *arguments) {
    struct digitizing digitizing = {.job = {.arguments = arguments, .make = cli_job_make_histogram}};
    const int result = digitize(&digitizing);
    cli_atomic_abort(&digitizing.file.atomic);
    free(digitizing.index);
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
    run_digitize,
};
