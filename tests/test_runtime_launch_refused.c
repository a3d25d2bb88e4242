/* SPDX-License-Identifier: Apache-2.0 */
/* What launches refuse, before a driver sees them: nothing runs then, and nothing is stored. */
#include "runtime/backend.h"
#include "tests/fake_device.h"
#include "tests/fixture.h"
#include "tests/module_spirv.h"

static const uh_nd_range one = {1, {1}, {1}, {0}};

static void never(const uh_work_group *group, void *const *args) {
    fail_msg("a kernel ran whose submission was refused");
}

UNIT_TEST(creating_a_kernel_refuses_null) {
    uh_kernel *kernel = (uh_kernel *)state;
    test_null_is_refused(uh_kernel_create_host(NAMED(name, "x"), NAMED(function, never), NAMED(kernel, &kernel)));
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
        test_invalid(uh_parallel_for(queue, kernel, &wrong_ranges[i].range, NULL, 0, SIGNAL(&event)),
                     "uh_parallel_for: ", wrong_ranges[i].says);
        assert_ptr_equal(event, state);
    }
}

UNIT_TEST(wrong_arguments_are_refused_and_nothing_runs) {
    uh_queue *queue = test_queue(1, 0);
    uh_kernel *kernel = test_kernel("never", never);
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
        test_invalid(uh_parallel_for(queue, kernel, &one, args, 2, SIGNAL(&event)), "uh_parallel_for: ", wrong[i].says);
    }
    test_null_is_refused(
        uh_parallel_for(NAMED(queue, queue), NAMED(kernel, kernel), NAMED(range, &one), NULL, 0, SIGNAL(&event)));
    test_invalid(uh_parallel_for(queue, kernel, &one, NULL, 3, SIGNAL(&event)), "args is NULL, expected 3 arguments");
    test_invalid(uh_parallel_for(queue, kernel, &one, NULL, 0, AFTER(NULL, 2, &event)),
                 "deps is NULL, expected 2 events");
    uh_event *const deps[] = {NULL};
    test_invalid(uh_parallel_for(queue, kernel, &one, NULL, 0, AFTER(deps, 1, &event)), "deps[0] is NULL");
    assert_ptr_equal(event, state);
}

UNIT_TEST(local_memory_up_to_the_devices_limit_is_given_and_no_more) {
    uh_queue *queue = test_queue(2, 0);
    uh_kernel *nothing = test_kernel("never", never);
    const uh_device_properties p = test_device_properties(test_host());
    uh_arg args[] = {uh_arg_local((size_t)p.local_memory - 16), uh_arg_local(8), uh_arg_local(8)};
    test_good(uh_parallel_for(queue, nothing, RANGE_OF(0, 1), args, 3, NULL));
    args[2].size = 9;
    test_invalid(uh_parallel_for(queue, nothing, &one, args, 3, NULL), "args[2].size is 9");
}

UNIT_TEST(a_host_kernel_is_not_supported_by_a_device_of_another_backend_and_named_by_a_copy) {
    char name[] = "never";
    uh_queue *queue = test_queue_of(fake_device(), NULL);
    uh_kernel *kernel = test_kernel(name, never);
    uh_event *event = (uh_event *)state;
    memset(name, 'x', 4);
    test_assert_failed(uh_parallel_for(queue, kernel, &one, NULL, 0, SIGNAL(&event)), UH_ERROR_UNSUPPORTED,
                       "kernel is \"never\", which runs on host, expected one for fake:0");
    assert_ptr_equal(event, state);
    uh_kernel_destroy(NULL);
}

/* A queue, the kernels of test_spirv, and memory that they can reach. */
struct fixture {
    uh_queue *queue;
    uh_module *module;
    uh_kernel *first, *second;
    void *memory;
};

static void set_up(struct fixture *f, const uh_kernel_properties *first) {
    static const uh_kernel_properties none = {.max_group_size = 256};
    uh_device *device = fake_device();
    f->queue = test_queue_of(device, NULL);
    f->module = test_module(device, SPIRV(test_spirv, sizeof test_spirv), NULL);
    fake_kernel(first);
    f->first = test_kernel_of(f->module, "first");
    fake_kernel(&none);
    f->second = test_kernel_of(f->module, "second");
    f->memory = test_ze_alloc(device, UH_MEMORY_DEVICE, 64);
}

static const uh_kernel_properties five = {.arguments = 5, .local_memory = 100, .max_group_size = 64};

UNIT_TEST(arguments_are_what_the_program_declares) {
    struct fixture f;
    const char value[32] = {0};
    set_up(&f, &five);
    const uh_arg right[5] = {uh_arg_pointer(f.memory), uh_arg_value(value, 4), uh_arg_local(24),
                             uh_arg_value(value, 16), uh_arg_value(value, 24)};
    const struct {
        size_t index;
        uh_arg arg;
        const char *says;
    } wrong[] = {
        {0, uh_arg_value(value, 8), "args[0] is a value, expected a pointer as kernel \"first\" declares it"},
        {0, uh_arg_local(8), "args[0] is local memory, expected a pointer"},
        {1, uh_arg_value(value, 8), "args[1].size is 8, expected 4 bytes as kernel \"first\" declares it"},
        {1, uh_arg_value(value, 2), "args[1].size is 2, expected 4 bytes"},
        {1, uh_arg_pointer(NULL), "args[1] is a pointer, expected a value"},
        {2, uh_arg_pointer(NULL), "args[2] is a pointer, expected local memory"},
        {3, uh_arg_value(value, 12), "args[3].size is 12, expected 16 bytes"},
        {4, uh_arg_value(value, 20), "args[4].size is 20, expected 24 bytes"},
        {2, uh_arg_local(925), "args[2].size is 925, which makes more than 1024 bytes of local memory"},
    };
    test_good(uh_parallel_for(f.queue, f.first, &one, right, 5, NULL));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uh_arg args[5] = {right[0], right[1], right[2], right[3], right[4]};
        args[wrong[i].index] = wrong[i].arg;
        test_invalid(uh_parallel_for(f.queue, f.first, &one, args, 5, NULL), "uh_parallel_for: ", wrong[i].says);
    }
    uh_arg most[5] = {right[0], right[1], uh_arg_local(924), right[3], right[4]};
    test_good(uh_parallel_for(f.queue, f.first, &one, most, 5, NULL));
    test_invalid(uh_parallel_for(f.queue, f.first, &one, right, 4, NULL),
                 "nargs is 4, expected 5, the arguments of kernel \"first\"");
    test_invalid(uh_parallel_for(f.queue, f.second, &one, right, 1, NULL), "nargs is 1, expected 0");
    test_good(uh_parallel_for(f.queue, f.second, &one, NULL, 0, NULL));
}

UNIT_TEST(only_pointers_that_the_device_can_reach_are_taken) {
    struct fixture f;
    const char value[32] = {0};
    void *plain = test_ze_alloc(test_host(), UH_MEMORY_UNKNOWN, 64);
    void *of_host = test_ze_alloc(test_host(), UH_MEMORY_SHARED, 64);
    void *of_other = test_ze_alloc(fake_other_device(), UH_MEMORY_DEVICE, 64);
    /* Of a size that malloc does not place after f.memory. */
    void *shared = test_ze_alloc(fake_device(), UH_MEMORY_SHARED, 4096);
    set_up(&f, &five);
    uh_arg args[5] = {uh_arg_pointer(NULL), uh_arg_value(value, 4), uh_arg_local(8), uh_arg_value(value, 16),
                      uh_arg_value(value, 24)};
    const void *const good[] = {NULL, f.memory, (char *)f.memory + 63, shared};
    const void *const bad[] = {plain, (char *)f.memory + 64, of_host, of_other};
    for (size_t i = 0; i < 4; i++) {
        args[0] = uh_arg_pointer(good[i]);
        test_good(uh_parallel_for(f.queue, f.first, &one, args, 5, NULL));
        args[0] = uh_arg_pointer(bad[i]);
        test_invalid(uh_parallel_for(f.queue, f.first, &one, args, 5, NULL),
                     "uh_parallel_for: args[0] is the pointer 0x",
                     "expected NULL or memory of uh_malloc or of the device's context that fake:0 can");
    }
}

UNIT_TEST(global_sizes_are_multiples_of_local_ones_and_make_groups_that_the_kernel_runs) {
    struct fixture f;
    const uh_kernel_properties limited = {.arguments = 0, .max_group_size = 64};
    const uh_kernel_properties fixed = {.arguments = 0, .max_group_size = 32, .required_group_size = {8, 4, 1}};
    const struct {
        const uh_kernel_properties *kernel;
        uh_nd_range range;
        const char *says; /* NULL: it is right */
    } cases[] = {
        {&limited, {1, {128}, {64}, {0}}, NULL},
        {&limited, {1, {130}, {65}, {0}}, "range->local[0] is 65, which makes a work-group of more than 64"},
        {&limited, {2, {64, 64}, {8, 16}, {0}}, "range->local[1] is 16, which makes a work-group of more than 64"},
        {&limited, {2, {64, 63}, {8, 8}, {0}}, "range->global[1] is 63, expected a multiple of range->local[1]"},
        {&limited, {1, {0}, {64}, {0}}, NULL},
        {&limited, {1, {(size_t)UINT32_MAX * 2}, {2}, {0}}, NULL},
        {&limited, {1, {(size_t)UINT32_MAX * 2 + 2}, {2}, {0}}, "which makes 4294967296 work-groups of 2 work-items"},
        {&fixed, {2, {16, 8}, {8, 4}, {0}}, NULL},
        {&fixed, {2, {16, 8}, {0, 0}, {0}}, NULL},
        {&fixed, {2, {16, 8}, {8, 0}, {0}}, NULL},
        {&fixed, {2, {16, 8}, {4, 4}, {0}}, "range->local is 4, 4, 1, expected 8, 4, 1, which kernel \"first\" requ"},
        {&fixed, {1, {16}, {8}, {0}}, "range->local is 8, 1, 1, expected 8, 4, 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set_up(&f, cases[i].kernel);
        uh_status status = uh_parallel_for(f.queue, f.first, &cases[i].range, NULL, 0, NULL);
        if (cases[i].says)
            test_invalid(status, "uh_parallel_for: ", cases[i].says);
        else
            test_good(status);
    }
}

UNIT_TEST(a_kernel_runs_on_its_modules_device_alone) {
    struct fixture f;
    uh_queue *other = test_queue_of(fake_other_device(), NULL), *host = test_queue(1, 0);
    set_up(&f, &five);
    test_assert_failed(uh_parallel_for(other, f.second, &one, NULL, 0, NULL), UH_ERROR_UNSUPPORTED,
                       "kernel is \"second\", which runs on fake:0, expected one for fake:1");
    test_assert_failed(uh_parallel_for(host, f.second, &one, NULL, 0, NULL), UH_ERROR_UNSUPPORTED,
                       "kernel is \"second\", which runs on fake:0, expected one for host:0");
}

UNIT_TEST(queues_for_copies_run_no_kernels_on_any_device) {
    struct fixture f;
    const uh_queue_options *options = QUEUE_OPTIONS(.engine = UH_ENGINE_COPY);
    uh_queue *copies = test_queue_of(fake_device(), options), *host_copies = test_queue_of(test_host(), options);
    uh_kernel *kernel = test_kernel("never", never);
    set_up(&f, &five);
    test_assert_failed(uh_parallel_for(copies, f.second, &one, NULL, 0, NULL), UH_ERROR_UNSUPPORTED,
                       "queue is for copies (UH_ENGINE_COPY)");
    test_assert_failed(uh_parallel_for(host_copies, kernel, &one, NULL, 0, NULL), UH_ERROR_UNSUPPORTED,
                       "queue is for copies (UH_ENGINE_COPY)");
}
