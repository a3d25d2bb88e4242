/* SPDX-License-Identifier: Apache-2.0 */
/* Counting all indices, the eye's in private tables, and adding these to the result. */
#include <string.h>

#include "kernels/histo/histo.h"
#include "kernels/histo/histo_run.h"
#include "kernels/registry.h"

enum { VECTOR_BYTES = 16, TOGETHER = 4096 /* strided indices that are brought side by side, in the cache */ };

/* ---- on the host: counts go straight to the result, and to a table a thread -------------------------------------- */

struct work {
    struct uhi_histo *histo;
    const struct uhi_histo_host *functions;
};

static uint8_t *table_of(const struct uhi_histo *histo, size_t part) {
    if (histo->host.parts == 1)
        return histo->job.out;
    return histo->host.size ? histo->host.tables + part * histo->host.pitch : NULL;
}

static void clear_part(const void *context, size_t part, size_t parts) {
    const struct uhi_histo *histo = ((const struct work *)context)->histo;
    const size_t bins = histo->job.size.width * histo->job.size.height;
    const size_t from = uhi_part_start(bins, parts, part), to = uhi_part_start(bins, parts, part + 1);
    memset(histo->job.out + from, 0, to - from);
    if (parts > 1 && histo->host.size)
        memset(table_of(histo, part), 0, histo->host.size);
}

/* Counts those of the indices, side by side where they are not yet; returns how many lie beyond the histogram. */
static uint64_t count_values(const struct uhi_histo_host *functions, struct uhi_histo_part part, struct uhi_values x) {
    uint32_t together[TOGETHER];
    uint64_t beyond = 0;
    part.x = x.first;
    part.n = x.n;
    if (x.stride == sizeof *together)
        return functions->count(&part);
    for (size_t at = 0; at < x.n; at += part.n) {
        part.n = x.n - at < TOGETHER ? x.n - at : TOGETHER;
        part.x = (const char *)together;
        uhi_values_copy(together, uhi_values_part(x, at, part.n), sizeof *together);
        beyond += functions->count(&part);
    }
    return beyond;
}

static void count_part(const void *context, size_t part, size_t parts) {
    const struct work *work = context;
    struct uhi_histo *histo = work->histo;
    const struct uhi_histo_job *job = &histo->job;
    const size_t from = uhi_part_start(job->indices.n, parts, part);
    const size_t to = uhi_part_start(job->indices.n, parts, part + 1);
    const uint64_t end = histo->host.first + (histo->host.size ? histo->host.size : 1);
    const struct uhi_histo_part counted = {.first = (uint32_t)histo->host.first,
                                           .last = (uint32_t)(end - 1),
                                           .table = table_of(histo, part),
                                           .bins = uhi_histo_bins(job->size),
                                           .out = job->out};
    if (to == from)
        return;
    const uint64_t beyond = count_values(work->functions, counted, uhi_values_part(job->indices, from, to - from));
    __atomic_fetch_add(&histo->done.beyond, beyond, __ATOMIC_RELAXED);
}

static void join_part(const void *context, size_t part, size_t parts) {
    const struct work *work = context;
    const struct uhi_histo *histo = work->histo;
    const size_t from = uhi_part_start(histo->host.size, parts, part);
    const size_t to = uhi_part_start(histo->host.size, parts, part + 1);
    work->functions->join(histo->host.tables + from, histo->host.pitch, parts, to - from,
                          histo->job.out + histo->host.first + from);
}

static uh_status count_on_host(struct uhi_frame *frame, void *context) {
    const struct work work = {context, uhi_histo_host()};
    uhi_host_parallel(frame->queue, "histo: clear", clear_part, &work, work.histo->host.parts);
    uhi_host_parallel(frame->queue, "histo: count", count_part, &work, work.histo->host.parts);
    return UH_SUCCESS;
}

static uh_status reduce_on_host(struct uhi_frame *frame, void *context) {
    const struct work work = {context, uhi_histo_host()};
    const size_t parts = work.histo->host.parts;
    if (parts > 1 && work.histo->host.size)
        uhi_host_parallel(frame->queue, "histo: reduce", join_part, &work, parts);
    return UH_SUCCESS;
}

/* ---- on a device: counts go to memory of its own, and to a partial histogram a batch ----------------------------- */

/* Vectors of indices that each batch takes: those between the few before the first aligned one and those behind the
 * last.
 */
static uint32_t vectors_each(const void *values, size_t n, size_t batches) {
    const size_t head = (0 - (uintptr_t)values) % VECTOR_BYTES / sizeof(uint32_t);
    const size_t vectors = (n - (head < n ? head : n)) / (VECTOR_BYTES / sizeof(uint32_t));
    return (uint32_t)((vectors + batches - 1) / batches);
}

static uh_status launch_count(void *context, const struct uhi_piece *piece) {
    const struct uhi_histo *histo = context;
    const struct uhi_histo_geometry *geometry = &histo->device.geometry;
    const void *values = piece->in[0];
    const uint32_t count = (uint32_t)piece->n, each = vectors_each(values, piece->n, geometry->batches);
    const uint32_t last = uhi_histo_last_bin(&histo->job), size = (uint32_t)geometry->size,
                   tiles = (uint32_t)geometry->tiles, inverse = ((1u << 20) + tiles - 1) / tiles,
                   is_fresh = piece->from == 0, pitch = (uint32_t)(geometry->partial_size / sizeof(uint32_t));
    const uh_arg args[] = {uh_arg_pointer(values),
                           uh_arg_value(&count, sizeof count),
                           uh_arg_value(&each, sizeof each),
                           uh_arg_value(&last, sizeof last),
                           uh_arg_pointer(histo->device.out),
                           uh_arg_pointer(histo->device.out + uhi_histo_words(&histo->job)),
                           uh_arg_value(&geometry->first, sizeof geometry->first),
                           uh_arg_value(&size, sizeof size),
                           uh_arg_value(&geometry->tile, sizeof geometry->tile),
                           uh_arg_value(&tiles, sizeof tiles),
                           uh_arg_value(&inverse, sizeof inverse),
                           uh_arg_value(&is_fresh, sizeof is_fresh),
                           uh_arg_value(&pitch, sizeof pitch),
                           uh_arg_pointer(histo->device.partial),
                           uh_arg_local(geometry->local_bytes)};
    return uhi_engine_run(histo->frame.engine, histo->device.count, geometry->batches * geometry->tiles,
                          geometry->group_size, args, geometry->bits ? 15 : 6, piece->ready[0], piece->done);
}

static uh_status count_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histo *histo = context;
    const struct uhi_histo_geometry *geometry = &histo->device.geometry;
    const uint32_t zero = 0;
    uh_status status = UH_SUCCESS;
    if (geometry->bits)
        status = uhi_engine_scratch(frame->engine, geometry->batches * geometry->partial_size, &histo->device.partial);
    if (!status)
        status = uh_fill(frame->queue, histo->device.out, &zero, sizeof zero,
                         uhi_histo_words(&histo->job) + UHI_HISTO_BEYOND_WORDS, NULL, 0, NULL);
    if (status || histo->job.indices.n == 0)
        return status;
    return uhi_pieces_each(&histo->device.pieces, launch_count, NULL, histo);
}

static uh_status launch_reduce(const struct uhi_histo *histo) {
    const struct uhi_histo_geometry *geometry = &histo->device.geometry;
    const uint32_t pitch = (uint32_t)(geometry->partial_size / sizeof(uint32_t)),
                   words = (uint32_t)((geometry->size + 3) / 4), batches = (uint32_t)geometry->batches;
    const uh_arg args[] = {uh_arg_pointer(histo->device.partial), uh_arg_value(&pitch, sizeof pitch),
                           uh_arg_value(&words, sizeof words), uh_arg_value(&batches, sizeof batches),
                           uh_arg_pointer(histo->device.out + geometry->first / 4)};
    const size_t groups = (words + geometry->group_size - 1) / geometry->group_size;
    return uhi_engine_run(histo->frame.engine, histo->device.reduce, groups, geometry->group_size, args, 5, NULL, NULL);
}

/* Ends the iteration: waits for all of it. */
static uh_status reduce_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histo *histo = context;
    uint32_t beyond[UHI_HISTO_BEYOND_WORDS];
    uh_status status = histo->device.geometry.bits ? launch_reduce(histo) : UH_SUCCESS;
    if (!status)
        status =
            uhi_engine_fetch(frame->engine, beyond, histo->device.out + uhi_histo_words(&histo->job), sizeof beyond);
    if (!status)
        status = uhi_ring_drain(frame->engine);
    if (!status)
        histo->done.beyond = beyond[0] | (uint64_t)beyond[1] << 32;
    return status;
}

const struct uhi_stage uhi_histo_count = {"histo: count", count_on_host, count_on_device};
const struct uhi_stage uhi_histo_reduce = {"histo: reduce", reduce_on_host, reduce_on_device};
