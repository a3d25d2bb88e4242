/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch refuses: nothing runs then, and nothing is stored. */
#include "tests/fake_device.h"
#include "tests/fixture.h"

static void never(const uh_work_group *group, void *const *args) {
    (void)group;
    (void)args;
    fail_msg("a kernel ran whose submission was refused");
}

UNIT_TEST(creating_a_kernel_refuses_null) {
    uh_kernel *kernel = (uh_kernel *)state;
    test_invalid(uh_kernel_create_host(NULL, never, &kernel), "uh_kernel_create_host", "name is NULL");
    test_invalid(uh_kernel_create_host("x", NULL, &kernel), "function is NULL");
    test_invalid(uh_kernel_create_host("x", never, NULL), "kernel is NULL");
    assert_ptr_equal(kernel, state);
}

/* Ranges that are refused, and what the message says. */
static const struct {
    uh_nd_range range;
    const char *says;
} wrong_ranges[] = {
    {{0, {1}, {1}, {0}}, "range->dims is 0, expected 1 to 3"},
    {{4, {1}, {1}, {0}}, "range->dims is 4, expected 1 to 3"},
    {{1, {2}, {1}, {SIZE_MAX - 1}}, "range->global[0] is 2 with offset 18446744073709551614"},
    {{2, {SIZE_MAX, 2}, {0, 0}, {0, 0}}, "range->global[1] is 2, which makes more than"},
    {{3, {1 << 30, 1 << 30, 1 << 30}, {0}, {0}}, "range->global[2] is 1073741824"},
    {{2, {4, 4}, {SIZE_MAX, 2}, {0, 0}}, "range->local[1] is 2, which makes a work-group of more than"},
    {{3, {4, 4, 4}, {(size_t)1 << 40, 1 << 20, 1 << 20}, {0, 0}}, "range->local[2] is 1048576, which makes a"},
};

UNIT_TEST(ranges_out_of_bounds_are_refused_and_nothing_runs) {
    uh_queue *queue = test_queue(1, 0);
    uh_kernel *kernel = test_kernel("never", never);
    uh_event *event = (uh_event *)state;
    for (size_t i = 0; i < sizeof wrong_ranges / sizeof wrong_ranges[0]; i++) {
        test_invalid(uh_parallel_for(queue, kernel, &wrong_ranges[i].range, NULL, 0, NULL, 0, &event),
                     "uh_parallel_for: ", wrong_ranges[i].says);
        assert_ptr_equal(event, state);
    }
}

UNIT_TEST(wrong_arguments_are_refused_and_nothing_runs) {
    uh_queue *queue = test_queue(1, 0);
    uh_kernel *kernel = test_kernel("never", never);
    uh_nd_range range = {1, {1}, {1}, {0}};
    uh_event *event = (uh_event *)state;
    const int value = 0;
    const struct {
        uh_arg arg;
        const char *says;
    } wrong[] = {
        {{UH_ARG_VALUE, 4, NULL}, "args[1].value is NULL, expected a value of 4 bytes"},
        {{UH_ARG_VALUE, 0, &value}, "args[1].size is 0"},
        {{UH_ARG_LOCAL, 0, NULL}, "args[1].size is 0"},
        {{UH_ARG_LOCAL, SIZE_MAX, NULL}, "args[1].size is 18446744073709551615, which makes more than"},
        {{(uh_arg_kind)3, 4, &value}, "args[1].kind is 3"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uh_arg args[] = {uh_arg_local(64), wrong[i].arg};
        test_invalid(uh_parallel_for(queue, kernel, &range, args, 2, NULL, 0, &event),
                     "uh_parallel_for: ", wrong[i].says);
    }
    test_invalid(uh_parallel_for(NULL, kernel, &range, NULL, 0, NULL, 0, &event), "queue is NULL");
    test_invalid(uh_parallel_for(queue, NULL, &range, NULL, 0, NULL, 0, &event), "kernel is NULL");
    test_invalid(uh_parallel_for(queue, kernel, NULL, NULL, 0, NULL, 0, &event), "range is NULL");
    test_invalid(uh_parallel_for(queue, kernel, &range, NULL, 3, NULL, 0, &event),
                 "args is NULL, expected 3 arguments");
    test_invalid(uh_parallel_for(queue, kernel, &range, NULL, 0, NULL, 2, &event), "deps is NULL, expected 2 events");
    uh_event *const deps[] = {NULL};
    test_invalid(uh_parallel_for(queue, kernel, &range, NULL, 0, deps, 1, &event), "deps[0] is NULL");
    assert_ptr_equal(event, state);
}

UNIT_TEST(local_memory_up_to_the_devices_limit_is_given_and_no_more) {
    uh_queue *queue = test_queue(2, 0);
    uh_kernel *nothing = test_kernel("never", never);
    uh_device_properties p = {.struct_size = sizeof p};
    uh_nd_range empty = {1, {0}, {1}, {0}}, one = {1, {1}, {1}, {0}};
    test_good(uh_device_get_properties(test_host(), &p));
    uh_arg args[] = {uh_arg_local((size_t)p.local_memory - 16), uh_arg_local(8), uh_arg_local(8)};
    test_good(uh_parallel_for(queue, nothing, &empty, args, 3, NULL, 0, NULL));
    args[2].size = 9;
    test_invalid(uh_parallel_for(queue, nothing, &one, args, 3, NULL, 0, NULL), "args[2].size is 9");
}

UNIT_TEST(a_host_kernel_is_not_supported_by_a_device_of_another_backend) {
    uh_queue *queue = test_queue_of(fake_device(), NULL);
    uh_kernel *kernel = test_kernel("never", never);
    uh_nd_range range = {1, {1}, {1}, {0}};
    uh_event *event = (uh_event *)state;
    test_assert_failed(uh_parallel_for(queue, kernel, &range, NULL, 0, NULL, 0, &event), UH_ERROR_UNSUPPORTED,
                       "kernel is \"never\", which runs on host, expected one for fake:0");
    assert_ptr_equal(event, state);
}
