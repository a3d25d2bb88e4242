/* SPDX-License-Identifier: Apache-2.0 */
/* The soft GPU reports wrong calls of programs. That right calls do what they should is proved by the library's tests,
 * which run on it. */
#include "soft_fixture.h"

#include "runtime/ze_newer.h"

#include "module_kernels.cl.h"
#include "module_kernels_f64.cl.h"

static const ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
static const ze_device_mem_alloc_desc_t device_desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_event_desc_t first_event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 0};

UNIT_TEST(handles_that_are_destroyed_or_of_another_kind_are_known) {
    ze_module_handle_t module = soft_module(&uh_program_module_kernels);
    ze_kernel_handle_t kernel = soft_kernel(module, "add");
    OK(zeKernelDestroy(test_take(kernel)));
    MISUSE(zeKernelSetGroupSize(kernel, 1, 1, 1), ERROR_INVALID_ARGUMENT, "destroyed");
    MISUSE(zeKernelDestroy(kernel), ERROR_INVALID_ARGUMENT, "destroyed");
    MISUSE(zeKernelDestroy((ze_kernel_handle_t)module), ERROR_INVALID_ARGUMENT,
           "the handle is that of a module, expected a kernel");
    IS(zeModuleDestroy(NULL), ERROR_INVALID_NULL_HANDLE);
    soft.gpu.misuses(NULL, 0); /* 0 if the validation layer has refused it already */
    ze_device_properties_t wrong = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    MISUSE(zeDeviceGetProperties(soft.device, &wrong), ERROR_INVALID_ENUMERATION, "stype");
}

UNIT_TEST(objects_that_commands_or_others_use_are_not_for_destroying) {
    ze_command_list_handle_t list = soft_list(0, 0);
    uint32_t *memory = soft_memory(ZE_MEMORY_TYPE_HOST, 16);
    OK(soft_fill(soft.list, memory, soft.events[1], soft.events[0]));
    MISUSE(zeMemFree(soft.context, test_take(memory)), SUCCESS, "used by 1 commands that are not done");
    MISUSE(zeEventHostReset(soft.events[0]), ERROR_HANDLE_OBJECT_IN_USE, "used by 1 commands that are not done");
    /* The memory stays until the command is done. */
    OK(zeEventHostSignal(soft.events[0]));
    OK(zeEventHostSynchronize(soft.events[1], FOREVER));
    soft_reset_events();
    OK(zeCommandListAppendBarrier(list, NULL, 1, &soft.events[0]));
    MISUSE(zeCommandListDestroy(test_take(list)), SUCCESS, "1 commands are not done");
    ze_module_handle_t module = soft_module(&uh_program_module_kernels);
    (void)soft_kernel(module, "add");
    MISUSE(zeModuleDestroy(test_take(module)), SUCCESS, "still has 1 handles alive");
    list = soft_list(0, 0);
    OK(zeCommandListAppendBarrier(list, NULL, 1, &soft.events[0]));
    MISUSE(zeEventDestroy(soft.events[0]), SUCCESS, "used by 1 commands that are not done");
    MISUSE(zeCommandListDestroy(test_take(list)), SUCCESS, "1 commands are not done");
    OK(zeEventCreate(soft.pool, &first_event, &soft.events[0]));
}

UNIT_TEST(memory_is_freed_once_by_its_start) {
    for (int type = ZE_MEMORY_TYPE_HOST; type <= ZE_MEMORY_TYPE_SHARED; type++) {
        char *pointer = soft_memory((ze_memory_type_t)type, 5000);
        MISUSE(zeMemFree(soft.context, pointer + 8), ERROR_INVALID_ARGUMENT, "no allocation");
        soft_free(test_take(pointer));
        MISUSE(zeMemFree(soft.context, pointer), ERROR_INVALID_ARGUMENT, "no allocation");
    }
}

UNIT_TEST(a_write_past_the_end_is_found) {
    char *memory = soft_memory(ZE_MEMORY_TYPE_HOST, 100);
    memory[100] = 1;
    MISUSE(zeMemFree(soft.context, test_take(memory)), SUCCESS, "past the end of the 100 bytes");
    soft_free(
        test_take(soft_memory(ZE_MEMORY_TYPE_DEVICE, 100))); /* the driver can read it, although the host cannot */
}

UNIT_TEST(memory_of_another_context_or_device_is_out_of_reach) {
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t devices[2];
    ze_context_handle_t other;
    uint32_t two = 2;
    void *memory = soft_memory(ZE_MEMORY_TYPE_DEVICE, 100), *base = NULL, *elsewhere = NULL;
    char byte = 0;
    OK(zeContextCreate(soft.driver, &context_desc, &other));
    OK(zeMemGetAllocProperties(other, memory, &properties, NULL));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_UNKNOWN);
    MISUSE(zeMemGetAddressRange(other, memory, &base, NULL), ERROR_INVALID_ARGUMENT, "no allocation of this context");
    OK(zeMemAllocDevice(other, &device_desc, 100, 0, soft.device, &elsewhere));
    MISUSE(zeCommandListAppendMemoryCopy(soft.list, elsewhere, &byte, 1, NULL, 0, NULL), ERROR_INVALID_ARGUMENT,
           "another context");
    OK(zeMemFree(other, elsewhere));
    OK(zeContextDestroy(other));
    OK(zeDeviceGet(soft.driver, &two, devices));
    OK(zeMemAllocDevice(soft.context, &device_desc, 100, 0, devices[1], &elsewhere));
    MISUSE(zeCommandListAppendMemoryCopy(soft.list, elsewhere, &byte, 1, NULL, 0, NULL), ERROR_INVALID_ARGUMENT,
           "another device");
    soft_free(elsewhere);
}

UNIT_TEST(host_memory_is_imported_once_and_not_released_while_it_is_copied) {
    ze_result_t (*import)(ze_driver_handle_t, void *, size_t) = NULL;
    ze_result_t (*release)(ze_driver_handle_t, void *) = NULL;
    void *address = NULL;
    char *memory = soft_memory(ZE_MEMORY_TYPE_DEVICE, 5000), *plain = test_memory(5000);
    OK(zeDriverGetExtensionFunctionAddress(soft.driver, "zexDriverImportExternalPointer", &address));
    memcpy(&import, &address, sizeof import);
    OK(zeDriverGetExtensionFunctionAddress(soft.driver, "zexDriverReleaseImportedPointer", &address));
    memcpy(&release, &address, sizeof release);
    OK(import(soft.driver, plain, 5000));
    IS(import(soft.driver, plain + 4999, 1), ERROR_INVALID_ARGUMENT);
    OK(zeCommandListAppendMemoryCopy(soft.list, memory, plain + 100, 4000, soft.events[0], 1, &soft.events[1]));
    MISUSE(release(soft.driver, plain), SUCCESS, "used by 1 commands");
    OK(zeEventHostSignal(soft.events[1]));
    OK(zeEventHostSynchronize(soft.events[0], FOREVER));
    MISUSE(release(soft.driver, plain), ERROR_INVALID_ARGUMENT, "has not been imported");
    soft_reset_events();
}

UNIT_TEST(copies_and_fills_stay_in_allocations_and_in_the_limits) {
    char *device = soft_memory(ZE_MEMORY_TYPE_DEVICE, 1008), plain[1009] = "";
    ze_command_list_handle_t copies = soft_list(1, 0);
    MISUSE(zeCommandListAppendMemoryCopy(soft.list, device + 9, plain, 1000, NULL, 0, NULL), ERROR_INVALID_SIZE,
           "1000 bytes");
    MISUSE(zeCommandListAppendMemoryCopy(soft.list, plain, device, 1009, NULL, 0, NULL), ERROR_INVALID_SIZE,
           "1009 bytes");
    MISUSE(zeCommandListAppendMemoryFill(soft.list, device, plain, 8, 1016, NULL, 0, NULL), ERROR_INVALID_SIZE,
           "1016 bytes");
    MISUSE(zeCommandListAppendMemoryFill(soft.list, device, plain, 256, 256, NULL, 0, NULL), ERROR_INVALID_SIZE,
           "pattern_size is 256");
    MISUSE(zeCommandListAppendMemoryFill(soft.list, device, plain, 3, 3, NULL, 0, NULL), ERROR_INVALID_SIZE,
           "pattern_size is 3");
    MISUSE(zeCommandListAppendMemoryFill(copies, device, plain, 4, 4, NULL, 0, NULL), ERROR_INVALID_SIZE,
           "pattern_size is 4");
}

UNIT_TEST(a_pool_without_a_flag_refuses_what_the_flag_is_for) {
    ze_event_pool_handle_t pool = NULL;
    ze_event_handle_t event = NULL, same = NULL;
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    const ze_event_desc_t second = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 1};
    ze_kernel_timestamp_result_t times;
    OK(zeEventPoolCreate(soft.context, &desc, 0, NULL, &pool));
    OK(zeEventCreate(pool, &first_event, &event));
    MISUSE(zeEventHostSynchronize(event, 0), ERROR_INVALID_SYNCHRONIZATION_OBJECT, "HOST_VISIBLE");
    MISUSE(zeEventQueryStatus(event), ERROR_INVALID_SYNCHRONIZATION_OBJECT, "HOST_VISIBLE");
    MISUSE(zeEventQueryKernelTimestamp(event, &times), ERROR_INVALID_ARGUMENT, "KERNEL_TIMESTAMP");
    MISUSE(zeEventCreate(pool, &second, &same), ERROR_INVALID_ARGUMENT, "index is 1");
    MISUSE(zeEventCreate(pool, &first_event, &same), ERROR_INVALID_ARGUMENT, "place 0");
    OK(zeEventDestroy(event));
    OK(zeEventPoolDestroy(pool));
    IS(zeEventQueryKernelTimestamp(soft.events[3], &times), NOT_READY);
}

static ze_result_t create_counter_pool(uint32_t flags, ze_event_pool_handle_t *pool) {
    const ze_event_pool_counter_based_exp_desc_t counts = {.stype = ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC,
                                                           .flags = flags};
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .pNext = &counts,
                                       .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                       .count = 1};
    return zeEventPoolCreate(soft.context, &desc, 0, NULL, pool);
}

UNIT_TEST(counters_are_raised_by_commands_of_lists_in_order_alone) {
    ze_command_list_handle_t list = soft_list(0, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ze_event_pool_handle_t pool = NULL, none = NULL;
    ze_event_handle_t event = NULL;
    OK(create_counter_pool(ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE, &pool));
    OK(zeEventCreate(pool, &first_event, &event));
    MISUSE(zeEventHostSynchronize(event, 0), ERROR_INVALID_ARGUMENT, "no command will raise");
    MISUSE(zeCommandListAppendBarrier(list, NULL, 1, &event), ERROR_INVALID_ARGUMENT, "no command will raise");
    MISUSE(zeCommandListAppendBarrier(soft.list, event, 0, NULL), ERROR_INVALID_ARGUMENT, "the list is not in order");
    MISUSE(zeEventHostReset(event), ERROR_INVALID_ARGUMENT, "is a counter");
    MISUSE(zeEventHostSignal(event), ERROR_INVALID_ARGUMENT, "is a counter");
    MISUSE(create_counter_pool(2, &none), ERROR_INVALID_ENUMERATION, "flags are 0x2");
    OK(zeEventDestroy(event));
    OK(zeEventPoolDestroy(pool));
}

UNIT_TEST(an_older_driver_has_neither_lists_in_order_nor_counters) {
    ze_command_list_handle_t list = NULL;
    ze_event_pool_handle_t pool = NULL;
    uint32_t with = 0, without = 0;
    OK(zeDriverGetExtensionProperties(soft.driver, &with, NULL));
    SET("in_order=0");
    OK(zeDriverGetExtensionProperties(soft.driver, &without, NULL));
    assert_int_equal(without, with - 1);
    MISUSE(soft_create_list(0, ZE_COMMAND_QUEUE_FLAG_IN_ORDER, &list), ERROR_INVALID_ENUMERATION, "no in-order lists");
    MISUSE(create_counter_pool(0, &pool), ERROR_UNSUPPORTED_ENUMERATION, "extension");
    SET("in_order=1");
}

UNIT_TEST(arguments_are_those_that_the_kernel_declares_and_all_are_set) {
    ze_module_handle_t module = soft_module(&uh_program_module_kernels);
    ze_kernel_handle_t take = soft_kernel(module, "take"), fixed = soft_kernel(module, "fixed");
    uint64_t value = 0;
    void *host = &value;
    const struct {
        uint32_t index;
        size_t size;
        const void *value;
    } wrong[] = {{0, 4, &value}, {1, 2, &value}, {6, 12, &value}, {7, 16, &value}, {8, 64, &value}, {8, 0, NULL}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        IS(zeKernelSetArgumentValue(take, wrong[i].index, wrong[i].size, wrong[i].value),
           ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    IS(zeKernelSetArgumentValue(take, 11, 8, &value), ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    MISUSE(zeKernelSetArgumentValue(take, 0, 8, &host), ERROR_INVALID_ARGUMENT, "no allocation");
    OK(zeKernelSetGroupSize(take, 1, 1, 1));
    MISUSE(soft_launch(soft.list, take, 1, NULL), ERROR_INVALID_ARGUMENT, "argument 0 of take is not set");
    IS(zeKernelSetGroupSize(fixed, 8, 1, 1), ERROR_INVALID_GROUP_SIZE_DIMENSION);
    void *out = soft_memory(ZE_MEMORY_TYPE_DEVICE, 4);
    OK(zeKernelSetArgumentValue(fixed, 0, 8, &out));
    MISUSE(soft_launch(soft_list(1, 0), fixed, 1, NULL), ERROR_INVALID_COMMAND_LIST_TYPE, "copies only");
}

UNIT_TEST(groups_and_local_memory_beyond_the_limits_are_refused) {
    static const uint32_t wrong[][3] = {{129, 1, 1}, {64, 2, 2}, {1, 0, 1}, {65536, 65536, 1}};
    ze_kernel_handle_t kernel = soft_kernel(soft_module(&uh_program_module_kernels), "holds");
    uint32_t *out = soft_memory(ZE_MEMORY_TYPE_SHARED, 4 * 128);
    SET("group=128,slm=8192");
    for (size_t i = 0; i < 4; i++)
        IS(zeKernelSetGroupSize(kernel, wrong[i][0], wrong[i][1], wrong[i][2]), ERROR_INVALID_GROUP_SIZE_DIMENSION);
    OK(zeKernelSetArgumentValue(kernel, 0, 8, &out));
    OK(zeKernelSetGroupSize(kernel, 128, 1, 1));
    /* 4096 bytes are the kernel's own. */
    OK(zeKernelSetArgumentValue(kernel, 1, 8192 - 4096 + 1, NULL));
    IS(soft_launch(soft.list, kernel, 1, NULL), ERROR_OUT_OF_DEVICE_MEMORY);
    OK(zeKernelSetArgumentValue(kernel, 1, 8192 - 4096, NULL));
    OK(soft_launch(soft.list, kernel, 1, NULL));
    soft_finish();
    SET("group=1024,slm=65536");
}

UNIT_TEST(a_module_that_was_not_built_has_no_kernels) {
    const uh_program *program = &uh_program_module_kernels_f64;
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "halve"};
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    uint32_t count = 0;
    size_t size = 0;
    char *log = NULL;
    SET("fp64=0,unbuilt=1");
    OK(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, program->spirv, program->spirv_size, &module, &log));
    assert_non_null(strstr(log, "double"));
    assert_non_null(strstr(log, "\nerror: backend compiler failed build.\n"));
    MISUSE(zeModuleGetKernelNames(module, &count, NULL), ERROR_UNKNOWN, "not been built");
    MISUSE(zeModuleGetNativeBinary(module, &size, NULL), ERROR_UNKNOWN, "not been built");
    MISUSE(zeKernelCreate(module, &desc, &kernel), ERROR_UNKNOWN, "not been built");
    OK(zeModuleDestroy(module));
    free(log);
    SET("fp64=1,unbuilt=0");
}

static int end_with(int leak, int misuse) {
    soft_setup(NULL);
    if (leak)
        (void)!test_take(soft_memory(ZE_MEMORY_TYPE_HOST, 16));
    if (misuse)
        (void)!zeCommandListAppendMemoryFill(soft.list, soft.list, "", 3, 3, NULL, 0, NULL);
    for (int i = 0; i < 8; i++)
        OK(zeEventDestroy(soft.events[i]));
    OK(zeEventPoolDestroy(soft.pool));
    OK(zeCommandListDestroy(soft.list));
    (void)!zeContextDestroy(soft.context);
    return 0;
}

TEST_CHILD(clean) { return end_with(0, 0); }

TEST_CHILD(leak) { return end_with(1, 0); }

TEST_CHILD(misuse) { return end_with(0, 1); }

UNIT_TEST(the_end_of_the_process_reports_leaks_and_misuses) {
    static const struct {
        const char *mode, *setting;
        int exit_code;
        const char *says;
    } rows[] = {{"clean", "SOFT_GPU_LEAKS=fatal", 0, ""},
                {"leak", "SOFT_GPU_LEAKS=fatal", 99, "1 memory, the first is number"},
                {"leak", "SOFT_GPU_LEAKS", 0, "1 memory, the first is number"},
                {"misuse", "SOFT_GPU_LEAKS=fatal", 99, "misuses: 1"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_expect_child(rows[i].mode, TEST_ENVIRONMENT(rows[i].setting), rows[i].exit_code, "", rows[i].says);
}

TEST_MAIN(test_soft_misuse) {
    char settings[256];
    const char *set = getenv("SOFT_GPU");
    snprintf(settings, sizeof settings, "%s,devices=2,copy_engine=1", set ? set : "");
    setenv("SOFT_GPU", settings, 1);
    return test_run_units(soft_setup, soft_teardown);
}
