/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of histograms that processes exchange before combining them. */
#pragma once

#include "api/histogram.h"
#include "kernels/common/collective.h"

/* Numbers whose maximum the processes find: a hash, cells, exponents. */
enum { UHI_EXCHANGE_NUMBERS = 7 };

/* ---- descriptions (exchange_alike.c) ---- */

/* Stores the numbers that describe a histogram whose contents are on the host and, unless its storage is COUNT, the
 * layouts of its store's arrays. */
void uhi_exchange_describe(const uh_histogram *histogram, struct uhi_store_layout layout[UHI_STORE_ARRAYS],
                           uint64_t numbers[UHI_EXCHANGE_NUMBERS]);

/* Applies the maxima: widens the layouts to the range of all processes and stores the number of cells. Returns 1 if the
 * processes' histograms may differ in kind. */
int uhi_exchange_take(const uint64_t numbers[UHI_EXCHANGE_NUMBERS], struct uhi_store_layout layout[UHI_STORE_ARRAYS],
                      size_t *cells);

/* Compares the histograms of all processes with that of rank 0. Returns UH_ERROR_INCOMPATIBLE on all of them. */
uh_status uhi_exchange_compare(const char *call, const uh_exchange *exchange, uh_histogram *histogram);
