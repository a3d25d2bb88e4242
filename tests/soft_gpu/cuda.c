/* SPDX-License-Identifier: Apache-2.0 */
/* The executor on NVIDIA cards: the PTX of a module is a file in SOFT_GPU_PTX, named by the digest of its SPIR-V. The
 * card's memory is not the host's, and nothing is migrated. */
#include "cuda.h"

#include <dlfcn.h>

#include "executor.h"

enum {
    CANARY = 0x5a,
    GARBAGE = 0xa5,
    TAIL = 256,         /* bytes after an allocation in device memory */
    LOCAL_ALIGN = 128,  /* of local arguments: the largest vector, double16 */
    MAX_GRID_YZ = 65535 /* groups */
};

struct soft_cuda_library soft_cuda_library;
CUcontext soft_cuda_context;
static uint64_t local_base; /* address of dynamic shared memory in a kernel without static one */

struct soft_queue {
    CUstream stream;
};

/* ---- errors ---- */

bool soft_cuda_failed(CUresult result, const char *call) {
    const char *name = "an unknown error";
    if (result == 0)
        return false;
    (void)soft_cuda_library.error_name(result, &name);
    fprintf(stderr, "soft_gpu: %s: %s (%d)\n", call, name, result);
    return true;
}

/* The context of a kernel that has failed is of no use any more: the device is lost. */
static ze_result_t result_of(CUresult result, const char *call) {
    if (!soft_cuda_failed(result, call))
        return ZE_RESULT_SUCCESS;
    return result == CUDA_ERROR_OUT_OF_MEMORY || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
               ? ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY
               : ZE_RESULT_ERROR_DEVICE_LOST;
}

/* ---- queues, copies and fills: done when they return ---- */

static struct soft_queue *queue_new(void) {
    struct soft_queue *queue = malloc(sizeof *queue);
    (void)soft_cuda_library.context_set(soft_cuda_context);
    if (queue &&
        !soft_cuda_failed(soft_cuda_library.stream_create(&queue->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"))
        return queue;
    free(queue);
    return NULL;
}

static void queue_free(struct soft_queue *queue) {
    (void)soft_cuda_library.context_set(soft_cuda_context);
    (void)soft_cuda_failed(soft_cuda_library.stream_destroy(queue->stream), "cuStreamDestroy");
    free(queue);
}

static ze_result_t copy(struct soft_queue *queue, void *to, const void *from, size_t size) {
    (void)soft_cuda_library.context_set(soft_cuda_context);
    CUresult result = size ? soft_cuda_library.memcpy_async((CUdeviceptr)(uintptr_t)to, (CUdeviceptr)(uintptr_t)from,
                                                            size, queue->stream)
                           : 0;
    if (!result)
        result = soft_cuda_library.stream_synchronize(queue->stream);
    return result_of(result, "cuMemcpyAsync");
}

static CUresult fill_words(CUdeviceptr to, size_t size, const void *pattern, size_t pattern_size, CUstream stream) {
    uint32_t word = 0;
    memcpy(&word, pattern, pattern_size);
    switch (pattern_size) {
    case 1: return soft_cuda_library.memset_8(to, (unsigned char)word, size, stream);
    case 2: return soft_cuda_library.memset_16(to, (unsigned short)word, size / 2, stream);
    default: return soft_cuda_library.memset_32(to, word, size / 4, stream);
    }
}

/* Doubles what is there already. */
static CUresult fill_longer(CUdeviceptr to, size_t size, const void *pattern, size_t pattern_size, CUstream stream) {
    size_t done = size < pattern_size ? size : pattern_size;
    CUresult result = soft_cuda_library.memcpy_async(to, (CUdeviceptr)(uintptr_t)pattern, done, stream);
    for (size_t more; !result && done < size; done += more) {
        more = size - done < done ? size - done : done;
        result = soft_cuda_library.memcpy_async(to + done, to, more, stream);
    }
    return result;
}

static ze_result_t fill(struct soft_queue *queue, void *to, size_t size, const void *pattern, size_t pattern_size) {
    const CUdeviceptr at = (CUdeviceptr)(uintptr_t)to;
    const bool is_word = pattern_size == 1 || pattern_size == 2 || pattern_size == 4;
    (void)soft_cuda_library.context_set(soft_cuda_context);
    CUresult result = 0;
    if (size > 0)
        result = is_word && at % pattern_size == 0 && size % pattern_size == 0
                     ? fill_words(at, size, pattern, pattern_size, queue->stream)
                     : fill_longer(at, size, pattern, pattern_size, queue->stream);
    if (!result)
        result = soft_cuda_library.stream_synchronize(queue->stream);
    return result_of(result, "cuMemset");
}

/* ---- launches ---- */

/* Stores the addresses of local arguments, one after the other from the kernel's own memory on; returns the bytes of
 * dynamic shared memory. */
static size_t place_locals(const struct soft_launch *launch, uint64_t *address) {
    const uint64_t begin = local_base + launch->function->local_size;
    uint64_t end = begin;
    for (uint32_t i = 0; i < launch->description->count; i++)
        if (launch->description->parameters[i].kind == UHI_PARAMETER_LOCAL) {
            address[i] = (end + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
            end = address[i] + launch->argument_size[i];
        }
    return (size_t)(end - begin);
}

static ze_result_t run(struct soft_queue *queue, const struct soft_launch *launch, uint64_t *took) {
    uint64_t address[SOFT_SPIRV_ARGUMENTS];
    void *arguments[SOFT_SPIRV_ARGUMENTS];
    unsigned groups[3], items[3];
    if (took)
        *took = 0;
    for (int i = 0; i < 3; i++) {
        if (launch->offset[i] || launch->global[i] / launch->local[i] > (i ? MAX_GRID_YZ : INT32_MAX))
            return ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION;
        groups[i] = (unsigned)(launch->global[i] / launch->local[i]);
        items[i] = (unsigned)launch->local[i];
    }
    if (!groups[0] || !groups[1] || !groups[2])
        return ZE_RESULT_SUCCESS;
    const size_t shared = place_locals(launch, address);
    for (uint32_t i = 0; i < launch->description->count; i++)
        arguments[i] = launch->description->parameters[i].kind == UHI_PARAMETER_LOCAL
                           ? (void *)&address[i]
                           : (void *)(uintptr_t)(launch->values + launch->argument_offset[i]);
    (void)soft_cuda_library.context_set(soft_cuda_context);
    CUresult result = soft_cuda_library.launch(launch->function->function, groups[0], groups[1], groups[2], items[0],
                                               items[1], items[2], (unsigned)shared, queue->stream, arguments, NULL);
    if (!result)
        result = soft_cuda_library.stream_synchronize(queue->stream);
    return result_of(result, launch->description->name);
}

static uint64_t idle(__attribute__((unused)) struct soft_queue *queue) { return 0; }

/* ---- memory ---- */

static bool map(struct soft_memory *memory, size_t alignment, size_t avoided) {
    const bool on_device = memory->type == ZE_MEMORY_TYPE_DEVICE;
    const size_t spare = 2 * alignment; /* for the alignment, and a step further */
    CUdeviceptr first = 0;
    void *there = NULL;
    (void)soft_cuda_library.context_set(soft_cuda_context);
    memory->tail = TAIL;
    memory->mapped = memory->size + spare + TAIL;
    const CUresult result = on_device
                                ? soft_cuda_library.mem_alloc(&first, memory->mapped)
                                : soft_cuda_library.host_alloc(&there, memory->mapped,
                                                               CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    if (soft_cuda_failed(result, on_device ? "cuMemAlloc" : "cuMemHostAlloc"))
        return false;
    memory->mapping = on_device ? (char *)(uintptr_t)first : there;
    const size_t over = (uintptr_t)memory->mapping % alignment;
    memory->base = memory->mapping + (over ? alignment - over : 0);
    if (avoided && (uintptr_t)memory->base % avoided == 0)
        memory->base += alignment;
    const CUdeviceptr at = (CUdeviceptr)(uintptr_t)memory->base;
    return (!soft_settings.garbage ||
            !soft_cuda_failed(soft_cuda_library.memset_8(at, GARBAGE, memory->size, NULL), "cuMemsetD8")) &&
           !soft_cuda_failed(soft_cuda_library.memset_8(at + memory->size, CANARY, TAIL, NULL), "cuMemsetD8") &&
           !soft_cuda_failed(soft_cuda_library.stream_synchronize(NULL), "cuStreamSynchronize");
}

static void unmap(struct soft_memory *memory) {
    if (!memory->mapping)
        return;
    (void)soft_cuda_library.context_set(soft_cuda_context);
    (void)soft_cuda_failed(memory->type == ZE_MEMORY_TYPE_DEVICE
                               ? soft_cuda_library.mem_free((CUdeviceptr)(uintptr_t)memory->mapping)
                               : soft_cuda_library.host_free(memory->mapping),
                           "cuMemFree");
}

static bool overrun(const struct soft_memory *memory) {
    unsigned char tail[TAIL], expected[TAIL];
    memset(expected, CANARY, sizeof expected);
    (void)soft_cuda_library.context_set(soft_cuda_context);
    return soft_cuda_failed(soft_cuda_library.memcpy_async((CUdeviceptr)(uintptr_t)tail,
                                                           (CUdeviceptr)(uintptr_t)memory->base + memory->size, TAIL,
                                                           NULL),
                            "cuMemcpyAsync") ||
           soft_cuda_failed(soft_cuda_library.stream_synchronize(NULL), "cuStreamSynchronize") ||
           memcmp(tail, expected, TAIL) != 0;
}

static bool import(void *pointer, size_t size) {
    (void)soft_cuda_library.context_set(soft_cuda_context);
    return !soft_cuda_failed(
        soft_cuda_library.host_register(pointer, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
        "cuMemHostRegister");
}

static void release(void *pointer) {
    (void)soft_cuda_library.context_set(soft_cuda_context);
    (void)soft_cuda_failed(soft_cuda_library.host_unregister(pointer), "cuMemHostUnregister");
}

/* ---- the start ---- */

static bool open_library(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return soft_refuse("%s", dlerror());
#define FIND(name, member, parameters)                                                                                 \
    *(void **)&soft_cuda_library.member = dlsym(library, #name);                                                       \
    if (!soft_cuda_library.member)                                                                                     \
        return soft_refuse("libcuda.so.1 has no " #name);
    CUDA_FUNCTIONS(FIND)
    return true;
}

/* Where dynamic shared memory begins: the card keeps some bytes before it. */
static bool find_local_base(void) {
    static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                              ".extern .shared .align 16 .b8 memory[];\n"
                              ".visible .entry find(.param .u64 result)\n{\n"
                              "    .reg .b64 %rd<4>;\n"
                              "    ld.param.u64 %rd1, [result];\n"
                              "    cvta.to.global.u64 %rd2, %rd1;\n"
                              "    mov.u64 %rd3, memory;\n"
                              "    st.global.u64 [%rd2], %rd3;\n"
                              "    ret;\n}\n";
    char message[1024] = "";
    CUmodule module = NULL;
    CUfunction find = NULL;
    CUdeviceptr there = 0;
    void *arguments[] = {&there};
    bool found =
        !soft_cuda_failed(soft_cuda_load(ptx, message, sizeof message - 1, &module), "cuModuleLoadDataEx") &&
        !soft_cuda_failed(soft_cuda_library.module_get_function(&find, module, "find"), "cuModuleGetFunction") &&
        !soft_cuda_failed(soft_cuda_library.mem_alloc(&there, sizeof local_base), "cuMemAlloc");
    found = found &&
            !soft_cuda_failed(soft_cuda_library.launch(find, 1, 1, 1, 1, 1, 1, 16, NULL, arguments, NULL),
                              "cuLaunchKernel") &&
            !soft_cuda_failed(
                soft_cuda_library.memcpy_async((CUdeviceptr)(uintptr_t)&local_base, there, sizeof local_base, NULL),
                "cuMemcpyAsync") &&
            !soft_cuda_failed(soft_cuda_library.stream_synchronize(NULL), "cuStreamSynchronize");
    if (there)
        (void)soft_cuda_library.mem_free(there);
    if (module)
        (void)soft_cuda_library.module_unload(module);
    return found;
}

static uint64_t attribute(CUdevice device, int which) {
    int value = 0;
    (void)soft_cuda_failed(soft_cuda_library.device_get_attribute(&value, which, device), "cuDeviceGetAttribute");
    return value > 0 ? (uint64_t)value : 1;
}

/* The settings that describe the card. A multiprocessor is a sub-slice of four EUs, each of which has 16 warps. */
static void describe(CUdevice device) {
    size_t total = 0;
    (void)soft_cuda_failed(soft_cuda_library.device_total_mem(&total, device), "cuDeviceTotalMem");
    (void)soft_cuda_failed(soft_cuda_library.device_get_name(soft_settings.name, sizeof soft_settings.name, device),
                           "cuDeviceGetName");
    soft_settings.vendor = 0x10de;
    soft_settings.eus = 4 * attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    soft_settings.subslice = 4;
    soft_settings.threads = 16;
    soft_settings.subgroup = 32;
    soft_settings.group = 1024;
    /* Alignments of local arguments take some of it. */
    soft_settings.slm = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) - 1024;
    soft_settings.memory = soft_settings.max_alloc = total - total / 16;
    soft_settings.clock = attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000 + 1;
    /* Bits of two transfers per tick. */
    soft_settings.bandwidth = attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8 * 2 *
                              attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1000000;
}

static bool start(void) {
    CUdevice device = 0;
    if (soft_settings.nslow || soft_settings.torn || soft_settings.flush || soft_settings.devices > 1 ||
        soft_settings.tiles > 1)
        return soft_refuse("slow, torn, flush, devices and tiles are not for SOFT_GPU_EXECUTOR=cuda");
    if (!open_library() || soft_cuda_failed(soft_cuda_library.init(0), "cuInit") ||
        soft_cuda_failed(soft_cuda_library.device_get(&device, 0), "cuDeviceGet") ||
        soft_cuda_failed(soft_cuda_library.context_retain(&soft_cuda_context, device), "cuDevicePrimaryCtxRetain") ||
        soft_cuda_failed(soft_cuda_library.context_set(soft_cuda_context), "cuCtxSetCurrent"))
        return soft_refuse("there is no NVIDIA card");
    describe(device);
    return find_local_base() || soft_refuse("a kernel cannot run");
}

const struct soft_executor soft_cuda = {.start = start,
                                        .queue_new = queue_new,
                                        .queue_free = queue_free,
                                        .translate = soft_cuda_translate,
                                        .build = soft_cuda_build,
                                        .program_free = soft_cuda_program_free,
                                        .function_new = soft_cuda_function_new,
                                        .function_free = soft_cuda_function_free,
                                        .run = run,
                                        .idle = idle,
                                        .map = map,
                                        .unmap = unmap,
                                        .overrun = overrun,
                                        .import = import,
                                        .release = release,
                                        .copy = copy,
                                        .fill = fill};
