/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil histogram on a device, in three successive launches without the host. Tasks:
 *
 *   prescan  one group examines a sample, and decides how the other two work
 *   count    the groups of each batch count their rows of the eye in local memory; the first of a batch also counts
 *            indices outside the eye, in global memory
 *   reduce   joins partial histograms
 *
 * Counts in global memory are bytes, four per word, in the order of a little-endian byte array. */
#include "kernels/histo/histo.h"

#define FULL UHI_HISTO_FULL

/* ---- prescan: one group ---- */

#if TASK_prescan
#define SPACE __global
#include "kernels/histo/histo_decide.inc"

/* Sums of the samples within the histogram: their number, their shifted indices, and the squares of these. `scratch`
 * has room for three sums per work-item; the number of work-items is a power of two. */
__kernel void KERNEL(__global const uint *x, ulong n, ulong distance, __global const struct uhi_histo_limits *limits,
                     __global struct uhi_histo_geometry *geometry, __local ulong *scratch) {
    const uint item = get_local_id(0), items = get_local_size(0), last = limits->last, shift = limits->shift;
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
        decide(limits, (uint)scratch[0], (uint)scratch[items], scratch[2 * items], geometry);
}
#endif

/* ---- count: fewer than 2^32 indices at a time ---- */

#if TASK_count
/* Adds `count_of_equal` to a byte of a word, up to 255, while other work-items add to the same word. The word is
 * assumed to be 0 until the exchange returns another value: a plain read next to others' atomics would be a race. */
#define ADD_BYTE(space)                                                                                                \
    space uint *word = counts + (bin >> 2);                                                                            \
    const uint shift = (bin & 3) * 8;                                                                                  \
    uint seen = 0;                                                                                                     \
    while ((seen >> shift & FULL) < FULL) {                                                                            \
        const uint more = min(count_of_equal, FULL - (seen >> shift & FULL));                                          \
        const uint before = atomic_cmpxchg(word, seen, seen + (more << shift));                                        \
        if (before == seen)                                                                                            \
            break;                                                                                                     \
        seen = before;                                                                                                 \
    }

static inline void add_outside(__global uint *counts, uint bin, uint count_of_equal) { ADD_BYTE(__global) }

/* Adds a work-item's number to a 64-bit one in two words, the low one first. */
static inline void add_long(__global uint *sum, uint more) {
    if (more && atomic_add(sum, more) > UINT_MAX - more)
        atomic_inc(sum + 1);
}

/* Counts an index `count_of_equal` times with ADD: in this group's tile, or, in the first group of a batch, outside the
 * eye. */
#define COUNT(v, count_of_equal, ADD)                                                                                  \
    {                                                                                                                  \
        const uint index_ = (v), bin_ = index_ - from;                                                                 \
        if (bin_ < bins) {                                                                                             \
            ADD(counts, bin_, count_of_equal);                                                                         \
        } else if (others && index_ - first >= size) {                                                                 \
            if (index_ <= last)                                                                                        \
                add_outside(out, index_, count_of_equal);                                                              \
            else                                                                                                       \
                far += count_of_equal;                                                                                 \
        }                                                                                                              \
    }

/* A batch's part of x: vectors start to end - 1. The first batch also has the few indices before the first aligned
 * vector and after the last one. A batch past the last has nothing. */
#define FIND_PART                                                                                                      \
    const uint head = min(n, (0 - (uint)(ulong)x) % 16 / 4), vectors = (n - head) / 4;                                 \
    const uint each = vectors / batches + (vectors % batches != 0), single = batch == 0 ? n - vectors * 4 : 0;         \
    const uint start = batch < batches ? min(vectors, batch * each) : 0,                                               \
               end = batch < batches ? min(vectors, start + each) : 0;                                                 \
    __global const uint4 *vector = (__global const uint4 *)(x + head);

/* Counts those few indices. */
#define COUNT_SEPARATELY(ADD)                                                                                          \
    for (uint i = get_local_id(0); i < single; i += get_local_size(0))                                                 \
    COUNT(x[i < head ? i : i + vectors * 4], 1, ADD)

/* Counts vectors `next` to `stop` - 1. Four equal indices are one addition, to reduce collisions in one counter. */
#define COUNT_VECTORS(ADD)                                                                                             \
    for (uint i = next + get_local_id(0); i < stop; i += get_local_size(0)) {                                          \
        const uint4 v = vector[i];                                                                                     \
        const uint equal = all(v.xyzx == v.yzwy);                                                                      \
        COUNT(v.s0, equal ? 4 : 1, ADD)                                                                                \
        if (!equal) {                                                                                                  \
            COUNT(v.s1, 1, ADD)                                                                                        \
            COUNT(v.s2, 1, ADD)                                                                                        \
            COUNT(v.s3, 1, ADD)                                                                                        \
        }                                                                                                              \
    }

/* 16-bit counters, two per word. Limited to 255 after MAX_VECTORS vectors and up to 6 indices outside vectors, no
 * counter carries into its neighbour. */
#define MAX_VECTORS ((0xffff - FULL) / 4 - 2)
static inline void add_16(__local uint *counts, uint bin, uint count_of_equal) {
    atomic_add(counts + (bin >> 1), count_of_equal << ((bin & 1) * 16));
}
static inline void limit_16(__local uint *counts, uint words) {
    for (uint w = get_local_id(0); w < 2 * words; w += get_local_size(0)) {
        const uint two = counts[w];
        counts[w] = min(two & 0xffff, FULL) | min(two >> 16, FULL) << 16;
    }
}
/* Converts four counts of a partial histogram to a group's counters and back. */
static inline void load_16(__local uint *counts, uint word, uint four) {
    counts[2 * word] = (four & 0xff) | (four & 0xff00) << 8;
    counts[2 * word + 1] = (four >> 16 & 0xff) | (four >> 24) << 16;
}
static inline uint store_16(__local const uint *counts, uint word) {
    const uint a = counts[2 * word], b = counts[2 * word + 1];
    return min(a & 0xffff, FULL) | min(a >> 16, FULL) << 8 | min(b & 0xffff, FULL) << 16 | min(b >> 16, FULL) << 24;
}

/* 8-bit counters, four per word: room for twice as many bins, for an exchange or two instead of an addition. They need
 * no limiting in between. */
static inline void add_8(__local uint *counts, uint bin, uint count_of_equal) { ADD_BYTE(__local); }

/* Group g counts tile g % tiles for batch g / tiles. There are as many groups as the largest eye takes; those without a
 * batch do nothing. Without an eye its size is 0. Counts continue from the batch's partial histogram unless they are
 * `fresh`. `last` is the last bin of the histogram; `beyond` counts the indices after it. All work-items of a group
 * reach the same barriers, with either counters: PoCL loses the values from before a barrier in a branch. */
__kernel void KERNEL(__global const uint *x, uint n, uint last, __global uint *out, __global uint *beyond,
                     __global const struct uhi_histo_geometry *geometry, uint fresh, __global uint *partial,
                     __local uint *counts) {
    const uint batches = geometry->batches, tiles = geometry->tiles, tile = geometry->tile, first = geometry->first,
               size = geometry->size, bytes = geometry->bits == 8, most = bytes ? 1u << 30 : MAX_VECTORS;
    const uint group = get_group_id(0), batch = group * geometry->inverse >> 20, number = group - batch * tiles;
    const uint from = first + number * tile, bins = batch < batches ? min(tile, size - number * tile) : 0,
               words = (bins + 3) / 4, others = number == 0;
    __global uint *mine = partial + (ulong)batch * geometry->pitch + number * (tile / 4);
    uint far = 0;
    for (uint w = get_local_id(0); w < words; w += get_local_size(0)) {
        const uint four = fresh ? 0 : mine[w];
        if (bytes)
            counts[w] = four;
        else
            load_16(counts, w, four);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FIND_PART
    if (bytes)
        COUNT_SEPARATELY(add_8)
    else
        COUNT_SEPARATELY(add_16)
    for (uint next = start; next < end; next += most) {
        const uint stop = min(end, next + most);
        if (bytes)
            COUNT_VECTORS(add_8)
        else
            COUNT_VECTORS(add_16)
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!bytes)
            limit_16(counts, words);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint w = get_local_id(0); w < words; w += get_local_size(0))
        mine[w] = bytes ? counts[w] : store_16(counts, w);
    add_long(beyond, far);
}
#endif

/* ---- reduce ---- */

#if TASK_reduce
/* Stores the saturated sums of all partial histograms in the eye's words of `out`. */
__kernel void KERNEL(__global const uint *partial, __global const struct uhi_histo_geometry *geometry,
                     __global uint *out) {
    const uint pitch = geometry->pitch, batches = geometry->batches;
    __global uint *to = out + geometry->first / 4;
    for (uint w = get_global_id(0); w < pitch; w += get_global_size(0)) {
        uchar4 sum = as_uchar4(partial[w]);
        for (uint b = 1; b < batches; b++)
            sum = add_sat(sum, as_uchar4(partial[(ulong)b * pitch + w]));
        to[w] = as_uint(sum);
    }
}
#endif
