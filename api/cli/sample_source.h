/* SPDX-License-Identifier: Apache-2.0 */
/* What `unihist sample` draws from: weights of a file, or a distribution with its parameters. */
#ifndef CLI_SAMPLE_SOURCE_H
#define CLI_SAMPLE_SOURCE_H

#include <stddef.h>

#include <unihist/sample.h>

#include "api/cli/error.h"
#include "api/cli/input/inputs.h"
#include "api/cli/options.h"

/* Maximum number of parameters of a distribution. */
enum { CLI_SOURCE_PARAMETERS = 3 };

/* Zero it, set options, check, read the weights where it is of weights, create samplers, free. */
struct cli_source {
    enum cli_option_id id; /* the option that said what it is, 0 for none */
    const char *text;      /* its value: lent */
    union {
        int64_t i;
        uint64_t u;
        double d;
    } parameter[CLI_SOURCE_PARAMETERS];
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

#endif
