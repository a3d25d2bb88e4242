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
    /* Tables lie on different pages, and do not begin in the same cache sets. */
    PAGE = 4096,
    LINE = 64,
    INDEX_BYTES = sizeof(uint32_t),
    SUMS_BYTES = UHI_HISTO_SUMS * sizeof(uint64_t)
};

static size_t bins_of(const struct uhi_histo_job *job) {
    return job->size.width * job->size.height;
}

/* ---- open and close ---------------------------------------------------------------------------------------------- */

static uh_status ready_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histo *histo = context;
    const struct uhi_histo_job *job = &histo->job;
    struct uhi_engine *engine = frame->engine;
    void *out = NULL;
    uh_status status = uhi_engine_place(engine, job->call, "out", job->out, &histo->device.out_place);
    if (!status && job->indices.n > 0)
        status = uhi_pieces_open(&histo->device.pieces, engine, job->call, &frame->operands, UINT32_MAX);
    if (!status)
        status = uh_malloc(engine->device, UH_MEMORY_DEVICE,
                           (uhi_histo_words(job) + UHI_HISTO_BEYOND_WORDS) * sizeof(uint32_t), 0, &out);
    histo->device.out = out;
    if (!status && histo->device.out_place == UHI_PLAIN_HOST && !(histo->device.staging = malloc(bins_of(job))))
        status = uhi_fail(UH_ERROR_OUT_OF_MEMORY, job->call, NULL, "no memory for %zu counts", bins_of(job));
    return status;
}

static const struct uhi_stage ready = {"histo: ready", NULL, ready_on_device};

uh_status uhi_histo_open(struct uhi_histo *histo, const struct uhi_histo_job *job) {
    *histo = (struct uhi_histo){.job = *job};
    uhi_frame_open(&histo->frame, job->queue, uhi_histo_variants());
    histo->frame.keeps_imports = 1; /* the indices are opened once for all stages */
    uh_status status = uhi_frame_begin(&histo->frame, job->call, job->indices.n);
    if (!status && job->indices.n > 0)
        status = uhi_frame_input(&histo->frame, "indices", job->indices, INDEX_BYTES);
    if (!status)
        status = uhi_memory_check_copy(job->call, "out", uh_queue_get_device(job->queue), job->out, bins_of(job));
    return status ? status : uhi_frame_run(&histo->frame, &ready, histo);
}

void uhi_histo_close(struct uhi_histo *histo) {
    if (histo->frame.engine)
        uhi_engine_quiesce(histo->frame.engine);
    (void)uh_free(histo->device.out);
    free(histo->device.staging);
    uhi_frame_close(&histo->frame);
}

/* ---- the prescan: where the eye is, and how it is counted ---------------------------------------------------------
 */

static uh_status prescan_on_host(struct uhi_frame *frame, void *context) {
    struct uhi_histo *histo = context;
    const struct uhi_histo_job *job = &histo->job;
    const uint64_t bins = uhi_histo_bins(job->size);
    const size_t parts = uhi_parts_for(frame->queue, job->indices.n, UHI_HISTO_INDICES_A_THREAD);
    uint64_t sums[UHI_HISTO_SUMS];
    histo->host.parts = parts;
    if (parts == 1) { /* the cache has the eye without being told */
        histo->host.size = bins;
        histo->done.eye = (struct uhi_histo_eye){0, job->size.height};
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
    if (!histo->host.tables) /* the threads do without */
        histo->host.size = 0;
    return UH_SUCCESS;
}

/* Lends a kernel, and lowers *group_size to what it can run. What groups do depends on how many there are:
 * uhi_engine_run must not make more of smaller ones. */
static uh_status find_kernel(struct uhi_engine *engine, const char *name, size_t *group_size, uh_kernel **kernel) {
    uh_kernel_properties properties = {.struct_size = sizeof properties};
    uh_status status = uhi_engine_kernel(engine, name, kernel);
    if (!status)
        status = uh_kernel_get_properties(*kernel, &properties);
    while (!status && *group_size > properties.max_group_size && *group_size > 1)
        *group_size /= 2;
    return status;
}

/* From one index to the next, in words; 0 where the prescan's kernel cannot read them. */
static uint64_t step_of(struct uhi_values x) {
    const int aligned = (uintptr_t)x.first % INDEX_BYTES == 0 && x.stride % INDEX_BYTES == 0;
    return aligned && x.stride > 0 ? (uint64_t)x.stride / INDEX_BYTES : 0;
}

/* Samples where the indices are: the words that follow one another `step` words apart, as if all were indices. */
static uh_status sample_on_device(struct uhi_histo *histo, uint64_t step, uint64_t sums[]) {
    const struct uhi_histo_job *job = &histo->job;
    struct uhi_engine *engine = histo->frame.engine;
    const uint64_t n = (job->indices.n - 1) * step + 1, distance = uhi_histo_distance(job->indices.n) * step;
    const uint64_t local = engine->properties.local_memory;
    const uint32_t last = uhi_histo_last_bin(job), shift = uhi_histo_shift(job->size);
    size_t group_size = uhi_engine_group_size(engine);
    void *there = NULL;
    uh_kernel *kernel = NULL;
    uh_status status = find_kernel(engine, "prescan", &group_size, &kernel);
    while (group_size > 1 && group_size * SUMS_BYTES > local)
        group_size /= 2;
    if (status || group_size * SUMS_BYTES > local) /* nothing to sum up in: no eye */
        return status;
    status = uhi_engine_scratch(engine, SUMS_BYTES, &there);
    const uh_arg args[] = {uh_arg_pointer(job->indices.first),       uh_arg_value(&n, sizeof n),
                           uh_arg_value(&distance, sizeof distance), uh_arg_value(&last, sizeof last),
                           uh_arg_value(&shift, sizeof shift),       uh_arg_pointer(there),
                           uh_arg_local(group_size * SUMS_BYTES)};
    if (!status)
        status = uhi_engine_run(engine, kernel, 1, group_size, args, 7, NULL, NULL);
    return status ? status : uhi_engine_fetch(engine, sums, there, SUMS_BYTES);
}

/* Chooses how to count, and gets the kernels for it. */
static uh_status choose(struct uhi_histo *histo) {
    struct uhi_engine *engine = histo->frame.engine;
    const struct uhi_histo_job *job = &histo->job;
    struct uhi_histo_geometry *geometry = &histo->device.geometry;
    size_t group_size = uhi_engine_group_size(engine);
    *geometry = uhi_histo_choose(job->size, histo->done.eye, job->indices.n, group_size, &engine->properties);
    if (!geometry->bits)
        histo->done.eye = (struct uhi_histo_eye){0, 0};
    const char *name = geometry->bits == 16 ? "count_16" : geometry->bits == 8 ? "count_8" : "count_0";
    uh_status status = find_kernel(engine, name, &group_size, &histo->device.count);
    if (!status && geometry->bits)
        status = find_kernel(engine, "reduce", &group_size, &histo->device.reduce);
    if (!status && group_size < geometry->group_size) /* of smaller groups; the kernels are the same */
        *geometry = uhi_histo_choose(job->size, histo->done.eye, job->indices.n, group_size, &engine->properties);
    geometry->batches = uhi_histo_batches(geometry, job->indices.n, uhi_engine_groups(engine, geometry->group_size),
                                          &engine->properties);
    return status;
}

static uh_status prescan_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histo *histo = context;
    const struct uhi_histo_job *job = &histo->job;
    const uint64_t step = step_of(job->indices);
    uint64_t sums[UHI_HISTO_SUMS] = {0};
    uh_status status = UH_SUCCESS;
    (void)frame;
    if (job->indices.n > 0 && histo->device.pieces.in[0].place == UHI_PLAIN_HOST)
        uhi_histo_sample(job->size, job->indices, sums);
    else if (job->indices.n > 0 && step > 0)
        status = sample_on_device(histo, step, sums);
    histo->done.eye = uhi_histo_find_eye(job->size, sums, UHI_HISTO_SIGMAS_DEVICE);
    return status ? status : choose(histo);
}

static const struct uhi_stage prescan = {"histo: prescan", prescan_on_host, prescan_on_device};

/* ---- an iteration, and the end ----------------------------------------------------------------------------------- */

/* Waits at the end, so that the phase has a time of its own, where that is wanted. */
static uh_status run_phase(struct uhi_histo *histo, const struct uhi_stage *stage, uint64_t *nanoseconds) {
    const uint64_t start = histo->job.timed ? uhi_host_now() : 0;
    uh_status status = uhi_frame_run(&histo->frame, stage, histo);
    if (status || !histo->job.timed)
        return status;
    status = uhi_fail_of(histo->job.call, uh_queue_wait(histo->job.queue));
    *nanoseconds = uhi_host_now() - start;
    return status;
}

uh_status uhi_histo_iterate(struct uhi_histo *histo) {
    histo->done = (struct uhi_histo_done){0};
    uh_status status = uhi_queue_check_cancelled(histo->frame.queue, histo->job.call);
    if (!status)
        status = run_phase(histo, &prescan, &histo->done.prescan);
    if (!status)
        status = run_phase(histo, &uhi_histo_count, &histo->done.count);
    return status ? status : run_phase(histo, &uhi_histo_reduce, &histo->done.reduce);
}

static uh_status store_on_device(struct uhi_frame *frame, void *context) {
    struct uhi_histo *histo = context;
    const struct uhi_histo_job *job = &histo->job;
    const size_t bins = bins_of(job), words = uhi_histo_words(job);
    const size_t there = bins < words * 4 ? bins : (size_t)uhi_histo_bins(job->size);
    const uint8_t zero = 0;
    uint8_t *to = histo->device.staging ? histo->device.staging : job->out;
    uh_status status = UH_SUCCESS;
    if (bins > there)
        status = uh_fill(frame->queue, to + there, &zero, sizeof zero, bins - there, NULL, 0, NULL);
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

/* ---- in words ---------------------------------------------------------------------------------------------------- */

struct telling {
    const struct uhi_histo *histo;
    char *text;
    size_t size;
};

static uh_status tell_host(struct uhi_frame *frame, void *context) {
    const struct telling *telling = context;
    const struct uhi_histo *histo = telling->histo;
    (void)frame;
    if (histo->host.parts == 1)
        snprintf(telling->text, telling->size, "one thread counts in the result");
    else if (histo->host.size)
        snprintf(telling->text, telling->size, "%zu threads count an eye of %llu bins each", histo->host.parts,
                 (unsigned long long)histo->host.size);
    else
        snprintf(telling->text, telling->size, "no eye, %zu threads add to the result", histo->host.parts);
    return UH_SUCCESS;
}

static uh_status tell_device(struct uhi_frame *frame, void *context) {
    const struct telling *telling = context;
    (void)frame;
    (void)uhi_histo_geometry_text(&telling->histo->device.geometry, telling->text, telling->size);
    return UH_SUCCESS;
}

static const struct uhi_stage tell = {"histo: plan", tell_host, tell_device};

void uhi_histo_text(struct uhi_histo *histo, char *text, size_t size) {
    struct telling telling = {histo, text, size};
    (void)uhi_frame_run(&histo->frame, &tell, &telling); /* the engine is there */
}
