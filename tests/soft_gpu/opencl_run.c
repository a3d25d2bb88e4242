/* SPDX-License-Identifier: Apache-2.0 */
/* Launches by OpenCL. */
#include <fcntl.h>
#include <inttypes.h>
#include <semaphore.h>
#include <unistd.h>

#include "opencl.h"

/* A launch on its way: what its arguments point into, and the buffers of that which Oclgrind works on. */
struct run {
    struct soft_queue *queue;
    const struct soft_launch *launch;
    struct soft_memory *memory[SOFT_SPIRV_ARGUMENTS];
    cl_mem buffer[SOFT_SPIRV_ARGUMENTS];
    bool is_timed;
    cl_event go, done;
    sem_t has_started;
    uint64_t started, worked; /* nanoseconds of OpenCL's threads: when the kernel has started, and in the kernel */
    cl_int error;
};

/* PoCL calls this in the thread that has compiled the kernel, if that had to be done, and works on it next. */
static void CL_CALLBACK note_begin(__attribute__((unused)) cl_event event, __attribute__((unused)) cl_int status,
                                   void *argument) {
    struct run *run = argument;
    run->started = soft_crew_time();
    sem_post(&run->has_started);
}

/* The kernel does not begin before it is asked to tell when it does. */
static void hold_back(struct run *run) {
    sem_init(&run->has_started, 0, 0);
    run->go = clCreateUserEvent(soft_opencl_context, &run->error);
}

static void let_go(struct run *run) {
    const cl_int waits = run->done ? clSetEventCallback(run->done, CL_RUNNING, note_begin, run) : CL_INVALID_EVENT;
    if (run->go)
        clSetUserEventStatus(run->go, CL_COMPLETE);
    if (run->error == CL_SUCCESS)
        run->error = waits;
    while (waits == CL_SUCCESS && sem_wait(&run->has_started) != 0)
        ;
}

static cl_int set_pointer(struct run *run, cl_kernel kernel, cl_uint index, char *pointer) {
    cl_int error;
    if (!pointer)
        return clSetKernelArg(kernel, index, sizeof(cl_mem), NULL);
    if (!soft_oclgrind)
        return clSetKernelArgSVMPointer(kernel, index, pointer);
    run->buffer[index] = soft_oclgrind_buffer(run->memory[index], pointer, &error);
    return error == CL_SUCCESS ? clSetKernelArg(kernel, index, sizeof(cl_mem), &run->buffer[index]) : error;
}

static cl_int set_argument(struct run *run, cl_kernel kernel, cl_uint index) {
    const struct soft_launch *launch = run->launch;
    const char *value = launch->values + launch->argument_offset[index];
    size_t size = launch->argument_size[index];
    char *pointer;
    switch (launch->description->parameters[index].kind) {
    case UHI_PARAMETER_LOCAL: return clSetKernelArg(kernel, index, size, NULL);
    case UHI_PARAMETER_POINTER:
        memcpy(&pointer, value, sizeof pointer);
        return set_pointer(run, kernel, index, pointer);
    case UHI_PARAMETER_VALUE:
    case UHI_PARAMETER_OTHER: break;
    }
    return clSetKernelArg(kernel, index, size, value);
}

/* Adds a line to the file SOFT_GPU_KERNELS, if there is to be one: the module's digest and the kernel's name. */
static void list_kernel(struct soft_function *kernel, const char *name) {
    const char *path = getenv("SOFT_GPU_KERNELS");
    char line[512];
    int file = path && !kernel->listed ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    int length = snprintf(line, sizeof line, "%016" PRIx64 " %.400s\n", kernel->digest, name);
    kernel->listed = true;
    if (file < 0)
        return;
    if (write(file, line, (size_t)length) != length)
        fprintf(stderr, "soft_gpu: cannot write to %s\n", path);
    close(file);
}

static void execute(void *argument) {
    struct run *run = argument;
    const struct soft_launch *launch = run->launch;
    struct soft_function *kernel = launch->function;
    run->error = CL_SUCCESS;
    if (run->is_timed)
        hold_back(run);
    pthread_mutex_lock(kernel->lock);
    for (cl_uint i = 0; i < launch->description->count && run->error == CL_SUCCESS; i++)
        run->error = set_argument(run, kernel->kernel, i);
    if (run->error == CL_SUCCESS)
        run->error = clEnqueueNDRangeKernel(run->queue->queue, kernel->kernel, 3, launch->offset, launch->global,
                                            launch->local, run->is_timed, run->go ? &run->go : NULL, &run->done);
    list_kernel(kernel, launch->description->name);
    if (run->is_timed)
        let_go(run);
    if (run->error == CL_SUCCESS)
        run->error = clFinish(run->queue->queue);
    pthread_mutex_unlock(kernel->lock);
    run->worked = soft_crew_time() - run->started;
    for (cl_uint i = 0; i < launch->description->count; i++)
        if (run->buffer[i])
            clReleaseMemObject(run->buffer[i]);
}

static void find_memory(struct run *run) {
    const struct soft_launch *launch = run->launch;
    pthread_mutex_lock(&soft_lock);
    for (uint32_t i = 0; i < launch->description->count; i++) {
        const void *pointer;
        if (launch->description->parameters[i].kind != UHI_PARAMETER_POINTER)
            continue;
        memcpy(&pointer, launch->values + launch->argument_offset[i], sizeof pointer);
        run->memory[i] = pointer ? soft_memory_find(pointer) : NULL;
    }
    pthread_mutex_unlock(&soft_lock);
}

ze_result_t soft_opencl_run(struct soft_queue *queue, const struct soft_launch *launch, uint64_t *took) {
    struct run run = {.queue = queue, .launch = launch, .is_timed = took != NULL};
    if (took)
        *took = 0;
    if (!launch->global[0] || !launch->global[1] || !launch->global[2])
        return ZE_RESULT_SUCCESS;
    if (soft_oclgrind)
        find_memory(&run);
    else if (launch->uses_local)
        soft_opencl_fill_local(queue);
    soft_opencl_call(execute, &run);
    if (took && run.error == CL_SUCCESS)
        *took = run.worked;
    if (run.done)
        clReleaseEvent(run.done);
    if (run.go)
        clReleaseEvent(run.go);
    if (took)
        sem_destroy(&run.has_started);
    if (run.error == CL_SUCCESS)
        return ZE_RESULT_SUCCESS;
    fprintf(stderr, "soft_gpu: kernel %s: OpenCL error %d\n", launch->description->name, (int)run.error);
    return ZE_RESULT_ERROR_UNKNOWN;
}
