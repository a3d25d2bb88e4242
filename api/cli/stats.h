/* SPDX-License-Identifier: Apache-2.0 */
/* What --stats prints. */
#ifndef CLI_STATS_H
#define CLI_STATS_H

#include <stdint.h>
#include <stdio.h>

#include <unihist/histogram.h>

#include "api/cli/error.h"
#include "api/cli/output/result.h"

struct cli_stats {
    uint64_t n; /* values that are not NaN */
    double min, max;
    long double sum;
    uint64_t bytes;   /* of the values, as counted */
    double preparing; /* seconds until the axis was there */
    double counting;  /* seconds within the library's fill */
};

/* Sets everything to the state before the first value. */
void cli_stats_start(struct cli_stats *stats);

/* Takes in values for the mean and the extent. */
void cli_stats_add(struct cli_stats *stats, const uh_array *array);

/* Adds up what all processes have taken in. 0, or -1 with a message. */
int cli_stats_join(struct cli_stats *stats, struct cli_error *error);

/* Prints a line for each figure. `stats` are of each axis; the times and bytes, those of the first. `queue` has
 * counted; `why_host` says why no GPU has, "" for nothing to say. */
void cli_stats_print(FILE *out, const struct cli_stats *stats, const struct cli_result *result, const uh_queue *queue,
                     const char *why_host);

/* Prints a line for each part of the queue's device, where that is a combined one: what it has done. */
void cli_stats_print_shares(FILE *out, const uh_queue *queue);

#endif
