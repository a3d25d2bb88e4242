/* SPDX-License-Identifier: Apache-2.0 */
/* unihist sample: samples drawn and written, a piece at a time. */
#include <stdlib.h>

#include "api/cli/display/progress.h"
#include "api/cli/display/terminal.h"
#include "api/cli/output/output_integers.h"
#include "api/cli/sample_job.h"

/* How many samples are drawn at a time. */
enum { PIECE = 1 << 21 };

static int draw_piece(struct cli_sampling *sampling, void *samples, size_t n, uint64_t done, struct cli_error *error) {
    const double start = cli_stats_clock();
    while (uh_sampler_draw(sampling->sampler, n, sampling->seed, sampling->offset + done, sampling->dtype, samples))
        if (cli_job_recover(&sampling->job, done > 0, error))
            return -1;
    sampling->stats.counting += cli_stats_clock() - start;
    if (sampling->job.stats)
        cli_stats_add(&sampling->stats, sampling->dtype, samples, n);
    return 0;
}

static int draw_all(struct cli_sampling *sampling, void *samples, struct cli_output_integers *out,
                    struct cli_error *error) {
    /* The bar would stand among the samples. */
    FILE *terminal = !sampling->job.output && cli_terminal_look().is_terminal ? NULL : stderr;
    struct cli_progress *progress = cli_progress_start_things(terminal, "drawing", sampling->n);
    int result = 0;
    for (uint64_t done = 0; done < sampling->n && result == 0;) {
        const size_t part = sampling->n - done < PIECE ? (size_t)(sampling->n - done) : PIECE;
        result =
            draw_piece(sampling, samples, part, done, error) || cli_output_integers_append(out, samples, part, error)
                ? -1
                : 0;
        if (done == 0)
            cli_source_free(&sampling->source); /* the host is no longer there to take over */
        done += part;
        cli_progress_update(progress, done);
    }
    cli_progress_finish(progress);
    return result;
}

int cli_sampling_draw(struct cli_sampling *sampling, struct cli_error *error) {
    struct cli_job *job = &sampling->job;
    struct cli_output_integers *out = NULL;
    const size_t room = sampling->n < PIECE ? (size_t)sampling->n : PIECE;
    int result = -1;
    void *samples = malloc((room ? room : 1) * uh_dtype_size(sampling->dtype));
    if (!samples) {
        cli_fail(error, "out of memory for %zu samples", room);
        goto out;
    }
    if (!(out = cli_output_integers_open(job->output, sampling->dtype, error)) ||
        draw_all(sampling, samples, out, error))
        goto out;
    result = cli_output_integers_commit(out, error);
    out = NULL;
    cli_sampling_finish(sampling);
    if (result == 0 && job->stats)
        cli_sampling_stats(sampling, job->output ? stdout : stderr);
out:
    cli_output_integers_abort(out);
    free(samples);
    return result;
}
