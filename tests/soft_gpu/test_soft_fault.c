/* SPDX-License-Identifier: Apache-2.0 */
/* The soft GPU made to fail, and what it says of programs that use it wrongly. */
#include "soft_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support.h"

static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

static ze_result_t allocate(void **pointer) {
    return zeMemAllocHost(soft.context, &host_desc, 64, 0, pointer);
}

UNIT_TEST(the_nth_call_of_a_name_fails_and_the_others_do_not) {
    void *pointers[5] = {NULL};
    assert_int_equal((soft.gpu.fail)("zeMemAllocHost:3=0x70000002"), 0);
    for (int i = 0; i < 5; i++)
        IS(allocate(&pointers[i]), i == 2 ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_SUCCESS);
    assert_null(pointers[2]);
    for (int i = 0; i < 5; i++)
        if (pointers[i])
            soft_free(pointers[i]);
}

UNIT_TEST(a_sticky_fault_stays_until_it_is_taken_back) {
    void *pointer;
    assert_int_equal((soft.gpu.fail)("zeMemAllocHost:2+=ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET"), 0);
    OK(allocate(&pointer));
    soft_free(pointer);
    for (int i = 0; i < 4; i++)
        IS(allocate(&pointer), ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET);
    assert_int_equal((soft.gpu.fail)(NULL), 0);
    OK(allocate(&pointer));
    soft_free(pointer);
    assert_int_equal((soft.gpu.fail)("zeMemAllocHost:x=1"), -1);
}

struct traced {
    char names[8][40];
    size_t n;
};

static void note(const char *name, uint64_t number, void *user) {
    struct traced *traced = user;
    assert_true(number > 0);
    if (traced->n < 8)
        snprintf(traced->names[traced->n++], sizeof traced->names[0], "%s", name);
}

UNIT_TEST(the_nth_call_of_any_fails_and_calls_are_traced) {
    void *pointer = NULL;
    struct traced traced = {.n = 0};
    uint64_t before = soft.gpu.calls(NULL), allocations = soft.gpu.calls("zeMemAllocHost");
    soft.gpu.trace(note, &traced);
    assert_int_equal((soft.gpu.fail)("*:3=ERROR_UNKNOWN,zeMemFree:2=ERROR_DEVICE_LOST"), 0);
    OK(allocate(&pointer));
    OK(zeEventHostReset(soft.events[0]));
    IS(zeEventQueryStatus(soft.events[0]), ZE_RESULT_ERROR_UNKNOWN);
    OK(zeMemFree(soft.context, pointer));
    soft.gpu.trace(NULL, NULL);
    assert_int_equal(soft.gpu.calls(NULL) - before, 4);
    assert_int_equal(soft.gpu.calls("zeMemAllocHost") - allocations, 1);
    assert_int_equal(traced.n, 4);
    assert_string_equal(traced.names[0], "zeMemAllocHost");
    assert_string_equal(traced.names[2], "zeEventQueryStatus");
    /* Freeing does its work and fails then: nothing is left. */
    OK(allocate(&pointer));
    size_t live = soft.gpu.live_handles(NULL, 0);
    IS(zeMemFree(soft.context, pointer), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(soft.gpu.live_handles(NULL, 0), live - 1);
    assert_int_equal((soft.gpu.fail)(""), 0);
}

static void reset_events(void) {
    for (int i = 0; i < 8; i++)
        OK(zeEventHostReset(soft.events[i]));
}

UNIT_TEST(a_failed_command_takes_what_depends_on_it_along) {
    uint32_t one = 1, *memory = soft_host_memory(16);
    ze_command_list_handle_t other = soft_immediate(0);
    memset(memory, 0, 16);
    OK(zeCommandListAppendMemoryFill(other, memory + 2, &one, 4, 4, soft.events[2], 1, &soft.events[1]));
    assert_int_equal((soft.gpu.fail)("execute:1=ERROR_OUT_OF_DEVICE_MEMORY"), 0);
    OK(zeCommandListAppendMemoryFill(soft.list, memory, &one, 4, 4, soft.events[0], 0, NULL));
    OK(zeCommandListAppendBarrier(soft.list, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryFill(soft.list, memory + 1, &one, 4, 4, soft.events[1], 0, NULL));
    IS(zeEventHostSynchronize(soft.events[2], FOREVER), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    IS(zeEventHostSynchronize(soft.events[1], FOREVER), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    IS(zeEventQueryStatus(soft.events[0]), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_true(memory[0] == 0 && memory[1] == 0 && memory[2] == 0);
    reset_events();
    /* The host knows, so both lists work again. */
    OK(zeCommandListAppendMemoryFill(soft.list, memory, &one, 4, 4, soft.events[0], 0, NULL));
    OK(zeCommandListAppendMemoryFill(other, memory + 1, &one, 4, 4, soft.events[1], 0, NULL));
    OK(zeEventHostSynchronize(soft.events[0], FOREVER));
    OK(zeEventHostSynchronize(soft.events[1], FOREVER));
    assert_true(memory[0] == 1 && memory[1] == 1);
    assert_int_equal((soft.gpu.fail)(NULL), 0);
    reset_events();
}

UNIT_TEST(a_failure_that_the_host_has_not_seen_is_not_forgotten) {
    uint32_t one = 1, *memory = soft_host_memory(16);
    uint64_t before = soft.gpu.calls("execute");
    assert_int_equal((soft.gpu.fail)("execute:1=ERROR_UNKNOWN"), 0);
    OK(zeCommandListAppendMemoryFill(soft.list, memory, &one, 4, 4, NULL, 0, NULL));
    while (soft.gpu.calls("execute") == before)
        ;
    OK(zeCommandListAppendBarrier(soft.list, soft.events[0], 0, NULL));
    IS(zeEventHostSynchronize(soft.events[0], FOREVER), ZE_RESULT_ERROR_UNKNOWN);
    assert_int_equal((soft.gpu.fail)(NULL), 0);
    reset_events();
}

/* A call that needs the device and nothing else. */
static ze_result_t look_at_the_clock(void) {
    uint64_t host, ticks;
    return zeDeviceGetGlobalTimestamps(soft.device, &host, &ticks);
}

UNIT_TEST(a_lost_device_drops_its_work_and_lets_everything_be_destroyed) {
    uint32_t one = 1, *memory = soft_host_memory(16);
    ze_module_handle_t module = soft_module();
    ze_kernel_handle_t kernel = soft_kernel(module, "affine");
    ze_command_list_handle_t list = soft_immediate(0);
    void *pointer;
    memset(memory, 0, 16);
    OK(zeCommandListAppendMemoryFill(list, memory, &one, 4, 4, soft.events[1], 1, &soft.events[0]));
    soft.gpu.lose(2);
    IS(zeEventQueryStatus(soft.events[1]), ZE_RESULT_NOT_READY);
    IS(zeEventHostSynchronize(soft.events[1], FOREVER), ZE_RESULT_ERROR_DEVICE_LOST);
    IS(zeEventHostSignal(soft.events[0]), ZE_RESULT_ERROR_DEVICE_LOST);
    IS(allocate(&pointer), ZE_RESULT_ERROR_DEVICE_LOST);
    IS(zeCommandListAppendBarrier(list, NULL, 0, NULL), ZE_RESULT_ERROR_DEVICE_LOST);
    IS(look_at_the_clock(), ZE_RESULT_ERROR_DEVICE_LOST);
    OK(zeCommandListDestroy(test_take(list)));
    OK(zeKernelDestroy(test_take(kernel)));
    OK(zeModuleDestroy(test_take(module)));
    assert_int_equal(memory[0], 0);
    soft_free(test_take(memory));
    soft.gpu.recover();
    OK(look_at_the_clock());
    reset_events();
}

UNIT_TEST(a_command_can_lose_the_device) {
    uint32_t one = 1, *memory = soft_host_memory(16);
    assert_int_equal((soft.gpu.fail)("execute:2=ERROR_DEVICE_LOST"), 0);
    for (int i = 0; i < 3; i++)
        OK(zeCommandListAppendMemoryFill(soft.list, memory, &one, 4, 4, i == 2 ? soft.events[0] : NULL, 1,
                                         &soft.events[1]));
    OK(zeEventHostSignal(soft.events[1]));
    ze_result_t result = zeEventHostSynchronize(soft.events[0], FOREVER);
    /* The third may have come before the second. */
    if (result)
        IS(result, ZE_RESULT_ERROR_DEVICE_LOST);
    while (look_at_the_clock() == ZE_RESULT_SUCCESS)
        ;
    soft.gpu.recover();
    assert_int_equal((soft.gpu.fail)(NULL), 0);
    reset_events();
    soft_finish();
}

UNIT_TEST(destroyed_handles_are_known) {
    ze_module_handle_t module = soft_module();
    ze_kernel_handle_t kernel = soft_kernel(module, "affine");
    OK(zeKernelDestroy(test_take(kernel)));
    IS(zeKernelSetGroupSize(kernel, 1, 1, 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("destroyed");
    IS(zeKernelDestroy(kernel), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("destroyed");
    IS(zeKernelDestroy((ze_kernel_handle_t)module), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("the handle is that of a module, expected a kernel");
    IS(zeModuleDestroy(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    soft.gpu.misuses(NULL, 0); /* none where the validation layer has refused it already */
}

UNIT_TEST(what_commands_still_use_is_not_for_destroying) {
    uint32_t one = 1, *memory = soft_host_memory(16);
    OK(zeCommandListAppendMemoryFill(soft.list, memory, &one, 4, 16, soft.events[1], 1, &soft.events[0]));
    OK(zeMemFree(soft.context, test_take(memory)));
    soft_expect_misuse("used by 1 commands that are not done");
    IS(zeEventHostReset(soft.events[0]), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    soft_expect_misuse("the event is used by 1 commands that are not done");
    /* The memory stays until the command is done. */
    OK(zeEventHostSignal(soft.events[0]));
    OK(zeEventHostSynchronize(soft.events[1], FOREVER));
    reset_events();
    ze_command_list_handle_t list = soft_immediate(0);
    OK(zeCommandListAppendBarrier(list, NULL, 1, &soft.events[0]));
    OK(zeCommandListDestroy(test_take(list)));
    soft_expect_misuse("1 commands are not done");
    ze_module_handle_t module = soft_module();
    (void)soft_kernel(module, "affine");
    OK(zeModuleDestroy(test_take(module)));
    soft_expect_misuse("still has 1 handles alive");
    list = soft_immediate(0);
    OK(zeCommandListAppendBarrier(list, NULL, 1, &soft.events[0]));
    OK(zeEventDestroy(soft.events[0]));
    soft_expect_misuse("used by 1 commands that are not done");
    OK(zeCommandListDestroy(test_take(list)));
    soft_expect_misuse("1 commands are not done");
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 0};
    OK(zeEventCreate(soft.pool, &desc, &soft.events[0]));
}

/* ---- children ---- */

static int leak(const char *how) {
    soft_setup(NULL);
    if (strcmp(how, "leak") == 0)
        (void)!soft_host_memory(16);
    else if (strcmp(how, "misuse") == 0)
        (void)!zeCommandListAppendMemoryFill(soft.list, soft.list, "", 3, 3, NULL, 0, NULL);
    for (int i = 0; i < 8; i++)
        OK(zeEventDestroy(soft.events[i]));
    OK(zeEventPoolDestroy(soft.pool));
    OK(zeCommandListDestroy(soft.list));
    (void)!zeContextDestroy(soft.context);
    return 0;
}

static void run(const char *mode, const char *first, const char *second, int exit_code, const char *part) {
    struct test_child child;
    const char *const environment[] = {first, second, NULL};
    test_run_child(mode, environment, &child);
    if (child.exit_code != exit_code || !strstr(child.err, part))
        fail_msg("%s %s %s: exit code %d, '%s'", mode, first, second ? second : "", child.exit_code, child.err);
}

UNIT_TEST(the_end_of_the_process_reports_what_is_alive_and_what_was_wrong) {
    run("clean", "SOFT_GPU_LEAKS=fatal", NULL, 0, "");
    run("leak", "SOFT_GPU_LEAKS=fatal", NULL, 99, "1 memory, the first is number");
    run("leak", "SOFT_GPU_LEAKS", NULL, 0, "1 memory, the first is number");
    run("misuse", "SOFT_GPU_LEAKS=fatal", NULL, 99, "misuses: 1");
}

UNIT_TEST(faults_come_from_the_environment_too) {
    run("init", "SOFT_GPU_FAIL=zeInit:1=ERROR_DEVICE_LOST", NULL, 3, "");
    run("init", "SOFT_GPU_FAIL=zeInit:1=NOT_READY,*:1=ERROR_UNKNOWN", NULL, 3, "");
    run("calls", "SOFT_GPU_LOSE=40", NULL, 4, "");
    run("calls", "SOFT_GPU_LOSE", NULL, 0, "");
    run("two", "SOFT_GPU=devices=2", NULL, 0, "");
    run("two", "SOFT_GPU=devices=2", "SOFT_GPU_LOSE=20@1", 1, "");
    run("two", "SOFT_GPU=devices=2", "SOFT_GPU_LOSE=21@1", 1, "");
    run("two", "SOFT_GPU=devices=2", "SOFT_GPU_LOSE=20@0", 2, "");
    run("two", "SOFT_GPU=devices=2", "SOFT_GPU_LOSE=4000@0", 0, "");
    run("two", "SOFT_GPU=devices=2", "SOFT_GPU_LOSE=4@", 9, "expected the number of a call, from 1, and @DEVICE");
}

/* Calls of each child: some more than loaders make of their own before. */
enum { TIMES = 40 };

/* Fills memory by a list of each device; returns whose calls or commands fail because the device is lost, 1 for the
 * second, 2 for the first, or 9 where there are none. */
static int use_two(void) {
    enum { DEVICES = 2 };
    uint32_t one = 1, two = DEVICES;
    int lost = 0;
    ze_driver_handle_t driver = NULL;
    ze_device_handle_t devices[DEVICES];
    ze_context_handle_t context;
    ze_event_pool_handle_t pool;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_event_pool_desc_t of_pool = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = DEVICES};
    const ze_command_queue_desc_t of_list = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                             .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const ze_host_mem_alloc_desc_t of_memory = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory = NULL;
    if (zeInit(0) || zeDriverGet(&one, &driver) || zeDeviceGet(driver, &two, devices) || two != DEVICES)
        return 9;
    OK(zeContextCreate(driver, &desc, &context));
    OK(zeEventPoolCreate(context, &of_pool, 0, NULL, &pool));
    OK(zeMemAllocHost(context, &of_memory, sizeof one, sizeof one, &memory));
    for (uint32_t i = 0; i < DEVICES; i++) {
        const ze_event_desc_t of_event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
        ze_command_list_handle_t list = NULL;
        ze_event_handle_t event;
        OK(zeEventCreate(pool, &of_event, &event));
        OK(zeDeviceGetProperties(devices[i], &properties));
        OK(zeCommandListCreateImmediate(context, devices[i], &of_list, &list));
        ze_result_t result = ZE_RESULT_SUCCESS;
        for (int time = 0; time < TIMES && !result; time++) {
            result = zeCommandListAppendMemoryFill(list, memory, &one, sizeof one, sizeof one, event, 0, NULL);
            if (!result)
                result = zeEventHostSynchronize(event, FOREVER);
            OK(zeEventHostReset(event));
        }
        lost |= result == ZE_RESULT_ERROR_DEVICE_LOST ? DEVICES >> i : 0;
        OK(zeEventDestroy(event));
        OK(zeCommandListDestroy(list));
    }
    OK(zeMemFree(context, memory));
    OK(zeEventPoolDestroy(pool));
    OK(zeContextDestroy(context));
    return lost;
}

/* 4 if a context cannot be had because the device is lost. */
static int call(void) {
    uint32_t one = 1;
    ze_driver_handle_t driver = NULL;
    ze_context_handle_t context;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    if (zeInit(0) || zeDriverGet(&one, &driver))
        return 1;
    for (int i = 0; i < TIMES; i++) {
        ze_result_t result = zeContextCreate(driver, &desc, &context);
        if (result)
            return result == ZE_RESULT_ERROR_DEVICE_LOST ? 4 : 5;
        (void)zeContextDestroy(context);
    }
    return 0;
}

TEST_MAIN(test_soft_fault) {
    if (argc > 1 && strcmp(argv[1], "init") == 0)
        return zeInit(0) ? 3 : 0;
    if (argc > 1 && strcmp(argv[1], "calls") == 0)
        return call();
    if (argc > 1 && strcmp(argv[1], "two") == 0)
        return use_two();
    if (argc > 1)
        return leak(argv[1]);
    return test_run_units(soft_setup, soft_teardown);
}
