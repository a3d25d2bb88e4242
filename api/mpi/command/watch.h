/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranks tell rank 0 of how far they have come, where somebody looks on: where the launcher's messages go to a
 * terminal. */
#ifndef UNIHIST_MPI_WATCH_H
#define UNIHIST_MPI_WATCH_H

#include <mpi.h>

#include "api/cli/group.h"

/* Opens it, by all ranks together. Returns NULL where nobody looks on. */
struct cli_watch *watch_open(MPI_Comm comm);

/* Takes what is still on its way, by all ranks together; NULL is allowed. */
void watch_close(struct cli_watch *opened);

/* Opens the terminal that messages of this process come to by pipes that its parents read, or NULL. */
FILE *watch_find_terminal(void);

#endif
