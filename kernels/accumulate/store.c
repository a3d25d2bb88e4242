/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/accumulate/store.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/accumulate/device_tables.h"
#include "kernels/accumulate/store_state.h"
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

size_t uhi_store_cells(const struct uhi_store *store) {
    return store->cells;
}

uh_storage uhi_store_storage(const struct uhi_store *store) {
    return store->storage;
}

uh_sum uhi_store_sum(const struct uhi_store *store) {
    return store->sum;
}

uint64_t *uhi_store_get_counts(struct uhi_store *store) {
    return store->counts;
}

void uhi_store_count(struct uhi_store *store, size_t cell, uint64_t points) {
    uhi_direct_count(store, cell, points, 0);
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

uh_status uhi_store_merge(const char *call, struct uhi_store *target, const struct uhi_store *source) {
    uh_status status = uhi_store_reserve(call, target, source);
    for (size_t cell = 0; cell < source->slots && !status; cell++)
        uhi_store_fold(target, cell, source, cell);
    return status;
}
