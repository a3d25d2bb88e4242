/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle_count.h"

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

size_t oracle_slot_f64(const double *edges, size_t k, double x) {
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

int oracle_count(const void *x, uh_dtype dtype, size_t n, const double *edges, size_t k, uint32_t threads,
                 struct oracle_counts *counts) {
    if (dtype != UH_F32 && dtype != UH_F64 && dtype != UH_I32 && dtype != UH_I64 && dtype != UH_U8)
        return -1;
    uint64_t *slots = calloc(threads, (k + 3) * sizeof *slots);
    if (!slots)
        return -1;
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
    return 0;
}
