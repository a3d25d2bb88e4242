/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of the executor on NVIDIA cards: PTX from files. */
#define _GNU_SOURCE
#include <inttypes.h>

#include "cuda.h"
#include "executor.h"

static void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long length = -1;
    if (file && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 && (text = malloc((size_t)length + 1))) {
        rewind(file);
        *size = fread(text, 1, (size_t)length, file) + 1;
        text[*size - 1] = '\0';
    }
    if (file)
        fclose(file);
    return text;
}

/* The PTX of the module, with the 0 that ends it. */
void *soft_cuda_translate(const void *spirv, size_t size, size_t *program_size, char **log) {
    const char *folder = getenv("SOFT_GPU_PTX");
    const uint64_t digest = soft_digest(spirv, size);
    char *path = NULL;
    void *text = NULL;
    if (folder && asprintf(&path, "%s/%016" PRIx64 ".ptx", folder, digest) >= 0)
        text = read_file(path, program_size);
    if (!text && asprintf(log, "SOFT_GPU_PTX (%s) has no %016" PRIx64 ".ptx", folder ? folder : "not set", digest) < 0)
        *log = NULL;
    free(path);
    return text;
}

CUresult soft_cuda_load(const char *ptx, char *message, size_t size, CUmodule *module) {
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {message, (void *)(uintptr_t)size}; /* numbers are passed as pointers */
    return soft_cuda_library.module_load(module, ptx, 2, options, values);
}

struct soft_program *soft_cuda_build(const void *program, __attribute__((unused)) size_t size,
                                     __attribute__((unused)) uint64_t digest, const char *options, char **log) {
    struct soft_program *built = malloc(sizeof *built);
    char message[4096] = "";
    (void)soft_cuda_library.context_set(soft_cuda_context);
    if (strstr(options, "-cl-denorms-are-zero"))
        snprintf(message, sizeof message, "-cl-denorms-are-zero needs another PTX");
    else if (built && !soft_cuda_failed(soft_cuda_load(program, message, sizeof message - 1, &built->module),
                                        "cuModuleLoadDataEx"))
        return built;
    *log = strdup(message);
    free(built);
    return NULL;
}

void soft_cuda_program_free(struct soft_program *program) {
    if (!program)
        return;
    (void)soft_cuda_library.context_set(soft_cuda_context);
    (void)soft_cuda_failed(soft_cuda_library.module_unload(program->module), "cuModuleUnload");
    free(program);
}

struct soft_function *soft_cuda_function_new(struct soft_program *program, const char *name, uint64_t *local_size,
                                             uint64_t *max_group) {
    struct soft_function *function = calloc(1, sizeof *function);
    int threads = 0, bytes = 0;
    if (!function)
        return NULL;
    (void)soft_cuda_library.context_set(soft_cuda_context);
    CUresult result = soft_cuda_library.module_get_function(&function->function, program->module, name);
    if (!result)
        result = soft_cuda_library.function_get_attribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                                          function->function);
    if (!result)
        result =
            soft_cuda_library.function_get_attribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function->function);
    if (!result) /* more than 48 KiB are refused otherwise */
        result = soft_cuda_library.function_set_attribute(
            function->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)soft_settings.slm - bytes);
    if (soft_cuda_failed(result, name)) {
        free(function);
        return NULL;
    }
    *local_size = function->local_size = (uint64_t)bytes;
    *max_group = (uint64_t)threads;
    return function;
}

void soft_cuda_function_free(struct soft_function *function) { free(function); }
