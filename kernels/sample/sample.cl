/* SPDX-License-Identifier: Apache-2.0 */
/* Samples from tables (defined in sample.h), stored or counted. A work-item makes whole blocks of four words of the
 * generator and looks up their samples by METHOD; the rare cases that the words do not decide are handled separately.
 * `front` is the array that every sample reads, `words` long: guide's cells, alias's columns in pairs, binary's `top`;
 * uniform has none. The tasks are
 *
 *   draw             stores samples of BITS bits; TIER is the front's memory, local or global
 *   count            counts ranks; TIER is local (counts and front in local memory), mixed (counts in local memory, the
 *                    front in global memory) or global (both there, counts in one of `private_tables`)
 *   count_outcomes   counts outcomes that are already in memory
 *
 * Counters in local memory have 2^spread copies (counters.inc); `private_tables` is a power of two. Counts have 32
 * bits: the host empties them before one can overflow. A launch makes n < 2^31 samples starting at word `phase` of
 * block `first_block` (low and high half; all blocks of a launch have the same high half), and `bins` is the number of
 * items, or of alias's outcomes. */
#include "kernels/common/counters.inc"
#include "kernels/common/philox.inc"
#include "kernels/sample/sample.h"

#if TASK_count_outcomes
__kernel void KERNEL(__global const uint *outcome, uint n, __global uint *counts, uint bins, uint private_tables) {
    __global uint *counter = counts + (ulong)((uint)get_group_id(0) & (private_tables - 1)) * bins;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(counter + outcome[i]);
}
#else

/* ---- ranks of the four words of a block (alias: columns) ------------------------------------------------------------
 * Undecided words are handled one by one in a branch that work-items seldom take. Ties, which need further words of the
 * generator, are in a second branch inside it: in a common loop these words would be computed before it. */

#if TIER_local
#define SPACE __local
#else
#define SPACE __global
#endif

/* Parameters of every look-up. */
struct look {
    __global const uint *top, *low; /* the starts of ranks; for alias, `low` has the rests of thresholds */
    uint2 seed, stream;             /* words are from `stream`, those that decide ties from the next one */
    uint bits, more, items;
};

static inline uint4 with_word(uint4 v, uint e, uint value) {
    return (uint4)(e == 0 ? value : v.s0, e == 1 ? value : v.s1, e == 2 ? value : v.s2, e == 3 ? value : v.s3);
}

/* Returns one bit per nonzero element. */
static inline uint bits_of(int4 v) { return (v.s0 ? 1 : 0) | (v.s1 ? 2 : 0) | (v.s2 ? 4 : 0) | (v.s3 ? 8 : 0); }

/* Returns the last rank that begins at or before (w, v). */
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

/* Returns `rank` with exact ranks for the elements of `ties`. */
static inline uint4 exact_ranks(__private const struct look *look, uint4 w, uint4 rank, uint2 block, uint ties) {
    const uint4 v = philox_words(look->seed, look->stream + (uint2)(1, 0), block);
    while (ties) {
        const uint e = 31 - clz(ties);
        ties ^= 1u << e;
        rank = with_word(rank, e, last_rank(look, word_of(w, e), word_of(v, e)));
    }
    return rank;
}

#if METHOD_guide
/* Returns x for the part of a split cell that contains the word; *shift becomes that of its rank. */
static inline uint split_cell(SPACE const uint *cells, __private const struct look *look, uint w, uint split,
                              __private uint *shift) {
    *shift -= look->more;
    const uint at = (1u << look->bits) + (split << look->more) + (w >> *shift & ((1u << look->more) - 1));
    return cells[at] + (w & ((1u << *shift) - 1));
}

static inline uint4 ranks_of(SPACE const uint *cells, __private const struct look *look, uint4 w, uint2 block) {
    const uint shift = 32 - look->bits, mask = (1u << shift) - 1;
    const uint4 cell = w >> shift;
    /* On a device, the cell's own bits of w are subtracted from its entry: w need not be masked (sample_run.c). */
    const uint4 x = (uint4)(cells[cell.s0], cells[cell.s1], cells[cell.s2], cells[cell.s3]) + w;
    const uint4 beyond = x & mask;
    uint4 rank = x >> shift;
    if ((beyond.s0 == 0) | (beyond.s1 == 0) | (beyond.s2 == 0) | (beyond.s3 == 0) |
        (max(max(rank.s0, rank.s1), max(rank.s2, rank.s3)) >= look->items)) {
        uint ties = bits_of(beyond == 0), left = bits_of(rank >= look->items) & ~ties;
        while (left) {
            const uint e = 31 - clz(left);
            uint shift2 = shift;
            const uint x2 =
                split_cell(cells, look, word_of(w, e), word_of(rank, e) - (1u << (look->bits - 1)), &shift2);
            left ^= 1u << e;
            rank = with_word(rank, e, x2 >> shift2);
            ties |= (x2 & ((1u << shift2) - 1)) == 0 || x2 >> shift2 >= look->items ? 1u << e : 0;
        }
        if (ties)
            rank = exact_ranks(look, w, rank, block, ties);
    }
    return rank;
}

#elif METHOD_alias
/* Columns are pairs: the column's own part of the capacity, and the outcome that has the rest. */
static inline uint4 ranks_of(SPACE const uint *columns, __private const struct look *look, uint4 w, uint2 block) {
    SPACE const uint2 *pairs = (SPACE const uint2 *)columns;
    const uint shift = 32 - look->bits;
    const uint4 own = w >> shift, r = w & ((1u << shift) - 1);
    const uint2 a = pairs[own.s0], b = pairs[own.s1], c = pairs[own.s2], d = pairs[own.s3];
    const uint4 threshold = (uint4)(a.s0, b.s0, c.s0, d.s0), other = (uint4)(a.s1, b.s1, c.s1, d.s1);
    uint4 column = r < threshold ? own : other;
    const uint4 differing = r ^ threshold;
    if (min(min(differing.s0, differing.s1), min(differing.s2, differing.s3)) == 0) {
        const uint4 v = philox_words(look->seed, look->stream + (uint2)(1, 0), block);
        for (uint left = bits_of(differing == 0); left != 0;) {
            const uint e = 31 - clz(left), at = word_of(own, e);
            left ^= 1u << e;
            if (word_of(v, e) < look->low[at])
                column = with_word(column, e, at);
        }
    }
    return column;
}

#elif METHOD_binary
static inline uint4 ranks_of(SPACE const uint *top, __private const struct look *look, uint4 w, uint2 block) {
    uint4 rank = 0;
    for (uint step = 1u << look->bits >> 1; step > 0; step >>= 1) { /* items <= 2^bits */
        const uint4 at = min(rank + step, look->items - 1);         /* reading the last one repeatedly is harmless */
        const uint4 start = (uint4)(top[at.s0], top[at.s1], top[at.s2], top[at.s3]);
        rank = start <= w ? at : rank;
    }
    const uint4 found = (uint4)(top[rank.s0], top[rank.s1], top[rank.s2], top[rank.s3]), differing = found ^ w;
    if (min(min(differing.s0, differing.s1), min(differing.s2, differing.s3)) == 0)
        rank = exact_ranks(look, w, rank, block, bits_of(differing == 0));
    return rank;
}

#else
/* Returns the replacement of `word`, element e of the block, if it was rejected: from the first stream that is not
 * rejected as well (random_bounded.inc). */
static inline uint next_word(__private const struct look *look, uint word, uint e, uint2 block) {
    for (uint t = 1; word * look->items < look->bits; t++)
        word = word_of(philox_words(look->seed, look->stream ^ (uint2)(0, t), block), e);
    return word;
}

/* Bounded numbers: `items` is the bound, `bits` the limit below which lower halves of products are rejected. */
static inline uint4 ranks_of(SPACE const uint *front, __private const struct look *look, uint4 w, uint2 block) {
    const uint4 low = w * look->items;
    if (min(min(low.s0, low.s1), min(low.s2, low.s3)) < look->bits)
        for (uint left = bits_of(low < look->bits); left != 0;) {
            const uint e = 31 - clz(left);
            left ^= 1u << e;
            w = with_word(w, e, next_word(look, word_of(w, e), e, block));
        }
    return mul_hi(w, (uint4)(look->items));
}
#endif

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

#define TABLE                                                                                                          \
    __global const uint *front, uint words, uint bits, uint more, uint items, __global const uint *top,                \
        __global const uint *low
#define SAMPLES uint2 seed, uint2 stream, uint2 first_block, uint phase, uint n
#if TIER_local
#define LOCAL_FRONT , __local uint *local_front
#define FRONT       local_front
#else
#define LOCAL_FRONT
#define FRONT front
#endif
#define LOOK                                                                                                           \
    { .top = top, .low = low, .seed = seed, .stream = stream, .bits = bits, .more = more, .items = items }

static inline void load_front(__local uint *to, __global const uint *from, uint words) {
    for (uint i = get_local_id(0); i < words; i += get_local_size(0))
        to[i] = from[i];
}

/* Runs its body for each block with samples of the launch; the body starts with BLOCK_RANKS. `at` is the index of the
 * block's first sample. It may be up to three below 0 (and wraps around beyond n) if the block has samples of
 * others. */
#define EACH_BLOCK                                                                                                     \
    const uint blocks = (n + phase + 3) / 4;                                                                           \
    for (uint j = get_global_id(0); j < blocks; j += get_global_size(0))
#define BLOCK_RANKS(table)                                                                                             \
    const uint2 block = (uint2)(first_block.s0 + j, first_block.s1);                                                   \
    const uint at = 4 * j - phase;                                                                                     \
    const uint4 rank = ranks_of(table, &look, philox_words(seed, stream, block), block);

#if TASK_draw
#if BITS_32
#define T      uint
#define VECTOR uint4
#define WIDEN
#else
#define T      ulong
#define VECTOR ulong4
#define WIDEN  convert_ulong4
#endif

/* Blocks whose first sample is below `vectors` are stored as vectors: the host guarantees that these are complete and
 * aligned. If `further` is 0, the ranks are the samples. Otherwise `map`, unless NULL, gives the outcomes of ranks,
 * which are shifted; `first` and, if `add` is set, the previous output are added. */
#define DRAW(table)                                                                                                    \
    EACH_BLOCK {                                                                                                       \
        BLOCK_RANKS(table)                                                                                             \
        VECTOR value = WIDEN(rank);                                                                                    \
        if (further) {                                                                                                 \
            if (map)                                                                                                   \
                value = WIDEN((uint4)(map[rank.s0], map[rank.s1], map[rank.s2], map[rank.s3]));                        \
            value = (value << shift) + first;                                                                          \
            if (add)                                                                                                   \
                value += (VECTOR)(at < n ? out[at] : 0, at + 1 < n ? out[at + 1] : 0, at + 2 < n ? out[at + 2] : 0,    \
                                  at + 3 < n ? out[at + 3] : 0);                                                       \
        }                                                                                                              \
        if (at < vectors) {                                                                                            \
            *(__global VECTOR *)(out + at) = value;                                                                    \
        } else {                                                                                                       \
            if (at < n)                                                                                                \
                out[at] = value.s0;                                                                                    \
            if (at + 1 < n)                                                                                            \
                out[at + 1] = value.s1;                                                                                \
            if (at + 2 < n)                                                                                            \
                out[at + 2] = value.s2;                                                                                \
            if (at + 3 < n)                                                                                            \
                out[at + 3] = value.s3;                                                                                \
        }                                                                                                              \
    }

__kernel void KERNEL(TABLE, SAMPLES, __global const uint *map, uint further, uint shift, uint add, T first,
                     uint vectors, __global T *out LOCAL_FRONT) {
    const struct look look = LOOK;
#if TIER_local
    load_front(local_front, front, words);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    DRAW(FRONT)
}
#endif

#if TASK_count
#define COUNT(table)                                                                                                   \
    EACH_BLOCK {                                                                                                       \
        BLOCK_RANKS(table)                                                                                             \
        if (at < whole) {                                                                                              \
            atomic_inc(counter + (rank.s0 << spread));                                                                 \
            atomic_inc(counter + (rank.s1 << spread));                                                                 \
            atomic_inc(counter + (rank.s2 << spread));                                                                 \
            atomic_inc(counter + (rank.s3 << spread));                                                                 \
        } else {                                                                                                       \
            atomic_add(counter + (rank.s0 << spread), at < n);                                                         \
            atomic_add(counter + (rank.s1 << spread), at + 1 < n);                                                     \
            atomic_add(counter + (rank.s2 << spread), at + 2 < n);                                                     \
            atomic_add(counter + (rank.s3 << spread), at + 3 < n);                                                     \
        }                                                                                                              \
    }

#if TIER_local || TIER_mixed
__kernel void KERNEL(TABLE, SAMPLES, __global uint *counts, uint bins, uint spread LOCAL_FRONT,
                     __local uint *local_counts) {
    const struct look look = LOOK;
    const uint whole = n < 4 ? 0 : n - 3;
    __local uint *counter = my_counts(local_counts, spread);
#if TIER_local
    load_front(local_front, front, words);
#endif
    clear_counts(local_counts, bins << spread);
    barrier(CLK_LOCAL_MEM_FENCE);
    COUNT(FRONT)
    barrier(CLK_LOCAL_MEM_FENCE);
    add_counts(local_counts, spread, counts, bins);
}
#else
__kernel void KERNEL(TABLE, SAMPLES, __global uint *counts, uint bins, uint private_tables) {
    const struct look look = LOOK;
    const uint spread = 0;
    const uint whole = n < 4 ? 0 : n - 3;
    __global uint *counter = counts + (ulong)((uint)get_group_id(0) & (private_tables - 1)) * bins;
    COUNT(FRONT)
}
#endif
#endif
#endif
