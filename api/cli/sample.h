/* SPDX-License-Identifier: Apache-2.0 */
/* `unihist sample`: what samples are drawn from, how they are drawn and how they are counted. */
#ifndef CLI_SAMPLE_H
#define CLI_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/sample.h>

#include "api/cli/error.h"
#include "api/cli/input/inputs.h"
#include "api/cli/job.h"
#include "api/cli/options.h"
#include "api/cli/output/result.h"
#include "api/cli/stats.h"

/* Zero it, set options, check, read the weights where it is of weights, create samplers, free. */
struct cli_source {
    enum cli_option_id id; /* the option that said what it is, 0 for none */
    const char *text;      /* its value: lent */
    uh_discrete distribution;
    uh_dtype dtype; /* of the weights */
    void *weights;  /* n of them; owned */
    size_t n, room;
    char message[1024]; /* what the library said of parameters or weights that it refused, else "" */
};

/* Returns whether the option says what is drawn from. */
int cli_source_is(enum cli_option_id id);

/* Takes such an option. 0, or CLI_USAGE with a message for parameters that are no numbers and where another one was
 * given before. */
int cli_source_set(struct cli_source *source, enum cli_option_id id, const char *value, struct cli_error *error);

/* CLI_USAGE with a message where no such option was given, else 0. */
int cli_source_check(const struct cli_source *source, struct cli_error *error);

/* Reads all the weights. 0, or -1 with a message. */
int cli_source_read(struct cli_source *source, struct cli_inputs *inputs, struct cli_error *error);

/* Makes the sampler, which the caller destroys. Where the library refuses weights or parameters, `message` says why;
 * what is not supported on a device need not be the parameters' fault, on the host it is. */
uh_status cli_source_create(struct cli_source *source, uh_queue *queue, int on_host, uh_sample_method method,
                            uh_sampler **sampler);

/* Stores why the sampler was refused. -1 for weights, CLI_USAGE for parameters. */
int cli_source_fail(const struct cli_source *source, const char *weights, struct cli_error *error);

/* Returns such as "poisson(4.5)" or "weights(w.npy)"; the caller frees it, NULL when out of memory. */
char *cli_source_name(const struct cli_source *source);

/* Frees the weights: nothing is to be created any more. May be called again. */
void cli_source_free(struct cli_source *source);

/* ---- a run ------------------------------------------------------------------------------------------------------- */

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
    uh_sampler_properties properties; /* of the sampler that there is now */

    struct cli_stats stats;
    double start;
    char *name;               /* of what is drawn from; owned */
    struct cli_result result; /* what is told of the run; the counts are the caller's */
};

/* Draws the samples and writes them to the file or standard output. 0, or -1 with a message. */
int cli_sampling_draw(struct cli_sampling *sampling, struct cli_error *error);

/* Counts the samples, and writes, draws and prints the counts. 0, or -1 with a message. */
int cli_sampling_count(struct cli_sampling *sampling, struct cli_error *error);

#endif
