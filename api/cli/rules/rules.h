/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of equal bins that suit the data: the rules of numpy.histogram_bin_edges (NumPy 1.24), computed in float64
 * and long double from streamed inputs, in as many passes as unihist-histogram(1) says. */
#pragma once

#include "api/cli/input/inputs.h"

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

int cli_rule_from_name(const char *name, enum cli_rule *rule);

/* Applies a rule to the inputs' values, those in `range` unless it is NULL. Stores the number of bins and their range;
 * may print a warning. Without a range it is that of the finite values. */
int cli_rule_apply(enum cli_rule rule, struct cli_inputs *inputs, uh_queue *queue, const double *range, size_t *bins,
                   double *lo, double *hi);

/* Stone's rule: the number of equal bins with the smallest estimated integrated squared error by leave-one-out
 * cross-validation (C. J. Stone, "An asymptotically optimal histogram selection rule", 1984). */
#define CLI_STONE_EDGES ((uint64_t)1 << 22) /* maximum per pass */

/* Finds the best of 1 to max(100, sqrt(n)) bins over [lo, hi] for the inputs' n values in it, whose range has the
 * width `spread`. The edges of many candidates form one axis, so that one pass over the inputs serves them all.
 * `max_edges`: 0 for CLI_STONE_EDGES. */
int cli_stone_bins(struct cli_inputs *inputs, uh_queue *queue, double lo, double hi, double spread, uint64_t n,
                   uint64_t max_edges, uint64_t *bins);

/* ---- values of any element type as float64, in blocks (values.c) ------------------------------------------------- */

#define CLI_BLOCK 1024

/* Takes a block of at most CLI_BLOCK values. Returns 0, or -1 with a message, which ends the calls. */
typedef int (*cli_values_function)(void *context, const double *block, size_t n);

/* Calls `take` with values (which may be unaligned) in blocks, as float64: without NaN and, if `range` is not NULL,
 * without values outside [range[0], range[1]]. Adds the number of NaNs to `*nan`. Integers beyond 2^53 are rounded to
 * the nearest. */
int cli_values_for_each(const uh_array *x, const double *range, uint64_t *nan, cli_values_function take, void *context);

/* ---- smallest and largest value of the inputs, in one pass ------------------------------------------------------- */

/* Without a range, integers beyond 2^53 are rounded outwards, so that no value is outside. */
struct cli_extent {
    uint64_t n;        /* values in the range, without NaN; without one all finite values */
    uint64_t nan;      /* NaN values */
    uint64_t infinite; /* without a range: values left out, unless the inputs are strict */
    int strict;        /* as the inputs */
    double min, max;   /* inf and -inf if n = 0 */
};

/* Makes a pass over the inputs' values, those in `range` unless it is NULL, and calls `take`, unless it is NULL, as
 * cli_values_for_each does. The extent is that of all processes' values. */
int cli_extent_read(struct cli_inputs *inputs, uh_queue *queue, const double *range, cli_values_function take,
                    void *context, struct cli_extent *extent);

/* Replaces the smallest and largest value of this process by those of all. */
int cli_extremes_join(double *min, double *max);

/* Computes numpy.histogram's range of the extent: 0 to 1 without values, half a unit on both sides of equal ones.
 * Returns -1 with a message if no value is finite, or if strict inputs have one that is not. */
int cli_extent_range(const struct cli_extent *extent, double *lo, double *hi);

/* Convert float64 to keys with the order of unsigned integers, and back; NaN has none. */
uint64_t cli_key_of(double x);
double cli_value_of(uint64_t key);
int cli_values_compare(const void *a, const void *b);

/* ---- exact order statistics of streamed values in bounded memory (select.c) --------------------------------------
 *
 * The first pass counts the values by the top 16 bits of a key that orders float64 like 64-bit integers (Knuth, TAOCP
 * vol. 3, 5.2.5, radix methods). Later passes count the next bits, only for prefixes that contain a wanted rank, until
 * few enough values are left to be kept and sorted. At most CLI_SELECT_KEEP values and as many counters are in memory
 * at any time. */

#define CLI_SELECT_KEEP ((size_t)1 << 22)

/* Selects from the inputs' values without NaN, those in `range` unless it is NULL, and stores their extent. */
struct cli_selection {
    struct cli_inputs *inputs;
    uh_queue *queue; /* the host's */
    const double *range;
    struct cli_extent extent;
};

/* Stores the quantiles q[j] (0 to 1, non-decreasing) by numpy.quantile's linear interpolation, unless there are no
 * values or infinite ones. `values` may be q. */
int cli_select_quantiles(struct cli_selection *of, const double *q, size_t nq, double *values);
