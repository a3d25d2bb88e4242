/* SPDX-License-Identifier: Apache-2.0 */
/* Modules and the kernels in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend.h"
#include "runtime/log.h"
#include "runtime/module.h"
#include "runtime/spirv.h"
#include "runtime/status.h"

/* Makes a source from the options, which may be NULL. */
static uh_status take_options(const char *call, const uh_module_options *given, struct uhi_module_source *source) {
    uh_module_options options;
    UHI_TRY(uhi_sized_read(call, "options", given, &options, sizeof options));
    if (options.nconstants && !options.constants)
        return uhi_fail_argument(call, "options->constants", "is NULL, expected %zu constants", options.nconstants);
    for (size_t i = 0; i < options.nconstants; i++) {
        const uh_constant *c = &options.constants[i];
        if (c->size != 1 && c->size != 2 && c->size != 4 && c->size != 8)
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "options->constants", i, "size",
                                   "is %u, expected 1, 2, 4 or 8 bytes", (unsigned)c->size);
        if (!c->value)
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "options->constants", i, "value",
                                   "is NULL, expected a value of %u bytes", (unsigned)c->size);
    }
    *source = (struct uhi_module_source){.build_options = options.build_options ? options.build_options : "",
                                         .constants = options.constants,
                                         .nconstants = options.nconstants};
    return UH_SUCCESS;
}

/* Checks the device and the output; replaces a combined device by its lead. */
static uh_status check_device(const char *call, uh_device **device_at, uh_module *const *module) {
    if (!*device_at)
        return uhi_fail_null(call, "device", "a device");
    const uh_device *device = *device_at = uhi_device_lead(*device_at);
    UHI_NEED(call, module, "where to store the module");
    if (!device->backend->module_create)
        return uhi_fail(
            UH_ERROR_UNSUPPORTED, call, "device",
            "is %s, which runs C functions (uh_kernel_create_host), expected one that modules are built for",
            device->properties.selector);
    return UH_SUCCESS;
}

/* Frees everything except the backend's part. */
static void discard(uh_module *module) {
    for (size_t i = 0; module->kernel_names && i < module->kernel_count; i++)
        free(module->kernel_names[i]);
    free(module->kernel_names);
    free(module->kernels);
    free(module->build_log);
    free(module->source);
    uhi_signatures_free(module->signatures, module->nsignatures);
    pthread_mutex_destroy(&module->lock);
    free(module);
}

/* A source with everything it points to, in one block. */
struct kept {
    struct uhi_module_source source;
    uh_constant constants[];
};

/* Copies the source of a SPIR-V module, if its device has allocations that need other kernels (uhi_kernel_wide). */
static uh_status keep_source(const char *call, uh_module *module, const struct uhi_module_source *source) {
    if (source->wide || source->is_native || !module->device->plain_allocation)
        return UH_SUCCESS;
    const char *option = module->device->backend->wide_option;
    const size_t name = strlen(source->name) + 1, options = strlen(source->build_options) + 1 + strlen(option) + 1;
    const size_t constants = source->nconstants * (sizeof(uh_constant) + sizeof(uint64_t));
    struct kept *kept = calloc(1, sizeof *kept + constants + source->size + name + options);
    if (!kept)
        return uhi_fail_memory(call, "out of memory for a copy of %s", source->name);
    char *to = (char *)&kept->constants[source->nconstants];
    for (size_t i = 0; i < source->nconstants; i++, to += sizeof(uint64_t)) {
        kept->constants[i] = source->constants[i];
        kept->constants[i].value = memcpy(to, source->constants[i].value, source->constants[i].size);
    }
    kept->source = (struct uhi_module_source){.code = memcpy(to, source->code, source->size),
                                              .size = source->size,
                                              .constants = kept->constants,
                                              .nconstants = source->nconstants,
                                              .wide = 1};
    kept->source.name = memcpy(to + source->size, source->name, name);
    kept->source.build_options = to + source->size + name;
    snprintf(to + source->size + name, options, "%s %s", source->build_options, option);
    module->source = &kept->source;
    return UH_SUCCESS;
}

/* Builds a module from a source that has been checked, except its code; otherwise as uh_module_create. */
static uh_status build(const char *call, uh_device *device, const struct uhi_module_source *source,
                       uh_module **module) {
    static atomic_uint_fast64_t built;
    uh_status status = UH_SUCCESS;
    uh_module *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail_memory(call, "out of memory for a module");
    pthread_mutex_init(&made->lock, NULL);
    made->device = device;
    made->serial = atomic_fetch_add(&built, 1) + 1;
    if (!source->is_native)
        status = uhi_spirv_read(call, source->code, source->size, source->constants, source->nconstants,
                                &made->signatures, &made->nsignatures);
    if (!status)
        status = device->backend->module_create(call, made, source);
    if (status) {
        discard(made);
        return status;
    }
    made->kernels = calloc(made->kernel_count + 1, sizeof(uh_kernel *));
    if (!made->kernels)
        status = uhi_fail_memory(call, "out of memory for a module's kernels");
    else
        status = keep_source(call, made, source);
    if (status) {
        device->backend->module_destroy(made);
        discard(made);
        return status;
    }
    *module = made;
    return UH_SUCCESS;
}

/* Takes the program's SPIR-V, with binaries if the options allow them, or its only binary. */
static uh_status take_program(const char *call, const uh_program *program, struct uhi_module_source *source) {
    source->name = program->name ? program->name : "a program";
    if (program->nbinaries && !program->binaries)
        return uhi_fail_argument(call, "program->binaries", "is NULL, expected %zu binaries", program->nbinaries);
    if (program->spirv) {
        source->code = program->spirv;
        source->size = program->spirv_size;
        if (source->nconstants == 0 && !*source->build_options) {
            source->binaries = program->binaries;
            source->nbinaries = program->nbinaries;
        }
        return UH_SUCCESS;
    }
    const uh_native_binary *binary = program->nbinaries == 1 ? program->binaries : NULL;
    if (!binary || binary->target || !binary->code || binary->size == 0)
        return uhi_fail_null(call, "program->spirv", "SPIR-V, or one native binary without a target");
    if (source->nconstants)
        return uhi_fail_argument(call, "options->nconstants",
                                 "is %zu, expected 0 for a native binary, whose constants are fixed",
                                 source->nconstants);
    source->is_native = 1;
    source->code = binary->code;
    source->size = binary->size;
    return UH_SUCCESS;
}

uh_status uh_module_create(uh_device *device, const uh_program *program, const uh_module_options *options,
                           uh_module **module) {
    struct uhi_module_source source;
    UHI_TRY(check_device(__func__, &device, module));
    UHI_NEED(__func__, program, "a program");
    UHI_TRY(take_options(__func__, options, &source));
    UHI_TRY(take_program(__func__, program, &source));
    return build(__func__, device, &source, module);
}

void uh_module_destroy(uh_module *module) {
    if (!module)
        return;
    for (size_t i = 0; i < module->kernel_count; i++)
        if (module->kernels[i]) {
            module->device->backend->kernel_destroy(module->kernels[i]);
            free(module->kernels[i]->name);
            free(module->kernels[i]);
        }
    module->device->backend->module_destroy(module);
    uh_module_destroy(module->wide);
    discard(module);
}

uh_status uh_module_get_properties(const uh_module *module, uh_module_properties *properties) {
    UHI_NEED(__func__, module, "a module");
    const uh_module_properties known = {.struct_size = sizeof known,
                                        .kernels = module->kernel_count,
                                        .kernel_names = (const char *const *)module->kernel_names,
                                        .build_log = module->build_log ? module->build_log : ""};
    return uhi_sized_fill(__func__, properties, &known, sizeof known);
}

uh_status uh_module_native(const uh_module *module, void *binary, size_t *size) {
    UHI_NEED(__func__, module, "a module");
    UHI_NEED(__func__, size, "where to store the size");
    return module->device->backend->module_native(module, binary, size);
}

static uh_status fail_no_kernel(const char *call, const uh_module *module, const char *name) {
    char available[1024] = "";
    for (size_t i = 0, used = 0; i < module->kernel_count && used < sizeof available; i++)
        used +=
            (size_t)snprintf(available + used, sizeof available - used, "%s%s", i ? ", " : "", module->kernel_names[i]);
    return uhi_fail(UH_ERROR_NOT_FOUND, call, "name", "is \"%.128s\", expected one of the module's kernels: %s", name,
                    module->kernel_count ? available : "it has none");
}

/* Returns the kernel's signature in the program; NULL if it has none or the driver reports another argument count. */
static const struct uhi_signature *find_signature(const uh_module *module, const uh_kernel *kernel) {
    for (size_t i = 0; i < module->nsignatures; i++)
        if (strcmp(module->signatures[i].name, kernel->name) == 0)
            return module->signatures[i].count == kernel->properties.arguments ? &module->signatures[i] : NULL;
    return NULL;
}

/* Makes a kernel of a module whose lock is held. */
static uh_status make_kernel(const char *call, uh_module *module, const char *name, uh_kernel **kernel) {
    uh_kernel *made = calloc(1, sizeof *made);
    char *copy = strdup(name);
    uh_status status = UH_SUCCESS;
    if (!made || !copy) {
        status = uhi_fail_memory(call, "out of memory for a kernel");
        goto out;
    }
    made->backend = module->device->backend;
    made->module = module;
    made->name = copy;
    made->properties.struct_size = sizeof made->properties;
    status = made->backend->kernel_create(call, made);
    if (status)
        goto out;
    made->signature = find_signature(module, made);
    *kernel = made;
    made = NULL;
    copy = NULL;
out:
    free(copy);
    free(made);
    return status;
}

uh_status uh_kernel_get(uh_module *module, const char *name, uh_kernel **kernel) {
    UHI_NEED(__func__, module, "a module");
    UHI_NEED(__func__, name, "the kernel's name");
    UHI_NEED(__func__, kernel, "where to store the kernel");
    size_t i = 0;
    while (i < module->kernel_count && strcmp(module->kernel_names[i], name) != 0)
        i++;
    if (i == module->kernel_count)
        return fail_no_kernel(__func__, module, name);
    uh_status status = UH_SUCCESS;
    if (uhi_device_is_lost(module->device)) { /* a thread lost in a fork may hold the lock forever */
        uh_kernel none = {.module = module, .name = module->kernel_names[i]};
        return module->device->backend->kernel_create(__func__, &none);
    }
    pthread_mutex_lock(&module->lock);
    if (!module->kernels[i])
        status = make_kernel(__func__, module, name, &module->kernels[i]);
    uh_kernel *found = module->kernels[i];
    pthread_mutex_unlock(&module->lock);
    if (!status)
        *kernel = found;
    return status;
}

uh_status uhi_kernel_wide(const char *call, const uh_kernel *kernel, const uh_kernel **wide) {
    uh_module *module = kernel->module;
    uh_kernel *found = NULL;
    uh_status status = UH_SUCCESS;
    *wide = kernel;
    if (!module || !module->source || uhi_device_is_lost(module->device))
        return UH_SUCCESS;
    pthread_mutex_lock(&module->lock);
    if (!module->wide) {
        uhi_log(UH_LOG_INFO, "module %s: built once more for allocations above %llu bytes", module->source->name,
                (unsigned long long)module->device->plain_allocation);
        status = build(call, module->device, module->source, &module->wide);
    }
    pthread_mutex_unlock(&module->lock);
    if (!status)
        status = uh_kernel_get(module->wide, kernel->name, &found);
    if (!status)
        *wide = found;
    return uhi_fail_of(call, status);
}
