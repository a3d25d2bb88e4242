/* SPDX-License-Identifier: Apache-2.0 */
/* Which peers there are: those that the build knows, and the programs in the folder. */
#ifndef PERF_PEERS_LIST_H
#define PERF_PEERS_LIST_H

#include "perf/peer_process.h"

#include <limits.h>

#define PEERS_PATH_MAX (PATH_MAX + 64)

/* Finds a peer's program. Returns 1 with its path, or 0 with the reason why it is not there. */
int peers_list_find(const char *name, char path[PEERS_PATH_MAX], char why[PERF_PEER_LINE]);

#endif
