/* SPDX-License-Identifier: Apache-2.0 */
/* philox_simd.h with SSE4: 2 blocks per vector. */
#pragma once

#include <smmintrin.h>

enum { UHI_PHILOX_LANES = 2, UHI_PHILOX_SIDE = 2 /* interleaved vectors */ };
typedef __m128i uhi_pv;

UHI_PHILOX_LANES_BY(_mm, si128, set1_epi64x)
static inline uhi_pv uhi_pv_xor3(uhi_pv a, uhi_pv b, uhi_pv c) { return uhi_pv_xor(uhi_pv_xor(a, b), c); }
static inline uhi_pv uhi_pv_high(uhi_pv a, enum uhi_philox_select way) {
    (void)way;
    return _mm_shuffle_epi32(a, 0xf5); /* does not overwrite its source */
}
static inline uhi_pv uhi_pv_last(uhi_pv product, uhi_pv a, uhi_pv b, enum uhi_philox_select way) {
    const uhi_pv turned = _mm_shuffle_epi32(product, 0xb1);
    (void)way;
    return _mm_blend_epi16(turned, uhi_pv_xor3(turned, a, b), 0x33);
}

static const uint64_t uhi_philox_order[UHI_PHILOX_LANES] = {0, 1};
