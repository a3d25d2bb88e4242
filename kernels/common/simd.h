/* SPDX-License-Identifier: Apache-2.0 */
/* Vector operations of the host kernels, per x86-64 level: AVX-512 (v4), AVX2 (v3) and one element at a time (v2). A
 * file that includes this is compiled once per level.
 *
 * Two families: 32-bit elements (suffix f32, i32) with an index vector `uhi_x32`, and 64-bit elements (f64, i64)
 * with an index vector `uhi_x64` of as many 32-bit indices. Masks are `uhi_m32` and `uhi_m64`. Comparisons with NaN
 * are false. uhi_clamp_* limits to [0, high] and turns NaN into 0; uhi_limit_* limits but keeps NaN, which
 * uhi_index_* turns into 2^31. uhi_x*_any_top tests whether the top bit of any index is set, uhi_x*_any_half whether
 * any 16-bit half is equal in both; uhi_x*_alike returns a bit per index, set if the given bits are equal in both.
 * Shifts by 32 bits give 0. uhi_x*_increment adds 1 where the mask is set; uhi_x*_gather_if loads there and keeps the
 * rest. uhi_x*_load_scalar is uhi_x*_gather by one load per element: with UHI_TWO_GATHERS a separate implementation,
 * faster on many CPUs with AVX2 (see loads.h). uhi_x32_load_scalar_at does the same for elements t[words[i] >> n] of
 * words in memory, with 0 <= n < 32; it exists only with UHI_TWO_GATHERS. */
#pragma once

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

/* Operations with the same instruction names in AVX2 and AVX-512. P is the prefix (_mm, _mm256, _mm512), SI the suffix
 * of the whole register (si128, si256, si512), EPI or PS that of the elements. Indices of type x: */
#define UHI_AVX_INDICES(x, P, SI)                                                                                      \
    static inline x x##_set(uint32_t a) { return P##_set1_epi32((int)a); }                                             \
    static inline x x##_add(x a, x b) { return P##_add_epi32(a, b); }                                                  \
    static inline x x##_mul(x a, x b) { return P##_mullo_epi32(a, b); }                                                \
    static inline x x##_load(const uint32_t *p) { return P##_loadu_##SI((const x *)p); }                               \
    static inline x x##_and(x a, x b) { return P##_and_##SI(a, b); }                                                   \
    static inline x x##_min(x a, x b) { return P##_min_epu32(a, b); }                                                  \
    static inline x x##_srlv(x a, x n) { return P##_srlv_epi32(a, n); }                                                \
    static inline x x##_sllv(x a, x n) { return P##_sllv_epi32(a, n); }                                                \
    static inline void x##_store(uint32_t *p, x a) { P##_storeu_##SI((x *)p, a); }

/* Floats T with suffix t; indices of type x. */
#define UHI_AVX_FLOATS(t, T, x, P, PS)                                                                                 \
    static inline uhi_v##t uhi_load_##t(const T *p) { return P##_loadu_##PS(p); }                                      \
    static inline uhi_v##t uhi_set_##t(T a) { return P##_set1_##PS(a); }                                               \
    static inline uhi_v##t uhi_sub_##t(uhi_v##t a, uhi_v##t b) { return P##_sub_##PS(a, b); }                          \
    static inline uhi_v##t uhi_mul_##t(uhi_v##t a, uhi_v##t b) { return P##_mul_##PS(a, b); }                          \
    static inline uhi_v##t uhi_clamp_##t(uhi_v##t a, uhi_v##t high) {                                                  \
        return P##_min_##PS(P##_max_##PS(a, P##_setzero_##PS()), high);                                                \
    }                                                                                                                  \
    static inline uhi_v##t uhi_limit_##t(uhi_v##t a, uhi_v##t high) {                                                  \
        return P##_min_##PS(high, P##_max_##PS(P##_setzero_##PS(), a));                                                \
    }                                                                                                                  \
    static inline x uhi_index_##t(uhi_v##t a) { return P##_cvtt##PS##_epi32(a); }

/* Integers T with suffix t. */
#define UHI_AVX_INTEGERS(t, T, P, SI, EPI)                                                                             \
    static inline uhi_v##t uhi_load_##t(const T *p) { return P##_loadu_##SI((const uhi_v##t *)p); }                    \
    static inline uhi_v##t uhi_sub_##t(uhi_v##t a, uhi_v##t b) { return P##_sub_##EPI(a, b); }                         \
    static inline uhi_v##t uhi_xor_##t(uhi_v##t a, uhi_v##t b) { return P##_xor_##SI(a, b); }                          \
    static inline uhi_v##t uhi_srl_##t(uhi_v##t a, uint32_t n) { return P##_srl_##EPI(a, _mm_cvtsi32_si128((int)n)); }

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include "kernels/common/simd_v4.h"
#elif defined(__AVX2__)
#include "kernels/common/simd_v3.h"
#else
#include "kernels/common/simd_v2.h"
#endif

#ifndef UHI_TWO_GATHERS
#define UHI_TWO_GATHERS     0
#define uhi_x32_load_scalar uhi_x32_gather
#define uhi_x64_load_scalar uhi_x64_gather
#endif
