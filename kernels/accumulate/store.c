/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/accumulate/store_state.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/status.h"

static uh_status no_memory(const char *call, const struct uhi_store *store) {
    return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for what %zu cells keep", call, store->cells);
}

uh_status uhi_store_create(const char *call, size_t cells, uh_storage storage, uh_sum sum, struct uhi_store **store) {
    struct uhi_store *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for a store", call);
    made->cells = cells;
    made->slots = cells + 1;
    made->storage = storage;
    made->sum = sum;
    made->sums.count = UHI_SUM_LIMBS;
    made->sums.bias = UHI_SUM_BIAS;
    made->squares.count = UHI_SQUARE_LIMBS;
    made->squares.bias = UHI_SQUARE_BIAS;
    int whole = 1;
    if (uhi_store_has_counts(storage))
        whole &= (made->counts = calloc(made->slots, sizeof *made->counts)) != NULL;
    if (storage == UH_STORAGE_U8 || storage == UH_STORAGE_U16)
        whole &= (made->saturated = calloc(made->slots, storage == UH_STORAGE_U8 ? 1 : 2)) != NULL;
    if (uhi_store_has_sums(storage))
        whole &= (made->flags = calloc(made->slots, 1)) != NULL;
    if (sum == UH_SUM_FAST && uhi_store_has_sums(storage) && storage != UH_STORAGE_MEAN)
        whole &= (made->fast = calloc(made->slots, sizeof *made->fast)) != NULL;
    if (made->fast && storage == UH_STORAGE_WEIGHTED)
        whole &= (made->fast_squares = calloc(made->slots, sizeof *made->fast_squares)) != NULL;
    if (!whole) {
        uh_status status = no_memory(call, made);
        uhi_store_destroy(made);
        return status;
    }
    *store = made;
    return UH_SUCCESS;
}

static void free_planes(struct uhi_planes *planes) {
    for (uint32_t j = 0; j < planes->count; j++)
        free(planes->limb[j]);
}

void uhi_store_destroy(struct uhi_store *store) {
    if (!store)
        return;
    free(store->counts);
    free(store->saturated);
    free(store->fast);
    free(store->fast_squares);
    free_planes(&store->sums);
    free_planes(&store->squares);
    free(store->flags);
    free(store->scratch);
    free(store);
}

static void clear_planes(struct uhi_store *store, struct uhi_planes *planes) {
    for (uint32_t j = 0; j < planes->count; j++)
        if (planes->limb[j])
            memset(planes->limb[j], 0, store->slots * sizeof *planes->limb[j]);
    planes->pending = 0;
}

void uhi_store_clear(struct uhi_store *store) {
    if (store->counts)
        memset(store->counts, 0, store->slots * sizeof *store->counts);
    if (store->saturated)
        memset(store->saturated, 0, store->slots * (store->storage == UH_STORAGE_U8 ? 1 : 2));
    if (store->fast)
        memset(store->fast, 0, store->slots * sizeof *store->fast);
    if (store->fast_squares)
        memset(store->fast_squares, 0, store->slots * sizeof *store->fast_squares);
    if (store->flags)
        memset(store->flags, 0, store->slots);
    clear_planes(store, &store->sums);
    clear_planes(store, &store->squares);
}

size_t uhi_store_cells(const struct uhi_store *store) {
    return store->cells;
}

uh_storage uhi_store_storage(const struct uhi_store *store) {
    return store->storage;
}

uh_sum uhi_store_sum(const struct uhi_store *store) {
    return store->sum;
}

/* ---- planes ------------------------------------------------------------------------------------------------------ */

uh_status uhi_planes_allocate(const char *call, struct uhi_store *store, struct uhi_planes *planes, uint32_t first,
                              uint32_t last) {
    for (uint32_t j = first; j <= last && j < planes->count; j++) {
        if (!planes->limb[j])
            planes->limb[j] = calloc(store->slots, sizeof *planes->limb[j]);
        if (!planes->limb[j])
            return no_memory(call, store);
    }
    return UH_SUCCESS;
}

uh_status uhi_planes_reserve(const char *call, struct uhi_store *store, struct uhi_planes *planes, int lowest,
                             int above) {
    const int twice = planes == &store->squares ? 2 : 1;
    const uint32_t first = (uint32_t)(twice * lowest + planes->bias) / 32;
    /* 2^63 of them, and a limb more for the sign. */
    const uint32_t last = (uint32_t)(twice * above + 63 + planes->bias) / 32 + 1;
    return uhi_planes_allocate(call, store, planes, first, last);
}

void uhi_planes_carry(struct uhi_store *store, struct uhi_planes *planes) {
    for (uint32_t j = 0; j + 1 < planes->count; j++) {
        int64_t *limb = planes->limb[j], *next = planes->limb[j + 1];
        if (!limb || !next)
            continue;
        for (size_t slot = 0; slot < store->slots; slot++) {
            const int64_t carry = (limb[slot] + ((int64_t)1 << 31)) >> 32;
            if (carry) { /* what is zero is not written to: memory that was never touched takes no room */
                limb[slot] -= carry * ((int64_t)1 << 32);
                next[slot] += carry;
            }
        }
    }
    planes->pending = 1;
}

/* ---- putting stores together ------------------------------------------------------------------------------------- */

static uh_status reserve_like(const char *call, struct uhi_store *target, struct uhi_planes *planes,
                              const struct uhi_planes *like) {
    uh_status status = UH_SUCCESS;
    for (uint32_t j = 0; j < like->count && !status; j++)
        if (like->limb[j])
            status = uhi_planes_allocate(call, target, planes, j, j);
    return status;
}

uh_status uhi_store_reserve(const char *call, struct uhi_store *target, const struct uhi_store *source) {
    uh_status status = reserve_like(call, target, &target->sums, &source->sums);
    return status ? status : reserve_like(call, target, &target->squares, &source->squares);
}

static void fold_planes(struct uhi_store *target, struct uhi_planes *to, size_t target_cell,
                        const struct uhi_planes *from, size_t source_cell) {
    uhi_planes_expect(target, to, 4);
    for (uint32_t j = 0; j < from->count; j++)
        if (from->limb[j] && from->limb[j][source_cell])
            uhi_planes_add_window(to, target_cell, 2 * j, from->limb[j][source_cell], 0);
}

void uhi_store_fold(struct uhi_store *target, size_t target_cell, const struct uhi_store *source, size_t source_cell) {
    if (target->counts)
        target->counts[target_cell] += source->counts[source_cell];
    if (target->storage == UH_STORAGE_U8) {
        uint8_t *to = target->saturated;
        unsigned sum = to[target_cell] + (unsigned)((const uint8_t *)source->saturated)[source_cell];
        to[target_cell] = (uint8_t)(sum < 255 ? sum : 255);
    }
    if (target->storage == UH_STORAGE_U16) {
        uint16_t *to = target->saturated;
        unsigned sum = to[target_cell] + (unsigned)((const uint16_t *)source->saturated)[source_cell];
        to[target_cell] = (uint16_t)(sum < 65535 ? sum : 65535);
    }
    if (target->fast)
        target->fast[target_cell] += source->fast[source_cell];
    if (target->fast_squares)
        target->fast_squares[target_cell] += source->fast_squares[source_cell];
    if (target->flags)
        target->flags[target_cell] |= source->flags[source_cell];
    if (uhi_store_has_sums(target->storage))
        fold_planes(target, &target->sums, target_cell, &source->sums, source_cell);
    if (uhi_store_has_squares(target->storage))
        fold_planes(target, &target->squares, target_cell, &source->squares, source_cell);
}

uh_status uhi_store_merge(const char *call, struct uhi_store *target, const struct uhi_store *source) {
    uh_status status = uhi_store_reserve(call, target, source);
    for (size_t cell = 0; cell < source->slots && !status; cell++)
        uhi_store_fold(target, cell, source, cell);
    return status;
}
