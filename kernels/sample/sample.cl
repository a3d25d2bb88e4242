/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of tables (see sample.h for what these are), stored or counted. A work-item makes whole blocks of four words
 * of the generator and looks their samples up; what the words do not decide is rare and apart. */
#include "kernels/common/counters.inc"
#include "kernels/common/philox.inc"
#include "kernels/sample/sample.h"

#define JOIN_(a, b)     a##_##b
#define JOIN(a, b)      JOIN_(a, b)
#define JOIN3_(a, b, c) a##_##b##_##c
#define JOIN3(a, b, c)  JOIN3_(a, b, c)

/* What every look-up goes by. */
struct look {
    __global const uint *top, *low; /* where the ranks begin; for alias, `low` is that of the thresholds */
    uint2 seed, stream;             /* words are those of `stream`, what decides ties is in the next one */
    uint bits, more, items;
};

/* Member e < 4; an index would make memory of the vector. */
static inline uint member(uint4 v, uint e) {
    const uint even = e & 2 ? v.s2 : v.s0, odd = e & 2 ? v.s3 : v.s1;
    return e & 1 ? odd : even;
}

static inline uint4 with_member(uint4 v, uint e, uint value) {
    return (uint4)(e == 0 ? value : v.s0, e == 1 ? value : v.s1, e == 2 ? value : v.s2, e == 3 ? value : v.s3);
}

/* One bit for each element that is not zero. */
static inline uint bits_of(int4 v) {
    return (v.s0 ? 1 : 0) | (v.s1 ? 2 : 0) | (v.s2 ? 4 : 0) | (v.s3 ? 8 : 0);
}

/* The last rank that begins at or before (w, v). */
static inline uint last_rank(__private const struct look *look, uint w, uint v) {
    uint first = 0, count = look->items - 1; /* the answer is in first .. first + count */
    while (count > 0) {
        const uint step = (count + 1) / 2, top = look->top[first + step];
        const int before = top < w || (top == w && look->low[first + step] <= v);
        first += before ? step : 0;
        count = before ? count - step : step - 1;
    }
    return first;
}

/* `rank` with the elements of `ties` made exact. */
static inline uint4 exact_ranks(__private const struct look *look, uint4 w, uint4 rank, uint2 block, uint ties) {
    const uint4 v = philox_words(look->seed, look->stream + (uint2)(1, 0), block);
    while (ties) {
        const uint e = 31 - clz(ties);
        ties ^= 1u << e;
        rank = with_member(rank, e, last_rank(look, member(w, e), member(v, e)));
    }
    return rank;
}

#define SPACE_NAME local
#define SPACE      __local
#include "kernels/sample/sample_look.inc"
#define SPACE_NAME global
#define SPACE      __global
#include "kernels/sample/sample_look.inc"

/* The word that decides in the place of `word`, element e of the block, which was refused: of the first stream that is
 * not refused as well (random_bounded.inc). */
static inline uint next_word(__private const struct look *look, uint word, uint e, uint2 block) {
    for (uint t = 1; word * look->items < look->bits; t++)
        word = member(philox_words(look->seed, look->stream ^ (uint2)(0, t), block), e);
    return word;
}

/* Bounded numbers: `items` is the bound, `bits` what lower halves of products are refused below; there is no front. */
static inline uint4 uniform_global(__global const uint *front, __private const struct look *look, uint4 w,
                                   uint2 block) {
    const uint4 low = w * look->items;
    (void)front;
    if (min(min(low.s0, low.s1), min(low.s2, low.s3)) < look->bits)
        for (uint left = bits_of(low < look->bits); left != 0;) {
            const uint e = 31 - clz(left);
            left ^= 1u << e;
            w = with_member(w, e, next_word(look, member(w, e), e, block));
        }
    return mul_hi(w, (uint4)(look->items));
}

#define LOOK                                                                                                           \
    const struct look look = {                                                                                         \
        .top = top, .low = low, .seed = seed, .stream = stream, .bits = bits, .more = more, .items = items};
#define TABLE                                                                                                          \
    __global const uint *front, uint words, uint bits, uint more, uint items, __global const uint *top,                \
        __global const uint *low
#define SAMPLES uint2 seed, uint2 stream, uint2 first_block, uint phase, uint n

static inline void load_front(__local uint *to, __global const uint *from, uint words) {
    for (uint i = get_local_id(0); i < words; i += get_local_size(0))
        to[i] = from[i];
}

#define METHOD guide
#include "kernels/sample/sample_method.inc"
#define METHOD alias
#include "kernels/sample/sample_method.inc"
#define METHOD binary
#include "kernels/sample/sample_method.inc"
#define METHOD uniform
#define WITHOUT_FRONT
#include "kernels/sample/sample_method.inc"

/* Adds up outcomes that are there already. */
__kernel void count_outcomes(__global const uint *outcome, uint n, __global uint *counts, uint bins, uint slabs) {
    __global uint *counter = counts + (ulong)((uint)get_group_id(0) & (slabs - 1)) * bins;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(counter + outcome[i]);
}
