/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers in bulk, on the queue's device. */
#pragma once

#include "kernels/random/random.h"

/* Generators have numbers below this. */
enum { UHI_GENERATORS = UH_PHILOX4X64_10 + 1 };

/* Stores n elements of a kind from index `offset` of the stream on, at `out`, plain host memory or USM; returns when
 * all are stored. Bounded kinds: below `bound` (0: 2^32 or 2^64; at most 2^32 for 32-bit elements), plus `add` in the
 * width of the stored type. Checks generator, `out`, and that the stream has these elements: UH_ERROR_INVALID_ARGUMENT,
 * naming `call`. */
uh_status uhi_random_fill(uh_queue *queue, const char *call, uh_generator generator, enum uhi_random_kind kind,
                          uint64_t seed, uint64_t stream, uint64_t offset, uint64_t bound, int64_t add, void *out,
                          size_t n);
