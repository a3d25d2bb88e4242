/* SPDX-License-Identifier: Apache-2.0 */
/* Operations with the same instruction names in AVX2 and AVX-512. P is the prefix (_mm, _mm256, _mm512), SI the
 * suffix of the whole register (si128, si256, si512), EPI or PS that of the elements. */
#pragma once

#include <immintrin.h>

/* Indices of type x. */
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
