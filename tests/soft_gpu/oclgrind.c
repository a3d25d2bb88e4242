/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "opencl.h"

#include <sys/mman.h>
#include <unistd.h>

bool soft_oclgrind;

static int report_file = -1;
static off_t reported;
static cl_command_queue the_queue;

void soft_oclgrind_settings(void) {
    static const char *const settings[][2] = {
        {"OCLGRIND_CHECK_API", "1"},
        {"OCLGRIND_DATA_RACES", "1"},
        {"OCLGRIND_UNIFORM_WRITES", "1"},
        {"OCLGRIND_UNINITIALIZED", "1"},
        {"OCLGRIND_NUM_THREADS", "1"},
        {"OCLGRIND_MAX_WGSIZE", "4096"},
        {"OCLGRIND_LOCAL_MEM_SIZE", "1048576"},
    };
    const char *wanted = getenv("SOFT_GPU_OPENCL");
    char path[64];
    if (!wanted || strcmp(wanted, "Oclgrind") != 0)
        return;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i][0], settings[i][1], 0);
    report_file = memfd_create("oclgrind", MFD_CLOEXEC);
    if (report_file < 0)
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", report_file);
    setenv("OCLGRIND_LOG", path, 1);
}

/* Passes on what Oclgrind has written since the last time; the first line is reported as misuse. */
static void tell(void) {
    char text[4096], *line = NULL;
    ssize_t got;
    while (report_file >= 0 && (got = pread(report_file, text, sizeof text - 1, reported)) > 0) {
        text[got] = '\0';
        fputs(text, stderr);
        reported += got;
        if (!line)
            line = strndup(text + strspn(text, "\n"), strcspn(text + strspn(text, "\n"), "\n"));
    }
    if (line)
        soft_misuse(ZE_RESULT_SUCCESS, "Oclgrind", "%s", line);
    free(line);
}

/* ---- one thread makes the calls ---- */

static pthread_mutex_t callers = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void (*called)(void *);
static void *call_argument;

void *soft_oclgrind_serve(__attribute__((unused)) void *unused) {
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!called)
            pthread_cond_wait(&changed, &lock);
        called(call_argument);
        tell();
        called = NULL;
        pthread_cond_broadcast(&changed);
    }
}

void soft_opencl_call(void (*function)(void *), void *argument) {
    if (!soft_oclgrind) {
        function(argument);
        return;
    }
    pthread_mutex_lock(&callers);
    pthread_mutex_lock(&lock);
    called = function;
    call_argument = argument;
    pthread_cond_broadcast(&changed);
    while (called)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&callers);
}

/* ---- buffers ---- */

bool soft_oclgrind_begin(cl_device_id device) {
    the_queue = clCreateCommandQueueWithProperties(soft_opencl_context, device, NULL, NULL);
    return the_queue != NULL;
}

/* Oclgrind 21.10 knows of no byte of a buffer that somebody has written it until all of it has been mapped. */
static cl_int ensure(struct soft_memory *memory) {
    cl_int error;
    if (memory->buffer)
        return CL_SUCCESS;
    memory->buffer = clCreateBuffer(soft_opencl_context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory->size,
                                    memory->base, &error);
    if (error != CL_SUCCESS)
        return error;
    void *mapped =
        clEnqueueMapBuffer(the_queue, memory->buffer, CL_TRUE, CL_MAP_WRITE, 0, memory->size, 0, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        error = clEnqueueUnmapMemObject(the_queue, memory->buffer, mapped, 0, NULL, NULL);
    return error == CL_SUCCESS ? clFinish(the_queue) : error;
}

cl_mem soft_oclgrind_buffer(struct soft_memory *memory, const char *pointer, cl_int *error) {
    *error = ensure(memory);
    if (*error != CL_SUCCESS)
        return NULL;
    if (pointer == memory->base) {
        *error = clRetainMemObject(memory->buffer);
        return memory->buffer;
    }
    size_t offset = (size_t)(pointer - memory->base);
    cl_buffer_region rest = {offset, memory->size - offset};
    return clCreateSubBuffer(memory->buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &rest, error);
}

static void release_buffer(void *buffer) { clReleaseMemObject(buffer); }

void soft_oclgrind_release(struct soft_memory *memory) {
    if (memory->buffer)
        soft_opencl_call(release_buffer, memory->buffer);
    memory->buffer = NULL;
}
