/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments, index spaces, devices and order of launches of the kernels of module_kernels.cl on any Level Zero driver;
 * results are checked if it computes. */
#include "runtime/ze.h"
#include "tests/fixture.h"

#include "module_kernels.cl.h"

static uh_device *device;
static uh_module *module;
static uh_queue *queue;

static uh_kernel *get(const char *name) { return test_kernel_of(module, name); }

/* Launches one of the kernels and waits for it. */
static void run(const char *name, const uh_nd_range *range, const uh_arg *args, size_t nargs) {
    test_good(uh_parallel_for(queue, get(name), range, args, nargs, NULL));
    test_good(uh_queue_wait(queue));
}

static int make_module(void **state) {
    device = test_ze_device();
    queue = test_ze_queue(device, 0);
    return uh_module_create(device, &uh_program_module_kernels, NULL, &module) != UH_SUCCESS;
}

static int destroy_module(void **state) {
    uh_module_destroy(module);
    uh_queue_destroy(queue);
    return 0;
}

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

/* ---- index spaces ---- */

static void check_item(const uint64_t *item, const uh_nd_range *range, const size_t at[3]) {
    for (uint32_t d = 0; d < 3; d++) {
        int used = d < range->dims;
        size_t offset = used ? range->offset[d] : 0;
        assert_int_equal(item[d], at[d] + offset);
        assert_int_equal(item[3 + d], at[d]);
        if (used && range->local[d])
            assert_int_equal(item[6 + d], range->local[d]);
        if (!used)
            assert_int_equal(item[6 + d], 1);
    }
}

UNIT_TEST(each_item_of_a_range_runs_once_and_knows_its_ids) {
    static const uh_nd_range ranges[] = {
        {1, {1}, {1}, {0}},
        {1, {1000}, {0}, {0}},
        {1, {997}, {0}, {0}},
        {1, {96}, {32}, {0}},
        {1, {96}, {32}, {5}},
        {1, {96}, {32}, {(size_t)UINT32_MAX - 200}},
        {2, {24, 10}, {8, 5}, {0, 0}},
        {2, {24, 10}, {0, 5}, {3, 0}},
        {2, {24, 10}, {8, 0}, {0, 7}},
        {2, {31, 37}, {0, 0}, {1, 2}},
        {3, {12, 6, 4}, {4, 3, 2}, {0, 0, 0}},
        {3, {12, 6, 4}, {0, 0, 0}, {7, 8, 9}},
        {3, {12, 6, 4}, {0, 2, 0}, {0, 0, 0}},
        {1, {96}, {32}, {0}}, /* the offset is 0 again */
    };
    enum { MAX = 31 * 37 * 9 };
    uint64_t *out = test_ze_alloc(device, UH_MEMORY_HOST, MAX * sizeof *out);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        const uh_nd_range *r = &ranges[i];
        const size_t n[3] = {r->global[0], r->dims > 1 ? r->global[1] : 1, r->dims > 2 ? r->global[2] : 1};
        if (test_ze_computes())
            memset(out, 0xee, MAX * sizeof *out);
        run("tell", r, ARGS(uh_arg_pointer(out)));
        if (!test_ze_computes())
            continue;
        for (size_t z = 0; z < n[2]; z++)
            for (size_t y = 0; y < n[1]; y++)
                for (size_t x = 0; x < n[0]; x++)
                    check_item(out + 9 * (x + n[0] * (y + n[1] * z)), r, (const size_t[]){x, y, z});
        size_t end = 9 * n[0] * n[1] * n[2];
        if (end < MAX)
            assert_true(out[end] == UINT64_C(0xeeeeeeeeeeeeeeee));
    }
}

static uh_status choose(const char *kernel, const uh_nd_range *given, size_t local[3]) {
    struct uhi_range range = {.dims = given->dims, .global = {1, 1, 1}, .local = {1, 1, 1}};
    memcpy(range.global, given->global, given->dims * sizeof *given->global);
    memcpy(range.local, given->local, given->dims * sizeof *given->local);
    const uh_status status = uhi_ze_choose_group("choose", device, get(kernel), &range);
    memcpy(local, range.local, sizeof range.local);
    return status;
}

UNIT_TEST(chosen_sizes_divide_the_range_and_fit_the_kernel) {
    static const uh_nd_range ranges[] = {
        {1, {1}, {0}, {0}},
        {1, {1 << 20}, {0}, {0}},
        {1, {999983}, {0}, {0}}, /* a prime */
        {1, {(size_t)1 << 33}, {0}, {0}},
        {2, {1000, 6}, {0, 0}, {0}},
        {2, {1 << 16, 12}, {0, 4}, {0}},
        {3, {60, 60, 60}, {0, 0, 0}, {0}},
        {3, {60, 60, 60}, {0, 0, 5}, {0}},
    };
    uh_kernel_properties p = {.struct_size = sizeof p};
    test_good(uh_kernel_get_properties(get("add"), &p));
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        size_t local[3] = {0, 0, 0}, again[3] = {0, 0, 0};
        test_good(choose("add", &ranges[i], local));
        test_good(choose("add", &ranges[i], again));
        assert_memory_equal(local, again, sizeof local);
        assert_true(local[0] * local[1] * local[2] <= p.max_group_size);
        for (uint32_t d = 0; d < 3; d++) {
            assert_true(local[d] >= 1);
            if (d < ranges[i].dims) {
                assert_int_equal(local[d] ? ranges[i].global[d] % local[d] : 1, 0);
                if (ranges[i].local[d])
                    assert_int_equal(local[d], ranges[i].local[d]);
            } else {
                assert_int_equal(local[d], 1);
            }
        }
    }
}

UNIT_TEST(a_kernel_that_requires_a_size_gets_it) {
    const uh_nd_range chosen = {2, {16, 8}, {0, 0}, {0}}, given = {2, {16, 8}, {8, 4}, {0}},
                      odd = {2, {16, 6}, {0, 0}, {0}};
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, sizeof *out);
    const uh_arg args[] = {uh_arg_pointer(out)};
    size_t local[3] = {0, 0, 0};
    *out = 0;
    test_good(choose("fixed", &chosen, local));
    assert_int_equal(local[0], 8);
    assert_int_equal(local[1], 4);
    assert_int_equal(local[2], 1);
    test_good(uh_parallel_for(queue, get("fixed"), &chosen, args, 1, NULL));
    run("fixed", &given, args, 1);
    if (test_ze_computes())
        assert_int_equal(*out, 2 * 128 * 841);
    test_invalid(uh_parallel_for(queue, get("fixed"), &odd, args, 1, NULL),
                 "range->global[1] is 6, expected a multiple of 4, the size of work-groups that kernel \"fixed\"");
}

UNIT_TEST(an_empty_range_runs_nothing_and_its_event_ends) {
    static const uh_nd_range ranges[] = {{1, {0}, {0}, {0}}, {2, {64, 0}, {32, 4}, {0}}, {3, {0, 0, 0}, {0}, {0}}};
    uh_queue *timed = test_ze_queue(device, 1);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, sizeof *out);
    const uint32_t one = 1;
    const uh_arg args[] = {uh_arg_pointer(out), uh_arg_value(&one, sizeof one)};
    *out = 7;
    for (size_t i = 0; i < 3; i++) {
        uh_event *event = NULL;
        test_good(uh_parallel_for(timed, get("add"), &ranges[i], args, 2, SIGNAL(&event)));
        test_good(uh_event_wait(event, UINT64_MAX));
        test_good(uh_event_wait(event, 0));
        uh_event_destroy(event);
    }
    assert_int_equal(*out, 7);
}

UNIT_TEST(more_groups_or_larger_offsets_than_the_device_counts_are_refused) {
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, sizeof *out);
    uh_event *event = (uh_event *)state;
    const uint32_t value = 0;
    const uh_arg args[] = {uh_arg_pointer(out), uh_arg_value(&value, sizeof value)};
    /* A prime above 2^33: the only group that divides it has one item. */
    const uh_nd_range many = {1, {8589934609}, {0}, {0}}, far = {1, {64}, {64}, {(size_t)UINT32_MAX + 1}};
    test_invalid(uh_parallel_for(queue, get("add"), &many, args, 2, SIGNAL(&event)),
                 "uh_parallel_for: range->global[0] is 8589934609, which makes 8589934609 work-groups of 1 ");
    test_assert_failed(uh_parallel_for(queue, get("add"), &far, args, 2, SIGNAL(&event)), UH_ERROR_UNSUPPORTED,
                       "range->offset[0] is 4294967296, expected at most 4294967295 on level_zero:0");
    assert_ptr_equal(event, state);
}

TEST_ZE_MAIN(test_runtime_ze_launch, make_module, destroy_module)
