/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of a few hundred digits for exact sums, with only the operations that reading them needs. */
#pragma once

#include <stdint.h>

#include "kernels/accumulate/accumulate.h"

/* (negative ? -1 : 1) * sum of digit[j] * 2^(32 j - bias). Digits outside [low, high) count as zero, for any
 * contents; low == high is 0. */
struct uhi_wide {
    int negative;
    int bias;
    unsigned low, high;
    uint32_t digit[UHI_SQUARE_LIMBS + 16];
};

/* Makes a number of `count` <= UHI_SQUARE_LIMBS + 2 limbs, starting at digit `low`. */
void uhi_wide_from_limbs(struct uhi_wide *x, int bias, unsigned low, const int64_t *limb, unsigned count);

/* Writes `count` digits in two's complement, starting at digit `first`; others are cut off. */
void uhi_wide_complement(const struct uhi_wide *x, unsigned first, unsigned count, uint32_t *digit);

/* Rounds to the nearest float64, ties to even; overflow gives infinity. With `sticky` the magnitude is taken as
 * slightly larger, by less than its last digit. */
double uhi_wide_round(const struct uhi_wide *x, int sticky);

/* Rounds to the nearest float32 in the same way, not via float64, which could create a false tie. */
float uhi_wide_round_f32(const struct uhi_wide *x);

/* Stores the number in *value and returns 0; returns -1 if it is not an int64. */
int uhi_wide_i64(const struct uhi_wide *x, int64_t *value);

/* x / n rounded once, n > 0. */
double uhi_wide_divide(const struct uhi_wide *x, uint64_t n);

/* x * n. */
void uhi_wide_scale(struct uhi_wide *x, uint64_t n);

/* x - s^2, for squares and sums: the bias of x is twice that of s, so that digits line up. Returns 0, or -1 with x
 * undefined if the result would be negative, which only an inconsistent file can cause. */
int uhi_wide_subtract_square(struct uhi_wide *x, const struct uhi_wide *s);
