/* SPDX-License-Identifier: Apache-2.0 */
/* What processes tell each other of their histograms before these are put together. */
#ifndef UHI_API_EXCHANGE_H
#define UHI_API_EXCHANGE_H

#include <unihist/exchange.h>

#include "kernels/accumulate/store.h"
#include "kernels/common/exchange.h"

/* Numbers of which the processes find the largest: of a hash, cells, exponents. */
enum { UHI_EXCHANGE_NUMBERS = 7 };

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
