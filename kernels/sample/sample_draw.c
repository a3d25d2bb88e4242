/* SPDX-License-Identifier: Apache-2.0 */
/* Samples, stored in memory, or counted as they are drawn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/shape.h"
#include "kernels/registry.h"
#include "kernels/sample/sample_run.h"
#include "kernels/sample/tuning.h"
#include "runtime/status.h"

enum { BLOCKS_IN_A_HALF_LOG = 34 /* 2^this samples are in blocks whose numbers have the same high half */ };

struct uhi_random_job uhi_sample_uniform_job(const struct uhi_sampler_form *form, uint64_t seed) {
    const uint64_t bound = uhi_sampler_size(form);
    return (struct uhi_random_job){.generator = UH_PHILOX4X32_10,
                                   .kind = UHI_RANDOM_BOUNDED_32,
                                   .seed = seed,
                                   .stream = UHI_SAMPLE_STREAM_UNIFORM,
                                   .bound = bound,
                                   .min_accepted = uhi_random_min_accepted(UHI_RANDOM_BOUNDED_32, bound)};
}

/* ---- stored samples, on the host ---- */

/* Work of host threads: drawing, or counting. */
struct threads {
    struct uhi_sample_look look;
    uint64_t offset, n; /* of this batch */
    int wide;
    char *out;
    uint64_t *counts;
    size_t length;
    uint32_t *tables; /* part p: `replicas` from p * replicas * pitch on */
    size_t pitch, replicas;
};

static void draw_part(const void *context, size_t part, size_t parts) {
    const struct threads *t = context;
    const size_t from = uhi_part_start(t->n, parts, part);
    uhi_sample_host()->draw(&t->look, t->offset + from, uhi_part_start(t->n, parts, part + 1) - from, t->wide,
                            t->out + from * (t->wide ? sizeof(uint64_t) : sizeof(uint32_t)));
}

static uh_status draw_on_host(struct uhi_frame *frame, void *context) {
    const struct uhi_sampling *sampling = context;
    const struct uhi_sampler_form *form = &sampling->sampler->form;
    const struct uhi_operand *out = &frame->operands.out;
    const struct threads t = {
        .look = {.form = form, .first = (uint64_t)form->first, .seed = sampling->seed, .scalar_loads = uhi_loads_win()},
        .offset = sampling->offset,
        .n = out->x.n,
        .wide = sampling->wide,
        .out = (char *)(uintptr_t)out->x.first};
    return uhi_frame_parallel(frame, "sample: draw", draw_part, &t, t.n, UHI_SAMPLES_A_THREAD);
}

/* ---- on a device ---- */

/* Returns how many of `n` samples, starting at number `from` of a call, one launch makes. The next launch then begins
 * with a whole block, which is stored as vectors, and all block numbers of a launch have the same high half, so that
 * kernels compute its contribution once. `context` is the struct uhi_sampling. */
static size_t launch_length(const void *context, size_t from, size_t n) {
    const struct uhi_sampling *sampling = context;
    const uint64_t half = (uint64_t)1 << BLOCKS_IN_A_HALF_LOG, offset = sampling->offset + from,
                   left = half - (offset & (half - 1));
    if (from + n < sampling->sampler->frame.operands.n)
        n -= (offset + n) & 3;
    return left < n ? (size_t)left : n;
}

/* The n samples of a launch, from word `phase` of a block on. */
struct range {
    uint64_t seed, block;
    uint32_t phase, n;
};

static struct range range_of(const struct uhi_sampling *sampling, const struct uhi_piece *piece) {
    const uint64_t offset = sampling->offset + piece->from;
    return (struct range){sampling->seed, offset >> 2, (uint32_t)offset & 3, (uint32_t)piece->n};
}

/* Stores the arguments for a table and samples, which must live until the launch; returns their number. */
enum { TABLE_ARGS = 12 };
static size_t begin_args(const struct uhi_sample_part *part, const struct range *range, uh_arg *args) {
    const uh_arg first[TABLE_ARGS] = {
        uh_arg_pointer(part->front), UHI_ARG(part->words),
        UHI_ARG(part->bits),         UHI_ARG(part->more),
        UHI_ARG(part->items),        uh_arg_pointer(part->top),
        uh_arg_pointer(part->low),   UHI_ARG(range->seed), /* little-endian: low and high half */
        UHI_ARG(part->stream),       UHI_ARG(range->block),
        UHI_ARG(range->phase),       UHI_ARG(range->n)};
    memcpy(args, first, sizeof first);
    return TABLE_ARGS;
}

/* Returns the kernel `what`_METHOD_`where` for the part's METHOD; it must not be freed. */
static uh_status find_kernel(struct uhi_engine *engine, const char *what, const struct uhi_sample_part *part,
                             const char *where, uh_kernel **kernel) {
    char name[48];
    snprintf(name, sizeof name, "%s_%s_%s", what, part->method, where);
    return uhi_engine_kernel(engine, name, kernel);
}

int uhi_sample_fits_local(const struct uhi_engine *engine, const struct uhi_sample_part *part) {
    return (uint64_t)part->words * sizeof *part->front <= engine->properties.local_memory / 2;
}

/* Draws one part of samples: stores (digit 0) or adds 32 or 64 bits per sample at `out`, which the device can
 * access. */
static uh_status launch_draw(const uh_sampler *sampler, size_t digit, const struct range *range, int wide,
                             uint64_t first, void *out, uh_event **event) {
    struct uhi_engine *engine = sampler->frame.engine;
    const struct uhi_sample_part *part = &sampler->part[digit];
    const uint64_t bytes = (uint64_t)part->words * sizeof *part->front,
                   pays = (uint64_t)part->words * UHI_SAMPLES_A_WORD;
    const int local = uhi_sample_fits_local(engine, part) && range->n >= pays;
    const size_t group_size = uhi_engine_group_size(engine), size = wide ? sizeof first : 4;
    size_t groups = uhi_groups_for(uhi_engine_groups(engine, group_size), group_size, range->n);
    const uint32_t add = digit > 0, further = add || part->shift || first || part->map, first_32 = (uint32_t)first;
    uh_arg args[TABLE_ARGS + 8];
    uh_kernel *kernel = NULL;
    UHI_TRY(find_kernel(engine, "draw", part,
                        local ? (wide ? "local_64" : "local_32") : (wide ? "global_64" : "global_32"), &kernel));
    size_t count = begin_args(part, range, args);
    /* Vectors are stored if they are aligned and all their samples are wanted. */
    const int aligned = ((uintptr_t)out - range->phase * size) % (4 * size) == 0;
    const uint32_t vectors = aligned && range->n > 3 ? range->n - 3 : 0;
    args[count++] = uh_arg_pointer(part->map);
    args[count++] = UHI_ARG(further);
    args[count++] = UHI_ARG(part->shift);
    args[count++] = UHI_ARG(add);
    args[count++] = wide ? UHI_ARG(first) : UHI_ARG(first_32);
    args[count++] = UHI_ARG(vectors);
    args[count++] = uh_arg_pointer(out);
    if (local) {
        args[count++] = uh_arg_local(bytes);
        groups = groups < range->n / pays ? groups : range->n / pays;
    }
    return uhi_engine_run(engine, kernel, groups, group_size, args, count, NULL, event);
}

static uh_status launch_samples(void *context, const struct uhi_piece *piece) {
    const struct uhi_sampling *sampling = context;
    const uh_sampler *sampler = sampling->sampler;
    const struct range range = range_of(sampling, piece);
    for (size_t d = 0; d < sampler->form.parts; d++)
        UHI_TRY(launch_draw(sampler, d, &range, sampling->wide, d == 0 ? (uint64_t)sampler->form.first : 0, piece->out,
                            d + 1 == sampler->form.parts ? piece->done : NULL));
    return UH_SUCCESS;
}

static uh_status draw_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_pieces pieces;
    UHI_TRY(uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands, UHI_SAMPLES_A_LAUNCH));
    uh_status status = uhi_pieces_for_each(&pieces, launch_samples, launch_length, context);
    return uhi_pieces_finish(&pieces, status);
}

const struct uhi_stage uhi_sample_draw = {"sample: draw", draw_on_host, draw_on_device};

/* ---- counts, on the host ---- */

enum { PAD = 16 /* tables begin in different cache sets */ };

static void count_part(const void *context, size_t part, size_t parts) {
    const struct threads *t = context;
    const size_t counters = t->pitch * t->replicas;
    const uint64_t from = uhi_part_start(t->n, parts, part);
    uint32_t *tables = t->tables + part * counters;
    memset(tables, 0, counters * sizeof *tables);
    uhi_sample_host()->count(&t->look, t->offset + from, uhi_part_start(t->n, parts, part + 1) - from, tables, t->pitch,
                             t->replicas);
}

static void join_part(const void *context, size_t part, size_t parts) {
    const struct threads *t = context;
    const size_t from = uhi_part_start(t->length, parts, part), to = uhi_part_start(t->length, parts, part + 1);
    for (size_t i = 0; i < parts * t->replicas; i++) {
        const uint32_t *table = t->tables + i * t->pitch;
        for (size_t j = from; j < to; j++)
            t->counts[j] += table[j];
    }
}

static void count_part_directly(const void *context, size_t part, size_t parts) {
    const struct threads *t = context;
    const uint64_t from = uhi_part_start(t->n, parts, part);
    uhi_sample_host()->count_direct(&t->look, t->offset + from, uhi_part_start(t->n, parts, part + 1) - from,
                                    t->counts);
}

/* Makes the threads' tables if they pay off; if that fails, threads count without tables. */
static void make_tables(struct uhi_frame *frame, struct threads *t, size_t parts) {
    t->replicas = t->length <= UHI_SAMPLE_FOUR_TABLES ? 4 : t->length <= UHI_SAMPLE_TWO_TABLES ? 2 : 1;
    t->pitch = t->length + PAD;
    const size_t bytes = parts * t->replicas * t->pitch * sizeof *t->tables;
    if (t->look.form->parts <= 1 && bytes <= UHI_SAMPLE_TABLES_BYTES &&
        t->length / UHI_SAMPLE_COUNTERS_A_SAMPLE <= t->n / parts)
        t->tables = uhi_frame_scratch(frame, bytes);
}

static uh_status count_on_host(struct uhi_frame *frame, void *context) {
    const struct uhi_sampling *sampling = context;
    const struct uhi_sampler_form *form = &sampling->sampler->form;
    const uint64_t n = frame->operands.n;
    const size_t parts = uhi_parts_for(frame->queue, n, UHI_SAMPLES_A_THREAD);
    const uint64_t max = (uint64_t)UHI_SAMPLES_A_BATCH * parts;
    struct threads t = {.look = {.form = form, .seed = sampling->seed, .scalar_loads = uhi_loads_win()},
                        .n = n,
                        .counts = sampling->counts,
                        .length = sampling->length};
    if (form->uniform)
        t.look.uniform = uhi_sample_uniform_job(form, sampling->seed);
    make_tables(frame, &t, parts);
    memset(t.counts, 0, t.length * sizeof *t.counts);
    for (uint64_t at = 0; at < n; at += t.n) {
        t.offset = sampling->offset + at;
        t.n = n - at < max ? n - at : max;
        uhi_host_parallel(frame->queue, "sample: count", t.tables ? count_part : count_part_directly, &t, parts);
        if (t.tables)
            uhi_host_parallel(frame->queue, "sample: reduce", join_part, &t, parts);
    }
    return UH_SUCCESS;
}

/* ---- on a device ---- */

struct launching {
    struct uhi_sampling sampling; /* first member: launch_length takes this struct as its context */
    struct uhi_shape shape;
    uint32_t bins;
    uint32_t *together; /* on the device: samples of several parts; NULL for one part */
};

static struct uhi_shape shape_of(const uh_sampler *sampler, size_t bins) {
    const uint64_t front = sampler->part[0].words * sizeof(uint32_t);
    struct uhi_shape shape = uhi_engine_shape(sampler->frame.engine, UHI_TIERS_OF_VALUES, bins, front);
    if (front == 0 && shape.tier == UHI_TIER_LOCAL)
        shape.tier = UHI_TIER_MIXED;
    return shape;
}

/* Counts samples of one part. */
static uh_status launch_one(const struct launching *launching, const struct range *range, uh_event **done) {
    const uh_sampler *sampler = launching->sampling.sampler;
    const struct uhi_sample_part *part = &sampler->part[0];
    const struct uhi_shape *shape = &launching->shape;
    const char *where = uhi_shape_tier_name(shape->tier);
    uh_arg args[TABLE_ARGS + 6];
    uh_kernel *kernel = NULL;
    UHI_TRY(find_kernel(sampler->frame.engine, "count", part, where, &kernel));
    size_t count = begin_args(part, range, args);
    args[count++] = uh_arg_pointer(sampler->counters.words);
    args[count++] = UHI_ARG(launching->bins);
    if (shape->local_counts) {
        args[count++] = UHI_ARG(shape->spread);
        if (shape->tier == UHI_TIER_LOCAL)
            args[count++] = uh_arg_local(shape->local_tables);
        args[count++] = uh_arg_local(shape->local_counts);
    } else {
        args[count++] = UHI_ARG(shape->private_tables);
    }
    return uhi_engine_run(sampler->frame.engine, kernel, uhi_shape_groups(shape, range->n), shape->group_size, args,
                          count, NULL, done);
}

/* Combines samples of several parts, and counts them. */
static uh_status launch_together(const struct launching *launching, const struct range *range, uh_event **done) {
    const uh_sampler *sampler = launching->sampling.sampler;
    const struct uhi_shape *shape = &launching->shape;
    uh_kernel *kernel = NULL;
    UHI_TRY(uhi_engine_kernel(sampler->frame.engine, "count_outcomes", &kernel));
    for (size_t d = 0; d < sampler->form.parts; d++)
        UHI_TRY(launch_draw(sampler, d, range, 0, 0, launching->together, NULL));
    const uh_arg args[] = {uh_arg_pointer(launching->together), UHI_ARG(range->n),
                           uh_arg_pointer(sampler->counters.words), UHI_ARG(launching->bins),
                           UHI_ARG(shape->private_tables)};
    return uhi_engine_run(sampler->frame.engine, kernel, uhi_shape_groups(shape, range->n), shape->group_size, args, 5,
                          NULL, done);
}

static uh_status launch_counts(void *context, const struct uhi_piece *piece) {
    const struct launching *launching = context;
    const struct range range = range_of(&launching->sampling, piece);
    return launching->together ? launch_together(launching, &range, piece->done)
                               : launch_one(launching, &range, piece->done);
}

/* Adds to counts of ranks. */
static uh_status count_bins(struct uhi_frame *frame, struct launching *launching, uint64_t *counts) {
    uh_sampler *sampler = launching->sampling.sampler;
    struct uhi_counters *counters = &sampler->counters;
    const int several = sampler->form.parts > 1;
    const size_t n = frame->operands.n;
    size_t max = several ? UHI_SAMPLES_TOGETHER : UHI_SAMPLES_A_LAUNCH;
    max = max < counters->max_pending ? max : counters->max_pending;
    struct uhi_pieces pieces;
    void *together = NULL;
    uh_status status =
        uhi_counters_ready(counters, frame->engine, frame->call, launching->bins, launching->shape.private_tables);
    if (!status && several)
        status = uhi_engine_scratch(frame->engine, (n < max ? n : max) * sizeof *launching->together, &together);
    launching->together = together;
    if (!status)
        status = uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands, max);
    if (!status)
        status = uhi_counters_add(counters, &pieces, launch_counts, launch_length, launching, counts);
    if (!status)
        status = uhi_counters_read(counters, frame->engine, counts);
    if (status) {
        uhi_engine_quiesce(frame->engine);
        uhi_counters_discard(counters, frame->engine);
    }
    return status;
}

static uh_status count_on_device(struct uhi_frame *frame, void *context) {
    const struct uhi_sampling *sampling = context;
    const uh_sampler *sampler = sampling->sampler;
    const int several = sampler->form.parts > 1;
    const uint32_t *outcomes = several ? NULL : sampler->part[0].outcomes;
    struct launching launching = {.sampling = *sampling,
                                  .bins = several ? (uint32_t)sampling->length : sampler->part[0].bins};
    launching.shape = shape_of(sampler, launching.bins);
    const uint64_t mine = sampler->counters.room * sizeof *sampler->counters.words;
    const uh_status room = uhi_memory_room_shape(frame->engine, launching.bins, mine, &launching.shape);
    if (room)
        return room;
    uint64_t *counts = calloc(launching.bins, sizeof *counts);
    if (!counts)
        return uhi_fail_memory(frame->call, "no memory for %u counts", (unsigned)launching.bins);
    uh_status status = count_bins(frame, &launching, counts);
    if (!status) {
        memset(sampling->counts, 0, sampling->length * sizeof *counts);
        for (size_t bin = 0; bin < launching.bins; bin++)
            sampling->counts[outcomes ? outcomes[bin] : bin] = counts[bin];
    }
    free(counts);
    return status;
}

const struct uhi_stage uhi_sample_count = {"sample: count", count_on_host, count_on_device};

int uhi_sample_count_text(const uh_sampler *sampler, char *text, size_t size) {
    const struct uhi_shape shape = shape_of(sampler, sampler->part[0].bins);
    return uhi_shape_text(&shape, text, size);
}
