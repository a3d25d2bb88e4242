/* SPDX-License-Identifier: Apache-2.0 */
/* Results of `unihist meanshift` for output and drawing. Everything is borrowed. Each process has only its own points,
 * labels and moved points; the rest is the same on all. */
#ifndef CLI_CLUSTERS_H
#define CLI_CLUSTERS_H

#include <stdio.h>

#include <unihist/meanshift.h>

#include "api/cli/error.h"
#include "api/cli/input/rows.h"

struct cli_clusters {
    const char *title; /* names of the inputs */
    const struct cli_rows *points;
    uint64_t moved; /* rows of found->shifted on all processes */
    const uh_mean_shift_options *options;
    double quantile; /* for the estimated bandwidth, 0 if that was given */
    const uh_clusters_properties *found;
    const uh_mean_shift_iteration *iteration; /* found->iterations entries */
    const char *plan, *device;
    uint32_t threads; /* of the host, 0 on a device */
    double seconds;
    size_t shown[2], nshown; /* coordinates shown in a picture */
};

/* Requested files; NULL: not requested; "-" for labels: standard output. */
struct cli_clusters_files {
    const char *labels, *centroids, *shifted, *plot;
};

#define CLI_CLUSTERS_TABLES ".npy or .csv"

/* Writes all files, or none if one cannot be written. Of several processes all call it together, each with its part of
 * the points, and the first one writes. */
int cli_clusters_write(const struct cli_clusters_files *files, const struct cli_clusters *clusters,
                       struct cli_error *error);

/* Prints the result as JSON; unihist-format(5) names the members. */
void cli_clusters_json(FILE *file, const struct cli_clusters *clusters);

#endif
