/* SPDX-License-Identifier: Apache-2.0 */
/* Collective calls of several processes: a failure on one is reported on all. */
#ifndef UHI_COMMON_EXCHANGE_H
#define UHI_COMMON_EXCHANGE_H

#include <unihist/exchange.h>

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

#endif
