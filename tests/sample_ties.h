/* SPDX-License-Identifier: Apache-2.0 */
/* What a sample must be, from the definitions in <unihist/sample.h> and Random123 alone, and weights that make a sample
 * a tie. */
#ifndef TEST_SAMPLE_TIES_H
#define TEST_SAMPLE_TIES_H

#include <stddef.h>
#include <stdint.h>

#include <Random123/philox.h>

/* u of sample i. */
static inline uint64_t tie_number(uint64_t seed, uint64_t i) {
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    uint64_t u = 0;
    for (uint32_t half = 0; half < 2; half++) {
        const philox4x32_ctr_t counter = {{(uint32_t)(i / 4), (uint32_t)(i / 4 >> 32), half, UINT32_C(1) << 31}};
        u = u << 32 | philox4x32(counter, key).v[i % 4];
    }
    return u;
}

/* The last of k outcomes that begins at or before u and has mass. */
static inline size_t tie_outcome(const uint64_t *c, size_t k, uint64_t u) {
    size_t outcome = 0;
    for (size_t j = 0; j < k; j++)
        outcome = c[j] <= u ? j : outcome;
    return outcome;
}

enum { TIE_OUTCOMES = 8 };

/* TIE_OUTCOMES integer weights of sum 2^64, so that these are the masses, and where they begin: at u, directly beside
 * it, where only the lower half differs, and at the neighbours of its upper half. u is not within 2^34 of 0 or 2^64. */
static inline void tie_weights(uint64_t u, uint64_t *weights, uint64_t *c) {
    const uint64_t top = u >> 32 << 32, one = UINT64_C(1) << 32;
    const uint64_t edges[TIE_OUTCOMES] = {0, top - one, top, u - 1, u, u + 1, top + one, top + 2 * one};
    for (size_t j = 0; j < TIE_OUTCOMES; j++) {
        c[j] = edges[j];
        for (size_t i = j; i > 0 && c[i] < c[i - 1]; i--) { /* u may be the first or the last of its upper half */
            const uint64_t larger = c[i - 1];
            c[i - 1] = c[i];
            c[i] = larger;
        }
    }
    for (size_t j = 0; j < TIE_OUTCOMES; j++)
        weights[j] = (j + 1 < TIE_OUTCOMES ? c[j + 1] : 0) - c[j];
}

#endif
