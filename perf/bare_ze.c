/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs by Level Zero alone, in the least costly ways that keep them in order in an immediate command list. The
 * loader is opened here anew, so that nothing of the library is in between. */
#include "perf/jobs_runtime.h"

#include "runtime/ze_newer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(X)                                                                                                   \
    X(zeInit)                                                                                                          \
    X(zeDriverGet)                                                                                                     \
    X(zeDriverGetExtensionProperties)                                                                                  \
    X(zeDeviceGet)                                                                                                     \
    X(zeDeviceGetSubDevices)                                                                                           \
    X(zeDeviceGetProperties)                                                                                           \
    X(zeContextCreate)                                                                                                 \
    X(zeContextDestroy)                                                                                                \
    X(zeCommandListCreateImmediate)                                                                                    \
    X(zeCommandListDestroy)                                                                                            \
    X(zeCommandListAppendBarrier)                                                                                      \
    X(zeCommandListAppendMemoryCopy)                                                                                   \
    X(zeCommandListAppendLaunchKernel)                                                                                 \
    X(zeEventPoolCreate)                                                                                               \
    X(zeEventPoolDestroy)                                                                                              \
    X(zeEventCreate)                                                                                                   \
    X(zeEventDestroy)                                                                                                  \
    X(zeEventHostSynchronize)                                                                                          \
    X(zeEventHostReset)                                                                                                \
    X(zeMemAllocDevice)                                                                                                \
    X(zeMemAllocHost)                                                                                                  \
    X(zeMemFree)                                                                                                       \
    X(zeModuleCreate)                                                                                                  \
    X(zeModuleDestroy)                                                                                                 \
    X(zeKernelCreate)                                                                                                  \
    X(zeKernelDestroy)                                                                                                 \
    X(zeKernelSetGroupSize)                                                                                            \
    X(zeKernelSetArgumentValue)

struct functions {
#define MEMBER(name) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
    MEMBER(zeCommandListHostSynchronize) /* NULL where the loader has none */
#undef MEMBER
};

struct perf_bare {
    void *loader;
    struct functions ze;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    ze_command_list_handle_t in_order; /* NULL where the driver has none */
    ze_event_pool_handle_t pool;
    ze_event_handle_t chain[PERF_JOB_BATCH_MAX]; /* made when first needed */
    size_t chain_made, chain_used;               /* the latter since the last wait */
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    void *to, *usm;
    unsigned char plain[PERF_JOB_BYTES];
};

/* Calls a function and gives PERF_OK or what perf_fail returned. As these are 0 and 1, || goes on until one fails, and
 * gives them too. */
#define CALL(bare, error, function, ...) check((bare)->ze.function(__VA_ARGS__), #function, error)

static int check(ze_result_t result, const char *function, struct perf_error *error) {
    return result == ZE_RESULT_SUCCESS ? PERF_OK : perf_fail(error, "bare %s failed: 0x%x", function, (unsigned)result);
}

/* ---- finding the device ----------------------------------------------------------------------------------------- */

static int open_loader(struct perf_bare *bare, struct perf_error *error) {
    bare->loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!bare->loader)
        return perf_fail(error, "%s", dlerror());
    const char *missing = NULL;
#define FIND(name)                                                                                                     \
    {                                                                                                                  \
        void *address = dlsym(bare->loader, #name);                                                                    \
        memcpy(&bare->ze.name, &address, sizeof address);                                                              \
    }
#define DEMAND(name) missing = bare->ze.name ? missing : #name;
    FUNCTIONS(FIND)
    FIND(zeCommandListHostSynchronize)
    FUNCTIONS(DEMAND)
#undef FIND
#undef DEMAND
    if (missing)
        return perf_fail(error, "libze_loader.so.1 has no %s", missing);
    return CALL(bare, error, zeInit, 0);
}

static int check_name(struct perf_bare *bare, const uh_device_properties *wanted, struct perf_error *error) {
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    if (CALL(bare, error, zeDeviceGetProperties, bare->device, &properties))
        return PERF_FAILURE;
    if (strncmp(properties.name, wanted->name, sizeof wanted->name - 1) == 0)
        return PERF_OK;
    return perf_fail(error, "%s is called %s by the library and %s by its driver", wanted->selector, wanted->name,
                     properties.name);
}

/* Finds the device whose name the library gives, at its place: number `index` of all drivers' devices. */
static int find_device(struct perf_bare *bare, const uh_device_properties *wanted, ze_driver_handle_t *driver,
                       struct perf_error *error) {
    enum { MAX = 64 };
    ze_driver_handle_t drivers[MAX];
    ze_device_handle_t devices[MAX];
    static const char prefix[] = "level_zero:";
    uint32_t driver_count = MAX;
    if (strncmp(wanted->selector, prefix, sizeof prefix - 1) != 0)
        return perf_fail(error, "%s is no Level Zero device", wanted->selector);
    char *end;
    unsigned long index = strtoul(wanted->selector + sizeof prefix - 1, &end, 10), tile = 0;
    int is_tile = *end == '.';
    if (is_tile)
        tile = strtoul(end + 1, NULL, 10);
    if (CALL(bare, error, zeDriverGet, &driver_count, drivers))
        return PERF_FAILURE;
    for (uint32_t d = 0; d < driver_count; d++) {
        uint32_t count = MAX;
        if (CALL(bare, error, zeDeviceGet, drivers[d], &count, devices))
            return PERF_FAILURE;
        if (index >= count) {
            index -= count;
            continue;
        }
        *driver = drivers[d];
        bare->device = devices[index];
        count = MAX;
        if (is_tile && CALL(bare, error, zeDeviceGetSubDevices, bare->device, &count, devices))
            return PERF_FAILURE;
        if (is_tile && tile < count)
            bare->device = devices[tile];
        return check_name(bare, wanted, error);
    }
    return perf_fail(error, "Level Zero has no device %s", wanted->selector);
}

/* ---- making and ending it --------------------------------------------------------------------------------------- */

static int set_kernel(struct perf_bare *bare, struct perf_error *error) {
    const uint32_t n = PERF_JOB_GROUP;
    return CALL(bare, error, zeKernelSetGroupSize, bare->kernel, PERF_JOB_GROUP, 1, 1) ||
           CALL(bare, error, zeKernelSetArgumentValue, bare->kernel, 0, sizeof bare->to, &bare->to) ||
           CALL(bare, error, zeKernelSetArgumentValue, bare->kernel, 1, sizeof bare->usm, &bare->usm) ||
           CALL(bare, error, zeKernelSetArgumentValue, bare->kernel, 2, sizeof n, &n);
}

static int create_kernel(struct perf_bare *bare, const uh_program *program, struct perf_error *error) {
    const ze_kernel_desc_t description = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = PERF_JOB_KERNEL};
    const ze_module_desc_t module = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                     .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                     .inputSize = program->spirv_size,
                                     .pInputModule = program->spirv,
                                     .pBuildFlags = ""};
    return CALL(bare, error, zeModuleCreate, bare->context, bare->device, &module, &bare->module, NULL) ||
           CALL(bare, error, zeKernelCreate, bare->module, &description, &bare->kernel) || set_kernel(bare, error);
}

static int has_in_order_lists(struct perf_bare *bare, ze_driver_handle_t driver) {
    enum { MAX = 256 };
    static ze_driver_extension_properties_t all[MAX];
    struct perf_error ignored;
    uint32_t count = MAX;
    int found = 0;
    if (!bare->ze.zeCommandListHostSynchronize ||
        CALL(bare, &ignored, zeDriverGetExtensionProperties, driver, &count, all))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        found |= strcmp(all[i].name, ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME) == 0;
    return found;
}

static int create_in_order(struct perf_bare *bare, ze_driver_handle_t driver, struct perf_error *error) {
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                           .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                           .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    if (!has_in_order_lists(bare, driver))
        return PERF_OK;
    return CALL(bare, error, zeCommandListCreateImmediate, bare->context, bare->device, &queue, &bare->in_order);
}

static int create_objects(struct perf_bare *bare, ze_driver_handle_t driver, const uh_program *program,
                          struct perf_error *error) {
    const ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                           .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const ze_event_pool_desc_t pool = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                       .count = PERF_JOB_BATCH_MAX + 1};
    const ze_device_mem_alloc_desc_t to = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t usm = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    return CALL(bare, error, zeContextCreate, driver, &context, &bare->context) ||
           CALL(bare, error, zeCommandListCreateImmediate, bare->context, bare->device, &queue, &bare->list) ||
           create_in_order(bare, driver, error) ||
           CALL(bare, error, zeEventPoolCreate, bare->context, &pool, 1, &bare->device, &bare->pool) ||
           CALL(bare, error, zeMemAllocDevice, bare->context, &to, PERF_JOB_BYTES, 64, bare->device, &bare->to) ||
           CALL(bare, error, zeMemAllocHost, bare->context, &usm, PERF_JOB_BYTES, 64, &bare->usm) ||
           create_kernel(bare, program, error);
}

int perf_bare_has_in_order_lists(const uh_device_properties *device) {
    struct perf_error ignored;
    ze_driver_handle_t driver = NULL;
    struct perf_bare *bare = calloc(1, sizeof *bare);
    int has = bare && !open_loader(bare, &ignored) && !find_device(bare, device, &driver, &ignored) &&
              has_in_order_lists(bare, driver);
    perf_bare_destroy(bare);
    return has;
}

int perf_bare_create(const uh_device_properties *device, const uh_program *program, struct perf_bare **bare,
                     struct perf_error *error) {
    ze_driver_handle_t driver = NULL;
    struct perf_bare *made = calloc(1, sizeof *made);
    if (!made)
        return perf_fail(error, "out of memory");
    if (open_loader(made, error) || find_device(made, device, &driver, error) ||
        create_objects(made, driver, program, error)) {
        perf_bare_destroy(made);
        return PERF_FAILURE;
    }
    *bare = made;
    return PERF_OK;
}

/* The loader stays open: the library uses it too. */
void perf_bare_destroy(struct perf_bare *bare) {
    struct perf_error ignored;
    if (!bare)
        return;
    if (bare->pool && bare->list)
        perf_bare_finish(bare, &ignored);
    if (bare->kernel)
        bare->ze.zeKernelDestroy(bare->kernel);
    if (bare->module)
        bare->ze.zeModuleDestroy(bare->module);
    if (bare->usm)
        bare->ze.zeMemFree(bare->context, bare->usm);
    if (bare->to)
        bare->ze.zeMemFree(bare->context, bare->to);
    while (bare->chain_made)
        bare->ze.zeEventDestroy(bare->chain[--bare->chain_made]);
    if (bare->pool)
        bare->ze.zeEventPoolDestroy(bare->pool);
    if (bare->in_order)
        bare->ze.zeCommandListDestroy(bare->in_order);
    if (bare->list)
        bare->ze.zeCommandListDestroy(bare->list);
    if (bare->context)
        bare->ze.zeContextDestroy(bare->context);
    free(bare);
}

/* ---- the jobs --------------------------------------------------------------------------------------------------- */

static int create_event(struct perf_bare *bare, uint32_t index, ze_event_handle_t *event, struct perf_error *error) {
    const ze_event_desc_t description = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                         .index = index,
                                         .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                         .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    return CALL(bare, error, zeEventCreate, bare->pool, &description, event);
}

/* The list of a command, and what it waits for and signals. */
struct link {
    ze_command_list_handle_t list;
    ze_event_handle_t signal, *waits;
    uint32_t nwaits;
};

/* Puts the next command behind the one before. */
static int keep_order(struct perf_bare *bare, enum perf_order order, struct link *link, struct perf_error *error) {
    size_t used = bare->chain_used;
    *link = (struct link){order == PERF_ORDER_LIST ? bare->in_order : bare->list, NULL, NULL, 0};
    if (order == PERF_ORDER_LIST)
        return PERF_OK;
    if (order == PERF_ORDER_BARRIER)
        return CALL(bare, error, zeCommandListAppendBarrier, bare->list, NULL, 0, NULL);
    if (used == PERF_JOB_BATCH_MAX)
        return perf_fail(error, "more than %d commands before a wait", PERF_JOB_BATCH_MAX);
    if (used == bare->chain_made) {
        if (create_event(bare, (uint32_t)used + 1, &bare->chain[used], error))
            return PERF_FAILURE;
        bare->chain_made++;
    }
    link->signal = bare->chain[used];
    link->waits = used ? &bare->chain[used - 1] : NULL;
    link->nwaits = used > 0;
    bare->chain_used++;
    return PERF_OK;
}

static int append(struct perf_bare *bare, enum perf_job job, const struct link *link, struct perf_error *error) {
    const ze_group_count_t groups = {1, 1, 1};
    if (job == PERF_JOB_COPY)
        return CALL(bare, error, zeCommandListAppendMemoryCopy, link->list, bare->to, bare->plain, PERF_JOB_BYTES,
                    link->signal, link->nwaits, link->waits);
    return CALL(bare, error, zeCommandListAppendLaunchKernel, link->list, bare->kernel, &groups, link->signal,
                link->nwaits, link->waits);
}

static int submit(struct perf_bare *bare, enum perf_job job, enum perf_order order, struct perf_error *error) {
    struct link link;
    return (job == PERF_JOB_LAUNCH && set_kernel(bare, error)) || keep_order(bare, order, &link, error) ||
           append(bare, job, &link, error);
}

static int wait_and_destroy(struct perf_bare *bare, ze_event_handle_t event, struct perf_error *error) {
    struct perf_error ignored;
    int status = CALL(bare, error, zeEventHostSynchronize, event, UINT64_MAX);
    int destroyed = CALL(bare, status == PERF_OK ? error : &ignored, zeEventDestroy, event);
    return status == PERF_OK ? destroyed : status;
}

/* Nothing was submitted since the last wait, so nothing has to be kept in order. */
static int launch_and_wait(struct perf_bare *bare, struct perf_error *error) {
    struct perf_error ignored;
    struct link link = {bare->list, NULL, NULL, 0};
    if (create_event(bare, 0, &link.signal, error))
        return PERF_FAILURE;
    if (!set_kernel(bare, error) && !append(bare, PERF_JOB_EVENT, &link, error))
        return wait_and_destroy(bare, link.signal, error);
    CALL(bare, &ignored, zeEventDestroy, link.signal);
    return PERF_FAILURE;
}

int perf_bare_run(struct perf_bare *bare, enum perf_job job, enum perf_order order, size_t count,
                  struct perf_error *error) {
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && i < count; i++)
        switch (job) {
        case PERF_JOB_EVENT: status = launch_and_wait(bare, error); break;
        default: status = submit(bare, job, order, error); break;
        }
    return status;
}

int perf_bare_finish(struct perf_bare *bare, struct perf_error *error) {
    ze_event_handle_t event;
    int status = PERF_OK;
    if (bare->in_order)
        status = CALL(bare, error, zeCommandListHostSynchronize, bare->in_order, UINT64_MAX);
    if (status == PERF_OK)
        status = create_event(bare, 0, &event, error);
    if (status == PERF_OK) {
        status = CALL(bare, error, zeCommandListAppendBarrier, bare->list, event, 0, NULL);
        status = status == PERF_OK ? wait_and_destroy(bare, event, error) : status;
    }
    for (; status == PERF_OK && bare->chain_used > 0; bare->chain_used--)
        status = CALL(bare, error, zeEventHostReset, bare->chain[bare->chain_used - 1]);
    return status;
}
