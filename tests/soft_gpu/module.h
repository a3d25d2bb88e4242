/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOFT_MODULE_H
#define SOFT_MODULE_H

#include "opencl.h"

struct soft_log {
    struct soft_object object;
    char *text;
};

struct soft_module {
    struct soft_object object;
    struct soft_context *context;
    struct soft_device *device;
    struct soft_spirv spirv;
    struct soft_opencl_program *program;
    bool wide;    /* built for allocations above max_alloc */
    void *binary; /* the native one */
    size_t binary_size;
};

struct soft_kernel {
    struct soft_object object;
    struct soft_module *module;
    const struct uhi_signature *description;
    struct soft_opencl_kernel *opencl;
    uint64_t local_size; /* static */
    size_t required[3];  /* group size, 0 for any */
    uint32_t group[3], offset[3];
    bool group_set;
    bool argument_set[SOFT_SPIRV_ARGUMENTS];
    size_t argument_offset[SOFT_SPIRV_ARGUMENTS]; /* of each value in `values` */
    size_t argument_size[SOFT_SPIRV_ARGUMENTS];   /* of local memory: as set by the program */
    size_t values_size;
    char *values;
};

/* Misuse where a module was created without having been built. */
ze_result_t soft_need_built(const struct soft_module *module, const char *call);

#endif
