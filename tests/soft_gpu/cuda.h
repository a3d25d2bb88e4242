/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of NVIDIA's driver (libcuda.so.1) that the executor calls, by the CUDA driver API's reference manual.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int CUresult; /* 0: success */
typedef int CUdevice;
typedef const struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef uint64_t CUdeviceptr; /* with unified addressing also the host's */

enum {
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,

    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, /* kHz */
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,       /* kHz */
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37, /* bits */
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,

    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,

    CU_STREAM_NON_BLOCKING = 1,
    CU_MEMHOSTALLOC_PORTABLE = 1,
    CU_MEMHOSTALLOC_DEVICEMAP = 2,

    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6
};

/* Name in the library, member, parameters. */
#define CUDA_FUNCTIONS(X)                                                                                              \
    X(cuInit, init, (unsigned flags))                                                                                  \
    X(cuDeviceGet, device_get, (CUdevice * device, int ordinal))                                                       \
    X(cuDeviceGetName, device_get_name, (char *name, int size, CUdevice device))                                       \
    X(cuDeviceTotalMem_v2, device_total_mem, (size_t * bytes, CUdevice device))                                        \
    X(cuDeviceGetAttribute, device_get_attribute, (int *value, int attribute, CUdevice device))                        \
    X(cuDevicePrimaryCtxRetain, context_retain, (CUcontext * context, CUdevice device))                                \
    X(cuCtxSetCurrent, context_set, (CUcontext context))                                                               \
    X(cuGetErrorName, error_name, (CUresult result, const char **name))                                                \
    X(cuStreamCreate, stream_create, (CUstream * stream, unsigned flags))                                              \
    X(cuStreamDestroy_v2, stream_destroy, (CUstream stream))                                                           \
    X(cuStreamSynchronize, stream_synchronize, (CUstream stream))                                                      \
    X(cuMemAlloc_v2, mem_alloc, (CUdeviceptr * pointer, size_t bytes))                                                 \
    X(cuMemFree_v2, mem_free, (CUdeviceptr pointer))                                                                   \
    X(cuMemHostAlloc, host_alloc, (void **pointer, size_t bytes, unsigned flags))                                      \
    X(cuMemFreeHost, host_free, (void *pointer))                                                                       \
    X(cuMemHostRegister_v2, host_register, (void *pointer, size_t bytes, unsigned flags))                              \
    X(cuMemHostUnregister, host_unregister, (void *pointer))                                                           \
    X(cuMemcpyAsync, memcpy_async, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                  \
    X(cuMemsetD8Async, memset_8, (CUdeviceptr to, unsigned char value, size_t n, CUstream stream))                     \
    X(cuMemsetD16Async, memset_16, (CUdeviceptr to, unsigned short value, size_t n, CUstream stream))                  \
    X(cuMemsetD32Async, memset_32, (CUdeviceptr to, unsigned value, size_t n, CUstream stream))                        \
    X(cuModuleLoadDataEx, module_load,                                                                                 \
      (CUmodule * module, const void *image, unsigned n, const int *options, void **values))                           \
    X(cuModuleUnload, module_unload, (CUmodule module))                                                                \
    X(cuModuleGetFunction, module_get_function, (CUfunction * function, CUmodule module, const char *name))            \
    X(cuFuncGetAttribute, function_get_attribute, (int *value, int attribute, CUfunction function))                    \
    X(cuFuncSetAttribute, function_set_attribute, (CUfunction function, int attribute, int value))                     \
    X(cuLaunchKernel, launch,                                                                                          \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,     \
       unsigned block_z, unsigned shared_bytes, CUstream stream, void **arguments, void **extra))

/* ---- of the executor (cuda.c, cuda_program.c) ---- */

struct soft_cuda_library {
#define MEMBER(name, member, parameters) CUresult(*member) parameters;
    CUDA_FUNCTIONS(MEMBER)
#undef MEMBER
};
extern struct soft_cuda_library soft_cuda_library;
extern CUcontext soft_cuda_context;

/* Reports a failed call; returns true if it has failed. */
bool soft_cuda_failed(CUresult result, const char *call);

/* Loads PTX; `message` becomes the compiler's. */
CUresult soft_cuda_load(const char *ptx, char *message, size_t size, CUmodule *module);

struct soft_program {
    CUmodule module;
};

struct soft_function {
    CUfunction function;
    uint64_t local_size; /* static */
};

/* Members of struct soft_executor. */
void *soft_cuda_translate(const void *spirv, size_t size, size_t *program_size, char **log);
struct soft_program *soft_cuda_build(const void *program, size_t size, uint64_t digest, const char *options,
                                     char **log);
void soft_cuda_program_free(struct soft_program *program);
struct soft_function *soft_cuda_function_new(struct soft_program *program, const char *name, uint64_t *local_size,
                                             uint64_t *max_group);
void soft_cuda_function_free(struct soft_function *function);
