/* SPDX-License-Identifier: Apache-2.0 */
#include "api/mpi/command/watch.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of a rank's messages in flight; further ones are dropped. */
enum { ON_THEIR_WAY = 8, TAG = 1, FINISHED = 1 };

struct message {
    struct cli_part part;
    uint64_t finished;
};

struct watch {
    struct cli_watch watch;
    MPI_Comm comm; /* a copy, to separate its messages from others */
    int rank, ranks;
    struct message sent[ON_THEIR_WAY];
    MPI_Request request[ON_THEIR_WAY];
    struct cli_part *parts; /* rank 0 only: one per rank */
    int finished;           /* number of ranks that have finished sending */
};

static void send(struct watch *watch, int slot, const struct message *message) {
    watch->sent[slot] = *message;
    (void)MPI_Isend(&watch->sent[slot], (int)sizeof *message, MPI_BYTE, 0, TAG, watch->comm, &watch->request[slot]);
}

static void send_report(void *context, const struct cli_part *part) {
    struct watch *watch = context;
    int slot, done = 0;
    (void)MPI_Testany(ON_THEIR_WAY, watch->request, &slot, &done, MPI_STATUS_IGNORE);
    for (slot = 0; slot < ON_THEIR_WAY; slot++)
        if (watch->request[slot] == MPI_REQUEST_NULL) {
            send(watch, slot, &(struct message){.part = *part});
            return;
        }
}

/* Receives a pending message or, if `wait` is 1, the next one. Returns 1 if it received one. */
static int take(struct watch *watch, int wait) {
    struct message message;
    MPI_Status status;
    int there = wait;
    if (!wait && MPI_Iprobe(MPI_ANY_SOURCE, TAG, watch->comm, &there, &status) != MPI_SUCCESS)
        return 0;
    if (!there ||
        MPI_Recv(&message, (int)sizeof message, MPI_BYTE, MPI_ANY_SOURCE, TAG, watch->comm, &status) != MPI_SUCCESS)
        return 0;
    if (message.finished)
        watch->finished++;
    else
        watch->parts[status.MPI_SOURCE] = message.part;
    return 1;
}

static struct cli_part *look(void *context) {
    struct watch *watch = context;
    while (take(watch, 0))
        ;
    return watch->parts;
}

struct cli_watch *watch_open(MPI_Comm comm) {
    struct watch *watch = calloc(1, sizeof *watch);
    int rank = 0, ranks = 1, all = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    struct cli_part *parts = rank == 0 ? calloc((size_t)ranks, sizeof *parts) : NULL;
    FILE *terminal = rank == 0 ? watch_find_terminal() : NULL;
    int mine = watch && (rank > 0 || (terminal && parts));
    if (MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || !all || !watch ||
        MPI_Comm_dup(comm, &watch->comm) != MPI_SUCCESS) {
        if (terminal)
            fclose(terminal);
        free(parts);
        free(watch);
        return NULL;
    }
    watch->watch = (struct cli_watch){.terminal = terminal, .context = watch, .report = send_report, .look = look};
    watch->rank = rank;
    watch->ranks = ranks;
    watch->parts = parts;
    for (int i = 0; i < ON_THEIR_WAY; i++)
        watch->request[i] = MPI_REQUEST_NULL;
    return &watch->watch;
}

void watch_close(struct cli_watch *opened) {
    if (!opened)
        return;
    struct watch *watch = opened->context;
    if (watch->rank > 0) {
        MPI_Status statuses[ON_THEIR_WAY];
        (void)MPI_Waitall(ON_THEIR_WAY, watch->request, statuses);
        send(watch, 0, &(struct message){.finished = FINISHED});
        (void)MPI_Wait(&watch->request[0], MPI_STATUS_IGNORE);
    }
    while (watch->rank == 0 && watch->finished < watch->ranks - 1 && take(watch, 1))
        ;
    (void)MPI_Comm_free(&watch->comm);
    if (watch->watch.terminal)
        fclose(watch->watch.terminal);
    free(watch->parts);
    free(watch);
}
