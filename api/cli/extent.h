/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the inputs as float64, and their smallest and largest one. */
#pragma once

#include "api/cli/input/inputs.h"

#define CLI_BLOCK 1024

/* Takes a block of at most CLI_BLOCK values. */
typedef void (*cli_values_function)(void *context, const double *block, size_t n);

/* Calls `take` with values (which may be unaligned) in blocks, as float64: without NaN and, if `range` is not NULL,
 * without values outside [range[0], range[1]]. Adds the number of NaNs to `*nan`. Integers beyond 2^53 are rounded to
 * the nearest. */
void cli_values_for_each(const uh_array *x, const double *range, uint64_t *nan, cli_values_function take,
                         void *context);

/* ---- smallest and largest value of the inputs, in one pass ------------------------------------------------------- */

/* Without a range, integers beyond 2^53 are rounded outwards, so that no value is outside. */
struct cli_extent {
    uint64_t n;        /* values in the range, without NaN; without one all finite values */
    uint64_t nan;      /* NaN values */
    uint64_t infinite; /* without a range: values left out, unless the inputs are strict */
    int strict;        /* as the inputs */
    double min, max;   /* inf and -inf if n = 0 */
};

/* Makes a pass over the inputs' values, those in `range` unless it is NULL. The extent is that of all processes'
 * values. */
int cli_extent_read(struct cli_inputs *inputs, uh_queue *queue, const double *range, struct cli_extent *extent);

/* Replaces the smallest and largest value of this process by those of all. */
int cli_extremes_join(double *min, double *max);

/* Computes numpy.histogram's range of the extent: 0 to 1 without values, half a unit on both sides of equal ones.
 * Returns -1 with a message if no value is finite, or if strict inputs have one that is not. */
int cli_extent_range(const struct cli_extent *extent, double *lo, double *hi);
