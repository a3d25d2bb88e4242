/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing samples into memory. */
#include <stdio.h>

#include "kernels/common/loads.h"
#include "kernels/registry.h"
#include "kernels/sample/sample_run.h"
#include "kernels/sample/tuning.h"
#include "runtime/status.h"

enum { BLOCKS_IN_A_HALF_LOG = 34 /* 2^this samples are in blocks whose numbers have the same high half */ };

struct uhi_random_job uhi_sample_uniform_job(const struct uhi_sampler_form *form, uint64_t seed) {
    const uint64_t bound = (uint64_t)form->last - (uint64_t)form->first + 1;
    return (struct uhi_random_job){.generator = UH_PHILOX4X32_10,
                                   .kind = UHI_RANDOM_BOUNDED_32,
                                   .seed = seed,
                                   .stream = UHI_SAMPLE_STREAM_UNIFORM,
                                   .bound = bound,
                                   .min_accepted = uhi_random_min_accepted(UHI_RANDOM_BOUNDED_32, bound)};
}

/* ---- on the host ---- */

struct uhi_sample_look uhi_sample_look_of(const struct uhi_sampling *sampling) {
    const struct uhi_sampler_form *form = &sampling->sampler->form;
    struct uhi_sample_look look = {
        .parts = form->parts, .first = (uint64_t)form->first, .seed = sampling->seed, .scalar_loads = uhi_loads_win()};
    for (size_t d = 0; d < look.parts; d++) {
        look.part[d] = form->part[d];
        look.shift[d] = form->shift[d];
    }
    return look;
}

struct drawing {
    const struct uhi_sample_host *host;
    struct uhi_sample_look look;
    uint64_t offset;
    size_t n;
    int wide;
    char *out;
};

static void draw_part(const void *context, size_t part, size_t parts) {
    const struct drawing *drawing = context;
    const size_t from = uhi_part_start(drawing->n, parts, part);
    drawing->host->draw(&drawing->look, drawing->offset + from, uhi_part_start(drawing->n, parts, part + 1) - from,
                        drawing->wide, drawing->out + from * (drawing->wide ? sizeof(uint64_t) : sizeof(uint32_t)));
}

static uh_status draw_on_host(struct uhi_frame *frame, void *context) {
    const struct uhi_sampling *sampling = context;
    const struct uhi_operand *out = &frame->operands.out;
    const struct drawing drawing = {.host = uhi_sample_host(),
                                    .look = uhi_sample_look_of(sampling),
                                    .offset = sampling->offset,
                                    .n = out->x.n,
                                    .wide = sampling->wide,
                                    .out = (char *)(uintptr_t)out->x.first};
    return uhi_frame_parallel(frame, "sample: draw", draw_part, &drawing, drawing.n, UHI_SAMPLES_A_THREAD);
}

/* ---- on a device ---- */

size_t uhi_sample_launch_length(const void *context, size_t from, size_t n) {
    const struct uhi_sampling *sampling = context;
    const uint64_t half = (uint64_t)1 << BLOCKS_IN_A_HALF_LOG, offset = sampling->offset + from,
                   left = half - (offset & (half - 1));
    if (from + n < sampling->sampler->frame.operands.n)
        n -= (offset + n) & 3;
    return left < n ? (size_t)left : n;
}

size_t uhi_sample_args(const struct uhi_sample_part *part, const struct uhi_sample_range *range,
                       struct uhi_sample_words *words, uh_arg *args) {
    size_t count = 0;
    words->stream = part->stream;
    words->block = range->offset >> 2;
    words->phase = (uint32_t)range->offset & 3;
    args[count++] = uh_arg_pointer(part->front);
    args[count++] = UHI_ARG(part->words);
    args[count++] = UHI_ARG(part->bits);
    args[count++] = UHI_ARG(part->more);
    args[count++] = UHI_ARG(part->items);
    args[count++] = uh_arg_pointer(part->top);
    args[count++] = uh_arg_pointer(part->low);
    args[count++] = UHI_ARG(range->seed); /* little-endian: low and high half */
    args[count++] = UHI_ARG(words->stream);
    args[count++] = UHI_ARG(words->block);
    args[count++] = UHI_ARG(words->phase);
    args[count++] = UHI_ARG(range->n);
    return count;
}

uh_status uhi_sample_kernel(struct uhi_engine *engine, const char *what, const struct uhi_sample_part *part,
                            const char *where, uh_kernel **kernel) {
    char name[48];
    snprintf(name, sizeof name, "%s_%s_%s", what, part->method, where);
    return uhi_engine_kernel(engine, name, kernel);
}

int uhi_sample_fits_local(const struct uhi_engine *engine, const struct uhi_sample_part *part) {
    return (uint64_t)part->words * sizeof *part->front <= engine->properties.local_memory / 2;
}

uh_status uhi_sample_launch_draw(const uh_sampler *sampler, size_t digit, const struct uhi_sample_range *range,
                                 int wide, uint64_t first, void *out, uh_event **event) {
    struct uhi_engine *engine = sampler->frame.engine;
    const struct uhi_sample_part *part = &sampler->part[digit];
    const uint64_t bytes = (uint64_t)part->words * sizeof *part->front,
                   pays = (uint64_t)part->words * UHI_SAMPLES_A_WORD;
    const int local = uhi_sample_fits_local(engine, part) && range->n >= pays;
    const size_t group_size = uhi_engine_group_size(engine), size = wide ? sizeof first : 4;
    size_t groups = uhi_groups_for(uhi_engine_groups(engine, group_size), group_size, range->n);
    const uint32_t add = digit > 0, further = add || part->shift || first || part->map, first_32 = (uint32_t)first;
    struct uhi_sample_words words;
    uh_arg args[UHI_SAMPLE_ARGS + 8];
    uh_kernel *kernel = NULL;
    UHI_TRY(uhi_sample_kernel(engine, "draw", part,
                              local ? (wide ? "local_64" : "local_32") : (wide ? "global_64" : "global_32"), &kernel));
    size_t count = uhi_sample_args(part, range, &words, args);
    /* Vectors are stored if they are aligned and all their samples are wanted. */
    const int aligned = ((uintptr_t)out - words.phase * size) % (4 * size) == 0;
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
    const struct uhi_sample_range range = {
        .seed = sampling->seed, .offset = sampling->offset + piece->from, .n = (uint32_t)piece->n};
    for (size_t d = 0; d < sampler->form.parts; d++)
        UHI_TRY(uhi_sample_launch_draw(sampler, d, &range, sampling->wide, d == 0 ? (uint64_t)sampler->form.first : 0,
                                       piece->out, d + 1 == sampler->form.parts ? piece->done : NULL));
    return UH_SUCCESS;
}

static uh_status draw_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_pieces pieces;
    UHI_TRY(uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands, UHI_SAMPLES_A_LAUNCH));
    uh_status status = uhi_pieces_for_each(&pieces, launch_samples, uhi_sample_launch_length, context);
    return uhi_pieces_finish(&pieces, status);
}

const struct uhi_stage uhi_sample_draw = {"sample: draw", draw_on_host, draw_on_device};
