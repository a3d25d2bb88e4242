/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/accumulate/planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/status.h"

/* ---- integers of a few hundred digits -----------------------------------------------------------------------------
 */

static void trim(struct uhi_wide *x) {
    while (x->high > x->low && x->digit[x->high - 1] == 0)
        x->high--;
    while (x->low < x->high && x->digit[x->low] == 0)
        x->low++;
    if (x->low == x->high)
        x->negative = 0;
}

/* Carries limbs into digits. Returns the rest above them, of either sign. */
static int64_t carry_limbs(struct uhi_wide *x, const int64_t *limb, unsigned count, int negate) {
    int64_t carry = 0;
    for (unsigned j = 0; j < count; j++) {
        const int64_t sum = (negate ? -limb[j] : limb[j]) + carry;
        x->digit[x->low + j] = (uint32_t)(sum & 0xffffffff);
        carry = sum >> 32;
    }
    return carry;
}

void uhi_wide_from_limbs(struct uhi_wide *x, int bias, unsigned low, const int64_t *limb, unsigned count) {
    x->bias = bias;
    x->low = low;
    int64_t carry = carry_limbs(x, limb, count, 0);
    x->negative = carry < 0;
    if (x->negative)
        carry = carry_limbs(x, limb, count, 1);
    x->high = low + count;
    for (; carry; carry >>= 32)
        x->digit[x->high++] = (uint32_t)(carry & 0xffffffff);
    trim(x);
}

void uhi_wide_complement(const struct uhi_wide *x, unsigned first, unsigned count, uint32_t *digit) {
    uint32_t borrow = 0;
    for (unsigned j = 0; j < count; j++) {
        const uint32_t d = first + j >= x->low && first + j < x->high ? x->digit[first + j] : 0;
        if (x->negative) {
            digit[j] = 0u - d - borrow;
            borrow |= d != 0;
        } else {
            digit[j] = d;
        }
    }
}

/* Returns 64 bits from bit `at` on, counted from digit 0; `at` may be negative. */
static uint64_t bits_at(const struct uhi_wide *x, int at) {
    uint64_t bits = 0;
    for (int j = (at < 0 ? at - 31 : at) / 32, i = 0; i < 3; i++) {
        const int place = 32 * (j + i) - at; /* position of the digit's lowest bit */
        const int is = j + i >= (int)x->low && j + i < (int)x->high;
        const uint64_t d = is ? x->digit[j + i] : 0;
        bits |= place < 0 ? d >> -place : place < 64 ? d << place : 0;
    }
    return bits;
}

static int any_below(const struct uhi_wide *x, int at) {
    for (unsigned j = x->low; j < x->high && 32 * (int)j < at; j++) {
        const int left = at - 32 * (int)j;
        if (left >= 32 ? x->digit[j] != 0 : (x->digit[j] & ((1u << left) - 1)) != 0)
            return 1;
    }
    return 0;
}

/* Rounds to `bits` bits, none of them below 2^lowest. */
static double round_to(const struct uhi_wide *x, int sticky, int bits, int lowest) {
    if (x->low == x->high)
        return 0;
    const int top = 32 * (int)x->high - __builtin_clz(x->digit[x->high - 1]); /* the highest bit is top - 1 */
    int last = top - bits;                                                    /* lowest bit kept */
    if (last - x->bias < lowest)
        last = lowest + x->bias;
    uint64_t kept = top > last ? bits_at(x, last) : 0;
    const int half = (int)(bits_at(x, last - 1) & 1);
    if (half && (sticky || (kept & 1) || any_below(x, last - 1)))
        kept++;
    const double rounded = ldexp((double)kept, last - x->bias); /* exact, or infinite */
    return x->negative ? -rounded : rounded;
}

double uhi_wide_round(const struct uhi_wide *x, int sticky) { return round_to(x, sticky, 53, -1074); }

float uhi_wide_round_f32(const struct uhi_wide *x) { return (float)round_to(x, 0, 24, -149); /* exact, or infinite */ }

int uhi_wide_integer(const struct uhi_wide *x, int has_sign, uint64_t *value) {
    if (x->low == x->high) {
        *value = 0;
        return 0;
    }
    const int top = 32 * (int)x->high - __builtin_clz(x->digit[x->high - 1]);
    if (top - x->bias > 64 || any_below(x, x->bias))
        return -1;
    const uint64_t magnitude = bits_at(x, x->bias), largest = has_sign ? INT64_MAX : UINT64_MAX;
    if (x->negative ? !has_sign || magnitude > largest + 1 : magnitude > largest)
        return -1;
    *value = x->negative ? 0u - magnitude : magnitude;
    return 0;
}

double uhi_wide_divide(const struct uhi_wide *x, uint64_t n) {
    enum { MORE = 4 }; /* extra digits: the quotient has more than 53 bits, however small x is */
    struct uhi_wide quotient = {.negative = x->negative, .bias = x->bias + 32 * MORE, .low = 0, .high = 0};
    uint64_t rest = 0;
    if (x->low == x->high)
        return 0;
    for (unsigned j = x->high + MORE; j > x->low; j--) {
        const uint32_t d = j - 1 >= x->low + MORE ? x->digit[j - 1 - MORE] : 0;
        const unsigned __int128 part = (unsigned __int128)rest << 32 | d;
        quotient.digit[j - 1] = (uint32_t)(part / n);
        rest = (uint64_t)(part % n);
    }
    quotient.low = x->low;
    quotient.high = x->high + MORE;
    trim(&quotient);
    return uhi_wide_round(&quotient, rest != 0);
}

void uhi_wide_scale(struct uhi_wide *x, uint64_t n) {
    unsigned __int128 carry = 0;
    for (unsigned j = x->low; j < x->high; j++) {
        carry += (unsigned __int128)x->digit[j] * n;
        x->digit[j] = (uint32_t)carry;
        carry >>= 32;
    }
    for (; carry && x->low < x->high; carry >>= 32)
        x->digit[x->high++] = (uint32_t)carry;
    trim(x);
}

/* Subtracts s * factor * 2^(32 at) from x. Returns -1 if that exceeds x. */
static int subtract_product(struct uhi_wide *x, const struct uhi_wide *s, uint32_t factor, unsigned at) {
    uint64_t carry = 0; /* of the product */
    uint32_t borrow = 0;
    for (unsigned j = s->low; j < s->high || carry || borrow; j++) {
        if (at + j >= x->high)
            return -1;
        carry += j < s->high ? (uint64_t)s->digit[j] * factor : 0;
        const uint64_t take = (carry & 0xffffffff) + borrow;
        carry >>= 32;
        borrow = x->digit[at + j] < take;
        x->digit[at + j] = (uint32_t)(x->digit[at + j] - take);
    }
    return 0;
}

int uhi_wide_subtract_square(struct uhi_wide *x, const struct uhi_wide *s) {
    if (s->low == s->high)
        return x->negative ? -1 : 0;
    /* A square has twice as many digits, or one less. */
    if (x->negative || x->low == x->high || 2 * s->high > x->high + 1)
        return -1;
    for (; x->low > 2 * s->low; x->low--)
        x->digit[x->low - 1] = 0;
    if (2 * s->high > x->high)
        x->digit[x->high++] = 0;
    for (unsigned j = s->low; j < s->high; j++)
        if (subtract_product(x, s, s->digit[j], j))
            return -1;
    trim(x);
    return 0;
}

/* ---- allocation of planes ---------------------------------------------------------------------------------------- */

uh_status uhi_planes_allocate(const char *call, struct uhi_planes *planes, uint32_t first, uint32_t last) {
    for (uint32_t j = first; j <= last && j < planes->count; j++) {
        if (!planes->limb[j])
            planes->limb[j] = calloc(planes->slots, sizeof *planes->limb[j]);
        if (!planes->limb[j])
            return uhi_fail_memory(call, "no memory for the contents of %zu cells", planes->slots - 1);
        if (planes->past == 0 || j < planes->lowest)
            planes->lowest = j;
        if (j >= planes->past)
            planes->past = j + 1;
    }
    return UH_SUCCESS;
}

uh_status uhi_planes_reserve(const char *call, struct uhi_planes *planes, int lowest, int above) {
    const int twice = planes->bias == UHI_SQUARE_BIAS ? 2 : 1;
    const uint32_t first = (uint32_t)(twice * lowest + planes->bias) / 32;
    /* 2^63 of them, and one limb for the sign. */
    const uint32_t last = (uint32_t)(twice * above + 63 + planes->bias) / 32 + 1;
    return uhi_planes_allocate(call, planes, first, last);
}

uh_status uhi_planes_allocate_like(const char *call, struct uhi_planes *planes, const struct uhi_planes *like) {
    for (uint32_t j = like->lowest; j < like->past; j++)
        if (like->limb[j])
            UHI_TRY(uhi_planes_allocate(call, planes, j, j));
    return UH_SUCCESS;
}

void uhi_planes_clear(struct uhi_planes *planes) {
    for (uint32_t j = planes->lowest; j < planes->past; j++)
        if (planes->limb[j])
            memset(planes->limb[j], 0, planes->slots * sizeof *planes->limb[j]);
    planes->pending = 0;
}

void uhi_planes_free(struct uhi_planes *planes) {
    for (uint32_t j = planes->lowest; j < planes->past; j++)
        free(planes->limb[j]);
}

/* ---- numbers in planes
 * ----------------------------------------------------------------------------------------------------- */

void uhi_planes_carry(struct uhi_planes *planes) {
    for (uint32_t j = planes->lowest; j + 1 < planes->past; j++) {
        int64_t *limb = planes->limb[j], *next = planes->limb[j + 1];
        if (!limb || !next)
            continue;
        for (size_t slot = 0; slot < planes->slots; slot++) {
            const int64_t carry = (limb[slot] + ((int64_t)1 << 31)) >> 32;
            if (carry) { /* zeros are not written: untouched memory takes no room */
                limb[slot] -= carry * ((int64_t)1 << 32);
                next[slot] += carry;
            }
        }
    }
    planes->pending = 1;
}

/* From the highest limb down: adding to limb j with a carry to j + 1 changes no limb still to be read, so that both may
 * be the same number. */
void uhi_planes_fold(struct uhi_planes *to, size_t to_slot, const struct uhi_planes *from, size_t from_slot) {
    uhi_planes_expect(to, 4);
    for (uint32_t j = from->past; j-- > from->lowest;)
        if (from->limb[j] && from->limb[j][from_slot])
            uhi_planes_add_window(to, to_slot, 2 * j, from->limb[j][from_slot], 0);
}

void uhi_planes_wide(const struct uhi_planes *planes, size_t slot, struct uhi_wide *x) {
    int64_t limb[UHI_SQUARE_LIMBS];
    unsigned low = planes->lowest, high = planes->past;
    while (low < high && !(planes->limb[low] && planes->limb[low][slot]))
        low++;
    while (high > low && !(planes->limb[high - 1] && planes->limb[high - 1][slot]))
        high--;
    const unsigned count = high - low;
    for (unsigned j = 0; j < count; j++)
        limb[j] = planes->limb[low + j] ? planes->limb[low + j][slot] : 0;
    uhi_wide_from_limbs(x, planes->bias, low, limb, count);
}
