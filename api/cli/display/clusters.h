/* SPDX-License-Identifier: Apache-2.0 */
/* How clusters look, in pictures and on terminals. */
#ifndef CLI_DISPLAY_CLUSTERS_H
#define CLI_DISPLAY_CLUSTERS_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/output/clusters.h"

/* Returns red, green and blue, eight bits each, of a cluster: the ten largest can be told apart. */
enum { CLI_CLUSTER_COLOURS = 10 };
unsigned cli_clusters_rgb(uint32_t label);

/* Writes how many clusters and points there are, and how they were found. */
void cli_clusters_words(char *text, size_t size, const struct cli_clusters *clusters, const char *between);

#endif
