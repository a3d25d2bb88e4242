/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/big.h"

#include <math.h>
#include <string.h>

void big_add(struct big *x, const struct big *y) {
    uint64_t carry = 0;
    for (int i = 0; i < BIG_WORDS; i++) {
        carry += (uint64_t)x->word[i] + y->word[i];
        x->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

void big_negate(struct big *x) {
    uint64_t carry = 1;
    for (int i = 0; i < BIG_WORDS; i++) {
        carry += (uint32_t)~x->word[i];
        x->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static int big_sign(const struct big *x) {
    if (x->word[BIG_WORDS - 1] >> 31)
        return -1;
    for (int i = 0; i < BIG_WORDS; i++)
        if (x->word[i])
            return 1;
    return 0;
}

struct big big_double(double value) {
    struct big x = {{0}};
    int exponent;
    const double fraction = frexp(fabs(value), &exponent); /* in [1/2, 1) */
    const uint64_t integer = (uint64_t)ldexp(fraction, 53);
    if (value == 0)
        return x;
    const int bits = exponent - 53 + BIG_POINT, at = bits / 32;
    x.word[at] = (uint32_t)(integer << bits % 32);
    x.word[at + 1] = (uint32_t)(integer >> (32 - bits % 32));
    x.word[at + 2] = bits % 32 ? (uint32_t)(integer >> 32 >> (32 - bits % 32)) : 0;
    if (value < 0)
        big_negate(&x);
    return x;
}

struct big big_i64(int64_t value) {
    struct big x = {{0}};
    const uint64_t bits = (uint64_t)value;
    for (int i = BIG_POINT / 32 + 2; i < BIG_WORDS; i++)
        x.word[i] = value < 0 ? UINT32_MAX : 0;
    x.word[BIG_POINT / 32] = (uint32_t)bits;
    x.word[BIG_POINT / 32 + 1] = (uint32_t)(bits >> 32);
    return x;
}

/* x += y * factor * 2^(32 at), for x, y >= 0; y has no words but [from, to). */
static void add_multiple(struct big *x, const struct big *y, int from, int to, uint32_t factor, int at) {
    uint64_t carry = 0;
    for (int i = from; i + at < BIG_WORDS && (i < to || carry); i++) {
        if (i + at < 0)
            continue;
        carry += (i < to ? (uint64_t)y->word[i] * factor : 0) + x->word[i + at];
        x->word[i + at] = (uint32_t)carry;
        carry >>= 32;
    }
}

struct big big_times(struct big x, uint64_t n) {
    struct big product = {{0}};
    const int negative = big_sign(&x) < 0;
    if (negative)
        big_negate(&x);
    add_multiple(&product, &x, 0, BIG_WORDS, (uint32_t)n, 0);
    add_multiple(&product, &x, 0, BIG_WORDS, (uint32_t)(n >> 32), 1);
    if (negative)
        big_negate(&product);
    return product;
}

struct big big_product(struct big x, struct big y) {
    struct big product = {{0}};
    const int negative = (big_sign(&x) < 0) != (big_sign(&y) < 0);
    if (big_sign(&x) < 0)
        big_negate(&x);
    if (big_sign(&y) < 0)
        big_negate(&y);
    int from = 0, to = BIG_WORDS;
    while (from < to && !x.word[from])
        from++;
    while (to > from && !x.word[to - 1])
        to--;
    for (int i = 0; i < BIG_WORDS; i++)
        if (y.word[i])
            add_multiple(&product, &x, from, to, y.word[i], i - BIG_POINT / 32);
    if (negative)
        big_negate(&product);
    return product;
}

static int compare(struct big x, struct big y) {
    big_negate(&y);
    big_add(&x, &y);
    return big_sign(&x);
}

/* A number of a format, and whether the last of its bits is 0. */
struct place {
    struct big value;
    int even;
};

/* The real number that a float64 or float32 stands for; for infinity the one where the next would be. */
static struct place place_f64(double value) {
    uint64_t bits;
    struct place place = {big_double(isfinite(value) ? value : copysign(0x1p1023, value)), 0};
    memcpy(&bits, &value, sizeof bits);
    place.even = (bits & 1) == 0;
    if (!isfinite(value))
        big_add(&place.value, &place.value);
    return place;
}

static struct place place_f32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (struct place){big_double(isfinite(value) ? (double)value : copysign(0x1p128, (double)value)),
                          (bits & 1) == 0};
}

/* Whether x / n, seen from `here`, ends before the middle between it and its neighbour `next` in a direction; a tie
 * belongs to what is even. */
static int stays_before(const struct big *x, uint64_t n, struct place here, const struct place *next, int direction) {
    struct big twice = *x;
    big_add(&twice, x);
    big_add(&here.value, &next->value); /* twice the middle of both */
    const int side = compare(twice, big_times(here.value, n)) * direction;
    return side < 0 || (side == 0 && here.even);
}

static int is_between(const struct big *x, uint64_t n, double rounded, struct place here, const struct place next[2]) {
    for (int above = 0; above < 2; above++)
        if (!(isinf(rounded) && (rounded > 0) == above) && /* nothing lies beyond */
            !stays_before(x, n, here, &next[above], above ? 1 : -1))
            return 0;
    return 1;
}

int big_is_quotient(const struct big *x, uint64_t n, double rounded) {
    if (isnan(rounded))
        return 0;
    const struct place next[] = {place_f64(nextafter(rounded, -(double)INFINITY)),
                                 place_f64(nextafter(rounded, (double)INFINITY))};
    return is_between(x, n, rounded, place_f64(rounded), next);
}

int big_is_float(const struct big *x, float rounded) {
    if (isnan(rounded))
        return 0;
    const struct place next[] = {place_f32(nextafterf(rounded, -INFINITY)), place_f32(nextafterf(rounded, INFINITY))};
    return is_between(x, 1, (double)rounded, place_f32(rounded), next);
}
