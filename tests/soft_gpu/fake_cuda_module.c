/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of the libcuda without a card: of PTX, the entries with their parameters, and comments "static BYTES" and
 * "threads NUMBER"; and launches, which run nothing. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda_objects.h"

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
    CUresult result = fake_enter(__func__, true);
    const char *text = image;
    if (!result && strncmp(text, ".version", strlen(".version")) != 0) {
        for (unsigned i = 0; i < n; i++)
            if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
                strcpy(values[i], "this is no PTX");
        result = INVALID_PTX;
    }
    struct object *made = result ? NULL : fake_object_new(MODULE, NULL, 0);
    while (made && made->nkernels < MAX_KERNELS && (text = strstr(text, ".entry "))) {
        text += strlen(".entry ");
        read_entry(text, &made->kernels[made->nkernels++]);
    }
    *module = (CUmodule)made;
    return fake_leave(result);
}

CUresult cuModuleUnload(CUmodule module) { return fake_destroy(__func__, module, MODULE, "no module"); }

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    CUresult result = fake_enter(__func__, true);
    struct object *object = (struct object *)module;
    *function = NULL;
    for (size_t i = 0; !result && i < object->nkernels; i++)
        if (strcmp(object->kernels[i].name, name) == 0)
            *function = (CUfunction)&object->kernels[i];
    return fake_leave(result ? result : *function ? 0 : NOT_FOUND);
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
    const struct kernel *kernel = (const struct kernel *)function;
    CUresult result = fake_enter(__func__, true);
    *value = attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? kernel->local_size : kernel->threads;
    return fake_leave(result);
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
    struct kernel *kernel = (struct kernel *)function;
    CUresult result = fake_enter(__func__, true);
    if (!result && (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
                    value + kernel->local_size > FAKE_CUDA_SHARED))
        result = fake_wrong(__func__, "a value");
    kernel->dynamic = value;
    return fake_leave(result);
}

/* The executor's question where dynamic shared memory begins. */
static void answer_find(void **arguments) {
    CUdeviceptr at;
    const uint64_t base = FAKE_CUDA_LOCAL_BASE;
    memcpy(&at, arguments[0], sizeof at);
    memcpy(fake_access(at, sizeof base, true), &base, sizeof base);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **arguments,
                        void **extra) {
    const struct kernel *kernel = (const struct kernel *)function;
    CUresult result = fake_enter(__func__, true);
    char text[1024];
    size_t length = 0;
    if (!result)
        result = fake_check_stream(__func__, stream);
    if (!result && (extra || !grid_x || grid_y - 1 > 65534 || grid_z - 1 > 65534 || grid_x > INT32_MAX ||
                    (int)shared_bytes > (kernel->dynamic > 49152 ? kernel->dynamic : 49152)))
        result = fake_wrong(__func__, "a limit");
    if (!result && block_x * block_y * block_z > (unsigned)kernel->threads)
        result = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (result)
        return fake_leave(result);
    for (size_t i = 0; i < kernel->count; i++) {
        text[length++] = ' ';
        for (size_t b = 0; b < kernel->sizes[i]; b++)
            length += (size_t)sprintf(text + length, "%02x", ((const unsigned char *)arguments[i])[b]);
    }
    text[length] = '\0';
    fake_note("%s %s grid %u %u %u block %u %u %u shared %u:%s", __func__, kernel->name, grid_x, grid_y, grid_z,
              block_x, block_y, block_z, shared_bytes, text);
    if (strcmp(kernel->name, "find") == 0)
        answer_find(arguments);
    return fake_leave(0);
}
