/* SPDX-License-Identifier: Apache-2.0 */
/* philox_simd.h with AVX-512: 8 blocks per vector. */
#pragma once

#include <immintrin.h>

enum { UHI_PHILOX_LANES = 8, UHI_PHILOX_SIDE = 4 /* interleaved vectors */ };
typedef __m512i uhi_pv;

UHI_PHILOX_LANES_BY(_mm512, si512, set1_epi64)
static inline uhi_pv uhi_pv_xor3(uhi_pv a, uhi_pv b, uhi_pv c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }

/* Moves upper halves to lower ones; the upper ones become undefined. Three ways spread the work over the CPU's
 * ports: a shift (one port), a shuffle (another), and a store with a load that skips every other half (no vector
 * port, but the time of a store). Assembly, because compilers know that the three are equivalent, and clang that the
 * result of a shift may be multiplied in 64 bits, which takes three times as long. */
static inline uhi_pv uhi_pv_high(uhi_pv a, enum uhi_philox_select way) {
    uhi_pv high, memory;
    if (way == UHI_PHILOX_BY_LOAD) {
        __asm__("vmovdqa64 %1, %0" : "=m"(memory) : "v"(a));
        __asm__("vmovshdup %1, %0" : "=v"(high) : "m"(memory));
    } else if (way == UHI_PHILOX_BY_SHUFFLE) {
        __asm__("vmovshdup %1, %0" : "=v"(high) : "v"(a));
    } else {
        __asm__("vpsrlq $32, %1, %0" : "=v"(high) : "v"(a));
    }
    return high;
}

/* Swaps the halves of each product and combines the lower ones with `a` and `b`. */
static inline uhi_pv uhi_pv_last(uhi_pv product, uhi_pv a, uhi_pv b, enum uhi_philox_select way) {
    uhi_pv turned = _mm512_ror_epi64(product, 32);
    if (way == UHI_PHILOX_BY_SHUFFLE)
        __asm__("vpshufd $0xb1, %1, %0" : "=v"(turned) : "v"(product));
    return _mm512_mask_ternarylogic_epi32(turned, 0x5555, a, b, 0x96);
}

static const uint64_t uhi_philox_order[UHI_PHILOX_LANES] = {0, 4, 1, 5, 2, 6, 3, 7};
