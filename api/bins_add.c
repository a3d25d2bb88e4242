/* SPDX-License-Identifier: Apache-2.0 */
/* Adding arrays to the values of bins. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/bins_values.h"
#include "kernels/bincount/bincount.h"
#include "kernels/registry.h"
#include "runtime/status.h"

enum { BLOCK = 1024 };

/* Keys and, unless NULL, weights that belong together. */
struct block {
    size_t n;
    uint64_t *key;
    double *weight;
};

/* Keeps the keys of values that count. */
static void keep_inside(uh_bins *bins, struct block *block) {
    size_t kept = 0;
    for (size_t i = 0; i < block->n; i++) {
        const uint64_t key = block->key[i];
        const int is_nan = key > uhi_key_of_f64(INFINITY) || key < uhi_key_of_f64(-INFINITY);
        const int is_inside = key >= bins->first && key <= bins->last;
        bins->nan += !bins->refining && is_nan;
        bins->beyond += !bins->refining && !is_nan && !is_inside;
        block->key[kept] = key;
        if (block->weight)
            block->weight[kept] = block->weight[i];
        kept += is_inside && (!block->weight || block->weight[i] > 0);
    }
    block->n = kept;
}

/* Keeps the keys with weights near the quantiles of a further pass. */
static void keep_wanted(const uh_bins *bins, struct block *block) {
    const struct uhi_zones zones = bins->zones;
    size_t kept = 0;
    for (size_t i = 0; i < block->n; i++) {
        const uint64_t key = block->key[i];
        block->key[kept] = key;
        block->weight[kept] = block->weight[i];
        kept += uhi_zones_have(&zones, key) != 0;
    }
    block->n = kept;
}

static void find_extremes(const struct block *block, uint64_t *lowest, uint64_t *highest) {
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < block->n; i++) {
        low = block->key[i] < low ? block->key[i] : low;
        high = block->key[i] > high ? block->key[i] : high;
    }
    *lowest = low;
    *highest = high;
}

static void include_keys(uh_bins *bins, uint64_t lowest, uint64_t highest) {
    bins->lowest = lowest < bins->lowest ? lowest : bins->lowest;
    bins->highest = highest > bins->highest ? highest : bins->highest;
}

/* Takes a block; there is room for it. */
static void take_block(uh_bins *bins, struct block *block, int whole) {
    uint64_t lowest, highest;
    find_extremes(block, &lowest, &highest);
    if (lowest < bins->first || highest > bins->last || block->weight) {
        keep_inside(bins, block);
        find_extremes(block, &lowest, &highest);
    }
    if (bins->refining) {
        keep_wanted(bins, block);
        uhi_keys_add(&bins->fine, block->key, block->weight, block->n);
        return;
    }
    include_keys(bins, lowest, highest);
    bins->n += block->n;
    bins->whole += block->weight ? 0 : block->n;
    for (size_t i = 0; i < block->n && block->weight && whole; i++)
        bins->whole += (uint64_t)block->weight[i];
    for (size_t i = 0; i < block->n && block->weight && !whole; i++) {
        uhi_wide_sum_add(&bins->sum, block->weight[i]);
        uhi_wide_sum_add_product(&bins->squares, block->weight[i], block->weight[i]);
    }
    uhi_keys_add(&bins->keys, block->key, block->weight, block->n);
}

/* Converts numbers that are widened to 64 bits, in place. */
static void convert(uh_dtype wide, void *values, size_t n) {
    double *x = values;
    for (size_t i = 0; i < n && wide == UH_I64; i++)
        x[i] = (double)((const int64_t *)values)[i];
    for (size_t i = 0; i < n && wide == UH_U64; i++)
        x[i] = (double)((const uint64_t *)values)[i];
}

static uh_status check_weights(const uh_bins *bins, const double *weights, size_t n, int whole, size_t at) {
    double sum = bins->refining ? 0 : (double)bins->whole;
    for (size_t i = 0; i < n; i++) {
        if (!(weights[i] >= 0 && weights[i] <= DBL_MAX))
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, "uh_bins_add", "weights", at + i,
                               "is %g, expected 0 or a finite number above it", weights[i]);
        sum += weights[i];
        if (whole && !(sum <= (double)UHI_MAX_WHOLE))
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, "uh_bins_add", "weights", at + i,
                               "is %g and makes the sum of whole weights exceed 2^53", weights[i]);
    }
    return UH_SUCCESS;
}

/* Extends the values' range outwards to integers that float64 does not hold. */
static void include_integers(uh_bins *bins, uh_dtype wide, const void *values, size_t n) {
    for (size_t i = 0; i < n && (wide == UH_I64 || wide == UH_U64) && !bins->ranged; i++) {
        const uhi_int_128 value =
            wide == UH_I64 ? (uhi_int_128)((const int64_t *)values)[i] : (uhi_int_128)((const uint64_t *)values)[i];
        if (value > (uhi_int_128)1 << 53 || value < -((uhi_int_128)1 << 53)) {
            include_keys(bins, uhi_key_of_f64(uhi_round_outwards(value, -INFINITY)),
                         uhi_key_of_f64(uhi_round_outwards(value, INFINITY)));
        }
    }
}

/* Finds up to `n` numbers from index `at` on, in place if they are floating-point numbers, or else as a copy to be
 * freed; *n becomes how many, *wide their type: float32, or of 64 bits. */
static uh_status find_some(const uh_array *array, size_t at, size_t *n, uh_dtype *wide, void **copy,
                           const void **found) {
    uint64_t packed[UHI_PACKED_BYTES / sizeof(uint64_t)];
    const struct uhi_values from = uhi_values_packed(uhi_array_values(array), at, uh_dtype_size(array->dtype), packed);
    *n = from.n < *n ? from.n : *n;
    *wide = array->dtype;
    if ((array->dtype == UH_F64 || array->dtype == UH_F32) && from.first != (const char *)packed) {
        *found = from.first;
        return UH_SUCCESS;
    }
    UHI_TRY(uhi_axis_copy("uh_bins_add", "x->data", array->dtype, from.first, *n, 0, SIZE_MAX, wide, copy));
    *found = *copy;
    return UH_SUCCESS;
}

static uint64_t wide_key(uh_dtype dtype, uint64_t key) {
    return dtype == UH_F64 ? key : uhi_key_of_f64((double)uhi_f32_of_key(key));
}

/* Takes a block without weights in a shorter way, if it can; returns whether it has. */
static int take_plain(uh_bins *bins, uh_dtype dtype, const char *x, struct block *block) {
    const size_t n = block->n;
    if (bins->refining) {
        block->n = uhi_zones_filter(&bins->zones, dtype, x, n, block->key);
        keep_inside(bins, block); /* a zone may extend beyond the range */
        uhi_keys_add(&bins->fine, block->key, NULL, block->n);
        return 1;
    }
    if (!bins->keys.dense.count || (dtype == UH_F32 && !bins->keys.dense.of_f32))
        return 0;
    const struct uhi_extent extent = uhi_bincount_host()->range[dtype](x, n);
    const uint64_t ends[] = {wide_key(dtype, extent.low), wide_key(dtype, extent.high)};
    if (extent.nan > 0 || ends[0] < bins->first || ends[1] > bins->last)
        return 0;
    include_keys(bins, ends[0], ends[1]);
    bins->n += n;
    bins->whole += n;
    block->n = uhi_keys_count(&bins->keys, dtype, x, n, ends, block->key);
    uhi_keys_add(&bins->keys, block->key, NULL, block->n);
    return 1;
}

/* Adds up to UHI_KEYS_AT_ONCE numbers. */
static uh_status add_numbers(uh_bins *bins, uh_dtype dtype, const char *x, const double *weights, size_t n, int whole) {
    struct uhi_keys *const to = bins->refining ? &bins->fine : &bins->keys;
    uint64_t key[BLOCK];
    double weight[BLOCK];
    if (weights)
        UHI_TRY(uhi_keys_weigh("uh_bins_add", to, whole));
    UHI_TRY(uhi_keys_make_room("uh_bins_add", to, n));
    *(bins->refining ? &bins->seen : &bins->offered) += n;
    for (size_t at = 0; at < n; at += BLOCK) {
        struct block block = {.n = n - at < BLOCK ? n - at : BLOCK, .key = key, .weight = weights ? weight : NULL};
        if (!weights && take_plain(bins, dtype, x + at * uh_dtype_size(dtype), &block))
            continue;
        uhi_keys_of(dtype, x + at * uh_dtype_size(dtype), block.n, key);
        if (weights)
            memcpy(weight, weights + at, block.n * sizeof *weights);
        take_block(bins, &block, whole);
    }
    return UH_SUCCESS;
}

uh_status uhi_copy_numbers(const char *call, const char *argument, const uh_array *array, size_t at, size_t *n,
                           uh_dtype *wide, double **copy) {
    uint64_t packed[UHI_PACKED_BYTES / sizeof(uint64_t)];
    const struct uhi_values from = uhi_values_packed(uhi_array_values(array), at, uh_dtype_size(array->dtype), packed);
    void *made = NULL;
    *n = from.n < *n ? from.n : *n;
    UHI_TRY(uhi_axis_copy(call, argument, array->dtype, from.first, *n, 0, SIZE_MAX, wide, &made));
    convert(*wide, made, *n);
    *copy = made;
    return UH_SUCCESS;
}

/* Adds some values, from index `at` on; *taken receives their number. */
static uh_status add_some(uh_bins *bins, const uh_array *x, const uh_array *weights, size_t at, size_t *taken) {
    double *with = NULL;
    void *copy = NULL;
    const void *values = NULL;
    uh_dtype wide, wide_weights = UH_I64;
    *taken = UHI_KEYS_AT_ONCE;
    uh_status status = weights
                           ? uhi_copy_numbers("uh_bins_add", "weights->data", weights, at, taken, &wide_weights, &with)
                           : UH_SUCCESS;
    const int whole = wide_weights != UH_F64;
    if (!status)
        status = find_some(x, at, taken, &wide, &copy, &values);
    if (!status) {
        include_integers(bins, wide, values, *taken);
        convert(wide, copy, *taken);
    }
    if (!status && with)
        status = check_weights(bins, with, *taken, whole, at);
    if (!status)
        status = add_numbers(bins, wide == UH_F32 ? UH_F32 : UH_F64, values, with, *taken, whole);
    free(copy);
    free(with);
    return status;
}

uh_status uhi_bins_add_here(uh_bins *bins, const uh_array *x, const uh_array *weights) {
    for (size_t at = 0, taken = 0; at < x->count; at += taken)
        UHI_TRY(add_some(bins, x, weights, at, &taken));
    return UH_SUCCESS;
}
