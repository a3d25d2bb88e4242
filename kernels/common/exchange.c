/* SPDX-License-Identifier: Apache-2.0 */
/* A failure on one process is reported on all. */
#include <string.h>

#include "kernels/common/exchange.h"
#include "runtime/status.h"

uh_status uhi_exchange_check(const char *call, const char *argument, const uh_exchange *exchange) {
    if (!exchange)
        return uhi_fail_null(call, argument, "an exchange");
    if (exchange->struct_size != sizeof *exchange)
        return uhi_fail_size(call, argument, exchange->struct_size, sizeof *exchange);
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
