/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a communicator, for the calls of mpi.h. */
#pragma once

#include <unihist/mpi.h>

/* Maximum number of words per pass through the rounds: message lengths fit an int, and memory stays bounded. */
#define UHM_PIECE_WORDS ((size_t)1 << 18)

struct uhm_group {
    const char *call; /* for messages */
    MPI_Comm comm;    /* the library's own copy */
    int rank, ranks;
    int root;                  /* the only receiver, or UH_MPI_ALL_RANKS */
    uint64_t *sent, *received; /* UHM_PIECE_WORDS words each */
    uh_exchange exchange;      /* its context is this group */
};

/* Opens the ranks of a communicator; the exchange refers to *group. Fails on all ranks, except for errors of the
 * communicator or MPI. The caller closes the group, also after a failure; both are collective. */
uh_status uhm_open(const char *call, MPI_Comm comm, int root, struct uhm_group *group);
void uhm_close(struct uhm_group *group);

/* Returns UH_SUCCESS, or UH_ERROR_IO if `code`, returned by an MPI function, is an error. */
uh_status uhm_check(const char *call, const char *function, int code);

/* Calls an MPI function, and checks its result so. */
#define UHM_CALL(call, function, ...) uhm_check(call, #function, function(__VA_ARGS__))

/* Stores a failure and returns its status. `argument`: "" if no argument is at fault; `text` describes the error. */
uh_status uhm_fail(uh_status status, const char *call, const char *argument, const char *text);

/* Returns UH_ERROR_INVALID_ARGUMENT for an argument that must not be NULL. */
uh_status uhm_fail_null(const char *call, const char *argument, const char *expected);

/* As uh_exchange.combine; `context` is the group. */
uh_status uhm_combine(void *context, uh_combine how, uint64_t *words, size_t n);
