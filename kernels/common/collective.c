/* SPDX-License-Identifier: Apache-2.0 */
/* A failure on one process is reported on all. */
#include <stdlib.h>
#include <string.h>

#include "kernels/common/collective.h"
#include "runtime/status.h"

uh_status uhi_exchange_check(const char *call, const char *argument, const uh_exchange *exchange) {
    if (!exchange)
        return uhi_fail_null(call, argument, "an exchange");
    UHI_TRY(uhi_sized_check(call, argument, exchange, sizeof *exchange));
    if (exchange->ranks < 1 || exchange->ranks > (size_t)1 << 30 || exchange->rank >= exchange->ranks)
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, UH_NO_INDEX, "rank",
                               "is %zu of %zu ranks, expected one below these, and 1 to 2^30 of them", exchange->rank,
                               exchange->ranks);
    if (!exchange->maximum || !exchange->combine || !exchange->broadcast || !exchange->trade)
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, UH_NO_INDEX,
                               !exchange->maximum     ? "maximum"
                               : !exchange->combine   ? "combine"
                               : !exchange->broadcast ? "broadcast"
                                                      : "trade",
                               "is NULL, expected a function");
    return UH_SUCCESS;
}

const char *uhi_exchange_call(const uh_exchange *exchange, const char *function) {
    return exchange && exchange->call ? exchange->call : function;
}

uh_status uhi_exchange_check_option(const char **call, const uh_exchange *exchange) {
    if (!exchange)
        return UH_SUCCESS;
    *call = uhi_exchange_call(exchange, *call);
    return uhi_exchange_check(*call, "options->exchange", exchange);
}

/* Fails on all processes with the error of rank `ranks - failed`. */
static uh_status fail_on_all(const char *call, const uh_exchange *exchange, uint64_t failed, uh_status mine) {
    struct {
        int64_t status;
        char text[UHI_MESSAGE_SIZE];
    } reported = {(int64_t)mine, ""};
    const size_t rank = exchange->ranks - (size_t)failed;
    if (rank == exchange->rank)
        strncpy(reported.text, uh_last_error_info()->text, sizeof reported.text - 1);
    uh_status status = exchange->broadcast(exchange->context, rank, &reported, sizeof reported);
    return status ? status : uhi_fail((uh_status)reported.status, call, NULL, "rank %zu: %s", rank, reported.text);
}

uh_status uhi_exchange_maximum(const char *call, const uh_exchange *exchange, uh_status mine, uint64_t *numbers,
                               size_t n) {
    numbers[0] = mine ? exchange->ranks - exchange->rank : 0; /* largest for the first rank that failed */
    const uh_status status = exchange->maximum(exchange->context, numbers, n);
    return status || !numbers[0] ? status : fail_on_all(call, exchange, numbers[0], mine);
}

uh_status uhi_exchange_agree(const char *call, const uh_exchange *exchange, uh_status mine) {
    uint64_t failed;
    return exchange ? uhi_exchange_maximum(call, exchange, mine, &failed, 1) : mine;
}

static uint64_t step(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Four independent hashes: each step waits for the one before it. */
uint64_t uhi_exchange_hash(uint64_t hash, const uint64_t *words, size_t n) {
    enum { LANES = 4 };
    uint64_t lane[LANES] = {hash, 1, 2, 3};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] = step(lane[j], words[i + j]);
    for (; i < n; i++)
        lane[0] = step(lane[0], words[i]);
    for (size_t j = 1; j < LANES; j++)
        lane[0] = step(lane[0], lane[j]);
    return lane[0];
}

/* ---- collective operations ---- */

/* Also for a function that failed: the exchange is broken. */
uh_status uhi_collective_fail(struct uhi_collective *collective, uh_status status) {
    collective->failed |= status != UH_SUCCESS;
    return status;
}

uh_status uhi_collective_agree_maximum(struct uhi_collective *collective, uh_status mine, uint64_t *numbers, size_t n) {
    if (!collective->exchange || collective->failed)
        return mine;
    return uhi_collective_fail(collective,
                               uhi_exchange_maximum(collective->call, collective->exchange, mine, numbers, n));
}

uh_status uhi_collective_agree(struct uhi_collective *collective, uh_status mine) {
    uint64_t said;
    return uhi_collective_agree_maximum(collective, mine, &said, 1);
}

uh_status uhi_collective_agree_allocated(struct uhi_collective *collective, int made, const char *what, size_t count) {
    uh_status status = UH_SUCCESS;
    if (!made)
        status = uhi_fail_memory(collective->call, "no memory for %s of %zu points", what, count);
    return uhi_collective_agree(collective, status);
}

uh_status uhi_collective_agree_to_stop(struct uhi_collective *collective, uh_status mine, int *stopped) {
    uint64_t said[] = {0, *stopped != 0};
    const uh_status status = uhi_collective_agree_maximum(collective, mine, said, 2);
    *stopped = said[1] != 0;
    return status;
}

uh_status uhi_collective_compare(struct uhi_collective *collective, uh_status mine, const uint64_t *words, size_t n,
                                 const char *differ) {
    const uint64_t hash = uhi_exchange_hash(0, words, n);
    uint64_t said[] = {0, hash, ~hash};
    const uh_status status = uhi_collective_agree_maximum(collective, mine, said, 3);
    if (status || said[1] == ~said[2])
        return status;
    return uhi_collective_fail(collective, uhi_fail(UH_ERROR_INCOMPATIBLE, collective->call, NULL, "%s", differ));
}

uh_status uhi_collective_maximum(struct uhi_collective *collective, uint64_t *words, size_t n) {
    const uh_exchange *exchange = collective->exchange;
    return exchange ? uhi_collective_fail(collective, exchange->maximum(exchange->context, words, n)) : UH_SUCCESS;
}

uh_status uhi_collective_add(struct uhi_collective *collective, uint64_t *words, size_t n) {
    const uh_exchange *exchange = collective->exchange;
    return exchange ? uhi_collective_fail(collective, exchange->combine(exchange->context, UH_COMBINE_ADD, words, n))
                    : UH_SUCCESS;
}

uh_status uhi_collective_broadcast(struct uhi_collective *collective, size_t from, void *bytes, size_t size) {
    const uh_exchange *exchange = collective->exchange;
    return exchange ? uhi_collective_fail(collective, exchange->broadcast(exchange->context, from, bytes, size))
                    : UH_SUCCESS;
}

uh_status uhi_collective_trade(struct uhi_collective *collective, const void *const *out, const size_t *sent,
                               void *const *in, const size_t *received) {
    const uh_exchange *exchange = collective->exchange;
    if (exchange)
        return uhi_collective_fail(collective, exchange->trade(exchange->context, out, sent, in, received));
    if (sent[0] > 0)
        memcpy(in[0], out[0], sent[0]);
    return UH_SUCCESS;
}

uh_status uhi_collective_offset(struct uhi_collective *collective, size_t n, size_t *place, size_t *total) {
    const size_t ranks = uhi_collective_ranks(collective), rank = uhi_collective_rank(collective);
    uint64_t *counts = calloc(ranks, sizeof *counts);
    uh_status status = uhi_collective_allocated(collective, counts != NULL, "what processes have", n);
    if (!status) {
        counts[rank] = n;
        status = uhi_collective_add(collective, counts, ranks);
    }
    *place = *total = 0;
    for (size_t r = 0; r < ranks && !status; r++) {
        *place += r < rank ? (size_t)counts[r] : 0;
        *total += (size_t)counts[r];
    }
    free(counts);
    return status;
}

uh_status uhi_collective_gather(struct uhi_collective *collective, const uint64_t *words, size_t n, uint64_t **all,
                                size_t *total) {
    size_t place = 0;
    *all = NULL;
    UHI_TRY(uhi_collective_offset(collective, n, &place, total));
    *all = calloc(*total + 1, sizeof **all);
    UHI_TRY(uhi_collective_allocated(collective, *all != NULL, "what all have", *total));
    if (n > 0)
        memcpy(*all + place, words, n * sizeof *words);
    return uhi_collective_add(collective, *all, *total);
}
