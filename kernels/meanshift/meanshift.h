/* SPDX-License-Identifier: Apache-2.0 */
/* Mean shift: shared by host functions and device kernels.
 *
 * Both add up, for places (moving points), the weights of points within the radius and their weighted differences, as
 * integers, so that the order does not matter. Arithmetic is the same, operation for operation, in the type of the
 * points, without contraction:
 *
 *     difference  d_a = x_j[a] - x[a] of each axis; s = the sum of d_a d_a in the order of axes; only if s <= limit
 *     weight      flat, Epanechnikov: K = max(1 - s falling, 0)
 *                 Gaussian: K = 2^t of t = max(s falling, UHI_MIN): n = t to the nearest integer, and 2^(t - n) by
 *                 the polynomial below (Horner), whose relative error is below 2^-23 (float32), 2^-45 (float64)
 *     sums        of K scale, and of (K stretch) d_a, each to the nearest integer
 *
 * Rounding to integers adds 1.5 2^23 (1.5 2^52); the last bits are then those of the integer. */
#pragma once

#include "kernels/common/integers.h"

#define UHI_MEANSHIFT_MAX_DIMS    256
#define UHI_MEANSHIFT_DEVICE_DIMS 16 /* of the kernels */

/* 2^t is 1 + t C1 + t^2 C2 ... for t from -0.5 to 0.5: X(coefficient), the highest first. Fitted for the smallest
 * maximum relative error, with 1 at 0. */
#define UHI_EXP2_F32(X) X(0x1.5bba0bp-10) X(0x1.3cea88p-7) X(0x1.c6b752p-5) X(0x1.ebf9bcp-3) X(0x1.62e42ap-1)
#define UHI_EXP2_F64(X)                                                                                                \
    X(0x1.b3de18e8dbf36p-24)                                                                                           \
    X(0x1.63e6979ea5abbp-20)                                                                                           \
    X(0x1.ffce2fdde30b0p-17)                                                                                           \
    X(0x1.430897f1ec94ap-13)                                                                                           \
    X(0x1.5d87fd937cb55p-10)                                                                                           \
    X(0x1.3b2ab72412f52p-7) X(0x1.c6b08d70c8883p-5) X(0x1.ebfbdff81bdfbp-3) X(0x1.62e42fefa37d1p-1)

/* Minimum of t: less leaves no weight. */
#define UHI_MIN_F32 -30
#define UHI_MIN_F64 -50

/* Maximum number of fraction bits of weights; and number of weights that fit in a 32-bit sum. */
#define UHI_WEIGHT_BITS_F32 21
#define UHI_WEIGHT_BITS_F64 40
#define UHI_WEIGHTS_F32     512

/* Points are stored axis by axis; this many elements after each axis's last one may be read. */
#define UHI_MEANSHIFT_PAD 16

/* The numbers above, in the order in which they are passed to kernels. */
#define UHI_RULE_LIMIT   0
#define UHI_RULE_FALLING 1
#define UHI_RULE_SCALE   2
#define UHI_RULE_STRETCH 3
#define UHI_RULE_NUMBERS 4

/* Axes summed per launch if there are more than four: more do not fit in registers. */
#define UHI_AXES_A_LAUNCH 4

/* Points [from, to) in storage order. */
struct uhi_candidates {
    uhi_u32 from, to;
};

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>
#include <stdint.h>

struct uhi_rule {
    int gaussian;
    double number[UHI_RULE_NUMBERS]; /* of the points' type, as float64 */
    double unit;                     /* a mean difference is its sum divided by that of weights, times this */
};

/* Input of sums: a place has `runs` runs of candidates, the same for all places of a group. */
struct uhi_summing {
    struct uhi_rule rule;
    size_t dims, runs;
    size_t points, places;                   /* their numbers */
    size_t point_stride, place_stride;       /* elements from one axis to the next */
    const void *point, *place;               /* coordinates */
    const uint32_t *group;                   /* of each place; NULL: all in group 0 */
    const struct uhi_candidates *candidates; /* of each group */
    int64_t *sums;                           /* rows of dims + 1: of weights, then of the axes */
};

/* Host functions, one table per x86-64 level: sums for places [from, to). */
struct uhi_meanshift_host {
    void (*sum_f32)(const struct uhi_summing *summing, size_t from, size_t to);
    void (*sum_f64)(const struct uhi_summing *summing, size_t from, size_t to);
};
#endif
