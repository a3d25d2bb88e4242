/* SPDX-License-Identifier: Apache-2.0 */
/* What is done for every value: sorting, and counting once there are many. */
#include <stdlib.h>
#include <string.h>

#include "api/bins_store.h"
#include "kernels/common/keys.h"

enum {
    DIGIT = 8, /* bits per pass of the sorting */
    DIGITS = 64 / DIGIT
};

/* The bits of number i of an array of float32 or float64, which need not be aligned. */
static inline __attribute__((always_inline)) uint64_t bits_at(uh_dtype dtype, const char *x, size_t i) {
    uint64_t bits;
    uint32_t single;
    if (dtype == UH_F64) {
        memcpy(&bits, x + i * sizeof bits, sizeof bits);
        return bits;
    }
    memcpy(&single, x + i * sizeof single, sizeof single);
    return single;
}

static inline __attribute__((always_inline)) uint64_t key_of(uh_dtype dtype, uint64_t bits) {
    const uint32_t half = (uint32_t)bits;
    double value;
    float single;
    memcpy(&value, &bits, sizeof value);
    memcpy(&single, &half, sizeof single);
    return uhi_key_of_f64(dtype == UH_F64 ? value : (double)single);
}

void uhi_keys_of(uh_dtype dtype, const char *x, size_t n, uint64_t *key) {
    for (size_t i = 0; i < n; i++)
        key[i] = key_of(dtype, bits_at(dtype, x, i));
}

/* Counts by the bits themselves: those of negative numbers descend. */
static inline __attribute__((always_inline)) size_t
count_values(struct uhi_dense dense, unsigned joined, uh_dtype dtype, const char *x, size_t n, uint64_t *rest) {
    const int32_t *const table = dtype == UH_F64 ? dense.of_f64 : dense.of_f32;
    const unsigned mantissa = dtype == UH_F64 ? UHI_F64_MANTISSA : UHI_F32_MANTISSA;
    const unsigned shift = dtype == UH_F64 ? joined : joined - UHI_F32_LACKS;
    const size_t mask = ((size_t)1 << (UHI_F64_MANTISSA - joined)) - 1;
    size_t others = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = bits_at(dtype, x, i);
        const int32_t at = table[bits >> mantissa];
        if (at != UHI_NO_TABLE)
            dense.count[(size_t)at ^ (bits >> shift & mask)]++;
        else
            rest[others++] = key_of(dtype, bits);
    }
    return others;
}

/* Whether no number of float32 is zero or so near it that its exponent is that of zero. */
static int are_normal(const char *x, size_t n) {
    int32_t others = 0;
    for (size_t i = 0; i < n; i++) /* in signed integers, which compilers make vectors of */
        others |= -(((int32_t)bits_at(UH_F32, x, i) & INT32_MAX) < 1 << UHI_F32_MANTISSA);
    return !others;
}

size_t uhi_keys_count(struct uhi_keys *keys, uh_dtype dtype, const char *x, size_t n, const uint64_t ends[2],
                      uint64_t *rest) {
    uint32_t *const raw = dtype == UH_F32 ? keys->dense.raw : NULL;
    uint64_t *const all = keys->dense.ends;
    if (raw && are_normal(x, n)) {
        for (size_t i = 0; i < n; i++)
            raw[bits_at(UH_F32, x, i) >> keys->dense.raw_shift]++;
        all[0] = ends[0] < all[0] ? ends[0] : all[0];
        all[1] = ends[1] > all[1] ? ends[1] : all[1];
        keys->dense.added += n;
        return 0;
    }
    const size_t others = dtype == UH_F64 ? count_values(keys->dense, keys->joined, UH_F64, x, n, rest)
                                          : count_values(keys->dense, keys->joined, UH_F32, x, n, rest);
    keys->dense.added += n - others;
    return others;
}

static inline __attribute__((always_inline)) size_t filter(const struct uhi_zones zones, uh_dtype dtype, const char *x,
                                                           size_t n, uint64_t *kept) {
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = bits_at(dtype, x, i), key = key_of(dtype, bits);
        kept[at] = key;
        at += uhi_zones_have(&zones, key) != 0;
    }
    return at;
}

size_t uhi_zones_filter(const struct uhi_zones *zones, uh_dtype dtype, const char *x, size_t n, uint64_t *kept) {
    size_t near = 0, at = 0;
    if (dtype == UH_F64)
        return filter(*zones, UH_F64, x, n, kept);
    if (!zones->of_f32)
        return filter(*zones, UH_F32, x, n, kept);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = bits_at(UH_F32, x, i);
        kept[near] = bits;
        near += zones->of_f32[bits >> zones->f32_shift];
    }
    for (size_t i = 0; i < near; i++) {
        const uint64_t key = key_of(UH_F32, kept[i]);
        kept[at] = key;
        at += uhi_zones_have(zones, key) != 0;
    }
    return at;
}

static void swap_words(uint64_t **a, uint64_t **b) {
    uint64_t *swap = *a;
    *a = *b;
    *b = swap;
}

/* Sorts the keys that wait, and their weights, from the lowest digit up, except digits that all keys share (Knuth,
 * TAOCP vol. 3, 5.2.5). The buffers, of the same room, take turns. */
void uhi_waiting_sort(struct uhi_waiting *waiting, uint64_t *key, double *weight) {
    uint32_t start[DIGITS][1 << DIGIT] = {{0}};
    const size_t n = waiting->n, mask = ((size_t)1 << DIGIT) - 1;
    for (size_t i = 0; i < n; i++)
        for (unsigned d = 0; d < DIGITS; d++)
            start[d][waiting->key[i] >> d * DIGIT & mask]++;
    for (unsigned d = 0; d < DIGITS; d++) {
        const unsigned shift = d * DIGIT;
        uint32_t *const place = start[d], all = 0;
        if (place[waiting->key[0] >> shift & mask] == n)
            continue;
        for (size_t digit = 0; digit <= mask; digit++) {
            const uint32_t count = place[digit];
            place[digit] = all;
            all += count;
        }
        for (size_t i = 0; i < n && !weight; i++)
            key[place[waiting->key[i] >> shift & mask]++] = waiting->key[i];
        for (size_t i = 0; i < n && weight; i++) {
            const size_t at = place[waiting->key[i] >> shift & mask]++;
            key[at] = waiting->key[i];
            weight[at] = waiting->weight[i];
        }
        swap_words(&waiting->key, &key);
        double *const swap = waiting->weight;
        waiting->weight = weight;
        weight = swap;
    }
    free(key);
    free(weight);
}
