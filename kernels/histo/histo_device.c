/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histo/histo_device.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common/engine.h"
#include "kernels/common/feed.h"
#include "kernels/histo/histo.h"
#include "kernels/histo/histo_geometry.h"
#include "kernels/registry.h"
#include "runtime/host.h"
#include "runtime/memory.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* The eye of a device's groups: each row more may be one more reading of all indices. */
#define DEVICE_SIGMAS 3.0

enum { BEYOND_WORDS = 2, VECTOR_BYTES = 16, PRESCAN_SCRATCH = UHI_HISTO_SUMS * sizeof(uint64_t) };

struct uhi_histo_device {
    struct uhi_histo_job job;
    struct uhi_engine engine;
    struct uhi_stream stream;
    struct uhi_feed feed;
    enum uhi_place out_place;
    uh_kernel *prescan, *count[3], *reduce; /* count: no eye, 8 bits, 16 bits */
    size_t group_size;                      /* that all of them run */
    uint32_t *out;                          /* on the device: the counts, rounded up to words, then BEYOND_WORDS */
    uint64_t *sums;                         /* on the device: the prescan's */
    void *partial;                          /* on the device */
    size_t partial_size;
    uint8_t *staging; /* the counts on the way to plain host memory; NULL where they go elsewhere */
};

static size_t bins_of(const struct uhi_histo_job *job) {
    return job->size.width * job->size.height;
}

/* Words on the device that hold the counts. Of bins that no index of 32 bits means there are none. */
static size_t words_of(const struct uhi_histo_job *job) {
    return (size_t)((uhi_histo_bins(job->size) + 3) / 4);
}

/* ---- open and close --------------------------------------------------------------------------------------------- */

static uh_status get_kernels(struct uhi_histo_device *state) {
    const char *const names[] = {"prescan", "reduce", "count_0", "count_8", "count_16"};
    uh_kernel **const kernels[] = {&state->prescan, &state->reduce, &state->count[0], &state->count[1],
                                   &state->count[2]};
    state->group_size = uhi_group_size(&state->engine.properties);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uh_kernel_properties properties = {.struct_size = sizeof properties};
        uh_status status = uhi_engine_kernel(&state->engine, names[i], kernels[i]);
        if (!status)
            status = uh_kernel_get_properties(*kernels[i], &properties);
        if (status)
            return status;
        /* Groups have numbers of their own to do: they must not be halved and doubled in number. */
        while (state->group_size > properties.max_group_size && state->group_size > 1)
            state->group_size /= 2;
    }
    return UH_SUCCESS;
}

static uh_status make_memory(struct uhi_histo_device *state) {
    const struct uhi_histo_job *job = &state->job;
    void *out = NULL, *sums = NULL;
    uh_status status =
        uh_malloc_device(state->engine.device, (words_of(job) + BEYOND_WORDS) * sizeof *state->out, 0, &out);
    state->out = out;
    if (!status)
        status = uh_malloc_device(state->engine.device, PRESCAN_SCRATCH, 0, &sums);
    state->sums = sums;
    if (!status && state->out_place == UHI_PLAIN_HOST && !(state->staging = malloc(bins_of(job))))
        status = uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu counts", job->call, bins_of(job));
    return status;
}

static uh_status open_indices(struct uhi_histo_device *state) {
    const struct uhi_values x = {(const char *)state->job.indices, state->job.n, sizeof *state->job.indices};
    if (x.n == 0)
        return UH_SUCCESS;
    return uhi_feed_open(&state->stream, state->job.call, "indices", x, sizeof *state->job.indices, UINT32_MAX,
                         &state->feed);
}

uh_status uhi_histo_device_open(const struct uhi_histo_job *job, struct uhi_histo_device **made) {
    struct uhi_histo_device *state = *made = calloc(1, sizeof *state);
    if (!state)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for the state of a device", job->call);
    state->job = *job;
    state->stream.engine = &state->engine;
    uh_status status = uhi_engine_open(&state->engine, job->call, job->queue, uhi_histo_variants());
    if (!status)
        status = uhi_engine_place(&state->engine, job->call, "out", job->out, &state->out_place);
    if (!status && state->out_place != UHI_PLAIN_HOST)
        status = uhi_memory_check(job->call, "out", job->out, bins_of(job));
    if (!status)
        status = open_indices(state);
    if (!status)
        status = get_kernels(state);
    return status ? status : make_memory(state);
}

void uhi_histo_device_close(struct uhi_histo_device *state) {
    if (!state)
        return;
    if (state->engine.queue) {
        uhi_stream_free(&state->stream);
        uhi_queue_drain(state->engine.queue);
    }
    (void)uh_free(state->out);
    (void)uh_free(state->sums);
    (void)uh_free(state->partial);
    free(state->staging);
    uhi_engine_close(&state->engine);
    free(state);
}

/* ---- the three launches ----------------------------------------------------------------------------------------- */

static uint32_t last_bin(const struct uhi_histo_job *job) {
    return (uint32_t)(uhi_histo_bins(job->size) - 1);
}

/* Samples where the indices are. */
static uh_status sample_on_device(struct uhi_histo_device *state, uint64_t sums[]) {
    const struct uhi_histo_job *job = &state->job;
    const uint64_t n = job->n, distance = uhi_histo_distance(job->n), local = state->engine.properties.local_memory;
    const uint32_t last = last_bin(job), shift = uhi_histo_shift(job->size);
    size_t group_size = state->group_size;
    while (group_size > 1 && group_size * PRESCAN_SCRATCH > local)
        group_size /= 2;
    memset(sums, 0, PRESCAN_SCRATCH);
    if (group_size * PRESCAN_SCRATCH > local) /* nothing to sum up in: no eye */
        return UH_SUCCESS;
    const uh_arg args[] = {uh_arg_pointer(job->indices),
                           uh_arg_value(&n, sizeof n),
                           uh_arg_value(&distance, sizeof distance),
                           uh_arg_value(&last, sizeof last),
                           uh_arg_value(&shift, sizeof shift),
                           uh_arg_pointer(state->sums),
                           uh_arg_local(group_size * PRESCAN_SCRATCH)};
    uh_status status = uhi_engine_run(&state->engine, state->prescan, 1, group_size, args, 7, NULL, NULL);
    if (!status)
        status = uh_memcpy(job->queue, sums, state->sums, PRESCAN_SCRATCH, NULL, 0, NULL);
    uh_status waited = uh_queue_wait(job->queue);
    status = status ? status : waited;
    if (status)
        uhi_queue_drain(job->queue); /* `sums` is the caller's */
    return status;
}

static uh_status prescan(struct uhi_histo_device *state, struct uhi_histo_geometry *geometry,
                         struct uhi_histo_done *done) {
    const struct uhi_histo_job *job = &state->job;
    uint64_t sums[UHI_HISTO_SUMS] = {0};
    uh_status status = UH_SUCCESS;
    if (job->n > 0 && !state->feed.direct && state->feed.place == UHI_PLAIN_HOST)
        uhi_histo_sample(job->size, (const char *)job->indices, job->n, sums);
    else if (job->n > 0 && state->feed.direct)
        status = sample_on_device(state, sums);
    if (status)
        return status;
    done->eye = uhi_histo_find_eye(job->size, sums, DEVICE_SIGMAS);
    *geometry = uhi_histo_choose(job->size, done->eye, job->n, state->group_size, &state->engine.properties);
    (void)uhi_histo_geometry_text(geometry, done->plan, sizeof done->plan);
    if (!geometry->bits)
        done->eye = (struct uhi_histo_eye){0, 0};
    return UH_SUCCESS;
}

/* Room for the partial histograms; what is there is of no use any more. */
static uh_status make_partial(struct uhi_histo_device *state, const struct uhi_histo_geometry *geometry) {
    const size_t wanted = geometry->batches * geometry->partial_size;
    if (!geometry->bits || wanted <= state->partial_size)
        return UH_SUCCESS;
    uhi_queue_drain(state->job.queue);
    (void)uh_free(state->partial);
    state->partial = NULL;
    state->partial_size = 0;
    uh_status status = uh_malloc_device(state->engine.device, wanted, 0, &state->partial);
    if (!status)
        state->partial_size = wanted;
    return status;
}

/* Vectors of indices that each batch takes: those between the few before the first aligned one and those behind the
 * last.
 */
static uint32_t vectors_each(const void *values, size_t n, size_t batches) {
    const size_t head = (0 - (uintptr_t)values) % VECTOR_BYTES / sizeof(uint32_t);
    const size_t vectors = (n - (head < n ? head : n)) / (VECTOR_BYTES / sizeof(uint32_t));
    return (uint32_t)((vectors + batches - 1) / batches);
}

static uh_status launch_count(struct uhi_histo_device *state, const struct uhi_histo_geometry *geometry,
                              const void *values, size_t n, int fresh, struct uhi_stream_slot *slot) {
    const uint32_t count = (uint32_t)n, each = vectors_each(values, n, geometry->batches);
    const uint32_t last = last_bin(&state->job), size = (uint32_t)geometry->size, tiles = (uint32_t)geometry->tiles,
                   inverse = ((1u << 20) + tiles - 1) / tiles, is_fresh = fresh ? 1 : 0,
                   pitch = (uint32_t)(geometry->partial_size / sizeof(uint32_t));
    const uh_arg args[] = {uh_arg_pointer(values),
                           uh_arg_value(&count, sizeof count),
                           uh_arg_value(&each, sizeof each),
                           uh_arg_value(&last, sizeof last),
                           uh_arg_pointer(state->out),
                           uh_arg_pointer(state->out + words_of(&state->job)),
                           uh_arg_value(&geometry->first, sizeof geometry->first),
                           uh_arg_value(&size, sizeof size),
                           uh_arg_value(&geometry->tile, sizeof geometry->tile),
                           uh_arg_value(&tiles, sizeof tiles),
                           uh_arg_value(&inverse, sizeof inverse),
                           uh_arg_value(&is_fresh, sizeof is_fresh),
                           uh_arg_value(&pitch, sizeof pitch),
                           uh_arg_pointer(state->partial),
                           uh_arg_local(geometry->local_bytes)};
    return uhi_engine_run(&state->engine, state->count[geometry->bits / 8], geometry->batches * geometry->tiles,
                          geometry->group_size, args, geometry->bits ? 15 : 6, slot->copied, &slot->used);
}

static uh_status count(struct uhi_histo_device *state, const struct uhi_histo_geometry *geometry) {
    const uint32_t zero = 0;
    const size_t n = state->job.n;
    uh_status status =
        uh_fill(state->job.queue, state->out, &zero, sizeof zero, words_of(&state->job) + BEYOND_WORDS, NULL, 0, NULL);
    for (size_t from = 0, piece; from < n && !status; from += piece) {
        struct uhi_stream_slot *slot;
        const void *values = NULL;
        piece = n - from < state->feed.most ? n - from : state->feed.most;
        status = uhi_stream_take(&state->stream, &slot);
        if (!status)
            status = uhi_feed_piece(&state->feed, from, piece, slot, &values);
        if (!status)
            status = launch_count(state, geometry, values, piece, from == 0, slot);
    }
    return status;
}

static uh_status reduce(struct uhi_histo_device *state, const struct uhi_histo_geometry *geometry) {
    const uint32_t pitch = (uint32_t)(geometry->partial_size / sizeof(uint32_t)),
                   words = (uint32_t)((geometry->size + 3) / 4), batches = (uint32_t)geometry->batches;
    if (!geometry->bits || state->job.n == 0)
        return UH_SUCCESS;
    const uh_arg args[] = {uh_arg_pointer(state->partial), uh_arg_value(&pitch, sizeof pitch),
                           uh_arg_value(&words, sizeof words), uh_arg_value(&batches, sizeof batches),
                           uh_arg_pointer(state->out + geometry->first / 4)};
    const size_t groups = (words + geometry->group_size - 1) / geometry->group_size;
    return uhi_engine_run(&state->engine, state->reduce, groups, geometry->group_size, args, 5, NULL, NULL);
}

/* ---- one iteration, and the end --------------------------------------------------------------------------------- */

/* Ends a phase that began at *start: waits, so that it has a time of its own, where that is wanted. */
static uh_status end_phase(const struct uhi_histo_device *state, uint64_t *start, uint64_t *nanoseconds) {
    uh_status status = state->job.timed ? uh_queue_wait(state->job.queue) : UH_SUCCESS;
    const uint64_t now = uhi_host_now();
    *nanoseconds = now - *start;
    *start = now;
    return status;
}

uh_status uhi_histo_device_iterate(struct uhi_histo_device *state, struct uhi_histo_done *done) {
    struct uhi_histo_geometry geometry;
    uint64_t start = uhi_host_now();
    uint32_t beyond[BEYOND_WORDS] = {0};
    uh_status status = prescan(state, &geometry, done);
    if (!status)
        status = end_phase(state, &start, &done->prescan);
    if (!status)
        status = make_partial(state, &geometry);
    if (!status)
        status = count(state, &geometry);
    if (!status)
        status = end_phase(state, &start, &done->count);
    if (!status)
        status = reduce(state, &geometry);
    if (!status)
        status = uh_memcpy(state->job.queue, beyond, state->out + words_of(&state->job), sizeof beyond, NULL, 0, NULL);
    uh_status waited = uh_queue_wait(state->job.queue);
    status = status ? status : waited;
    uh_status drained = uhi_stream_drain(&state->stream);
    status = status ? status : drained;
    done->reduce = uhi_host_now() - start;
    done->beyond = beyond[0] | (uint64_t)beyond[1] << 32;
    if (status)
        uhi_queue_drain(state->job.queue); /* `beyond` and what was sampled are this function's */
    return status;
}

uh_status uhi_histo_device_store(struct uhi_histo_device *state) {
    const struct uhi_histo_job *job = &state->job;
    const size_t bins = bins_of(job), there = bins < words_of(job) * 4 ? bins : (size_t)uhi_histo_bins(job->size);
    const uint8_t zero = 0;
    uint8_t *to = state->staging ? state->staging : job->out;
    uh_status status = uh_memcpy(job->queue, to, state->out, there, NULL, 0, NULL);
    if (!status && bins > there)
        status = uh_fill(job->queue, to + there, &zero, sizeof zero, bins - there, NULL, 0, NULL);
    uh_status waited = uh_queue_wait(job->queue);
    status = status ? status : waited;
    if (status)
        uhi_queue_drain(job->queue);
    else if (state->staging)
        memcpy(job->out, state->staging, bins);
    return status;
}
