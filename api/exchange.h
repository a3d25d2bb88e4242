/* SPDX-License-Identifier: Apache-2.0 */
/* What processes tell each other of their histograms before these are put together. */
#ifndef UHI_API_EXCHANGE_H
#define UHI_API_EXCHANGE_H

#include <unihist/exchange.h>

#include "kernels/accumulate/store.h"

/* Numbers of which the processes find the largest: of a hash, cells, exponents. */
enum { UHI_EXCHANGE_NUMBERS = 7 };

/* ---- agreeing (exchange_agree.c) ---- */

/* Checks an exchange; returns what messages name as the call. */
uh_status uhi_exchange_check(const char *call, const uh_exchange *exchange);
const char *uhi_exchange_call(const uh_exchange *exchange, const char *function);

/* Returns a process's status as a number whose maximum is of the first rank that failed; 0 for none. */
uint64_t uhi_exchange_failure(const uh_exchange *exchange, uh_status mine);

/* Has all processes fail as the one of that number did. */
uh_status uhi_exchange_fail(const char *call, const uh_exchange *exchange, uint64_t failed, uh_status mine);

/* As uh_exchange_agree, with a checked exchange. */
uh_status uhi_exchange_agree(const char *call, const uh_exchange *exchange, uh_status mine);

/* ---- what histograms are (exchange_alike.c) ---- */

/* Stores the numbers of a histogram whose contents are on the host, and which arrays its store keeps, if it has one
 * that more than counts. */
void uhi_exchange_describe(const uh_histogram *histogram, struct uhi_store_layout layout[UHI_STORE_ARRAYS],
                           uint64_t numbers[UHI_EXCHANGE_NUMBERS]);

/* Goes by the largest numbers: widens the layouts to what all processes have, stores how many cells there are. Returns
 * 1 where the processes' histograms may be of different kinds. */
int uhi_exchange_take(const uint64_t numbers[UHI_EXCHANGE_NUMBERS], struct uhi_store_layout layout[UHI_STORE_ARRAYS],
                      size_t *cells);

/* Compares the histograms of all processes with that of rank 0. UH_ERROR_INCOMPATIBLE, on all of them. */
uh_status uhi_exchange_compare(const char *call, const uh_exchange *exchange, uh_histogram *histogram);

#endif
