/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest and the largest value of the inputs, in one pass. */
#ifndef CLI_EXTENT_H
#define CLI_EXTENT_H

#include <stdint.h>

#include <unihist/histogram.h>

#include "api/cli/error.h"
#include "api/cli/input/inputs.h"

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

#endif
