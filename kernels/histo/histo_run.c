/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histo/histo_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/engine.h"
#include "kernels/common/host_run.h"
#include "kernels/histo/histo.h"
#include "kernels/histo/histo_device.h"
#include "kernels/registry.h"
#include "runtime/host.h"
#include "runtime/memory.h"
#include "runtime/status.h"

enum {
    /* A thread is worth waking for so many indices. */
    INDICES_A_THREAD = 32768,
    /* Tables lie on different pages, and do not begin in the same cache sets. */
    PAGE = 4096,
    LINE = 64
};

/* The eye of the host's threads: what is outside is added with atomics, so it is wide. */
#define HOST_SIGMAS 4.0

/* All threads' tables together; beyond it they all add to the result. */
#define TABLES_BYTES ((size_t)64 << 20)

struct uhi_histo {
    struct uhi_histo_job job;
    struct uhi_histo_device *device; /* NULL on the host */
    const struct uhi_histo_host *host;
    size_t slabs;
    uint8_t *tables; /* slab s: from s * pitch on */
    size_t tables_size;
    uint64_t *beyond; /* of each slab */
    /* This iteration's. */
    uint64_t first, size; /* the eye's bins; size 0: none */
    size_t pitch;
};

/* ---- by one thread: the cache has the eye without being told ---------------------------------------------------- */

static void count_alone(struct uhi_histo *histo, struct uhi_histo_done *done) {
    const struct uhi_histo_job *job = &histo->job;
    const uint64_t bins = uhi_histo_bins(job->size), start = uhi_host_now();
    memset(job->out, 0, job->size.width * job->size.height);
    done->beyond = histo->host->count(&(struct uhi_histo_slab){.x = (const char *)job->indices,
                                                               .n = job->n,
                                                               .first = 0,
                                                               .last = (uint32_t)(bins - 1),
                                                               .table = job->out,
                                                               .bins = bins,
                                                               .out = job->out});
    done->count = uhi_host_now() - start;
    done->eye = (struct uhi_histo_eye){0, job->size.height};
    snprintf(done->plan, sizeof done->plan, "one thread counts in the result");
}

/* ---- by several threads ----------------------------------------------------------------------------------------- */

/* Makes the threads' tables; where that cannot be, they do without. */
static int have_tables(struct uhi_histo *histo) {
    const size_t wanted = histo->pitch * histo->slabs;
    if (wanted > histo->tables_size && wanted <= TABLES_BYTES) {
        free(histo->tables);
        histo->tables = aligned_alloc(LINE, wanted);
        histo->tables_size = histo->tables ? wanted : 0;
    }
    return wanted <= histo->tables_size;
}

static void find_eye(struct uhi_histo *histo, struct uhi_histo_done *done) {
    const struct uhi_histo_job *job = &histo->job;
    const uint64_t start = uhi_host_now(), bins = uhi_histo_bins(job->size);
    uint64_t sums[UHI_HISTO_SUMS];
    uhi_histo_sample(job->size, (const char *)job->indices, job->n, sums);
    done->eye = uhi_histo_find_eye(job->size, sums, HOST_SIGMAS);
    const uint64_t end = (uint64_t)(done->eye.first + done->eye.rows) * job->size.width;
    histo->first = (uint64_t)done->eye.first * job->size.width;
    histo->size = (end < bins ? end : bins) - histo->first;
    histo->pitch = (histo->size + PAGE - 1) / PAGE * PAGE + LINE;
    /* Clearing and joining a table may take as long as it saves. */
    if (histo->size / 16 > job->n / histo->slabs || !have_tables(histo))
        histo->size = 0;
    done->prescan = uhi_host_now() - start;
}

static uint8_t *table_of(const struct uhi_histo *histo, size_t slab) {
    return histo->size ? histo->tables + slab * histo->pitch : NULL;
}

static void clear_slab(const uh_work_group *group, void *const *args) {
    const struct uhi_histo *histo = args[0];
    const size_t slab = group->group_id[0], bins = histo->job.size.width * histo->job.size.height;
    const size_t from = uhi_slab_start(bins, histo->slabs, slab), to = uhi_slab_start(bins, histo->slabs, slab + 1);
    memset(histo->job.out + from, 0, to - from);
    if (histo->size)
        memset(table_of(histo, slab), 0, histo->size);
}

static void count_slab(const uh_work_group *group, void *const *args) {
    const struct uhi_histo *histo = args[0];
    const size_t slab = group->group_id[0], from = uhi_slab_start(histo->job.n, histo->slabs, slab);
    const uint64_t end = histo->first + (histo->size ? histo->size : 1);
    histo->beyond[slab] =
        histo->host->count(&(struct uhi_histo_slab){.x = (const char *)(histo->job.indices + from),
                                                    .n = uhi_slab_start(histo->job.n, histo->slabs, slab + 1) - from,
                                                    .first = (uint32_t)histo->first,
                                                    .last = (uint32_t)(end - 1),
                                                    .table = table_of(histo, slab),
                                                    .bins = uhi_histo_bins(histo->job.size),
                                                    .out = histo->job.out});
}

static void join_slab(const uh_work_group *group, void *const *args) {
    const struct uhi_histo *histo = args[0];
    const size_t slab = group->group_id[0];
    const size_t from = uhi_slab_start(histo->size, histo->slabs, slab);
    const size_t to = uhi_slab_start(histo->size, histo->slabs, slab + 1);
    histo->host->join(histo->tables + from, histo->pitch, histo->slabs, to - from,
                      histo->job.out + histo->first + from);
}

static uh_status count_together(struct uhi_histo *histo, struct uhi_histo_done *done) {
    find_eye(histo, done);
    const uint64_t start = uhi_host_now();
    uh_status status = uhi_host_run(histo->job.queue, clear_slab, "histo: clear", histo, histo->slabs);
    if (!status)
        status = uhi_host_run(histo->job.queue, count_slab, "histo: count", histo, histo->slabs);
    const uint64_t counted = uhi_host_now();
    if (!status && histo->size)
        status = uhi_host_run(histo->job.queue, join_slab, "histo: reduce", histo, histo->slabs);
    if (status)
        return status;
    done->count = counted - start;
    done->reduce = uhi_host_now() - counted;
    for (size_t slab = 0; slab < histo->slabs; slab++)
        done->beyond += histo->beyond[slab];
    if (histo->size)
        snprintf(done->plan, sizeof done->plan, "%zu threads count an eye of %llu bins each", histo->slabs,
                 (unsigned long long)histo->size);
    else
        snprintf(done->plan, sizeof done->plan, "no eye, %zu threads add to the result", histo->slabs);
    return UH_SUCCESS;
}

/* ---- on any device ---------------------------------------------------------------------------------------------- */

static uh_status open_host(struct uhi_histo *histo) {
    const struct uhi_histo_job *job = &histo->job;
    uh_device *device = uh_queue_get_device(job->queue);
    uh_status status = uhi_memory_check_copy(job->call, "indices", device, job->indices, job->n * sizeof *job->indices);
    if (!status)
        status = uhi_memory_check_copy(job->call, "out", device, job->out, job->size.width * job->size.height);
    if (status)
        return status;
    histo->host = uhi_histo_host();
    histo->slabs = uhi_host_slabs(job->queue, job->n, INDICES_A_THREAD);
    if (histo->slabs == 1)
        return UH_SUCCESS;
    histo->beyond = calloc(histo->slabs, sizeof *histo->beyond);
    return histo->beyond ? UH_SUCCESS
                         : uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu threads", job->call, histo->slabs);
}

uh_status uhi_histo_open(const struct uhi_histo_job *job, struct uhi_histo **histo) {
    *histo = calloc(1, sizeof **histo);
    if (!*histo)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for its state", job->call);
    (*histo)->job = *job;
    return uhi_runs_modules(job->queue) ? uhi_histo_device_open(job, &(*histo)->device) : open_host(*histo);
}

uh_status uhi_histo_iterate(struct uhi_histo *histo, struct uhi_histo_done *done) {
    *done = (struct uhi_histo_done){0};
    if (histo->device)
        return uhi_histo_device_iterate(histo->device, done);
    if (histo->slabs > 1)
        return count_together(histo, done);
    count_alone(histo, done);
    return UH_SUCCESS;
}

uh_status uhi_histo_store(struct uhi_histo *histo) {
    return histo->device ? uhi_histo_device_store(histo->device) : UH_SUCCESS;
}

void uhi_histo_close(struct uhi_histo *histo) {
    if (!histo)
        return;
    uhi_histo_device_close(histo->device);
    free(histo->tables);
    free(histo->beyond);
    free(histo);
}
