/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments, devices and order of launches on any Level Zero driver; results are checked if it computes. */
#include "tests/launch_fixture.h"

struct pair {
    int32_t first;
    int64_t second;
    int8_t third;
};

UNIT_TEST(arguments_of_every_kind_arrive) {
    enum { GROUP = 16 };
    const int8_t a = -100;
    const int16_t b = -30000;
    const int32_t c = -2000000000;
    const int64_t d = INT64_C(-9000000000000000000);
    const float e = -0.1f;
    const int32_t f[4] = {3, 5, 7, 99};
    struct pair g;
    uint32_t bits;
    memset(&g, 0, sizeof g);
    g.first = 1000;
    g.second = INT64_C(1) << 40;
    g.third = -3;
    memcpy(&bits, &e, sizeof bits);
    uint64_t *out = test_ze_alloc(device, UH_MEMORY_SHARED, 9 * sizeof *out);
    uint64_t *table = test_ze_alloc(device, UH_MEMORY_HOST, 2 * sizeof *table);
    if (test_ze_computes())
        table[1] = 12345;
    const uint64_t expected[] = {
        (uint64_t)a,       (uint64_t)b, (uint64_t)c, (uint64_t)d, bits, 753, (uint64_t)(1000 + g.second - 3),
        12345 + GROUP - 1, GROUP - 1};
    run("take", RANGE_OF(GROUP, GROUP),
        ARGS(uh_arg_pointer(out), VALUE(a), VALUE(b), VALUE(c), VALUE(d), VALUE(e), VALUE(f), VALUE(g),
             uh_arg_local(GROUP * sizeof(uint64_t)), uh_arg_pointer(table + 1),
             uh_arg_local(GROUP * sizeof(uint32_t))));
    for (size_t i = 0; i < 9 && test_ze_computes(); i++)
        assert_int_equal(out[i], expected[i]);
}

UNIT_TEST(null_pointers_arrive_as_null_also_after_others) {
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, 2 * sizeof *out);
    for (unsigned mask = 0; mask < 8; mask++) {
        run("is_null", RANGE_OF(1, 1),
            ARGS(uh_arg_pointer(out), uh_arg_pointer((mask & 1) ? out : NULL),
                 uh_arg_pointer((mask & 2) ? out : NULL)));
        if (test_ze_computes()) {
            assert_int_equal(out[0], !(mask & 1));
            assert_int_equal(out[1], !(mask & 2));
        }
    }
}

UNIT_TEST(local_memory_is_given_up_to_what_the_kernels_own_leaves) {
    const uh_device_properties p = test_device_properties(device);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, 16 * sizeof *out);
    const uh_nd_range group = {1, {16}, {16}, {0}}, large = {1, {1 << 20}, {1 << 16}, {0}};
    uh_arg args[] = {uh_arg_pointer(out), uh_arg_local((size_t)p.local_memory - 4096)};
    run("holds", &group, args, 2);
    for (uint32_t i = 0; i < 16 && test_ze_computes(); i++)
        assert_int_equal(out[i], 15 - i + 1);
    test_invalid(uh_parallel_for(queue, get("holds"), &large, args, 2, NULL),
                 "range->local[0] is 65536, which makes a work-group of more than ");
    args[1] = uh_arg_local((size_t)p.local_memory - 4095);
    test_invalid(uh_parallel_for(queue, get("holds"), &group, args, 2, NULL), "args[1].size is ",
                 "bytes of local memory, the maximum of level_zero:0");
    args[1] = uh_arg_local(64);
    run("holds", &group, args, 2); /* what was refused leaves nothing */
}

/* A native binary says nothing of its parameters, so that all there is is the driver's own word. */
UNIT_TEST(what_only_the_driver_refuses_names_the_argument) {
    size_t size = 0;
    test_good(uh_module_native(module, NULL, &size));
    void *binary = test_memory(size);
    test_good(uh_module_native(module, binary, &size));
    uh_kernel *add = test_kernel_of(test_module(device, NATIVE(binary, size), NULL), "add");
    const uint32_t value = 1;
    uh_status status = uh_parallel_for(queue, add, RANGE_OF(1, 1), ARGS(VALUE(value), VALUE(value)), NULL);
    if (status == UH_SUCCESS) { /* Intel's drivers of today take any size of a binary's arguments */
        test_good(uh_queue_wait(queue));
        skip_because("the driver takes any size of a binary's arguments");
    }
    test_invalid(status, "uh_parallel_for: args[0] is a value of 4 bytes: zeKernelSetArgumentValue failed with ",
                 "for kernel \"add\" at ze_launch.c:");
}

UNIT_TEST(a_tile_is_a_device_of_its_own_that_shares_its_devices_memory) {
    uh_device *tile = NULL;
    uint32_t *memory[3], result[64];
    const uint32_t value = 3, zero = 0;
    if (uh_device_select("level_zero:0.1", &tile) != UH_SUCCESS)
        skip_because("the device has no tiles");
    uh_queue *tile_queue = test_ze_queue(tile, 0);
    uh_kernel *add = test_kernel_of(test_module(tile, &uh_program_module_kernels, NULL), "add");
    memory[0] = test_ze_alloc(tile, UH_MEMORY_DEVICE, sizeof result);
    memory[1] = test_ze_alloc(device, UH_MEMORY_DEVICE, sizeof result);
    memory[2] = test_ze_alloc(device, UH_MEMORY_SHARED, sizeof result);
    for (int i = 0; i < 3; i++) {
        test_good(uh_fill(tile_queue, memory[i], &zero, sizeof zero, 64, NULL));
        test_good(
            uh_parallel_for(tile_queue, add, RANGE_OF(64, 0), ARGS(uh_arg_pointer(memory[i]), VALUE(value)), NULL));
        test_good(uh_memcpy(tile_queue, result, memory[i], sizeof result, NULL));
        test_good(uh_queue_wait(tile_queue));
        for (int j = 0; j < 64 && test_ze_computes(); j++)
            assert_int_equal(result[j], 3);
        test_assert_failed(uh_parallel_for(tile_queue, get("add"), RANGE_OF(64, 0),
                                           ARGS(uh_arg_pointer(memory[i]), VALUE(value)), NULL),
                           UH_ERROR_UNSUPPORTED,
                           "kernel is \"add\", which runs on level_zero:0, expected one for level_zero:0.1");
    }
}

UNIT_TEST(memory_of_another_device_is_out_of_reach_but_the_hosts_is_not) {
    uh_device *other = NULL;
    const uint32_t value = 3;
    if (uh_device_select("level_zero:1", &other) != UH_SUCCESS)
        skip_because("there is no second device");
    static const uh_memory_kind kinds[] = {UH_MEMORY_DEVICE, UH_MEMORY_SHARED, UH_MEMORY_HOST};
    for (int i = 0; i < 3; i++) {
        uint32_t *memory = test_ze_alloc(other, kinds[i], 256);
        uh_status status =
            uh_parallel_for(queue, get("add"), RANGE_OF(64, 0), ARGS(uh_arg_pointer(memory), VALUE(value)), NULL);
        if (kinds[i] == UH_MEMORY_HOST)
            test_good(status);
        else
            test_invalid(status, "args[0] is the pointer 0x",
                         "expected NULL or memory of uh_malloc or of the device's context that level_zero:0 can reach");
        test_good(uh_queue_wait(queue));
    }
}

UNIT_TEST(a_launch_waits_for_the_events_of_other_queues) {
    enum { ITEMS = 64, TIMES = 20 };
    uh_queue *queues[2] = {test_ze_queue(device, 0), test_ze_queue(device, 0)};
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, ITEMS * sizeof *out);
    const uint32_t one = 1;
    uh_event *last = NULL;
    memset(out, 0, ITEMS * sizeof *out);
    for (int i = 0; i < TIMES; i++) {
        uh_event *event = NULL;
        test_good(uh_parallel_for(queues[i % 2], get("add"), RANGE_OF(ITEMS, 0), ARGS(uh_arg_pointer(out), VALUE(one)),
                                  AFTER(&last, last != NULL, &event)));
        uh_event_destroy(last);
        last = event;
    }
    test_wait_and_end(last);
    for (int i = 0; i < ITEMS && test_ze_computes(); i++)
        assert_int_equal(out[i], TIMES);
}

/* Launches a kernel that other threads launch too, with arguments, sizes and offsets of its own. */
static void *work(void *argument) {
    enum { ITEMS = 128, TIMES = 150 };
    const uint32_t number = *(const uint32_t *)argument, value = number + 1;
    uh_queue *own = test_ze_queue(device, 0);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, 2 * ITEMS * sizeof value);
    memset(out, 0, 2 * ITEMS * sizeof value);
    const uh_nd_range range = {1, {ITEMS}, {(size_t)16 << number % 3}, {number % 2 ? ITEMS : 0}};
    for (int i = 0; i < TIMES; i++)
        if (uh_parallel_for(own, get("add"), &range, ARGS(uh_arg_pointer(out), VALUE(value)), NULL) != UH_SUCCESS)
            return "a launch failed";
    if (uh_queue_wait(own) != UH_SUCCESS)
        return "the wait failed";
    for (size_t i = 0; i < 2 * ITEMS && test_ze_computes(); i++)
        if (out[i] != (i / ITEMS == number % 2 ? TIMES * value : 0))
            return "a result is wrong";
    return NULL;
}

UNIT_TEST(threads_share_a_kernel) {
    uint32_t numbers[] = {0, 1, 2, 3};
    /* Intel's driver 22.43 without hardware, as a Max, crashes in one run of twenty in
     * zeCommandListAppendLaunchKernel. */
    if (!test_ze_computes())
        skip_because("Intel's driver without hardware crashes where threads launch");
    test_at_once(4, work, numbers, sizeof *numbers);
}

TEST_ZE_MAIN(test_runtime_ze_launch, make_module, destroy_module)
