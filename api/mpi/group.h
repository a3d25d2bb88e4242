/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a communicator, as the calls of mpi.h use them. */
#ifndef UHM_GROUP_H
#define UHM_GROUP_H

#include <mpi.h>

#include <unihist/exchange.h>

/* Words that go through the rounds at a time, at most: what a message has fits an int, and memory does not grow. */
#define UHM_PIECE_WORDS ((size_t)1 << 18)

struct uhm_group {
    const char *call; /* for messages */
    MPI_Comm comm;    /* the library's own copy */
    int rank, ranks;
    const int *root;           /* that alone receives, or NULL: all ranks do */
    uint64_t *sent, *received; /* UHM_PIECE_WORDS each */
    uh_exchange exchange;      /* by the group itself */
};

/* Opens the ranks of a communicator; the exchange refers to *group. Fails on all ranks but for what is wrong with
 * communicator or MPI. The caller closes it, also after a failure. */
uh_status uhm_open(const char *call, MPI_Comm comm, const int *root, struct uhm_group *group);
void uhm_close(struct uhm_group *group);

/* UH_SUCCESS, or UH_ERROR_IO for what a function of MPI returned. */
uh_status uhm_check(const char *call, const char *function, int code);

/* Checks that a communicator is one of one group of ranks. */
uh_status uhm_check_comm(const char *call, MPI_Comm comm);

/* Notes a failure of an argument, or of none (""): `text` says what is wrong. Returns the status. */
uh_status uhm_fail(uh_status status, const char *call, const char *argument, const char *text);

/* UH_ERROR_INVALID_ARGUMENT, for an argument that must not be NULL. */
uh_status uhm_fail_null(const char *call, const char *argument, const char *expected);

/* As uh_exchange's `combine`; `context` is the group. */
uh_status uhm_combine(void *context, uh_combine how, uint64_t *words, size_t n);

#endif
