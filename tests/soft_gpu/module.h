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

/* Misuse where a module was created without having been built. */
ze_result_t soft_need_built(const struct soft_module *module, const char *call);

/* A native binary (malloc) of SPIR-V and the program made of it: bitcode, or SPIR-V again. `wide` as the module's. */
void *soft_binary_write(const void *spirv, size_t spirv_size, const void *program, size_t program_size, bool wide,
                        size_t *size);
/* Finds the parts of a native binary; false if it is damaged, or was made for another device or version. */
bool soft_binary_read(const void *binary, size_t size, const void **spirv, size_t *spirv_size, const void **program,
                      size_t *program_size, bool *wide);

#endif
