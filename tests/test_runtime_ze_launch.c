/* SPDX-License-Identifier: Apache-2.0 */
/* Launches on whatever Level Zero driver there is; results are looked at where it computes. */
#include "tests/support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/ze_fixture.h"

#include "module_kernels.cl.h"

static uh_device *device;
static uh_module *module;

static uh_kernel *get(const char *name) {
    uh_kernel *kernel = NULL;
    test_ze_succeeds(uh_kernel_get(module, name, &kernel));
    return kernel;
}

static int make_module(void **state) {
    (void)state;
    return uh_module_create_program(device, &uh_program_module_kernels, NULL, &module) != UH_SUCCESS;
}

static int destroy_module(void **state) {
    (void)state;
    return uh_module_destroy(module) != UH_SUCCESS;
}

/* ---- index spaces ----------------------------------------------------------------------------------------------- */

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

static void each_item_of_a_range_runs_once_and_knows_its_ids(void **state) {
    (void)state;
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
    enum { MOST = 31 * 37 * 9 };
    uh_queue *queue = test_ze_queue(device, 0);
    uint64_t *out = test_ze_alloc(device, UH_MEMORY_HOST, MOST * sizeof *out);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        const uh_nd_range *r = &ranges[i];
        const uh_arg args[] = {uh_arg_pointer(out)};
        size_t n[3] = {r->global[0], r->dims > 1 ? r->global[1] : 1, r->dims > 2 ? r->global[2] : 1};
        if (test_ze_computes())
            memset(out, 0xee, MOST * sizeof *out);
        test_ze_succeeds(uh_parallel_for(queue, get("tell"), r, args, 1, NULL, 0, NULL));
        test_ze_succeeds(uh_queue_wait(queue));
        if (!test_ze_computes())
            continue;
        for (size_t z = 0; z < n[2]; z++)
            for (size_t y = 0; y < n[1]; y++)
                for (size_t x = 0; x < n[0]; x++)
                    check_item(out + 9 * (x + n[0] * (y + n[1] * z)), r, (const size_t[]){x, y, z});
        size_t end = 9 * n[0] * n[1] * n[2];
        if (end < MOST)
            assert_true(out[end] == UINT64_C(0xeeeeeeeeeeeeeeee));
    }
    assert_int_equal(uh_free(out), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void chosen_sizes_divide_the_range_and_fit_the_kernel(void **state) {
    (void)state;
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
    uh_queue *queue = test_ze_queue(device, 0);
    uh_kernel_properties p = {.struct_size = sizeof p};
    assert_int_equal(uh_kernel_get_properties(get("add"), &p), UH_SUCCESS);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        size_t local[3] = {0, 0, 0}, again[3] = {0, 0, 0};
        test_ze_succeeds(uh_kernel_suggest_group_size(queue, get("add"), &ranges[i], local));
        test_ze_succeeds(uh_kernel_suggest_group_size(queue, get("add"), &ranges[i], again));
        assert_memory_equal(local, again, sizeof local);
        assert_true(local[0] * local[1] * local[2] <= p.max_group_size);
        for (uint32_t d = 0; d < 3; d++) {
            assert_true(local[d] >= 1);
            if (d < ranges[i].dims) {
                assert_int_equal(ranges[i].global[d] % local[d], 0);
                if (ranges[i].local[d])
                    assert_int_equal(local[d], ranges[i].local[d]);
            } else {
                assert_int_equal(local[d], 1);
            }
        }
    }
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void a_kernel_that_requires_a_size_gets_it(void **state) {
    (void)state;
    const uh_nd_range chosen = {2, {16, 8}, {0, 0}, {0}}, given = {2, {16, 8}, {8, 4}, {0}},
                      odd = {2, {16, 6}, {0, 0}, {0}};
    uh_queue *queue = test_ze_queue(device, 0);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, sizeof *out);
    const uh_arg args[] = {uh_arg_pointer(out)};
    size_t local[3] = {0, 0, 0};
    *out = 0;
    test_ze_succeeds(uh_kernel_suggest_group_size(queue, get("fixed"), &chosen, local));
    assert_int_equal(local[0], 8);
    assert_int_equal(local[1], 4);
    assert_int_equal(local[2], 1);
    test_ze_succeeds(uh_parallel_for(queue, get("fixed"), &chosen, args, 1, NULL, 0, NULL));
    test_ze_succeeds(uh_parallel_for(queue, get("fixed"), &given, args, 1, NULL, 0, NULL));
    test_ze_succeeds(uh_queue_wait(queue));
    if (test_ze_computes())
        assert_int_equal(*out, 2 * 128 * 841);
    test_assert_failed(
        uh_parallel_for(queue, get("fixed"), &odd, args, 1, NULL, 0, NULL), UH_ERROR_INVALID_ARGUMENT,
        "range->global[1] is 6, expected a multiple of 4, the size of work-groups that kernel \"fixed\"");
    test_assert_failed(uh_kernel_suggest_group_size(queue, get("fixed"), &odd, local), UH_ERROR_INVALID_ARGUMENT,
                       "uh_kernel_suggest_group_size: range->global[1] is 6");
    assert_int_equal(uh_free(out), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void an_empty_range_runs_nothing_and_its_event_ends(void **state) {
    (void)state;
    static const uh_nd_range ranges[] = {{1, {0}, {0}, {0}}, {2, {64, 0}, {32, 4}, {0}}, {3, {0, 0, 0}, {0}, {0}}};
    uh_queue *queue = test_ze_queue(device, 1);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, sizeof *out);
    const uint32_t one = 1;
    const uh_arg args[] = {uh_arg_pointer(out), uh_arg_value(&one, sizeof one)};
    *out = 7;
    for (size_t i = 0; i < 3; i++) {
        uh_event *event = NULL;
        int done = 0;
        test_ze_succeeds(uh_parallel_for(queue, get("add"), &ranges[i], args, 2, NULL, 0, &event));
        test_ze_succeeds(uh_event_wait(event));
        test_ze_succeeds(uh_event_is_done(event, &done));
        assert_int_equal(done, 1);
        assert_int_equal(uh_event_destroy(event), UH_SUCCESS);
    }
    assert_int_equal(*out, 7);
    assert_int_equal(uh_free(out), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

/* ---- arguments -------------------------------------------------------------------------------------------------- */

struct pair {
    int32_t first;
    int64_t second;
    int8_t third;
};

static void arguments_of_every_kind_arrive(void **state) {
    (void)state;
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
    uh_queue *queue = test_ze_queue(device, 0);
    uint64_t *out = test_ze_alloc(device, UH_MEMORY_SHARED, 9 * sizeof *out);
    uint64_t *table = test_ze_alloc(device, UH_MEMORY_HOST, 2 * sizeof *table);
    if (test_ze_computes())
        table[1] = 12345;
    const uh_arg args[] = {uh_arg_pointer(out),
                           uh_arg_value(&a, sizeof a),
                           uh_arg_value(&b, sizeof b),
                           uh_arg_value(&c, sizeof c),
                           uh_arg_value(&d, sizeof d),
                           uh_arg_value(&e, sizeof e),
                           uh_arg_value(f, sizeof f),
                           uh_arg_value(&g, sizeof g),
                           uh_arg_local(GROUP * sizeof(uint64_t)),
                           uh_arg_pointer(table + 1),
                           uh_arg_local(GROUP * sizeof(uint32_t))};
    const uint64_t expected[] = {
        (uint64_t)a,       (uint64_t)b, (uint64_t)c, (uint64_t)d, bits, 753, (uint64_t)(1000 + g.second - 3),
        12345 + GROUP - 1, GROUP - 1};
    const uh_nd_range group = {1, {GROUP}, {GROUP}, {0}};
    test_ze_succeeds(uh_parallel_for(queue, get("take"), &group, args, 11, NULL, 0, NULL));
    test_ze_succeeds(uh_queue_wait(queue));
    for (size_t i = 0; i < 9 && test_ze_computes(); i++)
        assert_int_equal(out[i], expected[i]);
    assert_int_equal(uh_free(out), UH_SUCCESS);
    assert_int_equal(uh_free(table), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void null_pointers_arrive_as_null_also_after_others(void **state) {
    (void)state;
    uh_queue *queue = test_ze_queue(device, 0);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, 2 * sizeof *out);
    const uh_nd_range one = {1, {1}, {1}, {0}};
    for (unsigned mask = 0; mask < 8; mask++) {
        const uh_arg args[] = {uh_arg_pointer(out), uh_arg_pointer(mask & 1 ? out : NULL),
                               uh_arg_pointer(mask & 2 ? out : NULL)};
        test_ze_succeeds(uh_parallel_for(queue, get("is_null"), &one, args, 3, NULL, 0, NULL));
        test_ze_succeeds(uh_queue_wait(queue));
        if (test_ze_computes()) {
            assert_int_equal(out[0], !(mask & 1));
            assert_int_equal(out[1], !(mask & 2));
        }
    }
    assert_int_equal(uh_free(out), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void local_memory_is_given_up_to_what_the_kernels_own_leaves(void **state) {
    (void)state;
    uh_device_properties p = {.struct_size = sizeof p};
    assert_int_equal(uh_device_get_properties(device, &p), UH_SUCCESS);
    uh_queue *queue = test_ze_queue(device, 0);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, 16 * sizeof *out);
    const uh_nd_range group = {1, {16}, {16}, {0}};
    uh_arg args[] = {uh_arg_pointer(out), uh_arg_local((size_t)p.local_memory - 4096)};
    test_ze_succeeds(uh_parallel_for(queue, get("holds"), &group, args, 2, NULL, 0, NULL));
    test_ze_succeeds(uh_queue_wait(queue));
    for (uint32_t i = 0; i < 16 && test_ze_computes(); i++)
        assert_int_equal(out[i], 15 - i + 1);
    args[1] = uh_arg_local((size_t)p.local_memory - 4095);
    test_assert_failed(uh_parallel_for(queue, get("holds"), &group, args, 2, NULL, 0, NULL), UH_ERROR_INVALID_ARGUMENT,
                       "args[1].size is ", "bytes of local memory, the most of level_zero:0");
    assert_int_equal(uh_free(out), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void wrong_arguments_are_refused_and_the_next_launch_works(void **state) {
    (void)state;
    uh_queue *queue = test_ze_queue(device, 0);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, 64 * sizeof *out);
    uint32_t value = 5, plain[4] = {0};
    const uint64_t wide = 5;
    uh_event *event = (uh_event *)state;
    const uh_nd_range range = {1, {64}, {64}, {0}}, odd = {1, {65}, {64}, {0}}, large = {1, {1 << 20}, {1 << 16}, {0}};
    const uh_arg right[] = {uh_arg_pointer(out), uh_arg_value(&value, sizeof value)};
    const uh_arg unreachable[] = {uh_arg_pointer(plain), right[1]}, no_pointer[] = {right[1], right[1]},
                 too_wide[] = {right[0], uh_arg_value(&wide, sizeof wide)};
    const struct {
        const uh_arg *args;
        size_t nargs;
        const uh_nd_range *range;
        const char *says;
    } wrong[] = {
        {right, 1, &range, "nargs is 1, expected 2, the arguments of kernel \"add\""},
        {unreachable, 2, &range, "args[0] is the pointer 0x"},
        {no_pointer, 2, &range, "args[0] is a value, expected a pointer"},
        {too_wide, 2, &range, "args[1].size is 8, expected 4 bytes"},
        {right, 2, &odd, "range->global[0] is 65, expected a multiple of range->local[0], which is 64"},
        {right, 2, &large, "range->local[0] is 65536, which makes a work-group of more than "},
    };
    memset(out, 0, 64 * sizeof *out);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        test_assert_failed(
            uh_parallel_for(queue, get("add"), wrong[i].range, wrong[i].args, wrong[i].nargs, NULL, 0, &event),
            UH_ERROR_INVALID_ARGUMENT, "uh_parallel_for: ", wrong[i].says);
        assert_ptr_equal(event, state);
    }
    test_ze_succeeds(uh_parallel_for(queue, get("add"), &range, right, 2, NULL, 0, NULL));
    test_ze_succeeds(uh_queue_wait(queue));
    for (int i = 0; i < 64 && test_ze_computes(); i++)
        assert_int_equal(out[i], 5);
    assert_int_equal(uh_free(out), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

/* A native binary says nothing of its parameters, so that all there is is the driver's own word. */
static void what_only_the_driver_refuses_names_the_argument(void **state) {
    (void)state;
    size_t size = 0;
    uh_module *native = NULL;
    uh_kernel *add = NULL;
    uh_queue *queue = test_ze_queue(device, 0);
    const uh_module_options options = {.struct_size = sizeof options, .format = UH_MODULE_NATIVE};
    test_ze_succeeds(uh_module_native(module, NULL, &size));
    void *binary = malloc(size);
    test_ze_succeeds(uh_module_native(module, binary, &size));
    test_ze_succeeds(uh_module_create(device, binary, size, &options, &native));
    test_ze_succeeds(uh_kernel_get(native, "add", &add));
    const uint32_t value = 1;
    const uh_nd_range one = {1, {1}, {1}, {0}};
    const uh_arg args[] = {uh_arg_value(&value, sizeof value), uh_arg_value(&value, sizeof value)};
    test_assert_failed(uh_parallel_for(queue, add, &one, args, 2, NULL, 0, NULL), UH_ERROR_INVALID_ARGUMENT,
                       "uh_parallel_for: args[0] is a value of 4 bytes: zeKernelSetArgumentValue failed with ",
                       "for kernel \"add\" at ze_launch.c:");
    free(binary);
    assert_int_equal(uh_module_destroy(native), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void more_groups_than_the_device_counts_are_refused(void **state) {
    uh_queue *queue = test_ze_queue(device, 0);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, sizeof *out);
    uh_event *event = (uh_event *)state;
    const uint32_t value = 0;
    const uh_arg args[] = {uh_arg_pointer(out), uh_arg_value(&value, sizeof value)};
    /* A prime above 2^33: the only group that divides it has one item. */
    const uh_nd_range chosen = {1, {8589934609}, {0}, {0}}, given = {1, {8589934609}, {1}, {0}};
    test_assert_failed(uh_parallel_for(queue, get("add"), &chosen, args, 2, NULL, 0, &event), UH_ERROR_INVALID_ARGUMENT,
                       "uh_parallel_for: range->global[0] is 8589934609, which makes 8589934609 work-groups of 1 ");
    test_assert_failed(uh_parallel_for(queue, get("add"), &given, args, 2, NULL, 0, &event), UH_ERROR_INVALID_ARGUMENT,
                       "uh_parallel_for: range->global[0] is 8589934609, which makes 8589934609 work-groups of 1 ");
    assert_ptr_equal(event, state);
    assert_int_equal(uh_free(out), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void offsets_of_4_gi_and_more_are_not_supported(void **state) {
    uh_queue *queue = test_ze_queue(device, 0);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, sizeof *out);
    uh_event *event = (uh_event *)state;
    const uint32_t value = 0;
    const uh_arg args[] = {uh_arg_pointer(out), uh_arg_value(&value, sizeof value)};
    const uh_nd_range range = {1, {64}, {64}, {(size_t)UINT32_MAX + 1}};
    test_assert_failed(uh_parallel_for(queue, get("add"), &range, args, 2, NULL, 0, &event), UH_ERROR_UNSUPPORTED,
                       "range->offset[0] is 4294967296, expected at most 4294967295 on level_zero:0");
    assert_ptr_equal(event, state);
    assert_int_equal(uh_free(out), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

/* ---- tiles and other devices ------------------------------------------------------------------------------------- */

static void a_tile_is_a_device_of_its_own_that_shares_its_devices_memory(void **state) {
    (void)state;
    uh_device *tile = NULL;
    uh_module *of_tile = NULL;
    uh_kernel *add = NULL;
    uint32_t *memory[3], result[64];
    const uint32_t value = 3, zero = 0;
    const uh_nd_range range = {1, {64}, {0}, {0}};
    if (uh_device_select("level_zero:0.1", &tile) != UH_SUCCESS)
        skip();
    uh_queue *queue = test_ze_queue(tile, 0);
    test_ze_succeeds(uh_module_create_program(tile, &uh_program_module_kernels, NULL, &of_tile));
    test_ze_succeeds(uh_kernel_get(of_tile, "add", &add));
    memory[0] = test_ze_alloc(tile, UH_MEMORY_DEVICE, sizeof result);
    memory[1] = test_ze_alloc(device, UH_MEMORY_DEVICE, sizeof result);
    memory[2] = test_ze_alloc(device, UH_MEMORY_SHARED, sizeof result);
    for (int i = 0; i < 3; i++) {
        const uh_arg args[] = {uh_arg_pointer(memory[i]), uh_arg_value(&value, sizeof value)};
        test_ze_succeeds(uh_fill(queue, memory[i], &zero, sizeof zero, 64, NULL, 0, NULL));
        test_ze_succeeds(uh_parallel_for(queue, add, &range, args, 2, NULL, 0, NULL));
        test_ze_succeeds(uh_memcpy(queue, result, memory[i], sizeof result, NULL, 0, NULL));
        test_ze_succeeds(uh_queue_wait(queue));
        for (int j = 0; j < 64 && test_ze_computes(); j++)
            assert_int_equal(result[j], 3);
        test_assert_failed(uh_parallel_for(queue, get("add"), &range, args, 2, NULL, 0, NULL), UH_ERROR_UNSUPPORTED,
                           "kernel is \"add\", which runs on level_zero:0, expected one for level_zero:0.1");
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(uh_free(memory[i]), UH_SUCCESS);
    assert_int_equal(uh_module_destroy(of_tile), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void memory_of_another_device_is_out_of_reach_but_the_hosts_is_not(void **state) {
    (void)state;
    uh_device *other = NULL;
    const uint32_t value = 3;
    const uh_nd_range range = {1, {64}, {0}, {0}};
    if (uh_device_select("level_zero:1", &other) != UH_SUCCESS)
        skip();
    uh_queue *queue = test_ze_queue(device, 0);
    static const uh_memory_kind kinds[] = {UH_MEMORY_DEVICE, UH_MEMORY_SHARED, UH_MEMORY_HOST};
    for (int i = 0; i < 3; i++) {
        uint32_t *memory = test_ze_alloc(other, kinds[i], 256);
        const uh_arg args[] = {uh_arg_pointer(memory), uh_arg_value(&value, sizeof value)};
        uh_status status = uh_parallel_for(queue, get("add"), &range, args, 2, NULL, 0, NULL);
        if (kinds[i] == UH_MEMORY_HOST)
            test_ze_succeeds(status);
        else
            test_assert_failed(status, UH_ERROR_INVALID_ARGUMENT, "args[0] is the pointer 0x",
                               "expected NULL or memory that level_zero:0 can reach");
        test_ze_succeeds(uh_queue_wait(queue));
        assert_int_equal(uh_free(memory), UH_SUCCESS);
    }
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

/* ---- order and threads ------------------------------------------------------------------------------------------- */

static void launches_of_a_queue_run_one_after_the_other(void **state) {
    (void)state;
    enum { ITEMS = 256, TIMES = 300 };
    uh_queue *queue = test_ze_queue(device, 0);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_DEVICE, ITEMS * sizeof *out), zero = 0, sum = 0;
    uint32_t result[ITEMS];
    test_ze_succeeds(uh_fill(queue, out, &zero, sizeof zero, ITEMS, NULL, 0, NULL));
    for (uint32_t i = 1; i <= TIMES; i++) {
        /* The group size changes now and then, the value every time. */
        const uh_nd_range range = {1, {ITEMS}, {i % 3 ? 64 : 32}, {0}};
        uint32_t value = i;
        const uh_arg args[] = {uh_arg_pointer(out), uh_arg_value(&value, sizeof value)};
        test_ze_succeeds(uh_parallel_for(queue, get("add"), &range, args, 2, NULL, 0, NULL));
        sum += i;
        value = 0xdeadbeef;
    }
    test_ze_succeeds(uh_memcpy(queue, result, out, sizeof result, NULL, 0, NULL));
    test_ze_succeeds(uh_queue_wait(queue));
    for (int i = 0; i < ITEMS && test_ze_computes(); i++)
        assert_int_equal(result[i], sum);
    assert_int_equal(uh_free(out), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void a_launch_waits_for_the_events_of_other_queues(void **state) {
    (void)state;
    enum { ITEMS = 64, TIMES = 20 };
    uh_queue *queues[2] = {test_ze_queue(device, 0), test_ze_queue(device, 0)};
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, ITEMS * sizeof *out);
    const uint32_t one = 1;
    const uh_nd_range range = {1, {ITEMS}, {0}, {0}};
    const uh_arg args[] = {uh_arg_pointer(out), uh_arg_value(&one, sizeof one)};
    uh_event *last = NULL;
    memset(out, 0, ITEMS * sizeof *out);
    for (int i = 0; i < TIMES; i++) {
        uh_event *event = NULL;
        test_ze_succeeds(uh_parallel_for(queues[i % 2], get("add"), &range, args, 2, &last, last != NULL, &event));
        assert_int_equal(uh_event_destroy(last), UH_SUCCESS);
        last = event;
    }
    test_ze_succeeds(uh_event_wait(last));
    assert_int_equal(uh_event_destroy(last), UH_SUCCESS);
    for (int i = 0; i < ITEMS && test_ze_computes(); i++)
        assert_int_equal(out[i], TIMES);
    assert_int_equal(uh_free(out), UH_SUCCESS);
    for (int i = 0; i < 2; i++)
        assert_int_equal(uh_queue_destroy(queues[i]), UH_SUCCESS);
}

struct worker {
    uint32_t number;
    const char *wrong;
};

/* Launches a kernel that other threads launch too, with arguments, sizes and offsets of its own. */
static void *work(void *argument) {
    enum { ITEMS = 128, TIMES = 150 };
    struct worker *w = argument;
    uh_queue *queue = NULL;
    uh_kernel *kernel = NULL;
    void *memory = NULL;
    const uint32_t value = w->number + 1;
    w->wrong = "cannot set up";
    if (uh_queue_create(device, NULL, &queue) != UH_SUCCESS || uh_kernel_get(module, "add", &kernel) != UH_SUCCESS ||
        uh_malloc_host(device, 2 * ITEMS * sizeof value, 0, &memory) != UH_SUCCESS)
        return NULL;
    uint32_t *out = memory;
    memset(out, 0, 2 * ITEMS * sizeof value);
    const uh_nd_range range = {1, {ITEMS}, {(size_t)16 << w->number % 3}, {w->number % 2 ? ITEMS : 0}};
    const uh_arg args[] = {uh_arg_pointer(out), uh_arg_value(&value, sizeof value)};
    w->wrong = NULL;
    for (int i = 0; i < TIMES; i++)
        if (uh_parallel_for(queue, kernel, &range, args, 2, NULL, 0, NULL) != UH_SUCCESS)
            w->wrong = "a launch failed";
    if (uh_queue_wait(queue) != UH_SUCCESS)
        w->wrong = "the wait failed";
    for (size_t i = 0; i < 2 * ITEMS && test_ze_computes(); i++)
        if (out[i] != (i / ITEMS == w->number % 2 ? TIMES * value : 0))
            w->wrong = "a result is wrong";
    if (uh_free(memory) != UH_SUCCESS || uh_queue_destroy(queue) != UH_SUCCESS)
        w->wrong = "cannot clean up";
    return NULL;
}

static void threads_share_a_kernel(void **state) {
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].number = i;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        if (workers[i].wrong)
            fail_msg("thread %d: %s", i, workers[i].wrong);
}

int main(void) {
    device = test_ze_device();
    if (!device)
        return test_ze_skip();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_of_a_range_runs_once_and_knows_its_ids),
        cmocka_unit_test(chosen_sizes_divide_the_range_and_fit_the_kernel),
        cmocka_unit_test(a_kernel_that_requires_a_size_gets_it),
        cmocka_unit_test(an_empty_range_runs_nothing_and_its_event_ends),
        cmocka_unit_test(arguments_of_every_kind_arrive),
        cmocka_unit_test(null_pointers_arrive_as_null_also_after_others),
        cmocka_unit_test(local_memory_is_given_up_to_what_the_kernels_own_leaves),
        cmocka_unit_test(wrong_arguments_are_refused_and_the_next_launch_works),
        cmocka_unit_test(what_only_the_driver_refuses_names_the_argument),
        cmocka_unit_test(more_groups_than_the_device_counts_are_refused),
        cmocka_unit_test(offsets_of_4_gi_and_more_are_not_supported),
        cmocka_unit_test(a_tile_is_a_device_of_its_own_that_shares_its_devices_memory),
        cmocka_unit_test(memory_of_another_device_is_out_of_reach_but_the_hosts_is_not),
        cmocka_unit_test(launches_of_a_queue_run_one_after_the_other),
        cmocka_unit_test(a_launch_waits_for_the_events_of_other_queues),
        cmocka_unit_test(threads_share_a_kernel),
    };
    return cmocka_run_group_tests(tests, make_module, destroy_module);
}
