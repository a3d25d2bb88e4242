/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs by Level Zero alone, in the least costly ways that keep them in order in an immediate command list. The
 * loader is opened here anew, so that nothing of the library is in between. */
#include "perf/jobs_runtime.h"

#include <unihist/ze.h>

#include "runtime/ze_newer.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct perf_bare {
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    ze_command_list_handle_t in_order; /* NULL if the driver has none */
    ze_event_pool_handle_t pool;
    ze_event_handle_t chain[PERF_JOB_BATCH_MAX]; /* made when first needed */
    size_t chain_made, chain_used;               /* the latter since the last wait */
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    void *to, *usm;
    unsigned char plain[PERF_JOB_BYTES];
};

/* Each call keeps its function's address. */
#define CALL(function, ...)                                                                                            \
    do {                                                                                                               \
        static __typeof__(&(function)) address;                                                                        \
        if (!address)                                                                                                  \
            find_function(#function, &address);                                                                        \
        check(address(__VA_ARGS__), #function);                                                                        \
    } while (0)

static void *loader; /* stays open: the library uses it too */

static void find_function(const char *name, void *address) {
    void *found = dlsym(loader, name);
    if (!found)
        perf_fail("libze_loader.so.1 has no %s", name);
    memcpy(address, &found, sizeof found);
}

static void check(ze_result_t result, const char *function) {
    if (result != ZE_RESULT_SUCCESS)
        perf_fail("bare %s failed: 0x%x", function, (unsigned)result);
}

/* Opens the loader. Returns the driver's handles of a device of the library. */
static uh_ze_handles open_loader(const uh_device *device) {
    uh_ze_handles handles = {.struct_size = sizeof handles};
    loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!loader)
        perf_fail("%s", dlerror());
    CALL(zeInit, 0);
    perf_check(uh_device_ze(device, &handles));
    return handles;
}

/* ---- making and ending it --------------------------------------------------------------------------------------- */

static void set_kernel(struct perf_bare *bare) {
    const uint32_t n = PERF_JOB_GROUP;
    CALL(zeKernelSetGroupSize, bare->kernel, PERF_JOB_GROUP, 1, 1);
    CALL(zeKernelSetArgumentValue, bare->kernel, 0, sizeof bare->to, &bare->to);
    CALL(zeKernelSetArgumentValue, bare->kernel, 1, sizeof bare->usm, &bare->usm);
    CALL(zeKernelSetArgumentValue, bare->kernel, 2, sizeof n, &n);
}

static void create_kernel(struct perf_bare *bare, const uh_program *program) {
    const ze_kernel_desc_t description = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = PERF_JOB_KERNEL};
    const ze_module_desc_t module = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                     .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                     .inputSize = program->spirv_size,
                                     .pInputModule = program->spirv,
                                     .pBuildFlags = ""};
    CALL(zeModuleCreate, bare->context, bare->device, &module, &bare->module, NULL);
    CALL(zeKernelCreate, bare->module, &description, &bare->kernel);
    set_kernel(bare);
}

static int has_in_order_lists(ze_driver_handle_t driver) {
    enum { MAX = 256 };
    static ze_driver_extension_properties_t all[MAX];
    uint32_t count = MAX;
    int found = 0;
    if (!dlsym(loader, "zeCommandListHostSynchronize"))
        return 0;
    CALL(zeDriverGetExtensionProperties, driver, &count, all);
    for (uint32_t i = 0; i < count; i++)
        found |= strcmp(all[i].name, ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME) == 0;
    return found;
}

int perf_bare_has_in_order_lists(const uh_device *device) { return has_in_order_lists(open_loader(device).driver); }

struct perf_bare *perf_bare_create(const uh_device *device, const uh_program *program) {
    struct perf_bare *bare = perf_memory(1, sizeof *bare);
    const ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const ze_event_pool_desc_t pool = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                       .count = PERF_JOB_BATCH_MAX + 1};
    const ze_device_mem_alloc_desc_t to = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t usm = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    const uh_ze_handles handles = open_loader(device);
    bare->device = handles.device;
    CALL(zeContextCreate, handles.driver, &context, &bare->context);
    CALL(zeCommandListCreateImmediate, bare->context, bare->device, &queue, &bare->list);
    queue.flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER;
    if (has_in_order_lists(handles.driver))
        CALL(zeCommandListCreateImmediate, bare->context, bare->device, &queue, &bare->in_order);
    CALL(zeEventPoolCreate, bare->context, &pool, 1, &bare->device, &bare->pool);
    CALL(zeMemAllocDevice, bare->context, &to, PERF_JOB_BYTES, 64, bare->device, &bare->to);
    CALL(zeMemAllocHost, bare->context, &usm, PERF_JOB_BYTES, 64, &bare->usm);
    create_kernel(bare, program);
    return bare;
}

void perf_bare_destroy(struct perf_bare *bare) {
    if (!bare)
        return;
    perf_bare_finish(bare);
    CALL(zeKernelDestroy, bare->kernel);
    CALL(zeModuleDestroy, bare->module);
    CALL(zeMemFree, bare->context, bare->usm);
    CALL(zeMemFree, bare->context, bare->to);
    while (bare->chain_made)
        CALL(zeEventDestroy, bare->chain[--bare->chain_made]);
    CALL(zeEventPoolDestroy, bare->pool);
    if (bare->in_order)
        CALL(zeCommandListDestroy, bare->in_order);
    CALL(zeCommandListDestroy, bare->list);
    CALL(zeContextDestroy, bare->context);
    free(bare);
}

/* ---- the jobs --------------------------------------------------------------------------------------------------- */

static ze_event_handle_t create_event(struct perf_bare *bare, size_t index) {
    ze_event_handle_t event;
    const ze_event_desc_t description = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                         .index = (uint32_t)index,
                                         .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                         .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    CALL(zeEventCreate, bare->pool, &description, &event);
    return event;
}

/* The list of a command, and the events that it waits for and signals. */
struct link {
    ze_command_list_handle_t list;
    ze_event_handle_t signal, *waits;
    uint32_t nwaits;
};

/* The link of the next command, which is to follow the one before. */
static struct link keep_order(struct perf_bare *bare, enum perf_order order) {
    const size_t used = bare->chain_used;
    if (order == PERF_ORDER_BARRIER)
        CALL(zeCommandListAppendBarrier, bare->list, NULL, 0, NULL);
    if (order != PERF_ORDER_CHAIN)
        return (struct link){order == PERF_ORDER_LIST ? bare->in_order : bare->list, NULL, NULL, 0};
    if (used == PERF_JOB_BATCH_MAX)
        perf_fail("more than %d commands before a wait", PERF_JOB_BATCH_MAX);
    if (used == bare->chain_made)
        bare->chain[bare->chain_made++] = create_event(bare, used + 1);
    bare->chain_used++;
    return (struct link){bare->list, bare->chain[used], used ? &bare->chain[used - 1] : NULL, used > 0};
}

static void append(struct perf_bare *bare, enum perf_job job, struct link link) {
    const ze_group_count_t groups = {1, 1, 1};
    if (job == PERF_JOB_COPY)
        CALL(zeCommandListAppendMemoryCopy, link.list, bare->to, bare->plain, PERF_JOB_BYTES, link.signal, link.nwaits,
             link.waits);
    else
        CALL(zeCommandListAppendLaunchKernel, link.list, bare->kernel, &groups, link.signal, link.nwaits, link.waits);
}

static void wait_and_destroy(ze_event_handle_t event) {
    CALL(zeEventHostSynchronize, event, UINT64_MAX);
    CALL(zeEventDestroy, event);
}

/* Nothing was submitted since the last wait, so nothing has to be kept in order. */
static void launch_and_wait(struct perf_bare *bare) {
    const struct link link = {bare->list, create_event(bare, 0), NULL, 0};
    set_kernel(bare);
    append(bare, PERF_JOB_EVENT, link);
    wait_and_destroy(link.signal);
}

void perf_bare_run(struct perf_bare *bare, enum perf_job job, enum perf_order order, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (job == PERF_JOB_EVENT) {
            launch_and_wait(bare);
            continue;
        }
        if (job == PERF_JOB_LAUNCH)
            set_kernel(bare);
        append(bare, job, keep_order(bare, order));
    }
}

void perf_bare_finish(struct perf_bare *bare) {
    if (bare->in_order)
        CALL(zeCommandListHostSynchronize, bare->in_order, UINT64_MAX);
    ze_event_handle_t event = create_event(bare, 0);
    CALL(zeCommandListAppendBarrier, bare->list, event, 0, NULL);
    wait_and_destroy(event);
    for (; bare->chain_used > 0; bare->chain_used--)
        CALL(zeEventHostReset, bare->chain[bare->chain_used - 1]);
}
