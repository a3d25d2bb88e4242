/* SPDX-License-Identifier: Apache-2.0 */
/* `unihist sample`: what samples are drawn from. */
#ifndef CLI_SAMPLE_H
#define CLI_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/sample.h>

#include "api/cli/error.h"
#include "api/cli/job.h"
#include "api/cli/options.h"

/* Zero it, set it, read the weights where it is of weights, create samplers, free. */
struct cli_source {
    const struct cli_option *option; /* that says what it is */
    const char *text;                /* its value: lent */
    uh_discrete distribution;
    struct cli_numbers weights; /* owned */
};

/* Takes what the options say. 0, or CLI_USAGE with a message where they say nothing, or parameters are no numbers. */
int cli_source_set(struct cli_source *source, const struct cli_arguments *arguments, struct cli_error *error);

/* Returns the file of weights, NULL where it is none of weights. */
const char *cli_source_file(const struct cli_source *source);

/* Makes the sampler, which the caller destroys. */
uh_status cli_source_create(const struct cli_source *source, uh_queue *queue, uh_sample_method method,
                            uh_sampler **sampler);

/* Returns such as "poisson(4.5)" or "weights(w.npy)"; the caller frees it, NULL when out of memory. */
char *cli_source_name(const struct cli_source *source);

/* Frees the weights: nothing is to be created any more. May be called again. */
void cli_source_free(struct cli_source *source);

#endif
