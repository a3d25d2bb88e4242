/* SPDX-License-Identifier: Apache-2.0 */
/** A toy: how many of n values have each bit set. */
#ifndef UNIHIST_TOY_H
#define UNIHIST_TOY_H

#include <unihist/device.h>

UH_BEGIN_C

/** Stores in counts[b], b < 32, how many of the n values at `x` (plain memory or USM) have bit b set. Returns when that
 * is done. UH_ERROR_INVALID_ARGUMENT, and what the device may say; nothing is stored then. */
UH_API uh_status uh_toy_bits(uh_queue *queue, const uint32_t *x, size_t n, uint64_t *counts);

UH_END_C

#endif
