/* SPDX-License-Identifier: Apache-2.0 */
/* The distribution that --distribution names. */
#ifndef CLI_DISTRIBUTION_H
#define CLI_DISTRIBUTION_H

#include <unihist/histogram.h>

#include "api/cli/error.h"

/* Zero it; freed by cli_distribution_free. */
struct cli_distribution {
    int given;
    uh_distribution distribution;
    double *numbers; /* a table's */
};

/* Reads the argument of --distribution: exponential:LOCATION,SCALE, normal:MEAN,SD, lognormal:MU,SIGMA or table:FILE, a
 * file of pairs x, F(x). 0; CLI_USAGE, or -1 for a file that cannot be used, with a message. */
int cli_distribution_parse(const char *text, struct cli_distribution *made, struct cli_error *error);

/* Makes `bins` bins of equal parts of the distribution, of all of it or, with `range`, of what lies between these two
 * numbers, which are the first edge and the last. The caller destroys the axis. 0, or -1 with a message. */
int cli_distribution_axis(const struct cli_distribution *made, size_t bins, const double *range, uh_closed closed,
                          uh_axis **axis, struct cli_error *error);

/* Puts in the place of the axis one that carries the distribution, unless none is given. 0, or -1 with a message. */
int cli_distribution_carry(const struct cli_distribution *made, uh_axis **axis, struct cli_error *error);

void cli_distribution_free(struct cli_distribution *made);

#endif
