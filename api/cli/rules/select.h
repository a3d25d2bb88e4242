/* SPDX-License-Identifier: Apache-2.0 */
/* Exact order statistics of streamed values in bounded memory.
 *
 * The first pass counts the values by the top 16 bits of a key that orders float64 like 64-bit integers (Knuth, TAOCP
 * vol. 3, 5.2.5, radix methods), and keeps the values themselves while they are few. Later passes, over those or the
 * inputs, count the next bits, only for prefixes that contain a wanted rank, until few enough values are left to be
 * sorted. At most twice CLI_SELECT_KEEP values and as many counters are in memory at any time. */
#ifndef CLI_SELECT_H
#define CLI_SELECT_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/error.h"
#include "api/cli/input/inputs.h"
#include "api/cli/rules/values.h"

/* 32 MiB of float64. */
#define CLI_SELECT_KEEP ((size_t)1 << 22)

struct cli_select;

/* Makes the first pass. Ignores NaN and values outside `range` (unless NULL). `keep`: maximum number of values kept in
 * memory, 0 for CLI_SELECT_KEEP. The queue is the host's. Returns 0, `*out`, which the caller closes, and the values'
 * extent, or -1. The inputs and the range must outlive it. */
int cli_select_open(struct cli_inputs *inputs, uh_queue *queue, const double *range, size_t keep,
                    struct cli_select **out, struct cli_extent *extent, struct cli_error *error);

/* Stores the values of `nranks` ranks (0 is the smallest value), which are below n and non-decreasing. Only once per
 * `select`. */
int cli_select_ranks(struct cli_select *select, const uint64_t *ranks, size_t nranks, double *values,
                     struct cli_error *error);

/* Stores the quantiles q[j] (0 to 1, non-decreasing) by numpy.quantile's linear interpolation; `values` may be q. Needs
 * n > 0; only once. */
int cli_select_quantiles(struct cli_select *select, const double *q, size_t nq, double *values,
                         struct cli_error *error);

/* Frees it; NULL is allowed. */
void cli_select_close(struct cli_select *select);

#endif
