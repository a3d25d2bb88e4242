/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that one would write around Random123's Philox4x32-10, compiled without making vectors of it. */
#ifndef PERF_PLAIN_PHILOX_H
#define PERF_PLAIN_PHILOX_H

#include <stddef.h>
#include <stdint.h>

/* Stores words 4 * block and following of a stream as <unihist/random.h> numbers them, n of them, a multiple of 4. */
void perf_plain_philox(uint64_t seed, uint64_t stream, uint64_t block, uint32_t *words, size_t n);

#endif
