/* SPDX-License-Identifier: Apache-2.0 */
/* Points with labels on a grid of cells: pixels, a terminal's characters, or bins of one coordinate. */
#ifndef CLI_RASTER_H
#define CLI_RASTER_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/output/clusters.h"

#define CLI_RASTER_POINTS ((size_t)1 << 22) /* of more, so many are drawn, evenly spread over their order */
#define CLI_RASTER_EMPTY  UINT32_MAX

/* A point that is drawn: its coordinates that are shown, 0 for the second one of one, and its cluster. */
struct cli_dot {
    double at[2];
    uint32_t label;
};

/* What a picture shows of the points. */
struct cli_cloud {
    const struct cli_clusters *clusters;
    struct cli_dot *dot; /* in the order of points */
    size_t drawn;
    double low[2], high[2]; /* with some room around all points */
};

struct cli_raster {
    size_t width, height;
    size_t *first;    /* votes of a cell: first[cell] to first[cell + 1], the topmost row first, */
    uint32_t *vote;   /* the label of each point there, ascending */
    uint32_t *winner; /* of each cell: the label that most have there, or CLI_RASTER_EMPTY */
    size_t fullest;   /* votes of a cell, at most */
};

/* Looks at the coordinates that are shown. Of several processes all make it together, and the first one has what is
 * drawn of all points. Returns 0, or -1 with a message; cli_cloud_free in either case. */
int cli_cloud_make(struct cli_cloud *cloud, const struct cli_clusters *clusters, struct cli_error *error);

void cli_cloud_free(struct cli_cloud *cloud);

/* Gives coordinate 0 or 1 of those that are shown, of a centroid. */
double cli_cloud_centroid(const struct cli_cloud *cloud, size_t cluster, size_t shown);

/* Each point votes in the cells that are at most `radius` from its own. Returns 0, or -1 when memory is short;
 * cli_raster_free in either case. */
int cli_raster_make(struct cli_raster *raster, const struct cli_cloud *cloud, size_t width, size_t height, int radius);

void cli_raster_free(struct cli_raster *raster);

#endif
