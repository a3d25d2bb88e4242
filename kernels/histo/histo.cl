/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil histogram on a device, in three launches. The tasks are
 *
 *   prescan              one group looks at a sample
 *   count_8, count_16    the groups of each batch count, each its own rows of the eye in local memory, with counters of
 *                        so many bits, and the first of a batch what lies outside the eye in global memory
 *   count_0              the same where there is no eye, or too little local memory for one
 *   reduce               joins partial histograms
 *
 * Counts in global memory are bytes, four to a word, in the order of a little-endian byte array. */
#include "kernels/histo/histo.h"

#define FULL UHI_HISTO_FULL

/* ---- prescan: one group ---- */

#if TASK_prescan
/* Sums of the samples that lie within the histogram: how many, their indices shifted, those squared. `scratch` has room
 * for three sums of each work-item; their number is a power of two. */
__kernel void KERNEL(__global const uint *x, ulong n, ulong distance, uint last, uint shift, __global ulong *sums,
                     __local ulong *scratch) {
    const uint item = get_local_id(0), items = get_local_size(0);
    ulong count = 0, sum = 0, squares = 0;
    for (ulong i = item * distance; i < n; i += items * distance) {
        const uint index = x[i];
        if (index <= last) {
            const ulong value = index >> shift;
            count++;
            sum += value;
            squares += value * value;
        }
    }
    scratch[item] = count;
    scratch[items + item] = sum;
    scratch[2 * items + item] = squares;
    for (uint left = items / 2; left > 0; left /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < left)
            for (uint s = 0; s < UHI_HISTO_SUMS; s++)
                scratch[s * items + item] += scratch[s * items + item + left];
    }
    if (item == 0)
        for (uint s = 0; s < UHI_HISTO_SUMS; s++)
            sums[s] = scratch[s * items];
}
#endif

/* ---- count: batches of `tiles` groups; fewer than 2^32 indices at a time ---- */

#if TASK_count_0 || TASK_count_8 || TASK_count_16
/* Adds `many` to the byte of a word, which stays at 255. Other work-items add to the same word. It is guessed to be 0,
 * and seen when it is not: a plain read beside others' atomics would be a race. */
#define ADD_BYTE(space)                                                                                                \
    space uint *word = counts + (bin >> 2);                                                                            \
    const uint shift = (bin & 3) * 8;                                                                                  \
    uint seen = 0;                                                                                                     \
    while ((seen >> shift & FULL) < FULL) {                                                                            \
        const uint more = min(many, FULL - (seen >> shift & FULL));                                                    \
        const uint before = atomic_cmpxchg(word, seen, seen + (more << shift));                                        \
        if (before == seen)                                                                                            \
            break;                                                                                                     \
        seen = before;                                                                                                 \
    }

static inline void add_outside(__global uint *counts, uint bin, uint many) {
    ADD_BYTE(__global)
}

/* Adds a work-item's number to one of 64 bits that is two words, the low one first. */
static inline void add_long(__global uint *sum, uint more) {
    if (more && atomic_add(sum, more) > UINT_MAX - more)
        atomic_inc(sum + 1);
}

#if TASK_count_16
/* Counters of 16 bits, two to a word. Limited to 255 after so many vectors, and up to 6 indices that are in none, no
 * counter carries into its neighbour. */
#define MAX_VECTORS ((0xffff - FULL) / 4 - 2)
static inline void add_inside(__local uint *counts, uint bin, uint many) {
    atomic_add(counts + (bin >> 1), many << ((bin & 1) * 16));
}
static inline void limit_counters(__local uint *counts, uint words) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint w = get_local_id(0); w < 2 * words; w += get_local_size(0)) {
        const uint two = counts[w];
        counts[w] = min(two & 0xffff, FULL) | min(two >> 16, FULL) << 16;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
/* Four counts of a partial histogram to a group's counters and back. */
static inline void load_four(__local uint *counts, uint word, uint four) {
    counts[2 * word] = (four & 0xff) | (four & 0xff00) << 8;
    counts[2 * word + 1] = (four >> 16 & 0xff) | (four >> 24) << 16;
}
static inline uint store_four(__local const uint *counts, uint word) {
    const uint a = counts[2 * word], b = counts[2 * word + 1];
    return min(a & 0xffff, FULL) | min(a >> 16, FULL) << 8 | min(b & 0xffff, FULL) << 16 | min(b >> 16, FULL) << 24;
}

#elif TASK_count_8
/* Counters of 8 bits, four to a word: room for twice as many bins, for an exchange or two instead of an addition. They
 * need no limiting on the way. */
#define MAX_VECTORS (1u << 30)
#define limit_counters(counts, words)
static inline void add_inside(__local uint *counts, uint bin, uint many) {
    ADD_BYTE(__local)
}
static inline void load_four(__local uint *counts, uint word, uint four) {
    counts[word] = four;
}
static inline uint store_four(__local const uint *counts, uint word) {
    return counts[word];
}

#else
/* All in global memory. */
#define MAX_VECTORS (1u << 30)
#define limit_counters(counts, words)
#define add_inside(counts, bin, many)
#endif

/* Counts an index `many` times: in this group's tile, or, by the first group of a batch, outside the eye. */
#define COUNT(v, many)                                                                                                 \
    {                                                                                                                  \
        const uint index_ = (v), bin_ = index_ - from;                                                                 \
        if (bin_ < bins) {                                                                                             \
            add_inside(counts, bin_, many);                                                                            \
        } else if (others && index_ - first >= size) {                                                                 \
            if (index_ <= last)                                                                                        \
                add_outside(out, index_, many);                                                                        \
            else                                                                                                       \
                far += many;                                                                                           \
        }                                                                                                              \
    }

/* Counts a batch's part of x, `each` vectors: the few indices that lie before the first aligned vector and behind the
 * last one by one, by the first batch; then vectors, MAX_VECTORS of them, and so on. Four equal indices are one
 * addition: against those that meet in one counter. All work-items make the same steps. */
#define COUNT_BATCH                                                                                                    \
    {                                                                                                                  \
        const uint head = min(n, (0 - (uint)(ulong)x) % 16 / 4), vectors = (n - head) / 4;                             \
        const uint start = min(vectors, batch * each), end = min(vectors, start + each);                               \
        __global const uint4 *vector = (__global const uint4 *)(x + head);                                             \
        if (batch == 0)                                                                                                \
            for (uint i = get_local_id(0); i < n - vectors * 4; i += get_local_size(0))                                \
                COUNT(x[i < head ? i : i + vectors * 4], 1)                                                            \
        for (uint next = start; next < end; next += MAX_VECTORS) {                                                     \
            const uint stop = min(end, next + MAX_VECTORS);                                                            \
            for (uint i = next + get_local_id(0); i < stop; i += get_local_size(0)) {                                  \
                const uint4 v = vector[i];                                                                             \
                const uint equal = all(v.xyzx == v.yzwy);                                                              \
                COUNT(v.s0, equal ? 4 : 1)                                                                             \
                if (!equal) {                                                                                          \
                    COUNT(v.s1, 1)                                                                                     \
                    COUNT(v.s2, 1)                                                                                     \
                    COUNT(v.s3, 1)                                                                                     \
                }                                                                                                      \
            }                                                                                                          \
            limit_counters(counts, words);                                                                             \
        }                                                                                                              \
    }

#if TASK_count_0
__kernel void KERNEL(__global const uint *x, uint n, uint each, uint last, __global uint *out, __global uint *beyond) {
    const uint batch = get_group_id(0), others = 1, first = 0, size = 0, from = 0, bins = 0;
    uint far = 0;
    COUNT_BATCH
    add_long(beyond, far);
}
#else
/* The eye is `size` bins from `first` on; group g counts tile g % tiles, of `tile` bins, for batch g / tiles. `inverse`
 * is 2^20 / tiles, rounded up, which divides what is below 2^20 / tiles. Counts go on from the batch's partial
 * histogram, `pitch` words long, unless they are `fresh`. `last` is the last bin of the histogram; `beyond` counts what
 * lies behind it. */
__kernel void KERNEL(__global const uint *x, uint n, uint each, uint last, __global uint *out, __global uint *beyond,
                     uint first, uint size, uint tile, uint tiles, uint inverse, uint fresh, uint pitch,
                     __global uint *partial, __local uint *counts) {
    const uint group = get_group_id(0), batch = group * inverse >> 20, number = group - batch * tiles;
    const uint from = first + number * tile, bins = min(tile, size - number * tile), words = (bins + 3) / 4;
    const uint others = number == 0;
    __global uint *mine = partial + (ulong)batch * pitch + number * (tile / 4);
    uint far = 0;
    for (uint w = get_local_id(0); w < words; w += get_local_size(0))
        load_four(counts, w, fresh ? 0 : mine[w]);
    barrier(CLK_LOCAL_MEM_FENCE);
    COUNT_BATCH
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint w = get_local_id(0); w < words; w += get_local_size(0))
        mine[w] = store_four(counts, w);
    add_long(beyond, far);
}
#endif
#endif

/* ---- reduce ---- */

#if TASK_reduce
/* Stores the limited sums of all partial histograms, `words` words each, `pitch` apart. */
__kernel void KERNEL(__global const uint *partial, uint pitch, uint words, uint batches, __global uint *to) {
    for (uint w = get_global_id(0); w < words; w += get_global_size(0)) {
        uchar4 sum = as_uchar4(partial[w]);
        for (uint b = 1; b < batches; b++)
            sum = add_sat(sum, as_uchar4(partial[(ulong)b * pitch + w]));
        to[w] = as_uint(sum);
    }
}
#endif
