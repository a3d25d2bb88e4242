/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/mpi/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRIALS = 15, SHORT_EXCHANGES = 100, LONG_EXCHANGES = 8, LONG_BYTES = 1 << 20 };

struct perf_sent perf_sent;

void perf_mpi_check(uh_status status) {
    if (status) {
        fprintf(stderr, "unihist-perf-mpi: %s\n", uh_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
    int size = 0;
    PMPI_Type_size(sendtype, &size);
    if (dest != MPI_PROC_NULL) {
        perf_sent.messages++;
        perf_sent.bytes += (uint64_t)sendcount * (uint64_t)size;
    }
    return PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                         comm, status);
}

/* Seconds of one exchange of all ranks, the least of some trials. */
static double exchange(MPI_Comm comm, char *sent, char *received, int bytes, int times) {
    int rank, ranks;
    double least = HUGE_VAL;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    for (int trial = 0; trial < TRIALS; trial++) {
        PMPI_Barrier(comm);
        const double start = PMPI_Wtime();
        for (int i = 0; i < times; i++)
            PMPI_Sendrecv(sent, bytes, MPI_BYTE, (rank + 1) % ranks, 0, received, bytes, MPI_BYTE,
                          (rank + ranks - 1) % ranks, 0, comm, MPI_STATUS_IGNORE);
        double took = (PMPI_Wtime() - start) / times;
        PMPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, comm);
        least = took < least ? took : least;
    }
    return least;
}

struct perf_network perf_network_measure(MPI_Comm comm) {
    struct perf_network network = {0, HUGE_VAL};
    int ranks;
    char *sent = calloc(LONG_BYTES, 1), *received = calloc(LONG_BYTES, 1);
    PMPI_Comm_size(comm, &ranks);
    if (!sent || !received)
        PMPI_Abort(comm, 1);
    if (ranks > 1) {
        network.latency = exchange(comm, sent, received, 8, SHORT_EXCHANGES);
        network.bandwidth = LONG_BYTES / (exchange(comm, sent, received, LONG_BYTES, LONG_EXCHANGES) - network.latency);
    }
    free(sent);
    free(received);
    return network;
}

void perf_network_wait(MPI_Comm comm) {
    const struct timespec pause = {0, 1000000};
    MPI_Request request;
    int done = 0;
    PMPI_Ibarrier(comm, &request);
    while (!done) {
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&pause, NULL);
    }
}
