/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histo/histo_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/histo/histo.h"
#include "kernels/histo/tuning.h"
#include "kernels/registry.h"
#include "runtime/memory.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum {
    /* Tables are on different pages and begin in different cache sets. */
    PAGE = 4096,
    LINE = 64
};

/* ---- open and close ---------------------------------------------------------------------------------------------- */

static const struct uhi_stage ready = {"histo: ready", NULL, uhi_histo_ready_on_device};

uh_status uhi_histo_open(struct uhi_histo *histo, const struct uhi_histo_job *job) {
    *histo = (struct uhi_histo){.job = *job};
    uhi_frame_open(&histo->frame, job->queue, uhi_histo_variants());
    histo->frame.keeps_imports = 1; /* the indices are imported once for all stages */
    UHI_TRY(uhi_frame_begin(&histo->frame, job->call, job->indices.n));
    if (job->indices.n > 0)
        UHI_TRY(uhi_frame_input(&histo->frame, "indices", job->indices, sizeof(uint32_t)));
    UHI_TRY(uhi_memory_check_copy(job->call, "out", uhi_queue_device(job->queue), job->out, uhi_histo_counts(job)));
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

/* ---- an iteration, and the end ----------------------------------------------------------------------------------- */

uh_status uhi_histo_iterate(struct uhi_histo *histo) {
    histo->done = (struct uhi_histo_done){0};
    histo->started = histo->job.timed ? uhi_host_now() : 0;
    UHI_TRY(uhi_queue_check_cancelled(histo->frame.queue, histo->job.call));
    UHI_TRY(uhi_frame_run(&histo->frame, &prescan, histo));
    UHI_TRY(uhi_frame_run(&histo->frame, &uhi_histo_count, histo));
    return uhi_frame_run(&histo->frame, &uhi_histo_reduce, histo);
}

static uh_status store_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histo *histo = context;
    const struct uhi_histo_job *job = &histo->job;
    const size_t bins = uhi_histo_counts(job), words = uhi_histo_words(job);
    const size_t there = bins < words * 4 ? bins : (size_t)uhi_histo_bins(job->size);
    const uint8_t zero = 0;
    uint8_t *to = histo->device.staging ? histo->device.staging : job->out;
    uh_status status = UH_SUCCESS;
    if (bins > there)
        status = uh_fill(frame->queue, to + there, &zero, sizeof zero, bins - there, NULL);
    if (!status)
        status = uhi_engine_fetch(frame->engine, to, histo->device.out, there);
    if (!status && histo->device.staging)
        memcpy(job->out, histo->device.staging, bins);
    return status;
}

static const struct uhi_stage store = {"histo: store", NULL, store_on_device};

uh_status uhi_histo_store(struct uhi_histo *histo) {
    return uhi_frame_run(&histo->frame, &store, histo);
}

/* ---- description ------------------------------------------------------------------------------------------------- */

struct describing {
    const struct uhi_histo *histo;
    char *text;
    size_t size;
};

static uh_status describe_host(struct uhi_frame *frame, void *context) {
    const struct describing *describing = context;
    const struct uhi_histo *histo = describing->histo;
    (void)frame;
    if (histo->host.parts == 1)
        snprintf(describing->text, describing->size, "one thread counts in the result");
    else if (histo->host.size)
        snprintf(describing->text, describing->size, "%zu threads count an eye of %llu bins each", histo->host.parts,
                 (unsigned long long)histo->host.size);
    else
        snprintf(describing->text, describing->size, "no eye, %zu threads add to the result", histo->host.parts);
    return UH_SUCCESS;
}

static uh_status describe_device(struct uhi_frame *frame, void *context) {
    const struct describing *describing = context;
    (void)frame;
    (void)uhi_histo_geometry_text(&describing->histo->device.room, &describing->histo->device.tail.geometry,
                                  describing->text, describing->size);
    return UH_SUCCESS;
}

static const struct uhi_stage describe = {"histo: plan", describe_host, describe_device};

void uhi_histo_text(struct uhi_histo *histo, char *text, size_t size) {
    struct describing describing = {histo, text, size};
    (void)uhi_frame_run(&histo->frame, &describe, &describing); /* the engine is open */
}
