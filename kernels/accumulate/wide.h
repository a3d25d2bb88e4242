/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of a few hundred digits, as the exact sums are: just what reading them needs. */
#ifndef UHI_ACCUMULATE_WIDE_H
#define UHI_ACCUMULATE_WIDE_H

#include <stdint.h>

#include "kernels/accumulate/accumulate.h"

/* (negative ? -1 : 1) * sum of digit[j] * 2^(32 j - bias). Digits outside [low, high) are zero, whatever stands there;
 * low == high is 0. */
struct uhi_wide {
    int negative;
    int bias;
    unsigned low, high;
    uint32_t digit[UHI_SQUARE_LIMBS + 16];
};

/* The number whose limbs these are, count <= UHI_SQUARE_LIMBS + 2 of them from digit `low` on. */
void uhi_wide_from_limbs(struct uhi_wide *x, int bias, unsigned low, const int64_t *limb, unsigned count);

/* The number as digits in two's complement, the first of them number `first`, `count` of them: what does not fit is cut
 * off. */
void uhi_wide_complement(const struct uhi_wide *x, unsigned first, unsigned count, uint32_t *digit);

/* To the nearest float64, ties to even; beyond the largest infinity. With `sticky` the number is taken as a little
 * larger in magnitude, by less than its last digit. */
double uhi_wide_round(const struct uhi_wide *x, int sticky);

/* To the nearest float32 likewise: not by way of float64, where a tie may come about that is none. */
float uhi_wide_round_f32(const struct uhi_wide *x);

/* Stores the number in *value and returns 0, or returns -1 where it is no int64. */
int uhi_wide_i64(const struct uhi_wide *x, int64_t *value);

/* x / n rounded once, n > 0. */
double uhi_wide_divide(const struct uhi_wide *x, uint64_t n);

/* x * n. */
void uhi_wide_scale(struct uhi_wide *x, uint64_t n);

/* x - s^2, of squares and sums: as the bias of x is twice that of s, digits fall in place. Returns 0, or -1 with
 * anything in x where the result would be negative, which no values but a file that lies can bring about. */
int uhi_wide_subtract_square(struct uhi_wide *x, const struct uhi_wide *s);

#endif
