/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/accumulate/store.h"

#include <string.h>

static struct uhi_digits digits_of_f32(uint32_t b, int square) {
    if ((b & 0x7f800000) == 0x7f800000)
        return (struct uhi_digits){.flag = uhi_flag_f32(b)};
    const uint64_t m = uhi_mantissa_f32(b);
    if (square) {
        const uint32_t at = uhi_square_offset_f32(b);
        return (struct uhi_digits){.window = UHI_SQUARE_FIRST_F32 + (at >> 4),
                                   .count = 2,
                                   .digit = {uhi_low_digit(m * m, at & 15), uhi_high_digit(m * m, at & 15)}};
    }
    const uint32_t at = uhi_offset_f32(b);
    const int64_t shifted = (int64_t)(m << (at & 15));
    return (struct uhi_digits){
        .window = UHI_SUM_FIRST_F32 + (at >> 4), .count = 1, .digit = {b >> 31 ? -shifted : shifted}};
}

/* Splits a 128-bit square, such as (m << shift)^2. */
static struct uhi_digits four_digits(uint32_t window, unsigned __int128 x) {
    struct uhi_digits d = {.window = window, .count = 4};
    for (int i = 0; i < 4; i++, x >>= 32)
        d.digit[i] = (int64_t)(x & 0xffffffff);
    return d;
}

static struct uhi_digits digits_of_f64(uint64_t b, int square) {
    if ((b >> 52 & 0x7ff) == 0x7ff)
        return (struct uhi_digits){.flag = uhi_flag_f64(b)};
    const uint64_t m = uhi_mantissa_f64(b);
    if (square) {
        const uint32_t at = uhi_square_offset_f64(b);
        return four_digits(UHI_SQUARE_FIRST_F64 + (at >> 4), (unsigned __int128)m * m << (at & 15));
    }
    const uint32_t at = uhi_offset_f64(b);
    const int64_t low = uhi_low_digit(m, at & 15), high = uhi_high_digit(m, at & 15);
    return (struct uhi_digits){
        .window = UHI_SUM_FIRST_F64 + (at >> 4), .count = 2, .digit = {b >> 63 ? -low : low, b >> 63 ? -high : high}};
}

static struct uhi_digits digits_of_integer(int64_t w, int square) {
    const uint64_t m = w < 0 ? 0u - (uint64_t)w : (uint64_t)w;
    if (square)
        return four_digits(UHI_SQUARE_FIRST_INT, (unsigned __int128)m * m);
    return (struct uhi_digits){.window = UHI_SUM_FIRST_INT, .count = 2, .digit = {w & 0xffffffff, w >> 32}};
}

struct uhi_digits uhi_digits_of(enum uhi_value_kind kind, int square, const void *w) {
    uint32_t word = 0;
    uint64_t wide = 0;
    if (kind == UHI_VALUE_F32 || kind == UHI_VALUE_I32)
        memcpy(&word, w, sizeof word);
    else
        memcpy(&wide, w, sizeof wide);
    switch (kind) {
    case UHI_VALUE_F32: return digits_of_f32(word, square);
    case UHI_VALUE_F64: return digits_of_f64(wide, square);
    case UHI_VALUE_I32: return digits_of_integer((int32_t)word, square);
    default: return digits_of_integer((int64_t)wide, square);
    }
}

void uhi_exponents_of(enum uhi_value_kind kind, const void *w, size_t n, int *lowest, int *above) {
    const uint32_t *words = w;
    const uint64_t *wides = w;
    uint32_t low = UINT32_MAX, high = 0; /* biased exponents */
    if (kind == UHI_VALUE_I32 || kind == UHI_VALUE_I64) {
        *lowest = *lowest < 0 ? *lowest : 0;
        *above = *above > 64 ? *above : 64;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t e = kind == UHI_VALUE_F32 ? uhi_exponent_f32(words[i]) : uhi_exponent_f64(wides[i]);
        const int counts = kind == UHI_VALUE_F32 ? words[i] << 1 && e < 255 : wides[i] << 1 && e < 2047;
        low = counts && e < low ? e : low;
        high = counts && e > high ? e : high;
    }
    if (low == UINT32_MAX)
        return;
    const int unit = kind == UHI_VALUE_F32 ? 150 : 1075, bits = kind == UHI_VALUE_F32 ? 24 : 53;
    *lowest = (int)low - unit < *lowest ? (int)low - unit : *lowest;
    *above = (int)high - unit + bits > *above ? (int)high - unit + bits : *above;
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

static void add_double(double *sum, double x, int shared) {
    double old, new;
    if (!shared) {
        *sum += x;
        return;
    }
    __atomic_load(sum, &old, __ATOMIC_RELAXED);
    do
        new = old + x;
    while (!__atomic_compare_exchange(sum, &old, &new, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); /* compares bits */
}

#define SATURATE(name, T, max)                                                                                         \
    static void name(T *cell, uint64_t count, int shared) {                                                            \
        T old = __atomic_load_n(cell, __ATOMIC_RELAXED), new;                                                          \
        do {                                                                                                           \
            new = count < (max) - (uint32_t)old ? (T)(old + count) : (max);                                            \
            if (new == old)                                                                                            \
                return;                                                                                                \
            if (!shared) {                                                                                             \
                *cell = new;                                                                                           \
                return;                                                                                                \
            }                                                                                                          \
        } while (!__atomic_compare_exchange_n(cell, &old, new, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));                \
    }
SATURATE(saturate_u8, uint8_t, UINT8_MAX)
SATURATE(saturate_u16, uint16_t, UINT16_MAX)

void uhi_direct_count(struct uhi_store *store, size_t slot, uint64_t count, int shared) {
    if (count == 0)
        return;
    switch (store->storage) {
    case UH_STORAGE_U8: saturate_u8((uint8_t *)store->saturated + slot, count, shared); return;
    case UH_STORAGE_U16: saturate_u16((uint16_t *)store->saturated + slot, count, shared); return;
    case UH_STORAGE_COUNT:
    case UH_STORAGE_MEAN: uhi_limb_add((int64_t *)store->counts + slot, (int64_t)count, shared); return;
    default: break;
    }
    if (store->fast) {
        add_double(store->fast + slot, (double)count, shared);
        if (store->fast_squares)
            add_double(store->fast_squares + slot, (double)count, shared);
        return;
    }
    uhi_planes_add_window(&store->sums, slot, UHI_SUM_FIRST_INT, (int64_t)count, shared);
    if (uhi_store_has_squares(store->storage))
        uhi_planes_add_window(&store->squares, slot, UHI_SQUARE_FIRST_INT, (int64_t)count, shared);
}

static double value_of(enum uhi_value_kind kind, const void *w, size_t i) {
    switch (kind) {
    case UHI_VALUE_F32: return (double)((const float *)w)[i];
    case UHI_VALUE_F64: return ((const double *)w)[i];
    case UHI_VALUE_I32: return (double)((const int32_t *)w)[i];
    default: return (double)((const int64_t *)w)[i];
    }
}

static void add_digits(struct uhi_store *store, const struct uhi_planes *planes, size_t slot,
                       const struct uhi_digits *d, int shared) {
    if (d->flag)
        uhi_flag_cell(store->flags, (uint32_t)slot, d->flag);
    for (uint32_t i = 0; i < d->count; i++)
        if (d->digit[i])
            uhi_planes_add_window(planes, slot, d->window + 2 * i, d->digit[i], shared);
}

void uhi_direct_add(struct uhi_store *store, enum uhi_value_kind kind, const void *w, const uint32_t *cell, size_t n,
                    int shared) {
    const size_t size = kind == UHI_VALUE_F32 || kind == UHI_VALUE_I32 ? 4 : 8;
    const int squares = uhi_store_has_squares(store->storage);
    for (size_t i = 0; i < n; i++) {
        if (!w || store->storage == UH_STORAGE_MEAN)
            uhi_direct_count(store, cell[i], 1, shared);
        if (!w)
            continue;
        if (store->fast) {
            const double x = value_of(kind, w, i);
            add_double(store->fast + cell[i], x, shared);
            if (store->fast_squares)
                add_double(store->fast_squares + cell[i], x * x, shared);
            continue;
        }
        const struct uhi_digits sum = uhi_digits_of(kind, 0, (const char *)w + i * size);
        add_digits(store, &store->sums, cell[i], &sum, shared);
        if (squares && !sum.flag) {
            const struct uhi_digits square = uhi_digits_of(kind, 1, (const char *)w + i * size);
            add_digits(store, &store->squares, cell[i], &square, shared);
        }
    }
}
