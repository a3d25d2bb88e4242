/* SPDX-License-Identifier: Apache-2.0 */
/* The executor: what runs kernels, and holds their memory. Modules and kernels of the driver, which it runs. */
#pragma once

#include "runtime/spirv.h"

#include "soft.h"

/* ---- a module's SPIR-V (spirv.c) ---- */

#define SOFT_SPIRV_ARGUMENTS 128 /* maximum per kernel */

struct soft_spirv {
    struct uhi_signature *kernels;
    size_t (*required)[3]; /* the group size that each kernel requires; 0: any */
    size_t nkernels;
    bool fp64;
    uint64_t digest; /* soft_digest of its bytes */
};

/* FNV-1a. */
uint64_t soft_digest(const void *data, size_t size);

/* Reads a module by the library's own reader, which has its own tests; false with the reason in `log` (malloc). */
bool soft_spirv_read(struct soft_spirv *spirv, const void *code, size_t size, char **log);
void soft_spirv_free(struct soft_spirv *spirv);

/* Gives constants of a valid module their values; false with `log` (malloc) if it lacks one. OpenCL's consumers of
 * SPIR-V are not used for this: PoCL 7.1 crashes. */
bool soft_spirv_specialize(uint32_t *code, size_t words, const ze_module_constants_t *constants, char **log);

/* Checks a module by spirv-val, if that was found; false with `log` (malloc). */
bool soft_validate(const void *code, size_t size, char **log);

/* ---- launches ---- */

/* Of the executor. */
struct soft_queue;
struct soft_program;
struct soft_function;

/* A launch with its arguments. */
struct soft_launch {
    struct soft_function *function;
    const struct uhi_signature *description;
    size_t global[3], local[3], offset[3];
    bool uses_local;
    size_t argument_offset[SOFT_SPIRV_ARGUMENTS]; /* of each value in `values` */
    size_t argument_size[SOFT_SPIRV_ARGUMENTS];   /* of local memory: as set by the program */
    size_t values_size;
    char values[];
};

/* ---- the executor ---- */

struct soft_executor {
    /* Opens the device. May set soft_settings to what that has; false after soft_refuse. */
    bool (*start)(void);

    /* A queue for one thread; NULL if none can be created. */
    struct soft_queue *(*queue_new)(void);
    void (*queue_free)(struct soft_queue *queue);

    /* The program of a module whose constants have values (malloc; it is part of the native binary), and its build.
     * NULL with `log` (malloc) saying why. */
    void *(*translate)(const void *spirv, size_t size, size_t *program_size, char **log);
    struct soft_program *(*build)(const void *program, size_t size, uint64_t digest, const char *options, char **log);
    void (*program_free)(struct soft_program *program);

    /* A kernel of a program, its static local memory and the largest group that it can run in; NULL if it
     * is not found. */
    struct soft_function *(*function_new)(struct soft_program *program, const char *name, uint64_t *local_size,
                                          uint64_t *max_group);
    void (*function_free)(struct soft_function *function);

    /* Runs it and returns when it is done. `took`, unless it is NULL, becomes the nanoseconds that it had of the CPUs
     * together, if no other launch runs at the time; `idle` returns the minimum of launches that do nothing. */
    ze_result_t (*run)(struct soft_queue *queue, const struct soft_launch *launch, uint64_t *took);
    uint64_t (*idle)(struct soft_queue *queue);

    /* Memory of an allocation whose size and type are set, filled with garbage, never at a multiple of `avoided` (0:
     * anywhere); false if out of memory. `overrun`: something was written to the `tail` bytes after it. */
    bool (*map)(struct soft_memory *memory, size_t alignment, size_t avoided);
    void (*unmap)(struct soft_memory *memory);
    bool (*overrun)(const struct soft_memory *memory);

    /* Host memory that the program imports, and releases; NULL if any is as good. False if it cannot be used. */
    bool (*import)(void *pointer, size_t size);
    void (*release)(void *pointer);

    ze_result_t (*copy)(struct soft_queue *queue, void *to, const void *from, size_t size);
    ze_result_t (*fill)(struct soft_queue *queue, void *to, size_t size, const void *pattern, size_t pattern_size);
};

/* By SOFT_GPU_EXECUTOR: opencl, the default, or cuda. */
extern const struct soft_executor *soft_executor;
extern const struct soft_executor soft_opencl, soft_cuda;

/* ---- modules (module.c) and kernels (kernel.c) ---- */

struct soft_log {
    struct soft_object object;
    char *text;
};

struct soft_module {
    struct soft_object object;
    struct soft_context *context;
    struct soft_device *device;
    struct soft_spirv spirv;
    struct soft_program *program;
    bool wide;    /* built for allocations above max_alloc */
    void *binary; /* the native one */
    size_t binary_size;
};

struct soft_kernel {
    struct soft_object object;
    struct soft_module *module;
    const struct uhi_signature *description;
    struct soft_function *function;
    uint64_t local_size, max_group; /* static local memory; work-items per group */
    const size_t *required;         /* group size, 0 for any */
    bool group_set;
    bool argument_set[SOFT_SPIRV_ARGUMENTS];
    struct soft_launch *launch; /* as the program has set it so far: the number of groups is missing */
};

/* Misuse where a module was created without having been built. */
ze_result_t soft_need_built(const struct soft_module *module, const char *call);
