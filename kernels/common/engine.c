/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/engine.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common/trial.h"
#include "runtime/memory.h"
#include "runtime/module.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum {
    MAX_GROUP_SIZE = 512, /* work-items: with half the local memory each, two groups keep an Xe core busy */
    DEFAULT_SUB_GROUP = 16,
    VALUES_AN_ITEM = 64, /* values per work-item that justify a group */
    TRIED_GROUPS = 3     /* minimum in trials, which have few values */
};

/* 1 if the engine last opened by this thread belongs to a trial. */
static _Thread_local int in_trial;

/* ---- kernels ---- */

struct uhi_engine_kernel {
    const struct uhi_variants *asked; /* operation of the request: names are unique per operation */
    const struct uhi_variant *variant;
    uh_module *module;
    uh_kernel *kernel; /* owned by the module */
};

uh_status uhi_engine_open(struct uhi_engine *engine, const char *call, uh_queue *queue,
                          const struct uhi_variants *variants) {
    struct uhi_engine made = {.call = call, .queue = queue, .device = queue->device, .variants = variants};
    made.properties.struct_size = sizeof made.properties;
    UHI_TRY(uh_device_get_properties(made.device, &made.properties));
    if (variants->count == 0)
        return uhi_fail(UH_ERROR_UNSUPPORTED, call, NULL,
                        "this build of libunihist has no kernels for %s: it was configured without clang or llvm-spirv",
                        made.properties.selector);
    if (queue->trial && queue->trial->local_memory < made.properties.local_memory)
        made.properties.local_memory = queue->trial->local_memory;
    made.geometry = uhi_geometry_choose(queue, &made.properties, variants->operation);
    in_trial = queue->trial != NULL;
    *engine = made;
    return UH_SUCCESS;
}

static void drop_imports(struct uhi_engine *engine) {
    for (size_t i = 0; i < engine->import_count; i++)
        engine->device->backend->release(engine->device, engine->imports[i].first);
    engine->import_count = 0;
}

void uhi_engine_close(struct uhi_engine *engine) {
    uhi_engine_quiesce(engine);
    drop_imports(engine);
    uhi_ring_free(engine);
    uhi_free(engine->scratch);
    for (size_t i = 0; i < engine->kernel_count; i++)
        uhi_module_release(engine->kernels[i].module);
    free(engine->kernels);
    uh_queue_destroy(engine->copy);
    *engine = (struct uhi_engine){0};
}

/* Tests a kernel before its first use, except during its trial. */
static uh_status try_kernel(const struct uhi_engine *engine, const struct uhi_variants *variants,
                            const struct uhi_variant *variant, const uh_module *module) {
    struct uhi_trial *trial = engine->queue->trial;
    if (!trial) {
        const uh_status status = uhi_self_test(engine->queue, engine->call, variants, variant, module);
        in_trial = 0;
        return status;
    }
    trial->has_run |= strcmp(trial->kernel, variant->name) == 0;
    return UH_SUCCESS;
}

static uh_status add_kernel(struct uhi_engine *engine, const struct uhi_variants *asked,
                            const struct uhi_variants *variants, const struct uhi_variant *variant) {
    struct uhi_engine_kernel *more = realloc(engine->kernels, (engine->kernel_count + 1) * sizeof *more);
    struct uhi_engine_kernel made = {.asked = asked, .variant = variant};
    if (!more)
        return uhi_fail_memory(engine->call, "out of memory for the kernel %s", variant->name);
    engine->kernels = more;
    uh_status status = uhi_module_acquire(engine->device, variant->program, variant->given, &made.module);
    if (!status)
        status = uh_kernel_get(made.module, variant->name, &made.kernel);
    if (!status)
        status = try_kernel(engine, variants, variant, made.module);
    if (status)
        uhi_module_release(made.module);
    else
        engine->kernels[engine->kernel_count++] = made;
    return status;
}

uh_status uhi_engine_kernel_of(struct uhi_engine *engine, const struct uhi_variants *variants, const char *name,
                               uh_kernel **kernel) {
    uh_status status = UH_SUCCESS;
    size_t i = 0;
    while (i < engine->kernel_count &&
           (engine->kernels[i].asked != variants || strcmp(engine->kernels[i].variant->name, name) != 0))
        i++;
    if (i == engine->kernel_count) {
        const struct uhi_variants *of = variants;
        const struct uhi_variant *variant = uhi_find_variant(of, name);
        if (!variant)
            variant = uhi_find_variant(of = uhi_common_variants(), name);
        status =
            variant ? add_kernel(engine, variants, of, variant)
                    : uhi_fail(UH_ERROR_INTERNAL, engine->call, NULL, "the library has no kernel %s for devices", name);
    }
    if (!status)
        *kernel = engine->kernels[i].kernel;
    return status;
}

uh_status uhi_engine_kernel(struct uhi_engine *engine, const char *name, uh_kernel **kernel) {
    return uhi_engine_kernel_of(engine, engine->variants, name, kernel);
}

uh_status uhi_engine_run_after(const struct uhi_engine *engine, const uh_kernel *kernel, size_t groups,
                               size_t group_size, const uh_arg *args, size_t nargs, uh_event *const *deps, size_t ndeps,
                               uh_event **event) {
    uh_kernel_properties properties = {.struct_size = sizeof properties};
    uh_event *first[UHI_MAX_INPUTS];
    size_t count = 0;
    UHI_TRY(uh_kernel_get_properties(kernel, &properties));
    for (size_t i = 0; i < ndeps; i++)
        if (deps[i])
            first[count++] = deps[i];
    for (; group_size > properties.max_group_size && group_size > 1; group_size /= 2) /* a power of two remains one */
        groups *= 2;
    const uh_nd_range range = {.dims = 1, .global = {groups * group_size}, .local = {group_size}};
    return uh_parallel_for(engine->queue, kernel, &range, args, nargs,
                           &(uh_submission){.deps = first, .ndeps = count, .event = event});
}

uh_status uhi_engine_run(const struct uhi_engine *engine, const uh_kernel *kernel, size_t groups, size_t group_size,
                         const uh_arg *args, size_t nargs, uh_event *dep, uh_event **event) {
    return uhi_engine_run_after(engine, kernel, groups, group_size, args, nargs, &dep, 1, event);
}

uh_status uhi_engine_run_wide(const struct uhi_engine *engine, const uh_kernel *kernel, size_t n, const uh_arg *args,
                              size_t nargs, uh_event *dep, uh_event **event) {
    const size_t group_size = uhi_engine_group_size(engine);
    const size_t groups = uhi_groups_for(uhi_engine_groups(engine, group_size), group_size, n);
    return uhi_engine_run(engine, kernel, groups, group_size, args, nargs, dep, event);
}

void uhi_engine_quiesce(struct uhi_engine *engine) {
    struct uhi_message message;
    uhi_message_keep(&message);
    (void)uhi_ring_drain(engine);
    uhi_queue_drain(engine->copy);
    uhi_queue_drain(engine->queue);
    for (size_t i = 0; i < UHI_RING_SLOTS; i++)
        engine->ring.slots[i].to_bytes = 0;
    uhi_message_restore(&message);
}

uh_status uhi_engine_fetch(const struct uhi_engine *engine, void *to, const void *from, size_t bytes) {
    uh_status status = uh_memcpy(engine->queue, to, from, bytes, NULL);
    if (!status)
        status = uh_queue_wait(engine->queue);
    if (status)
        uhi_queue_drain(engine->queue);
    return status;
}

uh_status uhi_engine_scratch(struct uhi_engine *engine, size_t bytes, void **memory) {
    if (bytes > engine->scratch_bytes) {
        uhi_queue_drain(engine->queue); /* earlier work may still use it */
        uhi_free(engine->scratch);
        engine->scratch = NULL;
        engine->scratch_bytes = 0;
        UHI_TRY(uh_malloc(engine->device, UH_MEMORY_DEVICE, bytes, 0, &engine->scratch));
        engine->scratch_bytes = bytes;
    }
    *memory = engine->scratch;
    return UH_SUCCESS;
}

/* ---- group size and number of groups ---- */

uint64_t uhi_power_of_two(uint64_t a) {
    uint64_t power = 1;
    while (power <= a / 2)
        power *= 2;
    return power;
}

size_t uhi_group_size(const uh_device_properties *device) {
    return uhi_power_of_two(device->max_group_size < MAX_GROUP_SIZE ? device->max_group_size : MAX_GROUP_SIZE);
}

size_t uhi_groups_to_fill(const uh_device_properties *device, size_t group_size) {
    uint32_t lanes = 0;
    for (size_t i = 0; i < sizeof device->sub_group_sizes / sizeof *device->sub_group_sizes; i++)
        lanes = device->sub_group_sizes[i] > lanes ? device->sub_group_sizes[i] : lanes;
    const uint64_t items = (uint64_t)device->threads * (lanes > 1 ? lanes : DEFAULT_SUB_GROUP);
    const uint64_t groups = (items + group_size - 1) / group_size;
    return groups < 1 ? 1 : groups < UHI_MAX_GROUPS ? groups : UHI_MAX_GROUPS;
}

size_t uhi_engine_group_size(const struct uhi_engine *engine) {
    const size_t asked = engine->geometry.group_size;
    return asked && asked <= engine->properties.max_group_size ? asked : uhi_group_size(&engine->properties);
}

size_t uhi_engine_groups(const struct uhi_engine *engine, size_t group_size) {
    const uint64_t items = (uint64_t)engine->geometry.groups * uhi_engine_group_size(engine);
    const uint64_t groups = items / group_size;
    if (!items)
        return uhi_groups_to_fill(&engine->properties, group_size);
    return groups < 1 ? 1 : groups < UHI_MAX_GROUPS ? groups : UHI_MAX_GROUPS;
}

size_t uhi_groups_for(size_t groups, size_t group_size, size_t n) {
    const size_t minimum = in_trial ? TRIED_GROUPS : 1, worth = n / (group_size * (in_trial ? 1 : VALUES_AN_ITEM)),
                 wanted = worth < minimum ? minimum : worth;
    return wanted < groups ? wanted : groups;
}

/* ---- location of pointers ---- */

uh_status uhi_engine_locate(const struct uhi_engine *engine, const char *call, const char *argument,
                            const void *pointer, enum uhi_location *place) {
    uh_pointer_info info;
    UHI_TRY(uhi_fail_of(call, uhi_memory_find(engine->device, pointer, &info)));
    *place = UHI_PLAIN_HOST;
    if (info.kind == UH_MEMORY_UNKNOWN)
        return UH_SUCCESS;
    if (uhi_memory_reaches(engine->device, &info))
        *place = info.kind == UH_MEMORY_DEVICE ? UHI_DEVICE_ONLY : UHI_REACHABLE;
    else if (info.kind == UH_MEMORY_DEVICE && uhi_device_is_lost(info.device))
        return uhi_fail(UH_ERROR_DEVICE_LOST, call, argument, "is device memory of %s, which is lost",
                        info.device->properties.selector);
    else if (info.kind == UH_MEMORY_DEVICE && info.device->backend->module_create)
        return uhi_fail_argument(call, argument, "is device memory of %s, expected memory of %s or the host's",
                                 info.device->properties.selector, engine->properties.selector);
    return UH_SUCCESS;
}

/* ---- import of host memory by the driver ---- */

size_t uhi_import_min = (size_t)16 << 20; /* maximum size of a ring buffer */

int uhi_engine_import(struct uhi_engine *engine, const void *first, size_t bytes) {
    const struct uhi_backend *backend = engine->device->backend;
    if (bytes < uhi_import_min || !backend->import)
        return 0;
    for (size_t i = 0; i < engine->import_count; i++)
        if (engine->imports[i].first == first && engine->imports[i].bytes == bytes)
            return 1;
    if (engine->import_count == sizeof engine->imports / sizeof *engine->imports ||
        !backend->import(engine->device, first, bytes))
        return 0;
    engine->imports[engine->import_count++] = (struct uhi_imported){first, bytes};
    return 1;
}

uh_status uhi_engine_release(struct uhi_engine *engine, uh_status status) {
    if (engine->import_count == 0)
        return status;
    if (!status)
        status = uhi_ring_drain(engine);
    if (status)
        uhi_engine_quiesce(engine);
    drop_imports(engine);
    return status;
}
