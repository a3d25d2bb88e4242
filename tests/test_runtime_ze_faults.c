/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers that fail and devices that are lost, on the driver of tests/soft_gpu: each call that whole uses of the
 * runtime make fails (fault_run.h), and the device is lost at each. */
#include <unihist/ze.h>

#include "runtime/ze.h"
#include "tests/fault_run.h"
#include "tests/fixture.h"
#include "tests/module_cache_fixture.h"

#include "module_kernels.cl.h"

enum { SIZE = 5000, ITEMS = 64 };

static uh_device *device;

#define CALL(function, ...) use_call(use, #function, function(__VA_ARGS__))

/* What a use of queues, memory and events makes. */
struct things {
    uh_queue *queues[2];
    unsigned char *memory[3]; /* device, host, shared */
    uh_event *events[4];
    uh_event_times times;
    unsigned char seen[SIZE];
    uint64_t free_memory;
    struct test_heard heard; /* by the callbacks */
};

static int make_things(struct use *use, struct things *t) {
    static const uh_memory_kind kinds[] = {UH_MEMORY_DEVICE, UH_MEMORY_HOST, UH_MEMORY_SHARED};
    void *pointers[3] = {NULL, NULL, NULL};
    int works = 1;
    for (size_t i = 0; i < 2 && works; i++) {
        const uh_queue_options *options =
            QUEUE_OPTIONS(.profiling = (uint32_t)i, .error_callback = test_hear, .error_user = &t->heard);
        works = CALL(uh_queue_create, device, options, &t->queues[i]);
    }
    for (size_t i = 0; i < 3 && works; i++)
        works = CALL(uh_malloc, device, kinds[i], SIZE, 0, &pointers[i]);
    for (size_t i = 0; i < 3; i++)
        t->memory[i] = pointers[i];
    return works;
}

/* Fills, copies between the queues and reads. */
static int work(struct use *use, struct things *t) {
    static const uint32_t pattern = 0x04030201;
    const size_t all = SIZE / 4 * 4;
    uh_queue *first = t->queues[0], *second = t->queues[1];
    uh_event **events = t->events;
    return CALL(uh_fill, first, t->memory[0], &pattern, 4, SIZE / 4, SIGNAL(&events[0])) &&
           CALL(uh_memcpy, second, t->memory[1], t->memory[0], all, AFTER(&events[0], 1, &events[1])) &&
           CALL(uh_fill, second, t->memory[1] + 1, &pattern, 4, 3, NULL) &&
           CALL(uh_memcpy, second, t->memory[2], t->memory[1], all, SIGNAL(&events[2])) &&
           CALL(uh_event_wait, events[2], UINT64_MAX) && CALL(uh_event_profile, events[1], &t->times) &&
           CALL(uh_memcpy, first, t->seen, t->memory[2], all, AFTER(&events[2], 1, NULL)) &&
           CALL(uh_device_free_memory, device, &t->free_memory) &&
           CALL(uh_memcpy, first, NULL, NULL, 0, SIGNAL(&events[3])) && CALL(uh_queue_wait, first) &&
           CALL(uh_queue_wait, second);
}

static void end_things(struct use *use, struct things *t) {
    /* Work may still use what is destroyed, where a failure has cut the use short. */
    for (size_t i = 0; i < 2; i++)
        if (t->queues[i])
            (void)uh_queue_wait(t->queues[i]);
    for (size_t i = 0; i < 4; i++)
        uh_event_destroy(t->events[i]);
    for (size_t i = 0; i < 2; i++)
        uh_queue_destroy(t->queues[i]);
    for (size_t i = 0; i < 3; i++)
        (void)CALL(uh_free, t->memory[i]);
}

static void use_queues(const void *context, struct outcome *outcome) {
    struct use whole = {.device = device, .computes = 1}, *use = &whole;
    struct things t = {.heard = {.calls = 0}};
    if (make_things(use, &t) && work(use, &t)) {
        for (size_t i = 0; i < SIZE / 4 * 4; i++)
            use_expect(use, t.seen[i] == (i >= 1 && i < 13 ? (i - 1) % 4 : i % 4) + 1, "byte %zu is %u", i, t.seen[i]);
        use_expect(use, t.free_memory > 0, "no memory is free");
        use_expect(use, t.times.submitted <= t.times.started && t.times.started <= t.times.ended, "times");
    }
    end_things(use, &t);
    use_expect(use, t.heard.calls <= 2, "the callbacks of two queues have been called %d times", t.heard.calls);
    *outcome = whole.outcome;
}

/* Modules that are built, from the cache, and from the first one's native binary. The cache has none of them yet, as
 * the options are new to it; the driver compiles what it has compiled before. */
static int make_modules(struct use *use, uh_module *modules[3]) {
    static int uses;
    char optimization[32];
    const int32_t value = 5;
    const uh_constant constant = {4, 4, &value};
    const uh_module_options *options =
        MODULE_OPTIONS(.build_options = optimization, .constants = &constant, .nconstants = 1);
    size_t size = 0;
    snprintf(optimization, sizeof optimization, "-ze-opt-level %d", ++uses);
    if (!CALL(uh_module_create, device, &uh_program_module_kernels, options, &modules[0]) ||
        !CALL(uh_module_create, device, &uh_program_module_kernels, options, &modules[1]) ||
        !CALL(uh_module_native, modules[0], NULL, &size))
        return 0;
    void *binary = malloc(size);
    const int works = CALL(uh_module_native, modules[0], binary, &size) &&
                      CALL(uh_module_create, device, NATIVE(binary, size), NULL, &modules[2]);
    free(binary);
    return works;
}

static int launch(struct use *use, uh_queue *queue, uh_module *const modules[3], uint32_t *out) {
    static const uh_nd_range ranges[] = {{1, {ITEMS}, {0}, {0}}, {1, {ITEMS}, {16}, {0}}, {1, {ITEMS}, {16}, {ITEMS}}};
    for (size_t i = 0; i < 3; i++) {
        const uint32_t value = (uint32_t)i + 1;
        uh_kernel *kernel = NULL;
        if (!CALL(uh_kernel_get, modules[i], "add", &kernel) ||
            !CALL(uh_parallel_for, queue, kernel, &ranges[i], ARGS(uh_arg_pointer(out), VALUE(value)), NULL))
            return 0;
    }
    return CALL(uh_queue_wait, queue);
}

static void use_modules(const void *context, struct outcome *outcome) {
    struct use whole = {.device = device, .computes = 1}, *use = &whole;
    uh_module *modules[3] = {NULL, NULL, NULL};
    uh_queue *queue = NULL;
    void *memory = NULL;
    if (CALL(uh_queue_create, device, NULL, &queue) &&
        CALL(uh_malloc, device, UH_MEMORY_HOST, 2 * ITEMS * sizeof(uint32_t), 0, &memory) &&
        make_modules(use, modules)) {
        uint32_t *out = memset(memory, 0, 2 * ITEMS * sizeof *out);
        if (launch(use, queue, modules, out))
            for (size_t i = 0; i < 2 * ITEMS; i++)
                use_expect(use, out[i] == 3, "number %zu is %u", i, out[i]);
    }
    if (queue)
        (void)uh_queue_wait(queue);
    for (int i = 0; i < 3; i++)
        uh_module_destroy(modules[i]);
    (void)CALL(uh_free, memory);
    uh_queue_destroy(queue);
    *outcome = whole.outcome;
}

/* A context and memory of a program's own. */
static ze_context_handle_t context_of_others;
static uint32_t *memory_of_others;

/* A queue in it, and a kernel for that memory, which is more than kernels take as they are built. */
static void use_others(const void *context, struct outcome *outcome) {
    struct use whole = {.device = device, .computes = 1}, *use = &whole;
    uh_module *module = NULL;
    uh_queue *queue = NULL;
    uh_kernel *kernel = NULL;
    const uint32_t value = 5;
    if (CALL(uh_queue_create_from_ze, context_of_others, uhi_ze_device(device)->device, NULL, NULL, &queue) &&
        CALL(uh_module_create, device, &uh_program_module_kernels, NULL, &module) &&
        CALL(uh_kernel_get, module, "add", &kernel) &&
        CALL(uh_fill, queue, memory_of_others, "", 1, ITEMS * sizeof value, NULL) &&
        CALL(uh_parallel_for, queue, kernel, RANGE_OF(ITEMS, 16), ARGS(uh_arg_pointer(memory_of_others), VALUE(value)),
             NULL) &&
        CALL(uh_queue_wait, queue))
        for (size_t i = 0; i < ITEMS; i++)
            use_expect(use, memory_of_others[i] == 5, "number %zu is %u", i, memory_of_others[i]);
    if (queue)
        (void)uh_queue_wait(queue);
    uh_module_destroy(module);
    uh_queue_destroy(queue);
    *outcome = whole.outcome;
}

/* Calls of which a failure need not fail the library's call: they destroy, there is another way, or no need. */
static int may_pass(const char *call) {
    static const char *const others[] = {"zeDeviceGetGlobalTimestamps", "zeModuleCreate", "zeModuleGetNativeBinary",
                                         "zeModuleBuildLogGetString", "zeKernelSuggestGroupSize"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(call, others[i]) == 0)
            return 1;
    return strstr(call, "Destroy") != NULL;
}

/* Real devices stay lost; this one is given back for the next round. */
static void recover(void) { atomic_store(&uhi_ze_device(device->nparts ? device->parts[0] : device)->lost, 0); }

static void fail_each_call(void (*use)(const void *context, struct outcome *outcome), size_t step, size_t next) {
    struct fault_run run = {.use = use, .may_pass = may_pass, .step = step, .next = next};
    struct fault_report report;
    if (fault_every_call(&run, &report))
        fail_msg("%s", report.problem);
    print_message("%zu calls, %zu faults, %zu of them noticed\n", report.calls, report.uses, report.noticed);
    run.step = test_is_coarse() ? step : 1;
    if (fault_every_loss(&run, recover, &report))
        fail_msg("%s", report.problem);
    print_message("lost at %zu calls in turn, noticed %zu times\n", report.uses, report.noticed);
    assert_true(report.noticed > report.uses / 2);
}

UNIT_TEST(queues_memory_and_events_survive_each_call_that_fails_and_each_loss_of_the_device) {
    fail_each_call(use_queues, 1, 1);
}

UNIT_TEST(queues_of_a_gpu_and_the_host_as_one_device_survive_them_too) {
    uh_device *listed = device;
    device = test_device("level_zero:0,host");
    fail_each_call(use_queues, test_is_coarse() ? 4 : 3, 0);
    device = listed;
}

/* Each call fails with one of the codes; a coarse run leaves most out. */
UNIT_TEST(modules_and_launches_survive_each_call_that_fails_and_each_loss_of_the_device) {
    fail_each_call(use_modules, test_is_coarse() ? 8 : 3, 0);
}

UNIT_TEST(queues_in_a_context_of_others_survive_each_call_that_fails_and_each_loss_of_the_device) {
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_device_mem_alloc_desc_t in_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t in_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    const struct uhi_ze_device *native = uhi_ze_device(device);
    uh_device *listed = device;
    void *memory = NULL;
    assert_int_equal(uhi_ze.zeContextCreate(native->listed_by->handle, &desc, &context_of_others), ZE_RESULT_SUCCESS);
    assert_int_equal(uhi_ze.zeMemAllocShared(context_of_others, &in_device, &in_host, ITEMS * sizeof(uint32_t), 64,
                                             native->device, &memory),
                     ZE_RESULT_SUCCESS);
    memory_of_others = memory;
    test_good(uh_device_from_ze(context_of_others, native->device, &device));
    device->plain_allocation = ITEMS;
    fail_each_call(use_others, 1, 1);
    device = listed;
    assert_int_equal(uhi_ze.zeMemFree(context_of_others, memory), ZE_RESULT_SUCCESS);
    assert_int_equal(uhi_ze.zeContextDestroy(context_of_others), ZE_RESULT_SUCCESS);
}

TEST_MAIN(test_runtime_ze_faults) {
    device = test_ze_device();
    return fault_find() ? 77 : test_run_units(make_cache_folder, files_teardown);
}
