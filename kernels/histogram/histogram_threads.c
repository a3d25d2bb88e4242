/* SPDX-License-Identifier: Apache-2.0 */
/* Counting on the host: how threads share the values, and where each thread counts. */
#include <stdlib.h>

#include "kernels/histogram/histogram_run.h"
#include "kernels/histogram/tuning.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* One call, shared by its threads. */
struct work {
    const struct uhi_histogram_host *host;
    const struct uhi_histogram_tables *tables;
    struct uhi_values x;
    size_t parts;
    size_t slots;            /* counters per table */
    const uint32_t *slot_of; /* slot in `counts` per counter; NULL if the two are the same */
    uint64_t *counts;
    struct uhi_buckets buckets;
    char *rooms; /* buckets; part p begins at p * room */
    size_t room;
    uint32_t *replicas; /* part p begins at p * part_size; its tables are at tables_at[p] */
    uint32_t **tables_at;
    size_t part_size, pitch; /* pitch of the UHI_REPLICAS tables, in counters; 0: one table */
};

static size_t tables_of_part(const struct work *work) { return work->pitch ? UHI_REPLICAS : 1; }

/* One thread's part, the context of count_some. */
struct own {
    const struct work *work;
    uint32_t *table; /* NULL: counts in the result */
};

static void count_some(const void *context, struct uhi_values values, uint32_t bucket) {
    const struct own *own = context;
    const struct work *work = own->work;
    const int grouped = own->table && work->tables->groups && bucket != UHI_ANY_BUCKET;
    const struct uhi_histogram_tables *of = grouped ? &work->tables->groups[bucket].tables : work->tables;
    if (grouped && of->on_host == UHI_LOOKUP_PACKED)
        work->host->count_more(of, values, own->table + of->first_rank);
    else if (own->table)
        work->host->count_more(work->tables, values, own->table);
    else if (work->parts > 1)
        work->host->count_atomic(work->tables, values, work->counts);
    else
        work->host->count(work->tables, values, work->counts);
}

static void count_by_buckets(const struct work *work, size_t part, uint32_t *table) {
    const struct own own = {work, table};
    uhi_buckets_each(&work->buckets, work->host, work->tables, uhi_values_of_part(work->x, work->parts, part),
                     work->rooms + part * work->room, count_some, &own);
}

static void count_in_replicas(const void *context, size_t part, size_t parts) {
    const struct work *work = context;
    uint32_t *memory = work->replicas + part * work->part_size;
    struct uhi_values values = uhi_values_of_part(work->x, work->parts, part);
    (void)parts;
    if (work->buckets.count)
        values.n = 0;
    work->tables_at[part] = work->host->count_replicas(work->tables, values, memory, work->pitch);
    if (work->buckets.count)
        count_by_buckets(work, part, work->tables_at[part]);
}

static void count_in_result(const void *context, size_t part, size_t parts) {
    const struct work *work = context;
    const struct own own = {work, NULL};
    (void)parts;
    if (work->buckets.count)
        count_by_buckets(work, part, NULL);
    else
        count_some(&own, uhi_values_of_part(work->x, work->parts, part), UHI_ANY_BUCKET);
}

/* Adds up one share of the slots over all tables. */
static void add_slots(const void *context, size_t part, size_t parts) {
    const struct work *work = context;
    const size_t from = work->slots / parts * part,
                 to = part + 1 == parts ? work->slots : work->slots / parts * (part + 1), each = tables_of_part(work);
    for (size_t table = 0; table < work->parts * each; table++) {
        const uint32_t *replica = work->tables_at[table / each] + table % each * work->pitch;
        for (size_t s = from; s < to; s++)
            work->counts[work->slot_of ? work->slot_of[s] : s] += replica[s];
    }
}

/* Pitch of tables of `slots` counters; they begin in different cache sets. */
static size_t pitch_of(size_t slots) { return (slots + 15) / 16 * 16 + 16; }

/* Counts in private tables per thread, emptied before a counter can overflow. Returns 0 if out of memory. */
static int count_privately(struct uhi_frame *frame, struct work *work) {
    const struct uhi_values all = work->x;
    work->part_size = tables_of_part(work) * pitch_of(work->slots) + UHI_PLACES_BYTES / sizeof *work->replicas;
    const size_t bytes = work->parts * (work->part_size * sizeof *work->replicas + sizeof(uint32_t *));
    work->rooms = uhi_frame_scratch(frame, work->parts * work->room + bytes);
    if (!work->rooms)
        return 0;
    work->replicas = (uint32_t *)(work->rooms + work->parts * work->room);
    work->tables_at = (uint32_t **)(work->replicas + work->parts * work->part_size);
    const size_t each = UHI_REPLICA_VALUES * work->parts;
    const int several = !work->slot_of && work->parts * work->slots > UHI_SHARED_ADDING; /* slot_of may repeat slots */
    for (size_t from = 0; from < all.n; from += work->x.n) {
        work->x = uhi_values_part(all, from, all.n - from < each ? all.n - from : each);
        uhi_host_parallel(frame->queue, "histogram: count", count_in_replicas, work, work->parts);
        uhi_host_parallel(frame->queue, "histogram: add", add_slots, work, several ? work->parts : 1);
    }
    return 1;
}

/* All threads count in the result. */
static void count_together(struct uhi_frame *frame, struct work *work) {
    if (work->room)
        work->rooms = uhi_frame_scratch(frame, work->parts * work->room);
    if (!work->rooms)
        work->buckets.count = 0;
    uhi_host_parallel(frame->queue, "histogram: count", count_in_result, work, work->parts);
}

static uh_status count_values(struct uhi_frame *frame, const struct uhi_histogram_host *host,
                              const struct uhi_histogram_tables *tables, const struct uhi_values *x, uint64_t *counts) {
    const size_t parts = uhi_parts_for(frame->queue, x->n, UHI_VALUES_A_THREAD), slots = (size_t)tables->bins + 3;
    if (parts == 1 && x->n < 2 * slots + UHI_DIRECT_VALUES) {
        host->count(tables, *x, counts);
        return UH_SUCCESS;
    }
    struct work work = {.host = host, .tables = tables, .x = *x, .parts = parts, .counts = counts};
    work.slots = uhi_counter_count(tables);
    work.slot_of = uhi_counter_slots(tables);
    work.pitch = work.slots > UHI_REPLICA_COUNTERS ? 0 : pitch_of(work.slots);
    if (!work.pitch)
        work.buckets = uhi_buckets_for(tables, x->n / parts, parts);
    work.room = uhi_buckets_room(&work.buckets);
    if (work.pitch)
        return count_privately(frame, &work) ? UH_SUCCESS : UH_ERROR_OUT_OF_MEMORY;
    const int pays = work.slots <= UHI_PRIVATE_BYTES / sizeof *work.replicas / parts &&
                     x->n >= UHI_VALUES_A_PRIVATE_COUNTER * work.slots;
    if (!pays || !count_privately(frame, &work))
        count_together(frame, &work);
    return UH_SUCCESS;
}

/* Counts in pieces, between which the queue may be cancelled; `counts` is then unchanged. */
static uh_status count_pieces(struct uhi_frame *frame, const struct uhi_histogram_host *host,
                              const struct uhi_histogram_tables *tables, const struct uhi_values *x, uint64_t *counts,
                              size_t each) {
    const size_t slots = (size_t)tables->bins + 3;
    uint64_t *sums = calloc(slots, sizeof *sums);
    uh_status status = UH_SUCCESS;
    if (!sums)
        return uhi_fail_memory(frame->call, "no memory for %zu counts", slots);
    for (size_t from = 0; from < x->n && !status; from += each) {
        const struct uhi_values piece = uhi_values_part(*x, from, x->n - from < each ? x->n - from : each);
        status = uhi_queue_check_cancelled(frame->queue, frame->call);
        if (!status)
            status = count_values(frame, host, tables, &piece, sums);
    }
    for (size_t s = 0; s < slots && !status; s++)
        counts[s] += sums[s];
    free(sums);
    return status;
}

uh_status uhi_histogram_count_values(struct uhi_frame *frame, const struct uhi_histogram_filling *filling) {
    const struct uhi_histogram_tables *tables = &filling->points->plan[0]->tables;
    const struct uhi_values *x = &frame->operands.in[0].x;
    uint64_t *counts = filling->target.counts;
    const size_t each = UHI_HOST_PIECE * uhi_parts_for(frame->queue, x->n, UHI_VALUES_A_THREAD);
    /* With as many bins as a piece has values, adding up would take as long as counting. */
    if (frame->queue->options.cancelled && x->n > each && tables->bins < each / 4)
        return count_pieces(frame, filling->host, tables, x, counts, each);
    return count_values(frame, filling->host, tables, x, counts);
}
