/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of launches on Level Zero devices share: a queue, and the kernels of module_kernels.cl. */
#pragma once

#include <unihist/gpu.h>

#include "tests/fixture.h"

#include "module_kernels.cl.h"

static uh_device *device;
static uh_module *module;
static uh_queue *queue;

static uh_kernel *get(const char *name) { return test_kernel_of(module, name); }

/* Launches one of the kernels and waits for it. */
static void run(const char *name, const uh_nd_range *range, const uh_arg *args, size_t nargs) {
    test_good(uh_parallel_for(queue, get(name), range, args, nargs, NULL));
    test_good(uh_queue_wait(queue));
}

static int make_module(void **state) {
    device = test_ze_device();
    queue = test_ze_queue(device, 0);
    return uh_module_create(device, &uh_program_module_kernels, NULL, &module) != UH_SUCCESS;
}

static int destroy_module(void **state) {
    uh_module_destroy(module);
    uh_queue_destroy(queue);
    return 0;
}
