/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers >= 0 of 128 significant bits with a wide exponent, for mass functions. Every result has a relative error
 * within 2^-126, here called an ulp. */
#pragma once

#include <math.h>

#include "kernels/sample/table.h"

/* m * 2^e; m is 0 or has its top bit set. */
struct uhi_wide {
    uhi_mass m;
    int e;
};

/* m * 2^e, exactly. */
static inline struct uhi_wide uhi_wide_of(uhi_mass m, int e) {
    const uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;
    if (!m)
        return (struct uhi_wide){0, 0};
    const int zeros = high ? __builtin_clzll(high) : 64 + __builtin_clzll(low);
    return (struct uhi_wide){m << zeros, e - zeros};
}

/* A finite double >= 0, exactly. */
static inline struct uhi_wide uhi_wide_of_double(double x) {
    int exponent;
    const double fraction = frexp(x, &exponent);
    return uhi_wide_of((uhi_mass)ldexp(fraction, 53), exponent - 53);
}

/* Approximates x as a double; out of range gives 0 or infinity. */
static inline double uhi_wide_double(struct uhi_wide x) {
    return ldexp((double)(uint64_t)(x.m >> 64), x.e + 64);
}

/* x in units of 2^unit, truncated to an integer. x < 2^(unit + 128). */
static inline uhi_mass uhi_wide_integer(struct uhi_wide x, int unit) {
    const int shift = unit - x.e;
    return !x.m || shift > 127 ? 0 : x.m >> shift;
}

/* x * y. */
static inline struct uhi_wide uhi_wide_times(struct uhi_wide x, struct uhi_wide y) {
    const uint64_t x1 = (uint64_t)(x.m >> 64), x0 = (uint64_t)x.m, y1 = (uint64_t)(y.m >> 64), y0 = (uint64_t)y.m;
    const uhi_mass low = (uhi_mass)x0 * y0, a = (uhi_mass)x1 * y0, b = (uhi_mass)x0 * y1;
    const uhi_mass middle = (low >> 64) + (uint64_t)a + (uint64_t)b;
    const uhi_mass high = (uhi_mass)x1 * y1 + (a >> 64) + (b >> 64) + (middle >> 64);
    if (!high)
        return (struct uhi_wide){0, 0};
    if (high >> 127)
        return (struct uhi_wide){high, x.e + y.e + 128};
    return (struct uhi_wide){high << 1 | ((uint64_t)middle >> 63), x.e + y.e + 127};
}

/* Returns the digit floor(rest * 2^64 / by), rest < by, and stores the remainder in *rest (D. E. Knuth, The Art of
 * Computer Programming 2, 4.3.1, algorithm D: the first guess is at most 2 too large). */
static inline uint64_t uhi_wide_digit(uhi_mass *rest, uhi_mass by) {
    const uint64_t by1 = (uint64_t)(by >> 64), by0 = (uint64_t)by;
    uint64_t digit = (uint64_t)(*rest >> 64) >= by1 ? UINT64_MAX : (uint64_t)(*rest / by1);
    uhi_mass left = *rest - (uhi_mass)digit * by1;
    while (!(left >> 64) && (uhi_mass)digit * by0 > left << 64) {
        digit--;
        left += by1;
    }
    *rest = (left << 64) - (uhi_mass)digit * by0;
    return digit;
}

/* x / y for y > 0. */
static inline struct uhi_wide uhi_wide_over(struct uhi_wide x, struct uhi_wide y) {
    uhi_mass rest = x.m;
    int e = x.e - y.e - 128;
    if (!x.m)
        return x;
    if (rest >= y.m) { /* halved; the quotient still has 128 bits, and the lost bit is below an ulp */
        rest >>= 1;
        e++;
    }
    const uint64_t high = uhi_wide_digit(&rest, y.m);
    return (struct uhi_wide){(uhi_mass)high << 64 | uhi_wide_digit(&rest, y.m), e};
}

/* x + y. */
static inline struct uhi_wide uhi_wide_plus(struct uhi_wide x, struct uhi_wide y) {
    if (!x.m || (y.m && x.e < y.e)) {
        const struct uhi_wide swap = x;
        x = y;
        y = swap;
    }
    if (!y.m || x.e - y.e > 127)
        return x;
    const uhi_mass part = y.m >> (x.e - y.e), sum = x.m + part;
    return sum < part ? (struct uhi_wide){sum >> 1 | (uhi_mass)1 << 127, x.e + 1} : (struct uhi_wide){sum, x.e};
}

/* 1 - x for a double x in [0, 1]: nothing cancels; exact for x >= 2^-75. */
static inline struct uhi_wide uhi_wide_one_less(double x) {
    const struct uhi_wide part = uhi_wide_of_double(x);
    if (x == 1)
        return (struct uhi_wide){0, 0};
    const uhi_mass fixed = uhi_wide_integer(part, -128);
    return fixed ? uhi_wide_of(-fixed, -128) : uhi_wide_of(1, 0);
}
