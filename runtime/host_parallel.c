/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the library's own functions on the host's threads. */
#include "runtime/host.h"
#include "runtime/log.h"

uint32_t uhi_host_threads(const uh_queue *queue) {
    uh_device *host = NULL;
    if (queue->device->backend == &uhi_backend_host)
        return queue->options.threads;
    for (size_t i = 0; i < queue->nparts; i++)
        if (queue->parts[i]->device->backend == &uhi_backend_host)
            return queue->parts[i]->options.threads;
    return uh_device_select("host", &host) == UH_SUCCESS ? uhi_host_default_threads(host) : 1;
}

static void run_parts(uhi_part_function function, const void *context, size_t parts, uint32_t threads) {
#pragma omp parallel for num_threads((int)threads) schedule(static, 1) default(none) shared(function, context)         \
    firstprivate(parts)
    for (size_t part = 0; part < parts; part++)
        function(context, part, parts);
}

void uhi_host_parallel(const uh_queue *queue, const char *name, uhi_part_function function, const void *context,
                       size_t parts) {
    const int traced = uhi_log_level() >= UH_LOG_TRACE;
    const uint64_t start = traced ? uhi_host_now() : 0;
    uint32_t threads = 1;
    if (parts > 1) {
        threads = uhi_host_threads(queue);
        threads = uhi_host_workers(threads < parts ? threads : (uint32_t)parts);
    }
    if (threads == 1)
        for (size_t part = 0; part < parts; part++)
            function(context, part, parts);
    else
        run_parts(function, context, parts, threads);
    if (traced)
        uhi_log(UH_LOG_TRACE, "%s: %zu parts, %u threads, %llu ns", name, parts, (unsigned)threads,
                (unsigned long long)(uhi_host_now() - start));
}
