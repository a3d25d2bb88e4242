/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over neighbours on devices: the input and output of kernels lies in one block of device memory. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/meanshift/neighbours.h"
#include "runtime/status.h"

enum { ALIGNMENT = 64 };

/* Offsets in the memory. */
struct layout {
    size_t point, place, rule, sums, group, candidates, bytes;
};

struct work {
    struct uhi_neighbours *neighbours;
    const struct uhi_engine *engine;
    uh_kernel *kernel;
    size_t padded; /* axes of the kernel */
    size_t size;   /* bytes per coordinate */
    int tiled;
    struct layout at;
    char *memory;
    float single[UHI_RULE_NUMBERS]; /* copied asynchronously: must live until the end of the stage */
    struct uhi_candidates *cut;     /* likewise; owned */
};

static size_t reserve(struct layout *at, size_t bytes) {
    const size_t here = at->bytes;
    at->bytes += (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    return here;
}

static size_t groups_of(const struct uhi_summing *s) { return s->group ? (size_t)s->group[s->places - 1] + 1 : 1; }

static void lay_out(struct work *work) {
    const struct uhi_summing *s = &work->neighbours->summing;
    work->at.point = reserve(&work->at, work->padded * s->point_stride * work->size);
    work->at.place = reserve(&work->at, work->padded * s->place_stride * work->size);
    work->at.rule = reserve(&work->at, UHI_RULE_NUMBERS * work->size);
    work->at.sums = reserve(&work->at, s->places * (s->dims + 1) * sizeof *s->sums);
    work->at.group = reserve(&work->at, s->places * sizeof *s->group);
    work->at.candidates = reserve(&work->at, groups_of(s) * s->runs * sizeof *s->candidates);
}

static uh_status find_kernel(struct uhi_frame *frame, struct work *work) {
    const struct uhi_summing *s = &work->neighbours->summing;
    const uint64_t local = frame->engine->properties.local_memory;
    char name[64];
    work->padded = s->dims <= 2 ? 2 : s->dims <= UHI_AXES_A_LAUNCH ? UHI_AXES_A_LAUNCH : UHI_MEANSHIFT_DEVICE_DIMS;
    work->size = work->neighbours->place.size;
    work->tiled = work->neighbours->chosen == UH_MEAN_SHIFT_TILES && work->padded * work->size <= local;
    (void)snprintf(name, sizeof name, "%s_%s_%s_%zu", work->tiled ? "tiled" : "direct",
                   s->rule.gaussian ? "gaussian" : "linear", work->size == sizeof(float) ? "f32" : "f64", work->padded);
    return uhi_engine_kernel(frame->engine, name, &work->kernel);
}

/* Copies the coordinates, and zeros for missing axes. */
static uh_status send_coordinates(const struct uhi_frame *frame, const struct work *work, size_t at, const void *from,
                                  size_t stride) {
    const size_t dims = work->neighbours->summing.dims, axis = stride * work->size;
    const uint32_t zero = 0;
    UHI_TRY(uh_memcpy(frame->queue, work->memory + at, from, dims * axis, NULL));
    return dims == work->padded ? UH_SUCCESS
                                : uh_fill(frame->queue, work->memory + at + dims * axis, &zero, sizeof zero,
                                          (work->padded - dims) * axis / sizeof zero, NULL);
}

static uh_status send_arguments(const struct uhi_frame *frame, const struct work *work) {
    const struct uhi_summing *s = &work->neighbours->summing;
    const uint32_t zero = 0;
    UHI_TRY(send_coordinates(frame, work, work->at.point, s->point, s->point_stride));
    UHI_TRY(send_coordinates(frame, work, work->at.place, s->place, s->place_stride));
    UHI_TRY(uh_memcpy(frame->queue, work->memory + work->at.rule,
                      work->size == sizeof(float) ? (const void *)work->single : s->rule.number,
                      UHI_RULE_NUMBERS * work->size, NULL));
    if (work->tiled)
        return UH_SUCCESS;
    UHI_TRY(s->group
                ? uh_memcpy(frame->queue, work->memory + work->at.group, s->group, s->places * sizeof *s->group, NULL)
                : uh_fill(frame->queue, work->memory + work->at.group, &zero, sizeof zero, s->places, NULL));
    return uh_memcpy(frame->queue, work->memory + work->at.candidates, s->candidates,
                     groups_of(s) * s->runs * sizeof *s->candidates, NULL);
}

/* Returns the current part of a run of candidates; the place has `before` candidates in earlier runs. */
static struct uhi_candidates cut(const struct uhi_neighbours *neighbours, struct uhi_candidates run, uint32_t before) {
    const uint32_t count = run.to - run.from, first = neighbours->first > before ? neighbours->first - before : 0,
                   last = neighbours->last > before ? neighbours->last - before : 0;
    return (struct uhi_candidates){run.from + (first < count ? first : count),
                                   run.from + (last < count ? last : count)};
}

/* If not all candidates are current, or were not in the last launch, copies the runs of the current ones. */
static uh_status send_cut(const struct uhi_frame *frame, struct work *work) {
    struct uhi_neighbours *neighbours = work->neighbours;
    const struct uhi_summing *s = &neighbours->summing;
    const int cuts = neighbours->first > 0 || neighbours->last != UHI_ALL_CANDIDATES;
    const size_t group = s->group ? s->group[neighbours->from] : 0,
                 groups = (s->group ? s->group[neighbours->to - 1] : 0) - group + 1, at = group * s->runs;
    if (work->tiled || (!cuts && !neighbours->is_cut))
        return UH_SUCCESS;
    neighbours->is_cut = cuts;
    work->cut = malloc(groups * s->runs * sizeof *work->cut);
    if (!work->cut)
        return uhi_fail_memory(frame->call, "no memory for %zu runs of candidates", groups * s->runs);
    for (size_t g = 0; g < groups; g++) {
        uint32_t before = 0;
        for (size_t r = g * s->runs; r < (g + 1) * s->runs; r++) {
            work->cut[r] = cut(neighbours, s->candidates[at + r], before);
            before += s->candidates[at + r].to - s->candidates[at + r].from;
        }
    }
    return uh_memcpy(frame->queue, work->memory + work->at.candidates + at * sizeof *work->cut, work->cut,
                     groups * s->runs * sizeof *work->cut, NULL);
}

static uh_status launch_sums(const struct work *work, size_t axis) {
    const struct uhi_neighbours *neighbours = work->neighbours;
    const struct uhi_summing *s = &neighbours->summing;
    const uh_device_properties *device = &work->engine->properties;
    const uint64_t point_stride = s->point_stride, place_stride = s->place_stride, from = neighbours->from,
                   to = neighbours->to;
    const uint32_t dims = (uint32_t)s->dims, first_axis = (uint32_t)axis, runs = (uint32_t)s->runs;
    const uint32_t continues = neighbours->first > 0;
    const size_t places = neighbours->to - neighbours->from;
    size_t group = uhi_engine_group_size(work->engine);
    while (group > UHI_WEIGHTS_F32 ||
           (work->tiled && group > 1 && group * work->padded * work->size > device->local_memory))
        group /= 2;
    char *memory = work->memory;
    uh_arg args[14] = {uh_arg_pointer(memory + work->at.point),
                       UHI_ARG(point_stride),
                       uh_arg_pointer(memory + work->at.place),
                       UHI_ARG(place_stride),
                       uh_arg_pointer(memory + work->at.rule),
                       uh_arg_pointer(memory + work->at.sums),
                       UHI_ARG(dims),
                       UHI_ARG(first_axis),
                       UHI_ARG(from),
                       UHI_ARG(to),
                       UHI_ARG(continues),
                       uh_arg_pointer(memory + work->at.group),
                       uh_arg_pointer(memory + work->at.candidates),
                       UHI_ARG(runs)};
    const uint64_t points = (neighbours->last < s->points ? neighbours->last : s->points) - neighbours->first;
    if (work->tiled) { /* all points are candidates: the current ones are a part of them */
        args[0] = uh_arg_pointer(memory + work->at.point + neighbours->first * work->size);
        args[11] = UHI_ARG(points);
        args[12] = uh_arg_local(group * work->padded * work->size);
    }
    return uhi_engine_run(work->engine, work->kernel,
                          uhi_groups_for(uhi_engine_groups(work->engine, group), group, places), group, args,
                          work->tiled ? 13 : 14, NULL, NULL);
}

uh_status uhi_meanshift_sum_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_neighbours *neighbours = context;
    const struct uhi_summing *s = &neighbours->summing;
    struct work work = {.neighbours = neighbours, .engine = frame->engine};
    void *memory = NULL;
    UHI_TRY(find_kernel(frame, &work));
    lay_out(&work);
    for (size_t i = 0; i < UHI_RULE_NUMBERS; i++)
        work.single[i] = (float)s->rule.number[i];
    uh_status status = uhi_engine_scratch(frame->engine, work.at.bytes, &memory);
    work.memory = memory;
    if (!status && !neighbours->is_sent) {
        status = send_arguments(frame, &work);
        neighbours->is_cut = 0;
    }
    neighbours->is_sent = !status;
    if (!status)
        status = send_cut(frame, &work);
    for (size_t axis = 0; axis < s->dims && !status; axis += UHI_AXES_A_LAUNCH)
        status = launch_sums(&work, axis);
    const size_t row = (s->dims + 1) * sizeof *s->sums;
    if (!status)
        status = uhi_engine_fetch(frame->engine, s->sums + neighbours->from * (s->dims + 1),
                                  work.memory + work.at.sums + neighbours->from * row,
                                  (neighbours->to - neighbours->from) * row);
    else
        uhi_engine_quiesce(frame->engine);
    free(work.cut);
    return status;
}
