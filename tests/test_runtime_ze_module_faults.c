/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers that fail and devices that are lost while modules are made and kernels launched: each call fails once, and
 * the device is lost at each of them. Nothing leaks, and the next life works. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/ze.h"
#include "tests/fixture.h"
#include "tests/module_cache_fixture.h"
#include "tests/soft_gpu/soft_gpu.h"
#include "tests/ze_fixture.h"

#include "module_kernels.cl.h"

enum { ITEMS = 64 };

static struct soft_gpu gpu;

struct life {
    uh_queue *queue;
    uh_module *modules[3]; /* built, from the cache, from the first one's native binary */
    uint32_t *out;
    int works;
};

/* Makes the modules; a constant's value that no life had makes one that the cache does not have. */
static uh_status create(struct life *life) {
    static int32_t lives;
    const int32_t value = ++lives;
    const uh_constant constant = {4, 4, &value};
    const uh_module_options options = {.struct_size = sizeof options, .constants = &constant, .nconstants = 1};
    const uh_module_options native = {.struct_size = sizeof native, .format = UH_MODULE_NATIVE};
    void *memory = NULL, *binary = NULL;
    size_t size = 0;
    uh_status status = uh_queue_create(test_ze_device(), NULL, &life->queue);
    if (status == UH_SUCCESS)
        status = uh_malloc_host(test_ze_device(), 2 * ITEMS * sizeof(uint32_t), 0, &memory);
    life->out = memory;
    for (int i = 0; i < 2 && status == UH_SUCCESS; i++)
        status = uh_module_create_program(test_ze_device(), &uh_program_module_kernels, &options, &life->modules[i]);
    if (status == UH_SUCCESS)
        status = uh_module_native(life->modules[0], NULL, &size);
    if (status == UH_SUCCESS) {
        binary = malloc(size);
        status = uh_module_native(life->modules[0], binary, &size);
    }
    if (status == UH_SUCCESS)
        status = uh_module_create(test_ze_device(), binary, size, &native, &life->modules[2]);
    free(binary);
    return status;
}

static uh_status use(struct life *life) {
    static const uh_nd_range ranges[] = {{1, {ITEMS}, {0}, {0}}, {1, {ITEMS}, {16}, {0}}, {1, {ITEMS}, {16}, {ITEMS}}};
    uh_status status = UH_SUCCESS;
    memset(life->out, 0, 2 * ITEMS * sizeof(uint32_t));
    for (size_t i = 0; i < 3 && status == UH_SUCCESS; i++) {
        const uint32_t value = (uint32_t)i + 1;
        const uh_arg args[] = {uh_arg_pointer(life->out), uh_arg_value(&value, sizeof value)};
        uh_kernel *kernel = NULL;
        status = uh_kernel_get(life->modules[i], "add", &kernel);
        if (status == UH_SUCCESS)
            status = uh_parallel_for(life->queue, kernel, &ranges[i], args, 2, NULL, 0, NULL);
    }
    if (status == UH_SUCCESS)
        status = uh_queue_wait(life->queue);
    life->works = status == UH_SUCCESS;
    for (size_t i = 0; i < 2 * ITEMS && life->works; i++)
        life->works = life->out[i] == 3;
    return status;
}

/* Lives once; returns the first failure. */
static uh_status live(char *message, size_t size, int *works) {
    struct life life;
    memset(&life, 0, sizeof life);
    uh_status status = create(&life);
    if (status == UH_SUCCESS)
        status = use(&life);
    if (status != UH_SUCCESS)
        snprintf(message, size, "%s", uh_last_error());
    *works = life.works;
    if (life.queue)
        (void)uh_queue_wait(life.queue);
    for (int i = 0; i < 3; i++)
        (void)uh_module_destroy(life.modules[i]);
    (void)uh_free(life.out);
    (void)uh_queue_destroy(life.queue);
    return status;
}

static void lives_well(void) {
    char message[1024] = "";
    int works = 0;
    if (live(message, sizeof message, &works) != UH_SUCCESS || !works)
        fail_msg("a life without faults: %s", message);
}

/* The name of call number `watched`. */
static uint64_t watched;
static char watched_name[64];

static void watch(const char *name, uint64_t number, void *user) {
    (void)user;
    if (number == watched)
        snprintf(watched_name, sizeof watched_name, "%s", name);
}

static void assert_clean(size_t handles, const char *when) {
    char text[2048] = "";
    if (gpu.live_handles(text, sizeof text) != handles)
        fail_msg("%s: %s", when, text);
    if (gpu.misuses(text, sizeof text))
        fail_msg("%s: %s", when, text);
}

/* Calls of which a failure need not fail the library's call: there is another way, or no need. */
static int may_succeed(const char *name) {
    static const char *const others[] = {"zeModuleCreate", "zeModuleGetNativeBinary", "zeModuleBuildLogGetString",
                                         "zeKernelSuggestGroupSize"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, others[i]) == 0)
            return 1;
    return strstr(name, "Destroy") || strcmp(name, "zeMemFree") == 0;
}

UNIT_TEST(every_call_may_fail) {
    lives_well();
    size_t handles = gpu.live_handles(NULL, 0);
    uint64_t before = gpu.calls(NULL), failed = 0;
    lives_well();
    uint64_t calls = gpu.calls(NULL) - before;
    gpu.trace(watch, NULL);
    for (uint64_t n = 1; n <= calls; n += test_is_coarse() ? 8 : 1) {
        char fault[64], message[1024] = "", when[128];
        int works = 0;
        snprintf(fault, sizeof fault, "*:%llu=ERROR_UNKNOWN", (unsigned long long)n);
        watched = gpu.calls(NULL) + n;
        watched_name[0] = '\0';
        assert_int_equal((gpu.fail)(fault), 0);
        uh_status status = live(message, sizeof message, &works);
        assert_int_equal((gpu.fail)(NULL), 0);
        snprintf(when, sizeof when, "call %llu, %s, fails", (unsigned long long)n, watched_name);
        failed += status != UH_SUCCESS;
        if (status == UH_SUCCESS
                ? !may_succeed(watched_name) || !works
                : status != UH_ERROR_DRIVER || !strstr(message, watched_name) || !strstr(message, "uh_"))
            fail_msg("%s: %s, %s", when, uh_status_name(status), message);
        assert_clean(handles, when);
    }
    gpu.trace(NULL, NULL);
    lives_well();
    print_message("of %llu calls each one failed in turn, or in a coarse run one in 8; %llu runs failed with it\n",
                  (unsigned long long)calls, (unsigned long long)failed);
}

UNIT_TEST(a_device_lost_at_any_call_fails_what_follows_and_everything_can_be_destroyed) {
    lives_well();
    size_t handles = gpu.live_handles(NULL, 0);
    uint64_t before = gpu.calls(NULL), lost = 0;
    lives_well();
    uint64_t calls = gpu.calls(NULL) - before;
    for (uint64_t n = 1; n <= calls; n += test_is_coarse() ? 8 : 1) {
        char message[1024] = "", when[64];
        int works = 0;
        gpu.lose(n);
        uh_status status = live(message, sizeof message, &works);
        snprintf(when, sizeof when, "the device is lost at call %llu", (unsigned long long)n);
        if (status == UH_SUCCESS ? !works : status != UH_ERROR_DEVICE_LOST)
            fail_msg("%s: %s, %s", when, uh_status_name(status), message);
        lost += status != UH_SUCCESS;
        assert_clean(handles, when);
        /* Real devices stay lost; this one is given back for the next round. */
        gpu.recover();
        atomic_store(&uhi_ze_device(test_ze_device())->lost, 0);
    }
    lives_well();
    print_message("lost at each of %llu calls, or in a coarse run one in 8; %llu runs failed with it\n",
                  (unsigned long long)calls, (unsigned long long)lost);
}

UNIT_TEST(a_module_that_cannot_be_made_leaves_the_output_as_it_was) {
    const int32_t value = -12345;
    const uh_constant constant = {4, 4, &value};
    const uh_module_options options = {.struct_size = sizeof options, .constants = &constant, .nconstants = 1};
    static const char *const faults[] = {"zeModuleCreate:1=ERROR_UNKNOWN", "zeModuleGetKernelNames:1=ERROR_UNKNOWN",
                                         "zeModuleGetKernelNames:2=ERROR_UNKNOWN"};
    uh_module *module = (uh_module *)state;
    uh_kernel *kernel = (uh_kernel *)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal((gpu.fail)(faults[i]), 0);
        /* Where the cache has it, the first zeModuleCreate is not the last. */
        clear_folder();
        uh_status status = uh_module_create_program(test_ze_device(), &uh_program_module_kernels, &options, &module);
        test_assert_failed(status, UH_ERROR_DRIVER, "uh_module_create_program: zeModule",
                           "failed with ZE_RESULT_ERROR_UNKNOWN (0x7ffffffe)");
        assert_ptr_equal(module, state);
    }
    assert_int_equal((gpu.fail)("zeKernelCreate:1=ERROR_UNKNOWN,zeKernelGetProperties:1=ERROR_UNKNOWN"), 0);
    test_good(uh_module_create_program(test_ze_device(), &uh_program_module_kernels, &options, &module));
    test_assert_failed(uh_kernel_get(module, "add", &kernel), UH_ERROR_DRIVER, "uh_kernel_get: zeKernelCreate failed");
    test_assert_failed(uh_kernel_get(module, "add", &kernel), UH_ERROR_DRIVER, "uh_kernel_get: zeKernelGetProperties");
    assert_ptr_equal(kernel, state);
    test_good(uh_kernel_get(module, "add", &kernel));
    assert_int_equal((gpu.fail)(NULL), 0);
    assert_int_equal(uh_module_destroy(module), UH_SUCCESS);
}

UNIT_TEST(a_launch_that_failed_leaves_the_kernel_fit_for_the_next) {
    static const char *const faults[] = {
        "zeKernelSetGroupSize:1=ERROR_UNKNOWN", "zeKernelSetGlobalOffsetExp:1=ERROR_UNKNOWN",
        "zeKernelSetArgumentValue:2=ERROR_UNKNOWN", "zeCommandListAppendLaunchKernel:1=ERROR_UNKNOWN"};
    static const uh_nd_range before = {1, {ITEMS}, {16}, {0}}, failing = {1, {ITEMS}, {32}, {ITEMS}};
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    uint32_t *out = test_ze_alloc(test_ze_device(), UH_MEMORY_HOST, 2 * ITEMS * sizeof *out);
    uh_event *event = (uh_event *)state;
    const uint32_t one = 1;
    const uh_arg args[] = {uh_arg_pointer(out), uh_arg_value(&one, sizeof one)};
    uh_module *module = NULL;
    uh_kernel *kernel = NULL;
    test_good(uh_module_create_program(test_ze_device(), &uh_program_module_kernels, NULL, &module));
    test_good(uh_kernel_get(module, "add", &kernel));
    memset(out, 0, 2 * ITEMS * sizeof *out);
    for (size_t i = 0; i < 4; i++) {
        test_good(uh_parallel_for(queue, kernel, &before, args, 2, NULL, 0, NULL));
        assert_int_equal((gpu.fail)(faults[i]), 0);
        test_assert_failed(uh_parallel_for(queue, kernel, &failing, args, 2, NULL, 0, &event), UH_ERROR_DRIVER,
                           "uh_parallel_for: ", "ZE_RESULT_ERROR_UNKNOWN");
        assert_int_equal((gpu.fail)(NULL), 0);
        assert_ptr_equal(event, state);
        test_good(uh_parallel_for(queue, kernel, &before, args, 2, NULL, 0, NULL));
        test_good(uh_parallel_for(queue, kernel, &failing, args, 2, NULL, 0, NULL));
    }
    test_good(uh_queue_wait(queue));
    for (size_t i = 0; i < 2 * ITEMS; i++)
        assert_int_equal(out[i], i < ITEMS ? 8 : 4);
    assert_int_equal(uh_module_destroy(module), UH_SUCCESS);
}

TEST_MAIN(test_runtime_ze_module_faults) {
    if (soft_gpu_find(&gpu) != 0) {
        printf("skipped: the soft driver is not in use, and no other fails when it is told to\n");
        return 77;
    }
    if (!test_ze_device())
        return test_ze_skip();
    return TEST_RUN(make_cache_folder, remove_cache_folder);
}
