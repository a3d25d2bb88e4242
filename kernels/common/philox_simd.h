/* SPDX-License-Identifier: Apache-2.0 */
/* Many blocks of UH_PHILOX4X32_10 at once, per x86-64 level: consecutive words of a stream from a block on, as
 * vectors of simd.h or in memory. A file that includes this is compiled once per level.
 *
 *     struct uhi_philox p;
 *     uhi_philox_begin(&p, seed, stream, block);           a local variable: its members stay in registers
 *     uhi_x32 words[UHI_PHILOX_VECTORS];
 *     uhi_philox_next(&p, words);                          UHI_PHILOX_WORDS words from 4 * block on
 *
 * A 32-bit word of a block is the lower half of a 64-bit lane; the upper half is ignored. So a product's lower half
 * is used in place, and its upper half takes one move. Several vectors of blocks are interleaved, because one would
 * wait for its own products. Of the counter only the block number changes: the first round's product is a sum, and
 * half of the second round and part of the third are the same for all blocks. The upper half of the block number is
 * assumed constant, so the few blocks around multiples of 2^32 are made one by one. */
#pragma once

#include <immintrin.h>

#include "kernels/common/philox.h"
#include "kernels/common/simd.h"

/* How upper halves of products are moved to lower ones. */
enum uhi_philox_select { UHI_PHILOX_BY_SHIFT, UHI_PHILOX_BY_SHUFFLE, UHI_PHILOX_BY_LOAD };

/* Operations with the same instruction names at each level: P is the prefix, SI the suffix of the whole register. */
#define UHI_PHILOX_LANES_BY(P, SI, SET)                                                                                \
    static inline uhi_pv uhi_pv_set(uint64_t a) { return P##_##SET((long long)a); }                                    \
    static inline uhi_pv uhi_pv_load(const uint64_t *p) { return P##_loadu_##SI((const uhi_pv *)p); }                  \
    static inline void uhi_pv_store(void *p, uhi_pv a) { P##_storeu_##SI(p, a); }                                      \
    static inline uhi_pv uhi_pv_add(uhi_pv a, uhi_pv b) { return P##_add_epi64(a, b); }                                \
    static inline uhi_pv uhi_pv_mul(uhi_pv a, uhi_pv b) { return P##_mul_epu32(a, b); }                                \
    static inline uhi_pv uhi_pv_xor(uhi_pv a, uhi_pv b) { return P##_xor_##SI(a, b); }                                 \
    /* Pairs of lanes, 64 bits of a block each; uhi_philox_order gives a lane's block. */                              \
    static inline void uhi_pv_zip(uhi_pv a, uhi_pv b, uhi_pv *low, uhi_pv *high) {                                     \
        *low = P##_unpacklo_epi64(a, b);                                                                               \
        *high = P##_unpackhi_epi64(a, b);                                                                              \
    }

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
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
#elif defined(__AVX2__)
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
static inline uhi_pv uhi_pv_last(uhi_pv product, uhi_pv a, uhi_pv b,
                                 __attribute__((unused)) enum uhi_philox_select way) {
    const uhi_pv turned = _mm256_shuffle_epi32(product, 0xb1);
    return _mm256_blend_epi32(turned, uhi_pv_xor3(turned, a, b), 0x55);
}

static const uint64_t uhi_philox_order[UHI_PHILOX_LANES] = {0, 2, 1, 3};
#else
enum { UHI_PHILOX_LANES = 2, UHI_PHILOX_SIDE = 2 /* interleaved vectors */ };
typedef __m128i uhi_pv;

UHI_PHILOX_LANES_BY(_mm, si128, set1_epi64x)
static inline uhi_pv uhi_pv_xor3(uhi_pv a, uhi_pv b, uhi_pv c) { return uhi_pv_xor(uhi_pv_xor(a, b), c); }
static inline uhi_pv uhi_pv_high(uhi_pv a, __attribute__((unused)) enum uhi_philox_select way) {
    return _mm_shuffle_epi32(a, 0xf5); /* does not overwrite its source */
}
static inline uhi_pv uhi_pv_last(uhi_pv product, uhi_pv a, uhi_pv b,
                                 __attribute__((unused)) enum uhi_philox_select way) {
    const uhi_pv turned = _mm_shuffle_epi32(product, 0xb1);
    return _mm_blend_epi16(turned, uhi_pv_xor3(turned, a, b), 0x33);
}

static const uint64_t uhi_philox_order[UHI_PHILOX_LANES] = {0, 1};
#endif

enum {
    UHI_PHILOX_BLOCKS = UHI_PHILOX_SIDE * UHI_PHILOX_LANES,
    UHI_PHILOX_WORDS = 4 * UHI_PHILOX_BLOCKS,
    UHI_PHILOX_VECTORS = UHI_PHILOX_WORDS / UHI_LANES_32
};

struct uhi_philox {
    uint64_t seed, stream, block; /* next block */
    uhi_pv product, step;         /* first multiplier times the next vector of blocks; increment per vector */
    uhi_pv first;                 /* XORed into the first round's upper halves */
    uhi_pv second[2], third;      /* the same for the second round and half of the third */
    uhi_pv keys[16];              /* of the third and later rounds */
};

/* Moves to a block. The keys are unchanged and stay in registers within a loop. */
static inline void uhi_philox_seek(struct uhi_philox *p, uint64_t block) {
    uint64_t product[UHI_PHILOX_LANES];
    for (size_t lane = 0; lane < UHI_PHILOX_LANES; lane++)
        product[lane] = ((uint32_t)block + uhi_philox_order[lane]) * PHILOX_M4x32_0;
    const uint32_t other = (uint32_t)((uint64_t)(uint32_t)p->stream * PHILOX_M4x32_1 >> 32);
    const uint64_t next = (uint64_t)(other ^ (uint32_t)(block >> 32) ^ (uint32_t)p->seed) * PHILOX_M4x32_0;
    p->block = block;
    p->product = uhi_pv_load(product);
    p->second[1] = uhi_pv_set((uint32_t)(next >> 32) ^ ((uint32_t)(p->seed >> 32) + PHILOX_W32_1));
    p->third = uhi_pv_set((uint32_t)next ^ ((uint32_t)(p->seed >> 32) + 2 * PHILOX_W32_1));
}

static inline void uhi_philox_begin(struct uhi_philox *p, uint64_t seed, uint64_t stream, uint64_t block) {
    const uint32_t key = (uint32_t)seed, key_high = (uint32_t)(seed >> 32);
    p->seed = seed;
    p->stream = stream;
    p->step = uhi_pv_set((uint64_t)UHI_PHILOX_LANES * PHILOX_M4x32_0);
    p->first = uhi_pv_set((uint32_t)(stream >> 32) ^ key_high);
    p->second[0] = uhi_pv_set(((uint32_t)stream * PHILOX_M4x32_1) ^ (key + PHILOX_W32_0));
    for (size_t r = 0; r < 8; r++) {
        p->keys[2 * r] = uhi_pv_set(key + (uint32_t)(r + 2) * PHILOX_W32_0);
        p->keys[2 * r + 1] = uhi_pv_set(key_high + (uint32_t)(r + 2) * PHILOX_W32_1);
    }
    uhi_philox_seek(p, block);
}

/* Words around the end of the lower half of the block number. */
__attribute__((noinline, cold, unused)) static void uhi_philox_carry(uint64_t seed, uint64_t stream, uint64_t block,
                                                                     uint32_t words[UHI_PHILOX_WORDS]) {
    for (uint64_t b = 0; b < UHI_PHILOX_BLOCKS; b++) {
        const uhi_philox_block_32 one = uhi_philox4x32(seed, stream, block + b);
        memcpy(words + 4 * b, one.v, sizeof one.v);
    }
}

#define UHI_PHILOX_EACH for (size_t u = 0; u < UHI_PHILOX_SIDE; u++)

/* A round with keys r and r + 1. */
#define UHI_PHILOX_ROUND(r, way)                                                                                       \
    UHI_PHILOX_EACH c1[u] = b[u];                                                                                      \
    UHI_PHILOX_EACH c3[u] = a[u];                                                                                      \
    UHI_PHILOX_EACH a[u] = uhi_pv_mul(c0[u], m0);                                                                      \
    UHI_PHILOX_EACH b[u] = uhi_pv_mul(c2[u], m1);                                                                      \
    UHI_PHILOX_EACH c0[u] = uhi_pv_xor3(uhi_pv_high(b[u], way), c1[u], p->keys[r]);                                    \
    UHI_PHILOX_EACH c2[u] = uhi_pv_xor3(uhi_pv_high(a[u], UHI_PHILOX_BY_SHUFFLE), c3[u], p->keys[(r) + 1]);

/* Work done between the rounds to fill the latency of products: step 0, 1, .. of the eight. */
typedef void uhi_philox_step(void *context, unsigned step);
enum { UHI_PHILOX_STEPS = 8 };

__attribute__((always_inline)) static inline void uhi_philox_nothing(__attribute__((unused)) void *context,
                                                                     __attribute__((unused)) unsigned step) {}

/* Stores the next words in order, as vectors of 64-bit lanes that hold a pair each. */
__attribute__((always_inline)) static inline void
uhi_philox_pairs(struct uhi_philox *p, uhi_pv pairs[2 * UHI_PHILOX_SIDE], uhi_philox_step *step_other, void *context) {
    /* Work between the rounds gathers and so needs the load ports. */
    const enum uhi_philox_select way = step_other == uhi_philox_nothing ? UHI_PHILOX_BY_LOAD : UHI_PHILOX_BY_SHIFT;
    const uhi_pv m0 = uhi_pv_set(PHILOX_M4x32_0), m1 = uhi_pv_set(PHILOX_M4x32_1);
    uhi_pv c0[UHI_PHILOX_SIDE], c1[UHI_PHILOX_SIDE], c2[UHI_PHILOX_SIDE], c3[UHI_PHILOX_SIDE];
    uhi_pv a[UHI_PHILOX_SIDE], b[UHI_PHILOX_SIDE]; /* products of c0 and c2 */
    UHI_PHILOX_EACH {
        c3[u] = p->product;
        p->product = uhi_pv_add(p->product, p->step);
    }
    UHI_PHILOX_EACH c2[u] = uhi_pv_xor(uhi_pv_high(c3[u], UHI_PHILOX_BY_SHUFFLE), p->first);
    UHI_PHILOX_EACH c1[u] = uhi_pv_mul(c2[u], m1);
    UHI_PHILOX_EACH c0[u] = uhi_pv_xor(uhi_pv_high(c1[u], UHI_PHILOX_BY_SHIFT), p->second[0]);
    UHI_PHILOX_EACH c2[u] = uhi_pv_xor(c3[u], p->second[1]);
    UHI_PHILOX_EACH a[u] = uhi_pv_mul(c0[u], m0);
    UHI_PHILOX_EACH b[u] = uhi_pv_mul(c2[u], m1);
    UHI_PHILOX_EACH c0[u] = uhi_pv_xor3(uhi_pv_high(b[u], UHI_PHILOX_BY_SHIFT), c1[u], p->keys[0]);
    UHI_PHILOX_EACH c2[u] = uhi_pv_xor(uhi_pv_high(a[u], UHI_PHILOX_BY_SHUFFLE), p->third);
    step_other(context, 0);
    UHI_PHILOX_ROUND(2, way)
    step_other(context, 1);
    UHI_PHILOX_ROUND(4, way)
    step_other(context, 2);
    UHI_PHILOX_ROUND(6, way)
    step_other(context, 3);
    UHI_PHILOX_ROUND(8, UHI_PHILOX_BY_SHIFT)
    step_other(context, 4);
    UHI_PHILOX_ROUND(10, way)
    step_other(context, 5);
    UHI_PHILOX_ROUND(12, way)
    step_other(context, 6);
    UHI_PHILOX_EACH c1[u] = b[u];
    UHI_PHILOX_EACH c3[u] = a[u];
    UHI_PHILOX_EACH a[u] = uhi_pv_mul(c0[u], m0);
    UHI_PHILOX_EACH b[u] = uhi_pv_mul(c2[u], m1);
    step_other(context, 7);
    UHI_PHILOX_EACH uhi_pv_zip(uhi_pv_last(b[u], c1[u], p->keys[14], UHI_PHILOX_BY_SHIFT),
                               uhi_pv_last(a[u], c3[u], p->keys[15], UHI_PHILOX_BY_SHUFFLE), &pairs[2 * u],
                               &pairs[2 * u + 1]);
}

/* Returns 1 if the next blocks are around the end of the lower half of their number: uhi_philox_pairs cannot make
 * these. */
static inline int uhi_philox_at_carry(const struct uhi_philox *p) {
    return (uint32_t)p->block > UINT32_MAX - UHI_PHILOX_BLOCKS;
}

/* Stores the next UHI_PHILOX_WORDS words of the stream, at any address, and runs all steps of `step_other`. */
__attribute__((always_inline)) static inline void uhi_philox_store_with(struct uhi_philox *p, void *words,
                                                                        uhi_philox_step *step_other, void *context) {
    if (__builtin_expect(uhi_philox_at_carry(p), 0)) {
        uint32_t some[UHI_PHILOX_WORDS];
        uhi_philox_carry(p->seed, p->stream, p->block, some);
        memcpy(words, some, sizeof some);
        uhi_philox_seek(p, p->block + UHI_PHILOX_BLOCKS);
        for (unsigned step = 0; step < UHI_PHILOX_STEPS; step++)
            step_other(context, step);
        return;
    }
    uhi_pv pairs[2 * UHI_PHILOX_SIDE];
    uhi_philox_pairs(p, pairs, step_other, context);
    for (size_t i = 0; i < (size_t)2 * UHI_PHILOX_SIDE; i++)
        uhi_pv_store((char *)words + i * sizeof *pairs, pairs[i]);
    p->block += UHI_PHILOX_BLOCKS;
}

/* Stores the next UHI_PHILOX_WORDS words of the stream, at any address. */
__attribute__((always_inline)) static inline void uhi_philox_store(struct uhi_philox *p, void *words) {
    uhi_philox_store_with(p, words, uhi_philox_nothing, NULL);
}

/* The same into vectors. */
__attribute__((always_inline)) static inline void uhi_philox_next(struct uhi_philox *p,
                                                                  uhi_x32 words[UHI_PHILOX_VECTORS]) {
    if (UHI_LANES_32 == 1 || __builtin_expect(uhi_philox_at_carry(p), 0)) {
        uint32_t some[UHI_PHILOX_WORDS];
        uhi_philox_store(p, some);
        for (size_t i = 0; i < UHI_PHILOX_VECTORS; i++)
            words[i] = uhi_x32_load(some + i * UHI_LANES_32);
        return;
    }
    uhi_pv pairs[2 * UHI_PHILOX_SIDE];
    uhi_philox_pairs(p, pairs, uhi_philox_nothing, NULL);
    memcpy(words, pairs, sizeof pairs);
    p->block += UHI_PHILOX_BLOCKS;
}
