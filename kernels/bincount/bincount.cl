/* SPDX-License-Identifier: Apache-2.0 */
/* Integers counted as they are on a device, and the smallest and largest of any values. Float64 is looked at by its
 * bits, so that no device needs double. */
#include "kernels/bincount/bincount.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)

/* F(element, ...) for each element of a vector. */
#define EACH_2(v, F, ...)  F(v.s0, __VA_ARGS__) F(v.s1, __VA_ARGS__)
#define EACH_4(v, F, ...)  EACH_2(v.lo, F, __VA_ARGS__) EACH_2(v.hi, F, __VA_ARGS__)
#define EACH_8(v, F, ...)  EACH_4(v.lo, F, __VA_ARGS__) EACH_4(v.hi, F, __VA_ARGS__)
#define EACH_16(v, F, ...) EACH_8(v.lo, F, __VA_ARGS__) EACH_8(v.hi, F, __VA_ARGS__)

/* F(value, unused) for all values: vectors where x is aligned; what lies before and behind them one by one. */
#define EACH_VALUE(F)                                                                                                  \
    const ulong head = min(n, (0 - (ulong)x) % sizeof(VECTOR) / sizeof(T)), vectors = (n - head) / WIDTH;              \
    __global const VECTOR *vector = (__global const VECTOR *)(x + head);                                               \
    for (ulong i = get_global_id(0); i < vectors; i += get_global_size(0)) {                                           \
        const VECTOR v = vector[i];                                                                                    \
        EACH_ELEMENT(v, F, )                                                                                           \
    }                                                                                                                  \
    for (ulong i = get_global_id(0); i < n - vectors * WIDTH; i += get_global_size(0))                                 \
        F(x[i < head ? i : i + vectors * WIDTH], )

/* Brings the groups' shares together in local memory, and the result to parts[3 * group]: low, high, NaN. */
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

/* ---- integers of each width ---- */

#define TYPE         8
#define T            uchar
#define WIDE         uint
#define VECTOR       uchar16
#define WIDTH        16
#define EACH_ELEMENT EACH_16
#include "kernels/bincount/bincount_device.inc"
#define TYPE         16
#define T            ushort
#define WIDE         uint
#define VECTOR       ushort8
#define WIDTH        8
#define EACH_ELEMENT EACH_8
#include "kernels/bincount/bincount_device.inc"
#define TYPE         32
#define T            uint
#define WIDE         uint
#define VECTOR       uint4
#define WIDTH        4
#define EACH_ELEMENT EACH_4
#include "kernels/bincount/bincount_device.inc"
#define TYPE         64
#define T            ulong
#define WIDE         ulong
#define VECTOR       ulong2
#define WIDTH        2
#define EACH_ELEMENT EACH_2
#include "kernels/bincount/bincount_device.inc"

/* ---- floats ---- */

/* A float's bits as an unsigned integer in the order of the values; both zeros are one. */
static inline uint key_f32(uint bits) {
    bits = bits == 1u << 31 ? 0 : bits;
    return bits >> 31 ? ~bits : bits | 1u << 31;
}
static inline ulong key_f64(ulong bits) {
    bits = bits == 1ul << 63 ? 0 : bits;
    return bits >> 63 ? ~bits : bits | 1ul << 63;
}

#define TYPE             f32
#define T                uint
#define VECTOR           uint4
#define WIDTH            4
#define EACH_ELEMENT     EACH_4
#define KEY(v)           key_f32(v)
#define IS_NAN(v)        (((v) & 0x7fffffffu) > 0x7f800000u)
#include "kernels/bincount/bincount_extent.inc"
#define TYPE             f64
#define T                ulong
#define VECTOR           ulong2
#define WIDTH            2
#define EACH_ELEMENT     EACH_2
#define KEY(v)           key_f64(v)
#define IS_NAN(v)        (((v) & ~(1ul << 63)) > 0x7ff0000000000000ul)
#include "kernels/bincount/bincount_extent.inc"
