/* SPDX-License-Identifier: Apache-2.0 */
/* The loops that the library is compared with. */
#pragma once

#include "tests/integrands.h"
#include <stddef.h>
#include <stdint.h>

/* Operations of an interaction of mean shift, a lane, by the pipes of the CPU that they need: integers, which may go to
 * any, multiplications, and those of the pipes of float additions: these, conversions, comparisons. No kind has more
 * than the next one. */
struct perf_operations {
    unsigned integers, multiplications, additions;
};

/* Compiled once for each x86-64 level. */
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
    /* The limit of mean shift by tiles: the vector operations of that many interactions, rounded up to whole vectors,
     * of which none waits for another, on numbers that stay 1. Returns the mean of the vectors' lanes: 1. */
    double (*interact_f32)(size_t interactions, struct perf_operations each);
    double (*interact_f64)(size_t interactions, struct perf_operations each);
    /* The integrands of the m-CUBES paper by vectors; their context is a struct integrand_of. */
    const uh_integrand_function *integrands;
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

/* ---- plain_meanshift.c, which has compiler options of its own --------------------------------------------------- */

/* The sequential program of the mean shift paper, to the letter but for its language: float32 points with squared
 * distances as float64, sums as float32, exp of the C library; `rows` become those that have moved, `room` has space
 * for as many. */
void plain_sequential(float *rows, float *room, size_t n, size_t dims, size_t iterations, float bandwidth,
                      float radius_squared);

/* And its centroids: a point that is further than that from all of them is one more. Stores at most `most` of them as
 * rows; returns how many there are. */
size_t plain_centroids(const float *rows, size_t n, size_t dims, float distance_squared, float *centroids, size_t most);
