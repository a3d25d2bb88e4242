/* SPDX-License-Identifier: Apache-2.0 */
/** @file mpi.h
 * Unihist over the processes of an MPI communicator. The library is libunihist_mpi, built for one MPI.
 *
 * Unless stated otherwise, for all functions:
 * - They are collective: all processes of the communicator, the ranks, call them in the same order. Arguments may
 *   differ where stated: arrays may have any length, including 0, and queues any device.
 * - A failure of one rank is a failure of all: each returns the status of the first rank that failed, and uh_last_error
 *   gives "rank R: " and the message of that rank. The outputs of all ranks are then unchanged. Only errors of the
 *   communicator are reported by the detecting rank alone: UH_ERROR_INVALID_ARGUMENT if MPI is not initialized, or for
 *   MPI_COMM_NULL and an intercommunicator; UH_ERROR_IO, with MPI's own text, if MPI fails.
 * - Two threads that use one communicator take turns.
 *
 * Source of the rounds that combine words: J. L. Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce
 * Algorithms", arXiv:2410.14234. */
#ifndef UNIHIST_MPI_H
#define UNIHIST_MPI_H

#include <mpi.h>

#include <unihist/device.h>
#include <unihist/exchange.h>
#include <unihist/histogram.h>

UH_BEGIN_C

/** Of all ranks each receives the result. */
#define UH_MPI_ALL_RANKS (-1)

/** Makes the exchange that connects the ranks (exchange.h). With it in their options, uh_integrate, uh_mean_shift and
 * uh_estimate_bandwidth, and as an argument uh_histogram_exchange, uh_bins_exchange and uh_base2_exchange, work on the
 * data of all ranks together, bit-identical to one process; and uh_exchange_agree lets ranks continue or stop together.
 * Its functions may be called with the caller's own numbers. One call at a time uses an exchange.
 *
 * With UH_MPI_ALL_RANKS for `root` all ranks receive. Otherwise rank `root` alone does, of uh_histogram_exchange: other
 * ranks' histograms are unchanged, and a rank sends about half as much. For n words (a count is one), each of P ranks
 * sends about 2 n 8 (P - 1) / P bytes in 2 ceil(log2 P) messages per 2^18 words; if more than half of a message's words
 * are 0, 16 bytes per non-zero word instead.
 *
 * The exchange copies the communicator (MPI_Comm_dup) to separate the library's messages from the caller's. The caller
 * destroys it before MPI_Finalize. */
UH_API uh_status uh_mpi_exchange_create(MPI_Comm comm, int root, uh_exchange **exchange);

/** Destroys an exchange, and frees its copy of the communicator; NULL is allowed. */
UH_API void uh_mpi_exchange_destroy(uh_exchange *exchange);

/** Returns the device this rank should use; do not free it. If several ranks run on one machine, the first gets the
 * machine's first GPU, and so on ("level_zero:0", "level_zero:1" of "level_zero:*"). If there are more ranks than GPUs,
 * the tiles of all GPUs are distributed; if there are more ranks than tiles, neighbouring ranks share one. Without a
 * GPU, it is the host. `*threads`, for uh_queue_options, is the rank's share of the CPUs it may run on, at least 1: the
 * CPUs the launcher bound it to or, for CPUs that several ranks may use, an equal part. If `device` is NULL, no device
 * is searched and no driver opened. */
UH_API uh_status uh_mpi_device(MPI_Comm comm, uh_device **device, uint32_t *threads);

UH_END_C

#endif
