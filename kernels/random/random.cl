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

/* Elements of 64 bits from halves, lower first, and their halves. */
#define LONG(pair) as_ulong(pair)
#define LOW(a)     ((uint)(a))
#define HIGH(a)    ((uint)((a) >> 32))

static float float_of(uint word) {
    return (float)(word >> 8) * 0x1p-24f;
}

/* The bits of the double that is `word` div 2^11, times 2^-53. The mantissa's first bit adds 1 to the exponent. */
static ulong double_bits(ulong word) {
    const ulong a = word >> 11;
    const ulong zeros = clz(a); /* at least 11; 64 for 0 */
    return a ? ((1032 - zeros) << 52) + (a << (zeros - 11)) : 0;
}

/* Block number `block` + g: all blocks of a launch have the same high half. */
#define WORDS_4X32                                                                                                     \
    philox_words(as_uint2(seed), as_uint2(stream), (uint2)(as_uint2(block).s0 + (uint)g, as_uint2(block).s1))

#define PARAMETERS ulong seed, ulong stream, ulong block, uint lead, ulong n
#define LIMITS     ulong bound, ulong least, ulong add

/* ---- words and floats ---- */

kernel void words_4x32(PARAMETERS, global uint *out) {
    EACH_BLOCK(4, uint) {
        const uint4 b = WORDS_4X32;
        PUT_4(0, uint4, b.s0, b.s1, b.s2, b.s3)
    }
}

kernel void words_4x64(PARAMETERS, global uint *out) {
    EACH_BLOCK(8, uint) {
        const uhi_philox_block_64 b = uhi_philox4x64(seed, stream, block + g);
        PUT_4(0, uint4, LOW(b.v[0]), HIGH(b.v[0]), LOW(b.v[1]), HIGH(b.v[1]))
        PUT_4(4, uint4, LOW(b.v[2]), HIGH(b.v[2]), LOW(b.v[3]), HIGH(b.v[3]))
    }
}

kernel void f32_4x32(PARAMETERS, global float *out) {
    EACH_BLOCK(4, float) {
        const uint4 b = WORDS_4X32;
        PUT_4(0, float4, float_of(b.s0), float_of(b.s1), float_of(b.s2), float_of(b.s3))
    }
}

kernel void f32_4x64(PARAMETERS, global float *out) {
    EACH_BLOCK(8, float) {
        const uhi_philox_block_64 b = uhi_philox4x64(seed, stream, block + g);
        PUT_4(0, float4, float_of(LOW(b.v[0])), float_of(HIGH(b.v[0])), float_of(LOW(b.v[1])), float_of(HIGH(b.v[1])))
        PUT_4(4, float4, float_of(LOW(b.v[2])), float_of(HIGH(b.v[2])), float_of(LOW(b.v[3])), float_of(HIGH(b.v[3])))
    }
}

kernel void f64_4x32(PARAMETERS, global ulong *out) {
    EACH_BLOCK(2, ulong) {
        const uint4 b = WORDS_4X32;
        PUT_2(0, double_bits(LONG(b.s01)), double_bits(LONG(b.s23)))
    }
}

kernel void f64_4x64(PARAMETERS, global ulong *out) {
    EACH_BLOCK(4, ulong) {
        const uhi_philox_block_64 b = uhi_philox4x64(seed, stream, block + g);
        PUT_2(0, double_bits(b.v[0]), double_bits(b.v[1]))
        PUT_2(2, double_bits(b.v[2]), double_bits(b.v[3]))
    }
}

/* ---- bounded integers ---- */

/* NAME(word, i) is the number that element i, `word`, stands for. ELEMENT gives elements of further streams. */
#define BOUNDED_32(NAME, ELEMENT)                                                                                      \
    static uint NAME(uint word, ulong i, ulong seed, ulong stream, ulong bound, ulong least) {                         \
        const ulong factor = bound ? bound : 1ul << 32;                                                                \
        ulong product = word * factor;                                                                                 \
        for (ulong t = 1; LOW(product) < least; t++)                                                                   \
            product = ELEMENT(seed, stream ^ t << 32, i) * factor;                                                     \
        return HIGH(product);                                                                                          \
    }
BOUNDED_32(below_32_4x32, uhi_philox4x32_u32)
BOUNDED_32(below_32_4x64, uhi_philox4x64_u32)

#define BOUNDED_64(NAME, ELEMENT)                                                                                      \
    static ulong NAME(ulong word, ulong i, ulong seed, ulong stream, ulong bound, ulong least) {                       \
        if (bound == 0)                                                                                                \
            return word;                                                                                               \
        for (ulong t = 1; word * bound < least; t++)                                                                   \
            word = ELEMENT(seed, stream ^ t << 32, i);                                                                 \
        return mul_hi(word, bound);                                                                                    \
    }
BOUNDED_64(below_64_4x32, uhi_philox4x32_u64)
BOUNDED_64(below_64_4x64, uhi_philox4x64_u64)

#define BELOW(NAME, T, EACH, word, i) (T)(NAME(word, (block + g) * EACH + (i), seed, stream, bound, least) + (T)add)

#define A(i, word) BELOW(below_32_4x32, uint, 4, word, i)
kernel void bounded_32_4x32(PARAMETERS, global uint *out, LIMITS) {
    EACH_BLOCK(4, uint) {
        const uint4 b = WORDS_4X32;
        PUT_4(0, uint4, A(0, b.s0), A(1, b.s1), A(2, b.s2), A(3, b.s3))
    }
}
#undef A

#define A(i, word) BELOW(below_32_4x32, ulong, 4, word, i)
kernel void bounded_32_wide_4x32(PARAMETERS, global ulong *out, LIMITS) {
    EACH_BLOCK(4, ulong) {
        const uint4 b = WORDS_4X32;
        PUT_2(0, A(0, b.s0), A(1, b.s1))
        PUT_2(2, A(2, b.s2), A(3, b.s3))
    }
}
#undef A

#define A(i, word) BELOW(below_32_4x64, uint, 8, word, i)
kernel void bounded_32_4x64(PARAMETERS, global uint *out, LIMITS) {
    EACH_BLOCK(8, uint) {
        const uhi_philox_block_64 b = uhi_philox4x64(seed, stream, block + g);
        PUT_4(0, uint4, A(0, LOW(b.v[0])), A(1, HIGH(b.v[0])), A(2, LOW(b.v[1])), A(3, HIGH(b.v[1])))
        PUT_4(4, uint4, A(4, LOW(b.v[2])), A(5, HIGH(b.v[2])), A(6, LOW(b.v[3])), A(7, HIGH(b.v[3])))
    }
}
#undef A

#define A(i, word) BELOW(below_32_4x64, ulong, 8, word, i)
kernel void bounded_32_wide_4x64(PARAMETERS, global ulong *out, LIMITS) {
    EACH_BLOCK(8, ulong) {
        const uhi_philox_block_64 b = uhi_philox4x64(seed, stream, block + g);
        PUT_2(0, A(0, LOW(b.v[0])), A(1, HIGH(b.v[0])))
        PUT_2(2, A(2, LOW(b.v[1])), A(3, HIGH(b.v[1])))
        PUT_2(4, A(4, LOW(b.v[2])), A(5, HIGH(b.v[2])))
        PUT_2(6, A(6, LOW(b.v[3])), A(7, HIGH(b.v[3])))
    }
}
#undef A

#define A(i, word) BELOW(below_64_4x32, ulong, 2, word, i)
kernel void bounded_64_4x32(PARAMETERS, global ulong *out, LIMITS) {
    EACH_BLOCK(2, ulong) {
        const uint4 b = WORDS_4X32;
        PUT_2(0, A(0, LONG(b.s01)), A(1, LONG(b.s23)))
    }
}
#undef A

#define A(i, word) BELOW(below_64_4x64, ulong, 4, word, i)
kernel void bounded_64_4x64(PARAMETERS, global ulong *out, LIMITS) {
    EACH_BLOCK(4, ulong) {
        const uhi_philox_block_64 b = uhi_philox4x64(seed, stream, block + g);
        PUT_2(0, A(0, b.v[0]), A(1, b.v[1]))
        PUT_2(2, A(2, b.v[2]), A(3, b.v[3]))
    }
}
