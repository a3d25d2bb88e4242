/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fake_cuda.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DECLARE(name, member, parameters) __attribute__((visibility("default"))) CUresult name parameters;
CUDA_FUNCTIONS(DECLARE)

enum {
    INVALID_VALUE = 1,
    INVALID_PTX = 218,
    INVALID_CONTEXT = 201,
    NOT_FOUND = 500,
    MAX_PARAMETERS = 16,
    MAX_KERNELS = 16
};

/* ---- the log, and failures asked for ---- */

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char *log_text;
static size_t log_size;
static FILE *log_file;
static char failing[64];
static unsigned fails_in;
static CUresult failure;
static _Thread_local bool is_current;

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!log_file)
        log_file = open_memstream(&log_text, &log_size);
    vfprintf(log_file, format, arguments);
    fputc('\n', log_file);
    va_end(arguments);
}

static CUresult wrong(const char *call, const char *what) {
    note("wrong: %s: %s", call, what);
    return INVALID_VALUE;
}

static char *take_log(void) {
    pthread_mutex_lock(&lock);
    note("end");
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

/* Begins a call: takes the lock, and finds the failure asked for, or a missing context. */
static CUresult enter(const char *call, bool needs_context) {
    pthread_mutex_lock(&lock);
    if (needs_context && !is_current) {
        (void)wrong(call, "no context is current in this thread");
        return INVALID_CONTEXT;
    }
    return strcmp(call, failing) == 0 && fails_in > 0 && --fails_in == 0 ? failure : 0;
}

static CUresult leave(CUresult result) {
    pthread_mutex_unlock(&lock);
    return result;
}

/* ---- objects ---- */

enum kind { DEVICE, HOST, REGISTERED, STREAM, MODULE };

struct kernel {
    char name[64];
    size_t sizes[MAX_PARAMETERS]; /* bytes per parameter */
    size_t count;
    int local_size, threads, dynamic;
};

struct object {
    struct object *next;
    enum kind kind;
    char *pointer, *bytes; /* of memory: as the program has it, and as it is accessed here */
    size_t size;
    struct kernel kernels[MAX_KERNELS];
    size_t nkernels;
};
static struct object *objects;

static struct object *new_object(enum kind kind, char *pointer, size_t size) {
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

static size_t live(void) {
    size_t count = 0;
    pthread_mutex_lock(&lock);
    for (const struct object *object = objects; object; object = object->next)
        count++;
    pthread_mutex_unlock(&lock);
    return count;
}

/* Where bytes that a pointer means are accessed: in an allocation, or in the host's memory as it is. NULL if they leave
 * an allocation, or only the host has them although the device needs them. */
static char *access_bytes(CUdeviceptr at, size_t size, bool by_device) {
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
    struct object *object = new_object(kind, *pointer, bytes);
    if (kind == DEVICE)
        object->bytes = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    note("%s %zu", call, bytes);
    return *pointer == MAP_FAILED || object->bytes == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : 0;
}

static CUresult unmap(const char *call, enum kind kind, const void *pointer) {
    struct object *object = take(pointer, kind);
    if (!object)
        return wrong(call, "no allocation begins there");
    munmap(object->pointer, object->size);
    if (object->bytes != object->pointer)
        munmap(object->bytes, object->size);
    free(object);
    note("%s", call);
    return 0;
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
    CUresult result = enter(__func__, true);
    char *there = NULL;
    if (!result)
        result = bytes == 0                 ? wrong(__func__, "0 bytes")
                 : bytes > FAKE_CUDA_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY
                                            : allocate(__func__, DEVICE, bytes, &there);
    *pointer = (CUdeviceptr)(uintptr_t)there;
    return leave(result);
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
    CUresult result = enter(__func__, true);
    return leave(result ? result : unmap(__func__, DEVICE, (const void *)(uintptr_t)pointer));
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    CUresult result = enter(__func__, true);
    char *there = NULL;
    if (!result && flags != (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP))
        result = wrong(__func__, "flags");
    if (!result)
        result = allocate(__func__, HOST, bytes, &there);
    *pointer = there;
    return leave(result);
}

CUresult cuMemFreeHost(void *pointer) {
    CUresult result = enter(__func__, true);
    return leave(result ? result : unmap(__func__, HOST, pointer));
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
    CUresult result = enter(__func__, true);
    if (!result && flags != (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP))
        result = wrong(__func__, "flags");
    if (!result) {
        (void)new_object(REGISTERED, pointer, bytes);
        note("%s %zu", __func__, bytes);
    }
    return leave(result);
}

CUresult cuMemHostUnregister(void *pointer) {
    CUresult result = enter(__func__, true);
    struct object *object = result ? NULL : take(pointer, REGISTERED);
    if (!result && !object)
        result = wrong(__func__, "it is not registered");
    free(object);
    return leave(result);
}

/* ---- streams, copies, fills; all is done at once ---- */

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    CUresult result = enter(__func__, true);
    if (!result && flags != CU_STREAM_NON_BLOCKING)
        result = wrong(__func__, "flags");
    *stream = result ? NULL : (CUstream)new_object(STREAM, NULL, 0);
    return leave(result);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
    CUresult result = enter(__func__, true);
    struct object *object = result ? NULL : take(stream, STREAM);
    if (!result && !object)
        result = wrong(__func__, "no stream");
    free(object);
    return leave(result);
}

static CUresult check_stream(const char *call, CUstream stream) {
    return !stream || is_alive(stream, STREAM) ? 0 : wrong(call, "no stream");
}

CUresult cuStreamSynchronize(CUstream stream) {
    CUresult result = enter(__func__, true);
    return leave(result ? result : check_stream(__func__, stream));
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    CUresult result = enter(__func__, true);
    char *target = access_bytes(to, bytes, false), *source = access_bytes(from, bytes, false);
    if (!result)
        result = check_stream(__func__, stream);
    if (!result && (!target || !source || bytes == 0))
        result = wrong(__func__, "a range");
    if (!result) {
        memmove(target, source, bytes);
        note("%s %zu", __func__, bytes);
    }
    return leave(result);
}

static CUresult set(const char *call, CUdeviceptr to, unsigned value, size_t width, size_t n, CUstream stream) {
    CUresult result = enter(call, true);
    char *target = access_bytes(to, n * width, true);
    if (!result)
        result = check_stream(call, stream);
    if (!result && (!target || to % width != 0 || n == 0))
        result = wrong(call, "a range");
    for (size_t i = 0; !result && i < n; i++)
        memcpy(target + i * width, &value, width);
    if (!result)
        note("%s %zu", call, n);
    return leave(result);
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

/* ---- modules: of PTX, the entries with their parameters, and comments "static BYTES" and "threads NUMBER" ---- */

static size_t size_of_parameter(const char *declaration, const char *end) {
    const char *bracket = memchr(declaration, '[', (size_t)(end - declaration));
    const char *type = strpbrk(declaration, "ubsf"); /* .u64, .b8 and the like: after ".param ." */
    return bracket ? strtoul(bracket + 1, NULL, 10) : strtoul(type + 1, NULL, 10) / 8;
}

static void read_entry(const char *text, struct kernel *kernel) {
    const char *const next = strstr(text, ".entry "), *fixed = strstr(text, "//static "),
                      *threads = strstr(text, "//threads ");
    *kernel = (struct kernel){.threads = 1024};
    sscanf(text, "%63[A-Za-z0-9_]", kernel->name);
    for (const char *at = strchr(text, '('), *end; at && *at != ')' && kernel->count < MAX_PARAMETERS; at = end) {
        end = at + 1 + strcspn(at + 1, ",)");
        at = memmem(at, (size_t)(end - at), ".param .", strlen(".param ."));
        if (!at)
            break;
        kernel->sizes[kernel->count++] = size_of_parameter(at + strlen(".param ."), end);
    }
    if (fixed && (!next || fixed < next))
        kernel->local_size = atoi(fixed + strlen("//static "));
    if (threads && (!next || threads < next))
        kernel->threads = atoi(threads + strlen("//threads "));
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n, const int *options, void **values) {
    CUresult result = enter(__func__, true);
    const char *text = image;
    if (!result && strncmp(text, ".version", strlen(".version")) != 0) {
        for (unsigned i = 0; i < n; i++)
            if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
                strcpy(values[i], "this is no PTX");
        result = INVALID_PTX;
    }
    struct object *made = result ? NULL : new_object(MODULE, NULL, 0);
    while (made && made->nkernels < MAX_KERNELS && (text = strstr(text, ".entry "))) {
        text += strlen(".entry ");
        read_entry(text, &made->kernels[made->nkernels++]);
    }
    *module = (CUmodule)made;
    return leave(result);
}

CUresult cuModuleUnload(CUmodule module) {
    CUresult result = enter(__func__, true);
    struct object *object = result ? NULL : take(module, MODULE);
    if (!result && !object)
        result = wrong(__func__, "no module");
    free(object);
    return leave(result);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    CUresult result = enter(__func__, true);
    struct object *object = (struct object *)module;
    *function = NULL;
    for (size_t i = 0; !result && i < object->nkernels; i++)
        if (strcmp(object->kernels[i].name, name) == 0)
            *function = (CUfunction)&object->kernels[i];
    return leave(result ? result : *function ? 0 : NOT_FOUND);
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
    const struct kernel *kernel = (const struct kernel *)function;
    CUresult result = enter(__func__, true);
    *value = attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? kernel->local_size : kernel->threads;
    return leave(result);
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
    struct kernel *kernel = (struct kernel *)function;
    CUresult result = enter(__func__, true);
    if (!result && (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
                    value + kernel->local_size > FAKE_CUDA_SHARED))
        result = wrong(__func__, "a value");
    kernel->dynamic = value;
    return leave(result);
}

/* The executor's question where dynamic shared memory begins. */
static void answer_find(void **arguments) {
    CUdeviceptr at;
    const uint64_t base = FAKE_CUDA_LOCAL_BASE;
    memcpy(&at, arguments[0], sizeof at);
    memcpy(access_bytes(at, sizeof base, true), &base, sizeof base);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **arguments,
                        void **extra) {
    const struct kernel *kernel = (const struct kernel *)function;
    CUresult result = enter(__func__, true);
    char text[1024];
    size_t length = 0;
    if (!result)
        result = check_stream(__func__, stream);
    if (!result && (extra || !grid_x || grid_y - 1 > 65534 || grid_z - 1 > 65534 || grid_x > INT32_MAX ||
                    (int)shared_bytes > (kernel->dynamic > 49152 ? kernel->dynamic : 49152)))
        result = wrong(__func__, "a limit");
    if (!result && block_x * block_y * block_z > (unsigned)kernel->threads)
        result = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (result)
        return leave(result);
    for (size_t i = 0; i < kernel->count; i++) {
        text[length++] = ' ';
        for (size_t b = 0; b < kernel->sizes[i]; b++)
            length += (size_t)sprintf(text + length, "%02x", ((const unsigned char *)arguments[i])[b]);
    }
    text[length] = '\0';
    note("%s %s grid %u %u %u block %u %u %u shared %u:%s", __func__, kernel->name, grid_x, grid_y, grid_z, block_x,
         block_y, block_z, shared_bytes, text);
    if (strcmp(kernel->name, "find") == 0)
        answer_find(arguments);
    return leave(0);
}
