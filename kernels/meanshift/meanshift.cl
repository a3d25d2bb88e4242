/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over neighbours, as defined in meanshift.h: a work-item adds up those of a place.
 *   METHOD  `direct`: each reads its own runs of candidates in global memory; `tiled`: all points are candidates, and a
 *           group copies them to local memory, as many at a time as it has work-items, at most UHI_WEIGHTS_F32
 *   KIND    `gaussian`, or `linear` in the squared distance: flat and Epanechnikov
 *   DIMS    coordinates of points and places; missing axes are 0, which adds nothing
 * With more than four axes a launch sums those from `axis` on. Places are [from, to). If they have more candidates than
 * one launch takes, the following launches add to the sums: `continues`. */
#pragma OPENCL FP_CONTRACT OFF

#include "kernels/meanshift/meanshift.h"

#ifdef DIMS_2
#define DIMS 2
#elif defined(DIMS_4)
#define DIMS 4
#else
#define DIMS 16
#endif
/* Registers hold the coordinates of 16 places, not of 32. */
#ifdef DIMS_16
#define LANES __attribute__((intel_reqd_sub_group_size(16)))
#else
#define LANES
#endif
#define SUMMED (DIMS < UHI_AXES_A_LAUNCH ? DIMS : UHI_AXES_A_LAUNCH)

/* STEP(a) for each axis, and for each summed axis: arrays stay in registers only if indices are constants, and Intel's
 * compiler unrolls neither 16 axes nor four in addition. */
#define AXIS(a, STEP)                                                                                                  \
    if ((a) < DIMS) {                                                                                                  \
        STEP(a)                                                                                                        \
    }
#define FOUR_AXES(a, STEP) AXIS(a, STEP) AXIS(a + 1, STEP) AXIS(a + 2, STEP) AXIS(a + 3, STEP)
#define EACH_AXIS(STEP)    FOUR_AXES(0, STEP) FOUR_AXES(4, STEP) FOUR_AXES(8, STEP) FOUR_AXES(12, STEP)
#define EACH_SUM(STEP)     FOUR_AXES(0, STEP)

#ifdef TYPE_f32
typedef float real;
typedef uint bits;
typedef int integer;
#define AS_BITS   as_uint
#define AS_REAL   as_float
#define ROUND     0x1.8p23f
#define MANTISSA  23
#define LOWEST    UHI_MIN_F32
#define EXP2(X)   UHI_EXP2_F32(X)
#define WEIGHTS   UHI_WEIGHTS_F32
#define NUMBER(x) x##f
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
typedef ulong bits;
typedef long integer;
#define AS_BITS   as_ulong
#define AS_REAL   as_double
#define ROUND     0x1.8p52
#define MANTISSA  52
#define LOWEST    UHI_MIN_F64
#define EXP2(X)   UHI_EXP2_F64(X)
#define WEIGHTS   UINT_MAX
#define NUMBER(x) x
#endif

#ifdef METHOD_tiled
#define CANDIDATES __local
#else
#define CANDIDATES __global
#endif

#ifdef KIND_gaussian
static inline real weight(real s, real falling) {
    const real t = max(s * falling, (real)LOWEST), whole = t + ROUND, f = t - (whole - ROUND);
    real p = 0;
#define STEP(coefficient) p = (p + NUMBER(coefficient)) * f;
    EXP2(STEP)
#undef STEP
    return AS_REAL(AS_BITS(p + 1) + (AS_BITS(whole) << MANTISSA));
}
#else
static inline real weight(real s, real falling) { return max(1 - s * falling, (real)0); }
#endif

/* A work-item's sums: current ones, with what rounding adds, and earlier ones. */
struct sums {
    bits weight, sum[SUMMED];
    long all_weight, all[SUMMED];
};

static inline void add_to_row(__private struct sums *sums, bits candidates) {
    const bits each = AS_BITS((real)ROUND) * candidates;
    sums->all_weight += (integer)(sums->weight - each);
    sums->weight = 0;
#define ADD_SUM(a)                                                                                                     \
    sums->all[a] += (integer)(sums->sum[a] - each);                                                                    \
    sums->sum[a] = 0;
    EACH_SUM(ADD_SUM)
}

/* Adds candidate j, whose coordinates have pitch `stride`; `axis` is a multiple of SUMMED. */
static inline void add(__private struct sums *sums, __private const real *x, CANDIDATES const real *point, ulong stride,
                       ulong j, uint axis, __global const real *rule) {
    real s = 0, nearby[SUMMED];
#define NOTHING(a) nearby[a] = 0;
    EACH_SUM(NOTHING)
#define DIFFERENCE(a)                                                                                                  \
    const real d = point[(a)*stride + j] - x[(a) % DIMS];                                                              \
    s += d * d;                                                                                                        \
    if ((a) - (a) % SUMMED == axis)                                                                                    \
        nearby[(a) % SUMMED] = d;
    EACH_AXIS(DIFFERENCE)
    const real k = s <= rule[UHI_RULE_LIMIT] ? weight(s, rule[UHI_RULE_FALLING]) : 0;
    const real stretched = k * rule[UHI_RULE_STRETCH];
    sums->weight += AS_BITS(k * rule[UHI_RULE_SCALE] + ROUND);
#define ADD(a) sums->sum[a] += AS_BITS(stretched * nearby[a] + ROUND);
    EACH_SUM(ADD)
}

static inline void begin(__private struct sums *sums, __private real *x, __global const real *place, ulong stride,
                         ulong i) {
#define LOAD(a) x[(a) % DIMS] = place[(a)*stride + i];
    EACH_AXIS(LOAD)
    sums->weight = 0;
    sums->all_weight = 0;
#define BEGIN(a)                                                                                                       \
    sums->sum[a] = 0;                                                                                                  \
    sums->all[a] = 0;
    EACH_SUM(BEGIN)
}

/* `continues`: the row has the sums of earlier candidates. */
static inline void end(__private const struct sums *sums, __global long *row, uint dims, uint axis, int continues) {
    if (axis == 0)
        row[0] = (continues ? row[0] : 0) + sums->all_weight;
#define END(a)                                                                                                         \
    if (axis + (a) < dims)                                                                                             \
        row[axis + (a) + 1] = (continues ? row[axis + (a) + 1] : 0) + sums->all[a];
    EACH_SUM(END)
}

#ifdef METHOD_direct
LANES __kernel void KERNEL(__global const real *point, ulong point_stride, __global const real *place,
                           ulong place_stride, __global const real *rule, __global long *sum, uint dims, uint axis,
                           ulong from, ulong to, uint continues, __global const uint *group,
                           __global const struct uhi_candidates *candidates, uint runs) {
    struct sums sums;
    real x[DIMS];
    for (ulong i = from + get_global_id(0); i < to; i += get_global_size(0)) {
        const ulong first = (ulong)group[i] * runs;
        begin(&sums, x, place, place_stride, i);
        for (uint r = 0; r < runs; r++) {
            const uint end_of_run = candidates[first + r].to;
            for (uint j = candidates[first + r].from; j < end_of_run;) {
                const uint started = j, left = end_of_run - j, until = j + (left < WEIGHTS ? left : WEIGHTS);
                for (; j < until; j++)
                    add(&sums, x, point, point_stride, j, axis, rule);
                add_to_row(&sums, until - started);
            }
        }
        end(&sums, sum + i * (dims + 1), dims, axis, continues);
    }
}
#else
LANES __kernel void KERNEL(__global const real *point, ulong point_stride, __global const real *place,
                           ulong place_stride, __global const real *rule, __global long *sum, uint dims, uint axis,
                           ulong from, ulong to, uint continues, ulong points, __local real *tile) {
    const uint size = get_local_size(0), item = get_local_id(0);
    struct sums sums;
    real x[DIMS];
    for (ulong base = from + get_group_id(0) * size; base < to; base += get_num_groups(0) * size) {
        const ulong i = base + item;
        begin(&sums, x, place, place_stride, i < to ? i : from);
        for (ulong first = 0; first < points; first += size) {
            const uint count = points - first < size ? (uint)(points - first) : size;
            if (item < count) {
#define LOAD_TILE(a) tile[(a)*size + item] = point[(a)*point_stride + first + item];
                EACH_AXIS(LOAD_TILE)
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint j = 0; j < count; j++)
                add(&sums, x, tile, size, j, axis, rule);
            add_to_row(&sums, count);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (i < to)
            end(&sums, sum + i * (dims + 1), dims, axis, continues);
    }
}
#endif
