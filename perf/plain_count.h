/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that one would write instead of calling the library, compiled once for each x86-64 level. */
#ifndef PERF_PLAIN_COUNT_H
#define PERF_PLAIN_COUNT_H

#include <stddef.h>
#include <stdint.h>

/* Counts n values, none of them NaN, in k bins between the k + 1 `edges`, the last bin closed: slots[0] those below,
 * slots[1] to slots[k] those in the bins, slots[k + 1] those above. */
typedef void (*plain_count)(const float *x, size_t n, const float *edges, size_t k, uint64_t *slots);
void perf_plain_count_v2(const float *x, size_t n, const float *edges, size_t k, uint64_t *slots);
void perf_plain_count_v3(const float *x, size_t n, const float *edges, size_t k, uint64_t *slots);
void perf_plain_count_v4(const float *x, size_t n, const float *edges, size_t k, uint64_t *slots);

/* The one for a level as the library names it, "v2", "v3" or "v4". */
static inline plain_count perf_plain_count(const char *isa) {
    switch (isa[0] ? isa[1] : 0) {
    case '4': return perf_plain_count_v4;
    case '3': return perf_plain_count_v3;
    default: return perf_plain_count_v2;
    }
}

#endif
