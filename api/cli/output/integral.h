/* SPDX-License-Identifier: Apache-2.0 */
/* What `unihist integrate` has found, for all that write or draw it. Everything is lent. */
#ifndef CLI_INTEGRAL_H
#define CLI_INTEGRAL_H

#include <unihist/integrate.h>

#include "api/cli/error.h"

struct cli_integral {
    const char *expression, *file; /* one is NULL */
    const uh_integrate_options *options;
    const uh_integral *integral; /* with values and covariance */
    size_t values;
    const uh_iteration *iteration; /* integral->iterations of them */
    const uh_grid_properties *grid;
    const char *device;
    double seconds;
};

/* Writes it as JSON, to standard output where `path` is "-"; unihist-format(5) names the members. 0, or -1. */
int cli_integral_write(const char *path, const struct cli_integral *found, struct cli_error *error);

#endif
