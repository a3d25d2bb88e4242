/* SPDX-License-Identifier: Apache-2.0 */
/* Mass functions of distributions, as integers of a common unit.
 *
 * A walk goes from the mode, whose mass is 2^99, outwards on either side: each mass is the previous one times the ratio
 * of neighbours, p(x + 1) / p(x) = mean / (x + 1) for Poisson, etc. The double parameters are taken as exact rational
 * numbers, 1 - p included. Only integers and 1 - p are subtracted, so nothing cancels, and no logarithm or gamma
 * function is needed.
 *
 * Errors. A step multiplies and divides up to 6 numbers with a relative error of 2^-126 each. With at
 * most 2^28 steps the relative error of each mass is below 2^28 * 6 * 2^-126 < 2^-95; truncation to the unit adds less
 * than 2^-99 of the mode's mass, so the relative error of the sum of up to 2^28 masses is within 2^-71, and that of
 * every mass divided by the sum within 2^-70. Less than 2^-64 of the whole is left out at either end, which increases
 * every other outcome's share by less than 2^-63 of it. With the table's own 2^-64 (table.h) the total is within 2^-62
 * of the mass function.
 *
 * Tails. If the ratios of neighbours beyond x are at most r < 1, less than p(x) r / (1 - r) lies beyond x; the walk
 * ends when that is below 2^-72 of the mass found. Then outcomes are dropped from either end as long as the total
 * dropped there stays below 2^-64. All these functions are log-concave, so the ratios fall as x goes outwards, except
 * for the negative binomial with r < 1, whose ratios rise towards 1 - p.
 *
 * All functions below return UH_ERROR_OUT_OF_MEMORY or, if more than UH_SAMPLER_MAX_ITEMS outcomes would be kept,
 * UH_ERROR_UNSUPPORTED for the argument `distribution`, naming `call`. The caller has checked the arguments. */
#pragma once

#include <math.h>

#include "kernels/sample/table.h"

/* ---- numbers >= 0 of 128 significant bits with a wide exponent; every result has a relative error within 2^-126, here
 * called an ulp ---- */

/* m * 2^e; m is 0 or has its top bit set. */
struct uhi_f128 {
    uhi_mass m;
    int e;
};

/* m * 2^e, exactly. */
static inline struct uhi_f128 uhi_f128_of(uhi_mass m, int e) {
    const uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;
    if (!m)
        return (struct uhi_f128){0, 0};
    const int zeros = high ? __builtin_clzll(high) : 64 + __builtin_clzll(low);
    return (struct uhi_f128){m << zeros, e - zeros};
}

/* A finite double >= 0, exactly. */
static inline struct uhi_f128 uhi_f128_of_double(double x) {
    int exponent;
    const double fraction = frexp(x, &exponent);
    return uhi_f128_of((uhi_mass)ldexp(fraction, 53), exponent - 53);
}

/* Approximates x as a double; out of range gives 0 or infinity. */
static inline double uhi_f128_double(struct uhi_f128 x) { return ldexp((double)(uint64_t)(x.m >> 64), x.e + 64); }

/* x in units of 2^unit, truncated to an integer. x < 2^(unit + 128). */
static inline uhi_mass uhi_f128_integer(struct uhi_f128 x, int unit) {
    const int shift = unit - x.e;
    return !x.m || shift > 127 ? 0 : x.m >> shift;
}

static inline struct uhi_f128 uhi_f128_times(struct uhi_f128 x, struct uhi_f128 y) {
    const uint64_t x1 = (uint64_t)(x.m >> 64), x0 = (uint64_t)x.m, y1 = (uint64_t)(y.m >> 64), y0 = (uint64_t)y.m;
    const uhi_mass low = (uhi_mass)x0 * y0, a = (uhi_mass)x1 * y0, b = (uhi_mass)x0 * y1;
    const uhi_mass middle = (low >> 64) + (uint64_t)a + (uint64_t)b;
    const uhi_mass high = (uhi_mass)x1 * y1 + (a >> 64) + (b >> 64) + (middle >> 64);
    if (!high)
        return (struct uhi_f128){0, 0};
    if (high >> 127)
        return (struct uhi_f128){high, x.e + y.e + 128};
    return (struct uhi_f128){high << 1 | ((uint64_t)middle >> 63), x.e + y.e + 127};
}

/* Returns the digit floor(rest * 2^64 / by), rest < by, and stores the remainder in *rest (D. E. Knuth, The Art of
 * Computer Programming 2, 4.3.1, algorithm D: the first guess is at most 2 too large). */
static inline uint64_t uhi_f128_digit(uhi_mass *rest, uhi_mass by) {
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
static inline struct uhi_f128 uhi_f128_over(struct uhi_f128 x, struct uhi_f128 y) {
    uhi_mass rest = x.m;
    int e = x.e - y.e - 128;
    if (!x.m)
        return x;
    if (rest >= y.m) { /* halved; the quotient still has 128 bits, and the lost bit is below an ulp */
        rest >>= 1;
        e++;
    }
    const uint64_t high = uhi_f128_digit(&rest, y.m);
    return (struct uhi_f128){(uhi_mass)high << 64 | uhi_f128_digit(&rest, y.m), e};
}

static inline struct uhi_f128 uhi_f128_plus(struct uhi_f128 x, struct uhi_f128 y) {
    if (!x.m || (y.m && x.e < y.e)) {
        const struct uhi_f128 swap = x;
        x = y;
        y = swap;
    }
    if (!y.m || x.e - y.e > 127)
        return x;
    const uhi_mass part = y.m >> (x.e - y.e), sum = x.m + part;
    return sum < part ? (struct uhi_f128){sum >> 1 | (uhi_mass)1 << 127, x.e + 1} : (struct uhi_f128){sum, x.e};
}

/* 1 - x for a double x in [0, 1]: nothing cancels; exact for x >= 2^-75. */
static inline struct uhi_f128 uhi_f128_one_less(double x) {
    const struct uhi_f128 part = uhi_f128_of_double(x);
    if (x == 1)
        return (struct uhi_f128){0, 0};
    const uhi_mass fixed = uhi_f128_integer(part, -128);
    return fixed ? uhi_f128_of(-fixed, -128) : uhi_f128_of(1, 0);
}

/* ---- mass functions ---- */

/* A mode's mass is 2^UHI_MASS_BITS units: the sum of up to UH_SAMPLER_MAX_ITEMS masses is below 2^127. */
#define UHI_MASS_BITS 99

/* One side of a mode: masses of its neighbours, outwards. */
struct uhi_mass_side {
    uhi_mass *mass;
    size_t n, room;
    uhi_mass left_out; /* upper bound of the mass beyond */
};

/* Outcomes first .. first + masses.n - 1. The context of `masses` is this struct, which must not move. */
struct uhi_mass_list {
    struct uhi_masses masses;
    int64_t first;
    struct uhi_mass_side up, down;
    double parameter; /* Bernoulli's p, Zipf's s */
    uint64_t *powers; /* Zipf: masses computed so far, in 9 bytes each */
    uint8_t *places;
};

/* Outcomes 0 and 1, where 1 has probability p. */
void uhi_masses_bernoulli(double p, struct uhi_mass_list *list);

/* 0 <= p <= 1, n <= 2^62. */
uh_status uhi_masses_binomial(const char *call, uint64_t n, double p, struct uhi_mass_list *list);

/* 0 <= mean <= 2^40. */
uh_status uhi_masses_poisson(const char *call, double mean, struct uhi_mass_list *list);

/* r > 0, 0 < p <= 1. */
uh_status uhi_masses_negative_binomial(const char *call, double r, double p, struct uhi_mass_list *list);

/* draws <= good + bad <= 2^62. */
uh_status uhi_masses_hypergeometric(const char *call, uint64_t good, uint64_t bad, uint64_t draws,
                                    struct uhi_mass_list *list);

/* 1 .. n, s >= 0, n <= UH_SAMPLER_MAX_ITEMS: powl(i, -s) truncated to the unit, computed on first use. Two threads must
 * not request the same mass at the same time. */
uh_status uhi_masses_zipf(const char *call, double s, uint64_t n, struct uhi_mass_list *list);

/* Returns the number of digits of UHI_GEOMETRIC_BITS bits for the geometric distribution of 2^-56 <= p <= 1, 1 to
 * UHI_SAMPLE_PARTS: enough that at most 2^UHI_GEOMETRIC_BITS outcomes of the last one are kept. */
#define UHI_GEOMETRIC_BITS 16
unsigned uhi_masses_geometric_digits(double p);

/* Digit `digit`, counted from 0, of the geometric distribution of failures. The digits are independent, and the mass of
 * x in digit d is proportional to (1 - p)^(x 2^(16 d)). A digit that is not the last is 0 .. 65535. The powers take 16
 * d squarings, each of which doubles the relative error, so that of a mass is below x 2^48 ulps. As x times the
 * probability of x is at most 1 here, every probability is within 2^-76. */
uh_status uhi_masses_geometric(const char *call, double p, unsigned digit, int last, struct uhi_mass_list *list);

/* Frees a list's memory; a zeroed list is allowed. */
void uhi_masses_free(struct uhi_mass_list *list);
