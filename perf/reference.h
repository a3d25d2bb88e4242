/* SPDX-License-Identifier: Apache-2.0 */
/* What a histogram must be, found by a plain binary search on float64 edges, without the library's code. */
#ifndef PERF_REFERENCE_H
#define PERF_REFERENCE_H

#include "perf/error.h"

#include <unihist/base.h>

#include <stddef.h>
#include <stdint.h>

/* Counts of k bins and of what falls in none. */
struct perf_counts {
    uint64_t *bins; /* k of them, the caller's */
    uint64_t below, above, nan;
};

/* The slot of x among k bins: 0 below, 1 to k in the bins, k + 1 above, k + 2 for NaN. */
size_t perf_reference_slot(const double *edges, size_t k, double x);

/* Counts n values of type f32, f64, i32, i64 (compared as float64) or u8 in k bins [edges[j], edges[j+1]), the last one
 * closed, with `threads` threads. */
int perf_reference_count(const void *x, uh_dtype dtype, size_t n, const double *edges, size_t k, uint32_t threads,
                         struct perf_counts *counts, struct perf_error *error);

/* Compares what was counted in k bins with what is expected, edges being those of the message. Fails with
 * the first difference. */
int perf_reference_compare(const struct perf_counts *counts, const struct perf_counts *expected, const double *edges,
                           size_t k, struct perf_error *error);

#endif
