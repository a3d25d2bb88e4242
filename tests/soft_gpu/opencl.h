/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL device of the CPU, which executes kernels. */
#ifndef SOFT_OPENCL_H
#define SOFT_OPENCL_H

#include "oclgrind.h"
#include "spirv.h"

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

/* Finds the device, or false with a message. */
bool soft_opencl_start(char *message, size_t size);

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

/* A launch, its arguments captured. */
struct soft_launch {
    struct soft_opencl_kernel *kernel;
    const struct uhi_signature *description;
    size_t global[3], local[3], offset[3];
    bool uses_local;
    size_t argument_offset[SOFT_SPIRV_ARGUMENTS]; /* of each value in `values` */
    size_t argument_size[SOFT_SPIRV_ARGUMENTS];
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

#endif
