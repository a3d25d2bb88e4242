/* SPDX-License-Identifier: Apache-2.0 */
/* A user-defined kernel on any device: saxpy [device], such as "gpu" or "host". The host runs the C function below, the
 * others saxpy.cl, which CMakeLists.txt compiles and embeds; memory, arguments and launch are the same for both. */
#include <string.h>

#include "check.h"
#include "saxpy.cl.h"

enum { N = 1 << 20 };

/* The same as saxpy.cl, for one work-group. */
static void saxpy_host(const uh_work_group *group, void *const *args) {
    const float a = *(const float *)args[0];
    const float *x = args[1];
    float *y = args[2];
    const size_t end = group->first[0] + group->size[0];

    for (size_t i = group->first[0]; i < end; i++)
        y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
    uh_device *device;
    uh_queue *queue;
    uh_device_properties properties = {.struct_size = sizeof properties};
    check(uh_device_select(argc > 1 ? argv[1] : "auto", &device));
    check(uh_device_get_properties(device, &properties));
    check(uh_queue_create(device, NULL, &queue));

    const int on_host = strcmp(properties.backend, "host") == 0;
    uh_module *module = NULL;
    uh_kernel *kernel;
    if (on_host) {
        check(uh_kernel_create_host("saxpy", saxpy_host, &kernel));
    } else {
        check(uh_module_create(device, &uh_program_saxpy, NULL, &module));
        check(uh_kernel_get(module, "saxpy", &kernel));
    }

    /* Memory that both the host and the device can access. */
    void *memory;
    check(uh_malloc(device, UH_MEMORY_SHARED, 2 * N * sizeof(float), 0, &memory));
    float *x = memory, *y = x + N;
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }

    const float a = 2;
    const uh_nd_range range = {.dims = 1, .global = {N}};
    const uh_arg args[] = {uh_arg_value(&a, sizeof a), uh_arg_pointer(x), uh_arg_pointer(y)};
    check(uh_parallel_for(queue, kernel, &range, args, 3, NULL));
    check(uh_queue_wait(queue));

    /* Every number here is an integer below 2^24, so float arithmetic is exact. */
    size_t wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += y[i] != (float)(2 * i + 1);
    printf("saxpy on %s (%s): %d values, %zu wrong\n", properties.name, properties.selector, N, wrong);

    check(uh_free(memory));
    if (on_host)
        uh_kernel_destroy(kernel);
    uh_module_destroy(module);
    uh_queue_destroy(queue);
    return wrong != 0;
}
