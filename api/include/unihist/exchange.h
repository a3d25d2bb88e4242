/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file exchange.h
 * Histograms, integrals and clusters of several processes, over any transport. The program supplies it as four
 * functions; <unihist/mpi.h> has them for MPI, ready to use.
 *
 * All processes of a group, `ranks` of them, make the same call of this header at the same time, each with its own
 * histogram and rank. They send words: 64-bit integers that are added. A count is one word, an exact sum one per 32-bit
 * digit of the widest exponent range of any process. So the result is, to the bit, that of one process with all the
 * data, in whatever order words are combined; except sums of UH_SUM_FAST, which are added as float64.
 *
 * A failure of one process is reported on all: each returns the status of the first rank that failed, and uh_last_error
 * names that rank and gives its message. Exceptions are an invalid `exchange` and a failure of one of its functions:
 * the connection is broken then, and the calls of other processes may fail or wait as those functions do.
 */
#ifndef UNIHIST_EXCHANGE_H
#define UNIHIST_EXCHANGE_H

#include <unihist/base.h>
#include <unihist/histogram.h>
#include <unihist/integrate.h>
#include <unihist/meanshift.h>

UH_BEGIN_C

/** How words are combined. */
typedef enum uh_combine {
    UH_COMBINE_ADD = 0,    /**< added modulo 2^64 */
    UH_COMBINE_OR = 1,     /**< bitwise or */
    UH_COMBINE_ADD_F64 = 2 /**< bits of float64, added as such; a word of 0 adds nothing */
} uh_combine;

/**
 * A group of processes, as seen by one of them. All processes call its functions in the same order, with matching
 * sizes; a function that returns an error must have called uh_set_last_error.
 */
typedef struct uh_exchange {
    size_t struct_size; /**< sizeof(uh_exchange) */
    void *context;      /**< passed to the functions */
    const char *call;   /**< name of the call in messages, a literal or __func__; NULL: that of the function called */
    size_t rank;        /**< rank of this process, below `ranks` */
    size_t ranks;       /**< number of processes, at most 2^30 */
    int receives;       /**< not 0: this process receives the result */
    /** Replaces each of n numbers by its maximum over all processes, on all of them. */
    uh_status (*maximum)(void *context, uint64_t *numbers, size_t n);
    /** Replaces each of n words by its combination over all processes, on those that receive; on others by any
     * value. */
    uh_status (*combine)(void *context, uh_combine how, uint64_t *words, size_t n);
    /** Sends the bytes of process `from` to all. */
    uh_status (*broadcast)(void *context, size_t from, void *bytes, size_t size);
    /** All-to-all: sends sent[r] bytes at out[r] to process r, and receives received[r] bytes from process r at in[r];
     * r includes the process itself. As many bytes are received as are sent; nothing passes between two processes that
     * have no bytes for each other. */
    uh_status (*trade)(void *context, const void *const *out, const size_t *sent, void *const *in,
                       const size_t *received);
} uh_exchange;

/**
 * Ranks exchange the status of a part of their work. Returns UH_SUCCESS if all pass it; otherwise all return the status
 * of the first rank that failed, and uh_last_error names that rank and gives its message. So processes go on, or stop,
 * together. Sends one number, and the message if there is one. UH_ERROR_INVALID_ARGUMENT for an invalid `exchange`.
 */
UH_API uh_status uh_exchange_agree(const uh_exchange *exchange, uh_status status);

/**
 * Replaces the histogram of each process that receives by the sum of all processes' histograms: cells, flows and
 * numbers of points, as uh_histogram_merge adds them; those of other processes do not change. Axes, storage, way of
 * adding, and library version must be the same on all, which is checked before anything is summed:
 * UH_ERROR_INCOMPATIBLE, with a message that names a rank and how it differs from rank 0. Over an axis that grows the
 * result has the largest number of cells of any process. Sends eight numbers by `maximum`, one word per flow counter
 * and three more, one number by `maximum`, and then the words of all cells. Takes memory for a second histogram
 * temporarily. UH_ERROR_OVERFLOW if the number of points would exceed 2^64 - 1, and errors as uh_histogram_merge. On
 * failure histograms are unchanged.
 */
UH_API uh_status uh_histogram_exchange(uh_histogram *histogram, const uh_exchange *exchange);

/** Maximum number of quantiles per call. */
#define UH_MAX_QUANTILES ((size_t)1 << 20)

/**
 * Exact quantiles of the values of all processes together, such as edges of bins of equal content. For nq
 * non-decreasing numbers q from 0 to 1, stores on each process numpy.quantile(..., q) of all values, to the bit. NaN
 * are ignored; a 64-bit integer that float64 cannot represent counts as the next smaller one that it can. Arrays may
 * have any types and lengths, 0 too; queues may be of any devices. Sends the counts of about 2^16 bins, up to 4 times,
 * as histograms; for many quantiles more often (about 64 / log2(2^16 / nq) times), and for more than 2^14 quantiles
 * more counts. No values are sent; `x` is read as many times. UH_ERROR_INVALID_ARGUMENT: no values at all, invalid q,
 * nq of 0 or above UH_MAX_QUANTILES, a process that does not receive; UH_ERROR_INCOMPATIBLE: q differs between
 * processes. On failure `values` is untouched. Source: D. E. Knuth, The Art of Computer Programming 3, 5.2.5, from the
 * most significant digit.
 */
UH_API uh_status uh_quantiles_exchange(uh_queue *queue, const uh_array *x, const double *q, size_t nq,
                                       const uh_exchange *exchange, double *values);

/**
 * uh_integrate by all processes together, each of which takes a part of every iteration's samples: all get the integral
 * that one process would get, to the bit, and so does the grid of `options`. Options, integrand and the floating-point
 * type of the devices must be the same on all, otherwise UH_ERROR_INCOMPATIBLE; queues may differ. `report`, `progress`
 * or the time limit of one process stops all; `kernel_ns` and `total_ns` are per process. An iteration of n samples of
 * one value sends three numbers by `maximum` per 2^28 samples, 14 words per 1024 samples, one word per bin and adjusted
 * axis, and with vegas_plus one word per cube; an integral of several values sends more.
 */
UH_API uh_status uh_integrate_exchange(uh_queue *queue, const uh_integrand *integrand,
                                       const uh_integrate_options *options, const uh_exchange *exchange,
                                       uh_integral *integral);

/**
 * uh_mean_shift of the points of all processes together, in rank order. Each has its own points, or none, and finds, to
 * the bit, what one process would find with all: all clusters, with their centroids and counts, and the labels and
 * moved points of its own; of seeds, which all make from the bins of all, its part, in rank order. `n` and `moved` are
 * per process; numbers of points and of interactions in iterations and clusters are totals; nanoseconds and the
 * arguments of `progress` are per process. Options, dims and the type must be the same on all, otherwise
 * UH_ERROR_INCOMPATIBLE; all must receive; queues may differ. Stopping one process stops all.
 *
 * Points are divided by cells of the radius into one slab per process, of equal numbers of points. The places to sum
 * for in an iteration are divided too, by the cost of their sums. A process visits the slabs that its places need, at
 * most four at a time: it holds that many blocks of others, and also memory in proportion to its own points and to its
 * share of all, the clusters, and the bins of seeds. An iteration of P processes sends, for each place that another
 * process sums, its coordinates, and dims + 2 words back; the points next to slabs, to each process that needs them; 8
 * bytes to each other process; 515 P + 2 words, and about 14 numbers by `maximum`. With `blurring`, points also change
 * slabs.
 */
UH_API uh_status uh_mean_shift_exchange(uh_queue *queue, const uh_array *points, size_t dims,
                                        const uh_mean_shift_options *options, const uh_exchange *exchange,
                                        uh_clusters **clusters);

/**
 * uh_estimate_bandwidth of the points of all processes together, in rank order: all get the result of one process, to
 * the bit. Each has its own points, 0 or more; dims, the points' type, quantile and samples must be the same on all,
 * otherwise UH_ERROR_INCOMPATIBLE; queues may differ. No distances are sent. P processes send P words and 2 dims + 5
 * numbers by `maximum`; then, per b = floor(2^22 / largest number of points of a process) samples, 1 to 4096, b dims
 * words, and in each pass 64 b words and 2 b + 1 numbers by `maximum`, for those whose neighbour is not found yet:
 * mostly 3 to 5 passes, at most 12. Takes memory for b samples' distances to the process's own points.
 * UH_ERROR_INVALID_ARGUMENT: as uh_estimate_bandwidth, no points at all, a process that does not receive;
 * UH_ERROR_CANCELLED if one is cancelled. On failure `bandwidth` is untouched. Source: as for uh_quantiles_exchange.
 */
UH_API uh_status uh_estimate_bandwidth_exchange(uh_queue *queue, const uh_array *points, size_t dims, double quantile,
                                                size_t samples, const uh_exchange *exchange, double *bandwidth);

UH_END_C

#endif
