/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/reference.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* The number of edges at or below x, of nedges >= 1. */
static inline size_t edges_at_or_below(const double *edges, size_t nedges, double x) {
    const double *first = edges;
    while (nedges > 1) {
        size_t half = nedges / 2;
        first += half & -(size_t)(first[half - 1] <= x); /* no branch, for it would be guessed wrong half the time */
        nedges -= half;
    }
    return (size_t)(first - edges) + (*first <= x);
}

static inline size_t find_slot(const double *edges, size_t k, double x) {
    if (x != x)
        return k + 2;
    if (x == edges[k])
        return k;
    return edges_at_or_below(edges, k + 1, x);
}

size_t perf_reference_slot(const double *edges, size_t k, double x) {
    return find_slot(edges, k, x);
}

#define COUNT_PART(T)                                                                                                  \
    for (size_t i = first; i < last; i++)                                                                              \
    slots[find_slot(edges, k, (double)((const T *)x)[i])]++

static void count_part(const void *x, uh_dtype dtype, size_t first, size_t last, const double *edges, size_t k,
                       uint64_t *slots) {
    switch (dtype) {
    case UH_F32: COUNT_PART(float); break;
    case UH_F64: COUNT_PART(double); break;
    case UH_I32: COUNT_PART(int32_t); break;
    case UH_I64: COUNT_PART(int64_t); break;
    case UH_U8: COUNT_PART(uint8_t); break;
    default: break;
    }
}

int perf_reference_count(const void *x, uh_dtype dtype, size_t n, const double *edges, size_t k, uint32_t threads,
                         struct perf_counts *counts, struct perf_error *error) {
    if (dtype != UH_F32 && dtype != UH_F64 && dtype != UH_I32 && dtype != UH_I64 && dtype != UH_U8)
        return perf_fail(error, "no reference for values of type %s", uh_dtype_name(dtype));
    uint64_t *slots = calloc(threads, (k + 3) * sizeof *slots);
    if (!slots)
        return perf_fail(error, "out of memory for %u times %zu reference counts", threads, k);
#pragma omp parallel num_threads((int)threads)
    {
        size_t team = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
        size_t last = me + 1 == team ? n : n / team * (me + 1);
        count_part(x, dtype, n / team * me, last, edges, k, slots + me * (k + 3));
    }
    for (size_t thread = 1; thread < threads; thread++)
        for (size_t slot = 0; slot < k + 3; slot++)
            slots[slot] += slots[thread * (k + 3) + slot];
    memcpy(counts->bins, slots + 1, k * sizeof *slots);
    counts->below = slots[0];
    counts->above = slots[k + 1];
    counts->nan = slots[k + 2];
    free(slots);
    return PERF_OK;
}

int perf_reference_compare(const struct perf_counts *counts, const struct perf_counts *expected, const double *edges,
                           size_t k, struct perf_error *error) {
    if (counts->below != expected->below || counts->above != expected->above || counts->nan != expected->nan)
        return perf_fail(error,
                         "wrong: %" PRIu64 " below, %" PRIu64 " above, %" PRIu64 " NaN, expected %" PRIu64 ", %" PRIu64
                         ", %" PRIu64,
                         counts->below, counts->above, counts->nan, expected->below, expected->above, expected->nan);
    for (size_t bin = 0; bin < k; bin++)
        if (counts->bins[bin] != expected->bins[bin])
            return perf_fail(error, "wrong: bin %zu [%.17g, %.17g) counts %" PRIu64 ", expected %" PRIu64, bin,
                             edges[bin], edges[bin + 1], counts->bins[bin], expected->bins[bin]);
    return PERF_OK;
}
