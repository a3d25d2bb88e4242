/* SPDX-License-Identifier: Apache-2.0 */
/* How clusters look, in pictures and on terminals. */
#ifndef CLI_DISPLAY_CLUSTERS_H
#define CLI_DISPLAY_CLUSTERS_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/display/text.h"
#include "api/cli/output/clusters.h"

/* Returns red, green and blue, eight bits each, of a cluster: the ten largest can be told apart. */
enum { CLI_CLUSTER_COLOURS = 10 };
unsigned cli_clusters_rgb(uint32_t label);

/* Writes how many clusters and points there are, and how they were found. */
void cli_clusters_words(char *text, size_t size, const struct cli_clusters *clusters, const char *between);

/* Prints a line a cluster: its number, how many points it has, and its centroid. */
void cli_clusters_print_lines(const uh_clusters_properties *found);

/* Prints how they were found, with `all` everything that is known of it. */
void cli_clusters_print_words(const struct cli_terminal *terminal, const struct cli_clusters *clusters, int all);

#endif
