/* SPDX-License-Identifier: Apache-2.0 */
/* Counting on the host: how threads share the values, and where each thread counts. */
#include <stdlib.h>
#include <string.h>

#include "kernels/bincount/bincount_run.h"
#include "kernels/bincount/tuning.h"
#include "runtime/status.h"

enum { BYTE_BINS = 256 };

/* Most sums. */
#define MAX_CELLS ((uint64_t)UINT32_MAX - 1)

/* Makes a store of at least `cells` cells with the present contents. It grows by at least half. */
static uh_status reserve_sums(struct uhi_bincount *count, const char *call, uint64_t cells) {
    const uint64_t now = count->store ? count->store->cells : 0, more = now + now / 2;
    struct uhi_store *grown = NULL;
    if (now >= cells)
        return UH_SUCCESS;
    if (cells > MAX_CELLS)
        return uhi_fail(UH_ERROR_UNSUPPORTED, call, NULL,
                        "the largest value is %llu, expected at most %llu with weights", (unsigned long long)cells - 1,
                        (unsigned long long)MAX_CELLS - 1);
    cells = cells > more ? cells : more < MAX_CELLS ? more : MAX_CELLS;
    uh_status status = uhi_store_create(call, cells, UH_STORAGE_SUM, count->sum, &grown);
    if (!status && count->store)
        status = uhi_store_reserve(call, grown, count->store);
    if (status) {
        uhi_store_destroy(grown);
        return status;
    }
    for (size_t v = 0; v < count->length; v++)
        uhi_store_fold(grown, v, count->store, v);
    uhi_store_destroy(count->store); /* nothing of it is on a device */
    count->store = grown;
    return UH_SUCCESS;
}

uh_status uhi_bincount_reserve(struct uhi_bincount *count, const char *call, size_t length) {
    if (count->storage == UH_STORAGE_SUM)
        return reserve_sums(count, call, length);
    if (length <= count->room)
        return UH_SUCCESS;
    /* Grows by half, so that growing step by step copies each count only a few times. */
    size_t room = count->room + count->room / 2;
    room = room > length ? room : length;
    uint64_t *grown = calloc(room, sizeof *grown);
    if (!grown)
        return uhi_fail_memory(call, "no memory for %zu counts", length);
    if (count->length)
        memcpy(grown, count->counts, count->length * sizeof *grown);
    free(count->counts);
    count->counts = grown;
    count->room = room;
    return UH_SUCCESS;
}

/* Private tables of one thread. */
struct tables {
    uint32_t *first; /* UHI_BINCOUNT_REPLICAS tables at this pitch; one table if that is 0 */
    size_t capacity, pitch;
    size_t length; /* the largest value + 1 */
    enum { COUNTED, TOO_LARGE, NO_MEMORY } outcome;
};

/* One call, shared by its threads. */
struct work {
    const struct uhi_bincount_width *width;
    size_t size; /* per value */
    struct uhi_values x;
    size_t parts;
    size_t first_bins, max_bins; /* powers of two */
    struct tables *tables;       /* one per part */
    uint64_t *counts;
    size_t length;
};

/* ---- counting in the result ---- */

static void count_part_direct(const void *context, size_t part, size_t parts) {
    const struct work *work = context;
    const struct uhi_values x = uhi_values_of_part(work->x, parts, part);
    char buffer[UHI_PACKED_BYTES];
    for (size_t i = 0; i < x.n;) {
        const struct uhi_values block = uhi_values_packed(x, i, work->size, buffer);
        work->width->count_direct(block.first, block.n, work->counts, parts > 1);
        i += block.n;
    }
}

/* For few values, and for results too large for a table per thread. */
static uh_status count_direct(const struct uhi_bincount_call *counting, struct work *work) {
    struct uhi_bincount *count = counting->count;
    uint64_t largest = 0;
    UHI_TRY(uhi_bincount_find_largest(&count->frame, counting->dtype, count->limit, &largest));
    UHI_TRY(uhi_bincount_reserve(count, count->frame.call, largest + 1));
    work->counts = count->counts;
    uhi_host_parallel(count->frame.queue, "bincount: count", count_part_direct, work, work->parts);
    uhi_bincount_lengthen(count, largest + 1);
    return UH_SUCCESS;
}

/* ---- counting in private tables ---- */

static size_t counters_of(size_t capacity, size_t pitch) { return pitch ? UHI_BINCOUNT_REPLICAS * pitch : capacity; }

/* Grows the tables to a larger `capacity`, for values below it; keeps the counts. */
static int grow(struct tables *tables, size_t capacity) {
    const size_t pitch =
        capacity <= UHI_BINCOUNT_REPLICA_BINS ? capacity + 16 : 0; /* tables begin in different cache sets */
    const size_t bytes = counters_of(capacity, pitch) * sizeof(uint32_t);
    uint32_t *grown = aligned_alloc(64, bytes);
    if (!grown)
        return -1;
    memset(grown, 0, bytes);
    for (size_t table = 0; table == 0 || (tables->pitch && table < UHI_BINCOUNT_REPLICAS); table++)
        for (size_t v = 0; v < tables->capacity; v++)
            grown[v] += tables->first[table * tables->pitch + v];
    free(tables->first);
    tables->first = grown;
    tables->capacity = capacity;
    tables->pitch = pitch;
    return 0;
}

static size_t length_of(const struct tables *tables) {
    for (size_t v = tables->capacity; v > 0; v--)
        for (size_t table = 0; table == 0 || (tables->pitch && table < UHI_BINCOUNT_REPLICAS); table++)
            if (tables->first[table * tables->pitch + v - 1])
                return v;
    return 0;
}

/* Counts until done, or until a value is too large for private tables. */
static void count_part(const void *context, size_t part, size_t parts) {
    const struct work *work = context;
    const struct uhi_values x = uhi_values_of_part(work->x, parts, part);
    struct tables *tables = &work->tables[part];
    char buffer[UHI_PACKED_BYTES];
    tables->outcome = COUNTED;
    if (tables->first)
        memset(tables->first, 0, counters_of(tables->capacity, tables->pitch) * sizeof *tables->first);
    else if (grow(tables, work->first_bins))
        tables->outcome = NO_MEMORY;
    for (size_t i = 0; i < x.n && tables->outcome == COUNTED;) {
        const struct uhi_values block = uhi_values_packed(x, i, work->size, buffer);
        const size_t counted = work->width->count(block.first, block.n, tables->first, tables->pitch, tables->capacity);
        i += counted;
        if (counted == block.n)
            continue;
        const size_t left = block.n - counted, seen = left < UHI_BINCOUNT_SEEN ? left : UHI_BINCOUNT_SEEN;
        const uint64_t largest = work->width->largest(block.first + counted * work->size, seen);
        if (largest >= work->max_bins)
            tables->outcome = TOO_LARGE;
        else if (grow(tables, 2 * uhi_power_of_two(largest)))
            tables->outcome = NO_MEMORY;
    }
    tables->length = tables->outcome == COUNTED ? length_of(tables) : 0;
}

/* Adds up one share of the bins over all tables. */
static void add_bins(const void *context, size_t part, size_t parts) {
    const struct work *work = context;
    const size_t from = uhi_part_start(work->length, parts, part), to = uhi_part_start(work->length, parts, part + 1);
    for (size_t t = 0; t < work->parts; t++) {
        const struct tables *tables = &work->tables[t];
        const size_t end = to < tables->length ? to : tables->length;
        if (tables->pitch) {
            const uint32_t *c0 = tables->first, *c1 = c0 + tables->pitch, *c2 = c1 + tables->pitch,
                           *c3 = c2 + tables->pitch;
            for (size_t v = from; v < end; v++)
                work->counts[v] += (uint64_t)c0[v] + c1[v] + c2[v] + c3[v];
        } else {
            for (size_t v = from; v < end; v++)
                work->counts[v] += tables->first[v];
        }
    }
}

/* Counts one batch, and adds it to the result if all its values may be counted. *too_large: a value was too large for
 * the tables, and nothing is added. */
static uh_status count_batch(const struct uhi_bincount_call *counting, struct work *work, int *too_large) {
    struct uhi_bincount *count = counting->count;
    int no_memory = 0;
    uhi_host_parallel(count->frame.queue, "bincount: count", count_part, work, work->parts);
    *too_large = 0;
    work->length = 0;
    for (size_t t = 0; t < work->parts; t++) {
        no_memory |= work->tables[t].outcome == NO_MEMORY;
        *too_large |= work->tables[t].outcome == TOO_LARGE;
        work->length = work->tables[t].length > work->length ? work->tables[t].length : work->length;
    }
    if (no_memory)
        return uhi_fail_memory(count->frame.call, "no memory for the tables of %zu threads", work->parts);
    if (*too_large)
        return UH_SUCCESS;
    if (work->length > 0 && work->length - 1 > uhi_bincount_allowed(counting->dtype, count->limit))
        return uhi_bincount_refuse(&count->frame, counting->dtype, count->limit);
    UHI_TRY(uhi_bincount_reserve(count, count->frame.call, work->length));
    work->counts = count->counts;
    uhi_bincount_lengthen(count, work->length);
    uhi_host_parallel(count->frame.queue, "bincount: add", add_bins, work,
                      work->parts * work->length > UHI_BINCOUNT_SHARED_ADDING ? work->parts : 1);
    return UH_SUCCESS;
}

/* For more values than the tables may hold: examines all first, so that no batch fails after others are counted. The
 * first batch leaves tables large enough for the others. */
static uh_status count_batches(const struct uhi_bincount_call *counting, struct work *work, size_t batch) {
    struct uhi_bincount *count = counting->count;
    const struct uhi_values all = work->x;
    uint64_t largest = 0;
    int too_large = 0;
    UHI_TRY(uhi_bincount_find_largest(&count->frame, counting->dtype, count->limit, &largest));
    if (largest >= work->max_bins)
        return count_direct(counting, work);
    UHI_TRY(uhi_bincount_reserve(count, count->frame.call, largest + 1));
    work->first_bins = largest < work->first_bins ? work->first_bins : 2 * uhi_power_of_two(largest);
    for (size_t from = 0; from < all.n; from += work->x.n) {
        work->x = uhi_values_part(all, from, all.n - from < batch ? all.n - from : batch);
        UHI_TRY(count_batch(counting, work, &too_large));
    }
    return UH_SUCCESS;
}

/* Largest size of tables: a power of two that has room for every allowed value, but no more than pays. */
static size_t max_bins(uint64_t allowed, const struct work *work) {
    const size_t each = 2 * (work->x.n / work->parts);
    const size_t worth = each > UHI_BINCOUNT_REPLICA_BINS ? each : UHI_BINCOUNT_REPLICA_BINS;
    const size_t fits = UHI_BINCOUNT_PRIVATE_BYTES / sizeof(uint32_t) / work->parts;
    size_t max = uhi_power_of_two(worth < fits ? worth : fits);
    if (allowed < max)
        max = allowed ? 2 * uhi_power_of_two(allowed) : 1;
    return max < BYTE_BINS ? BYTE_BINS : max;
}

uh_status uhi_bincount_on_host(struct uhi_frame *frame, void *context) {
    const struct uhi_bincount_call *counting = context;
    const struct uhi_bincount *count = counting->count;
    const size_t size = uh_dtype_size(counting->dtype);
    struct work work = {.width = &uhi_bincount_host()->width[size],
                        .size = size,
                        .x = frame->operands.in[0].x,
                        .parts = uhi_parts_for(frame->queue, frame->operands.n, UHI_BINCOUNT_VALUES_A_THREAD)};
    int too_large = 0;
    uh_status status;
    const uint64_t allowed = uhi_bincount_allowed(counting->dtype, count->limit);
    work.max_bins = max_bins(allowed, &work);
    if (work.x.n < UHI_BINCOUNT_DIRECT_VALUES || (count->limit.given && allowed >= work.max_bins))
        return count_direct(counting, &work);
    work.first_bins = work.size == 1 ? BYTE_BINS : UHI_BINCOUNT_FIRST_BINS;
    if (count->limit.given || work.first_bins > work.max_bins)
        work.first_bins = work.max_bins;
    work.tables = uhi_frame_scratch(frame, work.parts * sizeof *work.tables);
    if (!work.tables)
        return UH_ERROR_OUT_OF_MEMORY;
    memset(work.tables, 0, work.parts * sizeof *work.tables);
    if (work.x.n > count->batch * work.parts)
        status = count_batches(counting, &work, count->batch * work.parts);
    else
        status = count_batch(counting, &work, &too_large);
    for (size_t t = 0; t < work.parts; t++)
        free(work.tables[t].first);
    return status || !too_large ? status : count_direct(counting, &work);
}
