/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `unihist merge` share. */
#ifndef CLI_MERGE_H
#define CLI_MERGE_H

#include <stddef.h>

#include <unihist/save.h>

#include "api/cli/options.h"
#include "api/cli/output/result.h"

struct cli_merge {
    int density, cumulative;
    const char *output, *plot; /* or NULL */
    char **paths;              /* of saved histograms */
    size_t npaths;
    uh_queue *queue; /* of the host */
    double start;    /* of the clock */
};

/* Merges the files, writes and shows the sum. Returns 0, -1 or CLI_USAGE with a message. */
int cli_merge_histograms(const struct cli_merge *merge, struct cli_error *error);

/* Returns 0 where two axes are equal; else -1 with a line that names both files and the first difference. `axis` is the
 * axis's number to be named, -1 for none. */
int cli_merge_check_axes(const char *path_a, const uh_axis *a, const char *path_b, const uh_axis *b, int axis,
                         struct cli_error *error);

/* Returns whether an axis has logarithmic bins, as --bins log:N makes them. */
int cli_merge_is_log(const uh_axis *axis);

#endif
