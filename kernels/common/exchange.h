/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that make a call together: what one fails of, all fail of. */
#ifndef UHI_COMMON_EXCHANGE_H
#define UHI_COMMON_EXCHANGE_H

#include <unihist/exchange.h>

/* Checks an exchange; returns what messages name as the call. */
uh_status uhi_exchange_check(const char *call, const uh_exchange *exchange);
const char *uhi_exchange_call(const uh_exchange *exchange, const char *function);

/* Returns a process's status as a number whose maximum is of the first rank that failed; 0 for none. */
uint64_t uhi_exchange_failure(const uh_exchange *exchange, uh_status mine);

/* Has all processes fail as the one of that number did. */
uh_status uhi_exchange_fail(const char *call, const uh_exchange *exchange, uint64_t failed, uh_status mine);

/* As uh_exchange_agree, with a checked exchange. */
uh_status uhi_exchange_agree(const char *call, const uh_exchange *exchange, uh_status mine);

/* Returns words as one number, which differs where they do, but for a chance of 2^-64: each step is one to one, in the
 * word and in the number so far (`hash`, 0 for none). It has to be fast, and not to withstand an adversary. */
uint64_t uhi_exchange_hash(uint64_t hash, const uint64_t *words, size_t n);

#endif
