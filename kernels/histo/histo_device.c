/* SPDX-License-Identifier: Apache-2.0 */
/* The stages on a device. Counts go to its own memory, and to one partial histogram per batch. */
#include <stdlib.h>

#include "kernels/common/shape.h"
#include "kernels/histo/histo_run.h"
#include "runtime/memory.h"
#include "runtime/status.h"

enum { VECTOR_BYTES = 16, INDEX_BYTES = sizeof(uint32_t), SUMS_BYTES = UHI_HISTO_SUMS * sizeof(uint64_t) };

/* Device address of a member of the tail. */
static void *tail_member(const struct uhi_histo *histo, size_t offset) {
    return (char *)(histo->device.out + uhi_histo_words(&histo->job)) + offset;
}
#define TAIL(histo, member) tail_member(histo, offsetof(struct uhi_histo_tail, member))

/* ---- before the first iteration ---------------------------------------------------------------------------------- */

/* Returns a kernel, not to be freed, and lowers *group_size to what it can run. The groups' work depends on their
 * number, so uhi_engine_run must not launch more, smaller ones. */
static uh_status find_kernel(struct uhi_engine *engine, const char *name, size_t *group_size, uh_kernel **kernel) {
    uh_kernel_properties properties = {.struct_size = sizeof properties};
    UHI_TRY(uhi_engine_kernel(engine, name, kernel));
    UHI_TRY(uh_kernel_get_properties(*kernel, &properties));
    while (*group_size > properties.max_group_size && *group_size > 1)
        *group_size /= 2;
    return UH_SUCCESS;
}

/* Distance of indices in words; 0 if the prescan's kernel cannot read them. */
static uint64_t step_of(struct uhi_values x) {
    const int aligned = (uintptr_t)x.first % INDEX_BYTES == 0 && x.stride % INDEX_BYTES == 0;
    return aligned && x.stride > 0 ? (uint64_t)x.stride / INDEX_BYTES : 0;
}

/* Finds the prescan's kernel, if the device has the indices and local memory for the sums. */
static uh_status find_prescan(struct uhi_histo *histo) {
    struct uhi_engine *engine = histo->frame.engine;
    const uint64_t local = engine->properties.local_memory;
    size_t items = uhi_engine_group_size(engine);
    if (histo->device.pieces.in[0].place == UHI_PLAIN_HOST || step_of(histo->job.indices) == 0 || local < SUMS_BYTES)
        return UH_SUCCESS;
    uh_status status = find_kernel(engine, "prescan", &items, &histo->device.prescan);
    while (items * SUMS_BYTES > local)
        items /= 2;
    histo->device.prescan_items = items;
    return status;
}

/* Chooses the room for the eye, and gets the kernels for it. */
static uh_status choose_geometry(struct uhi_histo *histo) {
    struct uhi_engine *engine = histo->frame.engine;
    const struct uhi_histo_job *job = &histo->job;
    struct uhi_histo_room *room = &histo->device.room;
    size_t group_size = uhi_engine_group_size(engine);
    *room = uhi_histo_choose(job->size, job->indices.n, group_size, &engine->properties);
    UHI_TRY(find_kernel(engine, "count", &group_size, &histo->device.count));
    UHI_TRY(find_kernel(engine, "reduce", &group_size, &histo->device.reduce));
    if (group_size < room->group_size)
        *room = uhi_histo_choose(job->size, job->indices.n, group_size, &engine->properties);
    return find_prescan(histo);
}

/* Makes room for partial histograms, and sends the limits of the eye to the device. */
static uh_status read_limits(struct uhi_histo *histo) {
    struct uhi_engine *engine = histo->frame.engine;
    struct uhi_histo_limits *limits = &histo->device.tail.limits;
    uint64_t room = 0;
    *limits = histo->device.room.limits;
    UHI_TRY(uhi_memory_room(engine, limits->partial_bytes, engine->scratch_bytes, &room));
    limits->partial_bytes = (uint32_t)room;
    UHI_TRY(uhi_engine_scratch(engine, room + VECTOR_BYTES, &histo->device.partial));
    if (!histo->device.prescan)
        return UH_SUCCESS;
    return uh_memcpy(engine->queue, TAIL(histo, limits), limits, sizeof *limits, NULL);
}

uh_status uhi_histo_ready_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histo *histo = context;
    const struct uhi_histo_job *job = &histo->job;
    struct uhi_engine *engine = frame->engine;
    void *out = NULL;
    UHI_TRY(uhi_engine_locate(engine, job->call, "out", job->out, &histo->device.out_location));
    if (job->indices.n > 0)
        UHI_TRY(uhi_pieces_open(&histo->device.pieces, engine, job->call, &frame->operands, UINT32_MAX));
    if (job->indices.n > 0)
        UHI_TRY(choose_geometry(histo));
    UHI_TRY(uh_malloc(engine->device, UH_MEMORY_DEVICE,
                      uhi_histo_words(job) * sizeof(uint32_t) + sizeof(struct uhi_histo_tail), 0, &out));
    histo->device.out = out;
    if (job->indices.n > 0)
        UHI_TRY(read_limits(histo));
    if (histo->device.out_location == UHI_PLAIN_HOST && !(histo->device.staging = malloc(uhi_histo_counts(job))))
        return uhi_fail_memory(job->call, "no memory for %zu counts", uhi_histo_counts(job));
    return UH_SUCCESS;
}

/* ---- the prescan: where the eye is, and how it is counted -------------------------------------------------------- */

/* Samples the indices where they are; at a pitch of `step` words, and all words are passed. */
static uh_status launch_prescan(struct uhi_histo *histo) {
    const struct uhi_values indices = histo->job.indices;
    const uint64_t step = step_of(indices), n = (indices.n - 1) * step + 1,
                   distance = uhi_histo_distance(indices.n) * step;
    const size_t items = histo->device.prescan_items;
    const uh_arg args[] = {uh_arg_pointer(indices.first),
                           UHI_ARG(n),
                           UHI_ARG(distance),
                           uh_arg_pointer(TAIL(histo, limits)),
                           uh_arg_pointer(TAIL(histo, geometry)),
                           uh_arg_local(items * SUMS_BYTES)};
    return uhi_engine_run(histo->frame.engine, histo->device.prescan, 1, items, args, 6, NULL,
                          histo->job.timed ? &histo->device.prescanned : NULL);
}

/* Samples on the host, if it has the indices, and sends the decision to the device. */
static uh_status decide_on_device(struct uhi_histo *histo) {
    const struct uhi_histo_job *job = &histo->job;
    struct uhi_histo_tail *tail = &histo->device.tail;
    uint64_t sums[UHI_HISTO_SUMS] = {0};
    if (histo->device.pieces.in[0].place == UHI_PLAIN_HOST)
        uhi_histo_sample(job->size, job->indices, sums);
    uhi_histo_decide(&tail->limits, sums, &tail->geometry);
    const uh_status status =
        uh_memcpy(histo->frame.queue, TAIL(histo, geometry), &tail->geometry, sizeof tail->geometry, NULL);
    uhi_histo_end_phase(histo, &histo->done.prescan);
    return status;
}

uh_status uhi_histo_prescan_on_device(__attribute__((unused)) struct uhi_frame *frame, void *context) {
    struct uhi_histo *histo = context;
    if (histo->job.indices.n == 0)
        return UH_SUCCESS;
    return histo->device.prescan ? launch_prescan(histo) : decide_on_device(histo);
}

/* Waits for the prescan, when the device has work to do after it. */
static uh_status end_prescan(struct uhi_histo *histo) {
    if (!histo->device.prescanned)
        return UH_SUCCESS;
    const uh_status status = uh_event_wait(histo->device.prescanned, UINT64_MAX);
    if (status) /* uhi_histo_close destroys it */
        return status;
    uh_event_destroy(histo->device.prescanned);
    histo->device.prescanned = NULL;
    uhi_histo_end_phase(histo, &histo->done.prescan);
    return UH_SUCCESS;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static uh_status launch_count(void *context, const struct uhi_piece *piece) {
    struct uhi_histo *histo = context;
    const struct uhi_histo_room *room = &histo->device.room;
    const uint32_t count = (uint32_t)piece->n, last = room->limits.last, is_fresh = piece->from == 0;
    const uh_arg args[] = {uh_arg_pointer(piece->in[0]),
                           UHI_ARG(count),
                           UHI_ARG(last),
                           uh_arg_pointer(histo->device.out),
                           uh_arg_pointer(TAIL(histo, beyond)),
                           uh_arg_pointer(TAIL(histo, geometry)),
                           UHI_ARG(is_fresh),
                           uh_arg_pointer(histo->device.partial),
                           uh_arg_local(room->local_bytes)};
    const uh_status status = uhi_engine_run(histo->frame.engine, histo->device.count, room->groups, room->group_size,
                                            args, 9, piece->ready[0], piece->done);
    return status ? status : end_prescan(histo);
}

uh_status uhi_histo_count_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histo *histo = context;
    const uint32_t zero = 0;
    const size_t words = uhi_histo_words(&histo->job) + sizeof histo->device.tail.beyond / sizeof zero;
    const uh_status status = uh_fill(frame->queue, histo->device.out, &zero, sizeof zero, words, NULL);
    if (status || histo->job.indices.n == 0)
        return status;
    return uhi_pieces_for_each(&histo->device.pieces, launch_count, NULL, histo);
}

/* As many groups as the largest eye takes; usually most of its words are unused. */
static uh_status launch_reduce(const struct uhi_histo *histo) {
    const struct uhi_histo_room *room = &histo->device.room;
    const uh_arg args[] = {uh_arg_pointer(histo->device.partial), uh_arg_pointer(TAIL(histo, geometry)),
                           uh_arg_pointer(histo->device.out)};
    return uhi_engine_run(histo->frame.engine, histo->device.reduce, room->groups, room->group_size, args, 3, NULL,
                          NULL);
}

/* Waits for the whole iteration. */
static uh_status finish_counting(struct uhi_histo *histo) {
    uh_status status = uhi_ring_drain(histo->frame.engine);
    uhi_histo_end_phase(histo, &histo->done.count);
    if (!status)
        status = uh_queue_wait(histo->frame.queue);
    uhi_histo_end_phase(histo, &histo->done.reduce);
    return status;
}

uh_status uhi_histo_reduce_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histo *histo = context;
    struct uhi_histo_tail *tail = &histo->device.tail;
    const size_t bytes = histo->device.prescan ? offsetof(struct uhi_histo_tail, limits) : sizeof tail->beyond;
    UHI_TRY(histo->job.indices.n > 0 ? launch_reduce(histo) : UH_SUCCESS);
    UHI_TRY(uh_memcpy(frame->queue, tail, TAIL(histo, beyond), bytes, NULL));
    UHI_TRY(finish_counting(histo));
    histo->done.beyond = tail->beyond[0] | (uint64_t)tail->beyond[1] << 32;
    if (tail->geometry.bits)
        histo->done.eye = (struct uhi_histo_eye){tail->geometry.eye, tail->geometry.eye_rows};
    return UH_SUCCESS;
}
