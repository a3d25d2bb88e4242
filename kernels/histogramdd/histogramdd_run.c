/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histogramdd/histogramdd_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/accumulate/store_state.h"
#include "kernels/common/engine.h"
#include "kernels/common/host_run.h"
#include "kernels/histogramdd/histogramdd.h"
#include "kernels/registry.h"
#include "runtime/memory.h"
#include "runtime/status.h"

enum {
    POINTS_A_THREAD = 16384, /* worth waking it */
    DIRECT_POINTS = 4096,    /* up to so many, tables of one's own cost more than they save */
    LARGEST_PADDED = 1 << 17 /* slots of a histogram that each thread counts in tables of 16 and 32 bits: 768 KiB */
};

/* A table of 16-bit counters is emptied before it has so many blocks, one of 32 bits before so many points. */
#define NARROW_BLOCKS (UINT16_MAX / UHI_FIND_BLOCK)
#define WIDE_POINTS   ((size_t)1 << 31)

/* A cache line of its own for each thread's counters. */
struct thread_counters {
    _Alignas(64) struct uhi_histogramdd_counters counters;
};

/* One call, as its slabs see it. */
struct work {
    const struct uhi_histogram_host *find;
    const struct uhi_histogramdd_host *host;
    const struct uhi_histogramdd_points *points;
    struct thread_counters *threads;
    size_t slabs;
    /* Slots as digits: */
    size_t from, n; /* points of this batch */
    size_t padded, pitch;
    uint32_t *wide;   /* slab s: `padded` counters from s * pitch on */
    uint16_t *narrow; /* the same */
};

/* ---- life ---- */

void uhi_histogramdd_scratch_free(struct uhi_histogramdd_scratch *scratch) {
    uhi_histogramdd_device_destroy(scratch->device);
    free(scratch->memory);
    *scratch = (struct uhi_histogramdd_scratch){0};
}

static void *scratch_take(const char *call, struct uhi_histogramdd_scratch *scratch, size_t size) {
    if (size > scratch->size) {
        void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
        if (!memory) {
            (void)uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for the threads' tables of %zu bytes", call, size);
            return NULL;
        }
        free(scratch->memory);
        scratch->memory = memory;
        scratch->size = size;
    }
    return scratch->memory;
}

static void add_counters(struct uhi_histogramdd_counters *to, const struct uhi_histogramdd_counters *from) {
    for (size_t a = 0; a < UH_MAX_AXES; a++)
        for (size_t i = 0; i < 3; i++)
            to->flow[a][i] += from->flow[a][i];
    to->points += from->points;
    to->outside += from->outside;
}

static uint32_t bins_of(const struct uhi_histogramdd_points *points, size_t axis) {
    return points->plan[axis]->tables.bins;
}

/* ---- any storage: the cells of a block ---- */

static void find_cells(const void *context, size_t thread, size_t from, size_t n, uint32_t *cell) {
    const struct work *work = context;
    const struct uhi_histogramdd_points *points = work->points;
    struct uhi_histogramdd_counters *counters = &work->threads[thread].counters;
    _Alignas(64) uint32_t slot[UHI_FIND_BLOCK];
    size_t missed = 0;
    size_t a = 0; /* there is one axis at least */
    do {
        const struct uhi_find find = {.cell = slot, .first = 1};
        work->find->find(&points->plan[a]->tables, uhi_values_part(points->x[a], from, n), &find);
        const size_t here = work->host->combine(slot, n, bins_of(points, a), a == 0, cell);
        if (here > 0)
            work->host->flow(slot, n, bins_of(points, a), counters->flow[a]);
        missed += here;
    } while (++a < points->naxes);
    counters->points += n;
    if (missed > 0)
        counters->outside += work->host->outside(cell, n);
}

static uh_status add_by_store(const char *call, uh_queue *queue, struct work *work, struct uhi_histogramdd_sums sums) {
    const struct uhi_cell_source source = {find_cells, work};
    const size_t threads = uh_queue_threads(queue);
    work->threads = aligned_alloc(64, threads * sizeof *work->threads);
    if (!work->threads)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for the counters of %zu threads", call, threads);
    memset(work->threads, 0, threads * sizeof *work->threads);
    uh_status status = uhi_store_add(call, queue, sums.store, &source, work->points->n, work->points->values);
    for (size_t t = 0; !status && t < threads; t++)
        add_counters(sums.counters, &work->threads[t].counters);
    free(work->threads);
    return status;
}

/* ---- counts, few points: nothing but a block ---- */

static void count_directly(const struct work *all, struct uhi_histogramdd_sums sums) {
    struct thread_counters counters = {0};
    struct work own = *all;
    own.threads = &counters;
    const struct work *work = &own;
    _Alignas(64) uint32_t cell[UHI_FIND_BLOCK];
    uint64_t *counts = sums.store->counts;
    const size_t outside = sums.store->cells;
    for (size_t i = 0, n; i < work->points->n; i += n) {
        n = work->points->n - i < UHI_FIND_BLOCK ? work->points->n - i : UHI_FIND_BLOCK;
        find_cells(work, 0, i, n, cell);
        for (size_t j = 0; j < n; j++)
            counts[cell[j] == UHI_NO_CELL ? outside : cell[j]]++;
    }
    add_counters(sums.counters, &counters.counters);
}

/* ---- counts, many points: slots as digits ---- */

/* How many cells there are with slots as digits, 0 where they are too many. */
static size_t padded_cells(const struct uhi_histogramdd_points *points) {
    size_t cells = 1;
    for (size_t a = 0; a < points->naxes; a++) {
        cells *= (size_t)bins_of(points, a) + 3;
        if (cells > LARGEST_PADDED)
            return 0;
    }
    return cells;
}

/* Finds a block's cells and counts those of the block before meanwhile. */
static void find_block(const struct work *work, size_t from, size_t n, uint32_t *cell, const uint32_t *old,
                       size_t old_count, uint16_t *counts) {
    const struct uhi_histogramdd_points *points = work->points;
    const size_t unit = (size_t)UHI_FIND_SHARES * 16;
    size_t a = 0; /* there is one axis at least */
    do {
        const size_t left = points->naxes - a;
        const size_t share = left == 1 ? old_count : (old_count / unit + left - 1) / left * unit;
        const struct uhi_find find = {.cell = cell,
                                      .digits = bins_of(points, a) + 3,
                                      .first = a == 0,
                                      .old = old,
                                      .old_count = share,
                                      .counts = counts};
        work->find->find(&points->plan[a]->tables, uhi_values_part(points->x[a], from, n), &find);
        old += share;
        old_count -= share;
    } while (++a < points->naxes);
}

static void count_slab(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    const size_t slab = group->group_id[0];
    const size_t end = work->from + uhi_slab_start(work->n, work->slabs, slab + 1);
    uint32_t *wide = work->wide + slab * work->pitch;
    uint16_t *narrow = work->narrow + slab * work->pitch;
    _Alignas(64) uint32_t cell[2][UHI_FIND_BLOCK];
    size_t blocks = 0, waiting = 0, last = 0; /* cells of the block before, not counted yet */
    memset(wide, 0, work->pitch * sizeof *wide);
    memset(narrow, 0, work->pitch * sizeof *narrow);
    for (size_t i = work->from + uhi_slab_start(work->n, work->slabs, slab), n; i < end; i += n) {
        n = end - i < UHI_FIND_BLOCK ? end - i : UHI_FIND_BLOCK;
        find_block(work, i, n, cell[blocks & 1], cell[~blocks & 1], waiting, narrow);
        waiting = n;
        last = blocks++ & 1;
        if (blocks % NARROW_BLOCKS == 0)
            work->host->widen(narrow, work->pitch, wide);
    }
    for (size_t i = 0; i < waiting; i++)
        narrow[cell[last][i]]++; /* NOLINT(clang-analyzer-core.uninitialized.ArraySubscript): the last block's */
    work->host->widen(narrow, work->pitch, wide);
}

/* Adds up one cell of the threads' tables, whose digits are given, and brings it to where it belongs. */
static void settle_cell(const struct work *work, size_t padded, const uint32_t *slot,
                        struct uhi_histogramdd_sums sums) {
    const size_t naxes = work->points->naxes;
    uint64_t count = 0;
    size_t cell = 0;
    int inside = 1;
    for (size_t slab = 0; slab < work->slabs; slab++)
        count += work->wide[slab * work->pitch + padded];
    if (count == 0)
        return;
    for (size_t a = 0; a < naxes; a++) {
        const uint32_t bins = bins_of(work->points, a);
        cell = cell * bins + slot[a] - 1;
        if (slot[a] - 1 >= bins) {
            inside = 0;
            sums.counters->flow[a][slot[a] == 0          ? UHI_FLOW_BELOW
                                   : slot[a] == bins + 1 ? UHI_FLOW_ABOVE
                                                         : UHI_FLOW_NAN] += count;
        }
    }
    sums.store->counts[inside ? cell : sums.store->cells] += count;
    sums.counters->outside += inside ? 0 : count;
    sums.counters->points += count;
}

static void settle_padded(const struct work *work, struct uhi_histogramdd_sums sums) {
    uint32_t slot[UH_MAX_AXES] = {0};
    for (size_t i = 0; i < work->padded; i++) {
        settle_cell(work, i, slot, sums);
        for (size_t a = work->points->naxes; a-- > 0;) { /* the next number */
            if (++slot[a] < bins_of(work->points, a) + 3)
                break;
            slot[a] = 0;
        }
    }
}

static uh_status count_padded(const char *call, uh_queue *queue, struct work *work, struct uhi_histogramdd_sums sums,
                              struct uhi_histogramdd_scratch *scratch) {
    const size_t n = work->points->n, most = WIDE_POINTS * work->slabs;
    work->pitch = (work->padded + 31) / 32 * 32;
    work->wide = scratch_take(call, scratch, work->slabs * work->pitch * (sizeof *work->wide + sizeof *work->narrow));
    if (!work->wide)
        return UH_ERROR_OUT_OF_MEMORY;
    work->narrow = (uint16_t *)(work->wide + work->slabs * work->pitch);
    for (work->from = 0; work->from < n; work->from += work->n) {
        work->n = n - work->from < most ? n - work->from : most;
        uh_status status = uhi_host_run(queue, count_slab, "histogramdd: count", work, work->slabs);
        if (status)
            return status;
        settle_padded(work, sums);
    }
    return UH_SUCCESS;
}

/* ---- whichever ---- */

/* Whether the host can read the points: they may not lie in another device's memory. */
static uh_status check_host_points(const char *call, const uh_queue *queue,
                                   const struct uhi_histogramdd_points *points) {
    uh_status status = UH_SUCCESS;
    for (size_t a = 0; a <= points->naxes && !status; a++) {
        char argument[48] = "values->data";
        struct uhi_values x;
        size_t size, bytes;
        const char *first;
        if (a < points->naxes) {
            x = points->x[a];
            size = points->plan[a]->tables.value_bytes;
            snprintf(argument, sizeof argument, "coordinates[%zu].data", a);
        } else if (points->values) {
            x = (struct uhi_values){points->values->data, points->n, points->values->stride};
            size = uh_dtype_size(points->values->dtype);
        } else {
            break;
        }
        uhi_values_extent(x, size, &first, &bytes);
        status = uhi_memory_check_copy(call, argument, uh_queue_get_device(queue), first, bytes);
    }
    return status;
}

static uh_status add_on_host(const char *call, uh_queue *queue, const struct uhi_histogramdd_points *points,
                             struct uhi_histogramdd_sums sums, struct uhi_histogramdd_scratch *scratch) {
    struct work work = {.find = uhi_histogram_host(), .host = uhi_histogramdd_host(), .points = points};
    uh_status status = check_host_points(call, queue, points);
    if (status)
        return status;
    if (uhi_store_storage(sums.store) != UH_STORAGE_COUNT)
        return add_by_store(call, queue, &work, sums);
    work.slabs = uhi_host_slabs(queue, points->n, POINTS_A_THREAD);
    work.padded = padded_cells(points);
    if (points->n <= DIRECT_POINTS) {
        count_directly(&work, sums);
        return UH_SUCCESS;
    }
    if (work.padded > 0 && points->n / work.slabs >= 2 * work.padded)
        return count_padded(call, queue, &work, sums, scratch);
    return add_by_store(call, queue, &work, sums);
}

static uh_status get_device(const char *call, uh_queue *queue, struct uhi_histogramdd_sums sums,
                            struct uhi_histogramdd_scratch *scratch) {
    return scratch->device ? UH_SUCCESS : uhi_histogramdd_device_create(call, queue, sums.store, &scratch->device);
}

uh_status uhi_histogramdd_ready(const char *call, uh_queue *queue, const struct uhi_histogramdd_points *points,
                                struct uhi_histogramdd_sums sums, struct uhi_histogramdd_scratch *scratch) {
    if (!uhi_runs_modules(queue))
        return UH_SUCCESS;
    uh_status status = get_device(call, queue, sums, scratch);
    return status ? status : uhi_histogramdd_device_prepare(call, scratch->device, points);
}

uh_status uhi_histogramdd_add(const char *call, uh_queue *queue, const struct uhi_histogramdd_points *points,
                              struct uhi_histogramdd_sums sums, struct uhi_histogramdd_scratch *scratch) {
    if (!uhi_runs_modules(queue))
        return add_on_host(call, queue, points, sums, scratch);
    uh_status status = get_device(call, queue, sums, scratch);
    return status ? status : uhi_histogramdd_device_add(call, scratch->device, points, sums);
}

uh_status uhi_histogramdd_settle(const char *call, struct uhi_histogramdd_sums sums,
                                 struct uhi_histogramdd_scratch *scratch) {
    return scratch->device ? uhi_histogramdd_device_settle(call, scratch->device, sums) : UH_SUCCESS;
}

void uhi_histogramdd_forget(struct uhi_histogramdd_scratch *scratch) {
    if (scratch->device)
        uhi_histogramdd_device_reset(scratch->device);
}
