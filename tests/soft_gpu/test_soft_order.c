/* SPDX-License-Identifier: Apache-2.0 */
/* In-order lists, waiting for them, and events that are counters. */
#include "soft_fixture.h"

#include "runtime/ze_newer.h"

#include <dlfcn.h>
#include <string.h>

/* The loader may know nothing of it, so it is taken from the driver. */
static ze_result_t synchronize(ze_command_list_handle_t list, uint64_t timeout) {
    static __typeof__(&zeCommandListHostSynchronize) function;
    if (!function) {
        void *driver = dlopen(getenv("ZE_ENABLE_ALT_DRIVERS"), RTLD_NOW | RTLD_LOCAL);
        assert_non_null(driver);
        void *address = dlsym(driver, "zeCommandListHostSynchronize");
        assert_non_null(address);
        memcpy(&function, &address, sizeof address);
    }
    return function(list, timeout);
}

static ze_result_t create_list(ze_command_list_handle_t *list) {
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    return zeCommandListCreateImmediate(soft.context, soft.device, &desc, list);
}

static ze_command_list_handle_t make_list(void) {
    ze_command_list_handle_t list = NULL;
    OK(create_list(&list));
    return list;
}

static void end_list(ze_command_list_handle_t list) {
    OK(zeCommandListDestroy(list));
}

static ze_result_t create_pool(uint32_t flags, ze_event_pool_handle_t *pool) {
    const ze_event_pool_counter_based_exp_desc_t counts = {.stype = ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC,
                                                           .flags = flags};
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .pNext = &counts,
                                       .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                       .count = 1};
    return zeEventPoolCreate(soft.context, &desc, 0, NULL, pool);
}

struct counter {
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
};

static struct counter make_counter(void) {
    struct counter made = {NULL, NULL};
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    OK(create_pool(ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE, &made.pool));
    OK(zeEventCreate(made.pool, &desc, &made.event));
    return made;
}

static void end_counter(const struct counter *counter) {
    OK(zeEventDestroy(counter->event));
    OK(zeEventPoolDestroy(counter->pool));
}

UNIT_TEST(commands_of_an_in_order_list_run_as_they_were_appended) {
    enum { STEPS = 60, SIZE = 64 };
    ze_command_list_handle_t list = make_list();
    unsigned char *memory = soft_host_memory(SIZE), seen[STEPS] = {0};
    for (int i = 0; i < STEPS; i++) {
        const unsigned char value = (unsigned char)(i + 1);
        OK(zeCommandListAppendMemoryFill(list, memory, &value, 1, SIZE, NULL, 0, NULL));
        OK(zeCommandListAppendMemoryCopy(list, &seen[i], memory + i, 1, NULL, 0, NULL));
    }
    OK(synchronize(list, FOREVER));
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(seen[i], i + 1);
    end_list(list);
}

UNIT_TEST(waiting_for_a_list_ends_with_its_commands_or_its_time) {
    ze_command_list_handle_t list = make_list();
    unsigned char *memory = soft_host_memory(2);
    const unsigned char value = 9;
    memory[0] = memory[1] = 0;
    OK(synchronize(list, FOREVER));
    OK(zeCommandListAppendMemoryFill(list, memory, &value, 1, 1, NULL, 1, &soft.events[0]));
    OK(zeCommandListAppendMemoryFill(list, memory + 1, &value, 1, 1, NULL, 0, NULL));
    IS(synchronize(list, 0), ZE_RESULT_NOT_READY);
    IS(synchronize(list, 2000000), ZE_RESULT_NOT_READY);
    assert_int_equal(memory[1], 0);
    OK(zeEventHostSignal(soft.events[0]));
    OK(synchronize(list, FOREVER));
    assert_int_equal(memory[0], value);
    assert_int_equal(memory[1], value);
    OK(zeEventHostReset(soft.events[0]));
    end_list(list);
}

UNIT_TEST(waiting_for_a_list_tells_what_has_failed) {
    ze_command_list_handle_t list = make_list();
    unsigned char *memory = soft_host_memory(1);
    const unsigned char value = 9;
    assert_int_equal((soft.gpu.fail)("execute:1=ERROR_OUT_OF_DEVICE_MEMORY"), 0);
    for (int i = 0; i < 2; i++)
        OK(zeCommandListAppendMemoryFill(list, memory, &value, 1, 1, NULL, 0, NULL));
    IS(synchronize(list, FOREVER), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal((soft.gpu.fail)(NULL), 0);
    OK(zeCommandListAppendMemoryFill(list, memory, &value, 1, 1, NULL, 0, NULL));
    OK(synchronize(list, FOREVER));
    assert_int_equal(memory[0], value);
    end_list(list);
}

UNIT_TEST(a_counter_tells_of_the_last_command_and_a_waiting_one_keeps_its_count) {
    ze_command_list_handle_t list = make_list(), other = make_list();
    struct counter counter = make_counter();
    unsigned char *memory = soft_host_memory(2);
    const unsigned char value = 5;
    memory[0] = memory[1] = 0;
    OK(zeCommandListAppendMemoryFill(list, memory, &value, 1, 1, counter.event, 0, NULL));
    OK(zeEventHostSynchronize(counter.event, FOREVER));
    OK(zeEventQueryStatus(counter.event));
    assert_int_equal(memory[0], value);
    OK(zeCommandListAppendMemoryFill(other, memory + 1, &value, 1, 1, NULL, 1, &counter.event));
    /* Given again, without being reset, to a command that cannot run yet. */
    OK(zeCommandListAppendBarrier(list, counter.event, 1, &soft.events[0]));
    IS(zeEventQueryStatus(counter.event), ZE_RESULT_NOT_READY);
    OK(synchronize(other, FOREVER));
    assert_int_equal(memory[1], value);
    OK(zeEventHostSignal(soft.events[0]));
    OK(zeEventHostSynchronize(counter.event, FOREVER));
    OK(zeEventHostReset(soft.events[0]));
    end_list(other);
    end_list(list);
    end_counter(&counter);
}

UNIT_TEST(what_counters_are_not_for_is_refused) {
    ze_command_list_handle_t list = make_list();
    struct counter counter = make_counter();
    IS(zeEventHostSynchronize(counter.event, 0), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("no command will raise");
    IS(zeCommandListAppendBarrier(list, NULL, 1, &counter.event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("no command will raise");
    IS(zeCommandListAppendBarrier(soft.list, counter.event, 0, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("the list is not in order");
    IS(zeEventHostReset(counter.event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("is a counter");
    IS(zeEventHostSignal(counter.event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    soft_expect_misuse("is a counter");
    ze_event_pool_handle_t pool = NULL;
    IS(create_pool(2, &pool), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    soft_expect_misuse("flags are 0x2");
    end_counter(&counter);
    end_list(list);
}

UNIT_TEST(a_driver_without_them_says_so) {
    ze_command_list_handle_t list = NULL;
    ze_event_pool_handle_t pool = NULL;
    uint32_t with = 0, without = 0;
    OK(zeDriverGetExtensionProperties(soft.driver, &with, NULL));
    assert_int_equal(soft.gpu.set("in_order=0"), 0);
    OK(zeDriverGetExtensionProperties(soft.driver, &without, NULL));
    assert_int_equal(without, with - 1);
    IS(create_list(&list), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    soft_expect_misuse("no in-order lists");
    IS(create_pool(0, &pool), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    soft_expect_misuse("extension");
    IS(synchronize(soft.list, 0), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_int_equal(soft.gpu.set("in_order=1"), 0);
}

TEST_AROUND(test_soft_order, soft_setup, soft_teardown)
