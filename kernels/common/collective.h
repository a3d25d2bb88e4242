/* SPDX-License-Identifier: Apache-2.0 */
/* Collective operations of processes on divided data. All processes call each function at the same time; a single
 * process sends nothing and keeps its data. A failure on one is reported on all. */
#pragma once

#include <unihist/exchange.h>

struct uhi_collective {
    const char *call;            /* for messages */
    const uh_exchange *exchange; /* connects all processes; NULL: one process */
    int failed;                  /* a failure is known to all: no status is exchanged any more */
};

static inline size_t uhi_collective_rank(const struct uhi_collective *collective) {
    return collective->exchange ? collective->exchange->rank : 0;
}
static inline size_t uhi_collective_ranks(const struct uhi_collective *collective) {
    return collective->exchange ? collective->exchange->ranks : 1;
}

/* Exchange status and return the first failure. The second also sets `stopped` on all if it is set on one. */
uh_status uhi_collective_agree(struct uhi_collective *collective, uh_status mine);
uh_status uhi_collective_agree_to_stop(struct uhi_collective *collective, uh_status mine, int *stopped);

/* Agree on whether all have allocated memory, for `what` of `count` points. uhi_collective_allocated always fails if
 * `made` is 0. */
uh_status uhi_collective_agree_allocated(struct uhi_collective *collective, int made, const char *what, size_t count);
static inline uh_status uhi_collective_allocated(struct uhi_collective *collective, int made, const char *what,
                                                 size_t count) {
    const uh_status status = uhi_collective_agree_allocated(collective, made, what, count);
    return made || status ? status : UH_ERROR_OUT_OF_MEMORY;
}

/* As uhi_collective_agree, and replaces the last n - 1 of n numbers by their maximum over all; the first is used
 * internally. */
uh_status uhi_collective_agree_maximum(struct uhi_collective *collective, uh_status mine, uint64_t *numbers, size_t n);

/* Returns `status`, a failure that each process finds by itself from common data: it is not exchanged again. */
uh_status uhi_collective_fail(struct uhi_collective *collective, uh_status status);

/* Returns UH_ERROR_INCOMPATIBLE with this text if all agree on success but the words differ between processes. */
uh_status uhi_collective_compare(struct uhi_collective *collective, uh_status mine, const uint64_t *words, size_t n,
                                 const char *differ);

/* Replace words by their maximum, or sum, over all. */
uh_status uhi_collective_maximum(struct uhi_collective *collective, uint64_t *words, size_t n);
uh_status uhi_collective_add(struct uhi_collective *collective, uint64_t *words, size_t n);

/* Sends the bytes of one process to all. */
uh_status uhi_collective_broadcast(struct uhi_collective *collective, size_t from, void *bytes, size_t size);

/* As uh_exchange's `trade`. */
uh_status uhi_collective_trade(struct uhi_collective *collective, const void *const *out, const size_t *sent,
                               void *const *in, const size_t *received);

/* With items of all processes in the order of ranks, n on this one: stores the index of its first item and the
 * total. */
uh_status uhi_collective_offset(struct uhi_collective *collective, size_t n, size_t *place, size_t *total);

/* Gathers n words of each process on all, in the order of ranks: *total words, which the caller frees. */
uh_status uhi_collective_gather(struct uhi_collective *collective, const uint64_t *words, size_t n, uint64_t **all,
                                size_t *total);

/* ---- for calls that use an exchange directly ---- */

/* Check an exchange that the call names `argument`; return the name of the call for messages. */
uh_status uhi_exchange_check(const char *call, const char *argument, const uh_exchange *exchange);
const char *uhi_exchange_call(const uh_exchange *exchange, const char *function);

/* Checks options->exchange unless it is NULL; *call becomes the name for messages. */
uh_status uhi_exchange_check_option(const char **call, const uh_exchange *exchange);

/* As uh_exchange_agree, for a checked exchange; NULL: returns `mine`. */
uh_status uhi_exchange_agree(const char *call, const uh_exchange *exchange, uh_status mine);

/* The same, and replaces the last n - 1 of n numbers by their maximum over all processes; the first is used
 * internally. */
uh_status uhi_exchange_maximum(const char *call, const uh_exchange *exchange, uh_status mine, uint64_t *numbers,
                               size_t n);

/* Returns a hash of the words; different words are equal with a chance of 2^-64. Each step is a bijection of the
 * word and of the hash so far (`hash`, initially 0). Fast, not cryptographic. */
uint64_t uhi_exchange_hash(uint64_t hash, const uint64_t *words, size_t n);

/* ---- routes (routes.c): the rows of all processes are redistributed, so that they are sorted across processes; each
 * gets those of one range of the order, and ranges ascend with ranks. Within a process they stay in the order sent.
 * ---- */

/* Maximum key words per row. */
enum { UHI_ROUTES_KEY_WORDS = 18 };

/* Rows of one process, in order. */
struct uhi_routed_rows {
    size_t count, words;
    /* Stores the key words of a row; rows ascend lexicographically. */
    void (*row)(const void *context, size_t i, uint64_t *words);
    /* Returns the worth of a row, at least 1; NULL: all equal. Processes get rows of about equal total worth. */
    uint32_t (*worth)(const void *context, size_t i);
    const void *context;
};

/* Zero it, then call uhi_routes_open; uhi_routes_free works at any stage. */
struct uhi_routes {
    struct uhi_collective *collective;
    size_t *sent, *received; /* rows to and from each process */
    size_t given, taken;     /* totals of these */
    size_t *give, *take;     /* bytes per process in a trade */
    const void **out;        /* buffers per process in a trade */
    void **in;
};

uh_status uhi_routes_open(struct uhi_routes *routes, struct uhi_collective *collective);
void uhi_routes_free(struct uhi_routes *routes);

/* Decides the destination of each row; the first rows go to rank 0. */
uh_status uhi_routes_assign(struct uhi_routes *routes, const struct uhi_routed_rows *rows);

/* Exchanges the row counts if the caller has set `sent`. */
uh_status uhi_routes_exchange_counts(struct uhi_routes *routes);

/* Send `size` bytes per row to the process that received the row, and back to its origin. */
uh_status uhi_routes_send(struct uhi_routes *routes, const void *mine, size_t size, void *theirs);
uh_status uhi_routes_return(struct uhi_routes *routes, const void *theirs, size_t size, void *mine);
