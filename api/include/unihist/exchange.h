/* SPDX-License-Identifier: Apache-2.0 */
/** @file exchange.h
 * The connection of several processes, over any transport, for uh_histogram_exchange, uh_bins_exchange, uh_integrate,
 * uh_mean_shift and uh_estimate_bandwidth of all processes together. The program supplies it as four functions;
 * <unihist/mpi.h> makes one for MPI.
 *
 * All processes of a group, `ranks` of them, make the same call at the same time, each with its own data and rank. They
 * send words: 64-bit integers that are added. A count is one word, an exact sum one per 32-bit digit of the widest
 * exponent range of any process. So the result is, to the bit, that of one process with all the data, in any order of
 * combination; except sums of UH_SUM_FAST, which are added as float64.
 *
 * A failure of one process is reported on all: each returns the status of the first rank that failed, and uh_last_error
 * names that rank and gives its message. Exceptions are an invalid `exchange`, options of another size, and a failure
 * of one of the exchange's functions: the connection is broken then, and the calls of other processes may fail or wait
 * as those functions do. */
#ifndef UNIHIST_EXCHANGE_H
#define UNIHIST_EXCHANGE_H

#include <unihist/base.h>

UH_BEGIN_C

/** How words are combined. */
typedef enum uh_combine {
    UH_COMBINE_ADD = 0,    /**< added modulo 2^64 */
    UH_COMBINE_OR = 1,     /**< bitwise or */
    UH_COMBINE_ADD_F64 = 2 /**< bits of float64, added as such; a word of 0 adds nothing */
} uh_combine;

/** A group of processes, as seen by one of them. All processes call its functions in the same order, with matching
 * sizes; a function that returns an error must have called uh_set_last_error. */
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

/** Ranks exchange the status of a part of their work. Returns UH_SUCCESS if all pass it; otherwise all return the
 * status of the first rank that failed, and uh_last_error names that rank and gives its message. So processes go on, or
 * stop, together. Sends one number, and the message if there is one. UH_ERROR_INVALID_ARGUMENT for an invalid
 * `exchange`. */
UH_API uh_status uh_exchange_agree(const uh_exchange *exchange, uh_status status);

UH_END_C

#endif
