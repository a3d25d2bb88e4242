/* SPDX-License-Identifier: Apache-2.0 */
/* Moves the contents of a device's tables into the store. */
#include <stdlib.h>
#include <string.h>

#include "kernels/accumulate/device_tables.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* Data read back: `counts` and `flags` as on the device; per table the windows that may be nonzero. */
struct readback {
    uint32_t *counts, *flags;
    uint32_t used[UHI_TABLES][UHI_MAX_WINDOWS];
    uint8_t holds[UHI_TABLES][UHI_MAX_WINDOWS];
    uint32_t *words[UHI_TABLES]; /* 2 * slots for each window that may be nonzero, in order */
};

static uh_status read_words(const char *call, struct uhi_device_tables *tables, const uint32_t *from, size_t count,
                            uint32_t **to) {
    *to = malloc(count * sizeof **to);
    return *to ? uh_memcpy(tables->engine->queue, *to, from, count * sizeof **to, NULL)
               : uhi_fail_memory(call, "no memory for the contents of %zu cells", tables->store->cells);
}

/* Reads which windows may be nonzero, before the windows themselves. */
static uh_status read_used(struct uhi_device_tables *tables, struct readback *back) {
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < UHI_TABLES && !status; i++) {
        const struct uhi_device_table *table = &tables->table[i];
        if (table->pending && table->windows > 0)
            status = uh_memcpy(tables->engine->queue, back->used[i], uhi_used_words(tables, table),
                               table->windows * sizeof back->used[i][0], NULL);
    }
    if (!status)
        status = uh_queue_wait(tables->engine->queue);
    for (size_t i = 0; i < UHI_TABLES && !status; i++) {
        uint8_t used[UHI_MAX_WINDOWS];
        for (uint32_t w = 0; w < UHI_MAX_WINDOWS; w++)
            used[w] = back->used[i][w] != 0;
        for (uint32_t w = 0; w < tables->table[i].windows; w++)
            back->holds[i][w] = (uint8_t)uhi_window_holds(used, tables->table[i].digits, w);
    }
    return status;
}

static uh_status read_windows(const char *call, struct uhi_device_tables *tables, size_t i, struct readback *back) {
    const struct uhi_device_table *table = &tables->table[i];
    const size_t each = uhi_window_words(tables);
    size_t windows = 0;
    uh_status status = UH_SUCCESS;
    for (uint32_t w = 0; w < table->windows; w++)
        windows += back->holds[i][w];
    if (windows == 0)
        return UH_SUCCESS;
    uint32_t *to = back->words[i] = malloc(windows * each * sizeof *to);
    if (!to)
        return uhi_fail_memory(call, "no memory for the contents of %zu cells", tables->store->cells);
    for (uint32_t w = 0; w < table->windows && !status; w++)
        if (back->holds[i][w]) {
            status = uh_memcpy(tables->engine->queue, to, table->words + w * each, each * sizeof *to, NULL);
            to += each;
        }
    return status;
}

static uh_status read_all(const char *call, struct uhi_device_tables *tables, struct readback *back) {
    uh_status status = read_used(tables, back);
    if (!status && tables->counts)
        status = read_words(call, tables, tables->counts, uhi_counts_words(tables), &back->counts);
    if (!status && tables->flags)
        status = read_words(call, tables, tables->flags, tables->store->slots, &back->flags);
    for (size_t i = 0; i < UHI_TABLES && !status; i++)
        status = read_windows(call, tables, i, back);
    return status ? status : uh_queue_wait(tables->engine->queue);
}

/* Makes room in the store for the windows of one table. */
static uh_status ready_planes(const char *call, struct uhi_planes *planes, const struct uhi_device_table *table,
                              const uint8_t *holds) {
    uint32_t low = 0, high = table->windows;
    while (low < high && !holds[low])
        low++;
    while (high > low && !holds[high - 1])
        high--;
    if (low == high)
        return UH_SUCCESS;
    /* A window has 63 bits; one limb more for the sum of all its weights. */
    uh_status status = uhi_planes_allocate(call, planes, (table->first + low) / 2, (table->first + high - 1) / 2 + 4);
    uhi_planes_expect(planes, 16);
    return status;
}

static uh_status ready_store(const char *call, struct uhi_device_tables *tables, const struct readback *back) {
    struct uhi_store *store = tables->store;
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < UHI_TABLES && !status; i++)
        status =
            ready_planes(call, i < UHI_SQUARES ? &store->sums : &store->squares, &tables->table[i], back->holds[i]);
    if (status || !back->counts || !uhi_store_has_sums(store->storage) || store->fast || store->counts)
        return status;
    status = uhi_planes_reserve(call, &store->sums, 0, 1); /* points of weight 1 */
    if (!status && uhi_store_has_squares(store->storage))
        status = uhi_planes_reserve(call, &store->squares, 0, 1);
    uhi_planes_expect(&store->sums, 4);
    uhi_planes_expect(&store->squares, 4);
    return status;
}

static int64_t join_words(const uint32_t *word) {
    const uint64_t joined = (uint64_t)word[1] << 32 | word[0];
    int64_t value;
    memcpy(&value, &joined, sizeof value);
    return value;
}

static void add_to_store(struct uhi_device_tables *tables, const struct readback *back) {
    struct uhi_store *store = tables->store;
    for (size_t slot = 0; slot < store->slots && back->counts; slot++)
        uhi_direct_count(
            store, slot,
            uhi_device_saturates(tables) ? back->counts[slot] : (uint64_t)join_words(back->counts + 2 * slot), 0);
    for (size_t slot = 0; slot < store->slots && back->flags; slot++)
        store->flags[slot] |= (uint8_t)back->flags[slot];
    for (size_t i = 0; i < UHI_TABLES; i++) {
        const struct uhi_device_table *table = &tables->table[i];
        const struct uhi_planes *planes = i < UHI_SQUARES ? &store->sums : &store->squares;
        const uint32_t *words = back->words[i];
        for (uint32_t w = 0; words && w < table->windows; w++)
            for (size_t slot = 0; slot < store->slots && back->holds[i][w]; slot++, words += 2)
                if (words[0] | words[1])
                    uhi_planes_add_window(planes, slot, table->first + w, join_words(words), 0);
    }
}

uh_status uhi_device_tables_read(const char *call, struct uhi_device_tables *tables) {
    struct readback back = {0};
    if (!tables->holds)
        return UH_SUCCESS;
    uh_status status = uhi_ring_drain(tables->engine);
    if (!status)
        status = read_all(call, tables, &back);
    if (status)
        uhi_queue_drain(tables->engine->queue); /* submitted work may still write to the memory */
    else
        status = ready_store(call, tables, &back);
    if (!status) {
        add_to_store(tables, &back);
        uhi_device_tables_discard(tables);
    }
    free(back.counts);
    free(back.flags);
    for (size_t i = 0; i < UHI_TABLES; i++)
        free(back.words[i]);
    return uhi_fail_of(call, status);
}
