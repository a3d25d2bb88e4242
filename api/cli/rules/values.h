/* SPDX-License-Identifier: Apache-2.0 */
/* Values of any element type as float64, in blocks, for the bin rules. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/histogram.h>

#include "api/cli/error.h"
#include "api/cli/input/inputs.h"

/* Maximum number of values per block. */
#define CLI_BLOCK 1024

/* Takes a block of at most CLI_BLOCK values. Returns 0, or -1 with a message, which ends the calls. */
typedef int (*cli_values_function)(void *context, const double *block, size_t n, struct cli_error *error);

/* Calls `take` with values (which may be unaligned) in blocks, as float64: without NaN and, if `range` is not NULL,
 * without values outside [range[0], range[1]]. Adds the number of NaNs to `*nan`. Integers beyond 2^53 are rounded to
 * the nearest. */
int cli_values_for_each(const uh_array *x, const double *range, uint64_t *nan, cli_values_function take, void *context,
                        struct cli_error *error);

/* ---- smallest and largest value of the inputs, in one pass ------------------------------------------------------- */

/* Without a range, integers beyond 2^53 are rounded outwards, so that no value is outside. */
struct cli_extent {
    uint64_t n;      /* values in the range, without NaN */
    uint64_t nan;    /* NaN values */
    double min, max; /* inf and -inf if n = 0 */
};

/* Makes a pass over the inputs' values, those in `range` unless it is NULL, and calls `take`, unless it is NULL, as
 * cli_values_for_each does. The extent is that of all processes' values. */
int cli_extent_read(struct cli_inputs *inputs, uh_queue *queue, const double *range, cli_values_function take,
                    void *context, struct cli_extent *extent, struct cli_error *error);

/* Replaces the smallest and largest value of this process by those of all. */
int cli_extremes_join(double *min, double *max, struct cli_error *error);

/* Computes numpy.histogram's range of the extent: 0 to 1 without values, half a unit on both sides of equal ones.
 * Returns -1 with a message if a value is NaN or infinite. */
int cli_extent_range(const struct cli_extent *extent, double *lo, double *hi, struct cli_error *error);

/* Convert float64 to keys with the order of unsigned integers, and back; NaN has none. */
uint64_t cli_key_of(double x);
double cli_value_of(uint64_t key);

/* Compares two float64, for qsort and bsearch. */
int cli_values_compare(const void *a, const void *b);

/* ---- moments ----------------------------------------------------------------------------------------------------- */

/* Sums of powers of the distance to the first value, in long double: it is among the values, so at most the digits of
 * their number are lost when the sums are moved to the mean. Zero-initialize, add, query. */
struct cli_moments {
    uint64_t n;
    long double first, sum, squares, cubes;
};

void cli_moments_add(struct cli_moments *moments, const double *x, size_t n);

/* Returns the standard deviation of the population (numpy.std), 0 without values. */
double cli_moments_std(const struct cli_moments *moments);

/* Returns the mean of ((x - mean) / std)^3, 0 if the deviation is 0. */
double cli_moments_skewness(const struct cli_moments *moments);

#endif
