/* SPDX-License-Identifier: Apache-2.0 */
/* What a histogram of many values must be: a plain binary search on float64 edges, by several threads. For what float64
 * holds exactly it is the definition in oracle.h, as the tests show; unihist-perf takes it for a hundred million
 * values.
 */
#ifndef TEST_ORACLE_COUNT_H
#define TEST_ORACLE_COUNT_H

#include <unihist/base.h>

#include <stddef.h>
#include <stdint.h>

/* Counts of k bins and of what falls in none. */
struct oracle_counts {
    uint64_t *bins; /* k of them, the caller's */
    uint64_t below, above, nan;
};

/* The slot of x among k bins [edges[j], edges[j+1]), the last one closed: 0 below, j + 1 in bin j, k + 1 above, k + 2
 * for NaN. */
size_t oracle_slot_f64(const double *edges, size_t k, double x);

/* Counts n values of type f32, f64, i32, i64 (compared as float64) or u8, with `threads` threads. Returns 0, or -1
 * where memory is lacking or the type is another. */
int oracle_count(const void *x, uh_dtype dtype, size_t n, const double *edges, size_t k, uint32_t threads,
                 struct oracle_counts *counts);

#endif
