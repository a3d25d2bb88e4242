/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/collective.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common/exchange.h"
#include "runtime/status.h"

/* A failed function means that the exchange is broken. */
static uh_status note_failure(struct uhi_collective *collective, uh_status status) {
    collective->failed |= status != UH_SUCCESS;
    return status;
}

uh_status uhi_collective_agree_maximum(struct uhi_collective *collective, uh_status mine, uint64_t *numbers, size_t n) {
    if (!collective->exchange || collective->failed)
        return mine;
    return note_failure(collective, uhi_exchange_maximum(collective->call, collective->exchange, mine, numbers, n));
}

uh_status uhi_collective_agree(struct uhi_collective *collective, uh_status mine) {
    uint64_t said;
    return uhi_collective_agree_maximum(collective, mine, &said, 1);
}

uh_status uhi_collective_agree_allocated(struct uhi_collective *collective, int made, const char *what, size_t count) {
    uh_status status = UH_SUCCESS;
    if (!made)
        status =
            uhi_fail(UH_ERROR_OUT_OF_MEMORY, collective->call, NULL, "no memory for %s of %zu points", what, count);
    return uhi_collective_agree(collective, status);
}

uh_status uhi_collective_agree_to_stop(struct uhi_collective *collective, uh_status mine, int *stopped) {
    uint64_t said[] = {0, *stopped != 0};
    const uh_status status = uhi_collective_agree_maximum(collective, mine, said, 2);
    *stopped = said[1] != 0;
    return status;
}

uh_status uhi_collective_fail(struct uhi_collective *collective, uh_status status) {
    return note_failure(collective, status);
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
    return exchange ? note_failure(collective, exchange->maximum(exchange->context, words, n)) : UH_SUCCESS;
}

uh_status uhi_collective_add(struct uhi_collective *collective, uint64_t *words, size_t n) {
    const uh_exchange *exchange = collective->exchange;
    return exchange ? note_failure(collective, exchange->combine(exchange->context, UH_COMBINE_ADD, words, n))
                    : UH_SUCCESS;
}

uh_status uhi_collective_broadcast(struct uhi_collective *collective, size_t from, void *bytes, size_t size) {
    const uh_exchange *exchange = collective->exchange;
    return exchange ? note_failure(collective, exchange->broadcast(exchange->context, from, bytes, size)) : UH_SUCCESS;
}

uh_status uhi_collective_trade(struct uhi_collective *collective, const void *const *out, const size_t *sent,
                               void *const *in, const size_t *received) {
    const uh_exchange *exchange = collective->exchange;
    if (exchange)
        return note_failure(collective, exchange->trade(exchange->context, out, sent, in, received));
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
    uh_status status = uhi_collective_offset(collective, n, &place, total);
    *all = NULL;
    if (status)
        return status;
    *all = calloc(*total + 1, sizeof **all);
    status = uhi_collective_allocated(collective, *all != NULL, "what all have", *total);
    if (status)
        return status;
    if (n > 0)
        memcpy(*all + place, words, n * sizeof *words);
    return uhi_collective_add(collective, *all, *total);
}
