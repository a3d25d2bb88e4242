/* SPDX-License-Identifier: Apache-2.0 */
/* Options of mean shift. */
#ifndef CLI_MEANSHIFT_OPTIONS_H
#define CLI_MEANSHIFT_OPTIONS_H

#include "api/cli/options.h"
#include "api/cli/output/clusters.h"

struct cli_shift_options {
    double bandwidth;              /* as given, 0: to be estimated */
    double quantile;               /* 0: the bandwidth is given */
    size_t shown[2], nshown;       /* coordinates; 0: not given */
    uh_mean_shift_options options; /* without the bandwidth */
};

/* Reads the options that do not depend on the points. */
int cli_shift_options_read(struct cli_shift_options *settings, const struct cli_arguments *arguments,
                           struct cli_error *error);

#endif
