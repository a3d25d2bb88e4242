/* SPDX-License-Identifier: Apache-2.0 */
/* Values of any element type as float64, a block at a time: what the bin rules compute with. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/histogram.h>

#include "api/cli/error.h"
#include "api/cli/input/inputs.h"

/* Maximum number of values of one block. */
#define CLI_BLOCK 1024

/* Takes one block of values, at most CLI_BLOCK; returns 0, or -1 with a message, which ends it. */
typedef int (*cli_values_take)(void *context, const double *block, size_t n, struct cli_error *error);

/* Has `take` called with values (which need not be aligned) a block at a time, as float64: without NaN and, where
 * `range` is not NULL, without what is outside [range[0], range[1]]. Adds the NaNs to `*nan`. Integers beyond 2^53 are
 * rounded to the nearest. Returns 0 or -1. */
int cli_values_each(const uh_array *x, const double *range, uint64_t *nan, cli_values_take take, void *context,
                    struct cli_error *error);

/* ---- the smallest and the largest value of the inputs, in one pass ----------------------------------------------- */

/* Without a range, integers beyond 2^53 are rounded outwards, so that no value lies outside. */
struct cli_extent {
    uint64_t n;      /* values that are not NaN, and lie in the range */
    uint64_t nan;    /* and those that are */
    double min, max; /* inf and -inf where n = 0 */
};

/* Makes a pass over the inputs, of those values that are in `range` unless it is NULL, and has `take`, unless it is
 * NULL, called with them as cli_values_each does. The extent is that of all processes' values. 0, or -1 with a message.
 */
int cli_extent_read(struct cli_inputs *inputs, uh_queue *queue, const double *range, cli_values_take take,
                    void *context, struct cli_extent *extent, struct cli_error *error);

/* Makes of the smallest and the largest of this process's values those of all processes'. 0, or -1 with a message. */
int cli_extremes_join(double *min, double *max, struct cli_error *error);

/* As numpy.histogram's range for the extent: 0 to 1 for no values, half a unit to both sides of equal ones. -1 with a
 * message where a value is NaN or infinite. */
int cli_extent_range(const struct cli_extent *extent, double *lo, double *hi, struct cli_error *error);

/* Order float64 as unsigned integers are ordered; NaN is none of them. */
uint64_t cli_key_of(double x);
double cli_value_of(uint64_t key);

/* Compares two float64, for qsort and bsearch. */
int cli_values_compare(const void *a, const void *b);

/* ---- moments ----------------------------------------------------------------------------------------------------- */

/* Sums of powers of the distance to the first value, in long double: this lies among the values, so at most the digits
 * of their number are lost when the sums are brought to the mean. Zero it, add, ask. */
struct cli_moments {
    uint64_t n;
    long double first, sum, squares, cubes;
};

/* Adds n values. */
void cli_moments_add(struct cli_moments *moments, const double *x, size_t n);

/* The standard deviation of the population (numpy.std), 0 for no values. */
double cli_moments_std(const struct cli_moments *moments);

/* The mean of ((x - mean) / std)^3; 0 where the deviation is 0. */
double cli_moments_skewness(const struct cli_moments *moments);

#endif
