/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of the limit, compiled once for each x86-64 level. */
#ifndef PERF_LIMIT_READ_H
#define PERF_LIMIT_READ_H

#include <stddef.h>
#include <stdint.h>

/* The sum, modulo 2^64, of the 8-byte words of `bytes` bytes, a multiple of 8. `data` is 8-byte aligned. */
uint64_t perf_limit_read_v2(const unsigned char *data, size_t bytes);
uint64_t perf_limit_read_v3(const unsigned char *data, size_t bytes);
uint64_t perf_limit_read_v4(const unsigned char *data, size_t bytes);

#endif
