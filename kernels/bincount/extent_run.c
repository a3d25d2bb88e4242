/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/bincount/extent_run.h"

#include <stdlib.h>

#include "kernels/bincount/bincount_device.h"
#include "kernels/bincount/extent.h"
#include "kernels/common/engine.h"
#include "kernels/common/host_run.h"
#include "kernels/registry.h"
#include "runtime/memory.h"
#include "runtime/status.h"

/* A thread is worth waking for so many values. */
enum { VALUES_A_THREAD = 1 << 16 };

struct work {
    uh_dtype dtype;
    const char *x;
    size_t n, slabs;
    struct uhi_extent *parts;
};

static void find_slab(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    const size_t slab = group->group_id[0], from = uhi_slab_start(work->n, work->slabs, slab);
    const size_t n = uhi_slab_start(work->n, work->slabs, slab + 1) - from;
    work->parts[slab] = uhi_bincount_host()->range(work->dtype, work->x + from * uhi_value_size(work->dtype), n);
}

static uh_status find_on_host(const char *call, uh_queue *queue, uh_dtype dtype, const void *x, size_t n,
                              struct uhi_extent *extent) {
    struct work work = {.dtype = dtype, .x = x, .n = n, .slabs = uhi_host_slabs(queue, n, VALUES_A_THREAD)};
    struct uhi_extent found = {UINT64_MAX, 0, 0};
    work.parts = malloc(work.slabs * sizeof *work.parts);
    if (!work.parts)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu threads", call, work.slabs);
    uh_status status = uhi_host_run(queue, find_slab, "bincount: extent", &work, work.slabs);
    for (size_t slab = 0; slab < work.slabs && !status; slab++)
        found = uhi_extent_join(found, work.parts[slab]);
    free(work.parts);
    if (!status)
        *extent = found;
    return status;
}

/* Plain host memory, or what another device's queue cannot reach: read by the host's threads. */
static uh_status find_by_host(const char *call, uh_dtype dtype, const void *x, size_t n, struct uhi_extent *extent) {
    uh_device *host;
    uh_queue *threads = NULL;
    uh_status status = uh_device_select("host", &host);
    if (!status)
        status = uh_queue_create(host, NULL, &threads);
    if (!status)
        status = find_on_host(call, threads, dtype, x, n, extent);
    (void)uh_queue_destroy(threads);
    return status;
}

uh_status uhi_extent_find(const char *call, uh_queue *queue, uh_dtype dtype, const void *x, size_t n,
                          struct uhi_extent *extent) {
    struct uhi_bincount_device *state = NULL;
    if (!uhi_runs_modules(queue))
        return find_on_host(call, queue, dtype, x, n, extent);
    if (!uhi_memory_reaches(uh_queue_get_device(queue), x)) {
        uh_status waited = uh_queue_wait(queue);
        return waited ? waited : find_by_host(call, dtype, x, n, extent);
    }
    uh_status status = uhi_bincount_device_create(call, queue, &state);
    if (!status)
        status = uhi_bincount_device_extent(call, state, dtype, x, n, extent);
    uhi_bincount_device_destroy(state);
    return status;
}
