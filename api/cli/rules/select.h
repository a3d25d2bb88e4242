/* SPDX-License-Identifier: Apache-2.0 */
/* Exact order statistics of streamed values in bounded memory.
 *
 * The first pass counts the values by the top 16 bits of a key that orders float64 as 64-bit integers do (Knuth, TAOCP
 * vol. 3, 5.2.5, radix methods), and keeps the values themselves while they are few. Later passes, over those or the
 * inputs, count the next bits, only below the prefixes that hold a wanted rank, until the values below them are few
 * enough to be sorted. At most twice CLI_SELECT_KEEP values and as many counters are in memory at any time. */
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

/* Makes the first pass. Values outside `range` (unless NULL) and NaN are left out. `keep` is the maximum number of
 * values kept in memory, 0 for CLI_SELECT_KEEP. The queue is the host's. Returns 0, an `*out` that the caller closes,
 * and the values' extent, or -1. The inputs and the range must outlive it. */
int cli_select_open(struct cli_inputs *inputs, uh_queue *queue, const double *range, size_t keep,
                    struct cli_select **out, struct cli_extent *extent, struct cli_error *error);

/* Stores the values of `nranks` ranks (0 is the smallest value), which are below n and do not decrease. Once only for a
 * `select`. 0, or -1 with a message. */
int cli_select_ranks(struct cli_select *select, const uint64_t *ranks, size_t nranks, double *values,
                     struct cli_error *error);

/* Stores the quantiles q[j] (0 to 1, not decreasing) as numpy.quantile's linear interpolation; `values` may be q. Needs
 * n > 0; once only. 0, or -1 with a message. */
int cli_select_quantiles(struct cli_select *select, const double *q, size_t nq, double *values,
                         struct cli_error *error);

/* Frees it; NULL is allowed. */
void cli_select_close(struct cli_select *select);

#endif
