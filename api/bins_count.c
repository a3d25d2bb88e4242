/* SPDX-License-Identifier: Apache-2.0 */
/* What is done for every value: sorting, and counting once there are many. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/bins_store.h"
#include "kernels/common/keys.h"

enum {
    MANTISSA = 52,
    CHAINS = 4,
    DIGIT = 8, /* bits per pass of the sorting */
    DIGITS = 64 / DIGIT
};

/* Value i of an array of float32 or float64, which may not be aligned. */
static inline __attribute__((always_inline)) double value_at(uh_dtype dtype, const char *x, size_t i) {
    double value;
    float single;
    if (dtype == UH_F64) {
        memcpy(&value, x + i * sizeof value, sizeof value);
        return value;
    }
    memcpy(&single, x + i * sizeof single, sizeof single);
    return (double)single;
}

/* The processor has a minimum that ignores NaN in this place; several chains of them run at once. */
static inline __attribute__((always_inline)) void find_extremes(uh_dtype dtype, const char *x, size_t n,
                                                                double extremes[2]) {
    double min[CHAINS], max[CHAINS];
    for (size_t c = 0; c < CHAINS; c++) {
        min[c] = INFINITY;
        max[c] = -INFINITY;
    }
    for (size_t i = 0; i < n; i += CHAINS)
        for (size_t c = 0; c < CHAINS; c++) {
            const double value = value_at(dtype, x, i + c < n ? i + c : n - 1);
            min[c] = value < min[c] ? value : min[c];
            max[c] = value > max[c] ? value : max[c];
        }
    extremes[0] = fmin(fmin(min[0], min[1]), fmin(min[2], min[3]));
    extremes[1] = fmax(fmax(max[0], max[1]), fmax(max[2], max[3]));
}

void uhi_find_extremes(uh_dtype dtype, const char *x, size_t n, double extremes[2]) {
    if (dtype == UH_F64)
        find_extremes(UH_F64, x, n, extremes);
    else
        find_extremes(UH_F32, x, n, extremes);
}

static inline __attribute__((always_inline)) size_t
count_values(struct uhi_dense dense, unsigned joined, uh_dtype dtype, const char *x, size_t n, uint64_t *rest) {
    const size_t mask = ((size_t)1 << (MANTISSA - joined)) - 1;
    size_t others = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = uhi_key_of_f64(value_at(dtype, x, i));
        const int32_t table = dense.table[key >> MANTISSA];
        if (table != UHI_NO_TABLE)
            dense.count[(size_t)table + (key >> joined & mask)]++;
        else
            rest[others++] = key;
    }
    return others;
}

size_t uhi_keys_count(struct uhi_keys *keys, uh_dtype dtype, const char *x, size_t n, uint64_t *rest) {
    const size_t others = dtype == UH_F64 ? count_values(keys->dense, keys->joined, UH_F64, x, n, rest)
                                          : count_values(keys->dense, keys->joined, UH_F32, x, n, rest);
    keys->dense.added += n - others;
    return others;
}

static inline __attribute__((always_inline)) size_t filter(const struct uhi_zones zones, uh_dtype dtype, const char *x,
                                                           size_t n, uint64_t *kept) {
    size_t at = 0;
    for (size_t i = 0; i < n && zones.map; i++) {
        const uint64_t key = uhi_key_of_f64(value_at(dtype, x, i)), cell = (key >> zones.shift) - zones.base;
        kept[at] = key;
        at += zones.map[cell < zones.cells ? cell : zones.cells]; /* which is 0 */
    }
    for (size_t i = 0; i < n && !zones.map; i++) {
        const uint64_t key = uhi_key_of_f64(value_at(dtype, x, i));
        kept[at] = key;
        at += uhi_zones_have(&zones, key) != 0;
    }
    return at;
}

size_t uhi_zones_filter(const struct uhi_zones *zones, uh_dtype dtype, const char *x, size_t n, uint64_t *kept) {
    return dtype == UH_F64 ? filter(*zones, UH_F64, x, n, kept) : filter(*zones, UH_F32, x, n, kept);
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
