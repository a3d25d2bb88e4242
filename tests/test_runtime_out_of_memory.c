/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation that the runtime makes fails once. Linked with --wrap, so that the library's calls of malloc and its
 * kin come here. */
#include "tests/failing_malloc.h"
#include "tests/fixture.h"

enum { MANY = 200 };

static void touch(const uh_work_group *group, void *const *args) {
    (void)group;
    memset(args[0], 1, 1000);
}

/* Objects that the calls work with, and what they make. */
struct things {
    uh_queue *queue;
    uh_kernel *kernel;
    uh_queue *new_queue;
    uh_kernel *new_kernel;
    uh_event *event;
    void *memory;
};

static uh_status create_queue(struct things *t) {
    return uh_queue_create(test_host(), NULL, &t->new_queue);
}

static uh_status create_kernel(struct things *t) {
    return uh_kernel_create_host("name", touch, &t->new_kernel);
}

static uh_status allocate(struct things *t) {
    return uh_malloc(test_host(), UH_MEMORY_SHARED, 100, 0, &t->memory);
}

static uh_status copy(struct things *t) {
    char a = 1, b = 2;
    return uh_memcpy(t->queue, &b, &a, 1, NULL, 0, &t->event);
}

static uh_status fill(struct things *t) {
    char a = 1, b = 2;
    return uh_fill(t->queue, &b, &a, 1, 1, NULL, 0, &t->event);
}

static uh_status launch(struct things *t) {
    uh_arg args[MANY];
    uh_nd_range range = {1, {2}, {1}, {0}};
    args[0] = uh_arg_local(1000);
    for (size_t i = 1; i < MANY; i++)
        args[i] = uh_arg_value(&range, sizeof range);
    return uh_parallel_for(t->queue, t->kernel, &range, args, MANY, NULL, 0, &t->event);
}

static const struct {
    uh_status (*call)(struct things *t);
    const char *name;
    size_t allocations;
} calls[] = {
    {create_queue, "uh_queue_create", 1},
    {create_kernel, "uh_kernel_create_host", 2},
    {allocate, "uh_malloc", 2},
    {copy, "uh_memcpy", 1},
    {fill, "uh_fill", 1},
    {launch, "uh_parallel_for", 3},
};

UNIT_TEST(every_failed_allocation_is_an_error_that_leaves_outputs_untouched_and_nothing_behind) {
    for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++) {
        struct things t = {.queue = test_queue(1, 0), .kernel = test_kernel("touch", touch)};
        for (size_t n = 1; n <= calls[c].allocations; n++) {
            struct things before = t;
            fails_at = n;
            seen = 0;
            uh_status status = calls[c].call(&t);
            fails_at = 0;
            test_assert_failed(status, UH_ERROR_OUT_OF_MEMORY, calls[c].name);
            assert_memory_equal(&t, &before, sizeof t);
        }
        fails_at = calls[c].allocations + 1;
        seen = 0;
        test_good(calls[c].call(&t));
        fails_at = 0;
        assert_int_equal(seen, calls[c].allocations);
        test_good(uh_event_destroy(t.event));
        test_good(uh_free(t.memory));
        test_good(uh_queue_destroy(t.new_queue));
        test_good(uh_kernel_destroy(t.new_kernel));
    }
}

UNIT_TEST(a_small_launch_without_an_event_allocates_nothing) {
    uh_queue *queue = test_queue(1, 0);
    uh_kernel *kernel = test_kernel("touch", touch);
    char target[1000];
    uh_nd_range range = {1, {100}, {0}, {0}};
    uh_arg args[] = {uh_arg_pointer(target), uh_arg_value(&range, sizeof range), uh_arg_value(&range, sizeof range)};
    fails_at = SIZE_MAX;
    seen = 0;
    uh_status status = uh_parallel_for(queue, kernel, &range, args, 3, NULL, 0, NULL);
    fails_at = 0;
    test_good(status);
    assert_int_equal(seen, 0);
}
