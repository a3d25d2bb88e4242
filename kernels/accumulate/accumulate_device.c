/* SPDX-License-Identifier: Apache-2.0 */
/* What a store keeps on a device: the order of launches. Tables are made for the types of weights that come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/accumulate/store_direct.h"
#include "kernels/accumulate/windows.h"
#include "kernels/common/engine.h"
#include "kernels/registry.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum {
    KINDS = 4,
    TABLES = 2 * KINDS,
    MORE_WINDOWS = 4, /* above the type's own: 2^63 weights stay below 2^64 of the largest */
    /* Counts of groups whose points are counted in 32 bits. */
    MOST_POINTS = 1 << UHI_HEADROOM
};

/* The windows of one type, for sums or squares. */
struct device_table {
    uint32_t *words; /* on the device: 2 for each window and slot, then a word `used` for each window; NULL: none */
    uint32_t windows, first, digits;
    size_t bytes;
    uint64_t pending; /* points since the last carry */
    int dirty;        /* to be cleared before it is used */
};

struct uhi_store_device {
    struct uhi_engine engine;
    struct uhi_store *store;
    struct device_table sums[KINDS], squares[KINDS];
    uint32_t *counts; /* on the device: 2 words for each slot; saturating storages: 1 */
    uint32_t *flags;  /* on the device: a word for each slot */
    int counts_dirty, flags_dirty;
    int holds; /* something has been submitted since the last settle */
};

/* ---- life -------------------------------------------------------------------------------------------------------- */

uh_status uhi_store_device_create(const char *call, uh_queue *queue, struct uhi_store *store,
                                  struct uhi_store_device **device) {
    struct uhi_store_device *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for the state of a device", call);
    made->store = store;
    uh_status status = uhi_engine_open(&made->engine, call, queue, uhi_accumulate_variants());
    if (status)
        free(made);
    else
        *device = made;
    return status;
}

void uhi_store_device_destroy(struct uhi_store_device *device) {
    if (!device)
        return;
    uhi_queue_drain(device->engine.queue);
    for (size_t i = 0; i < KINDS; i++) {
        (void)uh_free(device->sums[i].words);
        (void)uh_free(device->squares[i].words);
    }
    (void)uh_free(device->counts);
    (void)uh_free(device->flags);
    uhi_engine_close(&device->engine);
    free(device);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static int is_saturating(const struct uhi_store *store) {
    return store->saturated != NULL;
}

static uh_status allocate(struct uhi_store_device *device, size_t bytes, uint32_t **words) {
    void *memory = NULL;
    uh_status status = uh_malloc_device(device->engine.device, bytes, 0, &memory);
    if (!status)
        *words = memory;
    return status;
}

static uh_status clear(struct uhi_store_device *device, uint32_t *words, size_t bytes, int *dirty) {
    const uint32_t zero = 0;
    uh_status status = uh_fill(device->engine.queue, words, &zero, sizeof zero, bytes / sizeof *words, NULL, 0, NULL);
    *dirty = status != UH_SUCCESS;
    return status;
}

static uh_status ready_words(struct uhi_store_device *device, uint32_t **words, size_t bytes, int *dirty) {
    uh_status status = UH_SUCCESS;
    if (!*words) {
        status = allocate(device, bytes, words);
        *dirty = 1;
    }
    return !status && *dirty ? clear(device, *words, bytes, dirty) : status;
}

static uh_status ready_table(struct uhi_store_device *device, const struct uhi_window_range *range,
                             struct device_table *table) {
    table->first = range->first;
    table->digits = range->digits;
    table->windows = range->windows + MORE_WINDOWS;
    table->bytes = (2 * device->store->slots + 1) * table->windows * sizeof *table->words;
    uh_status status = ready_words(device, &table->words, table->bytes, &table->dirty);
    return status;
}

static uint32_t *used_words(const struct uhi_store_device *device, const struct device_table *table) {
    return table->words + 2 * device->store->slots * table->windows;
}

static size_t counts_bytes(const struct uhi_store_device *device) {
    return device->store->slots * sizeof(uint32_t) * (is_saturating(device->store) ? 1 : 2);
}

/* What points with or without values are kept in. */
static uh_status ready(struct uhi_store_device *device, int with_values, enum uhi_value_kind kind) {
    const struct uhi_store *store = device->store;
    uh_status status = UH_SUCCESS;
    if (!with_values || store->storage == UH_STORAGE_MEAN)
        status = ready_words(device, &device->counts, counts_bytes(device), &device->counts_dirty);
    if (!status && with_values)
        status = ready_words(device, &device->flags, store->slots * sizeof *device->flags, &device->flags_dirty);
    if (!status && with_values)
        status = ready_table(device, &uhi_sum_windows[kind], &device->sums[kind]);
    if (!status && with_values && uhi_store_has_squares(store->storage))
        status = ready_table(device, &uhi_square_windows[kind], &device->squares[kind]);
    return status;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static uh_status launch(struct uhi_store_device *device, const char *name, size_t n, const uh_arg *args, size_t nargs,
                        uh_event *dep, uh_event **event) {
    const uh_device_properties *p = &device->engine.properties;
    const size_t group_size = uhi_group_size(p);
    const size_t groups = uhi_groups_for(uhi_groups_to_fill(p, group_size), group_size, n);
    uh_kernel *kernel = NULL;
    uh_status status = uhi_engine_kernel(&device->engine, name, &kernel);
    return status ? status : uhi_engine_run(&device->engine, kernel, groups, group_size, args, nargs, dep, event);
}

static uh_status launch_counts(struct uhi_store_device *device, const uint32_t *cells, uint32_t n, uh_event *dep,
                               uh_event **event) {
    const uint32_t last = (uint32_t)device->store->cells;
    const uint32_t most = (uint32_t)uhi_store_most(device->store->storage);
    const size_t bytes = device->store->slots * sizeof(uint32_t);
    const int local = bytes <= device->engine.properties.local_memory / 2;
    const char *const names[] = {"count_global", "count_local", "saturate_global", "saturate_local"};
    uh_arg args[6] = {uh_arg_pointer(cells), uh_arg_value(&n, sizeof n), uh_arg_value(&last, sizeof last),
                      uh_arg_pointer(device->counts)};
    size_t nargs = 4;
    if (is_saturating(device->store))
        args[nargs++] = uh_arg_value(&most, sizeof most);
    if (local)
        args[nargs++] = uh_arg_local(bytes);
    return launch(device, names[(is_saturating(device->store) ? 2 : 0) + local], n, args, nargs, dep, event);
}

static uh_status carry(struct uhi_store_device *device, struct device_table *table) {
    const uint32_t slots = (uint32_t)device->store->slots;
    const uh_arg args[] = {uh_arg_pointer(table->words), uh_arg_value(&slots, sizeof slots),
                           uh_arg_value(&table->windows, sizeof table->windows),
                           uh_arg_pointer(used_words(device, table))};
    uh_status status = launch(device, "carry", device->store->slots, args, 4, NULL, NULL);
    table->pending = status ? table->pending : 1;
    return status;
}

/* Windows of local memory that are worth having: those of all digits, and one below. */
static uint32_t local_depth(const struct uhi_store_device *device, const struct device_table *table) {
    const uint64_t window = 2 * sizeof(uint32_t) * device->store->slots;
    const uint64_t room = device->engine.properties.local_memory / 2;
    const uint32_t wanted = 2 * table->digits, own = table->windows - MORE_WINDOWS;
    const uint64_t most = room < 64 ? 0 : (room - 64) / window;
    const uint64_t depth = most < wanted ? most : wanted;
    return (uint32_t)(depth < own ? depth : own);
}

static uh_status launch_sums(struct uhi_store_device *device, const char *what, const char *type,
                             struct device_table *table, const uint32_t *cells, const void *values, uint32_t n,
                             uh_event *dep, uh_event **event) {
    const uint32_t last = (uint32_t)device->store->cells, depth = local_depth(device, table);
    uh_status status = UH_SUCCESS;
    char name[32];
    if (table->pending + n > MOST_POINTS)
        status = carry(device, table);
    if (status)
        return status;
    uh_arg args[10] = {uh_arg_pointer(cells),
                       uh_arg_pointer(values),
                       uh_arg_value(&n, sizeof n),
                       uh_arg_value(&last, sizeof last),
                       uh_arg_pointer(table->words),
                       uh_arg_pointer(device->flags),
                       uh_arg_pointer(used_words(device, table))};
    size_t nargs = 7;
    if (depth) {
        args[nargs++] = uh_arg_value(&depth, sizeof depth);
        args[nargs++] = uh_arg_value(&table->windows, sizeof table->windows);
    }
    args[nargs++] = uh_arg_local(((size_t)2 * depth * device->store->slots + (depth ? 2 : 1)) * sizeof(uint32_t));
    snprintf(name, sizeof name, "%s_%s_%s", what, depth ? "local" : "global", type);
    table->pending += n; /* also where it fails: it may be under way */
    return launch(device, name, n, args, nargs, dep, event);
}

/* All that is kept of a piece. The last launch makes the event: the queue is in order. */
static uh_status add_piece(struct uhi_store_device *device, enum uhi_value_kind kind, const uint32_t *cells,
                           const void *values, uint32_t n, uh_event *dep, uh_event **event) {
    static const char *const types[KINDS] = {"f32", "f64", "i32", "i64"};
    const int squares = values && uhi_store_has_squares(device->store->storage);
    uh_status status = UH_SUCCESS;
    if (!values || device->store->storage == UH_STORAGE_MEAN)
        status = launch_counts(device, cells, n, dep, values ? NULL : event);
    if (!status && squares)
        status = launch_sums(device, "squares", types[kind], &device->squares[kind], cells, values, n, dep, NULL);
    if (!status && values)
        status = launch_sums(device, "sum", types[kind], &device->sums[kind], cells, values, n, dep, event);
    return status;
}

static uh_status check_kind(const char *call, uh_dtype dtype, enum uhi_value_kind *kind) {
    if (!uhi_find_kind(dtype, kind))
        return UH_SUCCESS;
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: values are %s, expected float32, float64, int32 or int64", call,
                    uh_dtype_name(dtype) ? uh_dtype_name(dtype) : "of no type");
}

static int takes_values(const struct uhi_store *store) {
    return uhi_store_has_sums(store->storage);
}

uh_status uhi_store_device_prepare(const char *call, struct uhi_store_device *device, uh_dtype dtype) {
    enum uhi_value_kind kind = UHI_VALUE_F32;
    uh_kernel *kernel = NULL;
    uh_status status = UH_SUCCESS;
    if (takes_values(device->store))
        status = check_kind(call, dtype, &kind);
    if (!status)
        status = uhi_engine_kernel(&device->engine, "count_global", &kernel);
    return status ? status : ready(device, takes_values(device->store), kind);
}

uh_status uhi_store_device_add(const char *call, struct uhi_store_device *device, const uint32_t *cells, size_t n,
                               uh_dtype dtype, const void *values, uh_event *dep, uh_event **event) {
    enum uhi_value_kind kind = UHI_VALUE_F32;
    uh_status status = values ? check_kind(call, dtype, &kind) : UH_SUCCESS;
    if (!status)
        status = ready(device, values != NULL, kind);
    if (status)
        return status;
    const size_t size = uh_dtype_size(dtype);
    for (size_t from = 0, m; (from < n || from == 0) && !status; from += m) {
        m = n - from < MOST_POINTS ? n - from : MOST_POINTS;
        const void *w = values ? (const char *)values + from * size : NULL;
        device->holds = 1;
        status = add_piece(device, kind, cells + from, w, (uint32_t)m, from ? NULL : dep, from + m < n ? NULL : event);
        if (m == 0)
            break;
    }
    return status;
}

/* ---- bringing it home ---------------------------------------------------------------------------------------------
 */

/* What was read back: `counts` and `flags` as on the device; for each table its windows, those used only. */
struct readback {
    uint32_t *counts, *flags;
    uint32_t *used[TABLES];
    uint32_t *words[TABLES]; /* 2 * slots for each window that has something, in order */
};

static struct device_table *table_of(struct uhi_store_device *device, size_t i) {
    return i < KINDS ? &device->sums[i] : &device->squares[i - KINDS];
}

static uh_status read_words(const char *call, struct uhi_store_device *device, const uint32_t *from, size_t bytes,
                            uint32_t **to) {
    *to = malloc(bytes);
    return *to ? uh_memcpy(device->engine.queue, *to, from, bytes, NULL, 0, NULL)
               : uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for what %zu cells keep", call, device->store->cells);
}

/* Whether window w may have something. */
static int has_window(const struct device_table *table, const uint32_t *used, uint32_t w) {
    for (uint32_t d = 0; d < table->digits && 2 * d <= w; d++)
        if (used[w - 2 * d])
            return 1;
    return 0;
}

/* First what tells how much there is, then the windows. */
static uh_status read_tables(const char *call, struct uhi_store_device *device, struct readback *back) {
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < TABLES && !status; i++) {
        const struct device_table *table = table_of(device, i);
        if (table->pending)
            status =
                read_words(call, device, used_words(device, table), table->windows * sizeof(uint32_t), &back->used[i]);
    }
    uh_status waited = uh_queue_wait(device->engine.queue);
    status = status ? status : waited;
    for (size_t i = 0; i < TABLES && !status; i++) {
        const struct device_table *table = table_of(device, i);
        const size_t each = 2 * device->store->slots;
        size_t windows = 0;
        if (!back->used[i])
            continue;
        for (uint32_t w = 0; w < table->windows; w++)
            windows += has_window(table, back->used[i], w) ? 1 : 0;
        back->words[i] = malloc(windows ? windows * each * sizeof(uint32_t) : 1);
        if (!back->words[i])
            return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for what %zu cells keep", call,
                            device->store->cells);
        uint32_t *to = back->words[i];
        for (uint32_t w = 0; w < table->windows && !status; w++)
            if (has_window(table, back->used[i], w)) {
                status = uh_memcpy(device->engine.queue, to, table->words + w * each, each * sizeof *to, NULL, 0, NULL);
                to += each;
            }
    }
    return status;
}

static uh_status read_all(const char *call, struct uhi_store_device *device, struct readback *back) {
    uh_status status = UH_SUCCESS;
    if (device->counts)
        status = read_words(call, device, device->counts, counts_bytes(device), &back->counts);
    if (!status && device->flags)
        status = read_words(call, device, device->flags, device->store->slots * sizeof *device->flags, &back->flags);
    if (!status)
        status = read_tables(call, device, back);
    uh_status waited = uh_queue_wait(device->engine.queue);
    status = status ? status : waited;
    if (status) /* what was submitted may still write to the memory */
        uhi_queue_drain(device->engine.queue);
    return status;
}

/* Makes room in the store. A float32 of the device can be of any exponent. */
static uh_status ready_store(const char *call, struct uhi_store_device *device, const struct readback *back) {
    struct uhi_store *store = device->store;
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < TABLES && !status; i++) {
        const struct device_table *table = table_of(device, i);
        struct uhi_planes *planes = i < KINDS ? &store->sums : &store->squares;
        uint32_t low = UINT32_MAX, high = 0;
        for (uint32_t w = 0; back->used[i] && w < table->windows; w++)
            if (has_window(table, back->used[i], w)) {
                low = w < low ? w : low;
                high = w;
            }
        if (low != UINT32_MAX) /* a window's number has 63 bits; and one more for what all weights of it add up to */
            status = uhi_planes_allocate(call, store, planes, (table->first + low) / 2, (table->first + high) / 2 + 4);
        uhi_planes_expect(store, planes, 16);
    }
    if (!status && back->counts && uhi_store_has_sums(store->storage) && !store->fast && !store->counts) {
        status = uhi_planes_reserve(call, store, &store->sums, 0, 1);
        if (!status && uhi_store_has_squares(store->storage))
            status = uhi_planes_reserve(call, store, &store->squares, 0, 1);
        uhi_planes_expect(store, &store->sums, 4);
        uhi_planes_expect(store, &store->squares, 4);
    }
    return status;
}

static int64_t join_words(const uint32_t *word) {
    const uint64_t joined = (uint64_t)word[1] << 32 | word[0];
    int64_t value;
    memcpy(&value, &joined, sizeof value);
    return value;
}

static void add_to_store(struct uhi_store_device *device, const struct readback *back) {
    struct uhi_store *store = device->store;
    const size_t slots = store->slots;
    for (size_t slot = 0; slot < slots && back->counts; slot++)
        uhi_direct_count(store, slot,
                         is_saturating(store) ? back->counts[slot] : (uint64_t)join_words(back->counts + 2 * slot), 0);
    for (size_t slot = 0; slot < slots && back->flags; slot++)
        store->flags[slot] |= (uint8_t)back->flags[slot];
    for (size_t i = 0; i < TABLES; i++) {
        const struct device_table *table = table_of(device, i);
        const struct uhi_planes *planes = i < KINDS ? &store->sums : &store->squares;
        const uint32_t *words = back->words[i];
        for (uint32_t w = 0; words && w < table->windows; w++) {
            if (!has_window(table, back->used[i], w))
                continue;
            for (size_t slot = 0; slot < slots; slot++, words += 2)
                if (words[0] | words[1])
                    uhi_planes_add_window(planes, slot, table->first + w, join_words(words), 0);
        }
    }
}

uh_status uhi_store_device_settle(const char *call, struct uhi_store_device *device) {
    struct readback back = {0};
    if (!device->holds)
        return UH_SUCCESS;
    uh_status status = read_all(call, device, &back);
    if (!status)
        status = ready_store(call, device, &back);
    if (!status) {
        add_to_store(device, &back);
        uhi_store_device_forget(device);
    } else {
        uhi_queue_drain(device->engine.queue); /* a wait that failed says nothing of the copies */
    }
    free(back.counts);
    free(back.flags);
    for (size_t i = 0; i < TABLES; i++) {
        free(back.used[i]);
        free(back.words[i]);
    }
    return status;
}

void uhi_store_device_forget(struct uhi_store_device *device) {
    device->holds = 0;
    device->counts_dirty = device->flags_dirty = 1;
    for (size_t i = 0; i < KINDS; i++) {
        device->sums[i].dirty = device->squares[i].dirty = 1;
        device->sums[i].pending = device->squares[i].pending = 0;
    }
}
