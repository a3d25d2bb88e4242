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

/* Converts at most CLI_BLOCK values (which need not be aligned) to float64 and drops NaN and, where `range` is not
 * NULL, what is outside [range[0], range[1]]. Returns how many it kept in `out`, and adds the NaNs to `*nan`. Integers
 * beyond 2^53 are rounded to the nearest. */
size_t cli_values_block(const uh_array *x, const double *range, double *out, uint64_t *nan);

/* Takes one block of them; returns 0, or -1 with a message, which ends it. */
typedef int (*cli_values_take)(void *context, const double *block, size_t n, struct cli_error *error);

/* Has `take` called with any number of values a block at a time. Returns 0 or -1. */
int cli_values_each(const uh_array *x, const double *range, uint64_t *nan, cli_values_take take, void *context,
                    struct cli_error *error);

/* Lowers `*min` and raises `*max` to take in values of a 64-bit integer type, rounded outwards where float64 cannot
 * hold them, so that no value lies outside. Does nothing for other types, which float64 holds exactly. 0, or -1 with a
 * message. */
int cli_values_widen(uh_queue *queue, const uh_array *x, double *min, double *max, struct cli_error *error);

/* ---- the smallest and the largest value of the inputs, in one pass ----------------------------------------------- */

/* Integers beyond 2^53 are rounded outwards, so that no value lies outside. */
struct cli_extent {
    uint64_t n;         /* values that are not NaN */
    uint64_t nan;       /* and those that are */
    double min, max;    /* inf and -inf where n = 0 */
    double min_above_0; /* the smallest positive value, inf where there is none; only where it was asked for */
};

/* 0, or -1 with a message. */
int cli_extent_read(struct cli_inputs *inputs, uh_queue *queue, int positive, struct cli_extent *extent,
                    struct cli_error *error);

/* As numpy.histogram's range for the extent: 0 to 1 for no values, half a unit to both sides of equal ones. -1 with a
 * message where a value is NaN or infinite. */
int cli_extent_range(const struct cli_extent *extent, double *lo, double *hi, struct cli_error *error);

/* ---- moments ----------------------------------------------------------------------------------------------------- */

/* Mean, standard deviation and skewness in one pass over any number of blocks. Each block is summed around its own
 * mean in long double, and merged by the formulas of Pebay, "Formulas for robust, one-pass parallel computation of
 * covariances and arbitrary-order statistical moments", SAND2008-6212, eq. (2.1) to (2.3). */

/* Zero it, add, ask. */
struct cli_moments {
    uint64_t n;
    long double mean, m2, m3; /* m2, m3: sums of the second and third powers of the distance to the mean */
};

/* Adds n finite values. */
void cli_moments_add(struct cli_moments *moments, const double *x, size_t n);

/* The standard deviation of the population (numpy.std), 0 for no values. */
double cli_moments_std(const struct cli_moments *moments);

/* The mean of ((x - mean) / std)^3; 0 where the deviation is 0. */
double cli_moments_skewness(const struct cli_moments *moments);

#endif
