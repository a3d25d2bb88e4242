/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums as superaccumulators: one fixed-point number per slot, wide enough that every weight is a multiple of its
 * last digit and no sum of 2^63 weights exceeds its first. Only reading rounds, adding never does. This is Kulisch's
 * long accumulator, with deferred carries as in Neal's superaccumulators:
 *   U. Kulisch, V. Snyder, "The exact dot product as basic tool for long interval arithmetic", Computing 91 (2011)
 *   R. M. Neal, "Fast exact summation using small and large superaccumulators", arXiv:1505.05571 (2015)
 *
 * The digits, called limbs, are signed 64-bit integers whose units differ by 2^32, so that many additions fit into a
 * limb before a carry into the next. The limbs of one weight for all slots form a plane. Planes are allocated on first
 * use: the weights of a histogram usually span few of the possible exponents. */
#pragma once

#include <stddef.h>

#include <stdint.h>
#include <unihist/base.h>

#include "kernels/accumulate/accumulate.h"

/* ---- integers of a few hundred digits, with only the operations that reading needs ---- */

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

/* Stores the bits of the number in *value and returns 0; returns -1 if it is not an int64 or, without a sign, a uint64.
 */
int uhi_wide_integer(const struct uhi_wide *x, int has_sign, uint64_t *value);

/* x / n rounded once, n > 0. */
double uhi_wide_divide(const struct uhi_wide *x, uint64_t n);

void uhi_wide_scale(struct uhi_wide *x, uint64_t n);

/* x - s^2, for squares and sums: the bias of x is twice that of s, so that digits line up. Returns 0, or -1 with x
 * undefined if the result would be negative, which only an inconsistent file can cause. */
int uhi_wide_subtract_square(struct uhi_wide *x, const struct uhi_wide *s);

/* ---- planes ---- */

/* limb[j][slot] has the weight 2^(32 j - bias). A NULL plane is zero everywhere. */
struct uhi_planes {
    int64_t *limb[UHI_SQUARE_LIMBS];
    size_t slots;
    uint32_t count;        /* UHI_SUM_LIMBS or UHI_SQUARE_LIMBS */
    int32_t bias;          /* UHI_SUM_BIAS or UHI_SQUARE_BIAS */
    uint32_t lowest, past; /* planes outside [lowest, past) are NULL: usually few are needed */
    uint64_t pending;      /* no limb exceeds (pending + 1) * 2^32 in magnitude */
};

/* Limbs are carried beyond this. */
#define UHI_PLANES_MAX_PENDING ((uint64_t)1 << 30)

/* Makes room for 2^63 numbers that are multiples of 2^lowest and below 2^above in magnitude. For squares, too, the
 * exponents are those of the weights. UH_ERROR_OUT_OF_MEMORY, naming `call`. */
uh_status uhi_planes_reserve(const char *call, struct uhi_planes *planes, int lowest, int above);

/* Allocates planes first to last, limited to the planes that can exist. */
uh_status uhi_planes_allocate(const char *call, struct uhi_planes *planes, uint32_t first, uint32_t last);

/* Allocates the planes that `like` has. */
uh_status uhi_planes_allocate_like(const char *call, struct uhi_planes *planes, const struct uhi_planes *like);

void uhi_planes_clear(struct uhi_planes *planes);
void uhi_planes_free(struct uhi_planes *planes);

/* Reduces every limb to [-2^31, 2^31), except those below a missing plane. */
void uhi_planes_carry(struct uhi_planes *planes);

/* Announces this many more additions to any limb, each below 2^32 in magnitude. */
static inline void uhi_planes_expect(struct uhi_planes *planes, uint64_t additions) {
    if (planes->pending + additions > UHI_PLANES_MAX_PENDING)
        uhi_planes_carry(planes);
    planes->pending += additions;
}

/* Adds to a limb; `shared`: with other threads. */
static inline void uhi_limb_add(int64_t *limb, int64_t value, int shared) {
    if (shared)
        __atomic_fetch_add(limb, value, __ATOMIC_RELAXED);
    else
        *limb += value;
}

/* Adds value * 2^(16 window - bias) to a slot: at most 3 additions below 2^32 to different limbs. Small values change
 * only their own limbs, even if negative. */
static inline void uhi_planes_add_window(const struct uhi_planes *planes, size_t slot, uint32_t window, int64_t value,
                                         int shared) {
    int64_t *const *limb = planes->limb + window / 2;
    if (window & 1) {
        uhi_limb_add(limb[0] + slot, (value & 0xffff) << 16, shared);
        value >>= 16;
        limb++;
    }
    const int64_t digit = ((value & 0xffffffff) ^ INT64_C(0x80000000)) - INT64_C(0x80000000);
    const int64_t carry = (value >> 32) + (digit < 0);
    if (digit)
        uhi_limb_add(limb[0] + slot, digit, shared);
    if (carry)
        uhi_limb_add(limb[1] + slot, carry, shared);
}

/* Adds one number to another, or to itself. Call uhi_planes_allocate_like first. */
void uhi_planes_fold(struct uhi_planes *to, size_t to_slot, const struct uhi_planes *from, size_t from_slot);

void uhi_planes_wide(const struct uhi_planes *planes, size_t slot, struct uhi_wide *x);
