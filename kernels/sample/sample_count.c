/* SPDX-License-Identifier: Apache-2.0 */
/* Samples that are counted as they are drawn, without being stored. */
#include <stdlib.h>
#include <string.h>

#include "kernels/common/shape.h"
#include "kernels/registry.h"
#include "kernels/sample/sample_run.h"
#include "kernels/sample/tuning.h"
#include "runtime/status.h"

/* ---- on the host ---- */

enum { PAD = 16 /* tables begin in different cache sets */ };

struct threads {
    const struct uhi_sample_host *host;
    struct uhi_sample_look look;
    uint64_t offset, n; /* of this batch */
    uint64_t *counts;
    size_t length;
    uint32_t *tables; /* part p: `replicas` from p * replicas * pitch on */
    size_t pitch, replicas;
};

static void count_part(const void *context, size_t part, size_t parts) {
    const struct threads *t = context;
    const size_t counters = t->pitch * t->replicas;
    const uint64_t from = uhi_part_start(t->n, parts, part);
    uint32_t *tables = t->tables + part * counters;
    memset(tables, 0, counters * sizeof *tables);
    t->host->count(&t->look, t->offset + from, uhi_part_start(t->n, parts, part + 1) - from, tables, t->pitch,
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
    t->host->count_direct(&t->look, t->offset + from, uhi_part_start(t->n, parts, part + 1) - from, t->counts);
}

/* Makes the threads' tables if they pay off; if that fails, threads count without tables. */
static void make_tables(struct uhi_frame *frame, struct threads *t, size_t parts) {
    t->replicas = t->length <= UHI_SAMPLE_FOUR_TABLES ? 4 : t->length <= UHI_SAMPLE_TWO_TABLES ? 2 : 1;
    t->pitch = t->length + PAD;
    const size_t bytes = parts * t->replicas * t->pitch * sizeof *t->tables;
    if (t->look.parts == 1 && bytes <= UHI_SAMPLE_TABLES_BYTES &&
        t->length / UHI_SAMPLE_COUNTERS_A_SAMPLE <= t->n / parts)
        t->tables = uhi_frame_scratch(frame, bytes);
}

static uh_status count_on_host(struct uhi_frame *frame, void *context) {
    const struct uhi_sampling *sampling = context;
    const struct uhi_sampler_form *form = &sampling->sampler->form;
    const uint64_t n = frame->operands.n;
    const size_t parts = uhi_parts_for(frame->queue, n, UHI_SAMPLES_A_THREAD);
    const uint64_t max = (uint64_t)UHI_SAMPLES_A_BATCH * parts;
    struct threads t = {.host = uhi_sample_host(),
                        .look = uhi_sample_look_of(sampling),
                        .n = n,
                        .counts = sampling->counts,
                        .length = sampling->length};
    t.look.first = 0;
    if (form->uniform) {
        t.look.parts = 1;
        t.look.uniform = uhi_sample_uniform_job(form, sampling->seed);
    }
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

/* The launches of one call. */
struct launching {
    struct uhi_sampling sampling; /* first member: uhi_sample_launch_length takes this struct as its context */
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
static uh_status launch_one(const struct launching *launching, const struct uhi_sample_range *range, uh_event **done) {
    const uh_sampler *sampler = launching->sampling.sampler;
    const struct uhi_sample_part *part = &sampler->part[0];
    const struct uhi_shape *shape = &launching->shape;
    const char *where = uhi_shape_tier_name(shape->tier);
    struct uhi_sample_words words;
    uh_arg args[UHI_SAMPLE_ARGS + 6];
    uh_kernel *kernel = NULL;
    UHI_TRY(uhi_sample_kernel(sampler->frame.engine, "count", part, where, &kernel));
    size_t count = uhi_sample_args(part, range, &words, args);
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
static uh_status launch_together(const struct launching *launching, const struct uhi_sample_range *range,
                                 uh_event **done) {
    const uh_sampler *sampler = launching->sampling.sampler;
    const struct uhi_shape *shape = &launching->shape;
    uh_kernel *kernel = NULL;
    UHI_TRY(uhi_engine_kernel(sampler->frame.engine, "count_outcomes", &kernel));
    for (size_t d = 0; d < sampler->form.parts; d++)
        UHI_TRY(uhi_sample_launch_draw(sampler, d, range, 0, 0, launching->together, NULL));
    const uh_arg args[] = {uh_arg_pointer(launching->together), UHI_ARG(range->n),
                           uh_arg_pointer(sampler->counters.words), UHI_ARG(launching->bins),
                           UHI_ARG(shape->private_tables)};
    return uhi_engine_run(sampler->frame.engine, kernel, uhi_shape_groups(shape, range->n), shape->group_size, args, 5,
                          NULL, done);
}

static uh_status launch_counts(void *context, const struct uhi_piece *piece) {
    const struct launching *launching = context;
    const struct uhi_sample_range range = {
        .seed = launching->sampling.seed, .offset = launching->sampling.offset + piece->from, .n = (uint32_t)piece->n};
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
        status = uhi_counters_add(counters, &pieces, launch_counts, uhi_sample_launch_length, launching, counts);
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
