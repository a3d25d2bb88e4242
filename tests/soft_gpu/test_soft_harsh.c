/* SPDX-License-Identifier: Apache-2.0 */
/* The soft GPU does what the specification lets a device do: commands change places, memory is garbage, failures
 * spread; and refuses what devices refuse. */
#define _GNU_SOURCE /* pkey_alloc */
#include "soft_fixture.h"

#include <sys/mman.h>

#include "module_kernels.cl.h"
#include "module_kernels_f64.cl.h"
#include "wrong.cl.h"

/* How many of `rounds` two fills of the same word end in the order of their appending. */
static int count_in_order(int rounds, int barrier) {
    uint32_t *memory = soft_memory(ZE_MEMORY_TYPE_HOST, 4);
    const uint32_t second = 2;
    int right = 0;
    for (int i = 0; i < rounds; i++) {
        OK(soft_fill(soft.list, memory, NULL, NULL));
        if (barrier)
            OK(zeCommandListAppendBarrier(soft.list, NULL, 0, NULL));
        OK(zeCommandListAppendMemoryFill(soft.list, memory, &second, 4, 4, NULL, 0, NULL));
        soft_finish();
        right += *memory == 2;
    }
    return right;
}

UNIT_TEST(without_a_barrier_commands_change_places) {
    assert_in_range(count_in_order(200, 0), 20, 180);
    assert_int_equal(count_in_order(300, 1), 300);
}

UNIT_TEST(a_barrier_with_events_waits_for_those_alone_and_blocks_later_commands) {
    uint32_t *memory = soft_memory(ZE_MEMORY_TYPE_HOST, 8);
    memset(memory, 0, 8);
    /* The fill waits for an event that the host signals last: if the barrier waited for it, nothing would end. */
    OK(soft_fill(soft.list, memory, soft.events[2], soft.events[0]));
    OK(zeCommandListAppendBarrier(soft.list, soft.events[3], 1, &soft.events[1]));
    OK(soft_fill(soft.list, memory + 1, soft.events[4], NULL));
    IS(zeEventHostSynchronize(soft.events[4], 20000000), NOT_READY);
    assert_int_equal(memory[1], 0);
    OK(zeEventHostSignal(soft.events[1]));
    OK(zeEventHostSynchronize(soft.events[4], FOREVER));
    OK(zeEventQueryStatus(soft.events[3]));
    IS(zeEventQueryStatus(soft.events[2]), NOT_READY);
    OK(zeEventHostSignal(soft.events[0]));
    OK(zeEventHostSynchronize(soft.events[2], FOREVER));
    assert_int_equal(memory[0], 1);
    soft_reset_events();
}

UNIT_TEST(a_pattern_is_captured_and_a_source_is_not) {
    uint32_t pattern = 1, source = 1, *memory = soft_memory(ZE_MEMORY_TYPE_HOST, 8);
    OK(zeCommandListAppendMemoryFill(soft.list, memory, &pattern, 4, 4, NULL, 1, &soft.events[0]));
    OK(zeCommandListAppendMemoryCopy(soft.list, memory + 1, &source, 4, NULL, 1, &soft.events[0]));
    pattern = source = 2;
    OK(zeEventHostSignal(soft.events[0]));
    soft_finish();
    assert_int_equal(memory[0], 1);
    assert_int_equal(memory[1], 2);
    soft_reset_events();
}

UNIT_TEST(a_failed_command_fails_those_that_depend_on_it_until_the_host_has_seen_it) {
    uint32_t *memory = soft_memory(ZE_MEMORY_TYPE_HOST, 16);
    ze_command_list_handle_t other = soft_list(0, 0);
    memset(memory, 0, 16);
    OK(soft_fill(other, memory + 2, soft.events[2], soft.events[1]));
    assert_int_equal((soft.gpu.fail)("execute:1=ERROR_OUT_OF_DEVICE_MEMORY"), 0);
    OK(soft_fill(soft.list, memory, soft.events[0], NULL));
    OK(zeCommandListAppendBarrier(soft.list, NULL, 0, NULL));
    OK(soft_fill(soft.list, memory + 1, soft.events[1], NULL));
    IS(zeEventHostSynchronize(soft.events[2], FOREVER), ERROR_OUT_OF_DEVICE_MEMORY);
    IS(zeEventHostSynchronize(soft.events[1], FOREVER), ERROR_OUT_OF_DEVICE_MEMORY);
    IS(zeEventQueryStatus(soft.events[0]), ERROR_OUT_OF_DEVICE_MEMORY);
    assert_true(memory[0] == 0 && memory[1] == 0 && memory[2] == 0);
    soft_reset_events();
    OK(soft_fill(soft.list, memory, soft.events[0], NULL));
    OK(soft_fill(other, memory + 1, soft.events[1], NULL));
    OK(zeEventHostSynchronize(soft.events[0], FOREVER));
    OK(zeEventHostSynchronize(soft.events[1], FOREVER));
    assert_true(memory[0] == 1 && memory[1] == 1);
    soft_reset_events();
    /* Without an event, the failure is that of the next command. */
    assert_int_equal((soft.gpu.fail)("execute:1=ERROR_UNKNOWN"), 0);
    OK(soft_fill(soft.list, memory, NULL, NULL));
    OK(zeCommandListAppendBarrier(soft.list, soft.events[0], 0, NULL));
    IS(zeEventHostSynchronize(soft.events[0], FOREVER), ERROR_UNKNOWN);
    assert_int_equal((soft.gpu.fail)(NULL), 0);
    soft_reset_events();
}

UNIT_TEST(the_time_model_makes_launches_last_and_the_watchdog_resets_the_device) {
    enum { GROUPS = 3000, GROUP = 50, FACTOR = 300 };
    ze_kernel_handle_t kernel = soft_kernel(soft_module(&uh_program_module_kernels), "add");
    void *memory = soft_memory(ZE_MEMORY_TYPE_DEVICE, sizeof(uint32_t) * GROUPS * GROUP);
    const uint32_t one = 1;
    ze_kernel_timestamp_result_t times;
    OK(zeKernelSetArgumentValue(kernel, 0, sizeof memory, &memory));
    OK(zeKernelSetArgumentValue(kernel, 1, sizeof one, &one));
    OK(zeKernelSetGroupSize(kernel, GROUP, 1, 1));
    SET("slow=300,timer=1,timer_bits=64");
    assert_int_equal(soft.gpu.longest(), 0);
    OK(soft_launch(soft.list, kernel, GROUPS, soft.events[0]));
    OK(zeEventHostSynchronize(soft.events[0], FOREVER));
    OK(zeEventQueryKernelTimestamp(soft.events[0], &times));
    const uint64_t longest = soft.gpu.longest();
    assert_in_range(longest, FACTOR * 10000, FACTOR * UINT64_C(1000000000)); /* 150,000 items */
    assert_true(times.global.kernelEnd - times.global.kernelStart >= longest);
    assert_int_equal(soft.gpu.longest(), 0);
    SET("slow=1000000,watchdog=1");
    OK(zeEventHostReset(soft.events[0]));
    OK(soft_launch(soft.list, kernel, GROUPS, soft.events[0]));
    IS(zeEventHostSynchronize(soft.events[0], FOREVER), ERROR_DEVICE_LOST);
    soft.gpu.recover();
    SET("slow=0,watchdog=0,timer=52,timer_bits=36");
}

UNIT_TEST(fresh_memory_is_garbage_and_the_largest_allocation_is_limited) {
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    unsigned char *memory = soft_memory(ZE_MEMORY_TYPE_HOST, 777);
    void *none;
    for (int i = 0; i < 777; i++)
        assert_int_equal(memory[i], 0xa5);
    SET("max_alloc=600000");
    IS(zeMemAllocDevice(soft.context, &desc, 600001, 0, soft.device, &none), ERROR_UNSUPPORTED_SIZE);
    IS(zeMemAllocDevice(soft.context, &desc, 0, 0, soft.device, &none), ERROR_UNSUPPORTED_SIZE);
    IS(zeMemAllocDevice(soft.context, &desc, 8, 24, soft.device, &none), ERROR_UNSUPPORTED_ALIGNMENT);
    SET("max_alloc=4294967296");
}

UNIT_TEST(local_memory_begins_as_garbage) {
    enum { GROUP = 8 };
    const uint32_t garbage = 0xa5a5a5a5;
    ze_kernel_handle_t kernel = soft_kernel(soft_module(&uh_program_wrong), "reads_fresh_local");
    uint32_t *out = soft_memory(ZE_MEMORY_TYPE_SHARED, GROUP * sizeof *out), seen = 0;
    OK(zeKernelSetArgumentValue(kernel, 0, sizeof out, &out));
    OK(zeKernelSetArgumentValue(kernel, 1, sizeof garbage, &garbage));
    OK(zeKernelSetGroupSize(kernel, GROUP, 1, 1));
    /* Most threads of PoCL are reached each time. */
    for (int attempt = 0; attempt < 50 && seen < GROUP; attempt++) {
        memset(out, 0, GROUP * sizeof *out);
        OK(soft_launch(soft.list, kernel, 1, NULL));
        soft_finish();
        seen = 0;
        for (int i = 0; i < GROUP; i++)
            seen += out[i] == 1; /* where it has read the garbage */
    }
    assert_int_equal(seen, GROUP);
}

TEST_CHILD(touch) {
    soft_setup(NULL);
    volatile char *memory = soft_memory(ZE_MEMORY_TYPE_DEVICE, 100);
    printf("%d\n", memory[99]);
    soft_free(test_take((void *)(uintptr_t)memory));
    return soft_teardown(NULL);
}

UNIT_TEST(the_host_cannot_touch_device_memory) {
    struct test_child child;
    test_expect_child("touch", TEST_ENVIRONMENT("SOFT_GPU=protect=0"), 0, "-91\n", "");
    const int key = pkey_alloc(0, 0);
    if (key < 0)
        skip_because("this CPU has no protection keys");
    assert_int_equal(pkey_free(key), 0);
    test_run_child("touch", TEST_ENVIRONMENT("SOFT_GPU=protect=1"), &child);
    assert_int_not_equal(child.exit_code, 0);
    assert_string_equal(child.out, "");
}

static void fails_to_build(const void *code, size_t size, const char *part) {
    char *log = NULL;
    ze_module_handle_t module;
    IS(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, code, size, &module, &log), ERROR_MODULE_BUILD_FAILURE);
    assert_null(module);
    if (!strstr(log, part))
        fail_msg("the log '%s' does not contain '%s'", log, part);
    free(log);
}

UNIT_TEST(invalid_spirv_and_double_without_float64_do_not_build) {
    const uh_program *program = &uh_program_module_kernels, *with_double = &uh_program_module_kernels_f64;
    fails_to_build("junk", 4, "not SPIR-V");
    fails_to_build(program->spirv, 20, "spirv-val");
    fails_to_build(program->spirv, program->spirv_size - 40, "");
    SET("fp64=0");
    fails_to_build(with_double->spirv, with_double->spirv_size, "double");
    SET("fp64=1");
    (void)soft_module(with_double);
}

UNIT_TEST(native_binaries_that_are_damaged_or_of_another_device_are_refused) {
    size_t size = 0;
    ze_module_handle_t module = soft_module(&uh_program_module_kernels);
    OK(zeModuleGetNativeBinary(module, &size, NULL));
    uint8_t *native = test_memory(size);
    OK(zeModuleGetNativeBinary(module, &size, native));
    for (size_t at = 0; at < size; at += at < 64 ? 1 : 997) {
        native[at] ^= 0x10;
        IS(soft_build(ZE_MODULE_FORMAT_NATIVE, native, size, &module, NULL), ERROR_INVALID_NATIVE_BINARY);
        native[at] ^= 0x10;
    }
    for (size_t less = 1; less < size; less = less * 3 + 1)
        IS(soft_build(ZE_MODULE_FORMAT_NATIVE, native, size - less, &module, NULL), ERROR_INVALID_NATIVE_BINARY);
    SET("name=Another");
    IS(soft_build(ZE_MODULE_FORMAT_NATIVE, native, size, &module, NULL), ERROR_INVALID_NATIVE_BINARY);
    SET("name=Soft GPU");
    OK(soft_build(ZE_MODULE_FORMAT_NATIVE, native, size, &module, NULL));
    OK(zeModuleDestroy(module));
}

TEST_CHILD(init) { return zeInit(0) ? 3 : 0; }

UNIT_TEST(wrong_settings_make_zeInit_fail_with_a_message) {
    static const char *const wrong[][2] = {
        {"SOFT_GPU=slm=1x", "slm is '1x', expected a number from 0 to"},
        {"SOFT_GPU=tiles=0", "tiles is '0', expected a number from 1 to 8"},
        {"SOFT_GPU=tiles=-1", "tiles is '-1'"},
        {"SOFT_GPU=memory=99999999999999999999999", "memory is '99999999999999999999999'"},
        {"SOFT_GPU=slow=3/", "slow is '3/', expected numbers"},
        {"SOFT_GPU=slow=2x", "slow is '2x'"},
        {"SOFT_GPU=colour=1", "there is no setting 'colour'"},
        {"SOFT_GPU=slm", "'slm' is no KEY=VALUE"},
        {"SOFT_GPU_FAIL=zeInit", "'zeInit' is no fault"},
        {"SOFT_GPU_FAIL=zeInit:0=5", "is no fault"},
        {"SOFT_GPU_FAIL=zeInit:1=ERROR_NONSENSE", "is no fault"},
        {"SOFT_GPU_FAIL=zeInit:1=ERROR_DEVICE_LOST", ""},
        {"SOFT_GPU_LOSE=soon", "SOFT_GPU_LOSE is 'soon'"},
        {"SOFT_GPU_LOSE=4@", "expected the number of a call, from 1, and @DEVICE"},
        {"SOFT_GPU_OPENCL=no such platform", "no OpenCL device"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        test_expect_child("init", TEST_ENVIRONMENT(wrong[i][0]), 3, "", wrong[i][1]);
}

TEST_AROUND(test_soft_harsh, soft_setup, soft_teardown)
