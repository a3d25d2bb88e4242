/* SPDX-License-Identifier: Apache-2.0 */
/* The run of a subcommand that counts in a histogram: the pass over the points, and what becomes of the result. */
#ifndef CLI_COUNT_H
#define CLI_COUNT_H

#include "api/cli/display/display.h"
#include "api/cli/error.h"
#include "api/cli/job.h"
#include "api/cli/output/result.h"

struct cli_count {
    struct cli_job *job; /* open, with the histogram that counts */
    const struct cli_points *points;
    double start;                      /* of the clock */
    struct cli_axis axis[UH_MAX_AXES]; /* what is told of the axes, but for what the histogram and the inputs know */
    enum cli_heat_scale scale;
};

/* Counts all points; writes, draws and prints what comes of it. 0, or -1 with a message. */
int cli_count(const struct cli_count *count, struct cli_error *error);

#endif
