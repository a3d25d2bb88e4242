/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of equal bins that suit the data: the rules of numpy.histogram_bin_edges (NumPy 1.24), computed in float64
 * and long double from streamed inputs. Each reads the inputs once or twice, `fd` and `auto` up to four times more if
 * there are more than CLI_SELECT_KEEP values, and `stone` once per CLI_STONE_EDGES edges of all its candidates together
 * (their number grows with the number of values: n / 2 edges in all). */
#ifndef CLI_RULES_H
#define CLI_RULES_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/histogram.h>

#include "api/cli/error.h"
#include "api/cli/input/inputs.h"

/* Named as in NumPy. */
enum cli_rule {
    CLI_RULE_SQRT,
    CLI_RULE_RICE,
    CLI_RULE_STURGES,
    CLI_RULE_DOANE,
    CLI_RULE_SCOTT,
    CLI_RULE_FD,
    CLI_RULE_STONE,
    CLI_RULE_AUTO
};

/* Finds the rule of that name. Returns 0 or -1. */
int cli_rule_from_name(const char *name, enum cli_rule *rule);

/* Applies a rule to the inputs' values, those in `range` unless it is NULL. Stores the number of bins and their range.
 * `*warning`: NULL or a static text to show to the user. Returns 0, or -1 with a message: without a range, NaN and
 * infinite values are an error, as in NumPy. */
int cli_rule_apply(enum cli_rule rule, struct cli_inputs *inputs, uh_queue *queue, const double *range, size_t *bins,
                   double *lo, double *hi, const char **warning, struct cli_error *error);

/* Stone's rule: the number of equal bins with the smallest estimated integrated squared error by leave-one-out
 * cross-validation (C. J. Stone, "An asymptotically optimal histogram selection rule", 1984). */
/* Maximum number of edges per pass. */
#define CLI_STONE_EDGES ((uint64_t)1 << 22)

/* Returns the largest number of bins tried for n values: max(100, sqrt(n)). */
uint64_t cli_stone_limit(uint64_t n);

/* Finds the best of 1 to cli_stone_limit(n) bins over [lo, hi] for the inputs' n values in it, whose range has the
 * width `spread`. The edges of many candidates form one axis, so that one pass over the inputs serves them all.
 * `max_edges`: 0 for CLI_STONE_EDGES. */
int cli_stone_bins(struct cli_inputs *inputs, uh_queue *queue, double lo, double hi, double spread, uint64_t n,
                   uint64_t max_edges, uint64_t *bins, struct cli_error *error);

#endif
