/* SPDX-License-Identifier: Apache-2.0 */
/* What --stats prints. */
#ifndef CLI_STATS_H
#define CLI_STATS_H

#include <stdint.h>
#include <stdio.h>

#include <unihist/histogram.h>

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

/* Prints a line for each figure. `stats` are of each axis; the times and bytes, those of the first. `threads` is how
 * many count; `why_host` says why no GPU does, "" for nothing to say. */
void cli_stats_print(FILE *out, const struct cli_stats *stats, const struct cli_result *result, uint32_t threads,
                     const char *why_host);

#endif
