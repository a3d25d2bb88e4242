/* SPDX-License-Identifier: Apache-2.0 */
/* Points with labels on a grid of cells: pixels, a terminal's characters, or bins of one coordinate. */
#ifndef CLI_RASTER_H
#define CLI_RASTER_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/output/clusters.h"

#define CLI_RASTER_POINTS ((size_t)1 << 22) /* of more, so many are drawn, evenly spread over their order */
#define CLI_RASTER_EMPTY  UINT32_MAX

/* What a picture shows of the points. Of one coordinate, the second one is 0. */
struct cli_cloud {
    const struct cli_clusters *clusters;
    size_t drawn;
    double low[2], high[2]; /* with some room around all */
};

struct cli_raster {
    size_t width, height;
    size_t *first;    /* votes of a cell: first[cell] to first[cell + 1], the topmost row first, */
    uint32_t *vote;   /* the label of each point there, ascending */
    uint32_t *winner; /* of each cell: the label that most have there, or CLI_RASTER_EMPTY */
    size_t fullest;   /* votes of a cell, at most */
};

/* Looks at the coordinates that are shown. */
struct cli_cloud cli_cloud_of(const struct cli_clusters *clusters);

/* Gives coordinate 0 or 1 of those that are shown, of a point and of a centroid. */
double cli_cloud_point(const struct cli_cloud *cloud, size_t point, size_t shown);
double cli_cloud_centroid(const struct cli_cloud *cloud, size_t cluster, size_t shown);

/* Each point votes in the cells that are at most `radius` from its own. Returns 0, or -1 when memory is short;
 * cli_raster_free in either case. */
int cli_raster_make(struct cli_raster *raster, const struct cli_cloud *cloud, size_t width, size_t height, int radius);

void cli_raster_free(struct cli_raster *raster);

#endif
