/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of points on two axes whose cuts fit registers, with AVX-512: a binary search in which each step fetches 16
 * cuts by a permutation. No look-up waits for a load, so points are counted at the same time. */
#pragma once

#include <immintrin.h>
#include <string.h>

#include "kernels/histogram/histogram.h"

/* Points looked up while as many are counted; points per step; prefetch distance in values; values per cache line. */
enum { PAIR_CHUNK = 64, PAIR_AT_ONCE = 32, PAIR_AHEAD = 1024, PAIR_LINE = 16 };

/* One step: sets bit `step` if the value has reached the cut. */
static inline __m512i pair_step(__m512i path, __mmask16 reached, int step) {
    return _mm512_mask_or_epi32(path, reached, path, _mm512_set1_epi32(1 << step));
}

/* The paths of 16 values through the cuts; all bits set for NaN. */
static inline __m512i pair_path(const struct uhi_pair_axis *a, __m512 x) {
    const __m512 *cut = (const __m512 *)a->cut;
    __mmask16 reached = _mm512_cmp_ps_mask(x, cut[0], _CMP_GE_OQ);
    __m512i path = _mm512_maskz_set1_epi32(reached, 1);
    for (int step = 1; step < 5; step++) {
        reached = _mm512_cmp_ps_mask(x, _mm512_permutexvar_ps(path, cut[step]), _CMP_GE_OQ);
        path = pair_step(path, reached, step);
    }
    reached = _mm512_cmp_ps_mask(x, _mm512_permutex2var_ps(cut[5], path, cut[6]), _CMP_GE_OQ);
    path = pair_step(path, reached, 5);
    const __m512 low = _mm512_permutex2var_ps(cut[7], path, cut[8]);
    const __m512 high = _mm512_permutex2var_ps(cut[9], path, cut[10]);
    reached = _mm512_cmp_ps_mask(x, _mm512_mask_mov_ps(low, reached, high), _CMP_GE_OQ);
    path = pair_step(path, reached, 6);
    return _mm512_mask_mov_epi32(path, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), _mm512_set1_epi32(UHI_PAIR_NAN));
}

/* The axis's contribution to the cells of 32 points, in another order than theirs, but the same for both axes. */
static inline __m512i pair_digits(const struct uhi_pair_axis *a, const float *x) {
    const __m512i *digit = (const __m512i *)a->digit;
    const __m512i path = _mm512_packus_epi32(pair_path(a, _mm512_loadu_ps(x)), pair_path(a, _mm512_loadu_ps(x + 16)));
    const __m512i low = _mm512_permutex2var_epi16(digit[0], path, digit[1]);
    const __m512i high = _mm512_permutex2var_epi16(digit[2], path, digit[3]);
    return _mm512_mask_mov_epi16(low, _mm512_test_epi16_mask(path, _mm512_set1_epi16(64)), high);
}

/* Whether a chunk is in one cell, as in sorted data: counting it repeatedly is a chain of store-to-load
 * dependencies. */
static inline int pair_all_same(const uint16_t *cell) {
    const __m512i first = _mm512_set1_epi16((short)cell[0]);
    const __mmask32 low = _mm512_cmpeq_epi16_mask(first, _mm512_load_si512(cell));
    return (low & _mm512_cmpeq_epi16_mask(first, _mm512_load_si512(cell + PAIR_AT_ONCE))) == UINT32_MAX;
}

static inline void pair_count(const uint16_t *cell, uint16_t *counts) {
    for (size_t i = 0; i < PAIR_AT_ONCE; i++)
        counts[cell[i]]++;
}

/* Counts fewer points than a chunk. The last point fills it up; it is also last in the cells, where the excess is
 * subtracted. */
static inline void pair_rest(const struct uhi_pair_axis *first, const struct uhi_pair_axis *second, const float *x,
                             const float *y, size_t n, uint16_t *counts) {
    float u[PAIR_CHUNK], v[PAIR_CHUNK];
    _Alignas(64) uint16_t cell[PAIR_CHUNK];
    for (size_t i = 0; i < PAIR_CHUNK; i++) {
        memcpy(u + i, x + (i < n ? i : n - 1), sizeof *u);
        memcpy(v + i, y + (i < n ? i : n - 1), sizeof *v);
    }
    for (size_t i = 0; i < PAIR_CHUNK; i += PAIR_AT_ONCE) {
        _mm512_store_si512(cell + i, _mm512_add_epi16(pair_digits(first, u + i), pair_digits(second, v + i)));
        pair_count(cell + i, counts);
    }
    counts[cell[PAIR_CHUNK - 1]] = (uint16_t)(counts[cell[PAIR_CHUNK - 1]] - (PAIR_CHUNK - n));
}

static void count_pair(const struct uhi_pair_axis axes[2], const float *x, const float *y, size_t n, uint16_t *counts) {
    const struct uhi_pair_axis first = axes[0], second = axes[1]; /* stores cannot alias them */
    _Alignas(64) uint16_t cells[2][PAIR_CHUNK];
    const size_t whole = n / PAIR_CHUNK * PAIR_CHUNK;
    uint16_t *cell = cells[0], *old = NULL;
    for (size_t i = 0; i < whole; i += PAIR_CHUNK) {
        const int same = old && pair_all_same(old);
        if (same)
            counts[old[0]] = (uint16_t)(counts[old[0]] + PAIR_CHUNK);
        for (size_t j = 0; j < PAIR_CHUNK; j += PAIR_AT_ONCE) {
            for (size_t line = 0; line < PAIR_AT_ONCE; line += PAIR_LINE) {
                __builtin_prefetch(x + i + j + line + PAIR_AHEAD);
                __builtin_prefetch(y + i + j + line + PAIR_AHEAD);
            }
            const __m512i digit = pair_digits(&first, x + i + j);
            _mm512_store_si512(cell + j, _mm512_add_epi16(digit, pair_digits(&second, y + i + j)));
            if (old && !same)
                pair_count(old + j, counts);
        }
        old = cell;
        cell = cells[old == cells[0]];
    }
    for (size_t j = 0; old && j < PAIR_CHUNK; j += PAIR_AT_ONCE)
        pair_count(old + j, counts);
    if (n > whole)
        pair_rest(&first, &second, x + whole, y + whole, n - whole, counts);
}
