/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, tiles and memory of the soft GPU. What zeInit reads from the environment is tried in child processes. */
#include "soft_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/ze_newer.h"
#include "tests/support.h"

static const ze_device_mem_alloc_desc_t device_desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

static ze_result_t allocate(ze_device_handle_t device, size_t size, size_t alignment, void **pointer) {
    return zeMemAllocDevice(soft.context, &device_desc, size, alignment, device, pointer);
}

/* ---- child: two devices of two tiles ---- */

static void check_tiles(ze_device_handle_t device, uint32_t index) {
    uint32_t count = 0;
    ze_device_handle_t tiles[2];
    ze_device_properties_t whole = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_device_memory_properties_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    OK(zeDeviceGetProperties(device, &whole));
    assert_string_equal(whole.name, index ? "Test device 1" : "Test device 0");
    assert_int_equal(whole.numSlices * whole.numSubslicesPerSlice * whole.numEUsPerSubslice, 48 * 2);
    assert_int_equal(whole.numThreadsPerEU, 5);
    assert_int_equal(whole.flags, ZE_DEVICE_PROPERTY_FLAG_INTEGRATED);
    count = 1;
    OK(zeDeviceGetMemoryProperties(device, &count, &memory));
    assert_true(memory.totalSize == 2 << 20);
    count = 0;
    OK(zeDeviceGetSubDevices(device, &count, NULL));
    assert_int_equal(count, 2);
    OK(zeDeviceGetSubDevices(device, &count, tiles));
    for (uint32_t i = 0; i < 2; i++) {
        ze_device_properties_t tile = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
        uint32_t none = 0;
        OK(zeDeviceGetProperties(tiles[i], &tile));
        assert_int_equal(tile.subdeviceId, i);
        assert_true(tile.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE);
        assert_int_equal(tile.numSlices * tile.numSubslicesPerSlice * tile.numEUsPerSubslice, 48);
        assert_memory_not_equal(&tile.uuid, &whole.uuid, sizeof tile.uuid);
        OK(zeDeviceGetSubDevices(tiles[i], &none, NULL));
        assert_int_equal(none, 0);
    }
    void *on_tile[2], *on_whole;
    OK(allocate(tiles[0], 1 << 20, 0, &on_tile[0]));
    IS(allocate(tiles[0], 1, 0, &on_whole), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    OK(allocate(tiles[1], 1 << 19, 0, &on_tile[1]));
    IS(allocate(device, (1 << 19) + 1, 0, &on_whole), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    OK(allocate(device, 1 << 19, 0, &on_whole));
    IS(allocate(tiles[1], 1, 0, &on_tile[1]), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    soft_free(on_tile[0]);
    soft_free(on_tile[1]);
    soft_free(on_whole);
}

static void two_devices_of_two_tiles_are_what_the_settings_say(void **state) {
    (void)state;
    uint32_t count = 0;
    ze_device_handle_t devices[2];
    void *memory;
    char byte = 0;
    OK(zeDeviceGet(soft.driver, &count, NULL));
    assert_int_equal(count, 2);
    OK(zeDeviceGet(soft.driver, &count, devices));
    check_tiles(devices[0], 0);
    check_tiles(devices[1], 1);
    OK(allocate(devices[1], 100, 0, &memory));
    /* The fixture's list is of the first device. */
    IS(zeCommandListAppendMemoryCopy(soft.list, memory, &byte, 1, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("another device");
    soft_free(memory);
    count = 0;
    OK(zeDeviceGetCommandQueueGroupProperties(devices[0], &count, NULL));
    assert_int_equal(count, 2);
    ze_command_queue_group_properties_t groups[2] = {{.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES},
                                                     {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES}};
    OK(zeDeviceGetCommandQueueGroupProperties(devices[0], &count, groups));
    assert_int_equal(groups[0].flags & 3, 3);
    assert_int_equal(groups[1].flags, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
    assert_int_equal(groups[1].maxMemoryFillPatternSize, 1);
}

static void the_copy_engine_copies_and_launches_nothing(void **state) {
    (void)state;
    ze_command_list_handle_t list = soft_immediate(1);
    ze_module_handle_t module = soft_module();
    ze_kernel_handle_t kernel = soft_kernel(module, "required");
    ze_group_count_t one = {1, 1, 1};
    uint32_t value = 0x01020304, got = 0, *memory = soft_device_memory(64);
    soft_argument(kernel, 0, sizeof memory, &memory);
    IS(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    soft_expect_misuse("copies only");
    IS(zeCommandListAppendMemoryFill(list, memory, &value, 4, 4, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    soft_expect_misuse("pattern_size is 4");
    OK(zeCommandListAppendMemoryFill(list, memory, &value, 1, 4, NULL, 0, NULL));
    OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopy(list, &got, memory, 4, soft.events[0], 0, NULL));
    OK(zeEventHostSynchronize(soft.events[0], FOREVER));
    assert_int_equal(got, 0x04040404);
    OK(zeEventHostReset(soft.events[0]));
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    OK(zeCommandListDestroy(list));
    soft_free(memory);
}

TEST_CHILD(many) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_devices_of_two_tiles_are_what_the_settings_say),
        cmocka_unit_test(the_copy_engine_copies_and_launches_nothing),
    };
    return cmocka_run_group_tests(tests, soft_setup, soft_teardown);
}

/* ---- child: two devices whose tiles are listed as devices ---- */

static void tiles_are_devices_with_their_cards_address_and_memory_of_their_own(void **state) {
    (void)state;
    enum { TILES = 4 };
    uint32_t count = 0;
    ze_device_handle_t tiles[TILES];
    void *memory, *none;
    OK(zeDeviceGet(soft.driver, &count, NULL));
    assert_int_equal(count, TILES);
    OK(zeDeviceGet(soft.driver, &count, tiles));
    OK(allocate(tiles[0], 1 << 19, 0, &memory));
    for (uint32_t i = 0; i < TILES; i++) {
        ze_device_usablemem_size_ext_properties_t left = {.stype =
                                                              ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES};
        ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &left};
        ze_pci_ext_properties_t pci = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
        ze_device_memory_ext_properties_t speed = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_EXT_PROPERTIES};
        ze_device_memory_properties_t of = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES, .pNext = &speed};
        uint32_t nothing = 0, one = 1;
        OK(zeDeviceGetProperties(tiles[i], &p));
        assert_int_equal(p.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE, 0);
        assert_int_equal(p.subdeviceId, i % 2);
        assert_int_equal(p.uuid.id[15], i % 2 + 1);
        assert_int_equal(left.currUsableMemSize, i ? 1 << 20 : 1 << 19);
        OK(zeDevicePciGetPropertiesExt(tiles[i], &pci));
        assert_int_equal(pci.address.bus, 0x3a + i / 2);
        OK(zeDeviceGetMemoryProperties(tiles[i], &one, &of));
        assert_int_equal(speed.readBandwidth, 7);
        OK(zeDeviceGetSubDevices(tiles[i], &nothing, NULL));
        assert_int_equal(nothing, 0);
    }
    IS(allocate(tiles[0], (1 << 19) + 1, 0, &none), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    soft_free(memory);
}

TEST_CHILD(flat) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_devices_with_their_cards_address_and_memory_of_their_own),
    };
    return cmocka_run_group_tests(tests, soft_setup, soft_teardown);
}

/* ---- child: touches device memory ---- */

TEST_CHILD(touch) {
    soft_setup(NULL);
    volatile char *memory = soft_device_memory(100);
    printf("%d\n", memory[99]);
    soft_free((void *)(uintptr_t)memory);
    return soft_teardown(NULL);
}

/* ---- here ---- */

UNIT_TEST(settings_describe_devices_and_tiles) {
    struct test_child child;
    const char *const environment[] = {"SOFT_GPU=devices=2,tiles=2,name=Test device,eus=48,threads=5,"
                                       "unified=1,memory=1048576,copy_engine=1",
                                       NULL};
    test_run_child("many", environment, &child);
    if (child.exit_code)
        fail_msg("exit code %d:\n%s%s", child.exit_code, child.out, child.err);
}

UNIT_TEST(a_setting_lists_tiles_as_devices) {
    struct test_child child;
    const char *const environment[] = {"SOFT_GPU=devices=2,tiles=2,flat=1,memory=1048576,bandwidth=7", NULL};
    test_run_child("flat", environment, &child);
    if (child.exit_code)
        fail_msg("exit code %d:\n%s%s", child.exit_code, child.out, child.err);
}

UNIT_TEST(wrong_settings_make_zeInit_fail_and_say_so) {
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
        {"SOFT_GPU_LOSE=soon", "SOFT_GPU_LOSE is 'soon'"},
        {"SOFT_GPU_OPENCL=no such platform", "no OpenCL device"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct test_child child;
        const char *const environment[] = {wrong[i][0], NULL};
        test_run_child("init", environment, &child);
        if (child.exit_code != 3 || !strstr(child.err, wrong[i][1]))
            fail_msg("%s: exit code %d, '%s'", wrong[i][0], child.exit_code, child.err);
    }
}

UNIT_TEST(memory_is_limited_and_counted) {
    void *first, *second, *shared;
    assert_int_equal(soft.gpu.set("memory=1000000,max_alloc=600000"), 0);
    IS(allocate(soft.device, 600001, 0, &first), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    IS(allocate(soft.device, 0, 0, &first), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    OK(allocate(soft.device, 600000, 0, &first));
    IS(allocate(soft.device, 400001, 0, &second), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    IS(zeMemAllocShared(soft.context, &device_desc, &host_desc, 400001, 0, soft.device, &shared),
       ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    shared = soft_shared_memory(400000);
    IS(allocate(soft.device, 1, 0, &second), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    soft_free(first);
    ze_relaxed_allocation_limits_exp_desc_t limits = {.stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC,
                                                      .flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE};
    soft_free(test_take(shared));
    ze_device_mem_alloc_desc_t relaxed = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .pNext = &limits};
    OK(zeMemAllocDevice(soft.context, &relaxed, 1000000, 0, soft.device, &first));
    soft_free(first);
    assert_int_equal(soft.gpu.set("memory=4294967296,max_alloc=4294967296"), 0);
}

UNIT_TEST(allocations_are_aligned_and_full_of_garbage) {
    void *pointer;
    for (size_t alignment = 1; alignment <= (size_t)2 << 20; alignment *= 2) {
        OK(zeMemAllocHost(soft.context, &host_desc, 777, alignment, &pointer));
        assert_int_equal((uintptr_t)pointer % alignment, 0);
        for (int i = 0; i < 777; i++)
            assert_int_equal(((unsigned char *)pointer)[i], 0xa5);
        soft_free(pointer);
    }
    IS(zeMemAllocHost(soft.context, &host_desc, 8, 24, &pointer), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    IS(zeMemAllocHost(soft.context, &host_desc, 8, (size_t)4 << 20, &pointer), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
}

UNIT_TEST(a_pointer_tells_its_allocation_in_its_own_context_alone) {
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_context_handle_t other;
    ze_device_handle_t of = NULL;
    void *base = NULL;
    size_t size = 0;
    char *memory = soft_device_memory(5000);
    OK(zeContextCreate(soft.driver, &desc, &other));
    OK(zeMemGetAllocProperties(soft.context, memory + 4999, &properties, &of));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_DEVICE);
    assert_ptr_equal(of, soft.device);
    OK(zeMemGetAddressRange(soft.context, memory + 4999, &base, &size));
    assert_ptr_equal(base, memory);
    assert_int_equal(size, 5000);
    OK(zeMemGetAllocProperties(other, memory, &properties, &of));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_UNKNOWN);
    IS(zeMemGetAddressRange(other, memory, &base, &size), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(soft.gpu.misuses(NULL, 0), 1);
    OK(zeMemGetAllocProperties(soft.context, &other, &properties, &of));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_UNKNOWN);
    OK(zeContextDestroy(other));
}

UNIT_TEST(host_memory_is_imported_once_and_not_released_while_it_is_copied) {
    ze_result_t (*import)(ze_driver_handle_t, void *, size_t) = NULL;
    ze_result_t (*release)(ze_driver_handle_t, void *) = NULL;
    void *import_at = NULL, *release_at = NULL;
    char *memory = soft_device_memory(5000), *plain = test_at_end(calloc(1, 5000), free);
    OK(zeDriverGetExtensionFunctionAddress(soft.driver, "zexDriverImportExternalPointer", &import_at));
    OK(zeDriverGetExtensionFunctionAddress(soft.driver, "zexDriverReleaseImportedPointer", &release_at));
    memcpy(&import, &import_at, sizeof import);
    memcpy(&release, &release_at, sizeof release);
    OK(import(soft.driver, plain, 5000));
    IS(import(soft.driver, plain + 4999, 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeCommandListAppendMemoryCopy(soft.list, memory, plain + 100, 4000, soft.events[0], 1, &soft.events[1]));
    OK(release(soft.driver, plain));
    assert_int_equal(soft.gpu.misuses(NULL, 0), 1);
    OK(zeEventHostSignal(soft.events[1]));
    OK(zeEventHostSynchronize(soft.events[0], FOREVER));
    IS(release(soft.driver, plain), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(soft.gpu.misuses(NULL, 0), 1);
}

UNIT_TEST(only_the_start_of_a_live_allocation_can_be_freed) {
    char *pointers[3] = {soft_device_memory(5000), soft_host_memory(5000), soft_shared_memory(5000)};
    for (int i = 0; i < 3; i++) {
        IS(zeMemFree(soft.context, pointers[i] + 8), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        soft_expect_misuse("no allocation");
        soft_free(test_take(pointers[i]));
        IS(zeMemFree(soft.context, pointers[i]), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        soft_expect_misuse("no allocation");
    }
}

UNIT_TEST(a_write_past_the_end_is_found) {
    char *memory = soft_host_memory(100);
    memory[100] = 1;
    soft_free(test_take(memory));
    soft_expect_misuse("past the end of the 100 bytes");
    soft_free(test_take(soft_device_memory(100))); /* which the driver can look at, though the host cannot */
}

UNIT_TEST(the_host_cannot_touch_device_memory) {
    struct test_child child;
    const char *const protected[] = {"SOFT_GPU=protect=1", NULL}, *const open[] = {"SOFT_GPU=protect=0", NULL};
    test_run_child("touch", open, &child);
    assert_int_equal(child.exit_code, 0);
    assert_string_equal(child.out, "-91\n");
    if (!soft_protection_keys())
        skip_because("this CPU has no protection keys");
    test_run_child("touch", protected, &child);
    assert_int_not_equal(child.exit_code, 0);
    assert_string_equal(child.out, "");
}

TEST_CHILD(init) {
    return zeInit(0) ? 3 : 0;
}

TEST_AROUND(test_soft_device, soft_setup, soft_teardown)
