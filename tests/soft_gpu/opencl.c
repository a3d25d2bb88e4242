/* SPDX-License-Identifier: Apache-2.0 */
#include "opencl.h"

#include <semaphore.h>

static cl_device_id device;
cl_context soft_opencl_context;
static bool takes_spirv;
static cl_uint units;

/* Local memory is filled with garbage before a kernel that uses it runs. Each thread of PoCL has its own and takes 32
 * groups at a time, so one group of 32 does it, and waits a while for other threads to take theirs. */
#define GROUPS_AT_A_TIME 32
#define PATIENCE         16384
static const char garbage_source[] = "kernel void garbage(local uint *memory, uint words, volatile global uint "
                                     "*started, uint threads, uint patience) {\n"
                                     "    if (get_group_id(0) % 32)\n"
                                     "        return;\n"
                                     "    for (uint i = 0; i < words; i++)\n"
                                     "        ((volatile local uint *)memory)[i] = 0xa5a5a5a5u;\n"
                                     "    atomic_inc(started);\n"
                                     "    for (uint i = 0; i < patience && *started < threads; i++)\n"
                                     "        ;\n"
                                     "}\n";
static struct soft_function *garbage;

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

static bool open_opencl(void) {
    cl_platform_id platforms[16];
    cl_uint nplatforms = 0;
    cl_ulong local_size = 0;
    cl_int error;
    soft_oclgrind_settings();
    if (clGetPlatformIDs(16, platforms, &nplatforms) != CL_SUCCESS ||
        !choose(platforms, nplatforms < 16 ? nplatforms : 16))
        return soft_refuse("no OpenCL device of the CPU; install pocl-opencl-icd");
    char language[128] = "";
    clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof language - 1, language, NULL);
    takes_spirv = strstr(language, "SPIR-V") != NULL;
    clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_size, &local_size, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    size_t group = 0;
    clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    if (soft_settings.slm > local_size || soft_settings.group > group)
        return soft_refuse("slm or group is larger than what the OpenCL device has");
    soft_opencl_context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        return soft_refuse("clCreateContext has failed");
    return !soft_oclgrind || soft_oclgrind_begin(device) || soft_refuse("clCreateCommandQueue has failed");
}

struct starting {
    sem_t done;
    bool works;
};

static void *start_opencl(void *argument) {
    struct starting *starting = argument;
    /* The threads of PoCL begin here and inherit this one's rights and signals. */
    soft_protection_open();
    soft_crew_before();
    const bool works = starting->works = open_opencl();
    soft_crew_after();
    sem_post(&starting->done);
    return soft_oclgrind && works ? soft_oclgrind_serve(NULL) : NULL;
}

static bool start(void) {
    pthread_t thread;
    struct starting starting = {.works = false};
    sem_init(&starting.done, 0, 0);
    if (soft_thread_start(&thread, start_opencl, &starting) != 0)
        return soft_refuse("no thread");
    while (sem_wait(&starting.done) != 0)
        ;
    pthread_detach(thread);
    sem_destroy(&starting.done);
    return starting.works;
}

static void create_queue(void *argument) {
    struct soft_queue *queue = argument;
    queue->queue = clCreateCommandQueueWithProperties(soft_opencl_context, device, NULL, NULL);
}

static struct soft_queue *queue_new(void) {
    struct soft_queue *queue = malloc(sizeof *queue);
    if (queue)
        soft_opencl_call(create_queue, queue);
    if (queue && queue->queue)
        return queue;
    free(queue);
    return NULL;
}

/* Defines NAME_free, which releases what `member` is. */
#define FREES(name, member, release)                                                                                   \
    static void release_##name(void *object) { release(object); }                                                      \
    static void name##_free(struct soft_##name *freed) {                                                               \
        if (freed)                                                                                                     \
            soft_opencl_call(release_##name, freed->member);                                                           \
        free(freed);                                                                                                   \
    }
FREES(queue, queue, clReleaseCommandQueue)
FREES(program, program, clReleaseProgram)
FREES(function, kernel, clReleaseKernel)

/* SPIR-V if OpenCL takes it, otherwise LLVM bitcode. */
static void *translate(const void *spirv, size_t size, size_t *program_size, char **log) {
    uint32_t *code = malloc(size);
    void *program = code;
    *program_size = size;
    if (code)
        memcpy(code, spirv, size);
    if (code && !takes_spirv) {
        soft_spirv_lower(code, size / sizeof *code);
        program = soft_translate(code, size, program_size, log);
        free(code);
    }
    return program;
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
        takes_spirv
            ? clCreateProgramWithIL(soft_opencl_context, build->code, build->size, &build->error)
            : clCreateProgramWithBinary(soft_opencl_context, 1, &device, &build->size, &binary, NULL, &build->error);
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

static struct soft_program *build_program(const void *code, size_t size, uint64_t digest, const char *options,
                                          char **log) {
    struct soft_program *built = malloc(sizeof *built);
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

struct creation {
    const struct soft_program *program;
    const char *name;
    cl_kernel kernel;
    cl_ulong local_size;
    cl_int error;
};

static void create_kernel(void *argument) {
    struct creation *creation = argument;
    creation->kernel = clCreateKernel(creation->program->program, creation->name, &creation->error);
    if (creation->error == CL_SUCCESS)
        creation->error = clGetKernelWorkGroupInfo(creation->kernel, device, CL_KERNEL_LOCAL_MEM_SIZE,
                                                   sizeof creation->local_size, &creation->local_size, NULL);
}

/* The lock of kernels of these bytes. PoCL keeps separate code of a kernel for wide and narrow launches,
 * but returns the one that was used last, of either: launches of both at once end in an assertion. */
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

static struct soft_function *function_new(struct soft_program *program, const char *name, uint64_t *local_size,
                                          uint64_t *max_group) {
    struct soft_function *kernel = calloc(1, sizeof *kernel);
    struct creation creation = {program, name, NULL, 0, CL_OUT_OF_HOST_MEMORY};
    if (kernel)
        soft_opencl_call(create_kernel, &creation);
    if (creation.error != CL_SUCCESS) {
        free(kernel);
        return NULL;
    }
    kernel->lock = lock_of(program->digest);
    kernel->kernel = creation.kernel;
    kernel->digest = program->digest;
    *local_size = creation.local_size;
    *max_group = UINT64_MAX;
    return kernel;
}

static void make_garbage(void) {
    const char *source = garbage_source;
    cl_int error;
    cl_program program = clCreateProgramWithSource(soft_opencl_context, 1, &source, NULL, &error);
    struct soft_program built = {program, 0};
    if (error == CL_SUCCESS && clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS)
        garbage = function_new(&built, "garbage", &(uint64_t){0}, &(uint64_t){0});
}

/* Runs `groups` groups, each of which fills that many words of local memory, and waits. */
static void run_garbage(struct soft_queue *queue, size_t groups, cl_uint words, cl_uint patience) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_garbage);
    const size_t bytes = words ? words * sizeof words : sizeof words, one = 1;
    if (!garbage)
        return;
    queue->started = 0;
    pthread_mutex_lock(garbage->lock);
    clSetKernelArg(garbage->kernel, 0, bytes, NULL);
    clSetKernelArg(garbage->kernel, 1, sizeof words, &words);
    clSetKernelArgSVMPointer(garbage->kernel, 2, &queue->started);
    clSetKernelArg(garbage->kernel, 3, sizeof units, &units);
    clSetKernelArg(garbage->kernel, 4, sizeof patience, &patience);
    clEnqueueNDRangeKernel(queue->queue, garbage->kernel, 1, NULL, &groups, &one, 0, NULL, NULL);
    pthread_mutex_unlock(garbage->lock);
    clFinish(queue->queue);
}

void soft_opencl_fill_local(struct soft_queue *queue) {
    const cl_uint words = (cl_uint)(soft_settings.slm / sizeof(cl_uint));
    if (words)
        run_garbage(queue, (size_t)units * GROUPS_AT_A_TIME, words, PATIENCE);
}

static uint64_t idle(struct soft_queue *queue) {
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

static void unmap(struct soft_memory *memory) {
    soft_oclgrind_release(memory);
    soft_host_unmap(memory);
}

const struct soft_executor soft_opencl = {.start = start,
                                          .queue_new = queue_new,
                                          .queue_free = queue_free,
                                          .translate = translate,
                                          .build = build_program,
                                          .program_free = program_free,
                                          .function_new = function_new,
                                          .function_free = function_free,
                                          .run = soft_opencl_run,
                                          .idle = idle,
                                          .map = soft_host_map,
                                          .unmap = unmap,
                                          .overrun = soft_host_overrun,
                                          .copy = soft_host_copy,
                                          .fill = soft_host_fill};
