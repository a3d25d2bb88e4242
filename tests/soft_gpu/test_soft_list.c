/* SPDX-License-Identifier: Apache-2.0 */
/* Command lists and events of the soft GPU: what is promised, and what is not. */
#include "soft_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

UNIT_TEST(copies_go_between_all_kinds_of_memory_and_inside_allocations) {
    enum { SIZE = 100003 };
    unsigned char *plain = malloc(SIZE), *back = malloc(SIZE);
    assert_non_null(plain);
    assert_non_null(back);
    for (size_t i = 0; i < SIZE; i++)
        plain[i] = (unsigned char)(i * 37 >> 3);
    char *device = soft_device_memory(SIZE + 7), *host = soft_host_memory(SIZE), *shared = soft_shared_memory(SIZE);
    memset(back, 0, SIZE);
    OK(zeCommandListAppendMemoryCopy(soft.list, device + 7, plain, SIZE, NULL, 0, NULL));
    OK(zeCommandListAppendBarrier(soft.list, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopy(soft.list, shared, device + 7, SIZE, NULL, 0, NULL));
    OK(zeCommandListAppendBarrier(soft.list, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopy(soft.list, host, shared, SIZE, NULL, 0, NULL));
    OK(zeCommandListAppendBarrier(soft.list, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopy(soft.list, back, host, SIZE - 1, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopy(soft.list, device + SIZE + 7, plain, 0, NULL, 0, NULL));
    soft_finish();
    assert_memory_equal(shared, plain, SIZE);
    assert_memory_equal(back, plain, SIZE - 1);
    assert_int_equal(back[SIZE - 1], 0);
    free(plain);
    free(back);
}

UNIT_TEST(copies_that_leave_an_allocation_are_refused) {
    char *device = soft_device_memory(1000), plain[1001] = "";
    IS(zeCommandListAppendMemoryCopy(soft.list, device + 1, plain, 1000, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    soft_expect_misuse("1000 bytes");
    IS(zeCommandListAppendMemoryCopy(soft.list, plain, device, 1001, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    soft_expect_misuse("1001 bytes");
    IS(zeCommandListAppendMemoryFill(soft.list, device, plain, 8, 1008, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    soft_expect_misuse("1008 bytes");
}

UNIT_TEST(fills_repeat_patterns_of_every_size) {
    enum { ROOM = 4096 };
    unsigned char *memory = soft_host_memory(ROOM), pattern[256];
    for (int i = 0; i < 256; i++)
        pattern[i] = (unsigned char)(255 - i);
    for (size_t size = 1; size <= 128; size *= 2)
        for (size_t count = 0; count <= 24; count += count < 3 ? 1 : 7) {
            memset(memory, 7, ROOM);
            OK(zeCommandListAppendMemoryFill(soft.list, memory + 3, pattern, size, size * count, NULL, 0, NULL));
            soft_finish();
            for (size_t i = 0; i < ROOM; i++) {
                bool inside = i >= 3 && i < 3 + size * count;
                if (memory[i] != (inside ? pattern[(i - 3) % size] : 7))
                    fail_msg("pattern %zu, count %zu, byte %zu is %u", size, count, i, memory[i]);
            }
        }
    IS(zeCommandListAppendMemoryFill(soft.list, memory, pattern, 256, 256, NULL, 0, NULL),
       ZE_RESULT_ERROR_INVALID_SIZE);
    soft_expect_misuse("pattern_size is 256");
    IS(zeCommandListAppendMemoryFill(soft.list, memory, pattern, 3, 3, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    soft_expect_misuse("pattern_size is 3");
}

UNIT_TEST(a_pattern_is_captured_and_a_source_is_not) {
    uint32_t pattern = 1, source = 1, filled = 0, copied = 0;
    ze_event_handle_t gate = soft.events[0];
    uint32_t *device = soft_device_memory(8);
    OK(zeCommandListAppendMemoryFill(soft.list, device, &pattern, 4, 4, NULL, 1, &gate));
    OK(zeCommandListAppendMemoryCopy(soft.list, device + 1, &source, 4, NULL, 1, &gate));
    pattern = source = 2;
    OK(zeEventHostSignal(gate));
    soft_finish();
    OK(zeCommandListAppendMemoryCopy(soft.list, &filled, device, 4, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopy(soft.list, &copied, device + 1, 4, NULL, 0, NULL));
    soft_finish();
    assert_int_equal(filled, 1);
    assert_int_equal(copied, 2);
    OK(zeEventHostReset(gate));
}

/* How often of `rounds` two fills of the same word end in the order of their appending. */
static int in_order(int rounds, bool barrier) {
    uint32_t first = 1, second = 2, *memory = soft_host_memory(4);
    int right = 0;
    for (int i = 0; i < rounds; i++) {
        OK(zeCommandListAppendMemoryFill(soft.list, memory, &first, 4, 4, NULL, 0, NULL));
        if (barrier)
            OK(zeCommandListAppendBarrier(soft.list, NULL, 0, NULL));
        OK(zeCommandListAppendMemoryFill(soft.list, memory, &second, 4, 4, NULL, 0, NULL));
        soft_finish();
        right += *memory == 2;
    }
    return right;
}

UNIT_TEST(without_a_barrier_commands_change_places) {
    int right = in_order(200, false);
    assert_in_range(right, 20, 180);
    assert_int_equal(soft.gpu.set("shuffle=0"), 0);
    assert_int_equal(in_order(100, false), 100);
    assert_int_equal(soft.gpu.set("shuffle=1"), 0);
}

UNIT_TEST(with_a_barrier_they_do_not) {
    assert_int_equal(in_order(300, true), 300);
}

UNIT_TEST(an_event_orders_commands_of_two_lists) {
    uint32_t one = 1, *memory = soft_host_memory(8), got;
    ze_command_list_handle_t other = soft_immediate(0);
    for (int i = 0; i < 100; i++) {
        uint32_t next = (uint32_t)i + 10;
        memory[0] = one;
        /* The reader comes first. */
        OK(zeCommandListAppendMemoryCopy(other, memory + 1, memory, 4, soft.events[1], 1, &soft.events[0]));
        OK(zeCommandListAppendMemoryFill(soft.list, memory, &next, 4, 4, soft.events[0], 0, NULL));
        OK(zeEventHostSynchronize(soft.events[1], FOREVER));
        memcpy(&got, memory + 1, 4);
        assert_int_equal(got, next);
        OK(zeEventHostReset(soft.events[0]));
        OK(zeEventHostReset(soft.events[1]));
    }
}

UNIT_TEST(a_barrier_with_events_waits_for_those_alone_and_holds_back_the_rest) {
    uint32_t one = 1, *memory = soft_host_memory(8);
    memset(memory, 0, 8);
    /* The fill waits for an event that the host signals last: were the barrier to wait for it, nothing would end. */
    OK(zeCommandListAppendMemoryFill(soft.list, memory, &one, 4, 4, soft.events[2], 1, &soft.events[0]));
    OK(zeCommandListAppendBarrier(soft.list, soft.events[3], 1, &soft.events[1]));
    OK(zeCommandListAppendMemoryFill(soft.list, memory + 1, &one, 4, 4, soft.events[4], 0, NULL));
    IS(zeEventHostSynchronize(soft.events[4], 20000000), ZE_RESULT_NOT_READY);
    assert_int_equal(memory[1], 0);
    OK(zeEventHostSignal(soft.events[1]));
    OK(zeEventHostSynchronize(soft.events[4], FOREVER));
    OK(zeEventQueryStatus(soft.events[3]));
    IS(zeEventQueryStatus(soft.events[2]), ZE_RESULT_NOT_READY);
    OK(zeEventHostSignal(soft.events[0]));
    OK(zeEventHostSynchronize(soft.events[2], FOREVER));
    assert_int_equal(memory[0], 1);
    for (int i = 0; i < 5; i++)
        OK(zeEventHostReset(soft.events[i]));
}

UNIT_TEST(waiting_ends_when_its_time_is_over) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    IS(zeEventHostSynchronize(soft.events[0], 30000000), ZE_RESULT_NOT_READY);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double waited = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
    assert_true(waited >= 0.03);
    IS(zeEventHostSynchronize(soft.events[0], 0), ZE_RESULT_NOT_READY);
}

UNIT_TEST(synchronous_lists_return_when_the_command_is_done) {
    ze_command_list_handle_t list = NULL;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    OK(zeCommandListCreateImmediate(soft.context, soft.device, &desc, &list));
    uint32_t *memory = soft_host_memory(4);
    for (uint32_t i = 0; i < 100; i++) {
        OK(zeCommandListAppendMemoryFill(list, memory, &i, 4, 4, NULL, 0, NULL));
        assert_int_equal(*memory, i);
    }
    OK(zeCommandListDestroy(list));
}

/* ---- timestamps and the flags of event pools ---- */

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

TEST_AROUND(test_soft_list, soft_setup, soft_teardown)
