/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histo/histo_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/histo/tuning.h"
#include "runtime/memory.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum {
    /* Tables are on different pages and begin in different cache sets. */
    PAGE = 4096,
    LINE = 64
};

static const struct uhi_stage ready = {"histo: ready", NULL, uhi_histo_ready_on_device};

uh_status uhi_histo_open(struct uhi_histo *histo, const struct uhi_histo_job *job) {
    *histo = (struct uhi_histo){.job = *job};
    uhi_frame_open(&histo->frame, job->queue, uhi_histo_variants());
    histo->frame.keeps_imports = 1; /* the indices are imported once for all stages */
    UHI_TRY(uhi_frame_begin(&histo->frame, job->call, job->indices.n));
    if (job->indices.n > 0)
        UHI_TRY(uhi_frame_input(&histo->frame, "indices", job->indices, sizeof(uint32_t)));
    UHI_TRY(uhi_memory_check_copy(job->call, "out", job->queue->device, job->out, uhi_histo_counts(job)));
    return uhi_frame_run(&histo->frame, &ready, histo);
}

void uhi_histo_close(struct uhi_histo *histo) {
    if (histo->frame.engine)
        uhi_engine_quiesce(histo->frame.engine);
    uh_event_destroy(histo->device.prescanned);
    uhi_free(histo->device.out);
    free(histo->device.staging);
    uhi_frame_close(&histo->frame);
}

/* ---- the prescan: where the eye is ------------------------------------------------------------------------------- */

static uh_status prescan_on_host(struct uhi_frame *frame, void *context) {
    struct uhi_histo *histo = context;
    const struct uhi_histo_job *job = &histo->job;
    const uint64_t bins = uhi_histo_bins(job->size);
    const size_t parts = uhi_parts_for(frame->queue, job->indices.n, UHI_HISTO_INDICES_A_THREAD);
    uint64_t sums[UHI_HISTO_SUMS];
    histo->host.parts = parts;
    if (parts == 1) { /* no table: the cache keeps the eye by itself */
        histo->host.size = bins;
        histo->done.eye = (struct uhi_histo_eye){0, job->size.height};
        uhi_histo_end_phase(histo, &histo->done.prescan);
        return UH_SUCCESS;
    }
    uhi_histo_sample(job->size, job->indices, sums);
    const struct uhi_histo_eye eye = uhi_histo_find_eye(job->size, sums, UHI_HISTO_SIGMAS_HOST);
    const uint64_t end = (uint64_t)(eye.first + eye.rows) * job->size.width;
    histo->done.eye = eye;
    histo->host.first = (uint64_t)eye.first * job->size.width;
    histo->host.size = (end < bins ? end : bins) - histo->host.first;
    histo->host.pitch = (histo->host.size + PAGE - 1) / PAGE * PAGE + LINE;
    histo->host.tables = NULL;
    /* Clearing and joining a table may take as long as it saves. */
    if (histo->host.size / 16 <= job->indices.n / parts && histo->host.pitch * parts <= UHI_HISTO_TABLES_BYTES)
        histo->host.tables = uhi_frame_scratch(frame, histo->host.pitch * parts);
    if (!histo->host.tables) /* the threads count without tables */
        histo->host.size = 0;
    uhi_histo_end_phase(histo, &histo->done.prescan);
    return UH_SUCCESS;
}

static const struct uhi_stage prescan = {"histo: prescan", prescan_on_host, uhi_histo_prescan_on_device};

/* ---- counting on the host: in the result, and in one table per thread -------------------------------------------- */

enum { TOGETHER = 4096 /* strided indices made contiguous at a time, in the cache */ };

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

/* Counts the indices, made contiguous if need be; returns the number beyond the histogram. */
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
    const struct uhi_values x = uhi_values_of_part(job->indices, parts, part);
    const uint64_t end = histo->host.first + (histo->host.size ? histo->host.size : 1);
    const struct uhi_histo_part counted = {.first = (uint32_t)histo->host.first,
                                           .last = (uint32_t)(end - 1),
                                           .table = table_of(histo, part),
                                           .bins = uhi_histo_bins(job->size),
                                           .out = job->out};
    if (x.n == 0)
        return;
    const uint64_t beyond = count_values(work->functions, counted, x);
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
    uhi_histo_end_phase(work.histo, &work.histo->done.count);
    return UH_SUCCESS;
}

static uh_status reduce_on_host(struct uhi_frame *frame, void *context) {
    const struct work work = {context, uhi_histo_host()};
    const size_t parts = work.histo->host.parts;
    if (parts > 1 && work.histo->host.size)
        uhi_host_parallel(frame->queue, "histo: reduce", join_part, &work, parts);
    uhi_histo_end_phase(work.histo, &work.histo->done.reduce);
    return UH_SUCCESS;
}

static const struct uhi_stage count = {"histo: count", count_on_host, uhi_histo_count_on_device};
static const struct uhi_stage reduce = {"histo: reduce", reduce_on_host, uhi_histo_reduce_on_device};

/* ---- an iteration, and the end ----------------------------------------------------------------------------------- */

uh_status uhi_histo_iterate(struct uhi_histo *histo) {
    histo->done = (struct uhi_histo_done){0};
    histo->started = histo->job.timed ? uhi_host_now() : 0;
    UHI_TRY(uhi_queue_check_cancelled(histo->frame.queue, histo->job.call));
    UHI_TRY(uhi_frame_run(&histo->frame, &prescan, histo));
    UHI_TRY(uhi_frame_run(&histo->frame, &count, histo));
    return uhi_frame_run(&histo->frame, &reduce, histo);
}

static uh_status store_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histo *histo = context;
    const struct uhi_histo_job *job = &histo->job;
    const size_t bins = uhi_histo_counts(job), words = uhi_histo_words(job);
    const size_t there = bins < words * 4 ? bins : (size_t)uhi_histo_bins(job->size);
    const uint8_t zero = 0;
    uint8_t *to = histo->device.staging ? histo->device.staging : job->out;
    if (bins > there)
        UHI_TRY(uh_fill(frame->queue, to + there, &zero, sizeof zero, bins - there, NULL));
    UHI_TRY(uhi_engine_fetch(frame->engine, to, histo->device.out, there));
    if (histo->device.staging)
        memcpy(job->out, histo->device.staging, bins);
    return UH_SUCCESS;
}

static const struct uhi_stage store = {"histo: store", NULL, store_on_device};

uh_status uhi_histo_store(struct uhi_histo *histo) { return uhi_frame_run(&histo->frame, &store, histo); }

/* ---- description ------------------------------------------------------------------------------------------------- */

void uhi_histo_text(const struct uhi_histo *histo, char *text, size_t size) {
    if (histo->host.parts == 0) /* a device counted */
        (void)uhi_histo_geometry_text(&histo->device.room, &histo->device.tail.geometry, text, size);
    else if (histo->host.parts == 1)
        snprintf(text, size, "one thread counts in the result");
    else if (histo->host.size)
        snprintf(text, size, "%zu threads count an eye of %llu bins each", histo->host.parts,
                 (unsigned long long)histo->host.size);
    else
        snprintf(text, size, "no eye, %zu threads add to the result", histo->host.parts);
}
