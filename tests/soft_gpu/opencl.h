/* SPDX-License-Identifier: Apache-2.0 */
/* What executes kernels: SPIR-V as OpenCL takes it, the OpenCL device of the CPU, modules and kernels. */
#ifndef SOFT_OPENCL_H
#define SOFT_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "runtime/spirv.h"

#include "soft.h"

/* ---- a module's SPIR-V, and its translation for OpenCL (spirv.c) ---- */

#define SOFT_SPIRV_ARGUMENTS 128 /* maximum per kernel */

struct soft_spirv {
    struct uhi_signature *kernels;
    size_t nkernels;
    bool fp64;
    uint64_t digest; /* of its bytes: FNV-1a */
};

/* Reads a module by the library's own reader, which has its own tests; false with the reason in `log` (malloc). */
bool soft_spirv_read(struct soft_spirv *spirv, const void *code, size_t size, char **log);
void soft_spirv_free(struct soft_spirv *spirv);

/* Gives constants of a valid module their values; false with `log` (malloc) if it lacks one. OpenCL's consumers of
 * SPIR-V are not used for this: PoCL 7.1 crashes. */
bool soft_spirv_specialize(uint32_t *code, size_t words, const ze_module_constants_t *constants, char **log);

/* Works around what PoCL 3.1 lacks, in a module that soft_spirv_read has accepted: atomics and vloadn and the like work
 * on pointers of their own address space instead of the generic one to which SPIR-V has cast them; memory fences are
 * removed, as the atomics of PoCL are sequentially consistent themselves. */
void soft_spirv_lower(uint32_t *code, size_t words);

/* LLVM bitcode for OpenCL (malloc), by llvm-spirv; NULL with the reason in `log` (malloc). */
void *soft_translate(const void *code, size_t size, size_t *bitcode_size, char **log);
/* Checks a module by spirv-val, if that was found; false with `log` (malloc). */
bool soft_validate(const void *code, size_t size, char **log);

/* ---- the OpenCL device (opencl.c) ---- */

struct soft_opencl_queue {
    cl_command_queue queue;
    cl_uint started; /* threads that fill their local memory */
};

struct soft_opencl_program {
    cl_program program;
    uint64_t digest;
};

struct soft_opencl_kernel {
    pthread_mutex_t *lock; /* of one launch at a time, on any queue and device: see lock_of */
    cl_kernel kernel;
    uint64_t digest; /* of its module */
    bool listed;     /* as executed */
};

/* Finds the device; false if it is missing. */
bool soft_opencl_start(void);

/* A queue for one thread; NULL if none can be created. */
struct soft_opencl_queue *soft_opencl_queue_new(void);
void soft_opencl_queue_free(struct soft_opencl_queue *queue);

/* True if OpenCL takes SPIR-V as it is; else programs are made from the bitcode of soft_translate. */
bool soft_opencl_takes_spirv(void);
/* Builds a program from bitcode, or from SPIR-V; `digest` is that of the module. NULL with `log` (malloc) saying why.
 */
struct soft_opencl_program *soft_opencl_build(const void *code, size_t size, uint64_t digest, const char *options,
                                              char **log);
void soft_opencl_program_free(struct soft_opencl_program *program);

/* A kernel of a program, its static local memory and the group size that it requires (0 for any); NULL if it is not
 * found. */
struct soft_opencl_kernel *soft_opencl_kernel_new(struct soft_opencl_program *program, const char *name,
                                                  uint64_t *local_size, size_t required[3]);
void soft_opencl_kernel_free(struct soft_opencl_kernel *kernel);

/* A launch with its arguments. */
struct soft_launch {
    struct soft_opencl_kernel *kernel;
    const struct uhi_signature *description;
    size_t global[3], local[3], offset[3];
    bool uses_local;
    size_t argument_offset[SOFT_SPIRV_ARGUMENTS]; /* of each value in `values` */
    size_t argument_size[SOFT_SPIRV_ARGUMENTS];   /* of local memory: as set by the program */
    size_t values_size;
    char values[];
};

/* Of the device. */
extern cl_context soft_opencl_context;

/* Fills the local memory of the device's threads with garbage. */
void soft_opencl_fill_local(struct soft_opencl_queue *queue);

/* (opencl_run.c) Runs it and returns when it is done. `took`, unless it is NULL, becomes the nanoseconds that it had of
 * the CPUs together, if no other launch runs at the time. */
ze_result_t soft_opencl_run(struct soft_opencl_queue *queue, const struct soft_launch *launch, uint64_t *took);

/* The least of what launches that do nothing take so. */
uint64_t soft_opencl_idle(struct soft_opencl_queue *queue);

/* ---- the crew (pace.c): the threads in which OpenCL runs kernels, and what they have had of the CPUs, which does not
 * depend on what else the CPUs do ---- */

/* Around what starts them: threads that did not exist before are theirs. The calling thread is not one of them. */
void soft_crew_before(void);
void soft_crew_after(void);

/* Nanoseconds that they have worked so far; of the whole process where OpenCL has started none, but begins them with
 * its work or runs kernels in the thread that waits. */
uint64_t soft_crew_time(void);

/* ---- Oclgrind (oclgrind.c), an interpreter that reports what is wrong with kernels: data races, accesses outside of
 * buffers, use of what has no value, barriers that not all work-items reach. It has no pointers to shared memory, so
 * every allocation has a buffer that lies in the very bytes. It keeps state for each thread, so one thread makes all
 * calls of it. ---- */

/* Before OpenCL is opened: if SOFT_GPU_OPENCL asks for Oclgrind, chooses what it looks for and where it reports. */
void soft_oclgrind_settings(void);
/* Whether kernels run there; set when the platform is known. */
extern bool soft_oclgrind;

/* The thread that has opened OpenCL stays here, and runs what the others call. */
void *soft_oclgrind_serve(void *unused);
/* Calls `function`: there if kernels run on Oclgrind, else as it is. */
void soft_opencl_call(void (*function)(void *), void *argument);

/* These by that thread, which must not wait for soft_lock. */
/* False if no queue can be created. */
bool soft_oclgrind_begin(cl_device_id device);
/* The buffer of a kernel's argument that points into `memory`, to be released after the launch; NULL with an error. */
cl_mem soft_oclgrind_buffer(struct soft_memory *memory, const char *pointer, cl_int *error);

/* The allocation goes. */
void soft_oclgrind_release(struct soft_memory *memory);

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
    bool group_set;
    bool argument_set[SOFT_SPIRV_ARGUMENTS];
    struct soft_launch *launch; /* as the program has set it so far: the number of groups is missing */
};

/* Misuse where a module was created without having been built. */
ze_result_t soft_need_built(const struct soft_module *module, const char *call);

#endif
