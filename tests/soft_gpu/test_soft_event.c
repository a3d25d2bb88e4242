/* SPDX-License-Identifier: Apache-2.0 */
/* Timestamps and the flags of event pools. */
#include "soft_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nanoseconds between two ticks of a timer of `bits` bits. */
static uint64_t elapsed(uint64_t begin, uint64_t end, uint64_t bits, uint64_t tick) {
    return ((end - begin) & ((UINT64_C(1) << bits) - 1)) * tick;
}

static void kernel_time(ze_kernel_timestamp_result_t *times) {
    uint32_t *memory = soft_host_memory(1 << 20), pattern = 0;
    OK(zeCommandListAppendMemoryFill(soft.list, memory, &pattern, 4, 1 << 20, soft.events[0], 0, NULL));
    OK(zeEventHostSynchronize(soft.events[0], FOREVER));
    OK(zeEventQueryKernelTimestamp(soft.events[0], times));
    OK(zeEventHostReset(soft.events[0]));
    soft_free(test_take(memory));
}

UNIT_TEST(both_versions_of_the_properties_say_how_long_a_tick_is) {
    ze_device_properties_t old = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_device_properties_t new = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};
    OK(zeDeviceGetProperties(soft.device, &old));
    OK(zeDeviceGetProperties(soft.device, &new));
    assert_int_equal(old.timerResolution, 52);
    assert_int_equal(new.timerResolution, 19230769);
    assert_int_equal(old.kernelTimestampValidBits, 36);
    ze_device_properties_t wrong = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    IS(zeDeviceGetProperties(soft.device, &wrong), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    soft_expect_misuse("stype");
}

UNIT_TEST(timestamps_lie_between_the_device_times_around_them) {
    uint64_t host[2], device[2];
    ze_kernel_timestamp_result_t times;
    OK(zeDeviceGetGlobalTimestamps(soft.device, &host[0], &device[0]));
    kernel_time(&times);
    OK(zeDeviceGetGlobalTimestamps(soft.device, &host[1], &device[1]));
    uint64_t whole = elapsed(device[0], device[1], 36, 52);
    assert_true(whole <= host[1] - host[0] + 52);
    assert_true(whole + 52 >= host[1] - host[0]);
    uint64_t begin = elapsed(device[0], times.global.kernelStart, 36, 52);
    uint64_t end = elapsed(device[0], times.global.kernelEnd, 36, 52);
    assert_true(begin <= end && end <= whole);
    assert_true(end > begin);
    assert_memory_equal(&times.global, &times.context, sizeof times.global);
}

UNIT_TEST(a_timer_of_few_bits_wraps_around) {
    ze_kernel_timestamp_result_t times;
    uint64_t largest = 0, smallest = UINT64_MAX;
    assert_int_equal(soft.gpu.set("timer_bits=16,timer=1000"), 0);
    for (int i = 0; i < 3000 && !(largest > 60000 && smallest < 5000); i++) {
        kernel_time(&times);
        assert_true(times.global.kernelStart < 65536 && times.global.kernelEnd < 65536);
        assert_true(elapsed(times.global.kernelStart, times.global.kernelEnd, 16, 1000) < 60000000);
        largest = times.global.kernelEnd > largest ? times.global.kernelEnd : largest;
        smallest = times.global.kernelEnd < smallest ? times.global.kernelEnd : smallest;
    }
    assert_int_equal(soft.gpu.set("timer_bits=36,timer=52"), 0);
    assert_true(largest > smallest);
}

UNIT_TEST(a_pool_without_a_flag_refuses_what_the_flag_is_for) {
    ze_event_pool_handle_t pool = NULL;
    ze_event_handle_t event = NULL, same = NULL;
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    ze_event_desc_t first = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 0};
    ze_event_desc_t second = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 1};
    ze_kernel_timestamp_result_t times;
    OK(zeEventPoolCreate(soft.context, &desc, 0, NULL, &pool));
    OK(zeEventCreate(pool, &first, &event));
    IS(zeEventHostSynchronize(event, 0), ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    soft_expect_misuse("HOST_VISIBLE");
    IS(zeEventQueryStatus(event), ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    soft_expect_misuse("HOST_VISIBLE");
    IS(zeEventQueryKernelTimestamp(event, &times), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("KERNEL_TIMESTAMP");
    IS(zeEventCreate(pool, &second, &same), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("index is 1");
    IS(zeEventCreate(pool, &first, &same), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("place 0");
    OK(zeEventDestroy(event));
    OK(zeEventCreate(pool, &first, &same));
    OK(zeEventDestroy(same));
    OK(zeEventPoolDestroy(pool));
}

UNIT_TEST(no_timestamp_before_the_event) {
    ze_kernel_timestamp_result_t times;
    IS(zeEventQueryKernelTimestamp(soft.events[3], &times), ZE_RESULT_NOT_READY);
}

TEST_AROUND(test_soft_event, soft_setup, soft_teardown)
