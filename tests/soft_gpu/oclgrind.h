/* SPDX-License-Identifier: Apache-2.0 */
/* What is different where kernels are executed by Oclgrind, an interpreter that reports what is wrong with them: data
 * races, accesses outside of buffers, use of what has no value, barriers that not all work-items reach.
 *
 * It has no pointers to shared memory, so every allocation has a buffer that lies in the very bytes. It keeps state for
 * each thread, so one thread makes all calls of it. */
#ifndef SOFT_OCLGRIND_H
#define SOFT_OCLGRIND_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "soft.h"

/* Before OpenCL is opened: if SOFT_GPU_OPENCL asks for Oclgrind, chooses what it looks for and where it reports. */
void soft_oclgrind_settings(void);
/* Whether kernels run there; set when the platform is known. */
extern bool soft_oclgrind;

/* The thread that has opened OpenCL stays here, and runs what the others call. */
void *soft_oclgrind_serve(void *unused);
/* Calls `function`: there if kernels run on Oclgrind, else as it is. */
void soft_opencl_call(void (*function)(void *), void *argument);

/* These by that thread, which must not wait for soft_lock. */
/* Keeps the context; false if no queue can be created. */
bool soft_oclgrind_begin(cl_context context, cl_device_id device);
/* The buffer of a kernel's argument that points into `memory`, to be released after the launch; NULL with an error. */
cl_mem soft_oclgrind_buffer(struct soft_memory *memory, const char *pointer, cl_int *error);

/* The allocation goes. */
void soft_oclgrind_release(struct soft_memory *memory);

#endif
