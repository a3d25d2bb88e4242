/* SPDX-License-Identifier: Apache-2.0 */
/* philox_simd.h with AVX-512: 8 blocks to a vector. */
#ifndef UHI_PHILOX_V4_H
#define UHI_PHILOX_V4_H

#include <immintrin.h>

enum { UHI_PHILOX_LANES = 8, UHI_PHILOX_SIDE = 4 /* vectors side by side */ };
typedef __m512i uhi_pv;

UHI_PHILOX_LANES_BY(_mm512, si512, set1_epi64)
static inline uhi_pv uhi_pv_xor3(uhi_pv a, uhi_pv b, uhi_pv c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }

/* The upper halves in the lower ones; what is above is undefined. There are three ways, so that no port of the CPU has
 * all of the work: a shift (one port), a shuffle (another), and a store and a load that leaves out every other half
 * (none of the vectors' ports, but a store's time). Assembly, because compilers know that these do the same, and clang
 * that what a shift leaves may be multiplied in 64 bits, which takes thrice as long. */
static inline uhi_pv uhi_pv_high(uhi_pv a, enum uhi_philox_way way) {
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

/* The halves of each product exchanged, the lower of which then gets `a` and `b`. */
static inline uhi_pv uhi_pv_last(uhi_pv product, uhi_pv a, uhi_pv b, enum uhi_philox_way way) {
    uhi_pv turned = _mm512_ror_epi64(product, 32);
    if (way == UHI_PHILOX_BY_SHUFFLE)
        __asm__("vpshufd $0xb1, %1, %0" : "=v"(turned) : "v"(product));
    return _mm512_mask_ternarylogic_epi32(turned, 0x5555, a, b, 0x96);
}

static const uint64_t uhi_philox_order[UHI_PHILOX_LANES] = {0, 4, 1, 5, 2, 6, 3, 7};

#endif
