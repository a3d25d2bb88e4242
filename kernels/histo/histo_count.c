/* SPDX-License-Identifier: Apache-2.0 */
/* Counts all indices, the eye's in private tables, and adds these to the result: on the host. */
#include <string.h>

#include "kernels/histo/histo.h"
#include "kernels/histo/histo_run.h"
#include "kernels/registry.h"

enum { TOGETHER = 4096 /* strided indices made contiguous at a time, in the cache */ };

/* ---- on the host: counts go to the result, and to one table per thread ------------------------------------------- */

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

const struct uhi_stage uhi_histo_count = {"histo: count", count_on_host, uhi_histo_count_on_device};
const struct uhi_stage uhi_histo_reduce = {"histo: reduce", reduce_on_host, uhi_histo_reduce_on_device};
