/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/host_run.h"

#include "runtime/backend.h"

uh_status uhi_host_run(uh_queue *queue, uh_host_function function, const char *name, const void *context,
                       size_t groups) {
    const uh_kernel kernel = {.backend = &uhi_backend_host, .function = function, .name = (char *)(uintptr_t)name};
    const uh_nd_range range = {.dims = 1, .global = {groups}, .local = {1}};
    const uh_arg args[] = {uh_arg_pointer(context)};
    return uh_parallel_for(queue, &kernel, &range, args, 1, NULL, 0, NULL);
}

size_t uhi_host_slabs(const uh_queue *queue, size_t n, size_t each) {
    const size_t threads = uh_queue_threads(queue), most = n / each;
    return most < 1 ? 1 : most < threads ? most : threads;
}
