/* SPDX-License-Identifier: Apache-2.0 */
/* Integers counted by value on a device, and the smallest and largest of any values. TYPE is the width of integers, or
 * f32, f64, which are examined by their bits, so that no device needs double. Tasks:
 *
 *   count_local    counts in local memory, in several copies, added to one table in global memory
 *   count_global   counts in global memory, in one of `private_tables`
 *   cells          the values as 32-bit numbers, for additions by bin
 *   first_above    the first value that is too large
 *   extent         the smallest and largest value
 *
 * Counters in local memory have 2^spread copies (counters.inc); `private_tables` is a power of two. Counts have 32
 * bits; the host empties them before one can overflow. Values of `bins` or more are not counted, and set *beyond. */
#include "kernels/bincount/bincount.h"

#if TYPE_8
typedef uchar T;
typedef uint WIDE;
#define VECTOR uchar16
#define WIDTH  16
#elif TYPE_16
typedef ushort T;
typedef uint WIDE;
#define VECTOR ushort8
#define WIDTH  8
#elif TYPE_32 || TYPE_f32
typedef uint T, WIDE;
#define VECTOR uint4
#define WIDTH  4
#elif TYPE_64 || TYPE_f64
typedef ulong T, WIDE;
#define VECTOR ulong2
#define WIDTH  2
#else
#error "no TYPE"
#endif
#include "kernels/common/counters.inc"
#include "kernels/common/vectors.inc"

/* ---- counts ---- */

#if TASK_count_local || TASK_count_global
#if TASK_count_local
#define COUNTS __local
#else
#define COUNTS __global
#endif

/* A work-item's counters, and whether a value had none. */
struct counters {
    COUNTS uint *first;
    uint spread, bins;
};

static inline COUNTS uint *counter(__private const struct counters *to, uint number) {
    return to->first + (number << to->spread);
}

#include "kernels/common/runs.inc"

static inline int count_value(__private const struct counters *to, WIDE value) {
    if (value < to->bins)
        atomic_inc(counter(to, (uint)value));
    return value >= to->bins;
}

static inline int count_value_in_run(__private const struct counters *to, __private struct run *run, WIDE value) {
    if (value < to->bins)
        count_in_run(to, run, (uint)value);
    return value >= to->bins;
}

/* Whether most neighbours are equal and copies are few; `votes` is a word of local memory. */
static inline int deserves_runs(__private const struct counters *to, __global const T *x, ulong n,
                                __local uint *votes) {
    const ulong look = sampled_neighbour(n);
    return to->spread < FEW_COPIES && most_are_equal(look + 1 < n && x[look] == x[look + 1], votes);
}

/* Counts the values, and sets *beyond if there are some of `bins` or more. */
static inline void count_all(__private const struct counters *to, __global const T *x, ulong n, int in_runs,
                             __global uint *beyond) {
    const struct vectors all = vectors_of(x, n);
    int above = 0;
    if (in_runs) {
        struct run run = {0, 0};
#define COUNT_IN_RUN(name) above |= count_value_in_run(to, &run, v.name);
        for (ulong i = get_global_id(0); i < all.count; i += get_global_size(0)) {
            const VECTOR v = all.vector[i];
            EACH_NAME(COUNT_IN_RUN)
        }
        for (ulong i = get_global_id(0); i < all.rest; i += get_global_size(0))
            above |= count_value_in_run(to, &run, x[index_of_rest(&all, i)]);
        end_run(to, &run);
    } else {
#define COUNT(name) above |= count_value(to, v.name);
        for (ulong i = get_global_id(0); i < all.count; i += get_global_size(0)) {
            const VECTOR v = all.vector[i];
            EACH_NAME(COUNT)
        }
        for (ulong i = get_global_id(0); i < all.rest; i += get_global_size(0))
            above |= count_value(to, x[index_of_rest(&all, i)]);
    }
    if (above)
        atomic_or(beyond, 1u);
}
#endif

#if TASK_count_local
__kernel void KERNEL(__global const T *x, ulong n, __global uint *counts, uint bins, __global uint *beyond, uint spread,
                     __local uint *local_counts) {
    const struct counters to = {my_counts(local_counts, spread), spread, bins};
    const int in_runs = deserves_runs(&to, x, n, local_counts);
    clear_counts(local_counts, bins << spread);
    barrier(CLK_LOCAL_MEM_FENCE);
    count_all(&to, x, n, in_runs, beyond);
    barrier(CLK_LOCAL_MEM_FENCE);
    add_counts(local_counts, spread, counts, bins);
}
#endif

#if TASK_count_global
__kernel void KERNEL(__global const T *x, ulong n, __global uint *counts, uint bins, __global uint *beyond,
                     uint private_tables, __local uint *votes) {
    __global uint *table = counts + (ulong)((uint)get_group_id(0) & (private_tables - 1)) * bins;
    const struct counters to = {table, 0, bins};
    count_all(&to, x, n, deserves_runs(&to, x, n, votes), beyond);
}
#endif

/* ---- cells, for additions by bin ---- */

#if TASK_cells
__kernel void KERNEL(__global const T *x, ulong n, uint bins, __global uint *beyond, __global uint *cell) {
    int above = 0;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        const WIDE v = x[i];
        cell[i] = v < bins ? (uint)v : UHI_BINCOUNT_NO_CELL;
        above |= v >= bins;
    }
    if (above)
        atomic_or(beyond, 1u);
}
#endif

/* ---- searches ---- */

#if TASK_first_above
/* Lowers *first; for fewer than 2^32 values. */
__kernel void KERNEL(__global const T *x, ulong n, ulong max_value, __global uint *first) {
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        if (x[i] > max_value) {
            atomic_min(first, (uint)i);
            break;
        }
}
#endif

#if TASK_extent
/* The value as an unsigned integer in the order of the values. Both zeros of a float have one key. */
static inline T key_of(T bits, T flip) {
#if TYPE_f32 || TYPE_f64
    const T sign = (T)1 << (8 * sizeof(T) - 1);
    bits = bits == sign ? 0 : bits;
    return bits & sign ? ~bits : bits | sign;
#else
    return bits ^ flip;
#endif
}

static inline int is_nan(T bits) {
#if TYPE_f32
    return (bits & 0x7fffffffu) > 0x7f800000u;
#elif TYPE_f64
    return (bits & ~(1ul << 63)) > 0x7ff0000000000000ul;
#else
    return 0;
#endif
}

/* Reduces a group's values in local memory, and stores the result in parts[3 * group]: low, high, NaN. */
static inline void reduce_extent(ulong low, ulong high, ulong nan, __local ulong *shared, __global ulong *parts) {
    const uint size = (uint)get_local_size(0), item = (uint)get_local_id(0);
    shared[item] = low;
    shared[size + item] = high;
    shared[2 * size + item] = nan;
    for (uint half_size = size / 2; half_size > 0; half_size /= 2) { /* the size is a power of two */
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_size) {
            shared[item] = min(shared[item], shared[item + half_size]);
            shared[size + item] = max(shared[size + item], shared[size + item + half_size]);
            shared[2 * size + item] += shared[2 * size + item + half_size];
        }
    }
    if (item == 0) {
        parts[3 * get_group_id(0)] = shared[0];
        parts[3 * get_group_id(0) + 1] = shared[size];
        parts[3 * get_group_id(0) + 2] = shared[2 * size];
    }
}

struct extent {
    T low, high, flip;
    ulong nan;
};

static inline void extend(__private struct extent *extent, T value) {
    if (is_nan(value)) {
        extent->nan++;
    } else {
        extent->low = min(extent->low, key_of(value, extent->flip));
        extent->high = max(extent->high, key_of(value, extent->flip));
    }
}

/* `shared` has room for 3 numbers per work-item. The number of work-items per group is a power of two. */
__kernel void KERNEL(__global const T *x, ulong n, ulong flip, __global ulong *parts, __local ulong *shared) {
    const struct vectors all = vectors_of(x, n);
    struct extent extent = {(T) ~(T)0, 0, (T)flip, 0};
#define EXTEND(name) extend(&extent, v.name);
    for (ulong i = get_global_id(0); i < all.count; i += get_global_size(0)) {
        const VECTOR v = all.vector[i];
        EACH_NAME(EXTEND)
    }
    for (ulong i = get_global_id(0); i < all.rest; i += get_global_size(0))
        extend(&extent, x[index_of_rest(&all, i)]);
    const T low = extent.low, high = extent.high;
    const int none = low > high; /* only NaN */
    reduce_extent(none ? ~0ul : (ulong)low, none ? 0ul : (ulong)high, extent.nan, shared, parts);
}
#endif
