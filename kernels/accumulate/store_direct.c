/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/accumulate/store.h"

/* A weight, (negative ? -m : m) * 2^(at - UHI_SUM_BIAS); its square is m^2 * 2^(2 at - UHI_SQUARE_BIAS). */
struct number {
    uint64_t m;
    uint32_t at;
    int negative;
    uint32_t flag; /* nonzero: the weight is not finite, and m is 0 */
};

static inline struct number number_of_f32(uint32_t b) {
    if ((b & 0x7f800000) == 0x7f800000)
        return (struct number){.flag = uhi_flag_f32(b)};
    return (struct number){uhi_mantissa_f32(b), 16 * UHI_SUM_FIRST_F32 + uhi_offset_f32(b), b >> 31 != 0, 0};
}

static inline struct number number_of_f64(uint64_t b) {
    if ((b >> 52 & 0x7ff) == 0x7ff)
        return (struct number){.flag = uhi_flag_f64(b)};
    return (struct number){uhi_mantissa_f64(b), 16 * UHI_SUM_FIRST_F64 + uhi_offset_f64(b), b >> 63 != 0, 0};
}

static inline struct number number_of_integer(int64_t w) {
    return (struct number){w < 0 ? 0u - (uint64_t)w : (uint64_t)w, UHI_SUM_BIAS, w < 0, 0};
}

static inline struct number number_of(enum uhi_value_kind kind, const void *w, size_t i) {
    switch (kind) {
    case UHI_VALUE_F32: return number_of_f32(((const uint32_t *)w)[i]);
    case UHI_VALUE_F64: return number_of_f64(((const uint64_t *)w)[i]);
    case UHI_VALUE_I32: return number_of_integer(((const int32_t *)w)[i]);
    case UHI_VALUE_U64: return (struct number){((const uint64_t *)w)[i], UHI_SUM_BIAS, 0, 0};
    default: return number_of_integer(((const int64_t *)w)[i]);
    }
}

void uhi_exponents_of(enum uhi_value_kind kind, const void *w, size_t n, int *lowest, int *above) {
    const int bits = kind == UHI_VALUE_F32 ? 24 : kind == UHI_VALUE_F64 ? 53 : 64;
    int low = *lowest, high = *above;
    for (size_t i = 0; i < n; i++) {
        const struct number x = number_of(kind, w, i);
        const int unit = (int)x.at - UHI_SUM_BIAS;
        low = x.m && unit < low ? unit : low;
        high = x.m && unit + bits > high ? unit + bits : high;
    }
    *lowest = low;
    *above = high;
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
    case UHI_VALUE_U64: return (double)((const uint64_t *)w)[i];
    default: return (double)((const int64_t *)w)[i];
    }
}

/* Adds (negative ? -m : m) * 2^(at - bias): in digits of 32 bits, until the rest fits in one addition. */
static inline void add_integer(const struct uhi_planes *planes, size_t slot, unsigned __int128 m, uint32_t at,
                               int negative, int shared) {
    uint32_t window = at / 16;
    if (m == 0) /* there may be no planes for its exponent */
        return;
    for (m <<= at % 16; m >> 62; window += 2, m >>= 32) {
        const int64_t digit = (int64_t)(m & 0xffffffff);
        uhi_planes_add_window(planes, slot, window, negative ? -digit : digit, shared);
    }
    uhi_planes_add_window(planes, slot, window, negative ? -(int64_t)m : (int64_t)m, shared);
}

void uhi_direct_add(struct uhi_store *store, enum uhi_value_kind kind, const void *w, const uint32_t *cell, size_t n,
                    int shared) {
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
        const struct number x = number_of(kind, w, i);
        if (x.flag)
            uhi_flag_cell(store->flags, cell[i], x.flag);
        add_integer(&store->sums, cell[i], x.m, x.at, x.negative, shared);
        if (squares)
            add_integer(&store->squares, cell[i], (unsigned __int128)x.m * x.m, 2 * x.at, 0, shared);
    }
}
