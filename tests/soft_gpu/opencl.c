/* SPDX-License-Identifier: Apache-2.0 */
#define CL_TARGET_OPENCL_VERSION 300
#include "opencl.h"

#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct soft_opencl_queue {
    cl_command_queue queue;
    cl_uint begun; /* threads that fill their local memory */
};

struct soft_opencl_program {
    cl_program program;
};

struct soft_opencl_kernel {
    pthread_mutex_t lock; /* arguments are set and the kernel is enqueued by one thread at a time */
    cl_kernel kernel;
};

static cl_device_id device;
static cl_context context;
static bool takes_spirv;
static cl_ulong local_size;
static cl_uint units;

/* Local memory is filled with garbage before a kernel that uses it runs. Each thread of PoCL has its own and takes 32
 * groups at a time, so one group of 32 does it, and waits a while for other threads to take theirs. */
#define GROUPS_AT_A_TIME 32
#define PATIENCE         16384
static const char garbage_source[] =
    "kernel void garbage(local uint *memory, uint words, volatile global uint *begun, uint threads, uint patience) {\n"
    "    if (get_group_id(0) % 32)\n"
    "        return;\n"
    "    for (uint i = 0; i < words; i++)\n"
    "        ((volatile local uint *)memory)[i] = 0xa5a5a5a5u;\n"
    "    atomic_inc(begun);\n"
    "    for (uint i = 0; i < patience && *begun < threads; i++)\n"
    "        ;\n"
    "}\n";
static struct soft_opencl_kernel *garbage;

/* The platform to use: the one that SOFT_GPU_OPENCL is a part of the name of, or else PoCL. */
static bool choose(cl_platform_id *platforms, cl_uint nplatforms) {
    const char *wanted = getenv("SOFT_GPU_OPENCL");
    for (cl_uint i = 0; i < nplatforms; i++) {
        char name[256] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (strstr(name, wanted ? wanted : "Portable Computing Language") &&
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS)
            return true;
    }
    return false;
}

static void *start_opencl(void *argument) {
    const char **problem = argument;
    cl_platform_id platforms[16];
    cl_uint nplatforms = 0;
    cl_int error;
    /* The threads of PoCL begin here and inherit this one's rights and signals. */
    soft_protection_open();
    if (clGetPlatformIDs(16, platforms, &nplatforms) != CL_SUCCESS ||
        !choose(platforms, nplatforms < 16 ? nplatforms : 16)) {
        *problem = "no OpenCL device of the CPU; install pocl-opencl-icd";
        return NULL;
    }
    char language[128] = "";
    clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof language - 1, language, NULL);
    takes_spirv = strstr(language, "SPIR-V") != NULL;
    clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_size, &local_size, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    size_t group = 0;
    clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    if (soft_settings.slm > local_size || soft_settings.group > group) {
        *problem = "slm or group is larger than what the OpenCL device has";
        return NULL;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    *problem = error == CL_SUCCESS ? NULL : "clCreateContext has failed";
    return NULL;
}

bool soft_opencl_start(char *message, size_t size) {
    pthread_t thread;
    sigset_t all, before;
    const char *problem = "no thread";
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, start_opencl, &problem) == 0)
        pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (problem)
        snprintf(message, size, "%s", problem);
    return !problem;
}

bool soft_opencl_takes_spirv(void) {
    return takes_spirv;
}

struct soft_opencl_queue *soft_opencl_queue_new(void) {
    struct soft_opencl_queue *queue = malloc(sizeof *queue);
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    if (queue)
        queue->queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    if (error != CL_SUCCESS) {
        free(queue);
        return NULL;
    }
    return queue;
}

void soft_opencl_queue_free(struct soft_opencl_queue *queue) {
    if (queue)
        clReleaseCommandQueue(queue->queue);
    free(queue);
}

static char *build_log(cl_program program) {
    size_t size = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(1, size + 1);
    if (log && size)
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    return log;
}

static cl_program create(const void *code, size_t size, const ze_module_constants_t *constants,
                         const struct soft_spirv *spirv, cl_int *error) {
    const unsigned char *binary = code;
    if (!takes_spirv)
        return clCreateProgramWithBinary(context, 1, &device, &size, &binary, NULL, error);
    cl_program program = clCreateProgramWithIL(context, code, size, error);
    for (uint32_t i = 0; *error == CL_SUCCESS && constants && i < constants->numConstants; i++)
        for (size_t k = 0; k < spirv->nconstants; k++)
            if (spirv->constants[k].id == constants->pConstantIds[i])
                *error = clSetProgramSpecializationConstant(program, spirv->constants[k].id, spirv->constants[k].size,
                                                            constants->pConstantValues[i]);
    return program;
}

struct soft_opencl_program *soft_opencl_build(const struct soft_spirv *spirv, const void *code, size_t size,
                                              const ze_module_constants_t *constants, const char *options, char **log) {
    struct soft_opencl_program *built = malloc(sizeof *built);
    if (!built)
        return NULL;
    cl_int error;
    char all[1024];
    snprintf(all, sizeof all, "%s %s", takes_spirv ? "" : "-x spir -spir-std=1.2", options);
    built->program = create(code, size, constants, spirv, &error);
    if (built->program && error == CL_SUCCESS)
        error = clBuildProgram(built->program, 1, &device, all, NULL, NULL);
    if (error == CL_SUCCESS)
        return built;
    if (built->program) {
        *log = build_log(built->program);
        clReleaseProgram(built->program);
    } else {
        *log = strdup("OpenCL does not take the program");
    }
    free(built);
    return NULL;
}

void soft_opencl_program_free(struct soft_opencl_program *program) {
    if (program)
        clReleaseProgram(program->program);
    free(program);
}

struct soft_opencl_kernel *soft_opencl_kernel_new(struct soft_opencl_program *program, const char *name,
                                                  uint64_t *used) {
    struct soft_opencl_kernel *kernel = malloc(sizeof *kernel);
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    if (kernel)
        kernel->kernel = clCreateKernel(program->program, name, &error);
    if (error != CL_SUCCESS) {
        free(kernel);
        return NULL;
    }
    pthread_mutex_init(&kernel->lock, NULL);
    cl_ulong local = 0;
    clGetKernelWorkGroupInfo(kernel->kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    *used = local;
    return kernel;
}

void soft_opencl_kernel_free(struct soft_opencl_kernel *kernel) {
    if (!kernel)
        return;
    clReleaseKernel(kernel->kernel);
    pthread_mutex_destroy(&kernel->lock);
    free(kernel);
}

static void make_garbage(void) {
    const char *source = garbage_source;
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    struct soft_opencl_program built = {program};
    uint64_t used;
    if (error == CL_SUCCESS && clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS)
        garbage = soft_opencl_kernel_new(&built, "garbage", &used);
}

static void fill_local(struct soft_opencl_queue *queue) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_garbage);
    size_t bytes = soft_settings.slm & ~(size_t)3, one = 1, groups = (size_t)units * GROUPS_AT_A_TIME;
    cl_uint words = (cl_uint)(bytes / 4), patience = PATIENCE;
    if (!garbage || !words)
        return;
    queue->begun = 0;
    pthread_mutex_lock(&garbage->lock);
    clSetKernelArg(garbage->kernel, 0, bytes, NULL);
    clSetKernelArg(garbage->kernel, 1, sizeof words, &words);
    clSetKernelArgSVMPointer(garbage->kernel, 2, &queue->begun);
    clSetKernelArg(garbage->kernel, 3, sizeof units, &units);
    clSetKernelArg(garbage->kernel, 4, sizeof patience, &patience);
    clEnqueueNDRangeKernel(queue->queue, garbage->kernel, 1, NULL, &groups, &one, 0, NULL, NULL);
    pthread_mutex_unlock(&garbage->lock);
    clFinish(queue->queue);
}

static cl_int set_argument(cl_kernel kernel, cl_uint index, const struct soft_launch *launch) {
    const char *value = launch->values + launch->argument_offset[index];
    size_t size = launch->argument_size[index];
    void *pointer;
    switch (launch->description->arguments[index].kind) {
    case SOFT_ARGUMENT_LOCAL: return clSetKernelArg(kernel, index, size, NULL);
    case SOFT_ARGUMENT_POINTER:
        memcpy(&pointer, value, sizeof pointer);
        return pointer ? clSetKernelArgSVMPointer(kernel, index, pointer)
                       : clSetKernelArg(kernel, index, sizeof(cl_mem), NULL);
    case SOFT_ARGUMENT_VALUE:
    case SOFT_ARGUMENT_OTHER: break;
    }
    return clSetKernelArg(kernel, index, size, value);
}

ze_result_t soft_opencl_run(struct soft_opencl_queue *queue, const struct soft_launch *launch) {
    cl_int error = CL_SUCCESS;
    if (!launch->global[0] || !launch->global[1] || !launch->global[2])
        return ZE_RESULT_SUCCESS;
    if (launch->uses_local && soft_settings.garbage)
        fill_local(queue);
    pthread_mutex_lock(&launch->kernel->lock);
    for (cl_uint i = 0; i < launch->description->narguments && error == CL_SUCCESS; i++)
        error = set_argument(launch->kernel->kernel, i, launch);
    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(queue->queue, launch->kernel->kernel, 3, launch->offset, launch->global,
                                       launch->local, 0, NULL, NULL);
    pthread_mutex_unlock(&launch->kernel->lock);
    if (error == CL_SUCCESS)
        error = clFinish(queue->queue);
    if (error == CL_SUCCESS)
        return ZE_RESULT_SUCCESS;
    fprintf(stderr, "soft_gpu: kernel %s: OpenCL error %d\n", launch->description->name, (int)error);
    return ZE_RESULT_ERROR_UNKNOWN;
}
