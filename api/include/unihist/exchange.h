/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file exchange.h
 * Histograms of several processes put together, and integrals that they share, by whatever connects these. A program
 * says how, in four functions; <unihist/mpi.h> is these functions for MPI, ready to use.
 *
 * All processes of a group, `ranks` of them, make the same call of this header at the same time, each with its own
 * histogram and with a rank of its own. What they send are words, integers of 64 bits that add up: a count is one, an
 * exact sum as many as it has digits of 32 bits in the widest of the processes' ranges of exponents. So the result has
 * the bits that one process would have got with all the data, whatever the order in which words are put together; but
 * sums of UH_SUM_FAST, which are added as float64.
 *
 * A failure of one process is one of all: each returns the status of the first rank that failed, and uh_last_error says
 * which that is and its message. But for an `exchange` that is none, and for a function of it that fails: what
 * connects the processes is broken then, and the calls of the others may fail or wait as those functions do.
 */
#ifndef UNIHIST_EXCHANGE_H
#define UNIHIST_EXCHANGE_H

#include <unihist/base.h>
#include <unihist/histogram.h>
#include <unihist/integrate.h>
#include <unihist/meanshift.h>

UH_BEGIN_C

/** How words are put together. */
typedef enum uh_combine {
    UH_COMBINE_ADD = 0,    /**< added modulo 2^64 */
    UH_COMBINE_OR = 1,     /**< each bit that any has */
    UH_COMBINE_ADD_F64 = 2 /**< the bits of float64, added as such; a word of 0 adds nothing */
} uh_combine;

/**
 * A group of processes, as one of them sees it. Its functions are called by all processes in the same order, with the
 * same numbers; any status but UH_SUCCESS is one that they have set (uh_set_last_error).
 */
typedef struct uh_exchange {
    size_t struct_size; /**< sizeof(uh_exchange) */
    void *context;      /**< handed to the functions */
    const char *call;   /**< what messages say was called, a literal or __func__; NULL is the function's own name */
    size_t rank;        /**< of this process, below `ranks` */
    size_t ranks;       /**< how many processes there are, at most 2^30 */
    int receives;       /**< not 0: this process gets the result */
    /** Replaces each of n numbers by the largest that a process has, on all of them. */
    uh_status (*maximum)(void *context, uint64_t *numbers, size_t n);
    /** Replaces each of n words by those of all processes, put together, on all that receive; on others by anything. */
    uh_status (*combine)(void *context, uh_combine how, uint64_t *words, size_t n);
    /** Brings the bytes of process `from` to all. */
    uh_status (*broadcast)(void *context, size_t from, void *bytes, size_t size);
    /** Brings each process the bytes that every one has for it: sent[r] bytes at out[r] to process r, and received[r]
     * bytes from process r to in[r]; what it has for itself is among both. As many are received as are sent; between
     * two processes that have none for each other nothing is. */
    uh_status (*trade)(void *context, const void *const *out, const size_t *sent, void *const *in,
                       const size_t *received);
} uh_exchange;

/**
 * Each process says what has come of a part of its work. UH_SUCCESS where all say that; else all return the status of
 * the first rank that failed, and uh_last_error says which and its message. So processes go on, or end, together. One
 * number is sent, and the message where there is one. UH_ERROR_INVALID_ARGUMENT for an `exchange` that is none.
 */
UH_API uh_status uh_exchange_agree(const uh_exchange *exchange, uh_status status);

/**
 * Makes of the histogram of each process that receives the sum of all processes' histograms: cells, flows and numbers
 * of points, as uh_histogram_merge would add them; those of other processes stay as they are. Axes, storage, way of
 * adding, and the version of the library have to be the same on all, which is found before anything is summed:
 * UH_ERROR_INCOMPATIBLE, and the message names a rank and how it differs from rank 0. Over an axis that grows there are
 * as many cells as any process has. Sent are eight numbers as maximum, one for each flow counter and three as words,
 * one number as maximum, and then the words of all cells. It takes memory for a second histogram for a while.
 * UH_ERROR_OVERFLOW where the number of points would pass 2^64 - 1, and as uh_histogram_merge. On failure histograms
 * are as before.
 */
UH_API uh_status uh_histogram_exchange(uh_histogram *histogram, const uh_exchange *exchange);

/** Most quantiles that one call finds. */
#define UH_MAX_QUANTILES ((size_t)1 << 20)

/**
 * Exact quantiles of the values of all processes together, such as edges of bins of equal content: stores, on each, for
 * nq numbers q from 0 to 1, which do not descend, what numpy.quantile(..., q) gives for all values, to the bit. NaN are
 * left out; a 64-bit integer that float64 does not hold counts as the next smaller number that it does. Arrays may have
 * any types and lengths, 0 too, and queues be of any devices. Sent are the counts of about 2^16 bins, up to 4 times, as
 * histograms; of many quantiles more often (64 / log2(2^16 / nq) times, or so), and of more than 2^14 more. No values
 * are sent, and `x` is read as often. UH_ERROR_INVALID_ARGUMENT: no values at all, wrong numbers, nq of 0 or above
 * UH_MAX_QUANTILES, a process that does not receive; UH_ERROR_INCOMPATIBLE: q is not the same on all. On failure
 * `values` is untouched. Source: D. E. Knuth, The Art of Computer Programming 3, 5.2.5, from the first digit on.
 */
UH_API uh_status uh_quantiles_exchange(uh_queue *queue, const uh_array *x, const double *q, size_t nq,
                                       const uh_exchange *exchange, double *values);

/**
 * uh_integrate by all processes together, each of which takes a part of every iteration's samples: all get the integral
 * that one process would have got, to the bit, and so does the grid of `options`. Options, integrand and the type of
 * numbers that devices integrate with have to be the same on all, else UH_ERROR_INCOMPATIBLE; queues may differ. An end
 * by `report`, `progress` or the time limit on one is one of all; `kernel_ns` and `total_ns` are each process's own.
 * Of an iteration of n samples of one value are sent three numbers as maximum for each 2^28 samples, as words 14 for
 * 1024 samples and one a bin and axis that adjusts, and of vegas_plus one a cube; an integral of several values has
 * more.
 */
UH_API uh_status uh_integrate_exchange(uh_queue *queue, const uh_integrand *integrand,
                                       const uh_integrate_options *options, const uh_exchange *exchange,
                                       uh_integral *integral);

/**
 * uh_mean_shift of the points of all processes together, those of rank 0 first. Each has points of its own, or none,
 * and finds, to the bit, what one process would find with all: all clusters, with their centroids and counts, and the
 * labels and moved points of its own; of seeds, which all make of the bins of all, its part of them, in the order of
 * ranks. `n` and `moved` are its own; what iterations and the clusters tell of numbers of points and of interactions is
 * of all, nanoseconds and what `progress` is told are each process's own. Options, dims and the type have to be the
 * same on all, else UH_ERROR_INCOMPATIBLE; all have to receive; queues may differ. What stops it on one stops it on
 * all.
 *
 * Points are divided by cells of the radius, a slab for each process with as many as the others, and so are the places
 * that are summed for in an iteration, by what their sums cost. A process looks at the slabs that its places need, four
 * at a time at most: so many blocks it holds of others, and besides what is in proportion to its own points and to its
 * share of all, the clusters, and the bins of seeds. Sent in an iteration of P processes are of each place that another
 * one sums for its coordinates, and dims + 2 words back; the points beside slabs, to each process that needs them; 8
 * bytes to each other process; 515 P + 2 words, and some 14 numbers as maximum. By `blurring` points change slabs, too.
 */
UH_API uh_status uh_mean_shift_exchange(uh_queue *queue, const uh_array *points, size_t dims,
                                        const uh_mean_shift_options *options, const uh_exchange *exchange,
                                        uh_clusters **clusters);

/**
 * uh_estimate_bandwidth of the points of all processes together, those of rank 0 first: all get what one process would
 * have got, to the bit. Each has points of its own, 0 or more; dims, the points' type, quantile and samples have to be
 * the same on all, else UH_ERROR_INCOMPATIBLE; queues may differ. No distances are sent. Of P processes are sent P
 * words and 2 dims + 5 numbers as maximum; then, of each b = floor(2^22 / most points of a process) samples, 1 to
 * 4096, b dims words, and in each pass b 64 words and 2 b + 1 numbers as maximum, for those of them whose neighbour
 * is not found yet: 3 to 5 passes mostly, 12 at most. Memory is taken for b samples' distances to the process's own
 * points. UH_ERROR_INVALID_ARGUMENT: as uh_estimate_bandwidth, no points at all, a process that does not receive;
 * UH_ERROR_CANCELLED where one is. On failure `bandwidth` is untouched. Source: as of uh_quantiles_exchange.
 */
UH_API uh_status uh_estimate_bandwidth_exchange(uh_queue *queue, const uh_array *points, size_t dims, double quantile,
                                                size_t samples, const uh_exchange *exchange, double *bandwidth);

UH_END_C

#endif
