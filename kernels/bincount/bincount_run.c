/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/bincount/bincount_run.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/bincount/bincount_device.h"
#include "kernels/bincount/extent.h"
#include "kernels/common/engine.h"
#include "kernels/common/host_run.h"
#include "kernels/registry.h"
#include "runtime/memory.h"
#include "runtime/status.h"

enum {
    /* A thread is worth waking for so many values (about 15 microseconds of work). */
    VALUES_A_THREAD = 32768,
    /* Fewer are counted at once where the result is: clearing and adding tables would cost more than it saves. */
    FEW = 4096,
    /* Up to so many bins a thread counts in UHI_BINCOUNT_REPLICAS tables of 32 bits: 512 KiB, a quarter of its L2. */
    REPLICA_BINS = 32768,
    /* A table begins with so many bins, and grows when a larger value comes. */
    FIRST_BINS = 1024,
    BYTE_BINS = 256,
    GROUP = 128 /* values that are looked at when a table grows */
};

/* Values that a thread's tables may hold before they are emptied. */
#define BATCH ((size_t)1 << 31)

/* All threads' tables together. */
#define PRIVATE_BYTES ((size_t)256 << 20)

/* What a thread counts in. */
struct slab {
    uint32_t *tables; /* UHI_BINCOUNT_REPLICAS of them, `pitch` apart, or one where that is 0 */
    size_t capacity, pitch;
    size_t length; /* the largest value + 1 */
    enum { COUNTED, TOO_LARGE, NO_MEMORY } outcome;
};

/* One call, as its threads see it. Group g works at slab g. */
struct work {
    const struct uhi_bincount_host *host;
    size_t size; /* of a value */
    const char *x;
    size_t n, slabs;
    size_t first_bins, most_bins; /* powers of two */
    struct slab *slab;
    uint64_t *largest; /* of each slab */
    uint64_t *counts;
    size_t length;
};

static const char *slab_values(const struct work *work, size_t slab, size_t *n) {
    const size_t from = uhi_slab_start(work->n, work->slabs, slab);
    *n = uhi_slab_start(work->n, work->slabs, slab + 1) - from;
    return work->x + from * work->size;
}

/* ---- looking ---- */

uh_status uhi_bincount_find_refused(const char *call, struct uhi_bincount_limit limit, uh_dtype dtype, const void *x,
                                    size_t n) {
    const struct uhi_bincount_host *host = uhi_bincount_host();
    const size_t size = uhi_value_size(dtype);
    const uint64_t allowed = uhi_bincount_allowed(dtype, limit), room = uhi_bincount_room();
    uint64_t value = 0;
    size_t at = host->first_above(size, x, n, allowed);
    if (at == n)
        at = host->first_above(size, x, n, room - 1);
    if (at == n)
        return UH_SUCCESS;
    memcpy(&value, (const char *)x + at * size, size);
    return uhi_bincount_refuse(call, dtype, limit, at, value);
}

static void find_largest(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    const size_t slab = group->group_id[0];
    size_t n;
    const char *x = slab_values(work, slab, &n);
    work->largest[slab] = work->host->largest(work->size, x, n);
}

uh_status uhi_bincount_look_on_host(const char *call, uh_queue *queue, struct uhi_bincount_limit limit, uh_dtype dtype,
                                    const void *x, size_t n, uint64_t *largest) {
    struct work work = {.host = uhi_bincount_host(),
                        .size = uhi_value_size(dtype),
                        .x = x,
                        .n = n,
                        .slabs = uhi_host_slabs(queue, n, VALUES_A_THREAD)};
    uint64_t most = 0;
    uh_status status = UH_SUCCESS;
    work.largest = malloc(work.slabs * sizeof *work.largest);
    if (!work.largest)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu threads", call, work.slabs);
    status = uhi_host_run(queue, find_largest, "bincount: largest", &work, work.slabs);
    for (size_t slab = 0; slab < work.slabs && !status; slab++)
        most = work.largest[slab] > most ? work.largest[slab] : most;
    free(work.largest);
    if (!status && (most > uhi_bincount_allowed(dtype, limit) || most >= uhi_bincount_room()))
        status = uhi_bincount_find_refused(call, limit, dtype, x, n);
    if (!status)
        *largest = most;
    return status;
}

uh_status uhi_bincount_look(const char *call, struct uhi_bincount *count, uh_dtype dtype, const void *x, size_t n,
                            uint64_t *largest) {
    if (!uhi_runs_modules(count->queue))
        return uhi_bincount_look_on_host(call, count->queue, count->limit, dtype, x, n, largest);
    if (!count->device) {
        uh_status status = uhi_bincount_device_create(call, count->queue, &count->device);
        if (status)
            return status;
    }
    return uhi_bincount_device_look(call, count->device, count->limit, dtype, x, n, largest);
}

uh_status uhi_bincount_reserve(const char *call, struct uhi_bincount *count, size_t length) {
    if (length <= count->room)
        return UH_SUCCESS;
    /* Where it grows it grows by half, so that growing step by step copies each count a few times only. */
    size_t room = count->room ? count->room + count->room / 2 : 0;
    room = room > length ? room : length;
    uint64_t *grown = calloc(room, sizeof *grown);
    if (!grown)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu counts", call, length);
    if (count->length)
        memcpy(grown, count->counts, count->length * sizeof *grown);
    free(count->counts);
    count->counts = grown;
    count->room = room;
    return UH_SUCCESS;
}

void uhi_bincount_free(struct uhi_bincount *count) {
    uhi_bincount_device_destroy(count->device);
    free(count->counts);
    *count = (struct uhi_bincount){0};
}

/* ---- counting where the result is ---- */

static void count_slab_direct(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    size_t n;
    const char *x = slab_values(work, group->group_id[0], &n);
    work->host->count_direct(work->size, x, n, work->counts, work->slabs > 1);
}

/* For few values, and for results so large that each thread's own would be too much. */
static uh_status add_direct(const char *call, struct uhi_bincount *count, uh_dtype dtype, struct work *work) {
    uint64_t largest = 0;
    uh_status status = uhi_bincount_look_on_host(call, count->queue, count->limit, dtype, work->x, work->n, &largest);
    if (!status)
        status = uhi_bincount_reserve(call, count, largest + 1);
    if (status)
        return status;
    work->counts = count->counts;
    status = uhi_host_run(count->queue, count_slab_direct, "bincount: count", work, work->slabs);
    count->length = largest + 1 > count->length ? largest + 1 : count->length;
    return status;
}

/* ---- counting in the threads' own tables ---- */

/* Tables with room for values below `capacity`, which is more than there is; what has been counted goes along. */
static int grow(struct slab *slab, size_t capacity) {
    const size_t pitch = capacity <= REPLICA_BINS ? capacity + 16 : 0; /* tables begin in different cache sets */
    const size_t counters = pitch ? UHI_BINCOUNT_REPLICAS * pitch : capacity;
    uint32_t *tables = aligned_alloc(64, counters * sizeof *tables);
    if (!tables)
        return -1;
    memset(tables, 0, counters * sizeof *tables);
    for (size_t table = 0; table == 0 || (slab->pitch && table < UHI_BINCOUNT_REPLICAS); table++)
        for (size_t v = 0; v < slab->capacity; v++)
            tables[v] += slab->tables[table * slab->pitch + v];
    free(slab->tables);
    slab->tables = tables;
    slab->capacity = capacity;
    slab->pitch = pitch;
    return 0;
}

static size_t length_of(const struct slab *slab) {
    for (size_t v = slab->capacity; v > 0; v--)
        for (size_t table = 0; table == 0 || (slab->pitch && table < UHI_BINCOUNT_REPLICAS); table++)
            if (slab->tables[table * slab->pitch + v - 1])
                return v;
    return 0;
}

static void clear(struct slab *slab) {
    const size_t counters = slab->pitch ? UHI_BINCOUNT_REPLICAS * slab->pitch : slab->capacity;
    memset(slab->tables, 0, counters * sizeof *slab->tables);
}

/* Counts until it is through, or a value comes for which no table of its own is large enough. */
static void count_slab(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    struct slab *slab = &work->slab[group->group_id[0]];
    size_t n;
    const char *x = slab_values(work, group->group_id[0], &n);
    slab->outcome = COUNTED;
    if (slab->tables)
        clear(slab);
    else if (grow(slab, work->first_bins))
        slab->outcome = NO_MEMORY;
    for (size_t i = 0; slab->outcome == COUNTED;) {
        i += work->host->count(work->size, x + i * work->size, n - i, slab->tables, slab->pitch, slab->capacity);
        if (i == n)
            break;
        const uint64_t largest = work->host->largest(work->size, x + i * work->size, n - i < GROUP ? n - i : GROUP);
        if (largest >= work->most_bins)
            slab->outcome = TOO_LARGE;
        else if (grow(slab, 2 * uhi_power_of_two(largest)))
            slab->outcome = NO_MEMORY;
    }
    slab->length = slab->outcome == COUNTED ? length_of(slab) : 0;
}

/* Group g adds its share of the bins over all tables. */
static void add_bins(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    const size_t from = uhi_slab_start(work->length, group->group_count[0], group->group_id[0]);
    const size_t to = uhi_slab_start(work->length, group->group_count[0], group->group_id[0] + 1);
    for (size_t s = 0; s < work->slabs; s++) {
        const struct slab *slab = &work->slab[s];
        const size_t end = to < slab->length ? to : slab->length;
        if (slab->pitch) {
            const uint32_t *c0 = slab->tables, *c1 = c0 + slab->pitch, *c2 = c1 + slab->pitch, *c3 = c2 + slab->pitch;
            for (size_t v = from; v < end; v++)
                work->counts[v] += (uint64_t)c0[v] + c1[v] + c2[v] + c3[v];
        } else {
            for (size_t v = from; v < end; v++)
                work->counts[v] += slab->tables[v];
        }
    }
}

/* Counts one batch, and adds it to the result if all of its values may be counted. *too_large: nothing is added, as a
 * value came that is too large for tables. */
static uh_status add_batch(const char *call, struct uhi_bincount *count, uh_dtype dtype, struct work *work,
                           int *too_large) {
    int no_memory = 0;
    uh_status status = uhi_host_run(count->queue, count_slab, "bincount: count", work, work->slabs);
    if (status)
        return status;
    *too_large = 0;
    work->length = 0;
    for (size_t s = 0; s < work->slabs; s++) {
        no_memory |= work->slab[s].outcome == NO_MEMORY;
        *too_large |= work->slab[s].outcome == TOO_LARGE;
        work->length = work->slab[s].length > work->length ? work->slab[s].length : work->length;
    }
    if (no_memory)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for the tables of %zu threads", call, work->slabs);
    if (*too_large)
        return UH_SUCCESS;
    if (work->length > 0 && work->length - 1 > uhi_bincount_allowed(dtype, count->limit))
        return uhi_bincount_find_refused(call, count->limit, dtype, work->x, work->n);
    status = uhi_bincount_reserve(call, count, work->length);
    if (status)
        return status;
    work->counts = count->counts;
    count->length = work->length > count->length ? work->length : count->length;
    return uhi_host_run(count->queue, add_bins, "bincount: add", work,
                        work->slabs * work->length > 1 << 18 ? work->slabs : 1);
}

/* More values than the tables may hold: all are looked at first, so that no batch fails when others are counted. The
 * first one leaves tables that are large enough for the others. */
static uh_status add_batches(const char *call, struct uhi_bincount *count, uh_dtype dtype, struct work *work,
                             size_t batch) {
    const struct work all = *work;
    uint64_t largest = 0;
    int too_large = 0;
    uh_status status = uhi_bincount_look_on_host(call, count->queue, count->limit, dtype, all.x, all.n, &largest);
    if (!status && largest >= work->most_bins)
        return add_direct(call, count, dtype, work);
    if (!status)
        status = uhi_bincount_reserve(call, count, largest + 1);
    if (status)
        return status;
    work->first_bins = largest < work->first_bins ? work->first_bins : 2 * uhi_power_of_two(largest);
    for (size_t from = 0; from < all.n && !status; from += work->n) {
        work->x = all.x + from * all.size;
        work->n = all.n - from < batch ? all.n - from : batch;
        status = add_batch(call, count, dtype, work, &too_large);
    }
    return status;
}

/* How large tables may become: a power of two that has room for whatever may come, but no more than is worth it. */
static size_t most_bins(const struct uhi_bincount *count, uh_dtype dtype, const struct work *work) {
    const uint64_t allowed = uhi_bincount_allowed(dtype, count->limit);
    const size_t worth = 2 * (work->n / work->slabs) > REPLICA_BINS ? 2 * (work->n / work->slabs) : REPLICA_BINS;
    const size_t fits = PRIVATE_BYTES / sizeof(uint32_t) / work->slabs;
    size_t most = uhi_power_of_two(worth < fits ? worth : fits);
    if (allowed < most)
        most = allowed ? 2 * uhi_power_of_two(allowed) : 1;
    return most < BYTE_BINS ? BYTE_BINS : most;
}

static uh_status add_on_host(const char *call, struct uhi_bincount *count, uh_dtype dtype, const void *x, size_t n) {
    struct work work = {.host = uhi_bincount_host(),
                        .size = uhi_value_size(dtype),
                        .x = x,
                        .n = n,
                        .slabs = uhi_host_slabs(count->queue, n, VALUES_A_THREAD)};
    const size_t batch = count->batch ? count->batch : BATCH;
    const uint64_t allowed = uhi_bincount_allowed(dtype, count->limit);
    int too_large = 0;
    uh_status status;
    work.most_bins = most_bins(count, dtype, &work);
    if (n < FEW || (count->limit.given && allowed >= work.most_bins))
        return add_direct(call, count, dtype, &work);
    work.first_bins = work.size == 1 ? BYTE_BINS : FIRST_BINS;
    if (count->limit.given || work.first_bins > work.most_bins)
        work.first_bins = work.most_bins;
    work.slab = calloc(work.slabs, sizeof *work.slab);
    if (!work.slab)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu threads", call, work.slabs);
    if (n > batch * work.slabs)
        status = add_batches(call, count, dtype, &work, batch * work.slabs);
    else
        status = add_batch(call, count, dtype, &work, &too_large);
    for (size_t s = 0; s < work.slabs; s++)
        free(work.slab[s].tables);
    free(work.slab);
    return status || !too_large ? status : add_direct(call, count, dtype, &work);
}

uh_status uhi_bincount_add(const char *call, struct uhi_bincount *count, uh_dtype dtype, const void *x, size_t n) {
    if (!uhi_runs_modules(count->queue))
        return add_on_host(call, count, dtype, x, n);
    if (!count->device) {
        uh_status status = uhi_bincount_device_create(call, count->queue, &count->device);
        if (status)
            return status;
    }
    return uhi_bincount_device_add(call, count->device, count, dtype, x, n);
}
