/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "executor.h"

/* ---- the native format: a header, the SPIR-V, the program ---- */

#define VERSION 2

struct header {
    char magic[8];
    uint64_t checksum; /* of all that follows it */
    uint64_t device;
    uint64_t spirv_size, program_size;
    uint64_t wide;
};

/* What a binary depends on. */
static uint64_t digest_device(void) {
    char text[sizeof soft_settings.name + 64];
    snprintf(text, sizeof text, "%d %d %d %s", VERSION, (int)soft_settings.fp64, soft_executor == &soft_cuda,
             soft_settings.name);
    return soft_digest(text, strlen(text));
}

static void *write_binary(const void *spirv, size_t spirv_size, const void *program, size_t program_size, bool wide,
                          size_t *size) {
    struct header header = {"SOFTGPU", 0, digest_device(), spirv_size, program_size, wide};
    *size = sizeof header + spirv_size + program_size;
    char *binary = malloc(*size);
    if (!binary)
        return NULL;
    memcpy(binary, &header, sizeof header);
    memcpy(binary + sizeof header, spirv, spirv_size);
    memcpy(binary + sizeof header + spirv_size, program, program_size);
    header.checksum = soft_digest(binary + offsetof(struct header, device), *size - offsetof(struct header, device));
    memcpy(binary, &header, sizeof header);
    return binary;
}

/* The SPIR-V follows the header, and the program the SPIR-V. */
static bool read_header(const char *binary, size_t size, struct header *header) {
    const size_t after = offsetof(struct header, device);
    if (size < sizeof *header)
        return false;
    memcpy(header, binary, sizeof *header);
    const size_t rest = size - sizeof *header;
    return memcmp(header->magic, "SOFTGPU", 8) == 0 && header->spirv_size <= rest &&
           header->program_size == rest - header->spirv_size && header->device == digest_device() &&
           header->checksum == soft_digest(binary + after, size - after);
}

/* ---- modules ---- */

/* What a build needs and gives. */
struct build {
    const ze_module_desc_t *desc;
    char options[512]; /* those for OpenCL */
    char *log;
};

static void release_log(struct soft_object *object) { free(((struct soft_log *)object)->text); }

static void release_module(struct soft_object *object) {
    struct soft_module *module = (struct soft_module *)object;
    soft_executor->program_free(module->program);
    soft_spirv_free(&module->spirv);
    free(module->binary);
}

static ze_result_t fail_build(struct build *build, const char *text) {
    free(build->log);
    build->log = strdup(text);
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

/* Of Level Zero's options one is remembered; those of OpenCL go on to it. */
static ze_result_t read_options(struct build *build, bool *wide) {
    static const char *const known[] = {"-ze-opt-disable",
                                        "-ze-opt-level",
                                        "-ze-opt-greater-than-4GB-buffer-required",
                                        "-ze-opt-large-register-file",
                                        "-ze-opt-has-buffer-offset-arg",
                                        "-ze-take-global-address",
                                        "-g"};
    const char *text = build->desc->pBuildFlags ? build->desc->pBuildFlags : "";
    char option[256], message[320];
    for (int used; sscanf(text, " %255s%n", option, &used) == 1; text += used) {
        bool right = strncmp(option, "-cl-", 4) == 0;
        if (right && strlen(build->options) + strlen(option) + 2 < sizeof build->options) {
            strcat(build->options, " ");
            strcat(build->options, option);
            continue;
        }
        size_t length = strcspn(option, "=");
        for (size_t i = 0; !right && i < sizeof known / sizeof *known; i++)
            right = strlen(known[i]) == length && strncmp(option, known[i], length) == 0;
        *wide |= strcmp(option, "-ze-opt-greater-than-4GB-buffer-required") == 0;
        if (!right) {
            snprintf(message, sizeof message, "unknown build option '%s'", option);
            return fail_build(build, message);
        }
        if (strcmp(option, "-ze-opt-level") == 0) /* its value may follow it */
            text += strspn(text + used, " 0123456789");
    }
    return ZE_RESULT_SUCCESS;
}

/* Whether the module's kernels are to take denormal numbers for zero. */
static bool flushes(const struct soft_spirv *spirv) {
    bool found = soft_settings.flush;
    for (size_t i = 0; i < spirv->nkernels && soft_settings.flush_in[0]; i++)
        found |= strstr(spirv->kernels[i].name, soft_settings.flush_in) != NULL;
    return found;
}

static ze_result_t build_program(struct build *build, struct soft_module *module, const void *program, size_t size) {
    char options[sizeof build->options + 32];
    snprintf(options, sizeof options, "%s%s", flushes(&module->spirv) ? "-cl-denorms-are-zero" : "", build->options);
    module->program = soft_executor->build(program, size, module->spirv.digest, options, &build->log);
    return module->program ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

static ze_result_t build_spirv(struct build *build, struct soft_module *module) {
    const ze_module_desc_t *desc = build->desc;
    if (!soft_spirv_read(&module->spirv, desc->pInputModule, desc->inputSize, &build->log))
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    if (module->spirv.fp64 && !soft_settings.fp64)
        return fail_build(build, "the module uses double, which this device does not support");
    if (!soft_validate(desc->pInputModule, desc->inputSize, &build->log))
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    uint32_t *code = malloc(desc->inputSize);
    void *program = NULL;
    size_t size = 0;
    ze_result_t result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    if (!code)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    memcpy(code, desc->pInputModule, desc->inputSize);
    if (soft_spirv_specialize(code, desc->inputSize / 4, desc->pConstants, &build->log))
        program = soft_executor->translate(code, desc->inputSize, &size, &build->log);
    if (program)
        result = build_program(build, module, program, size);
    if (!result) {
        module->binary =
            write_binary(desc->pInputModule, desc->inputSize, program, size, module->wide, &module->binary_size);
        if (!module->binary)
            result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    free(program);
    free(code);
    return result;
}

static ze_result_t build_native(struct build *build, struct soft_module *module) {
    const size_t size = build->desc->inputSize;
    const char *binary = (const char *)build->desc->pInputModule, *spirv = binary + sizeof(struct header);
    struct header header;
    if (!read_header(binary, size, &header)) {
        fail_build(build, "the native binary is damaged, or was made for another device");
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    if (!soft_spirv_read(&module->spirv, spirv, header.spirv_size, &build->log))
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    module->wide = header.wide != 0;
    module->binary = malloc(size);
    if (!module->binary)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    memcpy(module->binary, binary, size);
    module->binary_size = size;
    return build_program(build, module, spirv + header.spirv_size, header.program_size);
}

/* Says as Intel's compiler does that it has failed, where the driver is to succeed nonetheless. */
static ze_result_t leave_unbuilt(struct build *build) {
    char *text = NULL;
    if (asprintf(&text, "%s\nerror: backend compiler failed build.\n", build->log ? build->log : "") < 0)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    free(build->log);
    build->log = text;
    return ZE_RESULT_SUCCESS;
}

ze_result_t soft_need_built(const struct soft_module *module, const char *call) {
    return module->program ? ZE_RESULT_SUCCESS
                           : soft_misuse(ZE_RESULT_ERROR_UNKNOWN, call, "the module has not been built");
}

static ze_result_t give_log(struct soft_context *context, struct build *build, ze_module_build_log_handle_t *handle) {
    struct soft_log *log = soft_new(SOFT_KIND_log, sizeof *log, &context->object, release_log);
    if (!log)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    log->text = build->log ? build->log : strdup("");
    build->log = NULL;
    *handle = (ze_module_build_log_handle_t)log;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice, const ze_module_desc_t *desc,
                           ze_module_handle_t *phModule, ze_module_build_log_handle_t *phBuildLog) {
    SOFT_CALL(context, hContext, context);
    SOFT_GET(device, hDevice, device);
    SOFT_REACH(device);
    SOFT_POINTER(desc);
    SOFT_POINTER(desc->pInputModule);
    SOFT_POINTER(phModule);
    SOFT_STYPE(desc, ZE_STRUCTURE_TYPE_MODULE_DESC);
    if (desc->inputSize == 0)
        return ZE_RESULT_ERROR_INVALID_SIZE;
    if ((unsigned)desc->format > ZE_MODULE_FORMAT_NATIVE)
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    struct soft_module *module = soft_new(SOFT_KIND_module, sizeof *module, &context->object, release_module);
    if (!module)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    struct build build = {.desc = desc};
    module->context = context;
    module->device = device;
    ze_result_t result = read_options(&build, &module->wide);
    if (!result)
        result = desc->format == ZE_MODULE_FORMAT_NATIVE ? build_native(&build, module) : build_spirv(&build, module);
    if (result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE && soft_settings.unbuilt)
        result = leave_unbuilt(&build);
    ze_result_t logged = phBuildLog ? give_log(context, &build, phBuildLog) : ZE_RESULT_SUCCESS;
    if (!result)
        result = logged;
    free(build.log);
    if (result)
        soft_destroy(&module->object, __func__);
    else
        *phModule = (ze_module_handle_t)module;
    return result;
}

SOFT_DESTROY(zeModuleDestroy, ze_module_handle_t, module)

/* Answers a question for `size` bytes in two calls: the size, then the bytes. */
static ze_result_t give_bytes(const char *call, const void *bytes, size_t size, size_t *room, void *destination) {
    if (destination && *room < size)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_SIZE, call, "there is room for %zu bytes of %zu", *room, size);
    if (destination)
        memcpy(destination, bytes, size);
    *room = size;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleBuildLogGetString(ze_module_build_log_handle_t hModuleBuildLog, size_t *pSize, char *pBuildLog) {
    SOFT_ENTER(SOFT_ALWAYS);
    SOFT_GET(log, hModuleBuildLog, log);
    SOFT_POINTER(pSize);
    return give_bytes(__func__, log->text ? log->text : "", log->text ? strlen(log->text) + 1 : 1, pSize, pBuildLog);
}

SOFT_DESTROY(zeModuleBuildLogDestroy, ze_module_build_log_handle_t, log)

ze_result_t zeModuleGetNativeBinary(ze_module_handle_t hModule, size_t *pSize, uint8_t *pModuleNativeBinary) {
    SOFT_CALL(module, hModule, module);
    SOFT_POINTER(pSize);
    SOFT_TRY(soft_need_built(module, __func__));
    return give_bytes(__func__, module->binary, module->binary_size, pSize, pModuleNativeBinary);
}

ze_result_t zeModuleGetKernelNames(ze_module_handle_t hModule, uint32_t *pCount, const char **pNames) {
    SOFT_CALL(module, hModule, module);
    SOFT_TRY(soft_need_built(module, __func__));
    SOFT_POINTER(pCount);
    SOFT_LIST_COUNT(pCount, (uint32_t)module->spirv.nkernels);
    for (uint32_t i = 0; pNames && i < *pCount; i++)
        pNames[i] = module->spirv.kernels[i].name;
    return ZE_RESULT_SUCCESS;
}
