/* SPDX-License-Identifier: Apache-2.0 */
/* Appearance of clusters in pictures and on terminals. */
#ifndef CLI_DISPLAY_CLUSTERS_H
#define CLI_DISPLAY_CLUSTERS_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/display/text.h"
#include "api/cli/output/clusters.h"

/* Returns a cluster's colour: red, green and blue, eight bits each. The ten largest clusters differ. */
enum { CLI_CLUSTER_COLOURS = 10 };
unsigned cli_clusters_rgb(uint32_t label);

/* Writes the numbers of clusters and points, and how the clusters were found. */
void cli_clusters_words(char *text, size_t size, const struct cli_clusters *clusters, const char *between);

/* Prints one line per cluster: its number, its number of points, and its centroid. */
void cli_clusters_print_lines(const uh_clusters_properties *found);

/* Prints how the clusters were found; with `all`, everything known about it. */
void cli_clusters_print_words(const struct cli_terminal *terminal, const struct cli_clusters *clusters, int all);

#endif
