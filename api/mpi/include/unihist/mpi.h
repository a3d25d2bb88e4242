/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file mpi.h
 * Unihist over the processes of an MPI communicator; the library is libunihist_mpi, made for one MPI.
 *
 * These hold for all functions where a text does not say otherwise:
 * - They are collective: all its processes, the ranks, call them, in the same order. Arguments may differ where a text
 *   says so: arrays may have any lengths, 0 too, and queues be of any devices.
 * - A failure of one rank is one of all: each returns the status of the first rank that failed, and uh_last_error says
 *   "rank R: " and that rank's message. No rank's outputs are changed then. Only what is wrong with the communicator is
 *   told by the rank that finds it, alone: UH_ERROR_INVALID_ARGUMENT where MPI is not initialized, or for MPI_COMM_NULL
 *   and an intercommunicator; UH_ERROR_IO, with MPI's own text, where MPI fails.
 * - The first call with a communicator makes a copy of it (MPI_Comm_dup), so that nothing meets the caller's messages;
 *   it is freed with the communicator. Threads: as for the queue or histogram that is given; two threads that use one
 *   communicator take turns.
 *
 * Source of the rounds by which words are put together: J. L. Träff, "Optimal, Non-pipelined Reduce-scatter and
 * Allreduce Algorithms", arXiv:2410.14234.
 */
#ifndef UNIHIST_MPI_H
#define UNIHIST_MPI_H

#include <mpi.h>

#include <unihist/base.h>
#include <unihist/exchange.h>
#include <unihist/histogram.h>
#include <unihist/runtime.h>
#include <unihist/storage.h>

UH_BEGIN_C

/* ---- histograms ------------------------------------------------------------------------------------------------- */

/**
 * Makes of each rank's histogram the sum of all, to the bit what one process would have counted; see
 * uh_histogram_exchange (exchange.h) for what is compared before, what can fail, and UH_SUM_FAST. Who goes on to fill
 * should do so in another histogram: what has been summed would be summed once more.
 *
 * Of n words (a count is one) each of P ranks sends about 2 n 8 (P - 1) / P bytes in 2 ceil(log2 P) messages for each
 * 2^18 words; where more than half of the words of a message are 0, 16 bytes for each of the others instead.
 */
UH_API uh_status uh_mpi_histogram_allreduce(uh_histogram *histogram, MPI_Comm comm);

/**
 * The same for rank `root` alone; the histograms of the others stay as they are. A rank sends about half as much.
 * UH_ERROR_INVALID_ARGUMENT also for a root that is no rank.
 */
UH_API uh_status uh_mpi_histogram_reduce(uh_histogram *histogram, int root, MPI_Comm comm);

/* ---- integers --------------------------------------------------------------------------------------------------- */

/**
 * uh_bincount of all ranks' values together: each gets an array of *length counts, *length being one more than the
 * largest value of all, or the largest `minlength` that a rank gives where that is more. The caller frees it with
 * uh_bincount_free.
 */
UH_API uh_status uh_mpi_bincount(uh_queue *queue, const uh_array *x, size_t minlength, MPI_Comm comm, uint64_t **counts,
                                 size_t *length);

/** The same with the exact sums of weights, rounded once: uh_bincount_weighted with UH_SUM_EXACT. */
UH_API uh_status uh_mpi_bincount_weighted(uh_queue *queue, const uh_array *x, const uh_array *weights, size_t minlength,
                                          MPI_Comm comm, double **sums, size_t *length);

/* ---- integrals --------------------------------------------------------------------------------------------------- */

/**
 * uh_integrate, whose samples the ranks share: each gets the integral that one process would have got, to the bit. See
 * uh_integrate_exchange (exchange.h) for what has to be the same on all, and what is sent: O(log P) messages a rank for
 * each 2^28 samples of an iteration.
 */
UH_API uh_status uh_mpi_integrate(uh_queue *queue, const uh_integrand *integrand, const uh_integrate_options *options,
                                  MPI_Comm comm, uh_integral *integral);

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

/**
 * uh_mean_shift of the points of all ranks together: each has points of its own, or none, and gets all clusters, to the
 * bit those of one process with all points in the order of ranks, and the labels of its own points. Memory and work are
 * divided (uh_mean_shift_exchange in exchange.h, which says what is sent).
 */
UH_API uh_status uh_mpi_mean_shift(uh_queue *queue, const uh_array *points, size_t dims,
                                   const uh_mean_shift_options *options, MPI_Comm comm, uh_clusters **clusters);

/**
 * uh_estimate_bandwidth of all ranks' points together, to the bit: uh_estimate_bandwidth_exchange (exchange.h), which
 * says what has to be the same on all. Each rank has points of its own, or none. For each sample a rank sends up to
 * 16 (dims + 64 passes) (P - 1) / P bytes, some 4 KiB, many samples at a time in 2 ceil(log2 P) messages a pass.
 */
UH_API uh_status uh_mpi_estimate_bandwidth(uh_queue *queue, const uh_array *points, size_t dims, double quantile,
                                           size_t samples, MPI_Comm comm, double *bandwidth);

/* ---- what is every rank's own ------------------------------------------------------------------------------------ */

/**
 * uh_min_max of all ranks' values together, for bins over the range of data: uh_axis_create_equal(bins, min, max, ...).
 * One allreduce of three numbers.
 */
UH_API uh_status uh_mpi_min_max(uh_queue *queue, const uh_array *x, MPI_Comm comm, double *min, double *max,
                                uint64_t *nan);

/**
 * Exact quantiles of all ranks' values together, for bins of equal content: uh_quantiles_exchange (exchange.h), which
 * says what they are. Each rank gets all nq of them. A rank sends about 1 MiB for each of 4 passes or more over x.
 */
UH_API uh_status uh_mpi_quantiles(uh_queue *queue, const uh_array *x, const double *q, size_t nq, MPI_Comm comm,
                                  double *values);

/**
 * Divides samples offset .. offset + n - 1 of a stream (sample.h, random.h) among the ranks, in their order: this one's
 * are *first .. *first + *count - 1. Counts differ by 1 at most. A sample depends on its number alone, so that the
 * ranks together draw what one process would. Nothing is sent: ranks need not call it together.
 * UH_ERROR_INVALID_ARGUMENT where offset + n passes 2^64 - 1.
 */
UH_API uh_status uh_mpi_sample_part(uint64_t offset, uint64_t n, MPI_Comm comm, uint64_t *first, uint64_t *count);

/**
 * Lends this rank the device that it should work on, where several ranks run on one machine: the first of these has the
 * machine's first GPU, and so on ("level_zero:0", "level_zero:1" of "level_zero:*"); where they are more than the GPUs,
 * the tiles of all GPUs are dealt out, in runs of neighbouring ranks where they are fewer than these; the host where
 * there is no GPU. `*threads` is the rank's share of the CPUs that it may run on, at least 1, for uh_queue_options:
 * those that the launcher has bound it to, or, where several ranks may use a CPU, an equal part. Where `device` is
 * NULL none is looked for, and no driver opened.
 */
UH_API uh_status uh_mpi_device(MPI_Comm comm, uh_device **device, uint32_t *threads);

/* ---- work of one's own ------------------------------------------------------------------------------------------- */

/**
 * Makes what connects the ranks (exchange.h), all of which receive: for uh_exchange_agree, by which they go on or end
 * together, and for numbers of the caller's own, by its functions. The caller destroys it before MPI_Finalize.
 */
UH_API uh_status uh_mpi_exchange_create(MPI_Comm comm, uh_exchange **exchange);

/** Destroys it; NULL is allowed. Nothing is sent: ranks need not call it together. */
UH_API uh_status uh_mpi_exchange_destroy(uh_exchange *exchange);

UH_END_C

#endif
