/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by histogram_host.c and the files per compared type (histogram_host_f32.c etc.), all compiled once per x86-64
 * level. Types are separate files because compiling one takes many seconds. */
#pragma once

#include "kernels/common/simd.h"
#include "kernels/histogram/histogram.h"
#include "kernels/plan/types.h"

enum {
    PAGE = 4096,       /* bytes; the hardware prefetcher works per page, so reading several pages at once is faster */
    CHUNK = 64,        /* values looked up while as many are counted */
    AHEAD = 4096,      /* prefetch distance in bytes */
    STRETCH = 1 << 14, /* values for which the first ones decide, see is_crowded */
    COUNT_AT_ONCE = 16 /* a whole number of vectors */
};

/* Ranks of a chunk; one buffer is filled while another is counted. */
typedef uint32_t rank_buffer[CHUNK];

/* Appends the slots of points `from` to from + n - 1 to their cells as one more digit. */
static inline void add_digits(const struct uhi_find *find, size_t from, size_t n, const uint32_t *slot) {
    uint32_t *cell = find->cell + from;
    for (size_t i = 0; i < n; i++)
        cell[i] = (find->first ? 0 : cell[i] * find->digits) + slot[i];
}

/* Whether all cells or ranks are equal, as in sorted data: counting one repeatedly is a chain of store-to-load
 * dependencies. */
__attribute__((always_inline)) static inline int all_same(const uint32_t *cell, size_t n) {
    int same = 1;
    if (cell[0] != cell[n - 1])
        return 0;
    for (size_t i = 0; i < n; i += UHI_LANES_32)
        same &= uhi_x32_all_are(cell + i, cell[0]);
    return same;
}

/* Counts old cells `from` to `to` - 1, a chunk at a time. */
static inline void count_old(const struct uhi_find *find, size_t from, size_t to) {
    uint16_t *counts = find->counts;
    for (size_t n; from < to; from += n) {
        const uint32_t *old = find->old + from;
        n = to - from < CHUNK ? to - from : CHUNK;
        if (all_same(old, n)) {
            counts[old[0]] = (uint16_t)(counts[old[0]] + n);
            continue;
        }
        size_t i = 0;
        for (; i + COUNT_AT_ONCE <= n; i += COUNT_AT_ONCE)
            for (size_t j = 0; j < COUNT_AT_ONCE; j++)
                counts[old[i + j]]++;
        for (; i < n; i++)
            counts[old[i]]++;
    }
}

/* The functions of one compared type. Values are contiguous and aligned. */
struct uhi_histogram_compared {
    void (*lookup)(const struct uhi_histogram_tables *tables, const void *values, size_t n, uint32_t *slot);
    /* For packed cells: uhi_histogram_host's `find`. */
    void (*find_packed)(const struct uhi_histogram_tables *tables, const void *values, size_t n,
                        const struct uhi_find *find);
    /* For the look-ups that find ranks. */
    void (*count_ranks)(const struct uhi_histogram_tables *tables, const void *values, size_t n, rank_buffer *rank,
                        uint32_t *counts, size_t pitch);
    void (*cells)(const struct uhi_histogram_tables *tables, const void *values, size_t n, uint32_t shift,
                  uint32_t *cell);
};

/* The functions of points on several axes (histogram_host_points.c). */
#define UHI_POINTS_HOST UHI_JOIN(uhi_points_host, UH_ISA)
extern const struct uhi_points_host UHI_POINTS_HOST;

#define UHI_COMPARED(type) UHI_JOIN(UHI_JOIN(uhi_histogram_compared, type), UH_ISA)
extern const struct uhi_histogram_compared UHI_COMPARED(f32), UHI_COMPARED(f64), UHI_COMPARED(i32), UHI_COMPARED(i64);
