/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/accumulate/device_tables.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/accumulate/tuning.h"
#include "kernels/common/shape.h"
#include "runtime/memory.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum { CARRY_POINTS = 1 << UHI_HEADROOM /* points that fit into a window before a carry */ };

/* Maximum local memory used per group: the kernels' 16-bit products allow no more. */
#define MAX_LOCAL ((uint64_t)256 << 10)

uh_status uhi_device_tables_open(const char *call, struct uhi_store *store, struct uhi_engine *engine) {
    if (store->device)
        return UH_SUCCESS;
    store->device = calloc(1, sizeof *store->device);
    if (!store->device)
        return uhi_fail_memory(call, "no memory for the state of a device");
    store->device->engine = engine;
    store->device->store = store;
    return UH_SUCCESS;
}

void uhi_device_tables_free(struct uhi_device_tables *tables) {
    if (!tables)
        return;
    uhi_engine_quiesce(tables->engine);
    for (size_t i = 0; i < UHI_TABLES; i++)
        uhi_free(tables->table[i].words);
    uhi_free(tables->counts);
    uhi_free(tables->flags);
    uhi_free(tables->cells);
    free(tables);
}

/* ---- memory and kernels ------------------------------------------------------------------------------------------ */

static uh_status find_kernel(struct uhi_device_tables *tables, const char *name, uh_kernel **kernel) {
    return uhi_engine_kernel_of(tables->engine, uhi_accumulate_variants(), name, kernel);
}

static uh_status allocate(struct uhi_device_tables *tables, size_t bytes, uint32_t **words) {
    void *memory = NULL;
    UHI_TRY(uh_malloc(tables->engine->device, UH_MEMORY_DEVICE, bytes, 0, &memory));
    *words = memory;
    return UH_SUCCESS;
}

/* Allocates missing words and zeroes dirty ones; others keep their pending contents. */
static uh_status ready_words(struct uhi_device_tables *tables, uint32_t **words, size_t count, int *dirty) {
    const uint32_t zero = 0;
    uh_status status = UH_SUCCESS;
    if (!*words) {
        status = allocate(tables, count * sizeof zero, words);
        *dirty = 1;
    }
    if (status || !*dirty)
        return status;
    status = uh_fill(tables->engine->queue, *words, &zero, sizeof zero, count, NULL);
    *dirty = status != UH_SUCCESS;
    return status;
}

/* Half of the local memory, so that two groups can run on a core. */
static uint64_t local_room(const struct uhi_device_tables *tables) {
    const uint64_t half = tables->engine->properties.local_memory / 2;
    return half < MAX_LOCAL ? half : MAX_LOCAL;
}

/* Windows worth keeping in local memory: those of all digits, and one below each. */
static uint32_t local_depth(const struct uhi_device_tables *tables, const struct uhi_window_range *range) {
    enum { HEADER = 64 };
    const uint64_t room = local_room(tables);
    const uint64_t fits = room < HEADER ? 0 : (room - HEADER) / (uhi_window_words(tables) * sizeof(uint32_t));
    const uint32_t wanted = 2 * range->digits < range->windows ? 2 * range->digits : range->windows;
    return fits < wanted ? (uint32_t)fits : wanted;
}

static uh_status ready_table(struct uhi_device_tables *tables, size_t i) {
    struct uhi_device_table *table = &tables->table[i];
    table->first = uhi_windows[i].first;
    table->digits = uhi_windows[i].digits;
    table->windows = uhi_windows[i].windows + UHI_MORE_WINDOWS;
    return ready_words(tables, &table->words, (uhi_window_words(tables) + 1) * table->windows, &table->dirty);
}

/* Finds the kernel that adds to the table, and sizes its tables in local memory. */
static uh_status ready_kernel(struct uhi_device_tables *tables, size_t i) {
    static const char *const types[UHI_VALUE_KINDS] = {"f32", "f64", "i32", "i64"};
    struct uhi_device_table *table = &tables->table[i];
    char name[32];
    if (table->kernel)
        return UH_SUCCESS;
    table->depth = local_depth(tables, &uhi_windows[i]);
    table->spread = uhi_shape_spread(table->depth * uhi_window_words(tables) * sizeof(uint32_t), local_room(tables));
    snprintf(name, sizeof name, "%s_%s_%s", i < UHI_SQUARES ? "sum" : "squares", table->depth ? "local" : "global",
             types[i % UHI_VALUE_KINDS]);
    return find_kernel(tables, name, &table->kernel);
}

static uh_status ready_counts(struct uhi_device_tables *tables, int adds) {
    static const char *const names[] = {"count_global", "count_local", "saturate_global", "saturate_local"};
    const size_t bytes = tables->store->slots * sizeof(uint32_t);
    uh_status status = UH_SUCCESS;
    if (adds && !tables->count) {
        tables->count_spread = uhi_shape_spread(bytes, local_room(tables));
        tables->count_in_local = bytes <= local_room(tables) ? bytes << tables->count_spread : 0;
        status = find_kernel(tables, names[(uhi_device_saturates(tables) ? 2 : 0) + (tables->count_in_local ? 1 : 0)],
                             &tables->count);
    }
    return status ? status : ready_words(tables, &tables->counts, uhi_counts_words(tables), &tables->counts_dirty);
}

/* Allocates cells for a piece of n points, or of the maximum size. */
static uh_status ready_cells(struct uhi_device_tables *tables, size_t n) {
    const uint64_t fits = tables->engine->properties.cache_l3 / 2 / sizeof *tables->cells;
    size_t max = UHI_STORE_USUAL_PIECE;
    if (fits)
        max = fits < UHI_STORE_MIN_PIECE   ? UHI_STORE_MIN_PIECE
              : fits > UHI_STORE_MAX_PIECE ? UHI_STORE_MAX_PIECE
                                           : uhi_power_of_two(fits);
    size_t room = n < max ? 2 * uhi_power_of_two(n) : max;
    room = room < UHI_STORE_MIN_PIECE ? UHI_STORE_MIN_PIECE : room > max ? max : room;
    uint32_t *cells = NULL;
    if (room <= tables->room)
        return UH_SUCCESS;
    UHI_TRY(allocate(tables, room * sizeof *cells, &cells));
    uhi_queue_drain(tables->engine->queue); /* earlier pieces may still use the old cells */
    uhi_free(tables->cells);
    tables->cells = cells;
    tables->room = room;
    return UH_SUCCESS;
}

uh_status uhi_device_tables_ready(struct uhi_device_tables *tables, enum uhi_value_kind kind, size_t n) {
    const struct uhi_store *store = tables->store;
    if (n > 0)
        UHI_TRY(ready_cells(tables, n));
    if (kind == UHI_VALUE_NONE || store->storage == UH_STORAGE_MEAN)
        UHI_TRY(ready_counts(tables, n > 0));
    if (kind == UHI_VALUE_NONE)
        return UH_SUCCESS;
    UHI_TRY(ready_words(tables, &tables->flags, store->slots, &tables->flags_dirty));
    const size_t end = uhi_store_has_squares(store->storage) ? UHI_TABLES : UHI_SQUARES;
    for (size_t i = kind; i < end; i += UHI_SQUARES) {
        if (n > 0)
            UHI_TRY(ready_kernel(tables, i));
        UHI_TRY(ready_table(tables, i));
    }
    return UH_SUCCESS;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static uh_status launch_counts(struct uhi_device_tables *tables, uint32_t n, uh_event *dep, uh_event **done) {
    const uint32_t last = (uint32_t)tables->store->cells, max = uhi_store_saturated_max(tables->store->storage);
    uh_arg args[7] = {uh_arg_pointer(tables->cells), UHI_ARG(n), UHI_ARG(last), uh_arg_pointer(tables->counts)};
    size_t nargs = 4;
    if (uhi_device_saturates(tables))
        args[nargs++] = UHI_ARG(max);
    if (tables->count_in_local) {
        args[nargs++] = UHI_ARG(tables->count_spread);
        args[nargs++] = uh_arg_local(tables->count_in_local);
    }
    return uhi_engine_run_wide(tables->engine, tables->count, n, args, nargs, dep, done);
}

static uh_status carry_table(struct uhi_device_tables *tables, struct uhi_device_table *table) {
    const uint32_t slots = (uint32_t)tables->store->slots;
    const uh_arg args[] = {uh_arg_pointer(table->words), UHI_ARG(slots), UHI_ARG(table->windows),
                           uh_arg_pointer(uhi_used_words(tables, table))};
    uh_kernel *kernel = NULL;
    UHI_TRY(find_kernel(tables, "carry", &kernel));
    UHI_TRY(uhi_engine_run_wide(tables->engine, kernel, slots, args, 4, NULL, NULL));
    table->pending = 1;
    return UH_SUCCESS;
}

/* Makes room for `points` more points. */
static uh_status begin_sums(struct uhi_device_tables *tables, struct uhi_device_table *table, size_t points) {
    const uh_status status = table->pending + points > CARRY_POINTS ? carry_table(tables, table) : UH_SUCCESS;
    table->pending += status ? 0 : points; /* also if adding fails: it may be under way */
    return status;
}

static uh_status give_table(struct uhi_device_tables *tables, struct uhi_device_table *table, size_t points,
                            struct uhi_device_windows *windows) {
    *windows = (struct uhi_device_windows){table->words, uhi_used_words(tables, table), table->windows};
    return begin_sums(tables, table, points);
}

uh_status uhi_device_tables_give_sums(struct uhi_device_tables *tables, enum uhi_value_kind kind, size_t points,
                                      struct uhi_device_sums *sums) {
    uh_status status = give_table(tables, &tables->table[kind], points, &sums->sums);
    if (!status && uhi_store_has_squares(tables->store->storage))
        status = give_table(tables, &tables->table[UHI_SQUARES + kind], points, &sums->squares);
    sums->flags = tables->flags;
    sums->counts = tables->counts;
    tables->holds = 1;
    return status;
}

static uh_status launch_sums(struct uhi_device_tables *tables, struct uhi_device_table *table, const void *values,
                             uint32_t n, uh_event *dep, uh_event **done) {
    const uint32_t last = (uint32_t)tables->store->cells, depth = table->depth;
    UHI_TRY(begin_sums(tables, table, n));
    uh_arg args[11] = {uh_arg_pointer(tables->cells),
                       uh_arg_pointer(values),
                       UHI_ARG(n),
                       UHI_ARG(last),
                       uh_arg_pointer(table->words),
                       uh_arg_pointer(tables->flags),
                       uh_arg_pointer(uhi_used_words(tables, table))};
    size_t nargs = 7;
    if (depth) {
        args[nargs++] = UHI_ARG(depth);
        args[nargs++] = UHI_ARG(table->windows);
        args[nargs++] = UHI_ARG(table->spread);
    }
    args[nargs++] =
        uh_arg_local(((uhi_window_words(tables) * depth << table->spread) + (depth ? 2 : 1)) * sizeof(uint32_t));
    return uhi_engine_run_wide(tables->engine, table->kernel, n, args, nargs, dep, done);
}

uh_status uhi_device_tables_add(struct uhi_device_tables *tables, enum uhi_value_kind kind, const void *values,
                                size_t points, uh_event *dep, uh_event **done, int *torn) {
    const uint32_t n = (uint32_t)points;
    const int weighted = kind != UHI_VALUE_NONE, counts = !weighted || tables->store->storage == UH_STORAGE_MEAN,
              squares = weighted && uhi_store_has_squares(tables->store->storage);
    uh_status status = UH_SUCCESS;
    tables->holds = 1;
    if (counts)
        status = launch_counts(tables, n, dep, weighted ? NULL : done);
    *torn = !status && counts;
    if (!status && squares)
        status = launch_sums(tables, &tables->table[UHI_SQUARES + kind], values, n, dep, NULL);
    *torn |= !status && squares;
    if (!status && weighted) /* last, because the queue is in order */
        status = launch_sums(tables, &tables->table[kind], values, n, dep, done);
    *torn &= status != UH_SUCCESS;
    return status;
}

void uhi_device_tables_discard(struct uhi_device_tables *tables) {
    tables->holds = 0;
    tables->counts_dirty = tables->flags_dirty = 1;
    for (size_t i = 0; i < UHI_TABLES; i++) {
        tables->table[i].dirty = 1;
        tables->table[i].pending = 0;
    }
}
