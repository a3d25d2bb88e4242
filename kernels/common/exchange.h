/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that make a call together: what one fails of, all fail of. */
#ifndef UHI_COMMON_EXCHANGE_H
#define UHI_COMMON_EXCHANGE_H

#include <unihist/exchange.h>

/* Checks an exchange; returns what messages name as the call. */
uh_status uhi_exchange_check(const char *call, const uh_exchange *exchange);
const char *uhi_exchange_call(const uh_exchange *exchange, const char *function);

/* As uh_exchange_agree, with a checked exchange. */
uh_status uhi_exchange_agree(const char *call, const uh_exchange *exchange, uh_status mine);

/* The same, which also replaces the last n - 1 of n numbers by the largest that a process has; the first is for what is
 * agreed upon. */
uh_status uhi_exchange_maximum(const char *call, const uh_exchange *exchange, uh_status mine, uint64_t *numbers,
                               size_t n);

/* Returns words as one number, which differs where they do, but for a chance of 2^-64: each step is one to one, in the
 * word and in the number so far (`hash`, 0 for none). It has to be fast, and not to withstand an adversary. */
uint64_t uhi_exchange_hash(uint64_t hash, const uint64_t *words, size_t n);

#endif
