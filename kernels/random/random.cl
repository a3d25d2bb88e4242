/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers in bulk: n elements without the first `lead` of block number `block`. A work-item makes one block of
 * the GENERATOR at a time and stores it as vectors if these are at multiples of their size; otherwise, and at both
 * ends, element by element. The KIND of elements is words, f32, f64, or bounded numbers: of 32-bit words, stored as 32
 * or 64 bits (bounded_32_wide), or of 64-bit words. `bound` 0 means 2^32 or 2^64. Products whose lower half is below
 * `min_accepted` are refused, and replaced by words at the same place of the block in further streams. */
#pragma OPENCL FP_CONTRACT OFF
#include "kernels/common/philox.h"
#include "kernels/common/philox.inc"
#include "kernels/common/sequence.h"
#include "kernels/random/random.h"

#define BOUNDED (KIND_bounded_32 || KIND_bounded_32_wide || KIND_bounded_64)
#define LONGS   (KIND_f64 || KIND_bounded_64) /* elements are made from 64 bits, otherwise from 32 */

#if KIND_f32
typedef float T;
typedef float4 T4;
#elif KIND_words || KIND_bounded_32
typedef uint T;
typedef uint4 T4;
#else
typedef ulong T;
typedef ulong2 T2;
#endif

#define LOW(a)  ((uint)(a))
#define HIGH(a) ((uint)((a) >> 32))

/* ---- blocks: one or two vectors ---------------------------------------------------------------------------------- */

#if LONGS
typedef ulong2 VECTOR;
#define WIDTH 2
#else
typedef uint4 VECTOR;
#define WIDTH 4
#endif

#if GENERATOR_4x32
#define VECTORS 1
typedef struct {
    VECTOR a;
} block_of_words;

static block_of_words block_at(ulong seed, ulong stream, ulong block, ulong g) {
    /* The block's number, by a 32-bit sum: all blocks of a launch have the same high half. */
    const uint2 number = (uint2)(as_uint2(block).s0 + (uint)g, as_uint2(block).s1);
    const uint4 words = philox_words(as_uint2(seed), as_uint2(stream), number);
#if LONGS
    return (block_of_words){(ulong2)((ulong)words.y << 32 | words.x, (ulong)words.w << 32 | words.z)};
#else
    return (block_of_words){words};
#endif
}
#else
#define VECTORS 2
typedef struct {
    VECTOR a, b;
} block_of_words;

static block_of_words block_at(ulong seed, ulong stream, ulong block, ulong g) {
    const uhi_philox_block_64 made = uhi_philox4x64(seed, stream, block + g);
    const ulong x = made.v[0], y = made.v[1], z = made.v[2], w = made.v[3];
#if LONGS
    return (block_of_words){(ulong2)(x, y), (ulong2)(z, w)};
#else
    return (block_of_words){(uint4)(LOW(x), HIGH(x), LOW(y), HIGH(y)), (uint4)(LOW(z), HIGH(z), LOW(w), HIGH(w))};
#endif
}
#endif

/* ---- elements of words ------------------------------------------------------------------------------------------- */

#if KIND_words
#define ELEMENT(word) (word)
#elif KIND_f32
#define ELEMENT(word) ((float)((word) >> 8) * 0x1p-24f)
#elif KIND_f64
/* The bits of the double (word div 2^11) * 2^-53. The mantissa's first bit adds 1 to the exponent. */
static ulong double_bits(ulong word) {
    const ulong a = word >> 11;
    const ulong zeros = clz(a); /* at least 11; 64 for 0 */
    return a ? ((1032 - zeros) << 52) + (a << (zeros - 11)) : 0;
}
#define ELEMENT(word) double_bits(word)
#elif KIND_bounded_64
/* Nothing is refused if `bound` is 0. */
#define FACTOR        bound
#define REFUSED(word) ((word)*factor < min_accepted)
#define ELEMENT(word) ((factor ? mul_hi(word, factor) : (word)) + add)
#else
/* Computed in 64 bits. */
#define FACTOR        (bound ? bound : 1ul << 32)
#define REFUSED(word) (LOW((word)*factor) < LOW(min_accepted))
#define ELEMENT(word) ((T)HIGH((word)*factor) + (T)add)
#endif

#if BOUNDED && LONGS
#define ANY_IN(v) (REFUSED((v).x) || REFUSED((v).y))
static VECTOR replace(VECTOR a, VECTOR b, ulong factor, ulong min_accepted) {
    return (VECTOR)(REFUSED(a.x) ? b.x : a.x, REFUSED(a.y) ? b.y : a.y);
}
#elif BOUNDED
#define ANY_IN(v) (REFUSED((v).x) || REFUSED((v).y) || REFUSED((v).z) || REFUSED((v).w))
static VECTOR replace(VECTOR a, VECTOR b, ulong factor, ulong min_accepted) {
    return (VECTOR)(REFUSED(a.x) ? b.x : a.x, REFUSED(a.y) ? b.y : a.y, REFUSED(a.z) ? b.z : a.z,
                    REFUSED(a.w) ? b.w : a.w);
}
#endif
#if VECTORS == 1
#define ANY_REFUSED(block) ANY_IN(block.a)
#else
#define ANY_REFUSED(block) (ANY_IN(block.a) || ANY_IN(block.b))
#endif

/* ---- storing ----------------------------------------------------------------------------------------------------- */

#define PUT(i, element)                                                                                                \
    if (at + (i) < n)                                                                                                  \
        out[at + (i)] = element;

/* Stores four 32-bit elements, from index i of the block on. */
#define PUT_4(i, p, q, r, s)                                                                                           \
    {                                                                                                                  \
        const T4 four = (T4)(p, q, r, s);                                                                              \
        if (whole && at + (i) < n && at + (i) + 4 <= n) {                                                              \
            *(global T4 *)(out + at + (i)) = four;                                                                     \
        } else {                                                                                                       \
            PUT((i), four.x)                                                                                           \
            PUT((i) + 1, four.y)                                                                                       \
            PUT((i) + 2, four.z)                                                                                       \
            PUT((i) + 3, four.w)                                                                                       \
        }                                                                                                              \
    }

/* Stores two 64-bit elements. */
#define PUT_2(i, p, q)                                                                                                 \
    {                                                                                                                  \
        const T2 two = (T2)(p, q);                                                                                     \
        if (whole && at + (i) < n && at + (i) + 2 <= n) {                                                              \
            *(global T2 *)(out + at + (i)) = two;                                                                      \
        } else {                                                                                                       \
            PUT((i), two.x)                                                                                            \
            PUT((i) + 1, two.y)                                                                                        \
        }                                                                                                              \
    }

/* Stores the elements of one vector of the block. */
#if LONGS
#define PUT_VECTOR(i, v) PUT_2(i, ELEMENT(v.x), ELEMENT(v.y))
#elif KIND_bounded_32_wide
#define PUT_VECTOR(i, v) PUT_2(i, ELEMENT(v.x), ELEMENT(v.y)) PUT_2((i) + 2, ELEMENT(v.z), ELEMENT(v.w))
#else
#define PUT_VECTOR(i, v) PUT_4(i, ELEMENT(v.x), ELEMENT(v.y), ELEMENT(v.z), ELEMENT(v.w))
#endif

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

#if GENERATOR_sobol
/* Rows of n elements in all, from point `first` on. */
kernel void KERNEL(global const uint *table, int kind, ulong first, ulong n, uint dims, global T *out) {
    /* Divisions stay outside the loop: Intel's compiler divides integers by way of floats. */
    const uint rows = (uint)(get_global_size(0) / dims), columns = (uint)(get_global_size(0) % dims);
    uint axis = (uint)(get_global_id(0) % dims), point = (uint)(first + get_global_id(0) / dims);
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        const uint word = uhi_sequence_word(kind, point, table + axis * UHI_SEQUENCE_AXIS,
                                            table + dims * UHI_SEQUENCE_AXIS + axis * UHI_SEQUENCE_KEYS);
        const uint next = axis + columns, over = next >= dims;
        axis = next - (over ? dims : 0);
        point += rows + over;
#if KIND_f64
        out[i] = ELEMENT((ulong)word << 32);
#else
        out[i] = ELEMENT(word);
#endif
    }
}
#else
#if BOUNDED
#define LIMITS , ulong bound, ulong min_accepted, ulong add
#else
#define LIMITS
#endif

kernel void KERNEL(ulong seed, ulong stream, ulong block, uint lead, ulong n, global T *out LIMITS) {
    const uint each = VECTORS * WIDTH;
    const int whole = (((ulong)out - lead * sizeof(T)) & 15) == 0;
    const ulong blocks = (n + lead + (each - 1)) / each;
#if BOUNDED
    const ulong factor = FACTOR;
#endif
    /* `at` is the position of the block's first element; beyond n if that is before the array. */
    ulong at = (ulong)get_global_id(0) * each - lead;
    for (ulong g = get_global_id(0); g < blocks; g += get_global_size(0), at += get_global_size(0) * each) {
        block_of_words made = block_at(seed, stream, block, g);
#if BOUNDED
        for (ulong t = 1; ANY_REFUSED(made); t++) {
            const block_of_words next = block_at(seed, stream ^ t << 32, block, g);
            made.a = replace(made.a, next.a, factor, min_accepted);
#if VECTORS == 2
            made.b = replace(made.b, next.b, factor, min_accepted);
#endif
        }
#endif
        PUT_VECTOR(0, made.a)
#if VECTORS == 2
        PUT_VECTOR(WIDTH, made.b)
#endif
    }
}
#endif
