/* SPDX-License-Identifier: Apache-2.0 */
/* philox_simd.h with AVX2: 4 blocks per vector. */
#pragma once

#include <immintrin.h>

enum { UHI_PHILOX_LANES = 4, UHI_PHILOX_SIDE = 2 /* interleaved vectors */ };
typedef __m256i uhi_pv;

UHI_PHILOX_LANES_BY(_mm256, si256, set1_epi64x)
/* Combines the early operands first: compilers would use `a`, for which the whole round waits, before c. */
static inline uhi_pv uhi_pv_xor3(uhi_pv a, uhi_pv b, uhi_pv c) {
    uhi_pv early = uhi_pv_xor(b, c);
    __asm__("" : "+x"(early));
    return uhi_pv_xor(early, a);
}
static inline uhi_pv uhi_pv_high(uhi_pv a, enum uhi_philox_select way) {
    uhi_pv high;
    if (way == UHI_PHILOX_BY_SHUFFLE)
        __asm__("vmovshdup %1, %0" : "=x"(high) : "x"(a));
    else
        __asm__("vpsrlq $32, %1, %0" : "=x"(high) : "x"(a));
    return high;
}
static inline uhi_pv uhi_pv_last(uhi_pv product, uhi_pv a, uhi_pv b, enum uhi_philox_select way) {
    const uhi_pv turned = _mm256_shuffle_epi32(product, 0xb1);
    (void)way;
    return _mm256_blend_epi32(turned, uhi_pv_xor3(turned, a, b), 0x55);
}

static const uint64_t uhi_philox_order[UHI_PHILOX_LANES] = {0, 2, 1, 3};
