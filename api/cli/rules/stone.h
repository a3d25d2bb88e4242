/* SPDX-License-Identifier: Apache-2.0 */
/* Stone's rule: the number of equal bins with the least estimated integrated squared error by leave-one-out
 * cross-validation (C. J. Stone, "An asymptotically optimal histogram selection rule", 1984). */
#ifndef CLI_STONE_H
#define CLI_STONE_H

#include <stdint.h>

#include <unihist/histogram.h>

#include "api/cli/error.h"
#include "api/cli/input/inputs.h"

/* Maximum number of edges that one pass counts between. */
#define CLI_STONE_EDGES ((uint64_t)1 << 22)

/* The largest number of bins that is tried for n values: max(100, sqrt(n)). */
uint64_t cli_stone_limit(uint64_t n);

/* Finds the best of 1 to cli_stone_limit(n) bins over [lo, hi] for the inputs' n values in it, which spread over
 * `spread`. The edges of many candidates are one axis, so that a pass over the inputs serves them all. `max_edges` is
 * 0 for CLI_STONE_EDGES. 0, or -1 with a message. */
int cli_stone_bins(struct cli_inputs *inputs, uh_queue *queue, double lo, double hi, double spread, uint64_t n,
                   uint64_t max_edges, uint64_t *bins, struct cli_error *error);

#endif
