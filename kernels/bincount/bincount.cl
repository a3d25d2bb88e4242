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
#include "kernels/common/each_value.inc"
#include "kernels/common/runs.inc"

/* ---- counts ---- */

#define PLACE(number) (counter + ((number) << spread))
#define NUMBER(value) (value)
#define COUNT_AS(value, HOW)                                                                                           \
    {                                                                                                                  \
        const WIDE v_ = (value);                                                                                       \
        if (v_ < bins) {                                                                                               \
            HOW((uint)v_)                                                                                              \
        }                                                                                                              \
        above |= v_ >= bins;                                                                                           \
    }
#define COUNT_ONE(number)   atomic_inc(PLACE(number));
#define COUNT(value)        COUNT_AS(value, COUNT_ONE)
#define COUNT_IN_RUN(value) COUNT_AS(value, COUNT_RUN)
#define COUNT_ALL                                                                                                      \
    int above = 0;                                                                                                     \
    COUNT_VALUES(EACH_VALUE(COUNT_IN_RUN), EACH_VALUE(COUNT))                                                          \
    if (above)                                                                                                         \
        atomic_or(beyond, 1u);

#if TASK_count_local
__kernel void KERNEL(__global const T *x, ulong n, __global uint *counts, uint bins, __global uint *beyond, uint spread,
                     __local uint *local_counts) {
    COMPARE_NEIGHBOURS(spread, local_counts)
    clear_counts(local_counts, bins << spread);
    barrier(CLK_LOCAL_MEM_FENCE);
    __local uint *counter = my_counts(local_counts, spread);
    COUNT_ALL
    barrier(CLK_LOCAL_MEM_FENCE);
    add_counts(local_counts, spread, counts, bins);
}
#endif

#if TASK_count_global
__kernel void KERNEL(__global const T *x, ulong n, __global uint *counts, uint bins, __global uint *beyond,
                     uint private_tables, __local uint *votes) {
    const uint spread = 0;
    __global uint *counter = counts + (ulong)((uint)get_group_id(0) & (private_tables - 1)) * bins;
    COMPARE_NEIGHBOURS(spread, votes)
    COUNT_ALL
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
static inline T key_of(T bits, ulong flip) {
#if TYPE_f32 || TYPE_f64
    const T sign = (T)1 << (8 * sizeof(T) - 1);
    bits = bits == sign ? 0 : bits;
    return bits & sign ? ~bits : bits | sign;
#else
    return bits ^ (T)flip;
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

#define LOOK(value)                                                                                                    \
    if (is_nan(value)) {                                                                                               \
        nan++;                                                                                                         \
    } else {                                                                                                           \
        low = min(low, key_of(value, flip));                                                                           \
        high = max(high, key_of(value, flip));                                                                         \
    }

/* `shared` has room for 3 numbers per work-item. The number of work-items per group is a power of two. */
__kernel void KERNEL(__global const T *x, ulong n, ulong flip, __global ulong *parts, __local ulong *shared) {
    T low = (T) ~(T)0, high = 0;
    ulong nan = 0;
    EACH_VALUE(LOOK)
    const int none = low > high; /* only NaN */
    reduce_extent(none ? ~0ul : (ulong)low, none ? 0ul : (ulong)high, nan, shared, parts);
}
#endif
