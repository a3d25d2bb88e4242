/* SPDX-License-Identifier: Apache-2.0 */
/* What connects the ranks of a communicator: what it has been given to send, and how fast it is. */
#ifndef PERF_MPI_NETWORK_H
#define PERF_MPI_NETWORK_H

#include <unihist/mpi.h>

#include <stdint.h>

#include <mpi.h>

/* What this rank has sent between two ranks, as the program sees it between the library and MPI. */
extern struct perf_sent { uint64_t messages, bytes; } perf_sent;

/* By all ranks at once, as in a round: each sends to the next one, and receives from the one before. */
struct perf_network {
    double latency;   /* seconds of an exchange of 8 bytes; 0 of one rank alone */
    double bandwidth; /* bytes per second that a rank sends in an exchange of 1 MiB, its latency taken off */
};

struct perf_network perf_network_measure(MPI_Comm comm);

/* Ends all ranks if a call of the library has failed. */
void perf_mpi_check(uh_status status);

/* Waits for all ranks without taking a CPU from those that work. */
void perf_network_wait(MPI_Comm comm);

/* ---- tables, printed by rank 0 ---- */

/* Of histograms of n sizes, PERF_MPI_SIZES at most. Returns whether more has been sent than the formulas say. */
enum { PERF_MPI_SIZES = 16 };
int perf_mpi_counts(uh_queue *queue, const size_t *sizes, size_t n);

/* Of mean shift of that many points. */
void perf_mpi_points(uh_queue *queue, size_t n);

#endif
