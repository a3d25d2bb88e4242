/* SPDX-License-Identifier: Apache-2.0 */
/* Progress reports from the ranks to rank 0, if the launcher's messages go to a terminal. */
#ifndef UNIHIST_MPI_WATCH_H
#define UNIHIST_MPI_WATCH_H

#include <mpi.h>

#include "api/cli/group.h"

/* Starts reporting; collective. Returns NULL if there is no terminal. */
struct cli_watch *watch_open(MPI_Comm comm);

/* Receives pending messages and frees the watch; collective. NULL is allowed. */
void watch_close(struct cli_watch *opened);

/* Opens the terminal to which the parents forward this process's messages through pipes. Returns NULL if there is
 * none. */
FILE *watch_find_terminal(void);

#endif
