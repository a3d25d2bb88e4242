/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of Level Zero devices: their commands run in order, however many there are. */
#include <level_zero/ze_api.h>

#include "runtime/queue.h"
#include "tests/fixture.h"

/* Fills and copies back and forth `steps` times, each step depending on the one before; checks the result. The events
 * of `every`-th steps are requested and destroyed at the end (0: none). */
static void run_chain(uh_queue *queue, size_t steps, size_t every) {
    enum { SIZE = 4096 };
    uh_device *device = queue->device;
    unsigned char *a = test_ze_alloc(device, UH_MEMORY_DEVICE, SIZE);
    unsigned char *b = test_ze_alloc(device, UH_MEMORY_DEVICE, SIZE);
    unsigned char *result = calloc(steps, 2);
    uh_event **events = calloc(2 * steps, sizeof(uh_event *));
    assert_true(result && events);
    for (size_t i = 0; i < steps; i++) {
        unsigned char value = (unsigned char)(i * 7 + 1);
        uh_event **event = every && i % every == 0 ? &events[2 * i] : NULL;
        test_good(uh_fill(queue, a, &value, 1, SIZE, SIGNAL(event)));
        test_good(uh_memcpy(queue, b, a, SIZE, NULL));
        test_good(uh_memcpy(queue, result + 2 * i, b + i % SIZE, 1, SIGNAL(event ? event + 1 : NULL)));
        test_good(uh_memcpy(queue, result + 2 * i + 1, b + SIZE - 1, 1, NULL));
    }
    test_good(uh_queue_wait(queue));
    for (size_t i = 0; i < 2 * steps && test_ze_computes(); i++)
        if (result[i] != (unsigned char)(i / 2 * 7 + 1))
            fail_msg("step %zu gave %u, expected %u", i / 2, result[i], (unsigned)(unsigned char)(i / 2 * 7 + 1));
    for (size_t i = 0; i < 2 * steps; i++)
        uh_event_destroy(events[i]);
    free(events);
    free(result);
}

UNIT_TEST(commands_run_in_order_with_events_and_without) {
    for (int profiling = 0; profiling < 2; profiling++) {
        uh_queue *queue = test_ze_queue(test_ze_device(), profiling);
        assert_int_equal(queue->options.threads, 1);
        for (size_t every = 0; every < 4; every++)
            run_chain(queue, 10, every);
    }
}

UNIT_TEST(more_commands_than_may_be_in_flight_stay_in_order) {
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    run_chain(queue, 200, 0);
    run_chain(queue, 100, 1);
    run_chain(queue, 130, 3);
}

UNIT_TEST(destroying_a_queue_waits_for_its_work) {
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    unsigned char *shared = test_ze_alloc(test_ze_device(), UH_MEMORY_HOST, 1 << 20);
    const unsigned char value = 0x5c;
    for (int i = 0; i < 10; i++)
        test_good(uh_fill(queue, shared, &value, 1, 1 << 20, NULL));
    uh_queue_destroy(test_take(queue));
    for (size_t i = 0; i < 1 << 20 && test_ze_computes(); i++)
        assert_int_equal(shared[i], value);
}

UNIT_TEST(a_queue_for_copies_copies_and_fills_in_order) {
    run_chain(test_queue_of(test_ze_device(), QUEUE_OPTIONS(.engine = UH_ENGINE_COPY)), 70, 2);
}

/* A loader has the function, and the driver has not: events keep the order then. */
UNIT_TEST(a_driver_without_waiting_for_lists_keeps_order_too) {
    const struct soft_gpu gpu = test_soft_gpu();
    assert_int_equal((gpu.fail)("zeCommandListHostSynchronize:1+=ERROR_UNSUPPORTED_FEATURE"), 0);
    run_chain(test_ze_queue(test_ze_device(), 0), 100, 3);
    assert_int_equal((gpu.fail)(NULL), 0);
}

/* Also those of a combined device's parts; the library's own lists are NORMAL. */
UNIT_TEST(the_priority_is_the_lists) {
    static const struct {
        uh_priority priority;
        ze_command_queue_priority_t native;
    } priorities[] = {{UH_PRIORITY_NORMAL, ZE_COMMAND_QUEUE_PRIORITY_NORMAL},
                      {UH_PRIORITY_LOW, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW},
                      {UH_PRIORITY_HIGH, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH}};
    struct soft_gpu gpu;
    const int soft = soft_gpu_find(&gpu) == 0;
    for (size_t i = 0; i < 3; i++) {
        const uh_queue_options *options = QUEUE_OPTIONS(.priority = priorities[i].priority);
        const uint32_t native = (uint32_t)priorities[i].native;
        const size_t before = soft ? gpu.lists(native) : 0;
        uh_queue *queue = test_queue_of(test_ze_device(), options);
        run_chain(queue, 10, 2);
        assert_int_equal(soft ? gpu.lists(native) : 1, before + 1);
        uh_queue *queues = test_queue_of(test_device("all"), options);
        if (soft)
            assert_true(gpu.lists(native) > before + 1);
        uh_queue_destroy(test_take(queues));
        uh_queue_destroy(test_take(queue));
        assert_int_equal(soft ? gpu.lists(native) : 0, before);
    }
}

/* A short program for the log, with one queue. */
TEST_CHILD(trace) {
    unsigned char result = 0, *memory = test_ze_alloc(test_ze_device(), UH_MEMORY_DEVICE, 100);
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    uh_event *event = NULL;
    test_good(uh_fill(queue, memory, "a", 1, 100, NULL));
    test_good(uh_memcpy(queue, &result, memory, 1, SIGNAL(&event)));
    uh_event_destroy(event);
    return 0;
}

UNIT_TEST(the_trace_names_every_call_its_result_and_its_nanoseconds) {
    static const char calls[] =
        "zeInit zeDriverGet zeDeviceGet zeContextCreate zeDeviceGetProperties zeEventPoolCreate "
        "zeCommandListCreateImmediate zeMemAllocDevice zeEventCreate zeCommandListAppendMemoryFill "
        "zeCommandListAppendMemoryCopy zeEventHostSynchronize zeMemFree zeEventDestroy zeEventPoolDestroy "
        "zeCommandListDestroy zeContextDestroy ";
    const char *log = test_expect_child("trace", TEST_ENVIRONMENT("UNIHIST_LOG=trace"), 0, "", "")->err;
    const int shared_context = strstr(log, "zeDriverGetDefaultContext: ZE_RESULT_SUCCESS, ") != NULL;
    const int by_type = strstr(log, "zeInitDrivers: ZE_RESULT_SUCCESS, ") != NULL;
    for (const char *call = calls; *call; call = strchr(call, ' ') + 1) {
        char line[128];
        if (shared_context && strncmp(call, "zeContext", 9) == 0) /* the driver's own context is used */
            continue;
        if (by_type && (strncmp(call, "zeInit ", 7) == 0 || strncmp(call, "zeDriverGet ", 12) == 0))
            continue;
        snprintf(line, sizeof line, "unihist: trace: %.*s: ZE_RESULT_SUCCESS, ", (int)strcspn(call, " "), call);
        const char *at = strstr(log, line);
        char *end = NULL;
        if (!at)
            fail_msg("no \"%s\" in the log: %s", line, log);
        else if (strtoull(at + strlen(line), &end, 10) == 0 || strncmp(end, " ns\n", 4) != 0)
            fail_msg("no nanoseconds in: %.120s", at);
    }
}

TEST_ZE_MAIN(test_runtime_ze_queue, NULL, NULL)
