/* SPDX-License-Identifier: Apache-2.0 */
/* Options of `unihist meanshift`. */
#ifndef CLI_MEANSHIFT_OPTIONS_H
#define CLI_MEANSHIFT_OPTIONS_H

#include <stddef.h>

#include <unihist/meanshift.h>

#include "api/cli/error.h"
#include "api/cli/options.h"

struct cli_shift_options {
    double bandwidth;              /* as given, 0: to be estimated */
    double quantile;               /* 0: the bandwidth is given */
    size_t shown[2], nshown;       /* coordinates; 0: not given */
    uh_mean_shift_options options; /* without the bandwidth */
};

/* Reads the options that do not depend on the points. Returns 0, or -1 with a message. */
int cli_shift_options_read(struct cli_shift_options *settings, const struct cli_arguments *arguments,
                           struct cli_error *error);

#endif
