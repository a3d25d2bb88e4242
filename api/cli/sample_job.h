/* SPDX-License-Identifier: Apache-2.0 */
/* One run of `unihist sample`: its options and its sampler. */
#ifndef CLI_SAMPLE_JOB_H
#define CLI_SAMPLE_JOB_H

#include <stdint.h>

#include <unihist/sample.h>

#include "api/cli/job.h"
#include "api/cli/output/output_counts.h"
#include "api/cli/sample_source.h"
#include "api/cli/stats.h"

/* `job` comes first: its calls back find the rest by it. */
struct cli_sampling {
    struct cli_job job;
    struct cli_source source;
    uint64_t n, seed, offset;
    int has_n, has_seed, count;
    uh_sample_method method;
    const char *dtype_text; /* or NULL */
    uh_dtype dtype;         /* of the samples: UH_U32, UH_U64, UH_I32 or UH_I64 */
    uh_sampler *sampler;

    struct cli_stats stats;
    double start;
    char device[256];
    struct cli_counts_result result; /* what is told of the run; the counts are the caller's */
};

/* Draws the samples and writes them to the file or standard output. 0, or -1 with a message. */
int cli_sampling_draw(struct cli_sampling *sampling, struct cli_error *error);

/* Counts the samples, and writes, draws and prints the counts. 0, or -1 with a message. */
int cli_sampling_count(struct cli_sampling *sampling, struct cli_error *error);

/* Notes the time and the device, which is the host where that has taken over, when all is drawn. */
void cli_sampling_finish(struct cli_sampling *sampling);

/* Prints what --stats asks for to `out`. */
void cli_sampling_stats(struct cli_sampling *sampling, FILE *out);

#endif
