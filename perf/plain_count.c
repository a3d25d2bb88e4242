/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with UH_ISA=v2, v3 or v4. */
#include "perf/plain_count.h"

#define JOIN(a, b)        a##b
#define NAME(prefix, isa) JOIN(prefix, isa)

void NAME(perf_plain_count_, UH_ISA)(const float *x, size_t n, const float *edges, size_t k, uint64_t *slots) {
    const float last = edges[k];
    for (size_t i = 0; i < n; i++) {
        const float value = x[i];
        const float *at = edges;
        for (size_t left = k + 1; left > 1;) {
            size_t half = left / 2;
            at += half & -(size_t)(at[half - 1] <= value); /* a mask, for which no compiler makes a branch */
            left -= half;
        }
        size_t slot = (size_t)(at - edges) + (*at <= value);
        slots[slot - (value == last)]++;
    }
}
