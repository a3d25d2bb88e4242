/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `histogramdd`: options of several axes, the inputs that they come from, what counts. */
#ifndef CLI_HISTOGRAMDD_JOB_H
#define CLI_HISTOGRAMDD_JOB_H

#include <unihist/histogram.h>

#include "api/cli/display/display.h"
#include "api/cli/input/inputs.h"
#include "api/cli/job.h"

/* Words of an option that is given once an axis, or once for all. */
struct cli_words {
    size_t n;
    char *word[UH_MAX_AXES]; /* owned */
};

/* Zero it, begin, use, close. `job` comes first: its calls back find the rest by it. */
struct cli_jobdd {
    struct cli_job job;
    struct cli_words edges, bins, ranges, methods, distributions, columns;
    size_t row;
    int sampled, stored; /* --sample and --storage are given */
    int distributed;     /* an axis goes by its distribution */
    uh_storage storage;
    enum cli_heat_scale scale;

    struct cli_points points;
    struct cli_input_options input[UH_MAX_AXES]; /* of each source */
    struct cli_inputs *sources[UH_MAX_AXES];
    size_t nsources;
    char names[UH_MAX_AXES][256]; /* of the axes */
    struct cli_bins axis_bins[UH_MAX_AXES];
    uh_method axis_methods[UH_MAX_AXES];
    uh_axis *axes[UH_MAX_AXES];
};

/* Reads the arguments into a zeroed job. Returns 0, CLI_USAGE with a message, or CLI_SHOW_HELP. */
int cli_jobdd_parse(struct cli_jobdd *jobdd, const struct cli_command *command, int argc, char **argv,
                    struct cli_error *error);

/* Finds out, for `naxes` axes, the bins and method of each. 0, -1 or CLI_USAGE with a message. */
int cli_jobdd_settle(struct cli_jobdd *jobdd, size_t naxes, struct cli_error *error);

/* Finds the device, opens everything and makes the empty histogram, ready to count. 0, -1 or CLI_USAGE with a message.
 */
int cli_jobdd_open(struct cli_jobdd *jobdd, struct cli_error *error);

/* Frees everything; may be called at any stage. */
void cli_jobdd_close(struct cli_jobdd *jobdd);

#endif
