/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers in bulk: n elements without the first `lead` of block number `block`. A work-item makes a block at a
 * time and stores it as vectors where these lie at multiples of their size, else, and at both ends, element by element.
 * For bounded numbers: `bound`, 2^32 or 2^64 where it is 0; products whose lower half is below `least` are refused. */
#pragma OPENCL FP_CONTRACT OFF
#include "kernels/common/philox.h"
#include "kernels/common/philox.inc"
#include "kernels/random/random.h"

/* What all kernels begin with, for blocks of EACH elements that are stored as type T: g counts blocks, `at` is the
 * place of the block's first element, beyond n where that is before the array. */
#define EACH_BLOCK(EACH, T)                                                                                            \
    const int whole = (((ulong)out - lead * sizeof(T)) & 15) == 0;                                                     \
    const ulong blocks = (n + lead + (EACH - 1)) / EACH;                                                               \
    ulong at = (ulong)get_global_id(0) * EACH - lead;                                                                  \
    for (ulong g = get_global_id(0); g < blocks; g += get_global_size(0), at += get_global_size(0) * EACH)

#define PUT(i, a)                                                                                                      \
    if (at + (i) < n)                                                                                                  \
        out[at + (i)] = a;

/* Four elements of 32 bits, from number i of the block on. */
#define PUT_4(i, T4, a, b, c, d)                                                                                       \
    {                                                                                                                  \
        const T4 four = (T4)(a, b, c, d);                                                                              \
        if (whole && at + (i) < n && at + (i) + 4 <= n) {                                                              \
            *(global T4 *)(out + at + (i)) = four;                                                                     \
        } else {                                                                                                       \
            PUT((i), four.x)                                                                                           \
            PUT((i) + 1, four.y)                                                                                       \
            PUT((i) + 2, four.z)                                                                                       \
            PUT((i) + 3, four.w)                                                                                       \
        }                                                                                                              \
    }

/* Two of 64 bits. */
#define PUT_2(i, a, b)                                                                                                 \
    {                                                                                                                  \
        const ulong2 two = (ulong2)(a, b);                                                                             \
        if (whole && at + (i) < n && at + (i) + 2 <= n) {                                                              \
            *(global ulong2 *)(out + at + (i)) = two;                                                                  \
        } else {                                                                                                       \
            PUT((i), two.x)                                                                                            \
            PUT((i) + 1, two.y)                                                                                        \
        }                                                                                                              \
    }

#define LONG(low, high) ((ulong)(high) << 32 | (low))
#define LOW(a)          ((uint)(a))
#define HIGH(a)         ((uint)((a) >> 32))

/* A block in registers. */
static uint4 block_32(ulong seed, ulong stream, ulong block) {
    return philox_words(as_uint2(seed), as_uint2(stream), as_uint2(block));
}

static ulong4 block_64(ulong seed, ulong stream, ulong block) {
    const uhi_philox_block_64 words = uhi_philox4x64(seed, stream, block);
    return (ulong4)(words.v[0], words.v[1], words.v[2], words.v[3]);
}

/* uint32 elements of words of 64 bits. */
static uint4 halves(ulong a, ulong b) {
    return (uint4)(LOW(a), HIGH(a), LOW(b), HIGH(b));
}

static float float_of(uint word) {
    return (float)(word >> 8) * 0x1p-24f;
}

/* The bits of the double that is `word` div 2^11, times 2^-53. The mantissa's first bit adds 1 to the exponent. */
static ulong double_bits(ulong word) {
    const ulong a = word >> 11;
    const ulong zeros = clz(a); /* at least 11; 64 for 0 */
    return a ? ((1032 - zeros) << 52) + (a << (zeros - 11)) : 0;
}

/* The block's number, by a sum of 32 bits: all blocks of a launch have the same high half. */
#define BLOCK_NUMBER as_ulong((uint2)(as_uint2(block).s0 + (uint)g, as_uint2(block).s1))

#define PARAMETERS ulong seed, ulong stream, ulong block, uint lead, ulong n
#define LIMITS     ulong bound, ulong least, ulong add

/* ---- words and floats ---- */

kernel void words_4x32(PARAMETERS, global uint *out) {
    EACH_BLOCK(4, uint) {
        const uint4 b = block_32(seed, stream, BLOCK_NUMBER);
        PUT_4(0, uint4, b.x, b.y, b.z, b.w)
    }
}

kernel void words_4x64(PARAMETERS, global uint *out) {
    EACH_BLOCK(8, uint) {
        const ulong4 b = block_64(seed, stream, block + g);
        PUT_4(0, uint4, LOW(b.x), HIGH(b.x), LOW(b.y), HIGH(b.y))
        PUT_4(4, uint4, LOW(b.z), HIGH(b.z), LOW(b.w), HIGH(b.w))
    }
}

kernel void f32_4x32(PARAMETERS, global float *out) {
    EACH_BLOCK(4, float) {
        const uint4 b = block_32(seed, stream, BLOCK_NUMBER);
        PUT_4(0, float4, float_of(b.x), float_of(b.y), float_of(b.z), float_of(b.w))
    }
}

kernel void f32_4x64(PARAMETERS, global float *out) {
    EACH_BLOCK(8, float) {
        const ulong4 b = block_64(seed, stream, block + g);
        PUT_4(0, float4, float_of(LOW(b.x)), float_of(HIGH(b.x)), float_of(LOW(b.y)), float_of(HIGH(b.y)))
        PUT_4(4, float4, float_of(LOW(b.z)), float_of(HIGH(b.z)), float_of(LOW(b.w)), float_of(HIGH(b.w)))
    }
}

kernel void f64_4x32(PARAMETERS, global ulong *out) {
    EACH_BLOCK(2, ulong) {
        const uint4 b = block_32(seed, stream, BLOCK_NUMBER);
        PUT_2(0, double_bits(LONG(b.x, b.y)), double_bits(LONG(b.z, b.w)))
    }
}

kernel void f64_4x64(PARAMETERS, global ulong *out) {
    EACH_BLOCK(4, ulong) {
        const ulong4 b = block_64(seed, stream, block + g);
        PUT_2(0, double_bits(b.x), double_bits(b.y))
        PUT_2(2, double_bits(b.z), double_bits(b.w))
    }
}

/* ---- bounded integers ---- */

/* Words that are refused are replaced by those at the same place of the block in further streams, of which all words of
 * a work-item share the making. */

/* With elements of 32 bits, in 64: `bound` is 2^32 where it is 0. */
#define FACTOR          (bound ? bound : 1ul << 32)
#define REFUSED_32(a)   (LOW((a)*factor) < LOW(least))
#define ANY_32(a)       (REFUSED_32((a).x) || REFUSED_32((a).y) || REFUSED_32((a).z) || REFUSED_32((a).w))
#define NUMBER_32(T, a) ((T)HIGH((a)*factor) + (T)add)

static uint4 replace_32(uint4 a, uint4 b, ulong factor, ulong least) {
    return (uint4)(REFUSED_32(a.x) ? b.x : a.x, REFUSED_32(a.y) ? b.y : a.y, REFUSED_32(a.z) ? b.z : a.z,
                   REFUSED_32(a.w) ? b.w : a.w);
}

static uint4 accepted_4x32(ulong seed, ulong stream, ulong block, ulong factor, ulong least) {
    uint4 a = block_32(seed, stream, block);
    for (ulong t = 1; ANY_32(a); t++)
        a = replace_32(a, block_32(seed, stream ^ t << 32, block), factor, least);
    return a;
}

/* The eight elements of a block of the other generator, in `a` and `b`. */
#define ACCEPTED_4X64(a, b)                                                                                            \
    ulong4 words = block_64(seed, stream, block + g);                                                                  \
    uint4 a = halves(words.x, words.y), b = halves(words.z, words.w);                                                  \
    for (ulong t = 1; ANY_32(a) || ANY_32(b); t++) {                                                                   \
        words = block_64(seed, stream ^ t << 32, block + g);                                                           \
        a = replace_32(a, halves(words.x, words.y), factor, least);                                                    \
        b = replace_32(b, halves(words.z, words.w), factor, least);                                                    \
    }

#define A(w) NUMBER_32(uint, w)
kernel void bounded_32_4x32(PARAMETERS, global uint *out, LIMITS) {
    const ulong factor = FACTOR;
    EACH_BLOCK(4, uint) {
        const uint4 b = accepted_4x32(seed, stream, BLOCK_NUMBER, factor, least);
        PUT_4(0, uint4, A(b.x), A(b.y), A(b.z), A(b.w))
    }
}

kernel void bounded_32_4x64(PARAMETERS, global uint *out, LIMITS) {
    const ulong factor = FACTOR;
    EACH_BLOCK(8, uint) {
        ACCEPTED_4X64(a, b)
        PUT_4(0, uint4, A(a.x), A(a.y), A(a.z), A(a.w))
        PUT_4(4, uint4, A(b.x), A(b.y), A(b.z), A(b.w))
    }
}
#undef A

#define A(w) NUMBER_32(ulong, w)
kernel void bounded_32_wide_4x32(PARAMETERS, global ulong *out, LIMITS) {
    const ulong factor = FACTOR;
    EACH_BLOCK(4, ulong) {
        const uint4 b = accepted_4x32(seed, stream, BLOCK_NUMBER, factor, least);
        PUT_2(0, A(b.x), A(b.y))
        PUT_2(2, A(b.z), A(b.w))
    }
}

kernel void bounded_32_wide_4x64(PARAMETERS, global ulong *out, LIMITS) {
    const ulong factor = FACTOR;
    EACH_BLOCK(8, ulong) {
        ACCEPTED_4X64(a, b)
        PUT_2(0, A(a.x), A(a.y))
        PUT_2(2, A(a.z), A(a.w))
        PUT_2(4, A(b.x), A(b.y))
        PUT_2(6, A(b.z), A(b.w))
    }
}
#undef A

/* With elements of 64 bits; nothing is refused where `bound` is 0. */
#define REFUSED_64(a)    ((a)*bound < least)
#define REPLACE_64(a, b) a = REFUSED_64(a) ? (b) : a;
#define A(w)             ((bound ? mul_hi(w, bound) : (w)) + add)

kernel void bounded_64_4x32(PARAMETERS, global ulong *out, LIMITS) {
    EACH_BLOCK(2, ulong) {
        uint4 b = block_32(seed, stream, BLOCK_NUMBER);
        ulong x = LONG(b.x, b.y), y = LONG(b.z, b.w);
        for (ulong t = 1; REFUSED_64(x) || REFUSED_64(y); t++) {
            b = block_32(seed, stream ^ t << 32, BLOCK_NUMBER);
            REPLACE_64(x, LONG(b.x, b.y))
            REPLACE_64(y, LONG(b.z, b.w))
        }
        PUT_2(0, A(x), A(y))
    }
}

kernel void bounded_64_4x64(PARAMETERS, global ulong *out, LIMITS) {
    EACH_BLOCK(4, ulong) {
        ulong4 b = block_64(seed, stream, block + g);
        for (ulong t = 1; REFUSED_64(b.x) || REFUSED_64(b.y) || REFUSED_64(b.z) || REFUSED_64(b.w); t++) {
            const ulong4 c = block_64(seed, stream ^ t << 32, block + g);
            REPLACE_64(b.x, c.x)
            REPLACE_64(b.y, c.y)
            REPLACE_64(b.z, c.z)
            REPLACE_64(b.w, c.w)
        }
        PUT_2(0, A(b.x), A(b.y))
        PUT_2(2, A(b.z), A(b.w))
    }
}
