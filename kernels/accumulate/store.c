/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/accumulate/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/accumulate/device_tables.h"
#include "runtime/dtype.h"
#include "runtime/status.h"

uh_status uhi_store_create(const char *call, size_t cells, uh_storage storage, uh_sum sum, struct uhi_store **store) {
    struct uhi_store *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail_memory(call, "no memory for a store");
    made->cells = cells;
    made->slots = cells + 1;
    made->storage = storage;
    made->sum = sum;
    made->sums.slots = made->squares.slots = made->slots;
    made->sums.count = UHI_SUM_LIMBS;
    made->sums.bias = UHI_SUM_BIAS;
    made->squares.count = UHI_SQUARE_LIMBS;
    made->squares.bias = UHI_SQUARE_BIAS;
    int whole = 1;
    if (uhi_store_has_counts(storage))
        whole &= (made->counts = calloc(made->slots, sizeof *made->counts)) != NULL;
    if (uhi_store_saturated_size(storage))
        whole &= (made->saturated = calloc(made->slots, uhi_store_saturated_size(storage))) != NULL;
    if (uhi_store_has_sums(storage))
        whole &= (made->flags = calloc(made->slots, 1)) != NULL;
    if (sum == UH_SUM_FAST && uhi_store_has_sums(storage) && storage != UH_STORAGE_MEAN)
        whole &= (made->fast = calloc(made->slots, sizeof *made->fast)) != NULL;
    if (made->fast && storage == UH_STORAGE_WEIGHTED)
        whole &= (made->fast_squares = calloc(made->slots, sizeof *made->fast_squares)) != NULL;
    if (!whole) {
        uhi_store_destroy(made);
        return uhi_fail_memory(call, "no memory for the contents of %zu cells", cells);
    }
    *store = made;
    return UH_SUCCESS;
}

void uhi_store_destroy(struct uhi_store *store) {
    if (!store)
        return;
    uhi_device_tables_free(store->device);
    free(store->counts);
    free(store->saturated);
    free(store->fast);
    free(store->fast_squares);
    uhi_planes_free(&store->sums);
    uhi_planes_free(&store->squares);
    free(store->flags);
    free(store->scratch);
    free(store);
}

void uhi_store_clear(struct uhi_store *store) {
    uhi_store_discard(store);
    if (store->counts)
        memset(store->counts, 0, store->slots * sizeof *store->counts);
    if (store->saturated)
        memset(store->saturated, 0, store->slots * uhi_store_saturated_size(store->storage));
    if (store->fast)
        memset(store->fast, 0, store->slots * sizeof *store->fast);
    if (store->fast_squares)
        memset(store->fast_squares, 0, store->slots * sizeof *store->fast_squares);
    if (store->flags)
        memset(store->flags, 0, store->slots);
    uhi_planes_clear(&store->sums);
    uhi_planes_clear(&store->squares);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The sum, or the sum of squares, of a cell with weights that are not finite. */
static double flagged(unsigned flags, int squares) {
    if (flags == UHI_FLAG_PLUS_INF || (squares && !(flags & UHI_FLAG_NAN)))
        return (double)INFINITY;
    return flags == UHI_FLAG_MINUS_INF ? -(double)INFINITY : (double)NAN;
}

/* Reads a sum, or a sum of squares. With `dtype` float32 an exact one is rounded once to that. */
static double read_sum(const struct uhi_store *store, size_t slot, int squares, uh_dtype dtype) {
    const double *fast = squares ? store->fast_squares : store->fast;
    struct uhi_wide x;
    if (store->flags[slot])
        return flagged(store->flags[slot], squares) + (fast ? fast[slot] : 0);
    uhi_planes_wide(squares ? &store->squares : &store->sums, slot, &x);
    if (fast)
        return fast[slot] + uhi_wide_round(&x, 0);
    return dtype == UH_F32 ? (double)uhi_wide_round_f32(&x) : uhi_wide_round(&x, 0);
}

void uhi_store_sums(const struct uhi_store *store, size_t from, size_t n, double *sum, double *squares) {
    for (size_t i = 0; i < n && sum; i++)
        sum[i] = read_sum(store, from + i, 0, UH_F64);
    for (size_t i = 0; i < n && squares; i++)
        squares[i] = read_sum(store, from + i, 1, UH_F64);
}

void uhi_store_sums_f32(const struct uhi_store *store, size_t from, size_t n, float *sum, float *squares) {
    for (size_t i = 0; i < n && sum; i++)
        sum[i] = (float)read_sum(store, from + i, 0, UH_F32);
    for (size_t i = 0; i < n && squares; i++)
        squares[i] = (float)read_sum(store, from + i, 1, UH_F32);
}

uh_status uhi_store_sums_integer(const char *call, const struct uhi_store *store, size_t n, uh_dtype dtype, void *sum) {
    struct uhi_wide x;
    uint64_t value;
    for (size_t i = 0; i < n; i++) {
        uhi_planes_wide(&store->sums, i, &x);
        if (store->flags[i] || uhi_wide_integer(&x, dtype == UH_I64, &value))
            return uhi_fail(UH_ERROR_OVERFLOW, call, NULL, "the sum in cell %zu is %g, which exceeds %s", i,
                            read_sum(store, i, 0, UH_F64), uhi_dtype_name(dtype));
    }
    for (size_t i = 0; i < n; i++) {
        uhi_planes_wide(&store->sums, i, &x);
        (void)uhi_wide_integer(&x, dtype == UH_I64, (uint64_t *)sum + i);
    }
    return UH_SUCCESS;
}

void uhi_store_counts(const struct uhi_store *store, size_t from, size_t n, uint64_t *counts) {
    if (store->counts)
        memcpy(counts, store->counts + from, n * sizeof *counts);
    for (size_t i = 0; i < n && store->saturated; i++)
        counts[i] = uhi_saturated_cell(store, from + i);
}

/* m2 = Q - S^2 / n = (n Q - S^2) / n; NaN for the contents of an inconsistent file. */
static double read_m2(const struct uhi_store *store, size_t slot, const struct uhi_wide *s) {
    struct uhi_wide q;
    const uint64_t n = store->counts[slot];
    uhi_planes_wide(&store->squares, slot, &q);
    uhi_wide_scale(&q, n);
    return uhi_wide_subtract_square(&q, s) ? (double)NAN : uhi_wide_divide(&q, n);
}

void uhi_store_means(const struct uhi_store *store, size_t from, size_t n, uint64_t *count, double *mean, double *m2) {
    struct uhi_wide s;
    for (size_t i = 0; i < n; i++) {
        const size_t slot = from + i;
        if (count)
            count[i] = store->counts[slot];
        if (store->counts[slot] == 0 || store->flags[slot]) {
            if (mean)
                mean[i] = store->counts[slot] ? flagged(store->flags[slot], 0) : (double)NAN;
            if (m2)
                m2[i] = store->counts[slot] ? (double)NAN : 0;
            continue;
        }
        uhi_planes_wide(&store->sums, slot, &s);
        if (mean)
            mean[i] = uhi_wide_divide(&s, store->counts[slot]);
        if (m2)
            m2[i] = read_m2(store, slot, &s);
    }
}

/* ---- merging stores ---------------------------------------------------------------------------------------------- */

uh_status uhi_store_reserve(const char *call, struct uhi_store *target, const struct uhi_store *source) {
    uh_status status = uhi_planes_allocate_like(call, &target->sums, &source->sums);
    return status ? status : uhi_planes_allocate_like(call, &target->squares, &source->squares);
}

void uhi_store_fold(struct uhi_store *target, size_t target_cell, const struct uhi_store *source, size_t source_cell) {
    if (target->counts)
        target->counts[target_cell] += source->counts[source_cell];
    if (target->saturated)
        uhi_direct_count(target, target_cell, uhi_saturated_cell(source, source_cell), 0);
    if (target->fast)
        target->fast[target_cell] += source->fast[source_cell];
    if (target->fast_squares)
        target->fast_squares[target_cell] += source->fast_squares[source_cell];
    if (target->flags)
        target->flags[target_cell] |= source->flags[source_cell];
    if (uhi_store_has_sums(target->storage))
        uhi_planes_fold(&target->sums, target_cell, &source->sums, source_cell);
    if (uhi_store_has_squares(target->storage))
        uhi_planes_fold(&target->squares, target_cell, &source->squares, source_cell);
}

uh_status uhi_store_total(const char *call, const struct uhi_store *store, size_t n, double *sum) {
    struct uhi_store *one = NULL;
    uh_status status = uhi_store_create(call, 1, store->storage, store->sum, &one);
    if (!status)
        status = uhi_store_reserve(call, one, store);
    for (size_t i = 0; i < n && !status; i++)
        uhi_store_fold(one, 0, store, i);
    if (!status)
        uhi_store_sums(one, 0, 1, sum, NULL);
    uhi_store_destroy(one);
    return status;
}
