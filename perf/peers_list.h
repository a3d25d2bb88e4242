/* SPDX-License-Identifier: Apache-2.0 */
/* Which peers there are: the programs in the folder, and in its folder "others" those that count no histograms. */
#ifndef PERF_PEERS_LIST_H
#define PERF_PEERS_LIST_H

#include "perf/options.h"
#include "perf/peer_process.h"

#include <limits.h>

#define PEERS_PATH_MAX (PATH_MAX + 264)

/* Which are wanted, and how many seconds each may take for an answer. */
struct perf_peer_options {
    double timeout;
    size_t count;
    char name[PERF_LIST_MAX][PERF_PEER_NAME_MAX];
};

/* Finds a peer's program. Returns 1 with its path, or 0 with the reason why it is not there. */
int peers_list_find(const char *name, char path[PEERS_PATH_MAX], char why[PERF_PEER_LINE]);

/* 1 where a name is that of a peer; else 0. Writes the names of those of histograms, each with ", " behind. */
int perf_peers_known(const char *name, char *names, size_t size);

/* Adds those of histograms. */
int perf_peers_all(struct perf_peer_options *options, struct perf_error *error);

#endif
