/* SPDX-License-Identifier: Apache-2.0 */
/* unihist sample: samples drawn and written, or counted as they are drawn, and what is told of the run. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/progress.h"
#include "api/cli/output/output.h"
#include "api/cli/publish.h"
#include "api/cli/sample.h"

/* The first piece's samples, at least. Pieces double until one takes a tenth of a second, so that the progress is told.
 * The outcomes that are cleared and added for each piece do not matter where there are no more than samples. */
#define FIRST_PIECE ((uint64_t)1 << 22)
#define LONG_ENOUGH 0.1

/* Maximum number of outcomes that the library counts. */
#define MAX_COUNTED ((uint64_t)1 << 31)

/* How many samples are drawn at a time. */
enum { DRAWN = 1 << 21 };

/* ---- what is told of the run ---- */

static void finish(struct cli_sampling *sampling) {
    sampling->result.device = sampling->job.device_text;
    sampling->result.seconds = cli_stats_clock() - sampling->start;
}

static void print_samples(FILE *out, const char *name, double seconds, uint64_t n) {
    fprintf(out, "%-10s %.6f s, %.1f Msamples/s\n", name, seconds, seconds > 0 ? (double)n / seconds * 1e-6 : 0);
}

static void print_stats(const struct cli_sampling *sampling, FILE *out) {
    const struct cli_job *job = &sampling->job;
    const struct cli_result *result = &sampling->result;
    fprintf(out, "%-10s %" PRIu64 "\n", "n", result->n);
    fprintf(out, "%-10s %" PRIu64 "\n", "seed", sampling->seed);
    fprintf(out, "%-10s %" PRIu64 "\n", "offset", sampling->offset);
    fprintf(out, "%-10s %s\n", "drawn from", sampling->name);
    fprintf(out, "%-10s %" PRId64 " to %" PRId64 "\n", "outcomes", result->axis[0].first, sampling->properties.last);
    cli_stats_print_extent(out, &sampling->stats);
    fprintf(out, "%-10s %s\n", "method", result->axis[0].method);
    fprintf(out, "%-10s %s\n", "plan", sampling->properties.plan);
    cli_stats_print_device(out, &sampling->stats, result->device, uh_queue_threads(job->queue), job->why_host);
    print_samples(out, "drawing", sampling->stats.counting, result->n);
    print_samples(out, "in all", result->seconds, result->n);
}

/* ---- the samples ---- */

static int draw_piece(struct cli_sampling *sampling, void *samples, size_t n, uint64_t done, struct cli_error *error) {
    const double start = cli_stats_clock();
    while (uh_sampler_draw(sampling->sampler, sampling->seed, sampling->offset + done, sampling->dtype, samples, n))
        if (cli_job_recover(&sampling->job, done > 0, error))
            return -1;
    sampling->stats.counting += cli_stats_clock() - start;
    const uh_array drawn = uh_array_of(sampling->dtype, samples, n);
    if (sampling->job.stats)
        cli_stats_add(&sampling->stats, &drawn);
    return 0;
}

static int draw_all(struct cli_sampling *sampling, void *samples, struct cli_output_integers *out,
                    struct cli_error *error) {
    /* The bar would stand among the samples. */
    FILE *terminal = !sampling->job.output && cli_terminal_look().is_terminal ? NULL : stderr;
    struct cli_progress *progress = cli_progress_start(terminal, "drawing", sampling->n, "");
    int result = 0;
    for (uint64_t done = 0; done < sampling->n && result == 0;) {
        const size_t part = sampling->n - done < DRAWN ? (size_t)(sampling->n - done) : DRAWN;
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
    const size_t room = sampling->n < DRAWN ? (size_t)sampling->n : DRAWN;
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
    finish(sampling);
    if (result == 0 && job->stats)
        print_stats(sampling, job->output ? stdout : stderr);
out:
    cli_output_integers_abort(out);
    free(samples);
    return result;
}

/* ---- the counts ---- */

static uint64_t first_piece(const struct cli_result *result) {
    return result->axis[0].bins > FIRST_PIECE ? result->axis[0].bins : FIRST_PIECE;
}

static int count_piece(struct cli_sampling *sampling, uint64_t *counts, uint64_t n, uint64_t done,
                       struct cli_error *error) {
    while (uh_sampler_count(sampling->sampler, sampling->seed, sampling->offset + done, n, counts,
                            sampling->result.axis[0].bins))
        if (cli_job_recover(&sampling->job, done > 0, error))
            return -1;
    return 0;
}

/* Counts all, the first piece straight into `counts`; `part` is room for another one. */
static int count_pieces(struct cli_sampling *sampling, uint64_t *counts, uint64_t *part, struct cli_error *error) {
    struct cli_progress *progress = cli_progress_start(stderr, "drawing", sampling->n, "");
    uint64_t piece = first_piece(&sampling->result);
    int result = 0;
    for (uint64_t done = 0; done < sampling->n && result == 0;) {
        const uint64_t n = sampling->n - done < piece ? sampling->n - done : piece;
        const double start = cli_stats_clock();
        result = count_piece(sampling, done ? part : counts, n, done, error);
        for (size_t j = 0; j < sampling->result.axis[0].bins && done && part && result == 0; j++)
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
static void add_stats(struct cli_stats *stats, const struct cli_result *result) {
    for (size_t j = 0; j < result->axis[0].bins; j++) {
        const double outcome = (double)(int64_t)((uint64_t)result->axis[0].first + j);
        if (!result->counts[j])
            continue;
        stats->min = fmin(stats->min, outcome);
        stats->max = fmax(stats->max, outcome);
        stats->sum += (long double)outcome * (long double)result->counts[j];
        stats->n += result->counts[j];
    }
}

/* Draws the outcomes from the first that came up to the last: to the file, where there is one, and with `chart` to
 * standard output. */
static int draw(const struct cli_sampling *sampling, int chart, struct cli_error *error) {
    struct cli_result drawn = sampling->result;
    struct cli_axis *axis = &drawn.axis[0];
    const size_t size = strlen(sampling->name) + 100;
    char *title = malloc(size);
    if (!title)
        return cli_fail(error, "out of memory");
    const int used = snprintf(title, size, "%s, seed %" PRIu64, sampling->name, sampling->seed);
    if (sampling->offset)
        snprintf(title + used, size - (size_t)used, " from %" PRIu64, sampling->offset);
    drawn.title = title;
    while (axis->bins && !drawn.counts[axis->bins - 1])
        axis->bins--;
    for (; axis->bins && !*drawn.counts; drawn.counts++, axis->bins--)
        axis->first++;
    const int status = cli_publish_integers(sampling->job.plot, chart, &drawn, "no samples", error);
    free(title);
    return status;
}

/* Writes the file; its JSON says this of all. */
static int write_file(const struct cli_sampling *sampling, struct cli_error *error) {
    struct cli_result result = sampling->result;
    const struct cli_fact facts[] = {
        CLI_TEXT("distribution", sampling->name),
        CLI_SIGNED("first", result.axis[0].first),
        CLI_INTEGER("n", result.n),
        CLI_INTEGER("seed", sampling->seed),
        CLI_INTEGER("offset", sampling->offset),
        CLI_TEXT("method", result.axis[0].method),
        CLI_TEXT("device", result.device),
        CLI_NUMBER("seconds", result.seconds),
    };
    result.facts = facts;
    result.nfacts = sizeof facts / sizeof *facts;
    return cli_output_write(sampling->job.output, &result, error);
}

/* Files first: where one cannot be written, nothing has been shown yet. */
static int publish(struct cli_sampling *sampling, struct cli_error *error) {
    const struct cli_job *job = &sampling->job;
    const int prints = cli_publish_prints(job->output);
    if (job->output && write_file(sampling, error))
        return -1;
    if ((prints || job->plot) && draw(sampling, prints, error))
        return -1;
    if (job->stats) {
        add_stats(&sampling->stats, &sampling->result);
        print_stats(sampling, stdout);
    }
    return 0;
}

int cli_sampling_count(struct cli_sampling *sampling, struct cli_error *error) {
    struct cli_result *result = &sampling->result;
    const uint64_t size = sampling->properties.size;
    uint64_t *counts = NULL, *part = NULL;
    int status = -1;
    if (size == 0 || size > MAX_COUNTED)
        return cli_fail(error, "--count: there are outcomes from %" PRId64 " to %" PRId64 ", expected at most 2^31",
                        result->axis[0].first, sampling->properties.last);
    result->axis[0].bins = (size_t)size;
    counts = calloc(result->axis[0].bins, sizeof *counts);
    const int several = sampling->n > first_piece(result);
    if (several)
        part = malloc(result->axis[0].bins * sizeof *part);
    if (!counts || (several && !part)) {
        cli_fail(error, "out of memory for the counts of %zu outcomes", result->axis[0].bins);
        goto out;
    }
    result->counts = counts;
    if (count_pieces(sampling, counts, part, error))
        goto out;
    finish(sampling);
    status = publish(sampling, error);
out:
    free(counts);
    free(part);
    return status;
}
