/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fake_cuda_objects.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the log, and failures asked for ---- */

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char *log_text;
static size_t log_size;
static FILE *log_file;
static char failing[64];
static unsigned fails_in;
static CUresult failure;
static _Thread_local bool is_current;

void fake_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!log_file)
        log_file = open_memstream(&log_text, &log_size);
    vfprintf(log_file, format, arguments);
    fputc('\n', log_file);
    va_end(arguments);
}

CUresult fake_wrong(const char *call, const char *what) {
    fake_note("wrong: %s: %s", call, what);
    return INVALID_VALUE;
}

static char *take_log(void) {
    pthread_mutex_lock(&lock);
    fake_note("end");
    fclose(log_file);
    char *taken = log_text;
    log_file = NULL;
    pthread_mutex_unlock(&lock);
    return taken;
}

static void fail(const char *name, unsigned n, CUresult result) {
    pthread_mutex_lock(&lock);
    snprintf(failing, sizeof failing, "%s", name ? name : "");
    fails_in = n;
    failure = result;
    pthread_mutex_unlock(&lock);
}

CUresult fake_enter(const char *call, bool needs_context) {
    pthread_mutex_lock(&lock);
    if (needs_context && !is_current) {
        (void)fake_wrong(call, "no context is current in this thread");
        return INVALID_CONTEXT;
    }
    return strcmp(call, failing) == 0 && fails_in > 0 && --fails_in == 0 ? failure : 0;
}

CUresult fake_leave(CUresult result) {
    pthread_mutex_unlock(&lock);
    return result;
}

/* ---- objects ---- */

static struct object *objects;

struct object *fake_object_new(enum kind kind, char *pointer, size_t size) {
    struct object *object = calloc(1, sizeof *object);
    if (!object)
        abort();
    *object = (struct object){.next = objects, .kind = kind, .pointer = pointer, .bytes = pointer, .size = size};
    objects = object;
    return object;
}

static bool is_alive(const void *of, enum kind kind) {
    for (const struct object *object = objects; object; object = object->next)
        if (object == of && object->kind == kind)
            return true;
    return false;
}

/* Takes out the object, or the memory that begins there; NULL if missing. */
static struct object *take(const void *of, enum kind kind) {
    for (struct object **place = &objects; *place; place = &(*place)->next) {
        struct object *object = *place;
        if (object->kind == kind && of == (kind <= REGISTERED ? (const void *)object->pointer : object)) {
            *place = object->next;
            return object;
        }
    }
    return NULL;
}

CUresult fake_destroy(const char *call, const void *of, enum kind kind, const char *missing) {
    CUresult result = fake_enter(call, true);
    struct object *object = result ? NULL : take(of, kind);
    if (!result && !object)
        result = fake_wrong(call, missing);
    free(object);
    return fake_leave(result);
}

static size_t live(void) {
    size_t count = 0;
    pthread_mutex_lock(&lock);
    for (const struct object *object = objects; object; object = object->next)
        count++;
    pthread_mutex_unlock(&lock);
    return count;
}

char *fake_access(CUdeviceptr at, size_t size, bool by_device) {
    for (const struct object *object = objects; object; object = object->next) {
        const uintptr_t begin = (uintptr_t)object->pointer;
        if (object->kind <= REGISTERED && at >= begin && at - begin < object->size)
            return size <= object->size - (at - begin) ? object->bytes + (at - begin) : NULL;
    }
    return by_device ? NULL : (char *)(uintptr_t)at;
}

const struct fake_cuda fake_cuda_table = {take_log, fail, live};

/* ---- the card ---- */

CUresult cuInit(unsigned flags) { return flags ? INVALID_VALUE : 0; }

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    *device = 7;
    return ordinal ? INVALID_VALUE : 0;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
    snprintf(name, (size_t)size, "Fake card");
    return device == 7 ? 0 : INVALID_VALUE;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    *bytes = FAKE_CUDA_MEMORY;
    return device == 7 ? 0 : INVALID_VALUE;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: *value = 1980000; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 132; break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: *value = 3201000; break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: *value = 6144; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = FAKE_CUDA_SHARED; break;
    default: return INVALID_VALUE;
    }
    return device == 7 ? 0 : INVALID_VALUE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    *context = (CUcontext)&objects;
    return device == 7 ? 0 : INVALID_VALUE;
}

CUresult cuCtxSetCurrent(CUcontext context) {
    is_current = context == (CUcontext)&objects;
    return is_current ? 0 : INVALID_CONTEXT;
}

CUresult cuGetErrorName(CUresult result, const char **name) {
    *name = "FAKE_ERROR";
    return result ? 0 : INVALID_VALUE;
}

/* ---- memory ---- */

static CUresult allocate(const char *call, enum kind kind, size_t bytes, char **pointer) {
    const int file = memfd_create("fake_cuda", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *pointer = mmap(NULL, bytes, kind == DEVICE ? PROT_NONE : PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    struct object *object = fake_object_new(kind, *pointer, bytes);
    if (kind == DEVICE)
        object->bytes = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    fake_note("%s %zu", call, bytes);
    return *pointer == MAP_FAILED || object->bytes == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : 0;
}

static CUresult unmap(const char *call, enum kind kind, const void *pointer) {
    struct object *object = take(pointer, kind);
    if (!object)
        return fake_wrong(call, "no allocation begins there");
    munmap(object->pointer, object->size);
    if (object->bytes != object->pointer)
        munmap(object->bytes, object->size);
    free(object);
    fake_note("%s", call);
    return 0;
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
    CUresult result = fake_enter(__func__, true);
    char *there = NULL;
    if (!result)
        result = bytes == 0                 ? fake_wrong(__func__, "0 bytes")
                 : bytes > FAKE_CUDA_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY
                                            : allocate(__func__, DEVICE, bytes, &there);
    *pointer = (CUdeviceptr)(uintptr_t)there;
    return fake_leave(result);
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
    CUresult result = fake_enter(__func__, true);
    return fake_leave(result ? result : unmap(__func__, DEVICE, (const void *)(uintptr_t)pointer));
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    CUresult result = fake_enter(__func__, true);
    char *there = NULL;
    if (!result && flags != (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP))
        result = fake_wrong(__func__, "flags");
    if (!result)
        result = allocate(__func__, HOST, bytes, &there);
    *pointer = there;
    return fake_leave(result);
}

CUresult cuMemFreeHost(void *pointer) {
    CUresult result = fake_enter(__func__, true);
    return fake_leave(result ? result : unmap(__func__, HOST, pointer));
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
    CUresult result = fake_enter(__func__, true);
    if (!result && flags != (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP))
        result = fake_wrong(__func__, "flags");
    if (!result) {
        (void)fake_object_new(REGISTERED, pointer, bytes);
        fake_note("%s %zu", __func__, bytes);
    }
    return fake_leave(result);
}

CUresult cuMemHostUnregister(void *pointer) {
    return fake_destroy(__func__, pointer, REGISTERED, "it is not registered");
}

/* ---- streams, copies, fills; all is done at once ---- */

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    CUresult result = fake_enter(__func__, true);
    if (!result && flags != CU_STREAM_NON_BLOCKING)
        result = fake_wrong(__func__, "flags");
    *stream = result ? NULL : (CUstream)fake_object_new(STREAM, NULL, 0);
    return fake_leave(result);
}

CUresult cuStreamDestroy_v2(CUstream stream) { return fake_destroy(__func__, stream, STREAM, "no stream"); }

CUresult fake_check_stream(const char *call, CUstream stream) {
    return !stream || is_alive(stream, STREAM) ? 0 : fake_wrong(call, "no stream");
}

CUresult cuStreamSynchronize(CUstream stream) {
    CUresult result = fake_enter(__func__, true);
    return fake_leave(result ? result : fake_check_stream(__func__, stream));
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    CUresult result = fake_enter(__func__, true);
    char *target = fake_access(to, bytes, false), *source = fake_access(from, bytes, false);
    if (!result)
        result = fake_check_stream(__func__, stream);
    if (!result && (!target || !source || bytes == 0))
        result = fake_wrong(__func__, "a range");
    if (!result) {
        memmove(target, source, bytes);
        fake_note("%s %zu", __func__, bytes);
    }
    return fake_leave(result);
}

static CUresult set(const char *call, CUdeviceptr to, unsigned value, size_t width, size_t n, CUstream stream) {
    CUresult result = fake_enter(call, true);
    char *target = fake_access(to, n * width, true);
    if (!result)
        result = fake_check_stream(call, stream);
    if (!result && (!target || to % width != 0 || n == 0))
        result = fake_wrong(call, "a range");
    for (size_t i = 0; !result && i < n; i++)
        memcpy(target + i * width, &value, width);
    if (!result)
        fake_note("%s %zu", call, n);
    return fake_leave(result);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream) {
    return set(__func__, to, value, sizeof value, n, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream stream) {
    return set(__func__, to, value, sizeof value, n, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream stream) {
    return set(__func__, to, value, sizeof value, n, stream);
}
