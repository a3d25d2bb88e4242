/* SPDX-License-Identifier: Apache-2.0 */
/* Output of --stats. */
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
    double preparing; /* seconds until the axis was made */
    double counting;  /* seconds in the library's fill */
};

/* Resets all members to the state before the first value. */
void cli_stats_start(struct cli_stats *stats);

/* Adds values to the mean and the extent. */
void cli_stats_add(struct cli_stats *stats, const uh_array *array);

/* Combines the statistics of all processes. */
int cli_stats_join(struct cli_stats *stats, struct cli_error *error);

/* Prints one line per figure. `stats`: one per axis; times and bytes are in the first. `queue`: the one that counted;
 * `why_host`: why no GPU did, "" if there is nothing to say. */
void cli_stats_print(FILE *out, const struct cli_stats *stats, const struct cli_result *result, const uh_queue *queue,
                     const char *why_host);

/* If the queue's device is a combined one, prints one line per part with its work. */
void cli_stats_print_shares(FILE *out, const uh_queue *queue);

#endif
