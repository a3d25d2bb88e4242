/* SPDX-License-Identifier: Apache-2.0 */
/* Appearance of clusters in pictures and on terminals: their colours, words, and points on a grid of cells: pixels, a
 * terminal's characters, or bins of one coordinate. */
#pragma once

#include "api/cli/output/result.h"

/* Returns a cluster's colour: red, green and blue, eight bits each. The ten largest clusters differ. */
enum { CLI_CLUSTER_COLOURS = 10 };
unsigned cli_clusters_rgb(uint32_t label);

/* Writes the numbers of clusters and points, and how the clusters were found. */
void cli_clusters_words(char *text, size_t size, const struct cli_clusters *clusters, const char *between);

/* Prints one line per cluster: its number, its number of points, and its centroid. */
void cli_clusters_print_lines(const uh_clusters_properties *found);

/* Prints how the clusters were found; with `all` everything known about it, above 1 the plan too. */
void cli_clusters_print_words(const struct cli_terminal *terminal, const struct cli_clusters *clusters, int all);

#define CLI_RASTER_POINTS ((size_t)1 << 22) /* of more points, this many are drawn, evenly spread over their order */
#define CLI_RASTER_EMPTY  UINT32_MAX

/* A drawn point: its shown coordinates (the second is 0 if only one is shown) and its cluster. */
struct cli_dot {
    double at[2];
    uint32_t label;
};

struct cli_cloud {
    const struct cli_clusters *clusters;
    struct cli_dot *dot; /* in the order of points */
    size_t drawn;
    double low[2], high[2]; /* range of all points with some margin */
};

struct cli_raster {
    size_t width, height;
    size_t *first;    /* votes of a cell: first[cell] to first[cell + 1]; topmost row first */
    uint32_t *vote;   /* labels of its points, ascending */
    uint32_t *winner; /* of each cell: its most frequent label, or CLI_RASTER_EMPTY */
    size_t fullest;   /* maximum number of votes of a cell */
};

/* Reads the shown coordinates. Of several processes all call it, and the first gets the drawn points of all. The
 * caller frees the dots in both cases. */
int cli_cloud_make(struct cli_cloud *cloud, const struct cli_clusters *clusters);
double cli_cloud_centroid(const struct cli_cloud *cloud, size_t cluster, size_t shown);

/* Each point votes in the cells at most `radius` from its own. Free it with cli_raster_free. */
void cli_raster_make(struct cli_raster *raster, const struct cli_cloud *cloud, size_t width, size_t height, int radius);
void cli_raster_free(struct cli_raster *raster);
