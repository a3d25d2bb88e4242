/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums as superaccumulators: a number in fixed point for each slot, so wide that every weight is a multiple of
 * its last digit and no sum of 2^63 weights passes its first. Adding never rounds; only reading does. This is Kulisch's
 * long accumulator, with carries put off as in Neal's superaccumulators:
 *   U. Kulisch, V. Snyder, "The exact dot product as basic tool for long interval arithmetic", Computing 91 (2011)
 *   R. M. Neal, "Fast exact summation using small and large superaccumulators", arXiv:1505.05571 (2015)
 *
 * A number's digits, the limbs, are signed 64-bit integers 32 bits apart, so that many additions fit into a limb before
 * it has to be carried into the next. The limbs of one weight, of all slots, are a plane. Planes are made when
 * something is added that needs them: the weights of a histogram usually use few of the exponents that there are. */
#ifndef UHI_ACCUMULATE_PLANES_H
#define UHI_ACCUMULATE_PLANES_H

#include <stddef.h>

#include <unihist/base.h>

#include "kernels/accumulate/accumulate.h"
#include "kernels/accumulate/wide.h"

/* limb[j][slot] has the weight 2^(32 j - bias). A plane that is NULL is zero everywhere. */
struct uhi_planes {
    int64_t *limb[UHI_SQUARE_LIMBS];
    size_t slots;
    uint32_t count;        /* UHI_SUM_LIMBS or UHI_SQUARE_LIMBS */
    int32_t bias;          /* UHI_SUM_BIAS or UHI_SQUARE_BIAS */
    uint32_t lowest, past; /* planes outside [lowest, past) are NULL: of the many that may be, few are asked for */
    uint64_t pending;      /* no limb has passed (pending + 1) * 2^32 in magnitude */
};

/* Beyond it the limbs are carried. */
#define UHI_PLANES_MAX_PENDING ((uint64_t)1 << 30)

/* Makes room for numbers that are multiples of 2^lowest, below 2^above in magnitude, 2^63 of them. Exponents as of the
 * weights themselves; for squares, too, of what is squared. UH_ERROR_OUT_OF_MEMORY, naming `call`. */
uh_status uhi_planes_reserve(const char *call, struct uhi_planes *planes, int lowest, int above);

/* Makes planes first to last, as far as there may be so many. */
uh_status uhi_planes_allocate(const char *call, struct uhi_planes *planes, uint32_t first, uint32_t last);

/* Makes the planes that another's numbers have. */
uh_status uhi_planes_allocate_like(const char *call, struct uhi_planes *planes, const struct uhi_planes *like);

void uhi_planes_clear(struct uhi_planes *planes);
void uhi_planes_free(struct uhi_planes *planes);

/* Brings every limb into [-2^31, 2^31) but the last before a plane that is not there. */
void uhi_planes_carry(struct uhi_planes *planes);

/* Says that so many more additions, each below 2^32 in magnitude, are coming to any limb. */
static inline void uhi_planes_expect(struct uhi_planes *planes, uint64_t additions) {
    if (planes->pending + additions > UHI_PLANES_MAX_PENDING)
        uhi_planes_carry(planes);
    planes->pending += additions;
}

/* One addition, `shared` with other threads or not. */
static inline void uhi_limb_add(int64_t *limb, int64_t value, int shared) {
    if (shared)
        __atomic_fetch_add(limb, value, __ATOMIC_RELAXED);
    else
        *limb += value;
}

/* Adds value * 2^(16 window - bias) to a slot: at most 3 additions below 2^32 to different limbs. What is small stays
 * in its own limbs, also where it is negative. */
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

/* Adds one number to another, or to itself, after uhi_planes_allocate_like. */
void uhi_planes_fold(struct uhi_planes *to, size_t to_slot, const struct uhi_planes *from, size_t from_slot);

/* The number in one slot. */
void uhi_planes_wide(const struct uhi_planes *planes, size_t slot, struct uhi_wide *x);

#endif
