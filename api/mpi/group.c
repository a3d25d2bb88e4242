/* SPDX-License-Identifier: Apache-2.0 */
#include "api/mpi/group.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- exchange functions ---- */

/* Flipping the top bit makes signed order equal unsigned order: MPICH 4.0 computes the maximum of MPI_UINT64_T as if it
 * were signed. */
#define FIRST_BIT ((uint64_t)1 << 63)

static uh_status maximum(void *context, uint64_t *numbers, size_t n) {
    const struct uhm_group *group = context;
    for (size_t i = 0; i < n; i++)
        numbers[i] ^= FIRST_BIT;
    const uh_status status =
        UHM_CALL(group->call, MPI_Allreduce, MPI_IN_PLACE, numbers, (int)n, MPI_INT64_T, MPI_MAX, group->comm);
    for (size_t i = 0; i < n; i++)
        numbers[i] ^= FIRST_BIT;
    return status;
}

static uh_status broadcast(void *context, size_t from, void *bytes, size_t size) {
    const struct uhm_group *group = context;
    uh_status status = UH_SUCCESS;
    for (size_t at = 0; at < size && !status;) {
        const size_t n = size - at < INT_MAX ? size - at : INT_MAX;
        status = UHM_CALL(group->call, MPI_Bcast, (char *)bytes + at, (int)n, MPI_BYTE, (int)from, group->comm);
        at += n;
    }
    return status;
}

/* Sends bytes to one rank and receives bytes from another, block by block; an empty direction uses MPI_PROC_NULL. */
static uh_status swap(const struct uhm_group *group, int to, const char *out, size_t sent, int from, char *in,
                      size_t received) {
    const size_t piece = (size_t)1 << 30;
    uh_status status = UH_SUCCESS;
    MPI_Status ignored;
    while (!status && (sent > 0 || received > 0)) {
        const size_t give = sent < piece ? sent : piece, take = received < piece ? received : piece;
        status = UHM_CALL(group->call, MPI_Sendrecv, out, (int)give, MPI_BYTE, give ? to : MPI_PROC_NULL, 0, in,
                          (int)take, MPI_BYTE, take ? from : MPI_PROC_NULL, 0, group->comm, &ignored);
        sent -= give;
        received -= take;
        out = sent ? out + give : out; /* `out` may be NULL if there is nothing to send */
        in = received ? in + take : in;
    }
    return status;
}

/* In each round every rank sends to the rank `by` places after it, if there are bytes to send: ranks with nothing for
 * each other do not wait. */
static uh_status trade(void *context, const void *const *out, const size_t *sent, void *const *in,
                       const size_t *received) {
    const struct uhm_group *group = context;
    const size_t ranks = (size_t)group->ranks, rank = (size_t)group->rank;
    uh_status status = UH_SUCCESS;
    if (sent[rank] > 0)
        memcpy(in[rank], out[rank], sent[rank]);
    for (size_t by = 1; by < ranks && !status; by++) {
        const size_t to = (rank + by) % ranks, from = (rank + ranks - by) % ranks;
        status = swap(group, (int)to, out[to], sent[to], (int)from, in[from], received[from]);
    }
    return status;
}

static uh_status check_comm(const char *call, MPI_Comm comm) {
    int initialized = 0, finalized = 0, inter = 0;
    (void)MPI_Initialized(&initialized);
    (void)MPI_Finalized(&finalized);
    if (!initialized || finalized)
        return uhm_fail(UH_ERROR_INVALID_ARGUMENT, call, "comm", "comm is used outside MPI_Init and MPI_Finalize");
    if (comm == MPI_COMM_NULL)
        return uhm_fail(UH_ERROR_INVALID_ARGUMENT, call, "comm", "comm is MPI_COMM_NULL, expected a communicator");
    uh_status status = UHM_CALL(call, MPI_Comm_test_inter, comm, &inter);
    if (!status && inter)
        return uhm_fail(UH_ERROR_INVALID_ARGUMENT, call, "comm",
                        "comm is an intercommunicator, expected one of one group");
    return status;
}

static uh_status make_room(struct uhm_group *group) {
    char text[128];
    group->sent = malloc(UHM_PIECE_WORDS * sizeof *group->sent);
    group->received = malloc(UHM_PIECE_WORDS * sizeof *group->received);
    if (!group->sent || !group->received)
        return uhm_fail(UH_ERROR_OUT_OF_MEMORY, group->call, "", "no memory for messages");
    if (group->root != UH_MPI_ALL_RANKS && (group->root < 0 || group->root >= group->ranks)) {
        snprintf(text, sizeof text, "root is %d, expected 0 to %d, or UH_MPI_ALL_RANKS", group->root, group->ranks - 1);
        return uhm_fail(UH_ERROR_INVALID_ARGUMENT, group->call, "root", text);
    }
    return UH_SUCCESS;
}

uh_status uhm_open(const char *call, MPI_Comm comm, int root, struct uhm_group *group) {
    *group = (struct uhm_group){.call = call, .comm = MPI_COMM_NULL, .root = root};
    uh_status status = check_comm(call, comm);
    if (!status)
        status = UHM_CALL(call, MPI_Comm_dup, comm, &group->comm);
    if (!status)
        status = UHM_CALL(call, MPI_Comm_set_errhandler, group->comm, MPI_ERRORS_RETURN);
    if (!status)
        status = UHM_CALL(call, MPI_Comm_rank, group->comm, &group->rank);
    if (!status)
        status = UHM_CALL(call, MPI_Comm_size, group->comm, &group->ranks);
    if (status)
        return status;
    group->exchange = (uh_exchange){.struct_size = sizeof group->exchange,
                                    .context = group,
                                    .call = call,
                                    .rank = (size_t)group->rank,
                                    .ranks = (size_t)group->ranks,
                                    .receives = root == UH_MPI_ALL_RANKS || root == group->rank,
                                    .maximum = maximum,
                                    .combine = uhm_combine,
                                    .broadcast = broadcast,
                                    .trade = trade};
    return uh_exchange_agree(&group->exchange, make_room(group));
}

void uhm_close(struct uhm_group *group) {
    free(group->sent);
    free(group->received);
    if (group->comm != MPI_COMM_NULL)
        (void)MPI_Comm_free(&group->comm);
}

/* ---- exchanges for callers ---- */

uh_status uh_mpi_exchange_create(MPI_Comm comm, int root, uh_exchange **exchange) {
    struct uhm_group group, *made = NULL;
    uh_status status = uhm_open(__func__, comm, root, &group);
    if (!status) {
        uh_status mine = UH_SUCCESS;
        if (!exchange)
            mine = uhm_fail_null(__func__, "exchange", "where to store it");
        else if (!(made = malloc(sizeof *made)))
            mine = uhm_fail(UH_ERROR_OUT_OF_MEMORY, __func__, "", "no memory for an exchange");
        status = uh_exchange_agree(&group.exchange, mine);
    }
    if (status || !made || !exchange) {
        free(made);
        uhm_close(&group);
        return status;
    }
    *made = group;
    made->exchange.context = made;
    made->exchange.call = NULL; /* messages then name the calling function */
    *exchange = &made->exchange;
    return UH_SUCCESS;
}

void uh_mpi_exchange_destroy(uh_exchange *exchange) {
    if (exchange) {
        struct uhm_group *group = exchange->context;
        uhm_close(group);
        free(group);
    }
}
