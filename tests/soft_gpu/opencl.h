/* SPDX-License-Identifier: Apache-2.0 */
/* The executor of OpenCL on the CPU. */
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "executor.h"

/* ---- translation of SPIR-V (spirv.c) ---- */

/* Works around what PoCL 3.1 lacks, in a module that soft_spirv_read has accepted: atomics and vloadn and the like work
 * on pointers of their own address space instead of the generic one to which SPIR-V has cast them; memory fences are
 * removed, as the atomics of PoCL are sequentially consistent themselves. */
void soft_spirv_lower(uint32_t *code, size_t words);

/* LLVM bitcode for OpenCL (malloc), by llvm-spirv; NULL with the reason in `log` (malloc). */
void *soft_translate(const void *code, size_t size, size_t *bitcode_size, char **log);
/* ---- the OpenCL device (opencl.c) ---- */

struct soft_queue {
    cl_command_queue queue;
    cl_uint started; /* threads that fill their local memory */
};

struct soft_program {
    cl_program program;
    uint64_t digest;
};

struct soft_function {
    pthread_mutex_t *lock; /* of one launch at a time, on any queue and device: see lock_of */
    cl_kernel kernel;
    uint64_t digest; /* of its module */
    bool listed;     /* as executed */
};

/* Of the device. */
extern cl_context soft_opencl_context;

/* Fills the local memory of the device's threads with garbage. */
void soft_opencl_fill_local(struct soft_queue *queue);

/* (opencl_run.c) The executor's `run`. */
ze_result_t soft_opencl_run(struct soft_queue *queue, const struct soft_launch *launch, uint64_t *took);

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
