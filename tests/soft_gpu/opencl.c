/* SPDX-License-Identifier: Apache-2.0 */
#include "opencl.h"

#include <fcntl.h>
#include <inttypes.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oclgrind.h"

struct soft_opencl_queue {
    cl_command_queue queue;
    cl_uint begun; /* threads that fill their local memory */
};

struct soft_opencl_program {
    cl_program program;
    uint64_t digest;
};

struct soft_opencl_kernel {
    pthread_mutex_t *lock; /* of one launch at a time, on whatever queue and device: see lock_of */
    cl_kernel kernel;
    uint64_t digest; /* of its module */
    bool listed;     /* as executed */
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
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS) {
            soft_oclgrind = strcmp(name, "Oclgrind") == 0;
            return true;
        }
    }
    return false;
}

/* NULL, or why there is none. */
static const char *open_opencl(void) {
    cl_platform_id platforms[16];
    cl_uint nplatforms = 0;
    cl_int error;
    soft_oclgrind_settings();
    if (clGetPlatformIDs(16, platforms, &nplatforms) != CL_SUCCESS ||
        !choose(platforms, nplatforms < 16 ? nplatforms : 16))
        return "no OpenCL device of the CPU; install pocl-opencl-icd";
    char language[128] = "";
    clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof language - 1, language, NULL);
    takes_spirv = strstr(language, "SPIR-V") != NULL;
    clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_size, &local_size, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    size_t group = 0;
    clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    if (soft_settings.slm > local_size || soft_settings.group > group)
        return "slm or group is larger than what the OpenCL device has";
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        return "clCreateContext has failed";
    return soft_oclgrind && !soft_oclgrind_begin(context, device) ? "clCreateCommandQueue has failed" : NULL;
}

struct start {
    sem_t done;
    const char *problem;
};

static void *start_opencl(void *argument) {
    struct start *start = argument;
    /* The threads of PoCL begin here and inherit this one's rights and signals. */
    soft_protection_open();
    soft_crew_before();
    const char *problem = start->problem = open_opencl();
    soft_crew_after();
    sem_post(&start->done);
    return soft_oclgrind && !problem ? soft_oclgrind_serve(NULL) : NULL;
}

bool soft_opencl_start(char *message, size_t size) {
    pthread_t thread;
    struct start start = {.problem = "no thread"};
    sem_init(&start.done, 0, 0);
    if (soft_thread_start(&thread, start_opencl, &start) == 0) {
        while (sem_wait(&start.done) != 0)
            ;
        pthread_detach(thread);
    }
    sem_destroy(&start.done);
    if (start.problem)
        snprintf(message, size, "%s", start.problem);
    return !start.problem;
}

bool soft_opencl_takes_spirv(void) {
    return takes_spirv;
}

static void create_queue(void *argument) {
    struct soft_opencl_queue *queue = argument;
    queue->queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
}

struct soft_opencl_queue *soft_opencl_queue_new(void) {
    struct soft_opencl_queue *queue = malloc(sizeof *queue);
    if (queue)
        soft_opencl_call(create_queue, queue);
    if (queue && queue->queue)
        return queue;
    free(queue);
    return NULL;
}

static void release_queue(void *argument) {
    struct soft_opencl_queue *queue = argument;
    clReleaseCommandQueue(queue->queue);
}

void soft_opencl_queue_free(struct soft_opencl_queue *queue) {
    if (queue)
        soft_opencl_call(release_queue, queue);
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

struct build {
    const void *code;
    size_t size;
    const char *options;
    char **log;
    cl_program program;
    cl_int error;
};

static void build(void *argument) {
    struct build *build = argument;
    char all[1024];
    snprintf(all, sizeof all, "%s %s", takes_spirv ? "" : "-x spir -spir-std=1.2", build->options);
    const unsigned char *binary = build->code;
    cl_program program =
        takes_spirv ? clCreateProgramWithIL(context, build->code, build->size, &build->error)
                    : clCreateProgramWithBinary(context, 1, &device, &build->size, &binary, NULL, &build->error);
    if (program && build->error == CL_SUCCESS)
        build->error = clBuildProgram(program, 1, &device, all, NULL, NULL);
    build->program = program;
    if (build->error == CL_SUCCESS)
        return;
    if (program) {
        *build->log = build_log(program);
        clReleaseProgram(program);
    } else {
        *build->log = strdup("OpenCL does not take the program");
    }
}

struct soft_opencl_program *soft_opencl_build(const void *code, size_t size, uint64_t digest, const char *options,
                                              char **log) {
    struct soft_opencl_program *built = malloc(sizeof *built);
    struct build argument = {code, size, options, log, NULL, CL_SUCCESS};
    if (!built)
        return NULL;
    soft_opencl_call(build, &argument);
    built->program = argument.program;
    built->digest = digest;
    if (argument.error == CL_SUCCESS)
        return built;
    free(built);
    return NULL;
}

static void release_program(void *argument) {
    struct soft_opencl_program *program = argument;
    clReleaseProgram(program->program);
}

void soft_opencl_program_free(struct soft_opencl_program *program) {
    if (program)
        soft_opencl_call(release_program, program);
    free(program);
}

struct creation {
    const struct soft_opencl_program *program;
    const char *name;
    cl_kernel kernel;
    cl_int error;
};

static void create_kernel(void *argument) {
    struct creation *creation = argument;
    creation->kernel = clCreateKernel(creation->program->program, creation->name, &creation->error);
}

/* The lock of kernels of these bytes. PoCL keeps what it has compiled of a kernel for wide and narrow launches apart,
 * but gives back the one that was used last, of either: launches of both at once end in an assertion. */
static pthread_mutex_t *lock_of(uint64_t digest) {
    enum { LOCKS = 64 }; /* other kernels may share one */
    static pthread_mutex_t locks[LOCKS];
    static bool ready;
    pthread_mutex_lock(&soft_lock);
    for (size_t i = 0; i < LOCKS && !ready; i++)
        pthread_mutex_init(&locks[i], NULL);
    ready = true;
    pthread_mutex_unlock(&soft_lock);
    return &locks[digest % LOCKS];
}

struct soft_opencl_kernel *soft_opencl_kernel_new(struct soft_opencl_program *program, const char *name) {
    struct soft_opencl_kernel *kernel = calloc(1, sizeof *kernel);
    struct creation creation = {program, name, NULL, CL_OUT_OF_HOST_MEMORY};
    if (kernel)
        soft_opencl_call(create_kernel, &creation);
    if (creation.error != CL_SUCCESS) {
        free(kernel);
        return NULL;
    }
    kernel->lock = lock_of(program->digest);
    kernel->kernel = creation.kernel;
    kernel->digest = program->digest;
    return kernel;
}

static void release_kernel(void *argument) {
    struct soft_opencl_kernel *kernel = argument;
    clReleaseKernel(kernel->kernel);
}

void soft_opencl_kernel_free(struct soft_opencl_kernel *kernel) {
    if (!kernel)
        return;
    soft_opencl_call(release_kernel, kernel);
    free(kernel);
}

static void make_garbage(void) {
    const char *source = garbage_source;
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    struct soft_opencl_program built = {program, 0};
    if (error == CL_SUCCESS && clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS)
        garbage = soft_opencl_kernel_new(&built, "garbage");
}

/* Has `groups` groups fill so many words of local memory each, and waits. */
static void run_garbage(struct soft_opencl_queue *queue, size_t groups, cl_uint words, cl_uint patience) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_garbage);
    const size_t bytes = words ? words * sizeof words : sizeof words, one = 1;
    if (!garbage)
        return;
    queue->begun = 0;
    pthread_mutex_lock(garbage->lock);
    clSetKernelArg(garbage->kernel, 0, bytes, NULL);
    clSetKernelArg(garbage->kernel, 1, sizeof words, &words);
    clSetKernelArgSVMPointer(garbage->kernel, 2, &queue->begun);
    clSetKernelArg(garbage->kernel, 3, sizeof units, &units);
    clSetKernelArg(garbage->kernel, 4, sizeof patience, &patience);
    clEnqueueNDRangeKernel(queue->queue, garbage->kernel, 1, NULL, &groups, &one, 0, NULL, NULL);
    pthread_mutex_unlock(garbage->lock);
    clFinish(queue->queue);
}

static void fill_local(struct soft_opencl_queue *queue) {
    const cl_uint words = (cl_uint)(soft_settings.slm / sizeof(cl_uint));
    if (words)
        run_garbage(queue, (size_t)units * GROUPS_AT_A_TIME, words, PATIENCE);
}

uint64_t soft_opencl_idle(struct soft_opencl_queue *queue) {
    enum { TRIES = 32 };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t before = soft_crew_time();
        run_garbage(queue, 1, 0, 0);
        const uint64_t took = soft_crew_time() - before;
        least = took < least ? took : least;
    }
    return least;
}

/* A launch on its way: what its arguments point into, and the buffers of that which Oclgrind works on. */
struct run {
    struct soft_opencl_queue *queue;
    const struct soft_launch *launch;
    struct soft_memory *memory[SOFT_SPIRV_ARGUMENTS];
    cl_mem buffer[SOFT_SPIRV_ARGUMENTS];
    bool is_timed;
    cl_event go, done;
    sem_t has_begun;
    uint64_t begun, worked; /* nanoseconds of OpenCL's threads: when the kernel has begun, and in the kernel */
    cl_int error;
};

/* PoCL calls this in the thread that has compiled the kernel, if that had to be done, and works on it next. */
static void CL_CALLBACK note_begin(cl_event event, cl_int status, void *argument) {
    struct run *run = argument;
    (void)event;
    (void)status;
    run->begun = soft_crew_time();
    sem_post(&run->has_begun);
}

/* The kernel does not begin before it is asked to tell when it does. */
static void hold_back(struct run *run) {
    sem_init(&run->has_begun, 0, 0);
    run->go = clCreateUserEvent(context, &run->error);
}

static void let_go(struct run *run) {
    const cl_int waits = run->done ? clSetEventCallback(run->done, CL_RUNNING, note_begin, run) : CL_INVALID_EVENT;
    if (run->go)
        clSetUserEventStatus(run->go, CL_COMPLETE);
    if (run->error == CL_SUCCESS)
        run->error = waits;
    while (waits == CL_SUCCESS && sem_wait(&run->has_begun) != 0)
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
    switch (launch->description->arguments[index].kind) {
    case SOFT_ARGUMENT_LOCAL: return clSetKernelArg(kernel, index, size, NULL);
    case SOFT_ARGUMENT_POINTER:
        memcpy(&pointer, value, sizeof pointer);
        return set_pointer(run, kernel, index, pointer);
    case SOFT_ARGUMENT_VALUE:
    case SOFT_ARGUMENT_OTHER: break;
    }
    return clSetKernelArg(kernel, index, size, value);
}

/* Adds a line to the file SOFT_GPU_KERNELS, if there is to be one: the module's digest and the kernel's name. */
static void list_kernel(struct soft_opencl_kernel *kernel, const char *name) {
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
    struct soft_opencl_kernel *kernel = launch->kernel;
    run->error = CL_SUCCESS;
    if (run->is_timed)
        hold_back(run);
    pthread_mutex_lock(kernel->lock);
    for (cl_uint i = 0; i < launch->description->narguments && run->error == CL_SUCCESS; i++)
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
    run->worked = soft_crew_time() - run->begun;
    for (cl_uint i = 0; i < launch->description->narguments; i++)
        if (run->buffer[i])
            clReleaseMemObject(run->buffer[i]);
}

static void find_memory(struct run *run) {
    const struct soft_launch *launch = run->launch;
    pthread_mutex_lock(&soft_lock);
    for (uint32_t i = 0; i < launch->description->narguments; i++) {
        const void *pointer;
        if (launch->description->arguments[i].kind != SOFT_ARGUMENT_POINTER)
            continue;
        memcpy(&pointer, launch->values + launch->argument_offset[i], sizeof pointer);
        run->memory[i] = pointer ? soft_memory_find(pointer) : NULL;
    }
    pthread_mutex_unlock(&soft_lock);
}

ze_result_t soft_opencl_run(struct soft_opencl_queue *queue, const struct soft_launch *launch, uint64_t *took) {
    struct run run = {.queue = queue, .launch = launch, .is_timed = took != NULL};
    if (took)
        *took = 0;
    if (!launch->global[0] || !launch->global[1] || !launch->global[2])
        return ZE_RESULT_SUCCESS;
    if (soft_oclgrind)
        find_memory(&run);
    else if (launch->uses_local)
        fill_local(queue);
    soft_opencl_call(execute, &run);
    if (took && run.error == CL_SUCCESS)
        *took = run.worked;
    if (run.done)
        clReleaseEvent(run.done);
    if (run.go)
        clReleaseEvent(run.go);
    if (took)
        sem_destroy(&run.has_begun);
    if (run.error == CL_SUCCESS)
        return ZE_RESULT_SUCCESS;
    fprintf(stderr, "soft_gpu: kernel %s: OpenCL error %d\n", launch->description->name, (int)run.error);
    return ZE_RESULT_ERROR_UNKNOWN;
}
