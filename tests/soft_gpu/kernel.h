/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOFT_KERNEL_H
#define SOFT_KERNEL_H

#include "module.h"

struct soft_kernel {
    struct soft_object object;
    struct soft_module *module;
    const struct soft_spirv_kernel *description;
    struct soft_opencl_kernel *opencl;
    uint64_t local_size; /* static */
    uint32_t group[3], offset[3];
    bool group_set;
    bool argument_set[SOFT_SPIRV_ARGUMENTS];
    size_t argument_offset[SOFT_SPIRV_ARGUMENTS]; /* of each value in `values` */
    size_t argument_size[SOFT_SPIRV_ARGUMENTS];   /* of local memory: how much of it */
    size_t values_size;
    char *values;
};

#endif
