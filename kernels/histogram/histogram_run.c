/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histogram/histogram_run.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common/engine.h"
#include "kernels/common/host_run.h"
#include "kernels/registry.h"
#include "runtime/memory.h"
#include "runtime/status.h"

enum {
    /* A thread is worth waking for so many values (about 20 microseconds of work). */
    VALUES_A_THREAD = 32768,
    /* Up to so many slots a thread counts in UHI_REPLICAS tables of 32 bits: 512 KiB, a quarter of its L2 cache. */
    REPLICA_SLOTS = 32768,
    INDEX_BLOCK = 2048
};

/* All threads' private tables of 64 bits together; beyond it they share one and add atomically. */
#define PRIVATE_BYTES ((size_t)256 << 20)

/* So many values go into a table of 32-bit counters before it is emptied. */
#define REPLICA_VALUES ((size_t)1 << 31)

/* One call, as its slabs see it. Group g counts values of slab g. */
struct work {
    const struct uhi_histogram_host *host;
    const struct uhi_histogram_tables *tables;
    struct uhi_values x;
    size_t slabs;
    size_t slots;            /* counters of one table */
    const uint32_t *slot_of; /* a counter: its slot in `counts`; NULL where they are the same */
    uint64_t *counts;
    uint32_t *replicas; /* slab g: from g * slab_size on; its UHI_REPLICAS tables, `pitch` apart, are at tables_at[g] */
    uint32_t **tables_at;
    size_t slab_size, pitch;
    uint64_t *privates; /* slab g: `slots` counters from g * slots */
    int64_t *index;
};

static uh_status get_device(uh_queue *queue, const struct uhi_histogram_plan *plan,
                            struct uhi_histogram_scratch *scratch) {
    return scratch->device ? UH_SUCCESS
                           : uhi_histogram_device_create(queue, (size_t)plan->tables.bins + 3, &scratch->device);
}

void uhi_histogram_scratch_free(struct uhi_histogram_scratch *scratch) {
    uhi_histogram_device_destroy(scratch->device);
    scratch->device = NULL;
    free(scratch->memory);
    scratch->memory = NULL;
    scratch->size = 0;
}

static void *scratch_take(struct uhi_histogram_scratch *scratch, size_t size) {
    if (size > scratch->size) {
        void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
        if (!memory)
            return NULL;
        free(scratch->memory);
        scratch->memory = memory;
        scratch->size = size;
    }
    return scratch->memory;
}

static struct uhi_values slab_values(const struct work *work, size_t slab) {
    size_t from = uhi_slab_start(work->x.n, work->slabs, slab);
    return uhi_values_part(work->x, from, uhi_slab_start(work->x.n, work->slabs, slab + 1) - from);
}

static void count_slab_replicas(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    size_t slab = group->group_id[0];
    work->tables_at[slab] = work->host->count_replicas(work->tables, slab_values(work, slab),
                                                       work->replicas + slab * work->slab_size, work->pitch);
}

static void count_slab_private(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    size_t slab = group->group_id[0];
    uint64_t *counts = work->privates + slab * work->slots;
    memset(counts, 0, work->slots * sizeof *counts);
    work->host->count(work->tables, slab_values(work, slab), counts);
}

static void count_slab_shared(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    work->host->count_atomic(work->tables, slab_values(work, group->group_id[0]), work->counts);
}

/* Brings slots together: group g of `slabs` adds its share of the slots over all tables. */
static void add_slots(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    size_t groups = group->group_count[0], g = group->group_id[0];
    size_t from = work->slots / groups * g;
    size_t to = g + 1 == groups ? work->slots : work->slots / groups * (g + 1);
    size_t tables = work->replicas ? work->slabs * UHI_REPLICAS : work->slabs;
    for (size_t table = 0; table < tables; table++) {
        const uint32_t *replica =
            work->replicas ? work->tables_at[table / UHI_REPLICAS] + table % UHI_REPLICAS * work->pitch : NULL;
        for (size_t s = from; s < to; s++)
            work->counts[work->slot_of ? work->slot_of[s] : s] +=
                replica ? replica[s] : work->privates[table * work->slots + s];
    }
}

/* Counts in UHI_REPLICAS small tables a thread, emptied before a counter can overflow. */
static uh_status count_small(uh_queue *queue, struct work *work, struct uhi_histogram_scratch *scratch) {
    struct uhi_values all = work->x;
    work->pitch = (work->slots + 15) / 16 * 16 + 16; /* tables begin in different cache sets */
    work->slab_size = UHI_REPLICAS * work->pitch + UHI_PLACES_BYTES / sizeof *work->replicas;
    work->replicas =
        scratch_take(scratch, work->slabs * (work->slab_size * sizeof *work->replicas + sizeof(uint32_t *)));
    if (!work->replicas)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "uh_histogram_fill: no memory for the tables of %zu threads",
                        work->slabs);
    work->tables_at = (uint32_t **)(work->replicas + work->slabs * work->slab_size);
    uh_status status = UH_SUCCESS;
    size_t each = REPLICA_VALUES * work->slabs;
    size_t groups = !work->slot_of && work->slabs * work->slots > 1 << 18 ? work->slabs : 1; /* slots may be shared */
    for (size_t from = 0; from < all.n && !status; from += work->x.n) {
        work->x = uhi_values_part(all, from, all.n - from < each ? all.n - from : each);
        status = uhi_host_run(queue, count_slab_replicas, "histogram: count", work, work->slabs);
        if (!status)
            status = uhi_host_run(queue, add_slots, "histogram: add", work, groups);
    }
    return status;
}

static uh_status count_large(uh_queue *queue, struct work *work, struct uhi_histogram_scratch *scratch) {
    if (work->slabs == 1) {
        work->host->count(work->tables, work->x, work->counts);
        return UH_SUCCESS;
    }
    if (work->slots * sizeof *work->privates > PRIVATE_BYTES / work->slabs || work->x.n < 4 * work->slots)
        return uhi_host_run(queue, count_slab_shared, "histogram: count", work, work->slabs);
    work->privates = scratch_take(scratch, work->slabs * work->slots * sizeof *work->privates);
    if (!work->privates)
        return uhi_host_run(queue, count_slab_shared, "histogram: count", work, work->slabs);
    uh_status status = uhi_host_run(queue, count_slab_private, "histogram: count", work, work->slabs);
    return status ? status : uhi_host_run(queue, add_slots, "histogram: add", work, work->slabs);
}

uh_status uhi_histogram_ready(uh_queue *queue, const struct uhi_histogram_plan *plan,
                              struct uhi_histogram_scratch *scratch) {
    if (!uhi_runs_modules(queue))
        return UH_SUCCESS;
    uh_status status = get_device(queue, plan, scratch);
    return status ? status : uhi_histogram_device_prepare(scratch->device, plan);
}

/* Whether the host can read the values: they may not lie in another device's memory. */
static uh_status check_host_values(const char *call, const uh_queue *queue, struct uhi_values x, size_t size) {
    const char *first;
    size_t bytes;
    uhi_values_extent(x, size, &first, &bytes);
    return uhi_memory_check_copy(call, "x", uh_queue_get_device(queue), first, bytes);
}

static uh_status count_on_host(uh_queue *queue, const struct uhi_histogram_tables *tables, struct uhi_values x,
                               uint64_t *counts, struct uhi_histogram_scratch *scratch) {
    struct work work = {.host = uhi_histogram_host(),
                        .tables = tables,
                        .x = x,
                        .slabs = uhi_host_slabs(queue, x.n, VALUES_A_THREAD),
                        .slots = (size_t)tables->bins + 3,
                        .counts = counts};
    if (work.slabs == 1 && x.n < 2 * work.slots + 1024) { /* clearing and adding tables would cost more than it saves */
        work.host->count(tables, x, counts);
        return UH_SUCCESS;
    }
    if (uhi_counter_count(tables) > REPLICA_SLOTS)
        return count_large(queue, &work, scratch);
    work.slots = uhi_counter_count(tables);
    work.slot_of = uhi_counter_slots(tables);
    return count_small(queue, &work, scratch);
}

uh_status uhi_histogram_count(uh_queue *queue, const struct uhi_histogram_plan *plan, struct uhi_values x,
                              uint64_t *counts, struct uhi_histogram_scratch *scratch) {
    uh_status status;
    if (!uhi_runs_modules(queue)) {
        status = check_host_values("uh_histogram_fill", queue, x, plan->tables.value_bytes);
        return status ? status : count_on_host(queue, &plan->tables, x, counts, scratch);
    }
    status = get_device(queue, plan, scratch);
    return status ? status : uhi_histogram_device_count(scratch->device, plan, x, counts);
}

int uhi_histogram_on_host(const uh_queue *queue) {
    return !uhi_runs_modules(queue);
}

uh_status uhi_histogram_settle(struct uhi_histogram_scratch *scratch, uint64_t *counts) {
    return scratch->device ? uhi_histogram_device_settle(scratch->device, counts) : UH_SUCCESS;
}

void uhi_histogram_forget(struct uhi_histogram_scratch *scratch) {
    if (scratch->device)
        uhi_histogram_device_reset(scratch->device);
}

uh_status uhi_histogram_where(uh_queue *queue, const struct uhi_histogram_plan *plan,
                              struct uhi_histogram_scratch *scratch, char *text, size_t size, int *length) {
    *length = 0;
    if (!uhi_runs_modules(queue))
        return UH_SUCCESS;
    uh_status status = get_device(queue, plan, scratch);
    return status ? status : uhi_histogram_device_text(scratch->device, plan, text, size, length);
}

static void index_slab(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    size_t from = uhi_slab_start(work->x.n, work->slabs, group->group_id[0]);
    struct uhi_values x = slab_values(work, group->group_id[0]);
    int64_t *index = work->index + from, largest = (int64_t)work->tables->bins + 1;
    uint32_t slot[INDEX_BLOCK];
    for (size_t i = 0; i < x.n; i += INDEX_BLOCK) {
        size_t n = x.n - i < INDEX_BLOCK ? x.n - i : INDEX_BLOCK;
        work->host->lookup(work->tables, uhi_values_part(x, i, n), slot);
        for (size_t j = 0; j < n; j++)
            index[i + j] = slot[j] < largest ? slot[j] : largest;
    }
}

uh_status uhi_histogram_index(uh_queue *queue, const struct uhi_histogram_plan *plan, struct uhi_values x,
                              int64_t *index, struct uhi_histogram_scratch *scratch) {
    const char *call = "uh_histogram_digitize";
    uh_status status;
    if (uhi_runs_modules(queue)) {
        status = get_device(queue, plan, scratch);
        return status ? status : uhi_histogram_device_index(scratch->device, plan, x, index);
    }
    status = check_host_values(call, queue, x, plan->tables.value_bytes);
    if (!status)
        status = uhi_memory_check_copy(call, "index", uh_queue_get_device(queue), index, x.n * sizeof *index);
    if (status)
        return status;
    struct work work = {.host = uhi_histogram_host(),
                        .tables = &plan->tables,
                        .x = x,
                        .slabs = uhi_host_slabs(queue, x.n, VALUES_A_THREAD),
                        .index = index};
    return uhi_host_run(queue, index_slab, "histogram: index", &work, work.slabs);
}
