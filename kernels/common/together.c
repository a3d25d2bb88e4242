/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/together.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common/exchange.h"
#include "runtime/status.h"

/* A failed function means that the exchange is broken. */
static uh_status note(struct uhi_together *together, uh_status status) {
    together->failed |= status != UH_SUCCESS;
    return status;
}

uh_status uhi_together_agree_maximum(struct uhi_together *together, uh_status mine, uint64_t *numbers, size_t n) {
    if (!together->exchange || together->failed)
        return mine;
    return note(together, uhi_exchange_maximum(together->call, together->exchange, mine, numbers, n));
}

uh_status uhi_together_agree(struct uhi_together *together, uh_status mine) {
    uint64_t said;
    return uhi_together_agree_maximum(together, mine, &said, 1);
}

uh_status uhi_together_agree_made(struct uhi_together *together, int made, const char *what, size_t count) {
    uh_status status = UH_SUCCESS;
    if (!made)
        status = uhi_fail(UH_ERROR_OUT_OF_MEMORY, together->call, NULL, "no memory for %s of %zu points", what, count);
    return uhi_together_agree(together, status);
}

uh_status uhi_together_agree_to_stop(struct uhi_together *together, uh_status mine, int *stopped) {
    uint64_t said[] = {0, *stopped != 0};
    const uh_status status = uhi_together_agree_maximum(together, mine, said, 2);
    *stopped = said[1] != 0;
    return status;
}

uh_status uhi_together_fail(struct uhi_together *together, uh_status status) { return note(together, status); }

uh_status uhi_together_compare(struct uhi_together *together, uh_status mine, const uint64_t *words, size_t n,
                               const char *differ) {
    const uint64_t hash = uhi_exchange_hash(0, words, n);
    uint64_t said[] = {0, hash, ~hash};
    const uh_status status = uhi_together_agree_maximum(together, mine, said, 3);
    if (status || said[1] == ~said[2])
        return status;
    return uhi_together_fail(together, uhi_fail(UH_ERROR_INCOMPATIBLE, together->call, NULL, "%s", differ));
}

uh_status uhi_together_maximum(struct uhi_together *together, uint64_t *words, size_t n) {
    const uh_exchange *exchange = together->exchange;
    return exchange ? note(together, exchange->maximum(exchange->context, words, n)) : UH_SUCCESS;
}

uh_status uhi_together_add(struct uhi_together *together, uint64_t *words, size_t n) {
    const uh_exchange *exchange = together->exchange;
    return exchange ? note(together, exchange->combine(exchange->context, UH_COMBINE_ADD, words, n)) : UH_SUCCESS;
}

uh_status uhi_together_broadcast(struct uhi_together *together, size_t from, void *bytes, size_t size) {
    const uh_exchange *exchange = together->exchange;
    return exchange ? note(together, exchange->broadcast(exchange->context, from, bytes, size)) : UH_SUCCESS;
}

uh_status uhi_together_trade(struct uhi_together *together, const void *const *out, const size_t *sent, void *const *in,
                             const size_t *received) {
    const uh_exchange *exchange = together->exchange;
    if (exchange)
        return note(together, exchange->trade(exchange->context, out, sent, in, received));
    if (sent[0] > 0)
        memcpy(in[0], out[0], sent[0]);
    return UH_SUCCESS;
}

uh_status uhi_together_place(struct uhi_together *together, size_t n, size_t *place, size_t *total) {
    const size_t ranks = uhi_together_ranks(together), rank = uhi_together_rank(together);
    uint64_t *counts = calloc(ranks, sizeof *counts);
    uh_status status = uhi_together_made(together, counts != NULL, "what processes have", n);
    if (!status) {
        counts[rank] = n;
        status = uhi_together_add(together, counts, ranks);
    }
    *place = *total = 0;
    for (size_t r = 0; r < ranks && !status; r++) {
        *place += r < rank ? (size_t)counts[r] : 0;
        *total += (size_t)counts[r];
    }
    free(counts);
    return status;
}

uh_status uhi_together_gather(struct uhi_together *together, const uint64_t *words, size_t n, uint64_t **all,
                              size_t *total) {
    size_t place = 0;
    uh_status status = uhi_together_place(together, n, &place, total);
    *all = NULL;
    if (status)
        return status;
    *all = calloc(*total + 1, sizeof **all);
    status = uhi_together_made(together, *all != NULL, "what all have", *total);
    if (status)
        return status;
    if (n > 0)
        memcpy(*all + place, words, n * sizeof *words);
    return uhi_together_add(together, *all, *total);
}
