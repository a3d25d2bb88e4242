/* SPDX-License-Identifier: Apache-2.0 */
/* Modules and kernels of Level Zero. A module comes from the first available of: a binary made ahead of time for this
 * device, the cache, the SPIR-V. */
#include "runtime/ze.h"

#include <string.h>
#include <strings.h>

#include "runtime/host.h"
#include "runtime/log.h"
#include "runtime/module_cache.h"
#include "runtime/spirv.h"

/* Bytes of a build log's end that go into a failure message. */
enum { LOG_TAIL = 3400 };

/* A module being built. */
struct build {
    const char *call;
    uh_device *device;
    const struct uhi_module_source *source;
    ze_module_handle_t handle;
    char *log; /* malloc; NULL if none */
};

/* Returns the text of a driver's log and destroys the log. NULL if there is no text, or no memory for it. */
static char *take_log(ze_module_build_log_handle_t log) {
    size_t size = 0;
    char *text = NULL;
    if (!log)
        return NULL;
    if (UHI_ZE_TRY(zeModuleBuildLogGetString, log, &size, NULL) == ZE_RESULT_SUCCESS && size > 1)
        text = calloc(size + 1, 1);
    if (text && UHI_ZE_TRY(zeModuleBuildLogGetString, log, &size, text) != ZE_RESULT_SUCCESS) {
        free(text);
        text = NULL;
    }
    (void)UHI_ZE_TRY(zeModuleBuildLogDestroy, log);
    /* Drivers end the text with blanks, or give only blanks. */
    size_t length = text ? strlen(text) : 0;
    while (length && strchr(" \n\r\t", text[length - 1]))
        text[--length] = '\0';
    if (text && length == 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Loads a binary. Returns whether it is loaded; a refusal is no error, because there is another way. */
static int load_native(struct build *b, const void *binary, size_t size, const char *from) {
    struct uhi_ze_device *device = uhi_ze_device(b->device);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE,
                             .inputSize = size,
                             .pInputModule = binary};
    ze_module_handle_t handle = NULL;
    uint64_t start = uhi_host_now();
    ze_result_t result = UHI_ZE_TRY(zeModuleCreate, device->context, device->device, &desc, &handle, NULL);
    if (result != ZE_RESULT_SUCCESS) {
        uhi_log(UH_LOG_INFO, "module %s: %s refuses the binary %s: %s", b->source->name, b->device->properties.selector,
                from, uhi_ze_result_name(result));
        return 0;
    }
    uhi_log(UH_LOG_INFO, "module %s: loaded on %s %s in %.3f ms", b->source->name, b->device->properties.selector, from,
            (double)(uhi_host_now() - start) * 1e-6);
    b->handle = handle;
    return 1;
}

/* Loads a binary made ahead of time. Returns whether there is one for the device. */
static int load_ahead_of_time(struct build *b) {
    const struct uhi_module_source *source = b->source;
    for (size_t i = 0; i < source->nbinaries; i++) {
        const uh_native_binary *binary = &source->binaries[i];
        if (binary->code && binary->size && uhi_ze_target_is(binary->target, b->device->properties.device_id) &&
            load_native(b, binary->code, binary->size, "made ahead of time"))
            return 1;
    }
    return 0;
}

/* Adds everything that the result of a build depends on. */
static void make_key(const struct build *b, struct uhi_cache_key *key) {
    const struct uhi_ze_device *device = uhi_ze_device(b->device);
    const uh_device_properties *p = &b->device->properties;
    const struct uhi_module_source *source = b->source;
    unsigned char digest[UHI_SHA256_SIZE];
    uint64_t size = source->size;
    uhi_sha256_of(source->code, source->size, digest);
    uhi_cache_key_add(key, "level_zero", sizeof "level_zero");
    uhi_cache_key_add(key, p->name, strlen(p->name));
    uhi_cache_key_add(key, &p->vendor_id, sizeof p->vendor_id);
    uhi_cache_key_add(key, &p->device_id, sizeof p->device_id);
    uhi_cache_key_add(key, p->uuid, sizeof p->uuid);
    uhi_cache_key_add(key, &device->native_uuid, sizeof device->native_uuid);
    uhi_cache_key_add(key, p->driver_version, strlen(p->driver_version));
    uhi_cache_key_add(key, &device->listed_by->version, sizeof device->listed_by->version);
    uhi_cache_key_add_compiler(key);
    uhi_cache_key_add(key, &size, sizeof size);
    uhi_cache_key_add(key, digest, sizeof digest);
    uhi_cache_key_add(key, source->build_options, strlen(source->build_options));
    for (size_t i = 0; i < source->nconstants; i++) {
        uhi_cache_key_add(key, &source->constants[i].id, sizeof source->constants[i].id);
        uhi_cache_key_add(key, source->constants[i].value, source->constants[i].size);
    }
}

static int load_from_cache(struct build *b, const struct uhi_cache_key *key) {
    struct uhi_cache_entry entry = {NULL, 0, NULL};
    if (!uhi_cache_find(key, &entry))
        return 0;
    int loaded = load_native(b, entry.binary, entry.size, "from the cache");
    if (loaded && entry.log[0]) {
        b->log = entry.log;
        entry.log = NULL;
    }
    uhi_cache_entry_free(&entry);
    return loaded;
}

/* Puts a new build into the cache, if its binary is available. */
static void keep_in_cache(const struct build *b, const struct uhi_cache_key *key) {
    static char nothing[] = "";
    struct uhi_cache_entry entry = {NULL, 0, b->log ? b->log : nothing};
    ze_result_t result = UHI_ZE_TRY(zeModuleGetNativeBinary, b->handle, &entry.size, NULL);
    if (result == ZE_RESULT_SUCCESS && entry.size) {
        entry.binary = malloc(entry.size);
        if (entry.binary)
            result = UHI_ZE_TRY(zeModuleGetNativeBinary, b->handle, &entry.size, entry.binary);
    }
    if (result == ZE_RESULT_SUCCESS && entry.binary)
        uhi_cache_keep(key, &entry);
    else
        uhi_log(UH_LOG_INFO, "module %s: not kept in the cache: zeModuleGetNativeBinary gives %s, %zu bytes",
                b->source->name, uhi_ze_result_name(result), entry.size);
    free(entry.binary);
}

/* Returns whether a log says that nothing was built: some drivers return success nonetheless, and crash when it is
 * used. */
static int says_error(const char *log) {
    for (const char *line = log; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncasecmp(line, "error:", 6) == 0)
            return 1;
    }
    return 0;
}

static uh_status fail_build(const struct build *b, ze_result_t result, const char *log, int line) {
    const uh_status status = result == ZE_RESULT_SUCCESS ? UH_ERROR_BUILD : uhi_ze_status(result);
    const char *tail = log;
    if (log && strlen(log) > LOG_TAIL) {
        tail = log + strlen(log) - LOG_TAIL;
        const char *end = strchr(tail, '\n');
        tail = end && end[1] ? end + 1 : tail;
    }
    return uhi_fail(status, b->call, NULL, "zeModuleCreate %s %s (0x%08x) for %s on %s at %s:%d; %s%s%s",
                    result ? "failed with" : "has built nothing and gave", uhi_ze_result_name(result), (unsigned)result,
                    b->source->name, b->device->properties.selector, UHI_ZE_FILE, line,
                    log ? "the build log" : "there is no build log",
                    !log          ? ""
                    : tail == log ? ":\n"
                                  : " ends with:\n",
                    log ? tail : "");
}

/* Passes the program to the driver's compiler. */
static uh_status compile_program(struct build *b, const ze_module_constants_t *constants) {
    struct uhi_ze_device *device = uhi_ze_device(b->device);
    const struct uhi_module_source *source = b->source;
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = source->is_native ? ZE_MODULE_FORMAT_NATIVE : ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = source->size,
                             .pInputModule = source->code,
                             .pBuildFlags = source->build_options,
                             .pConstants = constants};
    ze_module_build_log_handle_t log = NULL;
    uint64_t start = uhi_host_now();
    ze_result_t result = UHI_ZE_TRY(zeModuleCreate, device->context, device->device, &desc, &b->handle, &log);
    uint64_t end = uhi_host_now();
    b->log = take_log(log);
    if (result != ZE_RESULT_SUCCESS || says_error(b->log)) {
        uh_status status = uhi_ze_note_loss(b->device, fail_build(b, result, b->log, __LINE__));
        if (result == ZE_RESULT_SUCCESS)
            (void)UHI_ZE_TRY(zeModuleDestroy, b->handle);
        free(b->log);
        b->log = NULL;
        b->handle = NULL;
        return status;
    }
    uhi_log(UH_LOG_INFO, "module %s: built on %s from %s in %.3f ms", source->name, b->device->properties.selector,
            source->is_native ? "a native binary" : "SPIR-V", (double)(end - start) * 1e-6);
    return UH_SUCCESS;
}

static uh_status compile_with_constants(struct build *b) {
    const struct uhi_module_source *source = b->source;
    ze_module_constants_t constants = {(uint32_t)source->nconstants, NULL, NULL};
    uh_status status = UH_ERROR_OUT_OF_MEMORY;
    if (source->nconstants == 0)
        return compile_program(b, NULL);
    uint32_t *ids = calloc(source->nconstants, sizeof *ids);
    const void **values = calloc(source->nconstants, sizeof *values);
    if (!ids || !values) {
        uhi_fail(status, b->call, NULL, "out of memory for %zu constants", source->nconstants);
        goto out;
    }
    for (size_t i = 0; i < source->nconstants; i++) {
        ids[i] = source->constants[i].id;
        values[i] = source->constants[i].value;
    }
    constants.pConstantIds = ids;
    constants.pConstantValues = values;
    status = compile_program(b, &constants);
out:
    free(ids);
    free(values);
    return status;
}

/* For a program that needs a feature the device lacks, drivers do anything from giving a wrong name to crashing. */
static uh_status check_features(const struct build *b) {
    const uh_device_properties *p = &b->device->properties;
    const struct uhi_module_source *source = b->source;
    const char *missing = uhi_spirv_find_missing(source->code, source->size, uhi_ze_device(b->device)->features);
    return missing ? uhi_fail(UH_ERROR_UNSUPPORTED, b->call, NULL,
                              "%s needs SPIR-V's capability %s, which %s (%s) does not have", source->name, missing,
                              p->selector, p->name)
                   : UH_SUCCESS;
}

/* Builds SPIR-V by the shortest way. */
static uh_status build_spirv(struct build *b) {
    struct uhi_cache_key key = {NULL, 0, 0, 0};
    if (load_ahead_of_time(b))
        return UH_SUCCESS;
    UHI_TRY(check_features(b));
    int cached = uhi_cache_is_on();
    if (cached)
        make_key(b, &key);
    uh_status status = UH_SUCCESS;
    if (!cached || !load_from_cache(b, &key)) {
        status = compile_with_constants(b);
        if (!status && cached)
            keep_in_cache(b, &key);
    }
    uhi_cache_key_free(&key);
    return status;
}

/* Fills in the names of the module's kernels. The driver's strings live as long as the module, but not all drivers keep
 * them at the same address. */
static uh_status read_names(const struct build *b, uh_module *module) {
    uint32_t count = 0;
    const char **names = NULL;
    UHI_TRY(uhi_ze_note_loss(b->device, UHI_ZE(b->call, zeModuleGetKernelNames, b->handle, &count, NULL)));
    uh_status status = UH_SUCCESS;
    names = calloc((size_t)count + 1, sizeof *names);
    module->kernel_names = calloc((size_t)count + 1, sizeof *module->kernel_names);
    if (!names || !module->kernel_names) {
        status = uhi_fail_memory(b->call, "out of memory for the names of %u kernels", (unsigned)count);
        goto out;
    }
    status = uhi_ze_note_loss(b->device, UHI_ZE(b->call, zeModuleGetKernelNames, b->handle, &count, names));
    for (uint32_t i = 0; i < count && !status; i++) {
        module->kernel_names[i] = strdup(names[i] ? names[i] : "");
        module->kernel_count = (size_t)i + 1;
        if (!module->kernel_names[i])
            status = uhi_fail_memory(b->call, "out of memory for a kernel's name");
    }
out:
    free(names);
    return status;
}

uh_status uhi_ze_module_create(const char *call, uh_module *module, const struct uhi_module_source *source) {
    struct build b = {.call = call, .device = module->device, .source = source};
    UHI_TRY(uhi_ze_check_lost(call, b.device));
    if (source->nconstants > UINT32_MAX)
        return uhi_fail_argument(call, "options->nconstants", "is %zu, expected at most %u", source->nconstants,
                                 UINT32_MAX);
    UHI_TRY(source->is_native ? compile_program(&b, NULL) : build_spirv(&b));
    uh_status status = read_names(&b, module);
    if (status) {
        (void)UHI_ZE_TRY(zeModuleDestroy, b.handle);
        free(b.log);
        return status;
    }
    module->native = b.handle;
    module->build_log = b.log;
    atomic_fetch_add(&uhi_ze_device(b.device)->children, 1);
    return UH_SUCCESS;
}

void uhi_ze_module_destroy(uh_module *module) {
    if (!uhi_ze_is_given_up(uhi_ze_device(module->device)))
        (void)UHI_ZE_TRY(zeModuleDestroy, (ze_module_handle_t)module->native);
    atomic_fetch_sub(&uhi_ze_device(module->device)->children, 1);
}

/* Copies the binary; if `binary` is NULL, stores its size in `size`. */
static uh_status get_native(const char *call, const uh_module *module, void *binary, size_t *size) {
    ze_module_handle_t handle = (ze_module_handle_t)module->native;
    return UHI_ZE(call, zeModuleGetNativeBinary, handle, size, binary);
}

uh_status uhi_ze_module_native(const uh_module *module, void *binary, size_t *size) {
    static const char call[] = "uh_module_native";
    size_t needed = 0;
    uh_status status = get_native(call, module, NULL, &needed);
    if (!status && binary) {
        if (needed > *size) {
            size_t given = *size;
            *size = needed;
            return uhi_fail_argument(call, "*size", "is %zu, expected at least %zu bytes", given, needed);
        }
        status = get_native(call, module, binary, &needed);
    }
    if (!status)
        *size = needed;
    return uhi_ze_note_loss(module->device, status);
}

static void fill_properties(uh_kernel *kernel, const ze_kernel_properties_t *p) {
    uh_kernel_properties *k = &kernel->properties;
    uint64_t sub_groups = (uint64_t)p->maxNumSubgroups * p->maxSubgroupSize;
    k->arguments = p->numKernelArgs;
    k->sub_group_size = p->maxSubgroupSize;
    k->spill_memory = p->spillMemSize;
    k->private_memory = p->privateMemSize;
    k->local_memory = p->localMemSize;
    k->required_group_size[0] = p->requiredGroupSizeX;
    k->required_group_size[1] = p->requiredGroupSizeY;
    k->required_group_size[2] = p->requiredGroupSizeZ;
    k->max_group_size = kernel->module->device->properties.max_group_size;
    if (p->requiredGroupSizeX)
        k->max_group_size = (uint64_t)p->requiredGroupSizeX * p->requiredGroupSizeY * p->requiredGroupSizeZ;
    else if (sub_groups && sub_groups < k->max_group_size)
        k->max_group_size = sub_groups;
}

uh_status uhi_ze_kernel_create(const char *call, uh_kernel *kernel) {
    const uh_device *device = kernel->module->device;
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = kernel->name};
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    UHI_TRY(uhi_ze_check_lost(call, device));
    struct uhi_ze_kernel *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail_memory(call, "out of memory for a kernel");
    uh_status status = UHI_ZE(call, zeKernelCreate, (ze_module_handle_t)kernel->module->native, &desc, &made->handle);
    if (status)
        goto out;
    status = UHI_ZE(call, zeKernelGetProperties, made->handle, &properties);
    if (status) {
        (void)UHI_ZE_TRY(zeKernelDestroy, made->handle);
        goto out;
    }
    pthread_mutex_init(&made->lock, NULL);
    made->offset_known = 1; /* 0 until set */
    fill_properties(kernel, &properties);
    kernel->native = made;
    made = NULL;
out:
    free(made);
    return uhi_ze_note_loss(device, status);
}

void uhi_ze_kernel_destroy(uh_kernel *kernel) {
    struct uhi_ze_kernel *native = kernel->native;
    if (!uhi_ze_is_given_up(uhi_ze_device(kernel->module->device)))
        (void)UHI_ZE_TRY(zeKernelDestroy, native->handle);
    pthread_mutex_destroy(&native->lock);
    free(native);
}
