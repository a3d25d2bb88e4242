/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime adds to a small job on a device: the same by the library, and by Level Zero alone, in the least
 * costly ways that keep jobs in order in an immediate command list. */
#include "perf/bench.h"

#ifdef UNIHIST_LEVEL_ZERO
#include <unihist/ze.h>

#include "jobs_runtime.cl.h"
#include "runtime/ze_newer.h"

#include <dlfcn.h>
#endif

/* A launch is of a kernel that does nothing; a copy from plain host memory; an event is that of a launch, and the wait
 * for it. */
enum job { LAUNCH, COPY, EVENT, JOBS };

enum { BYTES = 4096, BATCH_MAX = 10000, GROUP = 64 };

/* Of perf/jobs_runtime.cl. */
#define KERNEL "empty"

struct work {
    uh_queue *queue;
    uh_module *module; /* NULL on the host */
    uh_kernel *kernel;
    void *to, *usm;
    unsigned char plain[BYTES];
    struct bare *bare; /* NULL on the host device */
};

static const struct {
    const char *name, *text;
} jobs[JOBS] = {
    [LAUNCH] = {"launch", "launch of a kernel that does nothing, group size and arguments set"},
    [COPY] = {"copy", "copy of 4 KiB from plain host memory to the device"},
    [EVENT] = {"event", "launch with an event, wait for it, end of the event"},
};

const char *perf_job_word(unsigned index) { return index < JOBS ? jobs[index].name : NULL; }

/* ---- the library ------------------------------------------------------------------------------------------------ */

static void launch(struct work *work, uh_event **event) {
    const uh_nd_range range = {.dims = 1, .global = {GROUP}, .local = {GROUP}};
    const uint32_t n = GROUP;
    const uh_arg args[] = {uh_arg_pointer(work->to), uh_arg_pointer(work->usm), uh_arg_value(&n, sizeof n)};
    perf_check(uh_parallel_for(work->queue, work->kernel, &range, args, 3, &(uh_submission){.event = event}));
}

static void launch_and_wait(struct work *work) {
    uh_event *event;
    launch(work, &event);
    perf_check(uh_event_wait(event, UINT64_MAX));
    uh_event_destroy(event);
}

static void run(struct perf_subject *subject) {
    struct work *work = subject->work;
    for (size_t i = 0; i < subject->what->calls; i++)
        switch ((enum job)subject->what->shape) {
        case COPY: perf_check(uh_memcpy(work->queue, work->to, work->plain, BYTES, NULL)); break;
        case EVENT: launch_and_wait(work); break;
        default: launch(work, NULL); break;
        }
}

static void finish(struct perf_subject *subject) { perf_check(uh_queue_wait(((struct work *)subject->work)->queue)); }

static const struct perf_subject library = {.name = "unihist", .threads = 1, .run = run, .check = finish};

/* ---- bare calls ------------------------------------------------------------------------------------------------- */

#ifdef UNIHIST_LEVEL_ZERO

/* How commands are kept in order: by a barrier before each, by an event of each, for which the next one waits, or by an
 * in-order list. */
enum order { BARRIER, CHAIN, LIST };

struct bare {
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    ze_command_list_handle_t in_order; /* NULL if the driver has none */
    ze_event_pool_handle_t pool;
    ze_event_handle_t chain[BATCH_MAX]; /* made when first needed */
    size_t chain_made, chain_used;      /* the latter since the last wait */
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    void *to, *usm;
    unsigned char plain[BYTES];
};

/* Each call keeps its function's address. */
#define CALL(function, ...)                                                                                            \
    do {                                                                                                               \
        static __typeof__(&(function)) address;                                                                        \
        if (!address)                                                                                                  \
            find_function(#function, &address);                                                                        \
        check_result(address(__VA_ARGS__), #function);                                                                 \
    } while (0)

/* Opened anew, so that nothing of the library is in between. It stays open: the library uses it too. */
static void *loader;

static void find_function(const char *name, void *address) {
    void *found = dlsym(loader, name);
    if (!found)
        perf_fail("libze_loader.so.1 has no %s", name);
    memcpy(address, &found, sizeof found);
}

static void check_result(ze_result_t result, const char *function) {
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

static void set_kernel(struct bare *bare) {
    const uint32_t n = GROUP;
    CALL(zeKernelSetGroupSize, bare->kernel, GROUP, 1, 1);
    CALL(zeKernelSetArgumentValue, bare->kernel, 0, sizeof bare->to, &bare->to);
    CALL(zeKernelSetArgumentValue, bare->kernel, 1, sizeof bare->usm, &bare->usm);
    CALL(zeKernelSetArgumentValue, bare->kernel, 2, sizeof n, &n);
}

static void create_kernel(struct bare *bare, const uh_program *program) {
    const ze_kernel_desc_t description = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = KERNEL};
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

static ze_event_handle_t create_event(struct bare *bare, size_t index) {
    ze_event_handle_t event;
    const ze_event_desc_t description = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                         .index = (uint32_t)index,
                                         .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                         .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    CALL(zeEventCreate, bare->pool, &description, &event);
    return event;
}

static void wait_and_destroy(ze_event_handle_t event) {
    CALL(zeEventHostSynchronize, event, UINT64_MAX);
    CALL(zeEventDestroy, event);
}

static void finish_bare(struct bare *bare) {
    if (bare->in_order)
        CALL(zeCommandListHostSynchronize, bare->in_order, UINT64_MAX);
    ze_event_handle_t event = create_event(bare, 0);
    CALL(zeCommandListAppendBarrier, bare->list, event, 0, NULL);
    wait_and_destroy(event);
    for (; bare->chain_used > 0; bare->chain_used--)
        CALL(zeEventHostReset, bare->chain[bare->chain_used - 1]);
}

/* In a context of its own on the same device. Fails for a device that is not Level Zero's. */
static struct bare *create_bare(const uh_device *device, const uh_program *program) {
    struct bare *bare = perf_memory(1, sizeof *bare);
    const ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const ze_event_pool_desc_t pool = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = BATCH_MAX + 1};
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
    CALL(zeMemAllocDevice, bare->context, &to, BYTES, 64, bare->device, &bare->to);
    CALL(zeMemAllocHost, bare->context, &usm, BYTES, 64, &bare->usm);
    create_kernel(bare, program);
    return bare;
}

static void destroy_bare(struct bare *bare) {
    if (!bare)
        return;
    finish_bare(bare);
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

/* The list of a command, and the events that it waits for and signals. */
struct link {
    ze_command_list_handle_t list;
    ze_event_handle_t signal, *waits;
    uint32_t nwaits;
};

/* The link of the next command, which is to follow the one before. */
static struct link keep_order(struct bare *bare, enum order order) {
    const size_t used = bare->chain_used;
    if (order == BARRIER)
        CALL(zeCommandListAppendBarrier, bare->list, NULL, 0, NULL);
    if (order != CHAIN)
        return (struct link){order == LIST ? bare->in_order : bare->list, NULL, NULL, 0};
    if (used == BATCH_MAX)
        perf_fail("more than %d commands before a wait", BATCH_MAX);
    if (used == bare->chain_made)
        bare->chain[bare->chain_made++] = create_event(bare, used + 1);
    bare->chain_used++;
    return (struct link){bare->list, bare->chain[used], used ? &bare->chain[used - 1] : NULL, used > 0};
}

static void append(struct bare *bare, enum job job, struct link link) {
    const ze_group_count_t groups = {1, 1, 1};
    if (job == COPY)
        CALL(zeCommandListAppendMemoryCopy, link.list, bare->to, bare->plain, BYTES, link.signal, link.nwaits,
             link.waits);
    else
        CALL(zeCommandListAppendLaunchKernel, link.list, bare->kernel, &groups, link.signal, link.nwaits, link.waits);
}

/* Nothing was submitted since the last wait, so nothing has to be kept in order. */
static void launch_and_wait_bare(struct bare *bare) {
    const struct link link = {bare->list, create_event(bare, 0), NULL, 0};
    set_kernel(bare);
    append(bare, EVENT, link);
    wait_and_destroy(link.signal);
}

static void run_bare(struct perf_subject *subject) {
    struct bare *bare = ((struct work *)subject->work)->bare;
    const enum job job = (enum job)subject->what->shape;
    for (size_t i = 0; i < subject->what->calls; i++) {
        if (job == EVENT) {
            launch_and_wait_bare(bare);
            continue;
        }
        if (job == LAUNCH)
            set_kernel(bare);
        append(bare, job, keep_order(bare, (enum order)subject->choice));
    }
}

static void check_bare(struct perf_subject *subject) { finish_bare(((struct work *)subject->work)->bare); }

#define BARE(name_, order)                                                                                             \
    { .name = (name_), .role = PERF_BASELINE, .threads = 1, .choice = (order), .run = run_bare, .check = check_bare }

static const struct perf_subject bare_ways[] = {BARE("bare", CHAIN), BARE("bare-barrier", BARRIER),
                                                BARE("bare-chain", CHAIN), BARE("bare-in-order", LIST)};

/* A job that ends before the next begins is in order by itself. */
static void pick_bare(const struct perf_case *what, struct perf_subject *picked, size_t *count) {
    const int event = what->shape == EVENT;
    const size_t end = event ? 1 : has_in_order_lists(open_loader(what->device->device).driver) ? 4 : 3;
    for (size_t i = event ? 0 : 1; i < end; i++)
        picked[(*count)++] = bare_ways[i];
}

static void begin_device(struct work *work, const struct perf_device *device) {
    perf_check(uh_module_create(device->device, &uh_program_jobs_runtime, NULL, &work->module) ||
               uh_kernel_get(work->module, KERNEL, &work->kernel));
    work->bare = create_bare(device->device, &uh_program_jobs_runtime);
}
#endif

static void pick(const struct perf_case *what, struct perf_subject *picked, size_t *count) {
    picked[0] = library;
    *count = 1;
#ifdef UNIHIST_LEVEL_ZERO
    if (!what->device->host)
        pick_bare(what, picked, count);
#endif
    for (size_t i = 0; i < *count; i++)
        snprintf(picked[i].note, sizeof picked[i].note, "%s", jobs[what->shape].text);
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

/* A launch may take a fifth longer than the fastest bare calls, or a microsecond if that is more. */
static const struct perf_goal of_launch[] = {
    {PERF_GOAL_BASELINE, "x bare", "unihist", NULL, 1, .floor = 1.2, .slack = 1e-6, .shapes = 1 << LAUNCH},
    {.unit = NULL}};

static void list(struct perf_bench *bench) {
    for (int i = 0; i < JOBS; i++) {
        struct perf_case what = {.operation = &uhi_perf_runtime,
                                 .unit = PERF_TIMES,
                                 .baseline = "x bare",
                                 .n = 1,
                                 .calls = (size_t)bench->options.batch,
                                 .bytes = i == COPY ? BYTES : 0,
                                 .shape = i};
        if (!(bench->options.jobs >> i & 1))
            continue;
        snprintf(what.name, sizeof what.name, "runtime/%s/*", jobs[i].name);
        if (i == LAUNCH) {
            what.title = "a launch";
            what.goals = of_launch;
        }
        perf_add_case(bench, &what);
    }
}

static void do_nothing(__attribute__((unused)) const uh_work_group *group, __attribute__((unused)) void *const *args) {}

static void begin(struct perf_bench *bench, void *shared) {
    struct work *work = shared;
    const struct perf_device *device = &bench->device;
    char text[128];
    snprintf(text, sizeof text, "%.0f jobs are submitted and timed at once, then waited for%s", bench->options.batch,
             device->host ? "; there is no Level Zero device, so there is nothing to compare with" : "");
    perf_report_fact("batch", text);
    perf_check(uh_queue_create(device->device, NULL, &work->queue) ||
               uh_malloc(device->device, UH_MEMORY_DEVICE, BYTES, 0, &work->to) ||
               uh_malloc(device->device, UH_MEMORY_HOST, BYTES, 0, &work->usm));
    if (device->host)
        perf_check(uh_kernel_create_host(KERNEL, do_nothing, &work->kernel));
#ifdef UNIHIST_LEVEL_ZERO
    else
        begin_device(work, device);
#endif
}

static void end(void *shared) {
    struct work *work = shared;
#ifdef UNIHIST_LEVEL_ZERO
    destroy_bare(work->bare);
#endif
    uh_queue_wait(work->queue);
    if (!work->module)
        uh_kernel_destroy(work->kernel);
    uh_module_destroy(work->module);
    uh_free(work->usm);
    uh_free(work->to);
    uh_queue_destroy(work->queue);
}

const struct perf_operation uhi_perf_runtime = {
    .name = "runtime",
    .about =
        "runtime: the host's time for small jobs on a device through the runtime, and by bare Level Zero calls that\n"
        "do the same in order: what the runtime adds. On the host device there is nothing to compare with.",
    .options = "runtime",
    .work_size = sizeof(struct work),
    .free_threads = 1,
    .list = list,
    .pick = pick,
    .begin = begin,
    .end = end};
