/* SPDX-License-Identifier: Apache-2.0 */
/* philox_simd.h with AVX2: 4 blocks to a vector. The functions are those of philox_v4.h. */
#ifndef UHI_PHILOX_V3_H
#define UHI_PHILOX_V3_H

#include <immintrin.h>

enum { UHI_PHILOX_LANES = 4, UHI_PHILOX_SIDE = 2 /* vectors side by side */ };
typedef __m256i uhi_pv;

static inline uhi_pv uhi_pv_set(uint64_t a) { return _mm256_set1_epi64x((long long)a); }
static inline uhi_pv uhi_pv_load(const uint64_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline void uhi_pv_store(void *p, uhi_pv a) { _mm256_storeu_si256(p, a); }
static inline uhi_pv uhi_pv_add(uhi_pv a, uhi_pv b) { return _mm256_add_epi64(a, b); }
static inline uhi_pv uhi_pv_mul(uhi_pv a, uhi_pv b) { return _mm256_mul_epu32(a, b); }
static inline uhi_pv uhi_pv_xor(uhi_pv a, uhi_pv b) { return _mm256_xor_si256(a, b); }
static inline uhi_pv uhi_pv_xor3(uhi_pv a, uhi_pv b, uhi_pv c) { return uhi_pv_xor(uhi_pv_xor(b, c), a); }
static inline uhi_pv uhi_pv_high(uhi_pv a, enum uhi_philox_way way) {
    uhi_pv high;
    if (way == UHI_PHILOX_BY_SHUFFLE)
        __asm__("vmovshdup %1, %0" : "=x"(high) : "x"(a));
    else
        __asm__("vpsrlq $32, %1, %0" : "=x"(high) : "x"(a));
    return high;
}
static inline uhi_pv uhi_pv_last(uhi_pv product, uhi_pv a, uhi_pv b, enum uhi_philox_way way) {
    const uhi_pv turned = _mm256_shuffle_epi32(product, 0xb1);
    (void)way;
    return _mm256_blend_epi32(turned, uhi_pv_xor3(turned, a, b), 0x55);
}

static const uint64_t uhi_philox_order[UHI_PHILOX_LANES] = {0, 2, 1, 3};
static inline void uhi_pv_zip(uhi_pv a, uhi_pv b, uhi_pv *low, uhi_pv *high) {
    *low = _mm256_unpacklo_epi64(a, b);
    *high = _mm256_unpackhi_epi64(a, b);
}

#endif
