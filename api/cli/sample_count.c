/* SPDX-License-Identifier: Apache-2.0 */
/* unihist sample --count: samples counted as they are drawn, and what is made of the counts. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/plot.h"
#include "api/cli/display/progress.h"
#include "api/cli/publish.h"
#include "api/cli/sample_job.h"

/* The first piece's samples, at least. Pieces double until one takes a tenth of a second, so that the progress is told.
 * The outcomes that are cleared and added for each piece do not matter where there are no more than samples. */
#define FIRST_PIECE ((uint64_t)1 << 22)
#define LONG_ENOUGH 0.1

/* Maximum number of outcomes that the library counts. */
#define MAX_COUNTED ((uint64_t)1 << 31)

/* Edges of more than 2^53 are no longer all float64. */
#define MAX_DRAWN ((int64_t)1 << 53)

static uint64_t first_piece(const struct cli_counts_result *result) {
    return result->length > FIRST_PIECE ? result->length : FIRST_PIECE;
}

static int count_piece(struct cli_sampling *sampling, uint64_t *counts, uint64_t n, uint64_t done,
                       struct cli_error *error) {
    while (uh_sampler_count(sampling->sampler, n, sampling->seed, sampling->offset + done, counts,
                            sampling->result.length))
        if (cli_job_recover(&sampling->job, done > 0, error))
            return -1;
    return 0;
}

/* Counts all, the first piece straight into `counts`; `part` is room for another one. */
static int count_pieces(struct cli_sampling *sampling, uint64_t *counts, uint64_t *part, struct cli_error *error) {
    struct cli_progress *progress = cli_progress_start_things(stderr, "drawing", sampling->n);
    uint64_t piece = first_piece(&sampling->result);
    int result = 0;
    for (uint64_t done = 0; done < sampling->n && result == 0;) {
        const uint64_t n = sampling->n - done < piece ? sampling->n - done : piece;
        const double start = cli_stats_clock();
        result = count_piece(sampling, done ? part : counts, n, done, error);
        for (size_t j = 0; j < sampling->result.length && done && part && result == 0; j++)
            counts[j] += part[j];
        if (done == 0)
            cli_source_free(&sampling->source); /* the host is no longer there to take over */
        const double seconds = cli_stats_clock() - start;
        sampling->stats.counting += seconds;
        if (seconds < LONG_ENOUGH && piece < UINT64_MAX / 2)
            piece *= 2;
        done += n;
        cli_progress_update(progress, done);
    }
    cli_progress_finish(progress);
    return result;
}

/* The mean and the extent, of the counts. */
static void add_stats(struct cli_stats *stats, const struct cli_counts_result *result) {
    for (size_t j = 0; j < result->length; j++) {
        const double outcome = (double)(int64_t)((uint64_t)result->first + j);
        if (!result->counts[j])
            continue;
        stats->min = fmin(stats->min, outcome);
        stats->max = fmax(stats->max, outcome);
        stats->sum += (long double)outcome * (long double)result->counts[j];
        stats->n += result->counts[j];
    }
}

/* ---- pictures ---- */

/* The outcomes that are drawn: from the first that came up to the last. */
struct drawn {
    size_t begin, end; /* of the counts */
    double *edges;     /* outcome i lies from i to i + 1 */
    char *title;
};

static int prepare_drawing(const struct cli_counts_result *result, struct drawn *drawn, struct cli_error *error) {
    const size_t bins = drawn->end - drawn->begin, size = strlen(result->distribution) + 100;
    drawn->edges = malloc((bins + 1) * sizeof *drawn->edges);
    drawn->title = malloc(size);
    if (!drawn->edges || !drawn->title)
        return cli_fail(error, "out of memory for a chart of %zu outcomes", bins);
    for (size_t i = 0; i <= bins; i++)
        drawn->edges[i] = (double)(result->first + (int64_t)(drawn->begin + i));
    int used = snprintf(drawn->title, size, "%s, seed %" PRIu64, result->distribution, result->seed);
    if (result->offset)
        snprintf(drawn->title + used, size - (size_t)used, " from %" PRIu64, result->offset);
    return 0;
}

/* Draws to the file, where there is one, and with `chart` to standard output. */
static int draw(const struct cli_counts_result *result, const char *plot, int chart, struct cli_error *error) {
    struct drawn drawn = {.end = result->length};
    int status = -1;
    while (drawn.end > 0 && !result->counts[drawn.end - 1])
        drawn.end--;
    while (drawn.begin < drawn.end && !result->counts[drawn.begin])
        drawn.begin++;
    const char *why = drawn.end == 0 ? "no samples"
                      : result->first < -MAX_DRAWN || result->first > MAX_DRAWN - (int64_t)result->length
                          ? "outcomes beyond 2^53"
                          : NULL;
    if (why && chart)
        printf("%s\n", why);
    if (why)
        return plot ? cli_fail(error, "cannot draw to '%.200s': %s", plot, why) : 0;
    if (prepare_drawing(result, &drawn, error))
        goto out;
    const struct cli_result bars = {.bins = drawn.end - drawn.begin,
                                    .edges = drawn.edges,
                                    .counts = result->counts + drawn.begin,
                                    .n = result->n,
                                    .title = drawn.title};
    status = (plot && cli_plot_write(plot, &bars, error)) || (chart && cli_publish_chart(&bars, error)) ? -1 : 0;
out:
    free(drawn.edges);
    free(drawn.title);
    return status;
}

/* Files first: where one cannot be written, nothing has been shown yet. */
static int publish(struct cli_sampling *sampling, struct cli_error *error) {
    const struct cli_job *job = &sampling->job;
    const int prints = cli_publish_prints(job->output);
    if (job->output && cli_output_counts_write(job->output, &sampling->result, error))
        return -1;
    if ((prints || job->plot) && draw(&sampling->result, job->plot, prints, error))
        return -1;
    if (job->stats) {
        add_stats(&sampling->stats, &sampling->result);
        cli_sampling_stats(sampling, stdout);
    }
    return 0;
}

int cli_sampling_count(struct cli_sampling *sampling, struct cli_error *error) {
    struct cli_counts_result *result = &sampling->result;
    const uint64_t size = uh_sampler_size(sampling->sampler);
    uint64_t *counts = NULL, *part = NULL;
    int status = -1;
    if (size == 0 || size > MAX_COUNTED)
        return cli_fail(error, "--count: there are outcomes from %" PRId64 " to %" PRId64 ", expected at most 2^31",
                        result->first, uh_sampler_last(sampling->sampler));
    result->length = (size_t)size;
    counts = calloc(result->length, sizeof *counts);
    const int several = sampling->n > first_piece(result);
    if (several)
        part = malloc(result->length * sizeof *part);
    if (!counts || (several && !part)) {
        cli_fail(error, "out of memory for the counts of %zu outcomes", result->length);
        goto out;
    }
    result->counts = counts;
    if (count_pieces(sampling, counts, part, error))
        goto out;
    cli_sampling_finish(sampling);
    status = publish(sampling, error);
out:
    free(counts);
    free(part);
    return status;
}
