/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/bincount/bincount_run.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/bincount/extent.h"
#include "kernels/bincount/extent_run.h"
#include "kernels/bincount/tuning.h"
#include "kernels/common/shape.h"
#include "kernels/registry.h"
#include "runtime/status.h"

enum { BYTE_BINS = 256 };

/* Bins are numbers of 32 bits on a device, and so are the places of all its tables together. */
#define MAX_DEVICE_BINS ((uint64_t)1 << 31)

void uhi_bincount_open(struct uhi_bincount *count, uh_queue *queue, struct uhi_bincount_limit limit, uh_sum sum) {
    *count = (struct uhi_bincount){
        .limit = limit, .batch = UHI_BINCOUNT_BATCH, .counters.max_pending = UINT32_MAX, .sum = sum};
    uhi_frame_open(&count->frame, queue, uhi_bincount_variants());
}

void uhi_bincount_close(struct uhi_bincount *count) {
    uhi_store_destroy(count->store);
    if (count->frame.engine)
        uhi_engine_quiesce(count->frame.engine);
    uhi_counters_free(&count->counters);
    uhi_frame_close(&count->frame);
    free(count->counts);
}

void uhi_bincount_clear(struct uhi_bincount *count) {
    if (count->counts)
        memset(count->counts, 0, count->length * sizeof *count->counts);
    if (count->store)
        uhi_store_clear(count->store);
    count->length = 0;
}

static uh_status reserve(struct uhi_bincount *count, size_t length) {
    if (length <= count->room)
        return UH_SUCCESS;
    /* Where it grows it grows by half, so that growing step by step copies each count a few times only. */
    size_t room = count->room + count->room / 2;
    room = room > length ? room : length;
    uint64_t *grown = calloc(room, sizeof *grown);
    if (!grown)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu counts", count->frame.call, length);
    if (count->length)
        memcpy(grown, count->counts, count->length * sizeof *grown);
    free(count->counts);
    count->counts = grown;
    count->room = room;
    return UH_SUCCESS;
}

static void lengthen(struct uhi_bincount *count, size_t length) {
    count->length = length > count->length ? length : count->length;
}

struct counting {
    struct uhi_bincount *count;
    uh_dtype dtype;
};

/* ---- on the host ------------------------------------------------------------------------------------------------- */

/* What a thread counts its part in. */
struct tables {
    uint32_t *first; /* UHI_BINCOUNT_REPLICAS of them, `pitch` apart, or one where that is 0 */
    size_t capacity, pitch;
    size_t length; /* the largest value + 1 */
    enum { COUNTED, TOO_LARGE, NO_MEMORY } outcome;
};

/* One call, as its threads see it. */
struct work {
    const struct uhi_bincount_host *host;
    size_t size; /* of a value */
    struct uhi_values x;
    size_t parts;
    size_t first_bins, max_bins; /* powers of two */
    struct tables *tables;       /* of each part */
    uint64_t *counts;
    size_t length;
};

static struct uhi_values part_values(const struct work *work, size_t part, size_t parts) {
    const size_t from = uhi_part_start(work->x.n, parts, part);
    return uhi_values_part(work->x, from, uhi_part_start(work->x.n, parts, part + 1) - from);
}

/* ---- counting where the result is ---- */

static void count_part_direct(const void *context, size_t part, size_t parts) {
    const struct work *work = context;
    const struct uhi_values x = part_values(work, part, parts);
    work->host->count_direct(work->size, x.first, x.n, work->counts, parts > 1);
}

/* For few values, and for results so large that each thread's own would be too much. */
static uh_status count_direct(const struct counting *counting, struct work *work) {
    struct uhi_bincount *count = counting->count;
    uint64_t largest = 0;
    uh_status status = uhi_bincount_find_largest(&count->frame, counting->dtype, count->limit, &largest);
    if (!status)
        status = reserve(count, largest + 1);
    if (status)
        return status;
    work->counts = count->counts;
    uhi_host_parallel(count->frame.queue, "bincount: count", count_part_direct, work, work->parts);
    lengthen(count, largest + 1);
    return UH_SUCCESS;
}

/* ---- counting in the threads' own tables ---- */

static size_t counters_of(size_t capacity, size_t pitch) {
    return pitch ? UHI_BINCOUNT_REPLICAS * pitch : capacity;
}

/* Makes room for values below `capacity`, which is more than there is; what has been counted goes along. */
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

/* Counts until it is through, or a value comes for which no table of its own is large enough. */
static void count_part(const void *context, size_t part, size_t parts) {
    const struct work *work = context;
    const struct uhi_values x = part_values(work, part, parts);
    struct tables *tables = &work->tables[part];
    tables->outcome = COUNTED;
    if (tables->first)
        memset(tables->first, 0, counters_of(tables->capacity, tables->pitch) * sizeof *tables->first);
    else if (grow(tables, work->first_bins))
        tables->outcome = NO_MEMORY;
    for (size_t i = 0; tables->outcome == COUNTED;) {
        const char *rest = x.first + i * work->size;
        i += work->host->count(work->size, rest, x.n - i, tables->first, tables->pitch, tables->capacity);
        if (i == x.n)
            break;
        const size_t seen = x.n - i < UHI_BINCOUNT_SEEN ? x.n - i : UHI_BINCOUNT_SEEN;
        const uint64_t largest = work->host->largest(work->size, x.first + i * work->size, seen);
        if (largest >= work->max_bins)
            tables->outcome = TOO_LARGE;
        else if (grow(tables, 2 * uhi_power_of_two(largest)))
            tables->outcome = NO_MEMORY;
    }
    tables->length = tables->outcome == COUNTED ? length_of(tables) : 0;
}

/* Adds a share of the bins up over all tables. */
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

/* Counts one batch, and adds it to the result if all of its values may be counted. *too_large: nothing is added, as a
 * value came that is too large for tables. */
static uh_status count_batch(const struct counting *counting, struct work *work, int *too_large) {
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
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for the tables of %zu threads", count->frame.call,
                        work->parts);
    if (*too_large)
        return UH_SUCCESS;
    if (work->length > 0 && work->length - 1 > uhi_bincount_allowed(counting->dtype, count->limit))
        return uhi_bincount_refuse(&count->frame, counting->dtype, count->limit);
    uh_status status = reserve(count, work->length);
    if (status)
        return status;
    work->counts = count->counts;
    lengthen(count, work->length);
    uhi_host_parallel(count->frame.queue, "bincount: add", add_bins, work,
                      work->parts * work->length > UHI_BINCOUNT_SHARED_ADDING ? work->parts : 1);
    return UH_SUCCESS;
}

/* More values than the tables may hold: all are looked at first, so that no batch fails when others are counted. The
 * first one leaves tables that are large enough for the others. */
static uh_status count_batches(const struct counting *counting, struct work *work, size_t batch) {
    struct uhi_bincount *count = counting->count;
    const struct uhi_values all = work->x;
    uint64_t largest = 0;
    int too_large = 0;
    uh_status status = uhi_bincount_find_largest(&count->frame, counting->dtype, count->limit, &largest);
    if (!status && largest >= work->max_bins)
        return count_direct(counting, work);
    if (!status)
        status = reserve(count, largest + 1);
    if (status)
        return status;
    work->first_bins = largest < work->first_bins ? work->first_bins : 2 * uhi_power_of_two(largest);
    for (size_t from = 0; from < all.n && !status; from += work->x.n) {
        work->x = uhi_values_part(all, from, all.n - from < batch ? all.n - from : batch);
        status = count_batch(counting, work, &too_large);
    }
    return status;
}

/* How large tables may become: a power of two that has room for whatever may come, but no more than is worth it. */
static size_t max_bins(uint64_t allowed, const struct work *work) {
    const size_t each = 2 * (work->x.n / work->parts);
    const size_t worth = each > UHI_BINCOUNT_REPLICA_BINS ? each : UHI_BINCOUNT_REPLICA_BINS;
    const size_t fits = UHI_BINCOUNT_PRIVATE_BYTES / sizeof(uint32_t) / work->parts;
    size_t max = uhi_power_of_two(worth < fits ? worth : fits);
    if (allowed < max)
        max = allowed ? 2 * uhi_power_of_two(allowed) : 1;
    return max < BYTE_BINS ? BYTE_BINS : max;
}

static uh_status count_on_host(struct uhi_frame *frame, void *context) {
    const struct counting *counting = context;
    const struct uhi_bincount *count = counting->count;
    struct work work = {.host = uhi_bincount_host(),
                        .size = uhi_value_size(counting->dtype),
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

/* ---- on a device ------------------------------------------------------------------------------------------------- */

/* The launches of one call. */
struct launching {
    struct uhi_engine *engine;
    struct uhi_counters *counters;
    struct uhi_shape shape;
    uh_kernel *kernel;
    void *beyond; /* a word that tells whether a value had no bin */
};

static uh_status launch_count(void *context, const struct uhi_piece *piece) {
    const struct launching *launching = context;
    const struct uhi_shape *shape = &launching->shape;
    const uint64_t n = piece->n;
    const uint32_t bins = (uint32_t)launching->counters->count, tables = (uint32_t)launching->counters->tables;
    uh_arg args[8] = {uh_arg_pointer(piece->in[0]), uh_arg_value(&n, sizeof n),
                      uh_arg_pointer(launching->counters->words), uh_arg_value(&bins, sizeof bins),
                      uh_arg_pointer(launching->beyond)};
    size_t nargs = 5;
    if (shape->local_counts) {
        args[nargs++] = uh_arg_value(&shape->pitch, sizeof shape->pitch);
        args[nargs++] = uh_arg_value(&shape->replicas, sizeof shape->replicas);
        args[nargs++] = uh_arg_local(shape->local_counts);
    } else {
        args[nargs++] = uh_arg_value(&tables, sizeof tables);
    }
    return uhi_engine_run(launching->engine, launching->kernel, uhi_shape_groups(shape, n), shape->group_size, args,
                          nargs, piece->ready[0], piece->done);
}

/* What is to be ready before values of `bins` bins are counted. */
static uh_status prepare(const struct counting *counting, size_t bins, struct launching *launching) {
    struct uhi_engine *engine = launching->engine;
    const char *call = counting->count->frame.call;
    const uint32_t zero = 0;
    launching->shape = uhi_shape_choose(bins, 0, &engine->properties);
    uh_status status = uhi_bincount_kernel(engine, launching->shape.local_counts ? "count_local" : "count_global",
                                           counting->dtype, &launching->kernel);
    if (!status)
        status = uhi_counters_ready(launching->counters, engine, call, bins, launching->shape.private_tables);
    if (!status)
        status = uhi_engine_scratch(engine, sizeof zero, &launching->beyond);
    return status ? status : uh_fill(engine->queue, launching->beyond, &zero, sizeof zero, 1, NULL, 0, NULL);
}

/* Counts to counts[bins]; *beyond: a value had no bin. */
static uh_status count_bins(const struct counting *counting, size_t bins, uint64_t *counts, uint32_t *beyond) {
    struct uhi_frame *frame = &counting->count->frame;
    struct launching launching = {.engine = frame->engine, .counters = &counting->count->counters};
    struct uhi_pieces pieces;
    uh_status status = prepare(counting, bins, &launching);
    if (!status)
        status =
            uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands, launching.counters->max_pending);
    if (!status)
        status = uhi_counters_add(launching.counters, &pieces, launch_count, NULL, &launching, counts);
    if (!status)
        status = uhi_counters_read(launching.counters, frame->engine, counts);
    if (!status)
        status = uhi_engine_fetch(frame->engine, beyond, launching.beyond, sizeof *beyond);
    if (status) {
        uhi_engine_quiesce(frame->engine);
        uhi_counters_forget(launching.counters, frame->engine);
    }
    return status;
}

static uh_status add_counts(struct uhi_bincount *count, const uint64_t *counts, size_t bins) {
    while (bins > 0 && counts[bins - 1] == 0)
        bins--;
    uh_status status = reserve(count, bins);
    if (status)
        return status;
    for (size_t v = 0; v < bins; v++)
        count->counts[v] += counts[v];
    lengthen(count, bins);
    return UH_SUCCESS;
}

/* In one pass where the limit is given, else after one that finds the largest value. */
static uh_status count_on_device(struct uhi_frame *frame, void *context) {
    const struct counting *counting = context;
    struct uhi_bincount *count = counting->count;
    uint64_t largest = uhi_bincount_allowed(counting->dtype, count->limit);
    uint32_t beyond = 0;
    uh_status status = UH_SUCCESS;
    if (!count->limit.given)
        status = uhi_bincount_find_largest(frame, counting->dtype, count->limit, &largest);
    if (!status && largest >= MAX_DEVICE_BINS)
        status = uhi_fail(UH_ERROR_UNSUPPORTED,
                          "%s: the largest value is %llu, expected at most %llu on a device; the host counts more",
                          frame->call, (unsigned long long)largest, (unsigned long long)MAX_DEVICE_BINS - 1);
    if (status)
        return status;
    const size_t bins = (size_t)largest + 1;
    uint64_t *counts = calloc(bins, sizeof *counts);
    if (!counts)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu counts", frame->call, bins);
    status = count_bins(counting, bins, counts, &beyond);
    if (!status)
        status = beyond ? uhi_bincount_refuse(frame, counting->dtype, count->limit) : add_counts(count, counts, bins);
    free(counts);
    return status;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static const struct uhi_stage count_values = {"bincount: count", count_on_host, count_on_device};

uh_status uhi_bincount_begin(struct uhi_bincount *count, const char *call, uh_dtype dtype, const void *x, size_t n) {
    const size_t size = uhi_value_size(dtype);
    const struct uhi_values values = {.first = x, .n = n, .stride = (ptrdiff_t)size};
    uh_status status = uhi_frame_begin(&count->frame, call, n);
    return status ? status : uhi_frame_input(&count->frame, "x", values, size);
}

uh_status uhi_bincount_add(struct uhi_bincount *count, const char *call, uh_dtype dtype, const void *x, size_t n) {
    struct counting counting = {count, dtype};
    uh_status status = uhi_bincount_begin(count, call, dtype, x, n);
    return status ? status : uhi_frame_run(&count->frame, &count_values, &counting);
}

uh_status uhi_bincount_look(struct uhi_bincount *count, const char *call, uh_dtype dtype, const void *x, size_t n,
                            uint64_t *largest) {
    uh_status status = uhi_bincount_begin(count, call, dtype, x, n);
    return status ? status : uhi_bincount_find_largest(&count->frame, dtype, count->limit, largest);
}
