/* SPDX-License-Identifier: Apache-2.0 */
/* What `unihist meanshift` has found, for all that write or draw it. Everything is lent. Of several processes each has
 * the points, labels and moved points that are its own, and all have the same of the rest. */
#ifndef CLI_CLUSTERS_H
#define CLI_CLUSTERS_H

#include <stdio.h>

#include <unihist/meanshift.h>

#include "api/cli/error.h"
#include "api/cli/input/rows.h"

struct cli_clusters {
    const char *title; /* the names of the inputs */
    const struct cli_rows *points;
    uint64_t moved; /* rows of found->shifted, of all processes */
    const uh_mean_shift_options *options;
    double quantile; /* of which the bandwidth was estimated, 0 where it was given */
    const uh_clusters_properties *found;
    const uh_mean_shift_iteration *iteration; /* found->iterations of them */
    const char *plan, *device;
    uint32_t threads; /* of the host, 0 on a device */
    double seconds;
    size_t shown[2], nshown; /* the coordinates that a picture shows */
};

/* The files that are wanted; NULL: not this one, "-" for labels: standard output. */
struct cli_clusters_files {
    const char *labels, *centroids, *shifted, *plot;
};

#define CLI_CLUSTERS_TABLES ".npy or .csv"

/* Writes all of the files, or none where one cannot be. Of several processes all make it together, each with its part
 * of the points, and the first one writes. 0, or -1 with a message. */
int cli_clusters_write(const struct cli_clusters_files *files, const struct cli_clusters *clusters,
                       struct cli_error *error);

/* Prints it as JSON; unihist-format(5) names the members. */
void cli_clusters_json(FILE *file, const struct cli_clusters *clusters);

/* "converged", "iterations" or "stopped". */
const char *cli_clusters_end(uh_mean_shift_end end);

#endif
