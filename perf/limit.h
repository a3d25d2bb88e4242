/* SPDX-License-Identifier: Apache-2.0 */
/* The limit: how fast this machine can read the array once. No method that reads every value can be faster. */
#ifndef PERF_LIMIT_H
#define PERF_LIMIT_H

#include <stddef.h>
#include <stdint.h>

/* An array to read, and what the sum of its 8-byte words, modulo 2^64, must be. */
struct perf_limit {
    const void *data;
    size_t bytes;
    uint32_t threads;
    uint64_t expected, sum;
};

/* Adds the words up one by one, for the check; the bytes beyond the last whole word are left out. */
void perf_limit_init(struct perf_limit *limit, const void *data, size_t bytes, uint32_t threads);

/* Reads the array with `threads` threads and the widest instructions of this CPU, and sets `sum`. */
void perf_limit_read(struct perf_limit *limit);

#endif
