/* SPDX-License-Identifier: Apache-2.0 */
/* The loops that the library is compared with, compiled once for each x86-64 level. */
#ifndef PERF_LOOPS_H
#define PERF_LOOPS_H

#include <stddef.h>
#include <stdint.h>

struct perf_loops {
    /* The sum, modulo 2^64, of the 8-byte words of `bytes` bytes, a multiple of 8. `data` is 8-byte aligned. */
    uint64_t (*add_up)(const unsigned char *data, size_t bytes);
    /* What one would write instead of calling the library: counts n values, none of them NaN, in k bins between the
     * k + 1 `edges`, the last bin closed: slots[0] those below, slots[1] to slots[k] those in the bins, slots[k + 1]
     * those above. */
    void (*count)(const float *x, size_t n, const float *edges, size_t k, uint64_t *slots);
    /* The Parboil histogram as its description says it in a sentence: counts n indices below `bins` in a table of
     * 32-bit counters, and then stores each as at most 255. */
    void (*saturate)(const uint32_t *indices, size_t n, uint32_t *table, size_t bins, uint8_t *out);
};
extern const struct perf_loops perf_loops_v2, perf_loops_v3, perf_loops_v4;

/* Those for a level as the library names it, "v2", "v3" or "v4". */
static inline const struct perf_loops *perf_loops(const char *isa) {
    switch (isa[0] ? isa[1] : 0) {
    case '4': return &perf_loops_v4;
    case '3': return &perf_loops_v3;
    default: return &perf_loops_v2;
    }
}

#endif
