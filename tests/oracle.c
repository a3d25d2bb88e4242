/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(LDBL_MANT_DIG >= 64, "the oracle needs a long double that holds every 64-bit integer");

#define LOAD(type)                                                                                                     \
    do {                                                                                                               \
        type value;                                                                                                    \
        memcpy(&value, p, sizeof value);                                                                               \
        return (long double)value;                                                                                     \
    } while (0)

long double oracle_value(uh_dtype dtype, const void *p) {
    switch (dtype) {
    case UH_F32: LOAD(float);
    case UH_F64: LOAD(double);
    case UH_I8: LOAD(int8_t);
    case UH_I16: LOAD(int16_t);
    case UH_I32: LOAD(int32_t);
    case UH_I64: LOAD(int64_t);
    case UH_U8: LOAD(uint8_t);
    case UH_U16: LOAD(uint16_t);
    case UH_U32: LOAD(uint32_t);
    case UH_U64: LOAD(uint64_t);
    }
    return NAN;
}

#define STORE(type, limited)                                                                                           \
    do {                                                                                                               \
        const type value = (type)(limited);                                                                            \
        memcpy(p, &value, sizeof value);                                                                               \
        return (long double)value;                                                                                     \
    } while (0)

static long double limited(long double x, long double least, long double most) {
    return isnan(x) ? 0 : x < least ? least : x > most ? most : x;
}

long double oracle_store(uh_dtype dtype, long double x, void *p) {
    switch (dtype) {
    case UH_F32: STORE(float, x);
    case UH_F64: STORE(double, x);
    case UH_I8: STORE(int8_t, limited(x, INT8_MIN, INT8_MAX));
    case UH_I16: STORE(int16_t, limited(x, INT16_MIN, INT16_MAX));
    case UH_I32: STORE(int32_t, limited(x, INT32_MIN, INT32_MAX));
    case UH_I64: STORE(int64_t, limited(x, INT64_MIN, INT64_MAX));
    case UH_U8: STORE(uint8_t, limited(x, 0, UINT8_MAX));
    case UH_U16: STORE(uint16_t, limited(x, 0, UINT16_MAX));
    case UH_U32: STORE(uint32_t, limited(x, 0, UINT32_MAX));
    case UH_U64: STORE(uint64_t, limited(x, 0, UINT64_MAX));
    }
    return NAN;
}

long double oracle_neighbour(uh_dtype dtype, long double x, int direction) {
    char element[8];
    if (dtype == UH_F32)
        return nextafterf((float)x, direction > 0 ? INFINITY : -INFINITY);
    if (dtype == UH_F64)
        return nextafter((double)x, direction > 0 ? INFINITY : -INFINITY);
    return oracle_store(dtype, direction > 0 ? x + 1 : x - 1, element);
}

int oracle_ascending(const void *a, const void *b) {
    const long double x = *(const long double *)a, y = *(const long double *)b;
    return (x > y) - (x < y);
}

void *oracle_memory(size_t n, size_t element) {
    enum { ALIGNMENT = 64 };
    const size_t bytes = (n * element / ALIGNMENT + 1) * ALIGNMENT;
    void *memory = aligned_alloc(ALIGNMENT, bytes);
    if (!memory)
        abort();
    return memset(memory, 0, bytes);
}

struct oracle_axis oracle_axis_of(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed) {
    long double *memory = oracle_memory(nedges + 2, sizeof *memory);
    memory[0] = -INFINITY;
    memory[nedges + 1] = INFINITY;
    for (size_t j = 0; j < nedges; j++)
        memory[j + 1] = oracle_value(dtype, (const char *)edges + j * uh_dtype_size(dtype));
    return (struct oracle_axis){.memory = memory, .edges = memory + 1, .nedges = nedges, .closed = closed};
}

void oracle_axis_add_flow_bins(struct oracle_axis *axis, uh_flow_bins which) {
    axis->above = which == UH_FLOW_BINS_ABOVE || which == UH_FLOW_BINS_BOTH;
    if (axis->categories)
        return;
    axis->below = which == UH_FLOW_BINS_BELOW || which == UH_FLOW_BINS_BOTH;
    axis->edges -= axis->below;
    axis->nedges += (size_t)(axis->below + axis->above);
}

/* The bins between those beyond. */
static struct oracle_axis between(const struct oracle_axis *axis) {
    return (struct oracle_axis){.edges = axis->edges + axis->below,
                                .nedges = axis->nedges - (size_t)(axis->below + axis->above),
                                .closed = axis->closed};
}

void oracle_axis_free(struct oracle_axis *axis) {
    free(axis->memory);
    axis->memory = NULL;
}

/* Whether x is in bin j of k, by the four rules. */
static int in_bin(const struct oracle_axis *axis, size_t j, long double x) {
    const long double left = axis->edges[j], right = axis->edges[j + 1];
    switch (axis->closed) {
    case UH_CLOSED_LEFT: return (left <= x && x < right) || (j + 2 == axis->nedges && x == right);
    case UH_CLOSED_RIGHT: return (left < x && x <= right) || (j == 0 && x == left);
    case UH_HALF_OPEN_LEFT: return left <= x && x < right;
    case UH_HALF_OPEN_RIGHT: return left < x && x <= right;
    }
    return 0;
}

/* Of categories: the one that is equal to x; all others are in the last bin, or above. */
static size_t slot_of_category(const struct oracle_axis *axis, long double x) {
    size_t j = 0;
    while (j < axis->nedges && x != axis->edges[j])
        j++;
    return isnan(x) ? oracle_bins(axis) + 2 : j + 1;
}

size_t oracle_slot_scan(const struct oracle_axis *axis, long double x) {
    size_t bins = oracle_bins(axis);
    if (axis->categories)
        return slot_of_category(axis, x);
    if (isnan(x))
        return bins + 2;
    for (size_t j = 0; j < bins; j++)
        if (in_bin(axis, j, x))
            return j + 1;
    if (x < axis->edges[0])
        return 0;
    if (x > axis->edges[bins])
        return bins + 1;
    /* The outermost end that a half-open rule leaves out: above at the right one, below at the left one. */
    return axis->closed == UH_HALF_OPEN_LEFT ? bins + 1 : 0;
}

size_t oracle_slot(const struct oracle_axis *axis, long double x) {
    const long double *edges = axis->edges;
    if (axis->categories)
        return slot_of_category(axis, x);
    if (axis->below || axis->above) { /* what lies below the bins between is in the first bin, and so on */
        const struct oracle_axis inner = between(axis);
        return isnan(x) ? axis->nedges + 1 : oracle_slot(&inner, x) + (size_t)axis->below;
    }
    size_t bins = axis->nedges - 1, low = 0, high = axis->nedges; /* edges[0..low) are passed, [high..) are not */
    int left = axis->closed == UH_CLOSED_LEFT || axis->closed == UH_HALF_OPEN_LEFT;
    if (isnan(x))
        return bins + 2;
    if (axis->closed == UH_CLOSED_LEFT && x == edges[bins])
        return bins;
    if (axis->closed == UH_CLOSED_RIGHT && x == edges[0])
        return 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (left ? edges[middle] <= x : edges[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t oracle_index(const struct oracle_axis *axis, long double x) {
    const size_t slot = oracle_slot(axis, x), above = oracle_bins(axis) + 1;
    return (int64_t)(slot < above ? slot : above);
}

unsigned oracle_depth(long double range, long double smallest, size_t bins, long double slack) {
    unsigned levels = 0;
    long double reached = smallest * (long double)bins * (1 + slack);
    while (range > reached) {
        reached *= (long double)bins;
        levels++;
    }
    return levels;
}

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

size_t oracle_slot_f64(const double *edges, size_t k, double x) {
    if (x != x)
        return k + 2;
    if (x == edges[k])
        return k;
    return edges_at_or_below(edges, k + 1, x);
}

#define COUNT_PART(T)                                                                                                  \
    for (size_t i = first; i < last; i++)                                                                              \
    slots[oracle_slot_f64(edges, k, (double)((const T *)x)[i])]++

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
