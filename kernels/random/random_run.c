/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/random/random_run.h"

#include "kernels/common/engine.h"
#include "kernels/common/host_run.h"
#include "kernels/random/random_device.h"
#include "kernels/registry.h"
#include "runtime/memory.h"
#include "runtime/status.h"

enum {
    ELEMENTS_A_THREAD = 32768 /* a thread is worth waking for so many */
};

struct work {
    const struct uhi_random_host *host;
    const struct uhi_random_job *job;
    size_t n, slabs;
    char *out;
};

static void fill_slab(const uh_work_group *group, void *const *args) {
    const struct work *work = args[0];
    const size_t from = uhi_slab_start(work->n, work->slabs, group->group_id[0]);
    const size_t n = uhi_slab_start(work->n, work->slabs, group->group_id[0] + 1) - from;
    work->host->fill(work->job, from, n, work->out + from * uhi_random_size(work->job->kind));
}

static uh_status check_elements(const char *call, const struct uhi_random_job *job, size_t n) {
    const int half = job->generator == UH_PHILOX4X32_10 && uhi_random_from_64(job->kind);
    const uint64_t last = half ? INT64_MAX : UINT64_MAX, /* element of a stream */
        past = half ? last + 1 : last;                   /* what `offset` may be without elements */
    if (n > 0 ? job->offset <= last && n - 1 <= last - job->offset : job->offset <= past)
        return UH_SUCCESS;
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: offset is %llu and n is %zu, expected elements before 2^%d", call,
                    (unsigned long long)job->offset, n, half ? 63 : 64);
}

static uh_status check(uh_queue *queue, const char *call, const struct uhi_random_job *job, const void *out, size_t n) {
    const size_t size = uhi_random_size(job->kind);
    if (!queue)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: queue is NULL, expected a queue", call);
    if ((unsigned)job->generator >= UHI_GENERATORS)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: generator is %d, expected one of uh_generator", call,
                        (int)job->generator);
    if (!out && n > 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: out is NULL, expected where to store %zu elements", call, n);
    if ((uintptr_t)out % size != 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: out is %p, expected a multiple of %zu", call, out, size);
    uh_status status = check_elements(call, job, n);
    if (!status)
        status = uhi_memory_check_copy(call, "out", uh_queue_get_device(queue), out,
                                       n > SIZE_MAX / size ? SIZE_MAX : n * size);
    return status;
}

uh_status uhi_random_fill(uh_queue *queue, const char *call, uh_generator generator, enum uhi_random_kind kind,
                          uint64_t seed, uint64_t stream, uint64_t offset, uint64_t bound, int64_t add, void *out,
                          size_t n) {
    const struct uhi_random_job job = {.generator = generator,
                                       .kind = kind,
                                       .seed = seed,
                                       .stream = stream,
                                       .offset = offset,
                                       .bound = bound,
                                       .least = uhi_random_least(kind, bound),
                                       .add = (uint64_t)add};
    uh_status status = check(queue, call, &job, out, n);
    if (status || n == 0)
        return status;
    if (uhi_runs_modules(queue))
        return uhi_random_device_fill(queue, call, &job, out, n);
    const struct work work = {uhi_random_host(), &job, n, uhi_host_slabs(queue, n, ELEMENTS_A_THREAD), (char *)out};
    return uhi_host_run(queue, fill_slab, "random", &work, work.slabs);
}
